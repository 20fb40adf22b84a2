# Files, long work and tools.
foreach(name roots uploads files jobs measure pace tools)
    snt_add_studio(${name})
endforeach()
add_dependencies(test_studio_tools sinew_cli)
target_compile_definitions(test_studio_tools PRIVATE SNT_PROGRAM="$<TARGET_FILE:sinew_cli>")
