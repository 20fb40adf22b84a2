// SPDX-License-Identifier: Apache-2.0
//
// Connected muscles, and sphincters that slide.
#include "test.h"

#include "shapes.h"

#include "geometry/sphere.h"

static const sni_muscle_ops *const ops = &sni_muscle_graph;

enum { GROUP = 3 };

// Straight muscles side by side, of which each is pulled by those before and behind it.
typedef struct group {
    sn_context *context;
    graph_test muscles[GROUP];
    sni_graph_pull pulls[GROUP][4];
    sni_neighbours_input neighbours[GROUP];
    uint32_t numbers[GROUP][2];
} group;

// `links` has a bit for every muscle that is pulled.
static void group_init(group *g, sn_context *context, uint32_t links, double anchor,
                       bool simulated) {
    *g = (group){.context = context};
    for (uint32_t i = 0; i < GROUP; ++i) {
        graph_test *t = &g->muscles[i];
        graph_init(t, context, GRAPH_STRAIGHT, 1);
        for (uint32_t k = 0; k < 4; ++k) {
            t->points[k].point.x += 0.1 * i;
        }
        for (size_t v = 0; v < t->mesh->vertex_count; ++v) {
            t->mesh->positions[3 * v] += 0.1F * (float)i;
        }
        t->parameters[SNI_GRAPH_ANCHOR] = anchor;
        t->parameters[SNI_GRAPH_MOTION] = simulated ? 1 : 0;
    }
    for (uint32_t i = 0; i < GROUP; ++i) {
        graph_test *t = &g->muscles[i];
        sni_neighbours_input *input = &g->neighbours[i];
        for (uint32_t k = 0; k < GROUP; ++k) {
            bool pulls = (links >> i & 1) != 0 && (k + 1 == i || i + 1 == k);
            if (pulls) {
                uint32_t slot = input->neighbour_count++;
                g->numbers[i][slot] = k;
                g->pulls[i][input->pull_count++] =
                    (sni_graph_pull){3, slot, 3, g->muscles[k].points[3].point};
            }
        }
        input->pulls = g->pulls[i];
        t->job.inputs[SNI_GRAPH_INPUT_NEIGHBOURS] = input;
        t->numbers = (sni_touches_pose){input->neighbour_count, g->numbers[i]};
        graph_bind(t);
    }
}

static void group_free(group *g) {
    for (uint32_t i = 0; i < GROUP; ++i) {
        graph_free(&g->muscles[i]);
    }
}

static void group_pose(group *g, const sn_mat4 *worlds, const double *contractions, double step) {
    sni_muscle_member members[GROUP];
    sni_arena arena;
    sni_arena_init(&arena, g->context);
    for (uint32_t i = 0; i < GROUP; ++i) {
        graph_test *t = &g->muscles[i];
        t->time_step = step;
        members[i] = (sni_muscle_member){.number = i, .bound = t->bound};
        members[i].job = graph_job(t, &arena, worlds, contractions[i], 0);
    }
    snt_ok(ops->pose_together(GROUP, members, error));
    sni_arena_deinit(&arena);
}

// --- By hand

// Muscles of one volume have the mass 2 (4.12). The first contracts by c; its end pulls that of the
// second, which is held by an anchor of 2: (2 * 2 + 2) d = 2 c, so that d is a third of c.
static void end_goes_along_with_its_neighbour(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    group g;
    group_init(&g, context, 2, 2, false);
    g.muscles[1].numbers.muscle_count = 1; // the first alone
    group_pose(&g, g.muscles[0].rest, (double[]){0.5, 0, 0}, 0);
    // 0.3 m, contracted by half of 60 %.
    snt_near(graph_point(&g.muscles[0], 3).y, 0.7 + 0.09, 1e-9);
    snt_near(graph_point(&g.muscles[1], 3).y, 0.7 + 0.09 / 3, 1e-9);
    snt_near(graph_point(&g.muscles[2], 3).y, 0.7, 1e-9);
    // Its path is shorter, so that it is thicker, and has the volume that it had.
    snt_near(graph_volume(&g.muscles[1], g.muscles[1].surface) /
                 graph_volume(&g.muscles[1], g.muscles[1].graph->mesh->positions),
             1, 1e-4);
    group_free(&g);
    snt_context_end(context);
}

