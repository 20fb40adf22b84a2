// SPDX-License-Identifier: Apache-2.0
//
// Muscles of kind `graph`: at rest, contracted, moved by bones.
#include "test.h"

#include "shapes.h"

static const sni_muscle_ops *const ops = &sni_muscle_graph;

static sn_vec3 vertex(const graph_test *t, size_t index) {
    return sn_vec3_load(t->surface + 3 * index);
}

// --- At rest

static void rest_is_the_given_surface_bit_for_bit(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    for (int shape = 0; shape < GRAPH_SHAPES; ++shape) {
        graph_test t;
        sn_mesh *mesh = NULL;
        graph_init(&t, context, (graph_shape)shape, 1);
        graph_bind(&t);
        graph_pose(&t, t.rest, 0, 0);
        snt_ok(ops->emit_surface(t.bound, context, 4, &mesh, error));
        assert_string_equal(mesh->name, "biceps");
        size_t count = 3 * (size_t)mesh->vertex_count;
        for (size_t i = 0; i < count; ++i) {
            assert_true(t.surface[i] == mesh->positions[i]);
        }
        if (t.mesh != NULL) {
            assert_memory_equal(mesh->positions, t.mesh->positions, count * sizeof(float));
        }
        ops->emit_points(t.bound, 4, t.contracted, t.surface);
        for (size_t i = 0; i < count; ++i) {
            assert_true(t.surface[i] == mesh->positions[i]);
        }
        assert_memory_equal(t.relaxed, t.contracted,
                            3 * (size_t)t.graph->point_count * sizeof(double));
        sni_muscle_measure rest, now;
        ops->measure(t.bound, NULL, &rest);
        ops->measure(t.bound, t.contracted, &now);
        snt_near(rest.volume / graph_volume(&t, mesh->positions), 1, 1e-5);
        snt_near(now.volume / rest.volume, 1, 1e-12);
        snt_near(now.length, rest.length, 1e-12);
        sn_mesh_destroy(mesh);
        graph_free(&t);
    }
    snt_context_end(context);
}

// --- A straight cylinder, by hand

// Contracted by q, a cylinder of the length l and the radius r is (1 - q) l long and
// r / sqrt(1 - q) wide; every section goes to (1 - q) of its distance from the root.
static void straight_cylinder_contracts_evenly(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const double parts[] = {0.1, 0.3, 0.6};
    graph_test t;
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    graph_bind(&t);
    for (int k = 0; k < 3; ++k) {
        double q = parts[k];
        sni_muscle_measure now;
        graph_pose(&t, t.rest, q / 0.6, 0);
        for (size_t r = 0; r < GRAPH_ROWS; ++r) {
            sn_vec3 p = vertex(&t, r * GRAPH_SIDES + 3);
            snt_near(1 - p.y, (1 - q) * graph_length * (double)r / (GRAPH_ROWS - 1), 1e-7);
            snt_near(hypot(p.x, p.z), graph_radius / sqrt(1 - q), 1e-7);
        }
        for (uint32_t i = 0; i < 4; ++i) {
            snt_near(1 - graph_point(&t, i).y, (1 - q) * graph_length * i / 3, 1e-12);
        }
        ops->measure(t.bound, t.contracted, &now);
        snt_near(now.length, (1 - q) * graph_length, 1e-12);
        snt_near(now.volume / now.rest_volume, 1, 1e-6);
        snt_near(graph_volume(&t, t.surface) / now.rest_volume, 1, 1e-5);
    }
    graph_free(&t);
    snt_context_end(context);
}

