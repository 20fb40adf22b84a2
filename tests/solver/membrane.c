// SPDX-License-Identifier: Apache-2.0
#include "patch.h"

#include <math.h>
#include <stdlib.h>

static double energy_of(const sni_membrane *membrane, const float *anchors, const float *points) {
    double energy = 0;
    snt_ok(sni_membrane_energy(membrane, anchors, points, &energy, error));
    return energy;
}

// One draw after the other: the order in which arguments are evaluated is the compiler's.
static void bend_anyhow(snt_random *random, snt_patch *p) {
    double angle = snt_random_range(random, -2.5, 2.5);
    double jump = snt_random_range(random, -0.4, 0.8);
    double noise = snt_random_range(random, 0, 0.2);
    snt_patch_bend(random, p, angle, jump, noise);
}

static void energy_never_rises(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        snt_random random = {seed};
        snt_patch p = snt_patch_random(&random, 4 + snt_random_u32(&random) % 24);
        bend_anyhow(&random, &p);
        sni_membrane_desc desc = snt_patch_describe(&p);
        desc.anchor = snt_random_range(&random, 0, 1);
        desc.push = snt_random_range(&random, 0, 1);
        desc.transition = snt_random_range(&random, 0.01, 0.5);
        desc.rest = snt_random_range(&random, 0.5, 1.2);
        sni_membrane *membrane = snt_membrane(context, &desc);
        memcpy(p.relaxed, p.anchors, 3 * p.vertex_count * sizeof(float));
        double before = energy_of(membrane, p.anchors, p.relaxed);
        for (uint32_t round = 0; round < 40; ++round) {
            sni_relaxation relaxation = snt_patch_relaxation(&p, 1);
            relaxation.start = p.relaxed;
            snt_relax(context, membrane, &relaxation, p.relaxed);
            double after = energy_of(membrane, p.anchors, p.relaxed);
            // Floats round the points.
            if (!(after <= before * (1 + 1e-6) + 1e-12)) {
                fail_msg("seed %llu, round %u: from %.17g to %.17g", (unsigned long long)seed,
                         round, before, after);
            }
            before = after;
        }
        sni_membrane_destroy(membrane);
        snt_patch_free(&p);
    }
    snt_context_end(context);
}

static void acceleration_never_ends_above_the_start(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        snt_random random = {seed};
        snt_patch p = snt_patch_random(&random, 4 + snt_random_u32(&random) % 24);
        bend_anyhow(&random, &p);
        sni_membrane_desc desc = snt_patch_describe(&p);
        desc.anchor = snt_random_range(&random, 0, 1);
        desc.push = snt_random_range(&random, 0, 1);
        desc.rest = snt_random_range(&random, 0.5, 1.2);
        sni_membrane *membrane = snt_membrane(context, &desc);
        double start = energy_of(membrane, p.anchors, p.anchors), last = start;
        static const uint32_t rounds[] = {1, 3, 7, 15, 31, 63, 127, 200};
        for (uint32_t i = 0; i < 8; ++i) {
            sni_relaxation relaxation = snt_patch_relaxation(&p, rounds[i]);
            relaxation.accelerate = true;
            snt_relax(context, membrane, &relaxation, p.relaxed);
            last = energy_of(membrane, p.anchors, p.relaxed);
            assert_true(last <= start * (1 + 1e-4));
        }
        sni_relaxation plain = snt_patch_relaxation(&p, 200);
        snt_relax(context, membrane, &plain, p.relaxed);
        assert_true(last <= energy_of(membrane, p.anchors, p.relaxed) * 1.02 + 1e-9);
        sni_membrane_destroy(membrane);
        snt_patch_free(&p);
    }
    snt_context_end(context);
}

static void twelve_fast_rounds_reach_what_thirty_plain_ones_do(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        snt_random random = {seed};
        snt_patch p = snt_patch_random(&random, 60);
        double turn = snt_random_range(&random, 0.5, 1.5);
        snt_patch_bend(&random, &p, turn, snt_random_range(&random, 0, 0.1), 0);
        sni_membrane_desc desc = snt_patch_describe(&p);
        sni_membrane *membrane = snt_membrane(context, &desc);
        sni_relaxation plain = snt_patch_relaxation(&p, 30), fast = snt_patch_relaxation(&p, 12);
        fast.accelerate = true;
        double thirty = snt_relax(context, membrane, &plain, p.relaxed).residual;
        sni_relaxation_result twelve = snt_relax(context, membrane, &fast, p.relaxed);
        if (twelve.residual > thirty) {
            fail_msg("seed %llu: 12 fast rounds %g, 30 plain ones %g, %u taken back",
                     (unsigned long long)seed, twelve.residual, thirty, twelve.restarts);
        }
        sni_membrane_destroy(membrane);
        snt_patch_free(&p);
    }
    snt_context_end(context);
}

