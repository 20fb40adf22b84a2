// SPDX-License-Identifier: Apache-2.0
//
// Skin that touches itself: two plates of flesh, each on a bone of its own, that are pressed
// against each other.
#include "grid.h"

#include "deformer.h"
#include "skin/skin.h"

#include <math.h>

enum { ACROSS = 24, ALONG = 20, SIDE = (ACROSS + 1) * (ALONG + 1) };
static const double width = 0.06, depth = 0.05, thick = 0.01;

typedef struct scene {
    sn_context *context;
    sni_arena arena;
    sn_mesh *skin, *bones[2];
    sn_segment segments[2];
    uint32_t order[2];
    sn_skeleton skeleton;
    sn_mat4 rest[2], worlds[2];
    sni_component components[2];
    sni_components_input under;
    double parameters[32];
    float *out;
    void *bound, *kept;
} scene;

// Two sheets in one mesh: the second `apart` above the first, which faces up, or down where the
// plates lie back to back.
static sn_mesh *make_sheets(sn_context *context, double apart, bool facing) {
    sn_mesh *one = snt_grid(context, "one", ACROSS, ALONG, width, depth, true), *both = NULL;
    uint32_t corners = one->face_offsets[one->face_count];
    snt_ok(
        sn_mesh_create(context, "skin", 2 * SIDE, 2 * one->face_count, 2 * corners, &both, error));
    for (uint32_t i = 0; i < 2 * SIDE; ++i) {
        sn_vec3 p = sn_vec3_load(one->positions + 3 * (size_t)(i % SIDE));
        p.y = i < SIDE ? 0 : apart;
        sn_vec3_store(p, both->positions + 3 * (size_t)i);
    }
    for (uint32_t f = 0; f <= both->face_count; ++f) {
        both->face_offsets[f] = 3 * f;
    }
    for (uint32_t f = 0; f < both->face_count; ++f) {
        const uint32_t *from = one->corners + 3 * (size_t)(f % one->face_count);
        bool upper = f >= one->face_count, turned = upper == facing;
        for (uint32_t k = 0; k < 3; ++k) {
            both->corners[3 * (size_t)f + k] = from[turned ? 2 - k : k] + (upper ? SIDE : 0);
        }
    }
    sn_mesh_destroy(one);
    return both;
}

static scene *make(sn_context *context, double apart, bool facing) {
    scene *s = sni_alloc_zero(context, 1, sizeof *s);
    s->context = context;
    s->skin = make_sheets(context, apart, facing);
    for (uint32_t i = 0; i < 2; ++i) {
        s->bones[i] = snt_grid(context, "bone", 4, 4, 2 * width, 2 * depth, false);
        double up = facing ? thick : -thick;
        snt_shift(s->bones[i], -width / 2, i == 0 ? -up : apart + up, -depth / 2);
        s->components[i] = (sni_component){.name = "bone", .mesh = s->bones[i], .segment = i};
        s->segments[i] = (sn_segment){.name = i == 0 ? "lower" : "upper", .parent = SN_NONE};
        s->order[i] = i;
        s->rest[i] = s->worlds[i] = sn_mat4_identity();
    }
    s->under = (sni_components_input){2, s->components};
    s->skeleton =
        (sn_skeleton){.segment_count = 2, .segments = s->segments, .parents_first = s->order};
    s->out = sni_alloc_zero(context, 6 * (size_t)SIDE, sizeof *s->out);
    sni_arena_init(&s->arena, context);
    sni_parameters_defaults(&sni_deformer_layers.parameters, s->parameters);
    sni_bind_job job = {.context = context,
                        .mesh = s->skin,
                        .parameters = s->parameters,
                        .skeleton = &s->skeleton,
                        .rest_worlds = s->rest,
                        .inputs = {&s->under}};
    snt_ok(sni_deformer_layers.bind(&job, &s->bound, error));
    return s;
}

