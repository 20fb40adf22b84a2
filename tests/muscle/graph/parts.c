// SPDX-License-Identifier: Apache-2.0
//
// What muscles of kind `graph` are made of: parents, curves, bands, ways, expansion points,
// surfaces.
#include "test.h"

#include "muscle/graph/make.h"
#include "shapes.h"

// --- Curves

static sn_vec3 at(double x, double y, double z) {
    return sn_vec3_make(x, y, z);
}

// Even knots on a line are passed at constant speed; the ends and slopes are those of Catmull and
// Rom's curve.
static void curves_pass_their_knots(void **state) {
    (void)state;
    sni_graph_curve line =
        sni_graph_curve_through(at(0, 0, 0), at(1, 0, 0), at(2, 0, 0), at(3, 0, 0));
    snt_near(sni_graph_curve_length(&line, 0), 1, 1e-14);
    snt_near(sni_graph_curve_point(&line, 0.25).x, 1.25, 1e-14);
    snt_near(sni_graph_curve_place(&line, 1, 0.25), 0.75, 1e-12);
    sni_graph_curve bent =
        sni_graph_curve_through(at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(0, 1, 0));
    // Even steps: the slope at a knot is half of the way from the one before to the one behind.
    snt_near(sn_vec3_distance(bent.a_slope, at(0.5, 0.5, 0)), 0, 1e-14);
    snt_near(sn_vec3_distance(bent.b_slope, at(-0.5, 0.5, 0)), 0, 1e-14);
    snt_near(sn_vec3_distance(sni_graph_curve_point(&bent, 0.5), at(1.125, 0.5, 0)), 0, 1e-14);
    double whole = sni_graph_curve_length(&bent, 0);
    for (int i = 0; i <= 10; ++i) {
        double u = sni_graph_curve_place(&bent, whole, whole * i / 10);
        snt_near(sni_graph_curve_length(&bent, u), whole * i / 10, 1e-10);
    }
}

// The length against a polygon of many sides.
static void curves_know_their_length(void **state) {
    (void)state;
    snt_random random = {5};
    for (int round = 0; round < 50; ++round) {
        sn_vec3 p[4];
        for (int i = 0; i < 4; ++i) {
            p[i] = at(i + snt_random_range(&random, -0.4, 0.4), snt_random_range(&random, -1, 1),
                      snt_random_range(&random, -1, 1));
        }
        sni_graph_curve curve = sni_graph_curve_through(p[0], p[1], p[2], p[3]);
        double sum = 0;
        for (int i = 0; i < 4000; ++i) {
            sum += sn_vec3_distance(sni_graph_curve_point(&curve, i / 4000.0),
                                    sni_graph_curve_point(&curve, (i + 1) / 4000.0));
        }
        snt_near(sni_graph_curve_length(&curve, 0) / sum, 1, 1e-4);
    }
    // Knots that meet: finite, and no longer than the way around.
    sn_vec3 p = at(1, 2, 3);
    sni_graph_curve none = sni_graph_curve_through(p, p, p, p);
    assert_true(isfinite(sni_graph_curve_length(&none, 0)));
}

// --- Bands

// Flesh of a path shares what bones make of its length; tendons keep theirs.
static void bands_share_strain(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    graph_init(&t, context, GRAPH_SPINDLE, 1);
    sni_graph_tree tree;
    snt_ok(sni_graph_tree_init(&tree, context, "m", 7, t.points, false, error));
    const double rest[7] = {0, 1, 2, 3, 4, 5, 6};
    double leaves[7] = {0, 0, 0, 0, 0, 0, 7}, places[7], scratch[14];
    sni_graph_spread(&tree, rest, leaves, places, scratch);
    // Pieces 0-1 and 5-6 are tendon; four of flesh take one together.
    const double expected[7] = {0, 1, 2.25, 3.5, 4.75, 6, 7};
    for (int i = 0; i < 7; ++i) {
        snt_near(places[i], expected[i], 1e-4);
    }
    sni_graph_contract(&tree, rest, 0.5, places);
    const double contracted[7] = {0, 1, 1.625, 2.25, 2.875, 3.5, 4.5};
    for (int i = 0; i < 7; ++i) {
        snt_near(places[i], contracted[i], 1e-4);
    }
    sni_graph_tree_deinit(&tree);
    graph_free(&t);
    snt_context_end(context);
}