// The second is pulled by both: (4 + 2 + 2) d = 2 c. The third is pulled by the second, whose end
// goes along with its knot: (4 + 2) e = 2 d, and pulls it back in turn.
static void pulls_go_on_from_muscle_to_muscle(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    group g;
    group_init(&g, context, 6, 2, false);
    group_pose(&g, g.muscles[0].rest, (double[]){0.5, 0, 0}, 0);
    // 8 d = 2 c + 2 e and 6 e = 2 d: d = 6 c / 22, e = 2 c / 22.
    snt_near(graph_point(&g.muscles[1], 3).y, 0.7 + 6 * 0.09 / 22, 1e-9);
    snt_near(graph_point(&g.muscles[2], 3).y, 0.7 + 2 * 0.09 / 22, 1e-9);
    group_free(&g);
    snt_context_end(context);
}

static void rest_stays_bit_for_bit(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    group g;
    group_init(&g, context, 7, 0.1, false);
    group_pose(&g, g.muscles[0].rest, (double[]){0, 0, 0}, 0);
    for (uint32_t i = 0; i < GROUP; ++i) {
        const graph_test *t = &g.muscles[i];
        assert_memory_equal(t->surface, t->mesh->positions,
                            3 * (size_t)t->mesh->vertex_count * sizeof(float));
    }
    group_free(&g);
    snt_context_end(context);
}

// No knot moves farther than all that pulls it over what holds it, and small steps of the
// contractions make small steps of the ends.
static void balance_is_bounded_and_smooth(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {31};
    group g;
    group_init(&g, context, 7, 0.1, false);
    double before[GROUP], contractions[GROUP] = {0.5, 0.2, 0.9}, ways[GROUP] = {0};
    for (int step = 0; step < 200; ++step) {
        for (uint32_t i = 0; i < GROUP; ++i) {
            ways[i] = step % 20 == 0 ? snt_random_range(&random, -0.01, 0.01) : ways[i];
            contractions[i] = fmin(fmax(contractions[i] + ways[i], 0), 1);
        }
        group_pose(&g, g.muscles[0].rest, contractions, 0);
        for (uint32_t i = 0; i < GROUP; ++i) {
            double y = graph_point(&g.muscles[i], 3).y;
            assert_true(y > 0.65 && y < 1.05);
            assert_true(step == 0 || fabs(y - before[i]) < 0.01);
            before[i] = y;
        }
    }
    group_free(&g);
    snt_context_end(context);
}

// --- With memory

// It swings, comes to the balance of the pose, and a second of any steps leads to the same place.
static void simulated_ends_come_to_rest_in_balance(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    group still, moving;
    group_init(&still, context, 6, 2, false);
    group_init(&moving, context, 6, 2, true);
    const double contracted[GROUP] = {0.5, 0, 0}, relaxed[GROUP] = {0, 0, 0};
    group_pose(&still, still.muscles[0].rest, contracted, 0);
    double end = graph_point(&still.muscles[1], 3).y, most = 0;
    assert_true(ops->state_bytes(moving.muscles[1].bound) > 0);
    group_pose(&moving, moving.muscles[0].rest, relaxed, 0);
    snt_near(graph_point(&moving.muscles[1], 3).y, 0.7, 1e-12);
    for (int frame = 0; frame < 120; ++frame) {
        group_pose(&moving, moving.muscles[0].rest, contracted, 1.0 / 60);
        most = fmax(most, graph_point(&moving.muscles[1], 3).y);
    }
    assert_true(most > end + 0.001); // it went beyond
    snt_near(graph_point(&moving.muscles[1], 3).y, end, 1e-5);
    group_free(&still);
    group_free(&moving);
    snt_context_end(context);
}

