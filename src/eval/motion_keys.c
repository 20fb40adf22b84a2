// SPDX-License-Identifier: Apache-2.0
//
// Keys from motions. The motion is played twice: first to see which parameters move, then to take
// the values of these alone, so that memory does not grow with parameters that stand still.
#include "eval/model.h"
#include "motion/parameter.h"
#include "motion/reduce.h"
#include "motion/skeleton.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t desc_check = 0x6b657973; // "keys"

// Parts of a tolerance: what reducing may use, and, to powers of ten, what rounding does.
static const double reduced_part = 0.9, rounded_part = 0.1;

sn_keys_desc sn_keys_desc_default(void) {
    return (sn_keys_desc){
        .check = desc_check, .angle = 0.05 * SN_PI / 180, .length = 1e-4, .number = 1e-3};
}

// A parameter of the rig, and what the motion does to it.
typedef struct column {
    sni_parameter_ref ref;
    double rest;
    double tolerance; // in the unit of the track
    bool moves;
    double *values; // frame_count
} column;

typedef struct baker {
    const sn_motion *motion;
    const sni_rig *rig;
    sn_context *context;
    const sn_skeleton *skeleton;
    const sn_keys_desc *desc;
    uint32_t frame_count;
    sni_pose pose;
    uint32_t column_count;
    column *columns; // nine for each segment, then the controls
} baker;

static bool is_angle(const column *c) {
    return c->ref.control == SN_NONE && c->ref.joint_parameter <= SN_JOINT_RZ;
}

static bool is_length(const column *c) {
    return c->ref.control == SN_NONE && c->ref.joint_parameter >= SN_JOINT_TX &&
           c->ref.joint_parameter <= SN_JOINT_TZ;
}

static void add_columns(baker *b) {
    uint32_t joints = b->skeleton->segment_count * SN_JOINT_PARAMETER_COUNT;
    for (uint32_t i = 0; i < b->column_count; ++i) {
        column *c = &b->columns[i];
        if (i < joints) {
            uint32_t segment = i / SN_JOINT_PARAMETER_COUNT, p = i % SN_JOINT_PARAMETER_COUNT;
            c->ref = (sni_parameter_ref){segment, (sn_joint_parameter)p, SN_NONE, 1};
            c->rest = b->skeleton->segments[segment].rest_parameters[p];
        } else {
            c->ref = (sni_parameter_ref){SN_NONE, 0, i - joints, 1};
            c->rest = sni_rig_control(b->rig, i - joints).standard;
        }
        c->ref.unit = is_angle(c) ? SN_PI / 180 : 1;
        c->tolerance = is_angle(c)    ? b->desc->angle / c->ref.unit
                       : is_length(c) ? b->desc->length
                                      : b->desc->number;
    }
}

// What a clip would have to say, in the inner unit: the value without what synergies add.
static double value_of(const baker *b, const column *c) {
    return sni_pose_value(&b->pose, &c->ref) * c->ref.unit -
           sni_rig_synergy_share(b->rig, &b->pose, &c->ref);
}

static sn_status pose_at(baker *b, uint32_t frame, sn_error *error) {
    return sni_rig_pose(b->rig, b->motion->player, frame / b->motion->clip->rate, NULL, 0, &b->pose,
                        error);
}

static bool is_driven(const baker *b, const column *c) {
    return c->ref.control != SN_NONE &&
           sn_model_control_parameter(b->motion->model, c->ref.control).driven;
}

static sn_status find_moving(baker *b, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        SN_TRY(sni_progress(progress, "playing the motion", 0.5 * f / b->frame_count, error));
        SN_TRY(pose_at(b, f, error));
        for (uint32_t i = 0; i < b->column_count; ++i) {
            column *c = &b->columns[i];
            double away = fabs(value_of(b, c) - c->rest) / c->ref.unit;
            c->moves = c->moves || (away > rounded_part * c->tolerance && !is_driven(b, c));
        }
    }
cleanup:
    return status;
}

// A joint that turns is taken as a whole: its angles are only meant together.
static void take_joints_whole(baker *b) {
    for (uint32_t s = 0; s < b->skeleton->segment_count; ++s) {
        column *angles = &b->columns[(size_t)s * SN_JOINT_PARAMETER_COUNT];
        bool moves = angles[0].moves || angles[1].moves || angles[2].moves;
        for (int i = 0; i < 3; ++i) {
            sn_limit limit = b->skeleton->segments[s].limits[i];
            angles[i].moves = moves && !(limit.low == limit.high);
        }
    }
}

static bool has_share(const baker *b, const column *angles) {
    bool found = false;
    for (int i = 0; i < 3; ++i) {
        found = found || sni_rig_synergy_share(b->rig, &b->pose, &angles[i].ref) != 0;
    }
    return found;
}

// Without limits the angles of a frame are those that are nearest to the frame before. Where
// synergies add to them, another way to write the rotation would not be the same one.
static void smooth_angles(baker *b, uint32_t segment, uint32_t frame) {
    const sn_segment *of = &b->skeleton->segments[segment];
    column *c = &b->columns[(size_t)segment * SN_JOINT_PARAMETER_COUNT];
    if (frame == 0 || of->limited || !c[0].moves || has_share(b, c)) {
        return;
    }
    double before[3], now[3];
    for (int i = 0; i < 3; ++i) {
        before[i] = c[i].values[frame - 1];
        now[i] = c[i].values[frame];
    }
    sni_segment_near_angles(of, before, now);
    for (int i = 0; i < 3; ++i) {
        c[i].values[frame] = now[i];
    }
}