// A square of side 2 with its centre: sides have k = 1/4, spokes k = 1, corners Σa = 2.
static snt_patch cross_patch(double anchor_scale) {
    static const float points[15] = {1, 1, 0, -1, 1, 0, -1, -1, 0, 1, -1, 0, 0, 0, 0};
    static const uint32_t vertices[12] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
    snt_patch p = snt_patch_alloc(5, 4);
    memcpy(p.points, points, sizeof points);
    memcpy(p.vertices, vertices, sizeof vertices);
    for (int i = 0; i < 15; ++i) {
        p.anchors[i] = (float)anchor_scale * points[i];
    }
    return p;
}

// (2 k_1 + k_2)(l - ρ a) = k_a (s a - l) for the side l of the square between its anchors.
static void a_square_finds_its_equilibrium(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int i = 0; i < 4; ++i) {
        double scale = (const double[]){1.5, 1, 3, 1.2}[i],
               rest = (const double[]){1, .9, .5, 1}[i];
        snt_patch p = cross_patch(scale);
        sni_membrane_desc desc = snt_patch_describe(&p);
        desc.rest = rest;
        desc.unit = 0.5;
        desc.anchor = 0.1;
        double anchor = 0.1 * 2 / (3 * 0.25), edges = 2 * 0.25 + 1;
        double side = 2 * (edges * rest + anchor * scale) / (edges + anchor);
        sni_relaxation relaxation = snt_patch_relaxation(&p, 2000);
        snt_relax_once(context, &desc, &relaxation, p.relaxed);
        for (int k = 0; k < 15; ++k) {
            snt_near((double)p.relaxed[k], (double)p.points[k] * side / 2, 2e-6);
        }
        snt_patch_free(&p);
    }
    snt_context_end(context);
}

// Compressed far beyond the transition every edge pushes with a tenth: l from p k in place of k.
static void compressed_edges_push_less(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_patch p = cross_patch(0.1);
    sni_membrane_desc desc = snt_patch_describe(&p);
    desc.rest = 1;
    desc.unit = 0.5;
    desc.anchor = 1;
    double anchor = 2 / (3 * 0.25), edges = 0.1 * (2 * 0.25 + 1);
    double side = 2 * (edges * 1 + anchor * 0.1) / (edges + anchor);
    sni_relaxation relaxation = snt_patch_relaxation(&p, 3000);
    snt_relax_once(context, &desc, &relaxation, p.relaxed);
    for (int k = 0; k < 15; ++k) {
        snt_near((double)p.relaxed[k], (double)p.points[k] * side / 2, 2e-6);
    }
    // The paper's steps end in the same place.
    relaxation.paper_steps = true;
    snt_relax_once(context, &desc, &relaxation, p.relaxed);
    for (int k = 0; k < 15; ++k) {
        snt_near((double)p.relaxed[k], (double)p.points[k] * side / 2, 2e-6);
    }
    snt_patch_free(&p);
    snt_context_end(context);
}

// Forces are the slope of the energy: one round of one moved vertex against finite differences.
static void forces_are_the_slope_of_the_energy(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_patch p = cross_patch(1);
    sni_membrane_desc desc = snt_patch_describe(&p);
    sni_membrane *membrane = snt_membrane(context, &desc);
    static const double places[3][3] = {{0.3, 0.1, 0.2}, {0.6, 0.55, -0.1}, {-0.1, 0.02, 0.5}};
    for (int i = 0; i < 3; ++i) {
        float start[15], next[15];
        memcpy(start, p.points, sizeof start);
        for (int k = 0; k < 3; ++k) {
            start[12 + k] = (float)places[i][k];
        }
        sni_relaxation relaxation = snt_patch_relaxation(&p, 1);
        relaxation.start = start;
        snt_relax(context, membrane, &relaxation, next);
        // The centre: four spokes of k = 1, and an anchor of C_a Σa / 3 / mean edge^2.
        double mean = (4 * 2 + 4 * sqrt(2)) / 8, total = 4 + 0.1 * 4 / 3 / (mean * mean);
        for (int k = 0; k < 3; ++k) {
            float high[15], low[15];
            memcpy(high, start, sizeof high);
            memcpy(low, start, sizeof low);
            high[12 + k] += 1e-3f;
            low[12 + k] -= 1e-3f;
            double slope =
                (energy_of(membrane, p.anchors, high) - energy_of(membrane, p.anchors, low)) /
                ((double)high[12 + k] - (double)low[12 + k]);
            snt_near((double)next[12 + k] - (double)start[12 + k], -slope / total, 1e-5);
        }
    }
    sni_membrane_destroy(membrane);
    snt_patch_free(&p);
    snt_context_end(context);
}

