foreach(name anatomy bad_bodies cli colors folder layout muscle new_bones repeat shapes)
    snt_add(cli ${name})
    add_dependencies(test_cli_${name} sinew_cli)
    target_compile_definitions(test_cli_${name} PRIVATE SNT_PROGRAM="$<TARGET_FILE:sinew_cli>")
endforeach()

# Sanitized libraries need a sanitized program around them.
if(NOT SINEW_SANITIZE)
    add_test(NAME cli/consumer
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumer/run ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR})
    set_tests_properties(cli/consumer PROPERTIES TIMEOUT 300)
endif()
