# Tests of the server: snt_add_studio(net) builds tests/studio/net.c as test "studio/net".
function(snt_add_studio name)
    snt_add(studio ${name})
    target_link_libraries(test_studio_${name} PRIVATE sinew_studio)
    set_target_properties(test_studio_${name} PROPERTIES SINEW_NAMES_AS_TYPES ON)
endfunction()

snt_add_studio(net)
snt_add_studio(net_http)
include(studio/desk.cmake)
snt_add_studio(coat)
snt_add_studio(wire)
include(studio/commands.cmake)

# Tests in a real browser, each tests/studio/NAME.test.mjs as "page/NAME"; once is enough, in the
# first of the builds that `make test` makes. Each has a server and a browser of its own.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT SINEW_SANITIZE)
    file(GLOB browser_tests RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/studio CONFIGURE_DEPENDS
        ${CMAKE_CURRENT_SOURCE_DIR}/studio/*.test.mjs)
    foreach(file ${browser_tests})
        string(REPLACE ".test.mjs" "" name ${file})
        add_test(NAME page/${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/studio/run ${CMAKE_BINARY_DIR} ${name})
        # The longest begin first, so that none runs alone at the end.
        set_tests_properties(page/${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 COST 30)
    endforeach()
    set_tests_properties(page/viewport page/dialogs page/plots page/fibre page/cylinder page/timeline
        PROPERTIES COST 60)
endif()
