// SPDX-License-Identifier: Apache-2.0
//
// What must hold for the `falloff` deformer whatever the skin: rigid motion and scale carry over,
// cages and their parts move alike, a muscle attached anew is as one attached at first.
#include "test.h"

#include "falloff_body.h"
#include "sinew/geometry.h"

#include <stdlib.h>

static sn_mat4 current_move;

static sn_vec3 moved_bumpy(double s, double t) {
    return sn_mat4_point(&current_move, toy_bumpy(s, t));
}

// Skin, curves, thicknesses and distances, all moved and scaled: so is the result.
static void motion_and_scale_of_everything_carry_over(void **state) {
    (void)state;
    snt_random random = {21};
    for (int round = 0; round < 6; ++round) {
        sn_context *context = snt_context(2);
        double scale = round % 2 == 0 ? 1 : snt_random_range(&random, 0.05, 20);
        sn_vec3 angles = {snt_random_range(&random, -3, 3), snt_random_range(&random, -1, 1),
                          snt_random_range(&random, -3, 3)};
        sn_transform t = {.translation = {scale * snt_random_range(&random, -1, 1), scale, 0},
                          .rotation = sn_quat_from_euler(angles, SN_ROTATION_XYZ),
                          .scale = {scale, scale, scale}};
        current_move = sn_mat4_from_transform(&t);
        toy_draw_bumps(&random, 0.05);
        body plain, moving;
        make_body(&plain, context, toy_bumpy, 40, 40, false);
        make_body(&moving, context, moved_bumpy, 40, 40, false);
        toy_shape *shapes[2] = {toy_bumpy, moved_bumpy};
        body *bodies[2] = {&plain, &moving};
        for (int k = 0; k < 2; ++k) {
            body *b = bodies[k];
            double size = k == 0 ? 1 : scale;
            toy_curves c;
            toy_draw_lines(&b->skin, shapes[k], &c, 4, 0.3, 0.6, 0.25, 0.75);
            c.parameters[SNI_PATCH_SKIN_THICKNESS] *= size;
            c.parameters[SNI_PATCH_MUSCLE_THICKNESS] *= size;
            b->parameters[FULL] *= size;
            b->parameters[NONE] *= size;
            add_drawn(b, &c);
            contract(b, 0, 0.4);
            bind(b);
            deform(b);
        }
        uint32_t following = 0;
        for (uint32_t i = 0; i < plain.skin.mesh->vertex_count; ++i) {
            sn_vec3 expected = sn_mat4_point(&current_move, sn_vec3_load(plain.out + 3 * i));
            snt_near(sn_vec3_distance(expected, sn_vec3_load(moving.out + 3 * i)), 0, 2e-5 * scale);
            following += moved(&plain, i) > 1e-3;
        }
        assert_true(following > 200);
        free_body(&plain);
        free_body(&moving);
        snt_context_end(context);
    }
}

// A cage of a few polygons follows as the same points of a fine skin do: what counts is where a
// point is, not what is around it.
static void cages_of_subdivision_surfaces_follow(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    body cage, fine;
    make_body(&cage, context, toy_plane, 10, 10, false);
    make_body(&fine, context, toy_plane, 40, 40, false);
    body *bodies[2] = {&cage, &fine};
    for (int k = 0; k < 2; ++k) {
        add_muscle(bodies[k], toy_plane, 0.3, 0.7);
        contract(bodies[k], 0, 0.4);
        bind(bodies[k]);
        deform(bodies[k]);
    }
    uint32_t following = 0;
    for (uint32_t i = 0; i < 11 * 11; ++i) { // every fourth point of the fine skin is the cage's
        uint32_t same = i / 11 * 4 * 41 + i % 11 * 4;
        for (int k = 0; k < 3; ++k) {
            snt_near(cage.out[3 * i + k], fine.out[3 * same + k], 2e-4);
        }
        following += moved(&cage, i) > 0.01;
    }
    assert_true(following >= 12);
    free_body(&cage);
    free_body(&fine);
    snt_context_end(context);
}

