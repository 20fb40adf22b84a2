// SPDX-License-Identifier: Apache-2.0
//
// Where muscles of kind `graph` pull at bones.
#include "test.h"

#include "../pulling.h"
#include "shapes.h"

// Straight muscles, those with tendons and points in space, with several heads, and sheets do the
// work that the lengths of their lines say, in every pose.
static void paths_do_the_work_of_their_length(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {7};
    for (int shape = GRAPH_STRAIGHT; shape <= GRAPH_SHEET; ++shape) {
        graph_test t;
        graph_init(&t, context, (graph_shape)shape, 1);
        graph_bind(&t);
        pulling p = {context, &sni_muscle_graph, t.bound};
        pulling_check(&p, t.rest, 1e-7);
        for (int i = 0; i < 10; ++i) {
            sn_mat4 worlds[2];
            sn_vec3 angles = {snt_random_range(&random, -0.2, 1.8),
                              snt_random_range(&random, -0.3, 0.3),
                              snt_random_range(&random, -0.3, 0.3)};
            graph_bend(&t, angles, sn_vec3_make(0, 0, 0), worlds);
            pulling_check(&p, worlds, 1e-7);
        }
        graph_free(&t);
    }
    snt_context_end(context);
}

// A head of a muscle is a line of its own; points in space are passed by.
static void every_leaf_has_a_line(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    sni_arena arena;
    sni_arena_init(&arena, context);
    graph_init(&t, context, GRAPH_SPINDLE, 1);
    graph_bind(&t);
    sni_muscle_lines lines =
        pulling_lines(&(pulling){context, &sni_muscle_graph, t.bound}, t.rest, &arena);
    assert_int_equal(lines.count, 1);
    assert_int_equal(lines.lines[0].pull_count, 6);
    assert_int_equal(lines.lines[0].pulls[0].segment, 1);
    graph_free(&t);
    graph_init(&t, context, GRAPH_HEADS, 1);
    graph_bind(&t);
    lines = pulling_lines(&(pulling){context, &sni_muscle_graph, t.bound}, t.rest, &arena);
    assert_int_equal(lines.count, 2);
    graph_free(&t);
    sni_arena_deinit(&arena);
    snt_context_end(context);
}

static void sphincters_pull_at_no_bone(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    sni_arena arena;
    sni_arena_init(&arena, context);
    graph_init(&t, context, GRAPH_RING, 1);
    graph_bind(&t);
    sni_muscle_lines lines =
        pulling_lines(&(pulling){context, &sni_muscle_graph, t.bound}, t.rest, &arena);
    assert_int_equal(lines.count, 0);
    graph_free(&t);
    sni_arena_deinit(&arena);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_do_the_work_of_their_length),
        cmocka_unit_test(every_leaf_has_a_line),
        cmocka_unit_test(sphincters_pull_at_no_bone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