static void end(scene *s) {
    sn_context *context = s->context;
    sni_deformer_layers.unbind(context, s->bound);
    sni_deformer_layers.kept_free(context, s->kept);
    sn_mesh_destroy(s->skin);
    sn_mesh_destroy(s->bones[0]);
    sn_mesh_destroy(s->bones[1]);
    sni_free(context, s->out);
    sni_arena_deinit(&s->arena);
    sni_free(context, s);
}

// The upper bone goes down by `press`.
static void deform(scene *s, double press) {
    s->worlds[1].m[13] = -press;
    const sni_components_pose under = {.points = (const float *[2]){NULL, NULL}};
    sni_deform_job job = {.context = s->context,
                          .arena = &s->arena,
                          .vertex_count = s->skin->vertex_count,
                          .points_in = s->skin->positions,
                          .points_out = s->out,
                          .segment_count = 2,
                          .worlds = s->worlds,
                          .inputs = {&under},
                          .kept = &s->kept};
    snt_ok(sni_deformer_layers.deform(s->bound, &job, error));
}

static double height(const scene *s, uint32_t vertex) {
    return (double)s->out[3 * (size_t)vertex + 1];
}

// How far vertices of the upper sheet are above those that they stood over at rest.
static void gaps(const scene *s, double *least, double *most) {
    *least = INFINITY;
    *most = -INFINITY;
    for (uint32_t i = 0; i < SIDE; ++i) {
        double gap = height(s, SIDE + i) - height(s, i);
        *least = fmin(*least, gap);
        *most = fmax(*most, gap);
    }
}

static void plates_meet_half_way(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context, 0.0002, true);
    double least, most;
    deform(s, 0);
    gaps(s, &least, &most);
    assert_true(least > 0.0002 - 2e-6 && most < 0.0002 + 2e-6);
    deform(s, 0.002);
    gaps(s, &least, &most);
    assert_true(least > 0 && most < 3e-4);
    uint32_t middle = ALONG / 2 * (ACROSS + 1) + ACROSS / 2;
    snt_near(height(s, middle), -0.0009, 1e-4);
    sni_flesh_measure measure;
    sni_deformer_layers.flesh(s->bound, s->kept, &measure);
    assert_int_equal(measure.flipped, 0);
    end(s);
    snt_context_end(context);
}

// What was closed parts late, and then parts.
static void closed_skin_parts_late(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context, 0.0002, true);
    double least, most;
    deform(s, -0.0003);
    gaps(s, &least, &most);
    assert_true(least > 0 && most < 3e-4);
    deform(s, -0.003);
    gaps(s, &least, &most);
    assert_true(least > 0.0031);
    end(s);
    snt_context_end(context);
}

// Plates that lie back to back are two sides of one part: they do not push each other away.
static void sides_of_one_part_do_not_touch(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context, 0.0002, false);
    double least, most;
    deform(s, 0.001);
    gaps(s, &least, &most);
    assert_true(least < -0.0007 && most < -0.0007);
    end(s);
    snt_context_end(context);
}

static void threads_give_the_same_bits(void **state) {
    (void)state;
    sn_context *keeper = snt_context(1);
    size_t size = 6 * (size_t)SIDE * sizeof(float);
    float *first = sni_alloc(keeper, 1, size);
    for (uint32_t threads = 1; threads <= 3; ++threads) {
        sn_context *context = snt_context(threads);
        scene *s = make(context, 0.001, true);
        deform(s, 0.003);
        if (threads == 1) {
            memcpy(first, s->out, size);
        }
        assert_memory_equal(first, s->out, size);
        end(s);
        snt_context_end(context);
    }
    sni_free(keeper, first);
    snt_context_end(keeper);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_meet_half_way),
        cmocka_unit_test(closed_skin_parts_late),
        cmocka_unit_test(sides_of_one_part_do_not_touch),
        cmocka_unit_test(threads_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