static void rest_stays_without_pre_stretch(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    snt_random random = {7};
    snt_patch p = snt_patch_random(&random, 30);
    memcpy(p.anchors, p.points, 3 * p.vertex_count * sizeof(float));
    sni_membrane_desc desc = snt_patch_describe(&p);
    desc.rest = 1;
    for (int fast = 0; fast < 2; ++fast) {
        sni_relaxation relaxation = snt_patch_relaxation(&p, 30);
        relaxation.accelerate = fast != 0;
        snt_relax_once(context, &desc, &relaxation, p.relaxed);
        for (uint32_t i = 0; i < 3 * p.vertex_count; ++i) {
            snt_near((double)p.relaxed[i], (double)p.points[i], 1e-6);
        }
    }
    snt_patch_free(&p);
    snt_context_end(context);
}

typedef sn_vec3 map_fn(sn_vec3 p);

static sn_vec3 turn(sn_vec3 p) {
    sn_quat q = sn_quat_from_axis_angle(sn_vec3_make(0.6, 0, 0.8), 1.1);
    return sn_vec3_add(sn_quat_rotate(q, p), sn_vec3_make(0.3, -2, 1));
}

static sn_vec3 mirror(sn_vec3 p) {
    return sn_vec3_make(-p.x, p.y, p.z);
}

static sn_vec3 enlarge(sn_vec3 p) {
    return sn_vec3_scale(p, 1000);
}

static void map_points(map_fn *map, const float *points, uint32_t count, float *out) {
    for (size_t i = 0; i < count; ++i) {
        sn_vec3_store(map(sn_vec3_load(points + 3 * i)), out + 3 * i);
    }
}

// Rest and anchors mapped give the mapped result.
static void assert_equivariant(map_fn *map, bool flip, double tolerance) {
    sn_context *context = snt_context(2);
    snt_random random = {11};
    snt_patch p = snt_patch_random(&random, 40);
    snt_patch_bend(&random, &p, 1.2, 0.05, 0);
    snt_patch q = snt_patch_alloc(p.vertex_count, p.triangle_count);
    map_points(map, p.points, p.vertex_count, q.points);
    map_points(map, p.anchors, p.vertex_count, q.anchors);
    for (uint32_t i = 0; i < 3 * p.triangle_count; ++i) {
        q.vertices[i] = p.vertices[flip ? i / 3 * 3 + (3 - i % 3) % 3 : i];
    }
    sni_membrane_desc first = snt_patch_describe(&p), second = snt_patch_describe(&q);
    sni_relaxation of_first = snt_patch_relaxation(&p, 30),
                   of_second = snt_patch_relaxation(&q, 30);
    snt_relax_once(context, &first, &of_first, p.relaxed);
    snt_relax_once(context, &second, &of_second, q.relaxed);
    map_points(map, p.relaxed, p.vertex_count, p.relaxed);
    for (uint32_t i = 0; i < 3 * p.vertex_count; ++i) {
        snt_near((double)p.relaxed[i], (double)q.relaxed[i], tolerance);
    }
    snt_patch_free(&p);
    snt_patch_free(&q);
    snt_context_end(context);
}

static void rigid_motion_carries_over(void **state) {
    (void)state;
    assert_equivariant(turn, false, 1e-5);
}

static void mirror_images_stay_such(void **state) {
    (void)state;
    assert_equivariant(mirror, true, 1e-6);
}

static void size_does_not_matter(void **state) {
    (void)state;
    assert_equivariant(enlarge, false, 1e-2);
}

