// SPDX-License-Identifier: Apache-2.0
//
// Muscles of kind `graph` that cannot be made, or just so: errors name the muscle and the point.
#include "test.h"

#include "shapes.h"

static const sni_muscle_ops *const ops = &sni_muscle_graph;

// Binds a muscle that something was done to, and expects an error.
static void refused(graph_test *t, const char *text) {
    snt_fails(SN_INVALID, text, ops->bind(&t->job, &t->bound, error));
    assert_null(t->bound);
    graph_free(t);
}

static void refuses_wrong_parents(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.points[0].parent = 2;
    t.points[0].root = false;
    refused(&t, "biceps: the parents of point 0 lead in a circle");
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.points[2].parent = 2;
    refused(&t, "biceps: point 2 is its own parent");
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.points[2].parent = 7;
    refused(&t, "biceps: point 2 has the parent 7, but there are 4 points");
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.points[0].root = false;
    t.points[2].parent = SN_NONE;
    refused(&t, "biceps: points 0 and 2 both have no parent");
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.points[3].parent = SN_NONE;
    refused(&t, "biceps: point 3 has no parent and is the parent of none");
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.points[1].root = true;
    refused(&t, "biceps: point 1 is a root, but has the parent 0");
    // A circle that leaves points out.
    graph_init(&t, context, GRAPH_RING, 1);
    t.points[0].parent = 5;
    refused(&t, "lead in a circle that is not all of its points");
    snt_context_end(context);
}

static void refuses_wrong_places(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.points[2].point = t.points[1].point;
    refused(&t, "biceps: points 2 and 1, its parent, are at the same place");
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.points[2].point.x = NAN;
    refused(&t, "biceps: point 2 is at (nan, ");
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.points[2].point.x = 0.4;
    refused(&t, "biceps: point 2 at (0.4, 0.8, 0) is 0.37 m outside of its mesh \"cylinder\"");
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.points[1].segment = 9;
    refused(&t, "point 1 has segment 9, but there are 2");
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.points[1].second = 9;
    t.points[1].share = 0.5;
    refused(&t, "point 1 has segment 9, but there are 2");
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    for (int i = 0; i < 4; ++i) {
        t.points[i].segment = SN_NONE;
    }
    refused(&t, "biceps: point 0 and all that it is joined to are in space");
    graph_init(&t, context, GRAPH_RING, 1);
    t.input.center.point.y = INFINITY;
    refused(&t, "biceps: its center is at (0.005, inf, 0.03)");
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.input.point_count = 1;
    refused(&t, "it has 1 points, but needs 2 to 256");
    snt_context_end(context);
}

static void refuses_wrong_surfaces(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.mesh->face_count -= 1; // a hole
    t.mesh->corner_count -= 3;
    refused(&t, "biceps: its mesh \"cylinder\" is not closed: 3 edges have one face");
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    for (size_t v = 0; v < t.mesh->vertex_count; ++v) {
        t.mesh->positions[3 * v] = 0;
    }
    refused(&t, "biceps: its mesh \"cylinder\" has no volume");
    graph_init(&t, context, GRAPH_SPINDLE, 1);
    t.circles[2].radii[1] = 0;
    refused(&t, "circle 2 at point 2");
    graph_init(&t, context, GRAPH_SPINDLE, 1);
    t.input.circle_count = 6;
    refused(&t, "7 points have 6 circles");
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.parameters[SNI_GRAPH_SHORTENING] = 0.7;
    refused(&t, "shortening");
    snt_context_end(context);
}

// A mesh that is inside out is as good as any.
static void takes_a_mesh_that_is_inside_out(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    for (size_t f = 0; f < t.mesh->face_count; ++f) {
        uint32_t corner = t.mesh->corners[3 * f];
        t.mesh->corners[3 * f] = t.mesh->corners[3 * f + 1];
        t.mesh->corners[3 * f + 1] = corner;
    }
    graph_bind(&t);
    graph_pose(&t, t.rest, 0.5, 0);
    sn_vec3 p = sn_vec3_load(t.surface);
    snt_near(hypot(p.x, p.z), graph_radius / sqrt(0.7), 1e-6);
    graph_free(&t);
    snt_context_end(context);
}

static void refuses_wrong_poses(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    sn_mat4 worlds[2];
    graph_init(&t, context, GRAPH_SPINDLE, 1);
    graph_bind(&t);
    snt_fails(SN_INVALID, "biceps: contraction 1.5",
              graph_try_pose(&t, t.rest, 1.5, 0, NULL, error));
    snt_fails(SN_INVALID, "biceps: contraction nan",
              graph_try_pose(&t, t.rest, NAN, 0, NULL, error));
    memcpy(worlds, t.rest, sizeof worlds);
    worlds[1].m[13] = NAN;
    snt_fails(SN_INVALID, "biceps: its points are not finite",
              graph_try_pose(&t, worlds, 0, 0, NULL, error));
    graph_free(&t);
    snt_context_end(context);
}

// Bones that meet, cross over and fly apart: everything stays finite and in bounds.
static void survives_any_pose(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {14};
    for (int shape = 0; shape < GRAPH_SHAPES; ++shape) {
        graph_test t;
        graph_init(&t, context, (graph_shape)shape, 1);
        graph_bind(&t);
        for (int round = 0; round < 60; ++round) {
            sn_mat4 worlds[2];
            sn_vec3 angles = {snt_random_range(&random, -4, 4), snt_random_range(&random, -4, 4),
                              snt_random_range(&random, -4, 4)};
            sn_vec3 move = {snt_random_range(&random, -0.5, 0.5),
                            snt_random_range(&random, -0.5, 0.5),
                            snt_random_range(&random, -0.5, 0.5)};
            graph_bend(&t, angles, move, worlds);
            snt_ok(graph_try_pose(&t, worlds, snt_random_range(&random, 0, 1), 0, NULL, error));
            for (size_t i = 0; i < 3 * (size_t)t.graph->mesh->vertex_count; ++i) {
                assert_true(fabs((double)t.surface[i]) < 4);
            }
        }
        // All knots of the lower segment at one place.
        sn_mat4 flat[2] = {t.rest[0], t.rest[1]};
        for (int k = 0; k < 11; ++k) {
            flat[1].m[k] = 0;
        }
        snt_ok(graph_try_pose(&t, flat, 0.3, 0, NULL, error));
        graph_free(&t);
    }
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    const graph_test *from = user;
    graph_test t = *from;
    sni_arena arena;
    sn_status status = SN_OK;
    t.context = t.job.context = context;
    t.input.points = t.points;
    t.input.circles = t.circles;
    t.job.inputs[0] = &t.input;
    sni_arena_init(&arena, context);
    SN_TRY(ops->bind(&t.job, &t.bound, error));
    t.graph = t.bound;
    sni_muscle_pose_job job = graph_job(&t, &arena, t.rest, 0.5, 0);
    job.relaxed = from->relaxed;
    job.contracted = from->contracted;
    job.surface = from->surface;
    SN_TRY(ops->pose(t.bound, &job, error));
cleanup:
    ops->unbind(context, t.bound);
    sni_arena_deinit(&arena);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    graph_init(&t, context, GRAPH_HEADS, 1);
    graph_bind(&t);
    snt_fail_allocations(attempt, &t);
    graph_free(&t);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_wrong_parents),
        cmocka_unit_test(refuses_wrong_places),
        cmocka_unit_test(refuses_wrong_surfaces),
        cmocka_unit_test(takes_a_mesh_that_is_inside_out),
        cmocka_unit_test(refuses_wrong_poses),
        cmocka_unit_test(survives_any_pose),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