static void simulation_is_bounded_for_any_step(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {2};
    static const double steps[] = {1e-6, 1.0 / 240, 1.0 / 24, 1, 100};
    group g;
    group_init(&g, context, 7, 0.1, true);
    for (int frame = 0; frame < 300; ++frame) {
        double contractions[GROUP];
        for (uint32_t i = 0; i < GROUP; ++i) {
            contractions[i] = snt_random_range(&random, 0, 1);
        }
        group_pose(&g, g.muscles[0].rest, contractions, steps[frame % 5]);
        for (uint32_t i = 0; i < GROUP; ++i) {
            double y = graph_point(&g.muscles[i], 3).y;
            assert_true(y > 0.3 && y < 1.4);
        }
    }
    group_free(&g);
    snt_context_end(context);
}

// --- Sliding

static void destroy_grid(sn_context *context, sni_made *made) {
    sni_shared_grid *shared = (sni_shared_grid *)made;
    sni_distance_grid_destroy(shared->grid);
    sni_free(context, shared);
}

// A ring on a ball, contracted to the ball's top: its points stay on the ball.
static void sphincters_slide_on_what_they_lie_on(void **state) {
    (void)state;
    enum { COUNT = 12 };
    sn_context *context = snt_context(1);
    graph_test t;
    sn_mesh *ball = NULL;
    sni_shared_grid *shared = sni_alloc_zero(context, 1, sizeof *shared);
    sni_distance_grid_desc desc = sni_distance_grid_desc_default();
    sni_digest key = sni_digest_new();
    const double radius = 0.05, distance = 0.056;
    sn_transform size = {{0, 0, 0}, sn_quat_identity(), {radius, radius, radius}};
    sn_mat4 place = sn_mat4_from_transform(&size);
    snt_ok(sni_ellipsoid_mesh(context, "ball", &place, 24, &ball, error));
    sni_made_init(&shared->made, &key, destroy_grid);
    snt_ok(sni_distance_grid_create(ball, &desc, &shared->grid, error));
    const sni_touched_bone bone = {.segment = 0, .to_segment = sn_mat4_identity(), .grid = shared};
    const sni_slides_input slides = {1, &bone};
    graph_init(&t, context, GRAPH_RING, 1);
    for (uint32_t i = 0; i < COUNT; ++i) {
        double angle = 2 * SN_PI * i / COUNT, up = 0.9;
        sn_vec3 way = {cos(angle) * sin(up), cos(up), sin(angle) * sin(up)};
        t.points[i].point = sn_vec3_add_scaled(sn_vec3_make(0, 1, 0), distance, way);
        t.circles[i].radii[0] = t.circles[i].radii[1] = 0.005;
    }
    t.input.center.point = sn_vec3_make(0, 1 + distance, 0);
    t.job.inputs[SNI_GRAPH_INPUT_SLIDES] = &slides;
    graph_bind(&t);
    for (int step = 0; step <= 10; ++step) {
        graph_pose(&t, t.rest, step / 10.0, 0);
        for (uint32_t i = 0; i < COUNT; ++i) {
            double now = sn_vec3_distance(graph_point(&t, i), sn_vec3_make(0, 1, 0));
            snt_near(now, distance, 0.0006);
        }
    }
    sn_vec3 p = graph_point(&t, 0);
    assert_true(hypot(p.x, p.z) < 0.45 * distance * sin(0.9));
    graph_free(&t);
    sni_made_release(context, &shared->made);
    sn_mesh_destroy(ball);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(end_goes_along_with_its_neighbour),
        cmocka_unit_test(pulls_go_on_from_muscle_to_muscle),
        cmocka_unit_test(rest_stays_bit_for_bit),
        cmocka_unit_test(balance_is_bounded_and_smooth),
        cmocka_unit_test(simulated_ends_come_to_rest_in_balance),
        cmocka_unit_test(simulation_is_bounded_for_any_step),
        cmocka_unit_test(sphincters_slide_on_what_they_lie_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