// Points of a muscle that went elsewhere let go, new ones follow, those of others keep their bits.
static void a_muscle_attached_anew_is_as_at_first(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    snt_random random = {22};
    body b;
    toy_draw_bumps(&random, 0.05);
    make_body(&b, context, toy_bumpy, 60, 60, false);
    add_muscle(&b, toy_bumpy, 0.2, 0.4);
    add_muscle(&b, toy_bumpy, 0.3, 0.6);
    bind(&b);
    void *bound = b.bound;
    b.bound = NULL;
    sni_store store;
    sni_store_init(&store, context, NULL);
    size_t bytes = 12 * (size_t)b.skin.mesh->vertex_count;
    float *expected = malloc(bytes);
    for (int round = 0; round < 4; ++round) {
        uint32_t m = (uint32_t)round % 2;
        double s0 = snt_random_range(&random, 0.1, 0.4), s1 = s0 + 0.3;
        sni_muscle_patch.unbind(context, b.bound_muscles[m]);
        toy_curves c;
        toy_draw_lines(&b.skin, toy_bumpy, &c, 4, s0, s1, 0.25, 0.75);
        sni_muscle_job muscle_job = toy_job(&b.skin, &c);
        snt_ok(sni_muscle_patch.bind(&muscle_job, &b.bound_muscles[m], error));
        sni_muscle_patch.surface(b.bound_muscles[m], &b.muscles[m]);
        contract(&b, 0, 0.3);
        contract(&b, 1, 0.5);
        bind(&b); // all of it
        deform(&b);
        memcpy(expected, b.out, bytes);
        sni_bind_job job = bind_job(&b);
        job.store = &store;
        b.muscles[m].digest.words[0] = 2 * (uint64_t)round + 1; // it was made from something else
        uint32_t kept = store.count;
        sni_deformer_falloff.unbind(context, bound);
        snt_ok(sni_deformer_falloff.bind(&job, &bound, error));
        // Each muscle and the skin's edges in the first round, then the one that has changed.
        assert_int_equal(store.count - kept, round == 0 ? 3 : 1);
        assert_int_equal(sni_deformer_falloff.bytes(bound), sni_deformer_falloff.bytes(b.bound));
        memset(b.out, 0, bytes);
        sni_deform_job frame = deform_job(&b);
        snt_ok(sni_deformer_falloff.deform(bound, &frame, error));
        assert_memory_equal(b.out, expected, bytes);
    }
    free(expected);
    sni_deformer_falloff.unbind(context, bound);
    sni_store_deinit(&store);
    free_body(&b);
    snt_context_end(context);
}

// The same surface as a plain and as a rational one, whose weights are all 2.
static void rational_muscles_move_points_alike(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    body b;
    make_body(&b, context, toy_tube, 60, 30, true);
    add_muscle(&b, toy_tube, 0.1, 0.3);
    contract(&b, 0, 0.3);
    bind(&b);
    deform(&b);
    uint32_t count = b.skin.mesh->vertex_count;
    float *expected = copy_points(&b);
    double weights[POINTS];
    for (int k = 0; k < POINTS; ++k) {
        weights[k] = 2;
    }
    b.muscles[0].nurbs.weights = weights;
    bind(&b);
    deform(&b);
    for (uint32_t i = 0; i < 3 * count; ++i) {
        snt_near(b.out[i], expected[i], 1e-6);
    }
    free(expected);
    free_body(&b);
    snt_context_end(context);
}

// A lip: a sheet that turns back on itself around an edge of radius `lip_radius`.
static double lip_radius;

static sn_vec3 lip(double s, double t) {
    double way = s * (2 + SN_PI * lip_radius), turn = fmin(fmax((way - 1) / lip_radius, 0), SN_PI);
    double x = way < 1        ? way - 1
               : turn < SN_PI ? lip_radius * sin(turn)
                              : 2 + SN_PI * lip_radius - way - 1;
    return sn_vec3_make(x, lip_radius * cos(turn), 1 - 2 * t);
}

// The attachments to the first muscle as factors of all points, and the least distance.
static double *find_factors(const body *b, const sni_falloff_settings *settings, double *least) {
    double *factors = calloc(b->skin.mesh->vertex_count, sizeof *factors);
    sni_bind_job job = bind_job(b);
    sni_skin_ways *ways;
    sni_attachments list;
    sni_digest digest = sni_digest_new();
    snt_ok(sni_skin_ways_create(b->context, b->skin.mesh, &digest, NULL, &ways, error));
    snt_ok(sni_falloff_attach(&job, &b->muscles[0], settings, ways, &list, error));
    *least = INFINITY;
    for (uint32_t i = 0; i < list.count; ++i) {
        factors[list.items[i].vertex] = list.items[i].factor;
        *least = fmin(*least, list.items[i].distance);
    }
    sni_free(b->context, list.items);
    sni_skin_ways_destroy(ways);
    return factors;
}

