snt_add(cli cli)
add_dependencies(test_cli_cli sinew_cli)
target_compile_definitions(test_cli_cli PRIVATE SNT_PROGRAM="$<TARGET_FILE:sinew_cli>")