// The same where the last bone moves: by 30 % away, and by 40 % back.
static void straight_cylinder_follows_its_bones(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const double ratios[] = {1.3, 1.1, 0.6};
    graph_test t;
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.points[3].segment = 1;
    for (int i = 1; i < 3; ++i) {
        t.points[i].segment = SN_NONE;
    }
    graph_bind(&t);
    for (int k = 0; k < 3; ++k) {
        sn_mat4 worlds[2];
        sn_vec3 none = {0, 0, 0};
        graph_bend(&t, none, sn_vec3_make(0, -(ratios[k] - 1) * graph_length, 0), worlds);
        graph_pose(&t, worlds, 0, 0);
        for (size_t r = 0; r < GRAPH_ROWS; ++r) {
            sn_vec3 p = vertex(&t, r * GRAPH_SIDES + 3);
            snt_near(1 - p.y, ratios[k] * graph_length * (double)r / (GRAPH_ROWS - 1), 2e-7);
            snt_near(hypot(p.x, p.z), graph_radius / sqrt(ratios[k]), 2e-7);
        }
    }
    graph_free(&t);
    snt_context_end(context);
}

// With all knots but the last on one bone: control points leave their knots to be spread evenly.
static void control_points_spread_over_the_flesh(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.points[3].segment = 1;
    graph_bind(&t);
    sn_mat4 worlds[2];
    sn_vec3 none = {0, 0, 0};
    graph_bend(&t, none, sn_vec3_make(0, -0.06, 0), worlds);
    graph_pose(&t, worlds, 0, 0);
    for (uint32_t i = 0; i < 4; ++i) {
        snt_near(1 - graph_point(&t, i).y, 0.36 * i / 3, 1e-9);
    }
    graph_free(&t);
    snt_context_end(context);
}

// An end that two bones share goes with the second by its share, and what hangs on it in space
// with it.
static void two_bones_share_an_end(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.points[3].second = 1;
    t.points[3].share = 0.25;
    t.points[1].segment = t.points[2].segment = SN_NONE;
    graph_bind(&t);
    sn_mat4 worlds[2];
    sn_vec3 none = {0, 0, 0};
    graph_bend(&t, none, sn_vec3_make(0, -0.06, 0), worlds);
    graph_pose(&t, worlds, 0, 0);
    for (uint32_t i = 0; i < 4; ++i) {
        snt_near(1 - graph_point(&t, i).y, 0.315 * i / 3, 1e-9);
    }
    graph_free(&t);
    snt_context_end(context);
}

// --- Tendons

static void tendons_keep_their_length(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    graph_init(&t, context, GRAPH_SPINDLE, 1);
    for (uint32_t i = 0; i < 7; ++i) {
        t.points[i].point.x = 0; // straight, so that lengths are distances
    }
    graph_bind(&t);
    for (int step = 0; step <= 20; ++step) {
        sn_mat4 worlds[2];
        sn_vec3 none = {0, 0, 0};
        double moved = 0.004 * (step - 10), contraction = step / 20.0;
        graph_bend(&t, none, sn_vec3_make(0, -moved, 0), worlds);
        graph_pose(&t, worlds, contraction, 0);
        snt_near(sn_vec3_distance(graph_point(&t, 0), graph_point(&t, 1)), 0.05, 1e-5);
        snt_near(sn_vec3_distance(graph_point(&t, 5), graph_point(&t, 6)), 0.05, 1e-5);
        // 0.24 m of flesh between them, less what contraction takes.
        double flesh = (0.24 + moved) * (1 - 0.6 * contraction);
        snt_near(sn_vec3_distance(graph_point(&t, 1), graph_point(&t, 5)), flesh, 2e-5);
    }
    graph_free(&t);
    snt_context_end(context);
}

// --- Motion

static sn_mat4 random_rigid(snt_random *random) {
    sn_quat q = {snt_random_range(random, -1, 1), snt_random_range(random, -1, 1),
                 snt_random_range(random, -1, 1), snt_random_range(random, -1, 1)};
    sn_vec3 move = {snt_random_range(random, -2, 2), snt_random_range(random, -2, 2),
                    snt_random_range(random, -2, 2)};
    return graph_matrix(sn_quat_normalize(q), move);
}

static void random_bend(const graph_test *t, snt_random *random, sn_mat4 *worlds) {
    sn_vec3 angles = {snt_random_range(random, -1.5, 0.4), snt_random_range(random, -0.8, 0.8),
                      snt_random_range(random, -0.5, 0.5)};
    graph_bend(t, angles, sn_vec3_make(0, 0, 0), worlds);
}

