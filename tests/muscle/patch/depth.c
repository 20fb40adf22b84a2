// SPDX-License-Identifier: Apache-2.0
//
// Every grid point lies at the asked depth, measured without the library's own rays: against the
// shapes themselves where they have an equation, else against every triangle of the skin. And so
// does the surface above the grid, with its thickness.
#include "test.h"

#include "../toy.h"
#include "muscle/patch/patch.h"
#include "sinew/io.h"

// Where a ray leaves x^2 + z^2 = 1 (tube), x^2 + y^2 + z^2 = 1 (ball), y = 0 (plane), from within.
static double plane_above(sn_vec3 p, sn_vec3 n) {
    return -p.y / n.y;
}

static double round_above(double pp, double pn, double nn) {
    return (-pn + sqrt(pn * pn - nn * (pp - 1))) / nn;
}

static double tube_above(sn_vec3 p, sn_vec3 n) {
    return round_above(p.x * p.x + p.z * p.z, p.x * n.x + p.z * n.z, n.x * n.x + n.z * n.z);
}

static double ball_above(sn_vec3 p, sn_vec3 n) {
    return round_above(sn_vec3_dot(p, p), sn_vec3_dot(p, n), 1);
}

typedef struct ground {
    toy_shape *shape;
    double (*above)(sn_vec3 p, sn_vec3 n);
    uint32_t wide, high;
    bool round;
    double s0, s1, a, b;
} ground;

static const ground grounds[] = {
    {toy_plane, plane_above, 20, 20, false, 0.2, 0.7, 0.1, 0.9},
    {toy_tube, tube_above, 400, 40, true, 0.05, 0.3, 0.2, 0.8},
    {toy_ball, ball_above, 400, 200, true, 0.05, 0.3, 0.3, 0.7},
};

static void depth_is_that_below_the_shape_itself(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (size_t g = 0; g < sizeof grounds / sizeof *grounds; ++g) {
        const ground *on = &grounds[g];
        toy skin = make_toy(context, on->shape, on->wide, on->high, on->round);
        for (int degree = 1; degree <= 5; degree += 2) {
            toy_curves c;
            toy_draw_lines(&skin, on->shape, &c, 6, on->s0, on->s1, on->a, on->b);
            c.parameters[SNI_PATCH_DEGREE] = degree;
            sni_muscle_job job = toy_job(&skin, &c);
            sni_patch_grid grid;
            snt_ok(sni_patch_generate(&job, &grid, error));
            assert_int_equal(grid.without_hit, 0);
            for (size_t k = 0; k < sni_patch_count(&grid); ++k) {
                snt_near(on->above(grid.points[k], grid.normals[k]), 0.05, 0.01 * 0.05);
            }
            sni_patch_grid_deinit(context, &grid);
        }
        free_toy(&skin);
    }
    snt_context_end(context);
}

// How far a point lies below the shape.
static double plane_depth(sn_vec3 p) {
    return -p.y;
}

static double tube_depth(sn_vec3 p) {
    return 1 - hypot(p.x, p.z);
}

static double ball_depth(sn_vec3 p) {
    return 1 - sn_vec3_length(p);
}

// The top of the surface lies below the skin by its thickness tau_s, and its edge by tau_s + tau_m:
// everywhere it has the depth tau_s + tau_m (1 - f (1 + b c)), c being a tension.
static void check_surface(const sni_muscle_job *job, double (*depth)(sn_vec3 p), double tension,
                          double tolerance) {
    enum { MOST = 13 * 12 };
    double relaxed[3 * MOST], contracted[3 * MOST];
    void *bound;
    sni_arena arena;
    sni_arena_init(&arena, job->context);
    snt_ok(sni_muscle_patch.bind(job, &bound, error));
    sni_muscle_surface surface;
    sni_muscle_patch.surface(bound, &surface);
    assert_true(surface.point_count <= MOST);
    sni_muscle_pose_job pose = {.context = job->context,
                                .arena = &arena,
                                .tension = tension,
                                .relaxed = relaxed,
                                .contracted = contracted};
    snt_ok(sni_muscle_patch.pose(bound, &pose, error));
    surface.nurbs.points = contracted;
    double skin = job->parameters[SNI_PATCH_SKIN_THICKNESS];
    double muscle = job->parameters[SNI_PATCH_MUSCLE_THICKNESS];
    double bulge = 1 + job->parameters[SNI_PATCH_BULGE] * tension;
    for (int k = 0; k < 41 * 41; ++k) {
        double u = k / 41 / 40.0, v = k % 41 / 40.0;
        double f = sni_patch_profile(u, v, false);
        double expected = skin + muscle * (1 - f * bulge);
        snt_near(depth(sni_nurbs_point(&surface.nurbs, u, v)), expected,
                 tolerance * (skin + muscle));
    }
    sni_muscle_measure measure;
    sni_muscle_patch.measure(bound, NULL, &measure);
    snt_near(measure.thickness, muscle, 0.01 * muscle);
    sni_muscle_patch.unbind(job->context, bound);
    sni_arena_deinit(&arena);
}

