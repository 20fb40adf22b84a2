// SPDX-License-Identifier: Apache-2.0
//
// Which joints bring a segment to a target, by names and by what they can turn.
#include "motion/body.h"
#include "motion/body_names.h"
#include "motion/skeleton.h"

#include <math.h>
#include <stdio.h>

// An angle swings the end where its axis is this much across the line to the end (a sine).
static const double across = 0.5;
// Whether a range of an angle is more than that of a joint that only gives a little.
static const double least_range = 20 * SN_PI / 180;

// Whether the joint of a segment can swing the end: not one that only twists what is below it.
static bool can_swing(const sn_segment *segment, const sn_mat4 *world, sn_vec3 end) {
    sn_mat4 inverse;
    if (!sn_mat4_invert(world, &inverse)) {
        return false;
    }
    sn_vec3 bone = sn_mat4_point(&inverse, end);
    double length = sn_vec3_length(bone);
    const double parts[3] = {bone.x, bone.y, bone.z};
    for (int i = 0; i < 3 && length > 0; ++i) {
        double along = parts[i] / length;
        if (sqrt(fmax(1 - along * along, 0)) > across &&
            segment->limits[i].high - segment->limits[i].low > least_range) {
            return true;
        }
    }
    return false;
}

static uint32_t next_swing(const sn_skeleton *skeleton, const sn_mat4 *worlds, uint32_t below,
                           sn_vec3 end) {
    uint32_t segment = skeleton->segments[below].parent;
    while (segment != SN_NONE && !can_swing(&skeleton->segments[segment], &worlds[segment], end)) {
        segment = skeleton->segments[segment].parent;
    }
    return segment;
}

static void find_by_swing(const sn_skeleton *skeleton, const sn_mat4 *worlds, sn_limb *limb) {
    const double *m = worlds[limb->end].m;
    sn_vec3 end = sn_vec3_make(m[12], m[13], m[14]);
    limb->lower = next_swing(skeleton, worlds, limb->end, end);
    if (limb->lower != SN_NONE) {
        limb->upper = next_swing(skeleton, worlds, limb->lower, end);
    }
}

static bool is_end(sni_body_part part) {
    return part == SNI_BODY_HAND || part == SNI_BODY_FOOT;
}

// Returns false where the segment is no hand or foot, or not below the limb of its side.
static bool find_by_name(const sn_skeleton *skeleton, const sni_body *body, sn_limb *limb) {
    sni_body_role role = body->roles[limb->end];
    bool foot = role.part == SNI_BODY_FOOT;
    if (!is_end(role.part)) {
        return false;
    }
    uint32_t upper = sni_body_first(body, foot ? SNI_BODY_THIGH : SNI_BODY_UPPER_ARM, role.side);
    uint32_t lower = sni_body_first(body, foot ? SNI_BODY_SHIN : SNI_BODY_FOREARM, role.side);
    if (upper == SN_NONE || lower == SN_NONE || upper == lower ||
        !sni_skeleton_carries(skeleton, upper, lower) ||
        !sni_skeleton_carries(skeleton, lower, limb->end)) {
        return false;
    }
    limb->upper = upper;
    limb->lower = lower;
    return true;
}

// The end of a limb alone, as in a model of one arm, has no side in its name: it is asked for as
// that of a left one.
static bool is_named_end(const sn_segment *segment) {
    char left[256];
    snprintf(left, sizeof left, "%s.L", segment->name != NULL ? segment->name : "");
    return is_end(sni_body_role_of_name(left, NULL).role.part);
}

sn_status sn_skeleton_limbs(sn_context *context, const sn_skeleton *skeleton, sn_limb *limbs,
                            sn_error *error) {
    sn_status status = SN_OK;
    sni_body body = {0};
    sn_mat4 *worlds = NULL;
    SN_TRY(sni_body_init(context, skeleton, &body, error));
    SN_TRY(sni_skeleton_rest_worlds(context, skeleton, &worlds, error));
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        limbs[i] = (sn_limb){.upper = SN_NONE, .lower = SN_NONE, .end = i};
        bool found = find_by_name(skeleton, &body, &limbs[i]);
        if (!found) {
            find_by_swing(skeleton, worlds, &limbs[i]);
        }
        limbs[i].is_named = found || is_named_end(&skeleton->segments[i]);
    }
cleanup:
    sni_free(context, worlds);
    sni_body_deinit(context, &body);
    return status;
}
