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
        void *part;
        snt_ok(sni_deformer_falloff.attach(&job, m, bound, &part, error));
        sni_deformer_falloff.exchange(bound, m, part);
        sni_deformer_falloff.detach(context, part);
        assert_int_equal(sni_deformer_falloff.bytes(bound), sni_deformer_falloff.bytes(b.bound));
        memset(b.out, 0, bytes);
        sni_deform_job frame = deform_job(&b);
        snt_ok(sni_deformer_falloff.deform(bound, &frame, error));
        assert_memory_equal(b.out, expected, bytes);
    }
    free(expected);
    sni_deformer_falloff.unbind(context, bound);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motion_and_scale_of_everything_carry_over),
        cmocka_unit_test(cages_of_subdivision_surfaces_follow),
        cmocka_unit_test(a_muscle_attached_anew_is_as_at_first),
        cmocka_unit_test(rational_muscles_move_points_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
