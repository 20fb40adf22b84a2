// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "solver/color.h"

static sni_constraint pair(uint32_t a, uint32_t b) {
    return (sni_constraint){.count = 2, .particles = {a, b}, .factors = {1, -1}};
}

// Constraints of one colour share no particle; all are there, those of a colour in their order.
static void check(sn_context *context, uint32_t particle_count, const sni_constraint *constraints,
                  uint32_t count, sni_colors *colors) {
    sni_constraint *sorted = sni_alloc(context, count, sizeof *sorted);
    uint32_t *last = sni_alloc(context, particle_count, sizeof *last);
    snt_ok(
        sni_color_constraints(context, particle_count, constraints, count, sorted, colors, error));
    assert_int_equal(colors->starts[0], 0);
    assert_int_equal(colors->starts[SNI_COLOR_MOST + 1], count);
    memset(last, 0xff, particle_count * sizeof *last);
    double rest_sum = 0, expected = 0;
    for (uint32_t color = 0; color <= SNI_COLOR_MOST; ++color) {
        double before = -1;
        for (uint32_t i = colors->starts[color]; i < colors->starts[color + 1]; ++i) {
            assert_true(sorted[i].rest > before);
            before = sorted[i].rest;
            rest_sum += sorted[i].rest;
            for (uint32_t k = 0; k < sorted[i].count && color < SNI_COLOR_MOST; ++k) {
                assert_int_not_equal(last[sorted[i].particles[k]], color);
                last[sorted[i].particles[k]] = color;
            }
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        expected += constraints[i].rest;
    }
    assert_true(rest_sum == expected);
    sni_free(context, sorted);
    sni_free(context, last);
}

static void a_chain_has_two_colors(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_constraint chain[9];
    sni_colors colors;
    for (uint32_t i = 0; i < 9; ++i) {
        chain[i] = pair(i, i + 1);
        chain[i].rest = i;
    }
    check(context, 10, chain, 9, &colors);
    assert_int_equal(colors.starts[1], 5);
    assert_int_equal(colors.starts[2], 9);
    check(context, 10, chain, 0, &colors);
    snt_context_end(context);
}

static void any_graph_is_colored(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {7};
    enum { COUNT = 3000, PARTICLES = 400 };
    sni_constraint *constraints = sni_alloc(context, COUNT, sizeof *constraints);
    for (uint32_t i = 0; i < COUNT; ++i) {
        uint32_t a = snt_random_u32(&random) % PARTICLES;
        constraints[i] = (sni_constraint){
            .count = 2 + i % 3,
            .particles = {a, (a + 1) % PARTICLES, (a + 7) % PARTICLES, (a + 31) % PARTICLES},
            .rest = i};
    }
    sni_colors colors;
    check(context, PARTICLES, constraints, COUNT, &colors);
    assert_true(colors.starts[40] == COUNT); // far fewer than there are
    sni_free(context, constraints);
    snt_context_end(context);
}

// A hub with more spokes than there are colours: the others are solved one after the other.
static void what_has_no_color_comes_last(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    enum { SPOKES = SNI_COLOR_MOST + 36 };
    sni_constraint spokes[SPOKES];
    for (uint32_t i = 0; i < SPOKES; ++i) {
        spokes[i] = pair(0, i + 1);
        spokes[i].rest = i;
    }
    sni_colors colors;
    check(context, SPOKES + 1, spokes, SPOKES, &colors);
    assert_int_equal(colors.starts[SNI_COLOR_MOST], SNI_COLOR_MOST);
    snt_context_end(context);
}

static void a_shared_particle_is_found(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_constraint pairs[] = {pair(0, 1), pair(2, 3), pair(1, 2)}, sorted[3];
    sni_colors colors;
    snt_ok(sni_color_constraints(context, 4, pairs, 3, sorted, &colors, error));
    assert_true(sni_colors_are_valid(context, 4, sorted, 3, &colors));
    sorted[1].particles[0] = 0;
    assert_false(sni_colors_are_valid(context, 4, sorted, 3, &colors));
    sorted[1].particles[0] = 2;
    colors.starts[1] = 3; // the third is of the first colour now
    assert_false(sni_colors_are_valid(context, 4, sorted, 3, &colors));
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_has_two_colors),
        cmocka_unit_test(any_graph_is_colored),
        cmocka_unit_test(what_has_no_color_comes_last),
        cmocka_unit_test(a_shared_particle_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