// The body as a whole is moved and turned in any way: nothing else happens.
static void moves_rigidly_with_the_body(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {20};
    for (int round = 0; round < 40; ++round) {
        graph_test t;
        sn_mat4 place = random_rigid(&random), worlds[2];
        double contraction = snt_random_range(&random, 0, 1);
        graph_init(&t, context, (graph_shape)(round % GRAPH_SHAPES), 1);
        graph_bind(&t);
        size_t count = t.graph->mesh->vertex_count;
        float *before = calloc(3 * count, sizeof *before);
        random_bend(&t, &random, worlds);
        snt_ok(graph_try_pose(&t, worlds, contraction, 0.5, NULL, error));
        memcpy(before, t.surface, 3 * count * sizeof *before);
        for (int k = 0; k < 2; ++k) {
            worlds[k] = sn_mat4_multiply(&place, &worlds[k]);
        }
        snt_ok(graph_try_pose(&t, worlds, contraction, 0.5, NULL, error));
        for (size_t v = 0; v < count; ++v) {
            sn_vec3 expected = sn_mat4_point(&place, sn_vec3_load(before + 3 * v));
            snt_near(sn_vec3_distance(expected, vertex(&t, v)), 0, 2e-6);
        }
        free(before);
        graph_free(&t);
    }
    snt_context_end(context);
}

static void mirror_image_moves_as_one(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {8};
    // A mesh that is made has its vertices in another order on the other side.
    for (int round = 0; round < 20; ++round) {
        graph_test sides[2];
        double contraction = snt_random_range(&random, 0, 1);
        sn_vec3 angles = {snt_random_range(&random, -1, 0.4), snt_random_range(&random, -0.5, 0.5),
                          snt_random_range(&random, -0.5, 0.5)};
        for (int k = 0; k < 2; ++k) {
            graph_test *t = &sides[k];
            sn_mat4 worlds[2];
            sn_vec3 none = {0, 0, 0},
                    turn = {angles.x, k == 0 ? angles.y : -angles.y, k == 0 ? angles.z : -angles.z};
            graph_init(t, context, (graph_shape)(round % GRAPH_SHAPES), k == 0 ? 1 : -1);
            graph_bind(t);
            graph_bend(t, turn, none, worlds);
            snt_ok(graph_try_pose(t, worlds, contraction, 0.3, NULL, error));
        }
        for (uint32_t i = 0; i < sides[0].input.point_count; ++i) {
            sn_vec3 a = graph_point(&sides[0], i), b = graph_point(&sides[1], i);
            snt_near(a.x, -b.x, 1e-9);
            snt_near(a.y, b.y, 1e-9);
            snt_near(a.z, b.z, 1e-9);
        }
        sni_muscle_measure measures[2];
        for (int k = 0; k < 2; ++k) {
            ops->measure(sides[k].bound, sides[k].contracted, &measures[k]);
        }
        snt_near(measures[0].length, measures[1].length, 1e-9);
        snt_near(measures[0].volume / measures[1].volume, 1, 1e-3);
        graph_free(&sides[0]);
        graph_free(&sides[1]);
    }
    snt_context_end(context);
}

