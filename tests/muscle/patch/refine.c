// SPDX-License-Identifier: Apache-2.0
//
// How deep muscles lie: as asked, or on what lies below them.
#include "test.h"

#include "../toy.h"
#include "muscle/patch/patch.h"

typedef struct ground {
    const char *name;
    toy_shape *shape;
    uint32_t wide, high;
    bool round;
    double s0, s1, a, b;
} ground;

static const ground grounds[] = {
    {"plane", toy_plane, 20, 20, false, 0.2, 0.7, 0.1, 0.9},
    {"tube", toy_tube, 48, 20, true, 0.05, 0.3, 0.2, 0.8},
    {"ball", toy_ball, 48, 24, true, 0.05, 0.3, 0.3, 0.7},
};

// The distance along the normal to the first skin above every grid point.
static void depth_is_as_asked(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (size_t g = 0; g < sizeof grounds / sizeof *grounds; ++g) {
        const ground *on = &grounds[g];
        toy skin = make_toy(context, on->shape, on->wide, on->high, on->round);
        for (int normals = 0; normals < 2; ++normals) {
            toy_curves c;
            toy_draw_lines(&skin, on->shape, &c, 4, on->s0, on->s1, on->a, on->b);
            c.parameters[SNI_PATCH_NORMALS] = normals;
            sni_muscle_job job = toy_job(&skin, &c);
            sni_patch_grid grid;
            snt_ok(sni_patch_generate(&job, &grid, error));
            assert_int_equal(grid.without_hit, 0);
            assert_int_equal(grid.too_deep, 0);
            assert_int_equal(grid.folded, 0);
            assert_int_equal(grid.count_u, 6);
            assert_int_equal(grid.count_v, 8);
            assert_int_equal(grid.trace_count, 48 + 8); // all, and the curves' own points
            for (size_t k = 0; k < sni_patch_count(&grid); ++k) {
                sn_hit hit;
                sn_accel_cast(skin.accel, grid.points[k], grid.normals[k], 0, INFINITY, &hit);
                assert_true(hit.triangle != SN_NONE);
                snt_near(hit.distance, 0.05, 0.01 * 0.05);
                snt_near(sn_vec3_length(grid.normals[k]), 1, 1e-9);
            }
            sni_patch_grid_deinit(context, &grid);
        }
        free_toy(&skin);
    }
    snt_context_end(context);
}
// Half the thickness of a tube of radius 1 is passed below 1, all of it below 2.
static void depths_beyond_the_body_are_noticed(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_tube, 48, 20, true);
    toy_curves c;
    toy_draw_lines(&skin, toy_tube, &c, 3, 0.05, 0.15, 0.2, 0.8);
    sni_muscle_job job = toy_job(&skin, &c);
    void *bound;
    sni_muscle_measure measure;
    c.parameters[SNI_PATCH_SKIN_THICKNESS] = 1.2;
    snt_ok(sni_muscle_patch.bind(&job, &bound, error));
    sni_muscle_patch.measure(bound, NULL, &measure);
    assert_int_equal(measure.grid_points, 48);
    assert_int_equal(measure.too_deep, 48);
    assert_int_equal(measure.folded, 35); // all cells, beyond the tube's axis
    assert_int_equal(measure.without_hit, 0);
    sni_muscle_patch.unbind(context, bound);
    // With the same normals across, nothing comes closer.
    c.parameters[SNI_PATCH_NORMALS] = SNI_PATCH_CURVE_NORMALS;
    snt_ok(sni_muscle_patch.bind(&job, &bound, error));
    sni_muscle_patch.measure(bound, NULL, &measure);
    assert_int_equal(measure.folded, 0);
    sni_muscle_patch.unbind(context, bound);
    c.parameters[SNI_PATCH_SKIN_THICKNESS] = 2.5;
    toy_bind_fails(
        "biceps: its depth of 2.53 (skin_thickness + muscle_thickness) is greater than the "
        "body is thick, ");
    free_toy(&skin);
    snt_context_end(context);
}

// A hole between the curves: the points under it are counted and stay between their neighbours.
static void holes_are_counted(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_plane, 20, 20, false);
    toy_curves c;
    toy_draw_lines(&skin, toy_plane, &c, 3, 0.1, 0.9, 0.2, 0.8);
    uint32_t kept = 0;
    for (uint32_t t = 0; t < skin.triangles->count; ++t) {
        uint32_t *v = skin.triangles->vertices + 3 * t;
        if (fabs(skin.mesh->positions[3 * v[0] + 2]) > 0.4) {
            memmove(skin.triangles->vertices + 3 * kept++, v, 12);
        }
    }
    skin.triangles->count = kept;
    sn_accel_destroy(skin.accel);
    snt_ok(sn_accel_create(context, skin.mesh->positions, skin.mesh->vertex_count,
                           skin.triangles->vertices, kept, &skin.accel, error));
    toy_draw_lines(&skin, toy_plane, &c, 3, 0.1, 0.9, 0.2, 0.8);
    sni_muscle_job job = toy_job(&skin, &c);
    sni_patch_grid grid;
    snt_ok(sni_patch_generate(&job, &grid, error));
    assert_int_equal(grid.without_hit, 2 * 8); // the middle two of six columns
    for (size_t k = 0; k < 48; ++k) {
        snt_near(grid.points[k].y, -0.05, 1e-6);
    }
    sni_patch_grid_deinit(context, &grid);
    free_toy(&skin);
    snt_context_end(context);
}

static sn_vec3 thin_tube(double s, double t) {
    sn_vec3 p = toy_tube(s, t);
    return sn_vec3_make(0.6 * p.x, p.y, 0.6 * p.z);
}