// A root, a fork 1 below it, two leaves 1 below that, one of which is pulled out by d: the fork
// goes along by d / 3.
static void forks_are_in_balance(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const sni_graph_point points[4] = {{.parent = SN_NONE, .point = {0, 0, 0}},
                                       {.parent = 0, .point = {0, -1, 0}},
                                       {.parent = 1, .point = {-1, -2, 0}},
                                       {.parent = 1, .point = {1, -2, 0}}};
    sni_graph_tree tree;
    snt_ok(sni_graph_tree_init(&tree, context, "m", 4, points, false, error));
    const double rest[4] = {0, 1, 2, 2};
    const double leaves[4] = {0, 0, 2.3, 2};
    double places[4], scratch[8];
    sni_graph_spread(&tree, rest, leaves, places, scratch);
    snt_near(places[1], 1.1, 1e-12);
    snt_near(places[2], 2.3, 1e-12);
    snt_near(places[3], 2, 1e-12);
    sni_graph_tree_deinit(&tree);
    snt_context_end(context);
}

// --- Graphs

static void ways_go_along_the_graph(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    graph_init(&t, context, GRAPH_HEADS, 1);
    graph_bind(&t);
    const sni_graph_tree *tree = &t.graph->tree;
    assert_int_equal(tree->graph_count, 1);
    assert_int_equal(t.graph->leaf_count, 2);
    double lengths[9], ways[81];
    for (int i = 0; i < 9; ++i) {
        lengths[i] = 1;
    }
    sni_graph_tree_ways(tree, lengths, ways);
    assert_true(ways[0 * 9 + 5] == 5); // root, trunk, fork, three points of a head
    assert_true(ways[5 * 9 + 8] == 6); // from head to head
    assert_true(ways[8 * 9 + 5] == 6);
    graph_free(&t);
    graph_init(&t, context, GRAPH_RING, 1);
    graph_bind(&t);
    double ring_lengths[12], ring_ways[144];
    for (int i = 0; i < 12; ++i) {
        ring_lengths[i] = 1;
    }
    assert_true(t.graph->tree.ring);
    sni_graph_tree_ways(&t.graph->tree, ring_lengths, ring_ways);
    assert_true(ring_ways[0 * 12 + 11] == 1 && ring_ways[2 * 12 + 8] == 6);
    graph_free(&t);
    snt_context_end(context);
}

// Weights of a vertex sum to 1, and are largest for the control point that it lies at. Between two
// heads that are nearly at one place each follows its own: a hand's finger does not move another.
static void weights_follow_the_graph(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    graph_bind(&t);
    for (uint32_t r = 0; r < GRAPH_ROWS; r += 4) {
        uint32_t v = r * GRAPH_SIDES, best = SN_NONE;
        double sum = 0, most = 0;
        for (uint32_t i = t.graph->tie_starts[v]; i < t.graph->tie_starts[v + 1]; ++i) {
            double weight = (double)t.graph->tie_factors[SNI_GRAPH_TIE_FLOATS * i];
            sum += weight;
            best = weight > most ? t.graph->tie_rings[i] : best;
            most = fmax(most, weight);
        }
        snt_near(sum, 1, 1e-6);
        assert_int_equal(best, r / 4);
    }
    graph_free(&t);
    graph_init(&t, context, GRAPH_HEADS, 1);
    t.parameters[SNI_GRAPH_INFLUENCES] = 3;
    graph_bind(&t);
    for (uint32_t v = 0; v < t.graph->mesh->vertex_count; ++v) {
        assert_true(t.graph->tie_starts[v + 1] - t.graph->tie_starts[v] <= 3);
        sn_vec3 p = sn_vec3_load(t.graph->mesh->positions + 3 * (size_t)v);
        for (uint32_t i = t.graph->tie_starts[v]; i < t.graph->tie_starts[v + 1]; ++i) {
            // The ends of the heads: points 5 and 8.
            bool other = p.y < 0.7 && t.graph->tie_rings[i] == (p.x < 0.01 ? 8u : 5u);
            assert_false(other);
        }
    }
    graph_free(&t);
    snt_context_end(context);
}

// Twelve around each control point, 30 degrees apart, 95 % of the way to the surface.
static void expansion_points_are_below_the_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    graph_init(&t, context, GRAPH_STRAIGHT, 1);
    graph_bind(&t);
    sni_arena arena;
    sni_arena_init(&arena, context);
    sni_graph_frame frames[4];
    double lengths[4] = {0, 0.1, 0.1, 0.1}, ways[16];
    bool inside[4] = {false, true, true, false};
    sn_vec3 points[4];
    sni_graph_ring rings[4];
    for (int i = 0; i < 4; ++i) {
        points[i] = t.points[i].point;
        frames[i] = (sni_graph_frame){points[i], at(0, 1, 0), at(0, 0, 1), at(1, 0, 0)};
    }
    sni_graph_tree_ways(&t.graph->tree, lengths, ways);
    sni_graph_making m = {.job = &t.job,
                          .input = &t.input,
                          .arena = &arena,
                          .graph = (sni_graph *)t.graph,
                          .mesh = t.mesh,
                          .points = points,
                          .frames = frames,
                          .lengths = lengths,
                          .ways = ways,
                          .inside = inside,
                          .rings = rings};
    snt_ok(sni_interior_init(&m.interior, t.mesh, t.mesh->positions, error));
    snt_ok(sni_graph_find_rings(&m, 12, error));
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(rings[i].point_count, 12);
        for (int k = 0; k < 12; ++k) {
            double y = rings[i].points[k][0], z = rings[i].points[k][1];
            // 24 sides: between their corners and the middles of the sides.
            double most = 0.95 * graph_radius, least = most * cos(SN_PI / GRAPH_SIDES);
            assert_true(hypot(y, z) <= most + 1e-6 && hypot(y, z) >= least - 1e-6);
            snt_near(remainder(atan2(z, y) - k * SN_PI / 6, 2 * SN_PI), 0, 1e-9);
        }
    }
    // Points that are not inside have the ring of the nearest one.
    assert_int_equal(rings[0].missed, 12);
    assert_int_equal(rings[1].missed, 0);
    sni_interior_deinit(&m.interior);
    sni_arena_deinit(&arena);
    graph_free(&t);
    snt_context_end(context);
}

