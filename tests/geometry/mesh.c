// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "shapes.h"

// A cube that has one of everything.
static sn_mesh *full_mesh(sn_context *context) {
    sn_mesh *mesh = snt_cube(context);
    sn_attribute *attribute;
    snt_ok(sn_mesh_add_attribute(mesh, "uv", 2, 3, true, &attribute, error));
    for (int i = 0; i < 6; ++i) {
        attribute->values[i] = (float)i;
    }
    for (uint32_t c = 0; c < mesh->corner_count; ++c) {
        attribute->corner[c] = c % 4 == 3 ? SN_NONE : c % 4;
    }
    snt_ok(sn_mesh_add_attribute(mesh, "heat", 1, 8, false, &attribute, error));
    memset(attribute->values, 0, 8 * sizeof(float));
    snt_ok(sn_mesh_set_weights(mesh, 2, 8, true, error));
    snt_ok(sn_mesh_name_bone(mesh, 0, "hip", error));
    snt_ok(sn_mesh_name_bone(mesh, 1, "knee", error));
    for (uint32_t v = 0; v < 8; ++v) {
        mesh->weights->offsets[v + 1] = v + 1;
        mesh->weights->bones[v] = v % 2;
        mesh->weights->values[v] = 1;
    }
    mesh->weights->inverse_bind[0] = mesh->weights->inverse_bind[1] = sn_mat4_identity();
    sn_target *target;
    snt_ok(sn_mesh_add_target(mesh, "bend", 2, true, &target, error));
    memset(target->offsets, 0, 6 * sizeof(float));
    target->vertices[0] = 3;
    target->vertices[1] = 5;
    snt_ok(sn_mesh_add_target(mesh, "grow", 8, false, &target, error));
    memset(target->offsets, 0, 24 * sizeof(float));
    target->weight = 0.5f;
    snt_ok(sn_mesh_add_run(mesh, SN_RUN_GROUP, 0, "low", error));
    snt_ok(sn_mesh_add_run(mesh, SN_RUN_MATERIAL, 3, "red", error));
    snt_ok(sn_mesh_add_run(mesh, SN_RUN_GROUP, 6, "empty", error));
    sn_material *material;
    snt_ok(sn_mesh_add_material(mesh, "red", &material, error));
    material->image_type = sni_string_copy(context, "image/png");
    material->image_bytes = sni_copy(context, "\x89PNG", 4, 1);
    material->image_size = 4;
    return mesh;
}

static void accepts_what_is_right(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *full = full_mesh(context), *empty;
    snt_ok(sn_mesh_validate(full, error));
    sn_mesh_clear_weights(full);
    assert_null(full->weights);
    snt_ok(sn_mesh_validate(full, error));
    snt_ok(sn_mesh_create(context, "", 0, 0, 0, &empty, error));
    snt_ok(sn_mesh_validate(empty, error));
    sn_vec3 low, high;
    sn_mesh_bounds(full, &low, &high);
    assert_true(low.x == 0 && high.z == 1);
    sn_mesh_bounds(empty, &low, &high);
    assert_true(low.x == 0 && high.x == 0);
    sn_mesh_destroy(full);
    sn_mesh_destroy(empty);
    snt_context_end(context);
}

// Makes one fault in a fresh mesh and expects it to be named.
#define EXPECT_FAULT(text, ...)                                                                    \
    do {                                                                                           \
        sn_mesh *mesh = full_mesh(context);                                                        \
        __VA_ARGS__;                                                                               \
        snt_fails(SN_INVALID, text, sn_mesh_validate(mesh, error));                                \
        sn_mesh_destroy(mesh);                                                                     \
    } while (0)