// As exactly as splines follow a quarter of a circle: of degree 3 with the standard three patches
// across to a tenth of the depth, which is 0.5 % of the radius here.
static void the_surface_has_the_asked_depth_and_thickness(void **state) {
    (void)state;
    static double (*const depths[])(sn_vec3 p) = {plane_depth, tube_depth, ball_depth};
    sn_context *context = snt_context(1);
    for (size_t g = 0; g < sizeof grounds / sizeof *grounds; ++g) {
        const ground *on = &grounds[g];
        toy skin = make_toy(context, on->shape, on->wide, on->high, on->round);
        for (int degree = 2; degree <= 7; ++degree) {
            toy_curves c;
            toy_draw_lines(&skin, on->shape, &c, 16, on->s0, on->s1, on->a, on->b);
            c.parameters[SNI_PATCH_DEGREE] = degree;
            sni_muscle_job job = toy_job(&skin, &c);
            for (int tension = 0; tension < 2; ++tension) {
                c.parameters[SNI_PATCH_PATCHES_U] = 3;
                check_surface(&job, depths[g], tension, degree == 2 ? 0.17 : 0.11);
                c.parameters[SNI_PATCH_PATCHES_U] = 6;
                check_surface(&job, depths[g], tension, 0.03);
            }
        }
        free_toy(&skin);
    }
    snt_context_end(context);
}

// The first triangle above a point, by trying them all (Moeller and Trumbore, 1997).
static double first_hit(const toy *skin, sn_vec3 p, sn_vec3 n) {
    double nearest = INFINITY;
    for (uint32_t t = 0; t < skin->triangles->count; ++t) {
        const uint32_t *v = skin->triangles->vertices + 3 * (size_t)t;
        sn_vec3 a = sn_vec3_load(skin->mesh->positions + 3 * (size_t)v[0]);
        sn_vec3 e1 = sn_vec3_sub(sn_vec3_load(skin->mesh->positions + 3 * (size_t)v[1]), a);
        sn_vec3 e2 = sn_vec3_sub(sn_vec3_load(skin->mesh->positions + 3 * (size_t)v[2]), a);
        sn_vec3 h = sn_vec3_cross(n, e2), s = sn_vec3_sub(p, a), q = sn_vec3_cross(s, e1);
        double determinant = sn_vec3_dot(e1, h);
        if (determinant == 0) {
            continue;
        }
        double u = sn_vec3_dot(s, h) / determinant, w = sn_vec3_dot(n, q) / determinant;
        double distance = sn_vec3_dot(e2, q) / determinant;
        if (u >= -1e-9 && w >= -1e-9 && u + w <= 1 + 1e-9 && distance > 0) {
            nearest = fmin(nearest, distance);
        }
    }
    return nearest;
}

// Checks all points with skin above them; returns how many there are.
static uint32_t check_depth(const toy *skin, const sni_muscle_job *job) {
    double depth =
        job->parameters[SNI_PATCH_SKIN_THICKNESS] + job->parameters[SNI_PATCH_MUSCLE_THICKNESS];
    sni_patch_grid grid;
    snt_ok(sni_patch_generate(job, &grid, error));
    uint32_t right = 0;
    for (size_t k = 0; k < sni_patch_count(&grid); ++k) {
        double hit = first_hit(skin, grid.points[k], grid.normals[k]);
        right += fabs(hit - depth) <= 0.01 * depth;
    }
    assert_true(right >= sni_patch_count(&grid) - grid.without_hit);
    sni_patch_grid_deinit(skin->context, &grid);
    return right;
}

static void depth_is_as_asked_below_bumps(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {31};
    for (int round = 0; round < 20; ++round) {
        toy_draw_bumps(&random, 0.06);
        toy skin = make_toy(context, toy_bumpy, 40, 40, false);
        toy_curves c;
        toy_draw_lines(&skin, toy_bumpy, &c, 8, snt_random_range(&random, 0.1, 0.4),
                       snt_random_range(&random, 0.5, 0.9), 0.1, 0.9);
        c.parameters[SNI_PATCH_NORMALS] = round % 2;
        c.parameters[SNI_PATCH_PATCHES_V] = 12;
        sni_muscle_job job = toy_job(&skin, &c);
        assert_int_equal(check_depth(&skin, &job), 6 * 15);
        free_toy(&skin);
    }
    snt_context_end(context);
}

// From the corner of the mouth up over the cheek (the zygomatic muscle), on both sides.
static void depth_is_as_asked_below_a_cheek(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import;
    toy skin = {.context = context};
    snt_ok(sn_import_file(context, snt_data("face/generic_neutral.obj"), &import, error));
    snt_ok(sn_mesh_copy(import->meshes[0], &skin.mesh, error));
    for (size_t i = 0; i < 3 * (size_t)skin.mesh->vertex_count; ++i) {
        skin.mesh->positions[i] *= 0.01f; // centimetres
    }
    toy_finish(&skin);
    sn_vec3 lip = sn_vec3_load(skin.mesh->positions); // middle of the upper lip's outer border
    for (int side = -1; side <= 1; side += 2) {
        toy_curves c;
        sni_parameters_defaults(&sni_muscle_patch.parameters, c.parameters);
        for (int which = 0; which < 2; ++which) {
            sn_vec3 points[8];
            for (int k = 0; k < 8; ++k) {
                double across = 0.028 + 0.003 * k + (which == 0 ? 0 : 0.01);
                points[k] = sn_vec3_add(lip, sn_vec3_make(side * across, 0.005 * k - 0.005, -0.01));
            }
            // A muscle's curves run so that the first lies to the left of the second.
            toy_draw(&skin, &c, side > 0 ? which : 1 - which, 8, points);
        }
        c.parameters[SNI_PATCH_SKIN_THICKNESS] = 0.001;
        c.parameters[SNI_PATCH_MUSCLE_THICKNESS] = 0.002;
        sni_muscle_job job = toy_job(&skin, &c);
        assert_int_equal(check_depth(&skin, &job), 6 * 8);
    }
    sn_import_destroy(import);
    free_toy(&skin);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_is_that_below_the_shape_itself),
        cmocka_unit_test(the_surface_has_the_asked_depth_and_thickness),
        cmocka_unit_test(depth_is_as_asked_below_bumps),
        cmocka_unit_test(depth_is_as_asked_below_a_cheek),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