static sn_status take_values(baker *b, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < b->column_count; ++i) {
        if (b->columns[i].moves) {
            SNI_NEW(b->context, b->columns[i].values, b->frame_count);
        }
    }
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        double done = 0.5 + 0.5 * f / b->frame_count;
        SN_TRY(sni_progress(progress, "playing the motion", done, error));
        SN_TRY(pose_at(b, f, error));
        for (uint32_t i = 0; i < b->column_count; ++i) {
            if (b->columns[i].moves) {
                b->columns[i].values[f] = value_of(b, &b->columns[i]);
            }
        }
        for (uint32_t s = 0; s < b->skeleton->segment_count; ++s) {
            smooth_angles(b, s, f);
        }
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Tracks

static void name_column(const baker *b, const column *c, char *name, size_t bytes) {
    if (c->ref.control != SN_NONE) {
        snprintf(name, bytes, "%s", sni_rig_control_name(b->rig, c->ref.control));
        return;
    }
    snprintf(name, bytes, "%s.%s%s", b->skeleton->segments[c->ref.segment].name,
             sni_parameter_suffix(c->ref.joint_parameter), is_angle(c) ? "_deg" : "");
}

// To a power of ten. Divided by a whole number where it is a fraction: 1234 / 10000 is the double
// nearest to 0.1234.
static double round_to(double value, double step) {
    return step < 1 ? round(value / step) / round(1 / step) : round(value / step) * step;
}

static sn_status add_track(const baker *b, const column *c, uint8_t *keep, sn_clip *clip,
                           sn_error *error) {
    sn_status status = SN_OK;
    char name[1024];
    uint32_t count = 0, key = 0;
    sn_track *track = NULL;
    double step = pow(10, floor(log10(rounded_part * c->tolerance)));
    SN_TRY(sni_keys_reduce(b->context, c->values, b->frame_count,
                           reduced_part * c->tolerance * c->ref.unit, keep, error));
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        count += keep[f];
    }
    bool still = count == 2 && fabs(c->values[0] - c->values[b->frame_count - 1]) / c->ref.unit <=
                                   rounded_part * c->tolerance;
    name_column(b, c, name, sizeof name);
    SN_TRY(sn_clip_add_track(clip, SN_TRACK_PARAMETER, name, SN_INTERPOLATION_LINEAR,
                             still ? 1 : count, &track, error));
    for (uint32_t f = 0; f < b->frame_count && key < track->key_count; ++f) {
        if (keep[f]) {
            track->times[key] = f / b->motion->clip->rate;
            track->values[key++] = round_to(c->values[f] / c->ref.unit, step);
        }
    }
cleanup:
    return status;
}

static sn_status make_clip(const baker *b, sn_clip **clip, sn_error *error) {
    sn_status status = SN_OK;
    uint8_t *keep = NULL;
    sn_clip *made = NULL;
    SNI_NEW(b->context, keep, b->frame_count);
    SN_TRY(sn_clip_create(b->context, sn_motion_name(b->motion), b->motion->clip->rate,
                          b->frame_count, &made, error));
    for (uint32_t i = 0; i < b->column_count; ++i) {
        if (b->columns[i].moves) {
            SN_TRY(add_track(b, &b->columns[i], keep, made, error));
        }
    }
    *clip = made;
    made = NULL;
cleanup:
    sn_clip_destroy(made);
    sni_free(b->context, keep);
    return status;
}

// ---------------------------------------------------------------------------------------------

static sn_status baker_init(baker *b, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t segments = b->skeleton->segment_count, controls = sni_rig_control_count(b->rig);
    b->column_count = segments * SN_JOINT_PARAMETER_COUNT + controls;
    SNI_NEW(b->context, b->pose.locals, segments);
    SNI_NEW(b->context, b->pose.worlds, segments);
    SNI_NEW(b->context, b->pose.parameters, (size_t)segments * SN_JOINT_PARAMETER_COUNT);
    SNI_NEW(b->context, b->pose.controls, controls);
    SNI_NEW_ZERO(b->context, b->columns, b->column_count);
    add_columns(b);
cleanup:
    return status;
}

static void baker_deinit(baker *b) {
    for (uint32_t i = 0; b->columns != NULL && i < b->column_count; ++i) {
        sni_free(b->context, b->columns[i].values);
    }
    sni_free(b->context, b->columns);
    sni_free(b->context, b->pose.locals);
    sni_free(b->context, b->pose.worlds);
    sni_free(b->context, b->pose.parameters);
    sni_free(b->context, b->pose.controls);
}

static sn_status check(const sn_keys_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_keys_desc_default");
    }
    if (!(desc->angle > 0) || !(desc->length > 0) || !(desc->number > 0) ||
        !isfinite(desc->angle + desc->length + desc->number)) {
        return sni_fail(error, SN_INVALID, "tolerances of keys must be above 0: %g, %g, %g",
                        desc->angle, desc->length, desc->number);
    }
    return SN_OK;
}

sn_status sn_motion_keys(const sn_motion *motion, const sn_keys_desc *desc,
                         const sn_progress *progress, sn_clip **clip, sn_error *error) {
    baker b = {.motion = motion,
               .rig = motion->model->rig,
               .context = motion->model->context,
               .skeleton = sn_model_skeleton(motion->model),
               .desc = desc,
               .frame_count = sn_motion_frame_count(motion)};
    sn_status status = SN_OK;
    SN_TRY(check(desc, error));
    SN_TRY(baker_init(&b, error));
    SN_TRY(find_moving(&b, progress, error));
    take_joints_whole(&b);
    SN_TRY(take_values(&b, progress, error));
    SN_TRY(make_clip(&b, clip, error));
cleanup:
    baker_deinit(&b);
    return status;
}