static void threads_do_not_show(void **state) {
    (void)state;
    snt_random random = {3};
    snt_patch p = snt_patch_random(&random, 90);
    snt_patch_bend(&random, &p, 1.2, 0.05, 0.01);
    size_t bytes = 3 * p.vertex_count * sizeof(float);
    float *first = malloc(bytes);
    for (int fast = 0; fast < 2; ++fast) {
        for (uint32_t i = 0; i < 4; ++i) {
            sn_context *context = snt_context((const uint32_t[]){1, 2, 3, 8}[i]);
            sni_membrane_desc desc = snt_patch_describe(&p);
            sni_relaxation relaxation = snt_patch_relaxation(&p, 20);
            relaxation.accelerate = fast != 0;
            snt_relax_once(context, &desc, &relaxation, i == 0 ? first : p.relaxed);
            assert_true(i == 0 || memcmp(first, p.relaxed, bytes) == 0);
            snt_context_end(context);
        }
    }
    free(first);
    snt_patch_free(&p);
}

static void spheres_keep_points_out(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {5};
    snt_patch p = snt_patch_random(&random, 20);
    snt_patch_bend(&random, &p, 1.5, 0, 0);
    float *spheres = calloc(4 * (size_t)p.vertex_count, sizeof(float));
    for (size_t i = 0; i < p.vertex_count; i += 2) {
        memcpy(spheres + 4 * i, p.anchors + 3 * i, 3 * sizeof(float));
        spheres[4 * i + 2] -= 0.04f;
        spheres[4 * i + 3] = 0.04f;
    }
    sni_membrane_desc desc = snt_patch_describe(&p);
    desc.rest = 0.6;
    for (int fast = 0; fast < 2; ++fast) {
        sni_relaxation relaxation = snt_patch_relaxation(&p, 30);
        relaxation.accelerate = fast != 0;
        relaxation.spheres = spheres;
        snt_relax_once(context, &desc, &relaxation, p.relaxed);
        double furthest = 0;
        for (size_t i = 0; i < p.vertex_count; ++i) {
            sn_vec3 at = sn_vec3_load(p.relaxed + 3 * i);
            double distance = sn_vec3_distance(at, sn_vec3_load(spheres + 4 * i));
            assert_true(distance >= (double)spheres[4 * i + 3] - 1e-6);
            furthest = fmax(furthest, sn_vec3_distance(at, sn_vec3_load(p.anchors + 3 * i)));
        }
        assert_true(furthest > 0.01); // and yet they moved
    }
    free(spheres);
    snt_patch_free(&p);
    snt_context_end(context);
}

// Vertices of no triangle, doubled vertices, triangles in one point or line, doubled triangles.
static void degenerate_meshes_have_defined_results(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const float points[27] = {0, 0, 0, 1, 0, 0, 0, 1, 0, // a triangle
                                     0, 0, 0, 5, 5, 5,          // a twin of 0, a loose one
                                     2, 2, 2, 2, 2, 2, 2, 2, 2, // a point
                                     0, 0, 0};
    static const uint32_t vertices[21] = {0, 1, 2, 0, 1, 2, 0, 3, 1, 5, 6,
                                          7, 3, 3, 1, 1, 1, 1, 0, 8, 3};
    snt_patch p = snt_patch_alloc(9, 7);
    memcpy(p.points, points, sizeof points);
    memcpy(p.vertices, vertices, sizeof vertices);
    for (int i = 0; i < 27; ++i) {
        p.anchors[i] = 1.5f * points[i] + (i < 9 ? 0.25f : 0);
    }
    sni_membrane_desc desc = snt_patch_describe(&p);
    for (int fast = 0; fast < 2; ++fast) {
        sni_relaxation relaxation = snt_patch_relaxation(&p, 100);
        relaxation.accelerate = fast != 0;
        snt_relax_once(context, &desc, &relaxation, p.relaxed);
        for (int i = 0; i < 27; ++i) {
            assert_true(isfinite(p.relaxed[i]));
        }
        assert_memory_equal(p.relaxed + 12, p.anchors + 12, 3 * sizeof(float)); // the loose one
        // Twins have a spring of no length between them.
        for (int k = 0; k < 3; ++k) {
            snt_near((double)p.relaxed[k], (double)p.relaxed[9 + k], 0.05);
        }
    }
    sni_membrane_desc empty = sni_membrane_desc_default();
    sni_relaxation nothing = {.rounds = 3};
    assert_int_equal(snt_relax_once(context, &empty, &nothing, NULL).rounds, 1);
    snt_patch_free(&p);
    snt_context_end(context);
}