static void names_what_is_wrong(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    EXPECT_FAULT("face 4 uses vertex 40, but there are 8 vertices", mesh->corners[17] = 40);
    EXPECT_FAULT("vertex 7 has the y coordinate nan", mesh->positions[22] = NAN);
    EXPECT_FAULT("vertex 0 has the x coordinate -inf", mesh->positions[0] = -INFINITY);
    EXPECT_FAULT("face 0 begins at corner 1", mesh->face_offsets[0] = 1);
    EXPECT_FAULT("face 2 has no corners", mesh->face_offsets[3] = mesh->face_offsets[2]);
    EXPECT_FAULT("face 1 has the corners from 4 to 2", mesh->face_offsets[2] = 2);
    EXPECT_FAULT("face 5 has the corners from 20 to 99", mesh->face_offsets[6] = 99);
    EXPECT_FAULT("the faces have 23 corners, but the mesh has 24", mesh->face_offsets[6] = 23);
    EXPECT_FAULT("no name", sni_free(context, mesh->name); mesh->name = NULL);
    EXPECT_FAULT("corner 5 uses value 3 of attribute \"uv\", but there are 3",
                 mesh->attributes[0].corner[5] = 3);
    EXPECT_FAULT("value 2 of attribute \"uv\" holds inf", mesh->attributes[0].values[5] = INFINITY);
    EXPECT_FAULT("\"uv\" has the width 0", mesh->attributes[0].width = 0);
    EXPECT_FAULT("\"heat\" has 7 values for 8 vertices", mesh->attributes[1].count = 7);
    EXPECT_FAULT("vertex 2 hangs on bone 9, but there are 2", mesh->weights->bones[2] = 9);
    EXPECT_FAULT("vertex 6 has the weight -0.5 on bone 0", mesh->weights->values[6] = -0.5f);
    EXPECT_FAULT("vertex 6 has the weight nan", mesh->weights->values[6] = NAN);
    EXPECT_FAULT("vertex 3 has the weights from 4 to 2", mesh->weights->offsets[3] = 4;
                 mesh->weights->offsets[4] = 2);
    EXPECT_FAULT("vertex 0 has the weights from 0 to 9", mesh->weights->offsets[1] = 9);
    EXPECT_FAULT("weights of vertex 0 begin at entry 1", mesh->weights->offsets[0] = 1);
    EXPECT_FAULT("inverse bind matrix of bone 1 (\"knee\")",
                 mesh->weights->inverse_bind[1].m[3] = NAN);
    EXPECT_FAULT("bone 1 has no name", sni_free(context, mesh->weights->bone_names[1]);
                 mesh->weights->bone_names[1] = NULL);
    EXPECT_FAULT("\"bend\" moves vertex 8, but there are 8", mesh->targets[0].vertices[1] = 8);
    EXPECT_FAULT("\"bend\" lists vertex 3 after vertex 3", mesh->targets[0].vertices[1] = 3);
    EXPECT_FAULT("\"bend\" moves vertex 5 by nan in z", mesh->targets[0].offsets[5] = NAN);
    EXPECT_FAULT("\"grow\" has 6 offsets for 8", mesh->targets[1].count = 6);
    EXPECT_FAULT("\"grow\" has the weight inf", mesh->targets[1].weight = INFINITY);
    EXPECT_FAULT("run 2 (\"empty\") begins at face 7", mesh->runs[2].first_face = 7);
    EXPECT_FAULT("run 1 begins at face 0, before run 0 at face 2", mesh->runs[0].first_face = 2;
                 mesh->runs[1].first_face = 0);
    EXPECT_FAULT("run 0 has the unknown kind 9", mesh->runs[0].kind = (sn_run_kind)9);
    EXPECT_FAULT("\"red\" holds a number that is not finite", mesh->materials[0].metallic = NAN);
    EXPECT_FAULT("\"red\" has an image without bytes",
                 sni_free(context, mesh->materials[0].image_bytes);
                 mesh->materials[0].image_bytes = NULL);
    snt_context_end(context);
}