// --- Surfaces that are made

// Closed manifolds of any number of branches; the vertices of the circles stay where they are.
static void made_surfaces_are_closed(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (uint32_t branches = 1; branches <= 7; ++branches) {
        for (uint32_t sides = 3; sides <= 9; sides += 2) {
            graph_test t;
            graph_init(&t, context, GRAPH_SPINDLE, 1);
            t.input.point_count = 0;
            uint32_t root = graph_add(&t, 0, 0, 1, 0, SN_NONE, 0.02);
            uint32_t fork = graph_add(&t, 0, 0, 0.95, 0, root, 0.03);
            for (uint32_t i = 0; i < branches; ++i) {
                double angle = 2 * SN_PI * i / branches;
                uint32_t below =
                    graph_add(&t, 0, 0.04 * cos(angle), 0.85, 0.04 * sin(angle), fork, 0.012);
                graph_add(&t, 0, 0.06 * cos(angle), 0.75, 0.06 * sin(angle), below, 0.006);
            }
            t.parameters[SNI_GRAPH_SIDES] = sides;
            graph_bind(&t);
            // Tubes of so many sides: a sphere's Euler number, whatever branches it has.
            const sn_mesh *mesh = t.graph->mesh;
            sn_topology *topology = NULL;
            sn_topology_summary summary;
            snt_ok(sn_topology_create(mesh, &topology, error));
            sn_topology_summarize(mesh, topology, &summary);
            assert_true(summary.closed && summary.components == 1);
            assert_int_equal(mesh->vertex_count + mesh->face_count, topology->edge_count + 2);
            sn_topology_destroy(topology);
            assert_true(graph_volume(&t, mesh->positions) > 0);
            graph_free(&t);
        }
    }
    snt_context_end(context);
}

// A tube around points on a line: its middle has the circle's radius, which subdivision keeps.
static void made_tubes_have_their_radii(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    graph_test t;
    graph_init(&t, context, GRAPH_SPINDLE, 1);
    t.input.point_count = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        graph_add(&t, 0, 0, 1 - 0.1 * i, 0, i == 0 ? SN_NONE : i - 1, 0.03);
        t.points[i].tendon = false;
    }
    t.circles[4] = (sni_graph_circle){.point = 2, .along = 0.5, .radii = {0.05, 0.04}};
    t.input.circle_count = 5;
    t.parameters[SNI_GRAPH_SUBDIVISIONS] = 2;
    t.parameters[SNI_GRAPH_SIDES] = 16;
    graph_bind(&t);
    double widest[2] = {0, 0}, at_point = 0;
    for (size_t v = 0; v < t.graph->mesh->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(t.graph->mesh->positions + 3 * v);
        if (fabs(p.y - 0.85) < 0.004) {
            widest[0] = fmax(widest[0], fabs(p.x)); // along the bone
            widest[1] = fmax(widest[1], fabs(p.z)); // away from it
        }
        at_point = fabs(p.y - 0.7) < 1e-6 ? fmax(at_point, hypot(p.x, p.z)) : at_point;
    }
    snt_near(widest[0], 0.05, 1e-3);
    snt_near(widest[1], 0.04, 1e-3);
    snt_near(at_point, 0.03, 1e-6);
    graph_free(&t);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_pass_their_knots),
        cmocka_unit_test(curves_know_their_length),
        cmocka_unit_test(bands_share_strain),
        cmocka_unit_test(forks_are_in_balance),
        cmocka_unit_test(ways_go_along_the_graph),
        cmocka_unit_test(weights_follow_the_graph),
        cmocka_unit_test(expansion_points_are_below_the_surface),
        cmocka_unit_test(made_surfaces_are_closed),
        cmocka_unit_test(made_tubes_have_their_radii),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
