// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

#include "skin/wrap/frames.h"

typedef struct fixture {
    sn_context *context;
    sn_mesh *driver;
    sni_wrap_frames frames;
    float *posed, *matrices;
} fixture;

static fixture make(sn_context *context, sn_mesh *driver, bool extended) {
    fixture f = {.context = context, .driver = driver};
    sni_wrap_surface surface;
    snt_ok(sni_wrap_surface_init(context, driver, &surface, error));
    snt_ok(sni_wrap_frames_init(context, &surface, extended, &f.frames, error));
    sni_wrap_surface_deinit(&surface);
    f.posed = sni_copy(context, driver->positions, 3 * (size_t)driver->vertex_count, sizeof(float));
    f.matrices = sni_alloc(context, f.frames.count, SNI_BLEND_MATRIX * sizeof(float));
    return f;
}

static void run(fixture *f) {
    sni_wrap_frames_run(f->context, &f->frames, f->posed, NULL, 1, f->matrices);
}

static void free_fixture(fixture *f) {
    sni_wrap_frames_deinit(f->context, &f->frames);
    sn_mesh_destroy(f->driver);
    sni_free(f->context, f->posed);
    sni_free(f->context, f->matrices);
}

// Whether the map of an element is a matrix minus the identity.
static void expect_map(const fixture *f, uint32_t element, const sn_mat4 *matrix,
                       double tolerance) {
    float expected[SNI_BLEND_MATRIX];
    sni_blend_matrix_store(matrix, expected);
    for (int i = 0; i < 12; ++i) {
        snt_near(f->matrices[element * SNI_BLEND_MATRIX + i], expected[i], tolerance);
    }
}

// Drivers that have something wrong with them, all in one plane or near it.
enum { ODD_COUNT = 7 };
static sn_mesh *odd_driver(sn_context *context, int which) {
    const float points[] = {0, 0, 0, 1,    0,    0, 0,    1,    0, 1, 1, 0.2f,
                            2, 0, 0, 0.5f, 0.5f, 1, 0.5f, 0.5f, 0, 0, 0, 0};
    switch (which) {
    case 0: return snt_triangles(context, 8, points, 2, (uint32_t[]){0, 1, 2, 0, 1, 2});
    case 1: return snt_triangles(context, 8, points, 2, (uint32_t[]){0, 1, 2, 0, 2, 1});
    case 2: return snt_triangles(context, 8, points, 3, (uint32_t[]){1, 2, 0, 1, 2, 3, 1, 2, 5});
    case 3: return snt_triangles(context, 8, points, 2, (uint32_t[]){0, 1, 2, 0, 1, 4});
    case 4: return snt_triangles(context, 8, points, 2, (uint32_t[]){0, 1, 2, 0, 7, 0});
    case 5: return snt_triangles(context, 8, points, 2, (uint32_t[]){0, 1, 4, 1, 4, 4});
    default: return snt_triangles(context, 8, points, 1, (uint32_t[]){0, 7, 0});
    }
}

static void a_driver_at_rest_gives_zero(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int which = -1; which < ODD_COUNT; ++which) {
        for (int extended = 0; extended < 2; ++extended) {
            sn_mesh *driver = which < 0 ? snt_sheet(context, 7, 1) : odd_driver(context, which);
            fixture f = make(context, driver, extended);
            run(&f);
            for (uint32_t i = 0; i < f.frames.count * SNI_BLEND_MATRIX; ++i) {
                assert_true(f.matrices[i] == 0);
            }
            free_fixture(&f);
        }
    }
    snt_context_end(context);
}

static void rigid_motions_come_out(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mat4 rigid = snt_rigid();
    // Drivers 5 (a line) and 6 (a point) have no frame that could turn about themselves.
    for (int which = -1; which < 5; ++which) {
        for (int extended = 0; extended < 2; ++extended) {
            sn_mesh *driver = which < 0 ? snt_sheet(context, 7, 1) : odd_driver(context, which);
            fixture f = make(context, driver, extended);
            snt_move(&rigid, driver->positions, driver->vertex_count, f.posed);
            run(&f);
            for (uint32_t i = 0; i < f.frames.count; ++i) {
                bool is_loose =
                    extended && f.frames.ring_offsets[i] == f.frames.ring_offsets[i + 1];
                if (!is_loose) {
                    expect_map(&f, i, &rigid, 3e-6);
                }
            }
            free_fixture(&f);
        }
    }
    snt_context_end(context);
}

static void lines_and_points_travel(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mat4 shift = sn_mat4_identity();
    shift.m[12] = 3;
    for (int which = 0; which < ODD_COUNT; ++which) {
        for (int extended = 0; extended < 2; ++extended) {
            fixture f = make(context, odd_driver(context, which), extended);
            snt_move(&shift, f.driver->positions, 8, f.posed);
            run(&f);
            for (uint32_t i = 0; i < f.frames.count; ++i) {
                expect_map(&f, i, &shift, 1e-6);
            }
            free_fixture(&f);
        }
    }
    snt_context_end(context);
}