static void assert_same_mesh(const sn_mesh *a, const sn_mesh *b) {
    assert_string_equal(a->name, b->name);
    assert_memory_equal(a->positions, b->positions, a->vertex_count * 12);
    assert_memory_equal(a->face_offsets, b->face_offsets, (a->face_count + 1) * 4);
    assert_memory_equal(a->corners, b->corners, a->corner_count * 4);
    assert_int_equal(a->attribute_count, b->attribute_count);
    assert_memory_equal(a->attributes[0].values, b->attributes[0].values, 24);
    assert_memory_equal(a->attributes[0].corner, b->attributes[0].corner, a->corner_count * 4);
    assert_null(b->attributes[1].corner);
    assert_string_equal(b->weights->bone_names[1], "knee");
    assert_memory_equal(a->weights->inverse_bind, b->weights->inverse_bind, 2 * sizeof(sn_mat4));
    assert_memory_equal(a->weights->offsets, b->weights->offsets, 36);
    assert_memory_equal(a->weights->bones, b->weights->bones, 32);
    assert_memory_equal(a->weights->values, b->weights->values, 32);
    assert_memory_equal(a->targets[0].vertices, b->targets[0].vertices, 8);
    assert_null(b->targets[1].vertices);
    assert_true(b->targets[1].weight == 0.5f);
    assert_int_equal(b->run_count, 3);
    assert_string_equal(b->runs[2].name, "empty");
    assert_int_equal(b->runs[1].kind, SN_RUN_MATERIAL);
    assert_string_equal(b->materials[0].image_type, "image/png");
    assert_memory_equal(a->materials[0].image_bytes, b->materials[0].image_bytes, 4);
}

static void copies_share_nothing(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = full_mesh(context), *copy;
    snt_ok(sn_mesh_copy(mesh, &copy, error));
    snt_ok(sn_mesh_validate(copy, error));
    assert_same_mesh(mesh, copy);
    assert_ptr_not_equal(mesh->positions, copy->positions);
    // A copy grows like its original.
    sn_attribute *attribute;
    snt_ok(sn_mesh_add_attribute(copy, "more", 1, 8, false, &attribute, error));
    snt_ok(sn_mesh_add_run(copy, SN_RUN_GROUP, 6, "more", error));
    sn_mesh_destroy(mesh);
    assert_non_null(sn_mesh_find_attribute(copy, "heat"));
    assert_null(sn_mesh_find_attribute(copy, "cold"));
    sn_mesh_destroy(copy);
    snt_context_end(context);
}

static void weights_go_from_mesh_to_mesh(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = full_mesh(context), *bare = snt_cube(context), *small;
    snt_fails(SN_INVALID, "has no weights", sn_mesh_copy_weights(mesh, bare, error));
    assert_non_null(mesh->weights);
    snt_ok(sn_mesh_create(context, "small", 3, 0, 0, &small, error));
    snt_fails(SN_INVALID, "the mesh \"small\" has 3 vertices",
              sn_mesh_copy_weights(small, mesh, error));
    snt_ok(sn_mesh_copy_weights(bare, mesh, error));
    snt_ok(sn_mesh_validate(bare, error));
    assert_string_equal(bare->weights->bone_names[1], "knee");
    assert_memory_equal(mesh->weights->bones, bare->weights->bones, 32);
    assert_ptr_not_equal(mesh->weights->values, bare->weights->values);
    sn_mesh_destroy(mesh);
    sn_mesh_destroy(bare);
    sn_mesh_destroy(small);
    snt_context_end(context);
}

static sn_status try_copy(sn_context *context, void *user, sn_error *error) {
    sn_mesh local = *(const sn_mesh *)user;
    local.context = context;
    sn_mesh *copy;
    sn_status status = sn_mesh_copy(&local, &copy, error);
    sn_mesh_destroy(copy);
    return status;
}

static void copying_survives_lack_of_memory(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = full_mesh(context);
    snt_fail_allocations(try_copy, mesh);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_what_is_right),
        cmocka_unit_test(names_what_is_wrong),
        cmocka_unit_test(copies_share_nothing),
        cmocka_unit_test(weights_go_from_mesh_to_mesh),
        cmocka_unit_test(copying_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
