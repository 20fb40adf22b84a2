// SPDX-License-Identifier: Apache-2.0
//
// What a model's own weights do where a single joint is bent, about as far as people bend it,
// whatever a clip asks for.
#include "bench/rigs/rigs.h"

#include "motion/retarget.h"

#include <math.h>
#include <string.h>

// An angle about an axis of the body at rest. Arms turn to the other side on the right.
typedef struct bend {
    snb_mark mark;
    enum { ABOUT_LEFT, ABOUT_UP, ABOUT_FORWARD } about;
    double angle;
    bool mirrors;
} bend;

static const double degree = SN_PI / 180;

// In degrees.
static const bend bends[] = {
    {SNB_MARK_THIGH, ABOUT_LEFT, -120, false},      // forward
    {SNB_MARK_THIGH, ABOUT_LEFT, 20, false},        // back
    {SNB_MARK_THIGH, ABOUT_FORWARD, 45, true},      // out
    {SNB_MARK_SHIN, ABOUT_LEFT, 140, false},        // back
    {SNB_MARK_FOOT, ABOUT_LEFT, -20, false},        // up
    {SNB_MARK_FOOT, ABOUT_LEFT, 40, false},         // down
    {SNB_MARK_UPPER_ARM, ABOUT_FORWARD, 90, true},  // up
    {SNB_MARK_UPPER_ARM, ABOUT_FORWARD, -60, true}, // down
    {SNB_MARK_UPPER_ARM, ABOUT_UP, -110, true},     // forward
    {SNB_MARK_UPPER_ARM, ABOUT_UP, 30, true},       // back
    {SNB_MARK_FOREARM, ABOUT_UP, -140, true},       // forward
};

// Edges that fold over are shortest on the way.
static const int step_count = 8;

static sn_quat turn_of(const bend *b, int side, sn_vec3 left, sn_vec3 up) {
    const sn_vec3 axes[] = {left, up, sn_vec3_cross(left, up)};
    double angle = b->mirrors && side == 1 ? -b->angle : b->angle;
    return sn_quat_from_axis_angle(axes[b->about], angle * degree);
}

static sn_status measure_step(snb_rig_body *body, const sni_stance *rest, uint32_t segment,
                              sn_quat turn, snb_stretch *stretch, sn_error *error) {
    sn_status status = SN_OK;
    const sn_segment *segments = sn_model_skeleton(body->model)->segments;
    uint32_t parent = segments[segment].parent;
    sn_quat above = parent != SN_NONE ? rest->rotations[parent] : sn_quat_identity();
    sn_quat world = sn_quat_multiply(turn, rest->rotations[segment]);
    sn_quat local = sn_quat_normalize(sn_quat_multiply(sn_quat_conjugate(above), world));
    sn_clip *clip = NULL;
    sn_motion *motion = NULL;
    sn_track *track;
    SN_TRY(sn_clip_create(body->context, "bend", 30, 1, &clip, error));
    SN_TRY(sn_clip_add_track(clip, SN_TRACK_ROTATION, segments[segment].name,
                             SN_INTERPOLATION_LINEAR, 1, &track, error));
    track->times[0] = 0;
    const double values[4] = {local.x, local.y, local.z, local.w};
    for (int i = 0; i < 4; ++i) {
        track->values[i] = values[i];
    }
    SN_TRY(sn_motion_create(body->plain_model, clip, &motion, error));
    SN_TRY(sn_frame_evaluate(body->plain, motion, 0, error));
    snb_measure_edges(body, body->plain, stretch, body->beyond);
cleanup:
    sn_motion_destroy(motion);
    sn_clip_destroy(clip);
    return status;
}

static sn_status measure_bend(snb_rig_body *body, const sni_stance *rest, uint32_t segment,
                              sn_quat turn, snb_stretch *stretch, sn_error *error) {
    sn_status status = SN_OK;
    for (int i = 1; i <= step_count && status == SN_OK; ++i) {
        sn_quat part = sn_quat_slerp(sn_quat_identity(), turn, (double)i / step_count);
        status = measure_step(body, rest, segment, part, stretch, error);
    }
    return status;
}

// The lowest joint of the spine, SN_NONE where the head does not hang on the hips.
static uint32_t find_spine(const snb_rig_body *body) {
    const sn_segment *segments = sn_model_skeleton(body->model)->segments;
    uint32_t hips = body->marks.segments[SNB_MARK_HIPS][0];
    uint32_t segment = body->marks.segments[SNB_MARK_HEAD][0];
    while (segment != SN_NONE && segments[segment].parent != hips) {
        segment = segments[segment].parent;
    }
    return segment;
}

// Bows, leans to a side and turns.
static sn_status measure_bows(snb_rig_body *body, const sni_stance *rest, snb_stretch *stretch,
                              sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 left, up;
    uint32_t spine = find_spine(body);
    if (spine == SN_NONE || !sni_stance_axes(rest, &left, &up)) {
        return SN_OK;
    }
    const sn_quat turns[] = {sn_quat_from_axis_angle(left, 45 * degree),
                             sn_quat_from_axis_angle(sn_vec3_cross(left, up), 30 * degree),
                             sn_quat_from_axis_angle(up, 30 * degree)};
    for (int i = 0; i < 3 && status == SN_OK; ++i) {
        status = measure_bend(body, rest, spine, turns[i], stretch, error);
    }
    return status;
}

sn_status snb_rig_body_bend(snb_rig_body *body, sn_error *error) {
    sn_status status = SN_OK;
    sni_stance rest = {0};
    sn_vec3 left, up;
    snb_stretch stretch = snb_no_stretch;
    memset(body->beyond, 0, body->edge_count);
    SN_TRY(sni_stance_init(body->context, sn_model_skeleton(body->model), &rest, error));
    for (size_t i = 0; i < sizeof bends / sizeof *bends; ++i) {
        for (int side = 0; side < 2 && sni_stance_axes(&rest, &left, &up); ++side) {
            uint32_t segment = body->marks.segments[bends[i].mark][side];
            if (segment != SN_NONE) {
                SN_TRY(measure_bend(body, &rest, segment, turn_of(&bends[i], side, left, up),
                                    &stretch, error));
            }
        }
    }
    SN_TRY(measure_bows(body, &rest, &stretch, error));
    snb_take_folds(body);
    body->bent_least = stretch.least;
    body->bent_most = stretch.most;
cleanup:
    sni_stance_deinit(body->context, &rest);
    return status;
}
