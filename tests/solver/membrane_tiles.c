// SPDX-License-Identifier: Apache-2.0
//
// Rounds tile by tile against one round after the other.
#include "patch.h"

#include "solver/membrane_internal.h"

// Rounds without tiles.
static sni_relaxation_result relax_untiled(sn_context *context, const sni_membrane_desc *desc,
                                           const sni_relaxation *relaxation, float *points) {
    sni_membrane *membrane = snt_membrane(context, desc);
    membrane->schedule.tile_count = 1;
    sni_relaxation_result result = snt_relax(context, membrane, relaxation, points);
    sni_membrane_destroy(membrane);
    return result;
}

static void assert_same_result(const sni_relaxation_result *a, const sni_relaxation_result *b) {
    assert_int_equal(a->rounds, b->rounds);
    assert_int_equal(a->restarts, b->restarts);
    assert_true(a->largest == b->largest && a->residual == b->residual);
}

static void assert_tiles_do_not_show(const sni_membrane_desc *desc,
                                     const sni_relaxation *relaxations, int count) {
    size_t bytes = 3 * (size_t)desc->vertex_count * sizeof(float);
    float *expected = malloc((size_t)count * bytes), *points = malloc(bytes);
    sni_relaxation_result *wanted = calloc((size_t)count, sizeof *wanted);
    sn_context *context = snt_context(1);
    for (int i = 0; i < count; ++i) {
        wanted[i] = relax_untiled(context, desc, &relaxations[i],
                                  expected + 3 * (size_t)i * desc->vertex_count);
    }
    snt_context_end(context);
    for (uint32_t threads = 1; threads <= 3; ++threads) {
        context = snt_context(threads);
        sni_membrane *membrane = snt_membrane(context, desc);
        assert_true(membrane->schedule.tile_count > 4 && membrane->schedule.wave_count > 1);
        assert_true(threads > 2 || sni_membrane_schedule_pays(&membrane->schedule, threads));
        for (int i = 0; i < count; ++i) {
            sni_relaxation_result made = snt_relax(context, membrane, &relaxations[i], points);
            assert_same_result(&made, &wanted[i]);
            assert_memory_equal(points, expected + 3 * (size_t)i * desc->vertex_count, bytes);
        }
        sni_membrane_destroy(membrane);
        snt_context_end(context);
    }
    free(wanted);
    free(expected);
    free(points);
}

// A sheet of 18 tiles in three pieces, with holes and vertices of no triangle.
static snt_patch large_patch(void) {
    snt_random random = {21};
    snt_patch p = snt_patch_random(&random, 270);
    snt_patch_bend(&random, &p, 1.2, 0.05, 0.002);
    uint32_t kept = 0;
    for (uint32_t t = 0; t < p.triangle_count; ++t) {
        uint32_t row = p.vertices[3 * (size_t)t] / 271;
        if (row != 90 && row != 91 && row != 180) {
            memmove(p.vertices + 3 * (size_t)kept++, p.vertices + 3 * (size_t)t,
                    3 * sizeof *p.vertices);
        }
    }
    p.triangle_count = kept;
    return p;
}

static void tiles_do_not_show(void **state) {
    (void)state;
    snt_patch p = large_patch();
    sni_membrane_desc desc = snt_patch_describe(&p);
    static const uint32_t rounds[] = {1, 2, 5, 7, 30};
    sni_relaxation relaxations[11];
    for (int i = 0; i < 10; ++i) {
        relaxations[i] = snt_patch_relaxation(&p, rounds[i / 2]);
        relaxations[i].accelerate = i % 2 != 0;
    }
    relaxations[10] = snt_patch_relaxation(&p, 8);
    relaxations[10].paper_steps = true;
    assert_tiles_do_not_show(&desc, relaxations, 11);
    snt_patch_free(&p);
}

// Also against calls of one round each.
static void groups_of_rounds_are_rounds(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    snt_patch p = large_patch();
    sni_membrane_desc desc = snt_patch_describe(&p);
    size_t bytes = 3 * (size_t)p.vertex_count * sizeof(float);
    float *points = malloc(bytes);
    sni_membrane *membrane = snt_membrane(context, &desc);
    memcpy(points, p.anchors, bytes);
    for (uint32_t round = 0; round < 13; ++round) {
        sni_relaxation one = snt_patch_relaxation(&p, 1);
        one.start = points;
        snt_relax(context, membrane, &one, points);
    }
    sni_relaxation all = snt_patch_relaxation(&p, 13);
    sni_relaxation_result result = snt_relax(context, membrane, &all, p.relaxed);
    assert_memory_equal(points, p.relaxed, bytes);
    // Stopped there by a tolerance, in the middle of a group.
    sni_relaxation until = snt_patch_relaxation(&p, 1000);
    until.tolerance = result.largest;
    result = snt_relax(context, membrane, &until, p.relaxed);
    assert_int_equal(result.rounds, 13);
    assert_memory_equal(points, p.relaxed, bytes);
    free(points);
    sni_membrane_destroy(membrane);
    snt_patch_free(&p);
    snt_context_end(context);
}

