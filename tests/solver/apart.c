// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "solver/apart.h"

#include <math.h>

enum { MOST = 600 };

typedef struct crowd {
    double inverse[MOST], rest[3 * MOST], positions[3 * MOST], before[3 * MOST];
    sni_apart apart;
} crowd;

static crowd make(uint32_t count) {
    crowd c = {.apart = {.particle_count = count, .distance = 0.1}};
    for (uint32_t i = 0; i < count; ++i) {
        c.inverse[i] = 1;
        c.rest[3 * i] = i; // far from each other
    }
    return c;
}

static void solve(sn_context *context, crowd *c) {
    sni_arena arena;
    sni_apart_grid grid;
    sni_arena_init(&arena, context);
    c->apart.inverse_masses = c->inverse;
    c->apart.rest = c->rest;
    assert_true(sni_apart_grid_init(c->apart.particle_count, &arena, &grid));
    sni_apart_solve(&c->apart, &grid, c->positions, c->before);
    sni_arena_deinit(&arena);
}

static sn_vec3 point(const double *points, uint32_t i) {
    return sn_vec3_make(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
}

static void put(double *points, uint32_t i, double x, double y, double z) {
    points[3 * i] = x;
    points[3 * i + 1] = y;
    points[3 * i + 2] = z;
}

static void a_pair_is_pushed_apart_by_its_masses(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    crowd c = make(2);
    c.inverse[1] = 3;
    put(c.positions, 0, 0.02, 0, 0);
    put(c.positions, 1, -0.02, 0, 0);
    put(c.before, 0, 0.5, 0, 0);
    put(c.before, 1, -0.5, 0, 0);
    solve(context, &c);
    snt_near(c.positions[0], 0.02 + 0.06 / 4, 1e-15);
    snt_near(c.positions[3], -0.02 - 0.06 * 3 / 4, 1e-15);
    assert_true(c.before[0] == 0.5 && c.before[3] == -0.5);
    snt_context_end(context);
}

static void what_is_near_at_rest_or_fixed_is_left_alone(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    crowd c = make(3);
    put(c.rest, 1, 0.09, 0, 0);
    put(c.positions, 0, 0, 0, 0);
    put(c.positions, 1, 0.01, 0, 0);
    put(c.positions, 2, 5, 0, 0);
    solve(context, &c);
    assert_true(c.positions[0] == 0 && c.positions[3] == 0.01);
    put(c.rest, 1, 0.11, 0, 0);
    c.inverse[0] = c.inverse[1] = 0;
    solve(context, &c);
    assert_true(c.positions[0] == 0 && c.positions[3] == 0.01);
    c.inverse[1] = 2;
    solve(context, &c);
    assert_true(c.positions[0] == 0);
    snt_near(c.positions[3], 0.1, 1e-15);
    // At one place there is no way to go; far out all numbers stay finite.
    put(c.positions, 1, 0, 0, 0);
    put(c.positions, 2, 1e300, -1e300, 1e18);
    solve(context, &c);
    for (int i = 0; i < 9; ++i) {
        assert_true(isfinite(c.positions[i]));
    }
    snt_context_end(context);
}

// Pairs of all directions, all over the grid, each far from the others.
static void every_near_pair_is_found(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {17};
    crowd c = make(MOST);
    for (uint32_t i = 0; i < MOST; i += 2) {
        sn_vec3 center = {snt_random_range(&random, -0.2, 0.2) + 0.5 * (i % 25) - 6,
                          snt_random_range(&random, -0.1, 0.1) + 0.5 * (i / 25) - 6,
                          snt_random_range(&random, -3, 3)};
        sn_vec3 way = {snt_random_range(&random, -1, 1), snt_random_range(&random, -1, 1),
                       snt_random_range(&random, -1, 1)};
        way = sn_vec3_scale(sn_vec3_normalize_or(way, sn_vec3_make(1, 0, 0)),
                            snt_random_range(&random, 0.001, 0.0499));
        put(c.positions, i, center.x + way.x, center.y + way.y, center.z + way.z);
        put(c.positions, i + 1, center.x - way.x, center.y - way.y, center.z - way.z);
    }
    memcpy(c.before, c.positions, sizeof c.before);
    solve(context, &c);
    for (uint32_t i = 0; i < MOST; i += 2) {
        snt_near(sn_vec3_distance(point(c.positions, i), point(c.positions, i + 1)), 0.1, 1e-12);
    }
    // They were too near before: no speed comes from it.
    for (uint32_t i = 0; i < 3 * MOST; ++i) {
        snt_near(c.positions[i] - c.before[i], 0, 1e-12);
    }
    snt_context_end(context);
}

// Two that press on each other and slide: up to friction times the way apart is taken back.
static void friction_slows_sliding(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int sticks = 0; sticks < 2; ++sticks) {
        crowd c = make(2);
        c.apart.friction = 0.5;
        double slide = sticks ? 1e-4 : 1e-2;
        put(c.before, 0, 0, 0.1, 0);
        put(c.before, 1, 0, 0, 0);
        put(c.positions, 0, slide, 0.099, 0);
        put(c.positions, 1, 0, 0, 0);
        solve(context, &c);
        double left = c.positions[0] - c.positions[3];
        // The line between them is tilted by the slide, so that they press less and part along it.
        double depth = 0.1 - hypot(slide, 0.099), tilt = slide / hypot(slide, 0.099);
        double expected = sticks ? 0 : slide + depth * tilt - 0.5 * depth;
        snt_near(left, expected, 5e-6);
        snt_near(c.positions[0] + c.positions[3], slide, 1e-12); // both alike
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_is_pushed_apart_by_its_masses),
        cmocka_unit_test(what_is_near_at_rest_or_fixed_is_left_alone),
        cmocka_unit_test(every_near_pair_is_found),
        cmocka_unit_test(friction_slows_sliding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