// Equation 2 by hand: the triangle's sides stretch, its normal does not.
static void sides_stretch_and_normals_do_not(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const float points[] = {1, 1, 1, 2, 1, 1, 1, 2, 1};
    fixture f = make(context, snt_triangles(context, 3, points, 1, (uint32_t[]){0, 1, 2}), false);
    memcpy(f.posed, (float[]){0, 0, 0, 3, 0, 0, 1, 2, 0}, 36);
    run(&f);
    // e1 = (3,0,0), e2 = (1,2,0), e3 = (0,0,1); (1,1,1) goes to 0.
    sn_mat4 expected = {{3, 0, 0, 0, 1, 2, 0, 0, 0, 0, 1, 0, -4, -2, -1, 1}};
    expect_map(&f, 0, &expected, 1e-6);
    // Half of it.
    sni_wrap_frames_run(context, &f.frames, f.posed, NULL, 0.5, f.matrices);
    sn_mat4 half = {{2, 0, 0, 0, 0.5, 1.5, 0, 0, 0, 0, 1, 0, -2, -1, -0.5, 1}};
    expect_map(&f, 0, &half, 1e-6);
    free_fixture(&f);
    snt_context_end(context);
}

static void extended_frames_scale_space(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_transform t = {{1, 2, 3}, sn_quat_from_axis_angle(sn_vec3_make(0, 0.6, 0.8), 1), {3, 3, 3}};
    sn_mat4 similarity = sn_mat4_from_transform(&t);
    fixture f = make(context, snt_sheet(context, 7, 0), true);
    snt_move(&similarity, f.driver->positions, f.driver->vertex_count, f.posed);
    run(&f);
    for (uint32_t i = 0; i < f.frames.count; ++i) {
        expect_map(&f, i, &similarity, 2e-5);
    }
    free_fixture(&f);
    snt_context_end(context);
}

static void frame_points_reproduce_any_affine_map(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const sn_mat4 affine = {{2, 0.5, -1, 0, 0.3, -1, 0.7, 0, 0, 0.4, 3, 0, 1, 2, 3, 1}};
    fixture f = make(context, snt_sheet(context, 5, 0), true);
    uint32_t n = f.driver->vertex_count;
    float *arms = sni_alloc(context, 9 * (size_t)n, sizeof *arms);
    sni_wrap_frame_points(&f.frames, arms);
    sni_wrap_frames_run(context, &f.frames, f.posed, arms, 1, f.matrices);
    for (uint32_t i = 0; i < n * SNI_BLEND_MATRIX; ++i) {
        assert_true(f.matrices[i] == 0);
    }
    snt_move(&affine, arms, 3 * n, arms);
    snt_move(&affine, f.driver->positions, n, f.posed);
    sni_wrap_frames_run(context, &f.frames, f.posed, arms, 1, f.matrices);
    for (uint32_t i = 0; i < n; ++i) {
        expect_map(&f, i, &affine, 1e-5);
    }
    sni_free(context, arms);
    free_fixture(&f);
    snt_context_end(context);
}

// Triangles that lose their area in a pose still give finite maps.
static void collapsed_poses_are_finite(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int extended = 0; extended < 2; ++extended) {
        fixture f = make(context, snt_sheet(context, 4, 0), extended);
        for (int pose = 0; pose < 3; ++pose) {
            for (uint32_t i = 0; i < 3 * f.driver->vertex_count; ++i) {
                // A point, a line, and a sheet with one corner pulled onto another.
                bool keeps = pose == 1 ? i % 3 == 0 : pose == 2;
                f.posed[i] = keeps ? f.driver->positions[i] : 0;
            }
            if (pose == 2) {
                memcpy(f.posed, f.posed + 3, 12);
            }
            run(&f);
            for (uint32_t i = 0; i < f.frames.count * SNI_BLEND_MATRIX; ++i) {
                assert_true(isfinite(f.matrices[i]) && fabsf(f.matrices[i]) < 1e3f);
            }
        }
        free_fixture(&f);
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_at_rest_gives_zero),
        cmocka_unit_test(rigid_motions_come_out),
        cmocka_unit_test(lines_and_points_travel),
        cmocka_unit_test(sides_stretch_and_normals_do_not),
        cmocka_unit_test(extended_frames_scale_space),
        cmocka_unit_test(frame_points_reproduce_any_affine_map),
        cmocka_unit_test(collapsed_poses_are_finite),
    };
    return cmocka_run_group_tests_name("skin/wrap_frames", tests, NULL, NULL);
}