// Bones that turn by any angle and contraction in small steps: no vertex moves by more than some
// times what the steps move.
static void never_jumps(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {3};
    for (int shape = 0; shape < GRAPH_SHAPES; ++shape) {
        graph_test t;
        graph_init(&t, context, (graph_shape)shape, 1);
        t.points[t.input.point_count - 1].segment = 1;
        graph_bind(&t);
        size_t count = 3 * (size_t)t.graph->mesh->vertex_count;
        float *before = calloc(count, sizeof *before);
        sn_vec3 angles = {0, 0, 0}, ways = {0, 0, 0};
        double contraction = 0, way = 0, most = 0;
        for (int step = 0; step < 500; ++step) {
            sn_mat4 worlds[2];
            if (step % 50 == 0) {
                ways =
                    sn_vec3_make(snt_random_range(&random, -1, 1), snt_random_range(&random, -1, 1),
                                 snt_random_range(&random, -1, 1));
                way = snt_random_range(&random, -1, 1);
            }
            angles = sn_vec3_add_scaled(angles, 0.02, ways);
            angles.x = fmin(fmax(angles.x, -2.3), 1);
            angles.y = fmin(fmax(angles.y, -2), 2);
            angles.z = fmin(fmax(angles.z, -1), 1);
            contraction = fmin(fmax(contraction + 0.02 * way, 0), 1);
            graph_bend(&t, angles, sn_vec3_make(0, 0, 0), worlds);
            snt_ok(graph_try_pose(&t, worlds, contraction, 0, NULL, error));
            for (size_t i = 0; i < count && step > 0; ++i) {
                most = fmax(most, fabs((double)t.surface[i] - (double)before[i]));
            }
            memcpy(before, t.surface, count * sizeof *before);
        }
        // 0.02 of an angle and of a contraction, of muscles of some 0.3 m.
        assert_true(most < 0.008);
        free(before);
        graph_free(&t);
    }
    snt_context_end(context);
}

// --- Volume

static void keeps_its_volume(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {4};
    for (int shape = 0; shape < GRAPH_SHAPES; ++shape) {
        graph_test t;
        graph_init(&t, context, (graph_shape)shape, 1);
        graph_bind(&t);
        double rest = graph_volume(&t, t.graph->mesh->positions), longest = 0, shortest = 1;
        for (int round = 0; round < 60; ++round) {
            sn_mat4 worlds[2];
            sni_muscle_measure now;
            random_bend(&t, &random, worlds);
            graph_pose(&t, worlds, snt_random_range(&random, 0, 1), 0);
            ops->measure(t.bound, t.contracted, &now);
            snt_near(graph_volume(&t, t.surface) / rest, 1, 1e-4);
            snt_near(now.volume / now.rest_volume, 1, 1e-6);
            shortest = fmin(shortest, now.length / now.rest_length);
            longest = fmax(longest, now.length / now.rest_length);
        }
        assert_true(shortest < 0.75); // tendons are as long as ever
        assert_true(longest > 0.9);
        graph_free(&t);
    }
    snt_context_end(context);
}

// Keys alone, as the thesis has them, stay within the tolerance while the muscle contracts by
// itself.
static void keys_keep_the_volume_along_the_contraction(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int shape = 0; shape < GRAPH_SHAPES; ++shape) {
        graph_test t;
        graph_init(&t, context, (graph_shape)shape, 1);
        graph_bind(&t);
        assert_true(t.graph->expands && t.graph->key_count >= 3);
        assert_true(t.graph->most_steps <= 8);
        for (int step = 0; step <= 24; ++step) {
            graph_pose(&t, t.rest, step / 24.0, 0);
            double ratio = 1 - 0.6 * step / 24.0;
            double exact = t.contracted[3 * (size_t)t.graph->point_count - 2];
            // 1 % of the volume is about half of that of the factor.
            snt_near(sni_graph_key_factor(t.graph, ratio) / exact, 1, 0.012);
        }
        graph_free(&t);
    }
    snt_context_end(context);
}

// Tension makes the middle of the belly wider, the ends thinner, and leaves length and volume.
static void tension_gathers_the_flesh(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    sni_muscle_measure now;
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    t.parameters[SNI_GRAPH_BULGE] = 1;
    graph_bind(&t);
    graph_pose(&t, t.rest, 0, 1);
    ops->measure(t.bound, t.contracted, &now);
    snt_near(now.length, graph_length, 1e-12);
    snt_near(graph_volume(&t, t.surface) / now.rest_volume, 1, 1e-4);
    sn_vec3 middle = vertex(&t, GRAPH_ROWS / 2 * GRAPH_SIDES), end = vertex(&t, 0);
    assert_true(hypot(middle.x, middle.z) > 1.1 * graph_radius);
    assert_true(hypot(end.x, end.z) < 0.9 * graph_radius);
    graph_free(&t);
    snt_context_end(context);
}

