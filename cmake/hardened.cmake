# What a compiler can do against mistakes that its input brings about: frames of the stack are guarded,
# copies of known size are checked, functions are called at their beginning alone (CET), the tables of
# addresses cannot be written once the program runs, and programs lie at another place in each run.
# Sanitizers do more and do it otherwise; WebAssembly has its own walls.
set(hardened_link "")
if(SINEW_SANITIZE OR SINEW_FUZZ OR EMSCRIPTEN)
    set(SINEW_HARDENED OFF)
endif()
if(SINEW_HARDENED)
    include(CheckCCompilerFlag)
    include(CheckCSourceCompiles)
    include(CheckPIESupported)
    check_pie_supported(LANGUAGES C)
    set(hardened_compile -fstack-protector-strong)
    check_c_compiler_flag(-fcf-protection SINEW_HAS_CET)
    if(SINEW_HAS_CET)
        list(APPEND hardened_compile -fcf-protection)
    endif()
    # Level 3 also checks sizes that are known only when the program runs.
    set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
    check_c_source_compiles("#include <string.h>\nint main(void) { return 0; }" SINEW_HAS_FORTIFY_3)
    unset(CMAKE_REQUIRED_FLAGS)
    set(fortify -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$<IF:$<BOOL:${SINEW_HAS_FORTIFY_3}>,3,2>)
    # It needs an optimising compiler: debug builds and most tests are without.
    set(optimised $<AND:$<NOT:$<CONFIG:Debug>>,$<NOT:$<STREQUAL:$<TARGET_PROPERTY:SINEW_OPTIMIZATION>,-O0>>>)
    target_compile_options(sinew_flags INTERFACE ${hardened_compile} "$<${optimised}:${fortify}>")
    set(hardened_link -Wl,-z,relro -Wl,-z,now)
    target_link_options(sinew_flags INTERFACE ${hardened_link})
endif()
