// SPDX-License-Identifier: Apache-2.0
#include "input/span_internal.h"

#include "character/blueprint/blueprint.h"

static const sni_muscle_body_plan *body_of(const sni_blueprint *blueprint, const sn_value *object) {
    for (uint32_t i = 0; i < blueprint->muscle_count; ++i) {
        const sni_muscle_plan *muscle = &blueprint->muscles[i];
        const sni_bodies_plan *bodies = sni_muscle_input(muscle, &sni_input_fibres);
        if (muscle->value == object && bodies != NULL) {
            return &bodies->bodies[0].body;
        }
    }
    return NULL;
}

static uint32_t depth_of(const sn_skeleton *skeleton, uint32_t segment) {
    uint32_t depth = 0;
    while (skeleton->segments[segment].parent != SN_NONE) {
        segment = skeleton->segments[segment].parent;
        ++depth;
    }
    return depth;
}

// Marks both segments and all between them; those of two skeletons have nothing between them.
static void mark_way(const sn_skeleton *skeleton, uint32_t a, uint32_t b, bool *spanned) {
    uint32_t a_depth = depth_of(skeleton, a), b_depth = depth_of(skeleton, b), both[2] = {a, b};
    while (a != b && a != SN_NONE && b != SN_NONE) {
        bool up_a = a_depth >= b_depth, up_b = b_depth >= a_depth;
        spanned[a] = spanned[a] || up_a;
        spanned[b] = spanned[b] || up_b;
        a = up_a ? skeleton->segments[a].parent : a;
        b = up_b ? skeleton->segments[b].parent : b;
        a_depth -= up_a;
        b_depth -= up_b;
    }
    if (a == b && a != SN_NONE) {
        spanned[a] = true;
    }
    spanned[both[0]] = spanned[both[1]] = true;
}

void sni_mark_spanned(const sni_rest *rest, const sn_value *object, bool *spanned) {
    const sn_skeleton *skeleton = sni_rig_skeleton(rest->rig);
    const sni_muscle_body_plan *body = body_of(rest->blueprint, object);
    for (uint32_t i = 0; body != NULL && i < body->attachment_count; ++i) {
        uint32_t from = body->origins[i].segment;
        for (uint32_t k = 0; k < body->pivot_count; ++k) {
            mark_way(skeleton, from, body->pivots[k].segment, spanned);
        }
        mark_way(skeleton, from, body->insertions[i].segment, spanned);
    }
}
