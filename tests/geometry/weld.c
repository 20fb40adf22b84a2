// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "geometry/weld.h"
#include "shapes.h"

static uint32_t weld(sn_context *context, const float *positions, uint32_t count, double tolerance,
                     uint32_t *map) {
    uint32_t groups = 0;
    snt_ok(sni_weld_points(context, positions, count, tolerance, map, &groups, error));
    return groups;
}

static void joins_equal_points(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const float positions[18] = {1, 2,      3, 0,     0, 0, 1,      2, 3,
                                 1, 2.001f, 3, -0.0f, 0, 0, 1e-40f, 0, 0};
    uint32_t map[6];
    assert_int_equal(weld(context, positions, 6, 0, map), 4);
    assert_memory_equal(map, ((uint32_t[]){0, 1, 0, 3, 1, 5}), sizeof map);
    assert_int_equal(weld(context, positions, 6, 0.01, map), 2);
    assert_memory_equal(map, ((uint32_t[]){0, 1, 0, 0, 1, 1}), sizeof map);
    assert_int_equal(weld(context, positions, 6, 100, map), 1);
    assert_int_equal(weld(context, positions, 0, 1, map), 0);
    snt_context_end(context);
}

// Points on a line 1 apart: a chain is one group just from tolerance 1 on.
static void joins_chains(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    enum { COUNT = 1000 };
    float positions[3 * COUNT] = {0};
    uint32_t map[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        positions[3 * i] = (float)((i * 377) % COUNT);
    }
    assert_int_equal(weld(context, positions, COUNT, 0.999999, map), COUNT);
    assert_int_equal(weld(context, positions, COUNT, 1, map), 1);
    for (int i = 0; i < COUNT; ++i) {
        assert_int_equal(map[i], 0);
    }
    snt_context_end(context);
}

// Groups by spreading the lowest number along all pairs until nothing changes.
static void group_slowly(const float *positions, uint32_t count, double tolerance, uint32_t *map) {
    for (uint32_t i = 0; i < count; ++i) {
        map[i] = i;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < count; ++i) {
            for (uint32_t j = 0; j < count; ++j) {
                if (map[j] < map[i] &&
                    sn_vec3_distance(sn_vec3_load(positions + 3 * i),
                                     sn_vec3_load(positions + 3 * j)) <= tolerance) {
                    map[i] = map[j];
                    changed = true;
                }
            }
        }
    }
}

static void agrees_with_all_pairs(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    enum { COUNT = 300 };
    float positions[3 * COUNT];
    uint32_t map[COUNT], expected[COUNT];
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        snt_random random = {seed};
        for (int i = 0; i < 3 * COUNT; ++i) {
            double value = snt_random_range(&random, -1, 1);
            // Half of the runs have many points at equal distances.
            positions[i] = (float)(seed % 2 == 0 ? round(value * 8) / 8 : value);
        }
        double tolerance = seed % 2 == 0 ? 0.125 : 0.03 * (double)seed;
        weld(context, positions, COUNT, tolerance, map);
        group_slowly(positions, COUNT, tolerance, expected);
        assert_memory_equal(map, expected, sizeof map);
    }
    snt_context_end(context);
}

// A cube of six loose quads becomes closed.
static void stitches_patches(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *cube = snt_cube(context);
    sn_triangles *triangles;
    snt_ok(sn_triangles_create(cube, cube->positions, &triangles, error));
    float positions[72];
    uint32_t vertices[36], map[24], origins[12];
    for (uint32_t c = 0; c < 24; ++c) {
        for (int k = 0; k < 3; ++k) {
            positions[3 * c + k] =
                cube->positions[3 * cube->corners[c] + k] + 1e-4f * (float)(c % 2);
        }
    }
    assert_int_equal(weld(context, positions, 24, 1e-3, map), 8);
    assert_int_equal(sni_weld_triangles(map, triangles->corners, 12, vertices, origins), 12);
    int balance[24][24] = {0};
    for (int c = 0; c < 36; ++c) {
        uint32_t a = vertices[c], b = vertices[c % 3 == 2 ? c - 2 : c + 1];
        balance[a][b] += 1;
        balance[b][a] -= 1;
    }
    for (int i = 0; i < 24 * 24; ++i) {
        assert_int_equal(balance[i / 24][i % 24], 0);
    }
    // With a tolerance of an edge's length nothing is left.
    assert_int_equal(weld(context, positions, 24, 1.1, map), 1);
    assert_int_equal(sni_weld_triangles(map, triangles->corners, 12, vertices, NULL), 0);
    sn_triangles_destroy(triangles);
    sn_mesh_destroy(cube);
    snt_context_end(context);
}

static void welds_crowds(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    enum { COUNT = 100000 };
    float *positions = test_malloc(3 * COUNT * sizeof *positions);
    uint32_t *map = test_malloc(COUNT * sizeof *map);
    snt_random random = {5};
    for (int i = 0; i < 3 * COUNT; ++i) {
        positions[i] = (float)snt_random_range(&random, 0, 1);
    }
    assert_int_equal(weld(context, positions, COUNT, 0.5, map), 1);
    assert_int_equal(weld(context, positions, COUNT, 1e30, map), 1);
    assert_int_equal(weld(context, positions, COUNT, 1e-45, map), COUNT);
    test_free(positions);
    test_free(map);
    snt_context_end(context);
}

static void refuses_bad_input(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const float positions[6] = {0, 0, 0, 0, NAN, 0};
    uint32_t map[2];
    snt_fails(SN_INVALID, "point 1", sni_weld_points(context, positions, 2, 0, map, NULL, error));
    snt_fails(SN_INVALID, "tolerance is -1",
              sni_weld_points(context, positions, 1, -1, map, NULL, error));
    snt_fails(SN_INVALID, "tolerance is inf",
              sni_weld_points(context, positions, 1, INFINITY, map, NULL, error));
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    uint32_t map[4];
    return sni_weld_points(context, user, 4, 0.1, map, NULL, error);
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    float positions[12] = {0};
    snt_fail_allocations(attempt, positions);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_equal_points),
        cmocka_unit_test(joins_chains),
        cmocka_unit_test(agrees_with_all_pairs),
        cmocka_unit_test(stitches_patches),
        cmocka_unit_test(welds_crowds),
        cmocka_unit_test(refuses_bad_input),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
