// SPDX-License-Identifier: Apache-2.0
#include "skin/implicit/sample.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

typedef struct sample_run {
    const sni_body_sampling *sampling;
    sni_field_tree tree;
    sni_tree_pose pose;
} sample_run;

static double value_at(const sample_run *run, sn_vec3 at) {
    const sni_skin_parts *parts = run->sampling->parts;
    double most = 0;
    for (uint32_t group = 0; group < run->tree.group_count; ++group) {
        most = fmax(most, sni_field_tree_posed_at(&run->tree, &run->pose, group, at).field.value);
    }
    for (uint32_t i = 0; i < parts->count; ++i) {
        if (parts->parts[i].group == SN_NONE && run->tree.parts[i].hrbf.center_count > 0) {
            most = fmax(most, sni_field_limb_at(&run->tree, &run->pose, i, at).value);
        }
    }
    return most;
}

static void sample_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const sample_run *run = user;
    for (uint32_t i = begin; i < end; ++i) {
        sn_vec3 at = sn_vec3_load(run->sampling->points + 3 * (size_t)i);
        run->sampling->values[i] = sn_vec3_is_finite(at) ? (float)value_at(run, at) : 0;
    }
}

// The parts as they are: those with muscles as their limbs have them.
static sni_field_part *choose_parts(const sni_body_sampling *s) {
    uint32_t count = s->parts->count;
    sni_field_part *parts = sni_arena_alloc(s->arena, count, sizeof *parts);
    for (uint32_t i = 0; i < count && parts != NULL; ++i) {
        bool has_muscles = s->limbs != NULL && s->limbs->parts[i].hrbf.center_count > 0;
        parts[i] = has_muscles ? s->limbs->parts[i] : s->body->parts[i];
    }
    return parts;
}

// The muscles where they are in the frame; those of no part are in no list.
static bool pose_muscles(const sni_body_sampling *s, sni_implicit_muscles_frame *frame) {
    uint32_t count = s->parts->count;
    if (!sni_implicit_muscles_begin(s->muscles, count, s->arena, frame)) {
        return false;
    }
    sni_implicit_muscles_step step = {
        .posed = s->posed, .from = s->motions, .to = s->motions, .now = s->motions, .share = 1};
    sni_implicit_muscles_pose(s->muscles, count, &step, frame);
    return true;
}

bool sni_body_sample(const sni_body_sampling *s) {
    enum { GRAIN = 256 };
    sni_arena_mark mark = sni_arena_mark_now(s->arena);
    sni_implicit_muscles_frame frame;
    sni_field_part *parts = choose_parts(s);
    bool done = parts != NULL && (s->limbs == NULL || pose_muscles(s, &frame));
    if (done) {
        sample_run run = {.sampling = s,
                          .tree = s->body->tree,
                          .pose = {s->motions, s->limbs != NULL ? &frame.all : NULL}};
        run.tree.parts = parts;
        sn_parallel_for(s->context, s->count, GRAIN, sample_block, &run);
    }
    sni_arena_release(s->arena, mark);
    return done;
}
