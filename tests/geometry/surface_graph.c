// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "geometry/surface_graph.h"
#include "sinew/vector.h"

#include <math.h>
#include <stdlib.h>

enum { WIDE = 9, HIGH = 6, COUNT = WIDE * HIGH, TRIANGLES = 2 * (WIDE - 1) * (HIGH - 1) };

static void make_sheet(snt_random *random, float *positions, uint32_t *triangles) {
    for (uint32_t i = 0; i < COUNT; ++i) {
        positions[3 * i] = (float)(i % WIDE + snt_random_range(random, -0.3, 0.3));
        positions[3 * i + 1] = (float)(i / WIDE + snt_random_range(random, -0.3, 0.3));
        positions[3 * i + 2] = 0;
    }
    for (uint32_t q = 0; q < TRIANGLES / 2; ++q) {
        uint32_t a = q / (WIDE - 1) * WIDE + q % (WIDE - 1);
        const uint32_t two[6] = {a, a + 1, a + WIDE + 1, a, a + WIDE + 1, a + WIDE};
        memcpy(triangles + 6 * (size_t)q, two, sizeof two);
    }
}

// All shortest ways by Floyd and Warshall.
static double *all_ways(const sni_surface_graph *graph) {
    double *ways = malloc(COUNT * COUNT * sizeof *ways);
    for (uint32_t i = 0; i < COUNT * COUNT; ++i) {
        ways[i] = i / COUNT == i % COUNT ? 0 : INFINITY;
    }
    for (uint32_t v = 0; v < COUNT; ++v) {
        for (uint32_t k = graph->starts[v]; k < graph->starts[v + 1]; ++k) {
            ways[v * COUNT + graph->neighbours[k]] = (double)graph->lengths[k];
        }
    }
    for (uint32_t k = 0; k < COUNT; ++k) {
        for (uint32_t i = 0; i < COUNT * COUNT; ++i) {
            double by = ways[i / COUNT * COUNT + k] + ways[k * COUNT + i % COUNT];
            ways[i] = by < ways[i] ? by : ways[i];
        }
    }
    return ways;
}

static void nearest_sources_are_found(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        snt_random random = {seed};
        float positions[3 * COUNT], distances[3 * COUNT];
        uint32_t triangles[3 * TRIANGLES], labels[3 * COUNT];
        sni_surface_graph graph;
        make_sheet(&random, positions, triangles);
        snt_ok(
            sni_surface_graph_init(context, COUNT, positions, TRIANGLES, triangles, &graph, error));
        double *ways = all_ways(&graph);
        const uint32_t sources[5] = {3, 17, 30, 41, 52};
        snt_ok(sni_surface_graph_nearest(&graph, 5, sources, 3, labels, distances, error));
        for (uint32_t v = 0; v < COUNT; ++v) {
            double before = 0;
            for (uint32_t k = 0; k < 3; ++k) {
                double way = ways[sources[labels[3 * v + k]] * COUNT + v];
                snt_near((double)distances[3 * v + k], way, 1e-5);
                assert_true(way >= before - 1e-6);
                before = way;
            }
            uint32_t nearer = 0;
            for (uint32_t s = 0; s < 5; ++s) {
                nearer += ways[sources[s] * COUNT + v] < before - 1e-6;
            }
            assert_true(nearer <= 2);
        }
        free(ways);
        sni_surface_graph_deinit(&graph);
    }
    snt_context_end(context);
}

// Vertices that lie far apart: each is the farthest from those before.
static void spread_vertices_lie_far_apart(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {7};
    float positions[3 * COUNT];
    uint32_t triangles[3 * TRIANGLES], found[8] = {0}, count;
    sni_surface_graph graph;
    make_sheet(&random, positions, triangles);
    snt_ok(sni_surface_graph_init(context, COUNT, positions, TRIANGLES, triangles, &graph, error));
    double *ways = all_ways(&graph);
    snt_ok(sni_surface_graph_spread(&graph, 1, 8, found, &count, error));
    assert_int_equal(count, 8);
    for (uint32_t i = 1; i < count; ++i) {
        double own = INFINITY, most = 0;
        for (uint32_t v = 0; v < COUNT; ++v) {
            double nearest = INFINITY;
            for (uint32_t k = 0; k < i; ++k) {
                nearest = fmin(nearest, ways[found[k] * COUNT + v]);
            }
            most = fmax(most, nearest);
            own = v == found[i] ? nearest : own;
        }
        snt_near(own, most, 1e-5);
    }
    free(ways);
    sni_surface_graph_deinit(&graph);
    snt_context_end(context);
}

static void averages_and_borders(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const float positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 5, 5};
    static const uint32_t triangles[6] = {0, 1, 2, 0, 2, 1};
    static const float now[4] = {3, 6, 9, 1};
    float next[4];
    sni_surface_graph graph;
    snt_ok(sni_surface_graph_init(context, 4, positions, 2, triangles, &graph, error));
    assert_int_equal(graph.starts[4], 6);
    sni_surface_graph_average(&graph, 1, 0.5, now, next);
    static const float expected[4] = {5.25f, 6, 6.75f, 1};
    for (int i = 0; i < 4; ++i) {
        snt_near((double)next[i], (double)expected[i], 1e-6);
    }
    sni_surface_graph_deinit(&graph);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_sources_are_found),
        cmocka_unit_test(spread_vertices_lie_far_apart),
        cmocka_unit_test(averages_and_borders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