// From one end of an edge to the other, distance and way change by its length at most: so the
// effect changes by at most 3/2 edge (1 / (d_none - d_full) + (1 + reach) / band), 3/2 being the
// steepest slope of a cubic. The widths of the skin's polygons do not matter.
static void effects_fade_around_a_lip(void **state) {
    (void)state;
    snt_random random = {23};
    for (int round = 0; round < 8; ++round) {
        sn_context *context = snt_context(2);
        body b;
        lip_radius = snt_random_range(&random, 0.03, 0.12);
        uint32_t wide = 60 + 20 * (uint32_t)(round % 4);
        make_body(&b, context, lip, wide, 40, false);
        double end = 1 - snt_random_range(&random, 0.02, 0.2);
        add_muscle(&b, lip, 0.5 / (2 + SN_PI * lip_radius), end / (2 + SN_PI * lip_radius));
        sni_falloff_settings settings = {.d_full = snt_random_range(&random, 0.1, 0.3),
                                         .kind = SNI_FALLOFF_CUBIC,
                                         .reach = snt_random_range(&random, 1.5, 3)};
        settings.d_none = settings.d_full + 0.2;
        double least, near = b.muscles[0].trace_spacing;
        double *factors = find_factors(&b, &settings, &least);
        double band = (settings.reach - 1) * (near + least);
        double slope = 1.5 * (1 / 0.2 + (1 + settings.reach) / band);
        uint32_t faded = 0;
        for (uint32_t i = 0; i < b.skin.mesh->vertex_count; ++i) {
            uint32_t x = i % (wide + 1);
            sn_vec3 here = sn_vec3_load(b.in + 3 * (size_t)i);
            for (uint32_t k = 0; k < 2; ++k) {
                uint32_t other = k == 0 ? i + 1 : i + wide + 1;
                if (k == 0 ? x < wide : other < b.skin.mesh->vertex_count) {
                    double edge = sn_vec3_distance(here, sn_vec3_load(b.in + 3 * (size_t)other));
                    assert_true(fabs(factors[i] - factors[other]) <= slope * edge + 1e-9);
                }
            }
            faded += factors[i] > 0.02 && factors[i] < 0.98;
            assert_true(x < wide || factors[i] == 0); // the far end of the other side
        }
        assert_true(faded > 50);
        free(factors);
        free_body(&b);
        snt_context_end(context);
    }
}

// Reach 2, 4 away with the half cell, edges of 1: from 5 to 9.
static void fade_has_the_stated_values(void **state) {
    (void)state;
    assert_true(sni_falloff_fade(2, 4, 1, 0) == 1);
    assert_true(sni_falloff_fade(2, 4, 1, 5) == 1);
    snt_near(sni_falloff_fade(2, 4, 1, 6), 0.84375, 1e-12);
    snt_near(sni_falloff_fade(2, 4, 1, 7), 0.5, 1e-12);
    snt_near(sni_falloff_fade(2, 4, 1, 8), 0.15625, 1e-12);
    assert_true(sni_falloff_fade(2, 4, 1, 9) == 0);
    assert_true(sni_falloff_fade(2, 4, 1, INFINITY) == 0);
    assert_true(sni_falloff_fade(0.5, 4, 1, 3) == 1); // up to a reach of 1 there is no band
    assert_true(sni_falloff_fade(0.5, 4, 1, 3.1) == 0);
    assert_true(sni_falloff_fade(2, 0, 0, 0) == 1); // nor where all is one point
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motion_and_scale_of_everything_carry_over),
        cmocka_unit_test(cages_of_subdivision_surfaces_follow),
        cmocka_unit_test(a_muscle_attached_anew_is_as_at_first),
        cmocka_unit_test(rational_muscles_move_points_alike),
        cmocka_unit_test(fade_has_the_stated_values),
        cmocka_unit_test(effects_fade_around_a_lip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
