# Files, long work and tools.
foreach(name roots uploads files jobs measure tools)
    snt_add(studio ${name})
    target_link_libraries(test_studio_${name} PRIVATE sinew_studio)
    target_compile_definitions(test_studio_${name} PRIVATE
        SNT_PROGRAM="$<TARGET_FILE:sinew_cli>")
endforeach()
foreach(name tools)
    add_dependencies(test_studio_${name} sinew_cli)
endforeach()