// --- The same everywhere

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    static const uint32_t counts[] = {1, 2, 3, 8};
    float *first = NULL;
    size_t count = 0;
    for (int k = 0; k < 4; ++k) {
        sn_context *context = snt_context(counts[k]);
        graph_test t;
        sn_mat4 worlds[2];
        graph_init(&t, context, GRAPH_HEADS, 1);
        t.parameters[SNI_GRAPH_SUBDIVISIONS] = 3;
        graph_bind(&t);
        graph_bend(&t, sn_vec3_make(-0.6, 0.2, 0.1), sn_vec3_make(0, 0, 0), worlds);
        graph_pose(&t, worlds, 0.4, 0.2);
        count = 3 * (size_t)t.graph->mesh->vertex_count;
        first = first != NULL ? first : calloc(count, sizeof *first);
        if (k == 0) {
            memcpy(first, t.surface, count * sizeof *first);
        }
        assert_memory_equal(first, t.surface, count * sizeof *first);
        graph_free(&t);
        snt_context_end(context);
    }
    free(first);
}

static void kernel_agrees_with_the_plain_form(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {6};
    for (int round = 0; round < 20; ++round) {
        graph_test t;
        sn_mat4 worlds[2];
        graph_init(&t, context, (graph_shape)(round % GRAPH_SHAPES), 1);
        graph_bind(&t);
        random_bend(&t, &random, worlds);
        snt_ok(graph_try_pose(&t, worlds, snt_random_range(&random, 0, 1), 0.4, NULL, error));
        size_t count = 3 * (size_t)t.graph->mesh->vertex_count;
        float *plain = calloc(count, sizeof *plain);
        ops->emit_points(t.bound, 1, t.contracted, plain);
        for (size_t i = 0; i < count; ++i) {
            snt_near((double)plain[i], (double)t.surface[i], 1e-6);
        }
        free(plain);
        graph_free(&t);
    }
    snt_context_end(context);
}

// The length of the path as bones have it, whatever the contraction.
static void tells_the_length_of_its_path(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    sn_mat4 worlds[2];
    sni_arena arena;
    sni_muscle_measure now;
    double length;
    graph_init(&t, context, GRAPH_SPINDLE, 1);
    graph_bind(&t);
    sni_arena_init(&arena, context);
    graph_bend(&t, sn_vec3_make(-0.8, 0, 0), sn_vec3_make(0, 0, 0), worlds);
    graph_pose(&t, worlds, 0, 0);
    ops->measure(t.bound, t.contracted, &now);
    sni_muscle_pose_job job = graph_job(&t, &arena, worlds, 0, 0);
    snt_ok(ops->length(t.bound, &job, &length, error));
    snt_near(length, now.length, 1e-12);
    assert_true(length < now.rest_length);
    sni_muscle_axes axes;
    const sn_vec3 *path = ops->axis(t.bound, t.contracted, 0, &axes);
    assert_int_equal(axes.fibre_count, 1);
    snt_near(sn_vec3_distance(path[0], t.points[0].point), 0, 1e-9);
    sni_arena_deinit(&arena);
    graph_free(&t);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_is_the_given_surface_bit_for_bit),
        cmocka_unit_test(straight_cylinder_contracts_evenly),
        cmocka_unit_test(straight_cylinder_follows_its_bones),
        cmocka_unit_test(control_points_spread_over_the_flesh),
        cmocka_unit_test(two_bones_share_an_end),
        cmocka_unit_test(tendons_keep_their_length),
        cmocka_unit_test(moves_rigidly_with_the_body),
        cmocka_unit_test(mirror_image_moves_as_one),
        cmocka_unit_test(never_jumps),
        cmocka_unit_test(keeps_its_volume),
        cmocka_unit_test(keys_keep_the_volume_along_the_contraction),
        cmocka_unit_test(tension_gathers_the_flesh),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(kernel_agrees_with_the_plain_form),
        cmocka_unit_test(tells_the_length_of_its_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