static void relaxation_stops_at_its_tolerance(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_patch p = cross_patch(1.5);
    sni_membrane_desc desc = snt_patch_describe(&p);
    sni_relaxation relaxation = snt_patch_relaxation(&p, 1000);
    relaxation.tolerance = 1e-3;
    sni_relaxation_result result = snt_relax_once(context, &desc, &relaxation, p.relaxed);
    assert_true(result.rounds > 1 && result.rounds < 200 && result.largest <= 1e-3);
    relaxation.rounds = 0;
    snt_relax_once(context, &desc, &relaxation, p.relaxed);
    assert_memory_equal(p.relaxed, p.anchors, 15 * sizeof(float));
    snt_patch_free(&p);
    snt_context_end(context);
}

static void elasticity_scales_edges(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_patch p = cross_patch(1.5);
    const float none[5] = {0}, twice[5] = {2, 2, 2, 2, 2};
    sni_membrane_desc desc = snt_patch_describe(&p);
    sni_relaxation relaxation = snt_patch_relaxation(&p, 2000);
    desc.unit = 0.5;
    desc.elasticity = none; // nothing pulls
    snt_relax_once(context, &desc, &relaxation, p.relaxed);
    assert_memory_equal(p.relaxed, p.anchors, 15 * sizeof(float));
    desc.elasticity = twice; // as half the anchors
    snt_relax_once(context, &desc, &relaxation, p.relaxed);
    desc.elasticity = NULL;
    desc.anchor /= 2;
    float other[15];
    snt_relax_once(context, &desc, &relaxation, other);
    for (int i = 0; i < 15; ++i) {
        snt_near((double)p.relaxed[i], (double)other[i], 1e-5);
    }
    snt_patch_free(&p);
    snt_context_end(context);
}

static void bad_input_is_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_patch p = cross_patch(1);
    sni_membrane *membrane = NULL;
    sni_membrane_desc desc = snt_patch_describe(&p);
    desc.push = 1.5;
    snt_fails(SN_INVALID, "push is 1.5", sni_membrane_create(context, &desc, &membrane, error));
    desc = snt_patch_describe(&p);
    desc.rest = 0;
    snt_fails(SN_INVALID, "rest is 0", sni_membrane_create(context, &desc, &membrane, error));
    desc = snt_patch_describe(&p);
    desc.anchor = NAN;
    snt_fails(SN_INVALID, "anchor is nan", sni_membrane_create(context, &desc, &membrane, error));
    desc = snt_patch_describe(&p);
    p.vertices[4] = 5;
    snt_fails(SN_INVALID, "triangle 1 has vertex 5, but there are 5",
              sni_membrane_create(context, &desc, &membrane, error));
    p.vertices[4] = 2;
    p.points[7] = INFINITY;
    snt_fails(SN_INVALID, "vertex 2 has inf",
              sni_membrane_create(context, &desc, &membrane, error));
    p.points[7] = 0;
    const float elasticity[5] = {1, 1, 1, -1, 1};
    desc.elasticity = elasticity;
    snt_fails(SN_INVALID, "elasticity of vertex 3 is -1",
              sni_membrane_create(context, &desc, &membrane, error));
    assert_null(membrane);
    snt_patch_free(&p);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    const snt_patch *p = user;
    sni_membrane_desc desc = snt_patch_describe(p);
    sni_membrane *membrane = NULL;
    sni_arena arena;
    sn_status status = sni_membrane_create(context, &desc, &membrane, error);
    sni_arena_init(&arena, context);
    sni_relaxation relaxation = snt_patch_relaxation(p, 3);
    relaxation.accelerate = true;
    if (status == SN_OK && !sni_membrane_relax(membrane, &arena, &relaxation, p->relaxed, NULL)) {
        status = sni_fail_memory(error);
    }
    sni_arena_deinit(&arena);
    sni_membrane_destroy(membrane);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    snt_patch p = cross_patch(1);
    snt_fail_allocations(attempt, &p);
    snt_patch_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(a_square_finds_its_equilibrium),
        cmocka_unit_test(compressed_edges_push_less),
        cmocka_unit_test(forces_are_the_slope_of_the_energy),
        cmocka_unit_test(rest_stays_without_pre_stretch),
        cmocka_unit_test(energy_never_rises),
        cmocka_unit_test(acceleration_never_ends_above_the_start),
        cmocka_unit_test(twelve_fast_rounds_reach_what_thirty_plain_ones_do),
        cmocka_unit_test(rigid_motion_carries_over),
        cmocka_unit_test(mirror_images_stay_such),
        cmocka_unit_test(size_does_not_matter),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(spheres_keep_points_out),
        cmocka_unit_test(degenerate_meshes_have_defined_results),
        cmocka_unit_test(relaxation_stops_at_its_tolerance),
        cmocka_unit_test(elasticity_scales_edges),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
