snt_add(cli cli)
add_dependencies(test_cli_cli sinew_cli)
target_compile_definitions(test_cli_cli PRIVATE SNT_PROGRAM="$<TARGET_FILE:sinew_cli>")

# Real characters and motions, through the validator as well where it can be installed.
snt_add(cli exports)
if(NOT SINEW_SANITIZE)
    add_test(NAME cli/exports_validator
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/validator/run ${CMAKE_BINARY_DIR} $<TARGET_FILE:test_cli_exports>)
    set_tests_properties(cli/exports_validator PROPERTIES
        SKIP_RETURN_CODE 77 TIMEOUT 300 RESOURCE_LOCK validator)
endif()

# Sanitized libraries need a sanitized program around them.
if(NOT SINEW_SANITIZE)
    add_test(NAME cli/consumer
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumer/run ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR})
    set_tests_properties(cli/consumer PROPERTIES TIMEOUT 300)
endif()
