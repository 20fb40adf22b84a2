// SPDX-License-Identifier: Apache-2.0
//
// Weights for small meshes of every kind: open, loose, flat, hardly any mesh at all.
#include "test.h"

#include "motion/skeleton.h"
#include "sinew/fit.h"

#include <string.h>

// An open box of quads along +y from `low` to `high`, with square rings around x = `x`.
enum { RINGS = 21 };

static sn_mesh *tube(sn_context *context, double x, double radius, double low, double high) {
    sn_mesh *mesh = NULL;
    uint32_t quads = 4 * (RINGS - 1);
    snt_ok(sn_mesh_create(context, "tube", 4 * RINGS, quads, 4 * quads, &mesh, error));
    for (uint32_t i = 0; i < 4 * RINGS; ++i) {
        double turn = SN_PI / 4 + SN_PI / 2 * (i % 4);
        double y = low + (high - low) * (i / 4) / (RINGS - 1);
        sn_vec3_store(sn_vec3_make(x + radius * cos(turn), y, -radius * sin(turn)),
                      mesh->positions + 3 * (size_t)i);
    }
    for (uint32_t i = 0; i < quads; ++i) {
        uint32_t next = i / 4 * 4 + (i + 1) % 4;
        memcpy(mesh->corners + 4 * (size_t)i, (uint32_t[]){i, next, next + 4, i + 4}, 16);
        mesh->face_offsets[i + 1] = 4 * (i + 1);
    }
    snt_ok(sn_mesh_validate(mesh, error));
    return mesh;
}

static void set_segment(sn_context *context, sn_skeleton *skeleton, uint32_t i, const char *name,
                        uint32_t parent, sn_vec3 place) {
    skeleton->segments[i].name = sni_string_copy(context, name);
    skeleton->segments[i].parent = parent;
    skeleton->segments[i].rest.translation = place;
}

// Two limbs along y, from 0 to 1 and on; a third has no length.
static void make_skeleton(sn_context *context, double x, sn_skeleton *skeleton) {
    snt_ok(sni_skeleton_init(context, 3, skeleton, error));
    set_segment(context, skeleton, 0, "upper", SN_NONE, sn_vec3_make(x, 0, 0));
    set_segment(context, skeleton, 1, "point", 0, sn_vec3_make(0, 1, 0));
    set_segment(context, skeleton, 2, "lower", 1, sn_vec3_make(0, 0, 0));
    snt_ok(sni_skeleton_sort(context, skeleton, error));
}

static double weight_on(const sn_mesh *mesh, uint32_t vertex, const char *name) {
    double sum = 0;
    for (uint32_t i = mesh->weights->offsets[vertex]; i < mesh->weights->offsets[vertex + 1]; ++i) {
        bool is_it = strcmp(mesh->weights->bone_names[mesh->weights->bones[i]], name) == 0;
        sum += is_it ? mesh->weights->values[i] : 0;
    }
    return sum;
}

static void expect_whole(const sn_mesh *mesh) {
    snt_ok(sn_mesh_validate(mesh, error));
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        double sum = 0;
        for (uint32_t i = mesh->weights->offsets[v]; i < mesh->weights->offsets[v + 1]; ++i) {
            sum += mesh->weights->values[i];
        }
        snt_near(sum, 1, 1e-5);
    }
}

static sn_bind_desc desc_for(const sn_skeleton *skeleton) {
    sn_bind_desc desc = sn_bind_desc_default();
    desc.skeleton = skeleton;
    desc.resolution = 48;
    return desc;
}

