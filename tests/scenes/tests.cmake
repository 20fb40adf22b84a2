snt_add(scenes arm)
snt_add(scenes implicit)
snt_add(scenes cloth)
snt_add(scenes dog_walk)
snt_add(scenes relief)
snt_add(scenes rex)
snt_add(scenes rex_motion)
snt_add(scenes thighs)

# Whole bodies. What another compiler builds gives the same bytes, so that once is enough; and what
# sanitizers look at is the same code for all of them.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    snt_add(scenes human)
endif()
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT SINEW_SANITIZE)
    snt_add(scenes monkey)
    snt_add(scenes body_rigid)
    snt_add(scenes body_mirror)
    snt_add(scenes body_volume)
    snt_add(scenes body_threads)
    snt_add(scenes body_reuse)
    snt_add(scenes body_limits)
    # The longest begin first, so that none runs alone at the end.
    set_tests_properties(scenes/body_limits PROPERTIES COST 50)
elseif(NOT SINEW_SANITIZE)
    add_test(NAME scenes/same_bits COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scenes/same_bits
        ${PROJECT_SOURCE_DIR}/build/sinew $<TARGET_FILE:sinew_cli>)
    set_tests_properties(scenes/same_bits PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
endif()

# Folders of real anatomy through the program; too slow with sanitizers.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT SINEW_SANITIZE)
    foreach(name dog_limits human_anatomy)
        snt_add(scenes ${name})
        add_dependencies(test_scenes_${name} sinew_cli)
        set_tests_properties(scenes/${name} PROPERTIES COST 50)
        target_compile_definitions(test_scenes_${name} PRIVATE SNT_PROGRAM="$<TARGET_FILE:sinew_cli>")
    endforeach()
endif()
