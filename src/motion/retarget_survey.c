// SPDX-License-Identifier: Apache-2.0
//
// All frames of the source, as far as retargeting has to know them.
#include "motion/retarget_feet.h"

#include <math.h>

static const sni_body_part followed_parts[SNI_FOLLOWED_COUNT] = {
    [SNI_FOLLOWED_ARM] = SNI_BODY_UPPER_ARM, [SNI_FOLLOWED_THIGH] = SNI_BODY_THIGH,
    [SNI_FOLLOWED_SHIN] = SNI_BODY_SHIN,     [SNI_FOLLOWED_FOOT] = SNI_BODY_FOOT,
    [SNI_FOLLOWED_TOES] = SNI_BODY_TOES,
};

void sni_followed_segments(const sni_stance *stance, uint32_t segments[SNI_FOLLOWED_COUNT][2]) {
    for (int i = 0; i < SNI_FOLLOWED_COUNT; ++i) {
        segments[i][0] = sni_stance_first(stance, followed_parts[i], SNI_SIDE_LEFT);
        segments[i][1] = sni_stance_first(stance, followed_parts[i], SNI_SIDE_RIGHT);
    }
}

// The farthest end of a foot that is no higher than its ankle; SN_NONE: there is none.
static uint32_t find_end(const sni_stance *stance, uint32_t foot) {
    uint32_t end = SN_NONE;
    double most = 0;
    for (uint32_t i = 0; i < stance->skeleton->segment_count; ++i) {
        sn_vec3 way = sn_vec3_sub(stance->positions[i], stance->positions[foot]);
        if (stance->skeleton->segments[i].parent == foot && way.y <= 0 &&
            stance->body.roles[i].part == SNI_BODY_NONE && hypot(way.x, way.z) > most) {
            most = hypot(way.x, way.z);
            end = i;
        }
    }
    return end;
}

void sni_followed_balls(const sni_stance *stance, uint32_t segments[SNI_FOLLOWED_COUNT][2]) {
    for (int side = 0; side < 2; ++side) {
        uint32_t foot = segments[SNI_FOLLOWED_FOOT][side];
        if (segments[SNI_FOLLOWED_TOES][side] == SN_NONE && foot != SN_NONE) {
            segments[SNI_FOLLOWED_TOES][side] = find_end(stance, foot);
        }
    }
}

bool sni_survey_has(const sni_survey *survey, sni_followed joint) {
    return survey->segments[joint][0] != SN_NONE && survey->segments[joint][1] != SN_NONE;
}

static sn_quat world_rotation(const sn_skeleton *skeleton, const sn_transform *locals,
                              uint32_t segment) {
    sn_quat rotation = sn_quat_identity();
    for (; segment != SN_NONE; segment = skeleton->segments[segment].parent) {
        rotation = sn_quat_multiply(sn_quat_normalize(locals[segment].rotation), rotation);
    }
    return rotation;
}

static void record(const sn_skeleton *skeleton, const sni_pose *pose, uint32_t frame,
                   sni_survey *survey) {
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < SNI_FOLLOWED_COUNT; ++i) {
            uint32_t segment = survey->segments[i][side];
            const double *m = segment != SN_NONE ? pose->worlds[segment].m : NULL;
            survey->places[frame][i][side] =
                m != NULL ? sn_vec3_make(m[12], m[13], m[14]) : sn_vec3_make(0, 0, 0);
        }
        survey->feet[frame][side] =
            world_rotation(skeleton, pose->locals, survey->segments[SNI_FOLLOWED_FOOT][side]);
    }
    // Of q and -q the one nearer to the sum so far: the mean of rotations that are not far apart
    // (Markley et al. 2007, "Averaging Quaternions", to first order).
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        sn_quat q = sn_quat_normalize(pose->locals[i].rotation);
        sn_quat *sum = &survey->means[i];
        *sum = sn_quat_add(*sum, sn_quat_scale(q, sn_quat_dot(*sum, q) < 0 ? -1 : 1));
    }
}

sn_status sni_survey_init(const sni_retarget *r, const sni_rig *rig, const sni_player *player,
                          sni_pose *pose, sni_survey *survey, sn_error *error) {
    sn_status status = SN_OK;
    const sn_skeleton *skeleton = r->source.skeleton;
    uint32_t count = r->clip->frame_count;
    *survey = (sni_survey){.frame_count = count, .rate = r->clip->rate};
    sni_followed_segments(&r->source, survey->segments);
    SNI_NEW(r->context, survey->places, count);
    SNI_NEW(r->context, survey->feet, count);
    SNI_NEW_ZERO(r->context, survey->means, skeleton->segment_count);
    for (uint32_t f = 0; f < count; ++f) {
        SN_TRY(sni_rig_pose(rig, player, f / survey->rate, NULL, 0, pose, error));
        record(skeleton, pose, f, survey);
    }
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        sn_quat sum = survey->means[i];
        survey->means[i] = sn_quat_dot(sum, sum) > 0 ? sn_quat_normalize(sum) : sn_quat_identity();
    }
cleanup:
    return status;
}

void sni_survey_deinit(sn_context *context, sni_survey *survey) {
    sni_free(context, survey->places);
    sni_free(context, survey->feet);
    sni_free(context, survey->means);
    *survey = (sni_survey){0};
}