// An open tube: its ends follow their limbs, the joint is shared, and weights fall along it.
static void binds_an_open_tube(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_mesh *mesh = tube(context, 0, 0.15, -0.2, 1.6);
    sn_skeleton skeleton;
    sn_bind_report report;
    make_skeleton(context, 0, &skeleton);
    sn_bind_desc desc = desc_for(&skeleton);
    snt_ok(sn_bind_meshes(context, &desc, 1, &mesh, NULL, &report, error));
    expect_whole(mesh);
    assert_int_equal(report.part_count, 1);
    assert_true(weight_on(mesh, 0, "upper") > 0.95);
    assert_true(weight_on(mesh, 4 * RINGS - 1, "upper") < 0.05);
    for (uint32_t v = 4; v < mesh->vertex_count; ++v) {
        assert_true(weight_on(mesh, v, "upper") <= weight_on(mesh, v - 4, "upper") + 0.02);
    }
    sn_mesh_destroy(mesh);
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

// The joints of a worm mirror each other, but its ends are no left and right: weights change no
// faster in its middle than elsewhere.
static void a_worm_has_no_sides(void **state) {
    (void)state;
    enum { BONES = 6 };
    sn_context *context = snt_context(2);
    sn_mesh *mesh = tube(context, 0, 0.1, -0.1, 1.1);
    sn_skeleton skeleton;
    snt_ok(sni_skeleton_init(context, BONES, &skeleton, error));
    for (uint32_t i = 0; i < BONES; ++i) {
        char name[8];
        snprintf(name, sizeof name, "b%u", i);
        set_segment(context, &skeleton, i, name, i > 0 ? i - 1 : SN_NONE,
                    sn_vec3_make(0, i > 0 ? 0.2 : 0, 0));
    }
    snt_ok(sni_skeleton_sort(context, &skeleton, error));
    sn_bind_desc desc = desc_for(&skeleton);
    snt_ok(sn_bind_meshes(context, &desc, 1, &mesh, NULL, NULL, error));
    expect_whole(mesh);
    for (uint32_t v = 4; v < mesh->vertex_count; ++v) {
        for (uint32_t i = 0; i < BONES; ++i) {
            const char *name = skeleton.segments[i].name;
            snt_near(weight_on(mesh, v, name), weight_on(mesh, v - 4, name), 0.45);
        }
    }
    sn_mesh_destroy(mesh);
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

// A button beside the tube, which no limb is in, moves as one with the surface near it; the bits
// are the same for any number of threads.
static void binds_loose_parts(void **state) {
    (void)state;
    sn_mesh *first = NULL;
    sn_context *contexts[3];
    for (uint32_t k = 0; k < 3; ++k) {
        sn_context *context = contexts[k] = snt_context(k == 2 ? 8 : k + 1);
        sn_mesh *meshes[2] = {tube(context, 0, 0.15, -0.2, 1.6),
                              tube(context, 0.2, 0.02, 1.3, 1.33)};
        sn_skeleton skeleton;
        sn_bind_report report;
        make_skeleton(context, 0, &skeleton);
        sn_bind_desc desc = desc_for(&skeleton);
        snt_ok(sn_bind_meshes(context, &desc, 2, meshes, NULL, &report, error));
        assert_int_equal(report.part_count, 2);
        expect_whole(meshes[1]);
        for (uint32_t v = 1; v < meshes[1]->vertex_count; ++v) {
            snt_near(weight_on(meshes[1], v, "upper"), weight_on(meshes[1], 0, "upper"), 1e-6);
        }
        assert_true(weight_on(meshes[1], 0, "upper") < 0.3);
        if (k > 0) {
            uint32_t count = first->weights->offsets[first->vertex_count];
            assert_int_equal(count, meshes[0]->weights->offsets[first->vertex_count]);
            assert_memory_equal(first->weights->values, meshes[0]->weights->values, 4 * count);
        }
        sn_mesh_destroy(k == 0 ? NULL : meshes[0]);
        first = k == 0 ? meshes[0] : first;
        sn_mesh_destroy(meshes[1]);
        sni_skeleton_deinit(context, &skeleton);
    }
    sn_mesh_destroy(first);
    for (uint32_t k = 0; k < 3; ++k) {
        snt_context_end(contexts[k]);
    }
}

static bool cancel(const char *step, double fraction, void *user) {
    (void)step;
    (void)fraction;
    (void)user;
    return false;
}

static void says_what_it_cannot_bind(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = tube(context, 0, 0.15, -0.2, 1.6), *flat = NULL;
    sn_skeleton skeleton, far, none = {0};
    make_skeleton(context, 0, &skeleton);
    make_skeleton(context, 7, &far);
    sn_bind_desc desc = desc_for(&far);
    snt_fails(SN_INVALID, "no bone of the skeleton lies inside the mesh",
              sn_bind_meshes(context, &desc, 1, &mesh, NULL, NULL, error));
    assert_null(mesh->weights);
    for (uint32_t i = 0; i < far.segment_count; ++i) {
        far.segments[i].rest.translation = sn_vec3_scale(far.segments[i].rest.translation, 100);
    }
    snt_fails(SN_INVALID, "inside the mesh: it is 150 m long, the mesh 1.95 m",
              sn_bind_meshes(context, &desc, 1, &mesh, NULL, NULL, error));
    desc.skeleton = &none;
    snt_fails(SN_INVALID, "no skeleton",
              sn_bind_meshes(context, &desc, 1, &mesh, NULL, NULL, error));
    desc.skeleton = &skeleton;
    desc.influences = 0;
    snt_fails(SN_INVALID, "0 influences",
              sn_bind_meshes(context, &desc, 1, &mesh, NULL, NULL, error));
    desc.influences = 4;
    sn_progress progress = {.report = cancel};
    snt_fails(SN_CANCELLED, "", sn_bind_meshes(context, &desc, 1, &mesh, &progress, NULL, error));
    assert_null(mesh->weights);
    // One triangle has no inside.
    snt_ok(sn_mesh_create(context, "flat", 3, 1, 3, &flat, error));
    memcpy(flat->positions, (float[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 36);
    memcpy(flat->corners, (uint32_t[]){0, 1, 2}, 12);
    flat->face_offsets[1] = 3;
    snt_fails(SN_INVALID, "no bone of the skeleton lies inside the mesh",
              sn_bind_meshes(context, &desc, 1, &flat, NULL, NULL, error));
    sn_mesh_destroy(flat);
    sn_mesh_destroy(mesh);
    sni_skeleton_deinit(context, &skeleton);
    sni_skeleton_deinit(context, &far);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binds_an_open_tube),
        cmocka_unit_test(a_worm_has_no_sides),
        cmocka_unit_test(binds_loose_parts),
        cmocka_unit_test(says_what_it_cannot_bind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