static sn_vec3 half_tube(double s, double t) { // below the upper half only
    return thin_tube(s, 0.5 + 0.5 * t);
}

static sni_muscle_inner inner_of(const toy *bone) {
    return (sni_muscle_inner){.name = "the bone",
                              .positions = bone->mesh->positions,
                              .vertices = bone->triangles->vertices,
                              .accel = bone->accel};
}

// A bone of radius 0.6 in a tube of radius 1: the muscle lies on it, and fills the room up to the
// thickness of the skin where it is made thick enough.
static void muscles_lie_on_bones(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_tube, 96, 40, true);
    toy bone = make_toy(context, thin_tube, 96, 40, true);
    sni_muscle_inner inner = inner_of(&bone);
    static const double thicknesses[2] = {0.1, 5};
    for (int round = 0; round < 2; ++round) {
        toy_curves c;
        toy_draw_lines(&skin, toy_tube, &c, 4, 0.05, 0.2, 0.2, 0.8);
        c.parameters[SNI_PATCH_SKIN_THICKNESS] = 0.05;
        c.parameters[SNI_PATCH_MUSCLE_THICKNESS] = thicknesses[round];
        sni_muscle_job job = toy_job(&skin, &c);
        job.inputs[SNI_PATCH_INNER] = &inner;
        sni_patch_grid grid;
        snt_ok(sni_patch_generate(&job, &grid, error));
        assert_int_equal(grid.without_inner + grid.without_hit + grid.too_deep, 0);
        for (uint32_t k = 0; k < 48; ++k) {
            snt_near(hypot(grid.points[k].x, grid.points[k].z), 0.6, 2e-3);
            double profile = sni_patch_profile(grid.places_u[k / 8], grid.places_v[k % 8], false);
            snt_near(grid.thickness[k], profile * (round == 0 ? 0.1 : 0.35), 2e-3);
        }
        sni_patch_grid_deinit(context, &grid);
    }
    free_toy(&bone);
    free_toy(&skin);
    snt_context_end(context);
}

static void limbs_have_bones_of_a_share(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_tube, 96, 40, true);
    // The tube's axis in two pieces, and one that is further away from everywhere.
    const sn_vec3 lines[] = {{0, -1, 0}, {0, 0.1, 0}, {0, 0.1, 0},
                             {0, 1, 0},  {0, -9, 0},  {0, -5, 0}};
    sni_muscle_inner inner = {.name = "the skeleton", .line_count = 3, .lines = lines};
    toy_curves c;
    toy_draw_lines(&skin, toy_tube, &c, 4, 0.05, 0.2, 0.2, 0.8);
    c.parameters[SNI_PATCH_BONE_SHARE] = 0.3;
    sni_muscle_job job = toy_job(&skin, &c);
    job.inputs[SNI_PATCH_INNER] = &inner;
    sni_patch_grid grid;
    snt_ok(sni_patch_generate(&job, &grid, error));
    assert_int_equal(grid.without_inner, 0);
    for (uint32_t k = 0; k < 48; ++k) {
        snt_near(hypot(grid.points[k].x, grid.points[k].z), 0.3, 2e-3);
    }
    sni_patch_grid_deinit(context, &grid);
    free_toy(&skin);
    snt_context_end(context);
}

static void points_beside_the_bone_are_counted(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_tube, 96, 40, true);
    toy bone = make_toy(context, half_tube, 96, 20, true);
    sni_muscle_inner inner = inner_of(&bone);
    toy_curves c;
    toy_draw_lines(&skin, toy_tube, &c, 4, 0.05, 0.2, 0.2, 0.8);
    sni_muscle_job job = toy_job(&skin, &c);
    job.inputs[SNI_PATCH_INNER] = &inner;
    sni_patch_grid grid;
    snt_ok(sni_patch_generate(&job, &grid, error));
    assert_int_equal(grid.without_inner, 24); // half of it
    for (uint32_t k = 0; k < 48; ++k) {       // they are as deep as their neighbours
        snt_near(hypot(grid.points[k].x, grid.points[k].z), 0.6, 2e-3);
    }
    sni_patch_grid_deinit(context, &grid);
    // Nothing of the bone lies below the other end; nor does a bone that is larger than the body.
    void *bound;
    toy_draw_lines(&skin, toy_tube, &c, 4, 0.05, 0.2, 0.1, 0.4);
    snt_fails(SN_INVALID, "biceps: nothing of the bone lies below it",
              sni_muscle_patch.bind(&job, &bound, error));
    sni_muscle_inner swapped = inner_of(&skin);
    toy_draw_lines(&bone, half_tube, &c, 4, 0.05, 0.2, 0.2, 0.8);
    job = toy_job(&bone, &c);
    job.inputs[SNI_PATCH_INNER] = &swapped;
    snt_fails(SN_INVALID, "biceps: nothing of the bone lies below it",
              sni_muscle_patch.bind(&job, &bound, error));
    const sn_vec3 outside[] = {{5, -1, 0}, {5, 1, 0}};
    sni_muscle_inner bone_line = {.name = "the skeleton", .line_count = 1, .lines = outside};
    job.inputs[SNI_PATCH_INNER] = &bone_line;
    snt_fails(SN_INVALID, "biceps: nothing of the skeleton lies below it",
              sni_muscle_patch.bind(&job, &bound, error));
    free_toy(&bone);
    free_toy(&skin);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_is_as_asked),
        cmocka_unit_test(depths_beyond_the_body_are_noticed),
        cmocka_unit_test(holes_are_counted),
        cmocka_unit_test(muscles_lie_on_bones),
        cmocka_unit_test(limbs_have_bones_of_a_share),
        cmocka_unit_test(points_beside_the_bone_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
