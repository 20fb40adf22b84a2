// SPDX-License-Identifier: Apache-2.0
//
// A skin with muscles under it that the `falloff` deformer is bound to.
#ifndef SNT_SKIN_FALLOFF_BODY_H
#define SNT_SKIN_FALLOFF_BODY_H

#include "muscle/patch/patch.h"
#include "skin/falloff.h"
#include "tests/muscle/toy.h"

#include <stdlib.h>

enum { ENVELOPE, FULL, NONE, SHAPE, REACH, OVERLAP };

// A skin, some muscles under it, and a binding to them.
enum { MUSCLES = 2, POINTS = 64 };
typedef struct body {
    sn_context *context;
    toy skin;
    void *bound_muscles[MUSCLES];
    sni_muscle_surface muscles[MUSCLES];
    sni_muscle_points states[MUSCLES];
    double relaxed[MUSCLES][3 * POINTS], contracted[MUSCLES][3 * POINTS];
    float *weights, *in, *out;
    double parameters[8];
    sni_muscles_input under; // `muscles`, as many as there are
    sni_muscles_pose posed;  // `states`
    void *bound;
    sni_arena arena;
} body;

// A body without muscles, of a skin that becomes its own.
static inline void body_of_skin(body *b, sn_context *context, const toy *skin) {
    *b = (body){.context = context, .skin = *skin};
    size_t count = 3 * (size_t)b->skin.mesh->vertex_count;
    b->out = sni_alloc_zero(context, count, sizeof *b->out);
    b->in = b->skin.mesh->positions;
    b->under.muscles = b->muscles;
    b->posed.muscles = b->states;
    sni_arena_init(&b->arena, context);
    sni_parameters_defaults(&sni_deformer_falloff.parameters, b->parameters);
}

static inline void make_body(body *b, sn_context *context, toy_shape *shape, uint32_t wide,
                             uint32_t high, bool round) {
    toy skin = make_toy(context, shape, wide, high, round);
    body_of_skin(b, context, &skin);
    b->parameters[FULL] = 0.1;
    b->parameters[NONE] = 0.4;
}

static inline void add_drawn(body *b, toy_curves *c) {
    uint32_t m = b->under.count++;
    sni_muscle_job job = toy_job(&b->skin, c);
    snt_ok(sni_muscle_patch.bind(&job, &b->bound_muscles[m], error));
    sni_muscle_patch.surface(b->bound_muscles[m], &b->muscles[m]);
    b->states[m] = (sni_muscle_points){.relaxed = b->relaxed[m], .contracted = b->contracted[m]};
}

static inline void add_muscle(body *b, toy_shape *shape, double s0, double s1) {
    toy_curves c;
    toy_draw_lines(&b->skin, shape, &c, 4, s0, s1, 0.25, 0.75);
    add_drawn(b, &c);
}

static inline void contract(body *b, uint32_t m, double contraction) {
    sni_muscle_pose_job job = {.context = b->context,
                               .arena = &b->arena,
                               .contraction = contraction,
                               .relaxed = b->relaxed[m],
                               .contracted = b->contracted[m]};
    snt_ok(sni_muscle_patch.pose(b->bound_muscles[m], &job, error));
}

static inline sni_bind_job bind_job(const body *b) {
    return (sni_bind_job){.context = b->context,
                          .mesh = b->skin.mesh,
                          .parameters = b->parameters,
                          .point_weights = b->weights,
                          .inputs = {&b->under}};
}

static inline sni_deform_job deform_job(body *b) {
    return (sni_deform_job){.context = b->context,
                            .arena = &b->arena,
                            .vertex_count = b->skin.mesh->vertex_count,
                            .points_in = b->in,
                            .points_out = b->out,
                            .inputs = {&b->posed}};
}

static inline void bind(body *b) {
    sni_bind_job job = bind_job(b);
    sni_deformer_falloff.unbind(b->context, b->bound);
    snt_ok(sni_deformer_falloff.bind(&job, &b->bound, error));
}

static inline void deform(body *b) {
    sni_deform_job job = deform_job(b);
    snt_ok(sni_deformer_falloff.deform(b->bound, &job, error));
}

// Points as they are now, to be compared with later; free() them.
static inline float *copy_points(const body *b) {
    size_t bytes = 12 * (size_t)b->skin.mesh->vertex_count;
    float *copy = malloc(bytes);
    assert_non_null(copy);
    return memcpy(copy, b->out, bytes);
}

// A plane with one contracted muscle.
static inline void make_plane(body *b, sn_context *context, uint32_t wide) {
    make_body(b, context, toy_plane, wide, wide, false);
    add_muscle(b, toy_plane, 0.3, 0.6);
    contract(b, 0, 0.3);
}

// A tube with two muscles that overlap.
static inline void make_tube(body *b, sn_context *context, uint32_t wide, uint32_t high) {
    make_body(b, context, toy_tube, wide, high, true);
    add_muscle(b, toy_tube, 0.1, 0.3);
    add_muscle(b, toy_tube, 0.25, 0.45);
}

static inline void free_body(body *b) {
    sni_deformer_falloff.unbind(b->context, b->bound);
    for (uint32_t m = 0; m < b->under.count; ++m) {
        sni_muscle_patch.unbind(b->context, b->bound_muscles[m]);
    }
    sni_arena_deinit(&b->arena);
    sni_free(b->context, b->out);
    sni_free(b->context, b->weights);
    free_toy(&b->skin);
}

static inline double moved(const body *b, uint32_t vertex) {
    sn_vec3 p = sn_vec3_load(b->in + 3 * (size_t)vertex);
    return sn_vec3_distance(p, sn_vec3_load(b->out + 3 * (size_t)vertex));
}

#endif