static void tiles_do_not_show_with_all_that_there_is(void **state) {
    (void)state;
    snt_patch p = large_patch();
    snt_random random = {22};
    float *spheres = calloc(4 * (size_t)p.vertex_count, sizeof(float));
    float *elasticity = calloc(p.vertex_count, sizeof(float));
    for (size_t i = 0; i < p.vertex_count; ++i) {
        elasticity[i] = (float)snt_random_range(&random, 0, 3);
        memcpy(spheres + 4 * i, p.anchors + 3 * i, 3 * sizeof(float));
        spheres[4 * i + 2] -= 0.002f;
        spheres[4 * i + 3] = i % 3 == 0 ? 0.0019f : 0;
    }
    sni_membrane_desc desc = snt_patch_describe(&p);
    desc.elasticity = elasticity;
    desc.rest = 0.7;
    sni_relaxation relaxations[2];
    for (int fast = 0; fast < 2; ++fast) {
        relaxations[fast] = snt_patch_relaxation(&p, 40);
        relaxations[fast].accelerate = fast != 0;
        relaxations[fast].spheres = spheres;
        relaxations[fast].tolerance = 2e-4;
    }
    assert_tiles_do_not_show(&desc, relaxations, 2);
    free(spheres);
    free(elasticity);
    snt_patch_free(&p);
}

// Steps that raise the energy, in the middle of groups too.
static void tiles_do_not_show_when_steps_are_taken_back(void **state) {
    (void)state;
    snt_patch p = large_patch();
    snt_random random = {23};
    snt_patch_bend(&random, &p, 2, 0.4, 0.1);
    sni_membrane_desc desc = snt_patch_describe(&p);
    sni_relaxation relaxation = snt_patch_relaxation(&p, 40);
    relaxation.accelerate = true;
    sn_context *context = snt_context(1);
    assert_true(relax_untiled(context, &desc, &relaxation, p.relaxed).restarts > 0);
    snt_context_end(context);
    assert_tiles_do_not_show(&desc, &relaxation, 1);
    snt_patch_free(&p);
}

// A vertex that is tied to all others, and triangles between any vertices: nothing to cut, and the
// same result as ever.
static void what_cannot_be_cut_is_not(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        snt_random random = {24};
        snt_patch p = snt_patch_random(&random, 150);
        snt_patch_bend(&random, &p, 1, 0.05, 0);
        for (uint32_t i = 0; i < p.triangle_count; ++i) {
            uint32_t *corners = p.vertices + 3 * (size_t)i;
            for (int k = 0; k < 3 && kind == 1; ++k) {
                corners[k] = snt_random_u32(&random) % p.vertex_count;
            }
            corners[0] = kind == 0 ? 0 : corners[0];
        }
        sni_membrane_desc desc = snt_patch_describe(&p);
        sni_relaxation relaxation = snt_patch_relaxation(&p, 12);
        float *first = malloc(3 * (size_t)p.vertex_count * sizeof *first);
        for (uint32_t threads = 1; threads <= 2; ++threads) {
            sn_context *context = snt_context(threads);
            sni_membrane *membrane = snt_membrane(context, &desc);
            assert_false(sni_membrane_schedule_pays(&membrane->schedule, 2));
            snt_relax(context, membrane, &relaxation, threads == 1 ? first : p.relaxed);
            sni_membrane_destroy(membrane);
            snt_context_end(context);
        }
        assert_memory_equal(first, p.relaxed, 3 * (size_t)p.vertex_count * sizeof *first);
        free(first);
        snt_patch_free(&p);
    }
}

static void springs_that_differ_at_their_ends_are_found(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const uint32_t vertices[] = {0, 1, 2, 2, 1, 3};
    sni_membrane_desc desc = sni_membrane_desc_default();
    desc.vertex_count = 4;
    desc.positions = positions;
    desc.triangle_count = 2;
    desc.vertices = vertices;
    sni_membrane_springs springs = {0};
    snt_ok(sni_membrane_springs_make(context, &desc, &springs, error));
    assert_true(sni_membrane_springs_are_valid(&springs, 4));
    springs.stiffness[0] *= 2;
    assert_false(sni_membrane_springs_are_valid(&springs, 4));
    springs.stiffness[0] /= 2;
    springs.neighbours[0] = 3; // there is no edge from 0 to 3
    assert_false(sni_membrane_springs_are_valid(&springs, 4));
    sni_membrane_springs_free(context, &springs);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_do_not_show),
        cmocka_unit_test(groups_of_rounds_are_rounds),
        cmocka_unit_test(tiles_do_not_show_with_all_that_there_is),
        cmocka_unit_test(tiles_do_not_show_when_steps_are_taken_back),
        cmocka_unit_test(what_cannot_be_cut_is_not),
        cmocka_unit_test(springs_that_differ_at_their_ends_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
