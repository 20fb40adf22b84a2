snt_add(io blender)
snt_add(io import)
snt_add(io read_assimp)
snt_add(io read_bvh)
snt_add(io read_gltf)
snt_add(io read_obj)
snt_add(io read_ply)
snt_add(io read_stl)
snt_add(io refuse_gltf)
snt_add(io write_gltf)
snt_add(io write_obj)
snt_add(io write_points)

# What sinew writes must satisfy the Khronos glTF validator.
add_test(NAME io/gltf_validator
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/validator/run ${CMAKE_BINARY_DIR} $<TARGET_FILE:test_io_write_gltf>)
set_tests_properties(io/gltf_validator PROPERTIES
    SKIP_RETURN_CODE 77 TIMEOUT 300 RESOURCE_LOCK validator)
