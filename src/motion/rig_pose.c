// SPDX-License-Identifier: Apache-2.0
//
// Posing a rig. A pose holds every local transform twice: as joint parameters and as the transform
// that they give. The transform is only rebuilt where a parameter changes, and only the part that
// it belongs to, so that what nobody touches keeps its bits.
#include "motion/parameter.h"
#include "motion/rig.h"
#include "motion/rig_internal.h"

#include <math.h>
#include <string.h>

static double clamp(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

static double *parameters_of(const sni_pose *pose, uint32_t segment) {
    return pose->parameters + (size_t)segment * SN_JOINT_PARAMETER_COUNT;
}

static void write_parameter(const sni_rig *rig, sni_pose *pose, uint32_t segment,
                            sn_joint_parameter parameter, double value) {
    double *p = parameters_of(pose, segment);
    if (p[parameter] == value) {
        return;
    }
    p[parameter] = value;
    sn_transform made = sni_segment_local(&rig->skeleton.segments[segment], p);
    sn_transform *local = &pose->locals[segment];
    switch (parameter) {
    case SN_JOINT_TX: local->translation.x = made.translation.x; break;
    case SN_JOINT_TY: local->translation.y = made.translation.y; break;
    case SN_JOINT_TZ: local->translation.z = made.translation.z; break;
    case SN_JOINT_SX: local->scale.x = made.scale.x; break;
    case SN_JOINT_SY: local->scale.y = made.scale.y; break;
    case SN_JOINT_SZ: local->scale.z = made.scale.z; break;
    default: local->rotation = made.rotation; break;
    }
}

// ---------------------------------------------------------------------------------------------
// The stages

static void start_from_rest(const sni_rig *rig, sni_pose *pose) {
    for (uint32_t i = 0; i < rig->skeleton.segment_count; ++i) {
        pose->locals[i] = rig->rest_locals[i];
        memcpy(parameters_of(pose, i), rig->skeleton.segments[i].rest_parameters,
               sizeof rig->skeleton.segments[i].rest_parameters);
    }
    // A driven control is not a number until its driver or an override has said what it is.
    for (uint32_t i = 0; i < rig->control_count; ++i) {
        const sni_control *control = &rig->controls[i];
        pose->controls[i] = control->driver == SN_NONE ? control->standard : NAN;
    }
}

void sni_rig_read_parameters(const sni_rig *rig, uint32_t segment, const sn_transform *local,
                             double parameters[SN_JOINT_PARAMETER_COUNT]) {
    const sn_segment *of = &rig->skeleton.segments[segment];
    sni_segment_parameters(of, local, parameters);
    if (of->limited) {
        sni_segment_choose_angles(of, parameters);
    }
}

// The joint parameters that sampled transforms stand for; the others stay as they are.
static void read_parameters(const sni_rig *rig, const sni_moved *moved, sni_pose *pose) {
    double *p = parameters_of(pose, moved->segment);
    double read[SN_JOINT_PARAMETER_COUNT];
    sni_rig_read_parameters(rig, moved->segment, &pose->locals[moved->segment], read);
    if (moved->rotation) {
        memcpy(p, read, 3 * sizeof *p);
    }
    if (moved->translation) {
        memcpy(p + SN_JOINT_TX, read + SN_JOINT_TX, 3 * sizeof *p);
    }
    if (moved->scale) {
        memcpy(p + SN_JOINT_SX, read + SN_JOINT_SX, 3 * sizeof *p);
    }
}

static void sample_transforms(const sni_player *player, double time, sni_pose *pose) {
    for (uint32_t i = 0; i < player->transform_count; ++i) {
        const sn_track *track = player->tracks[i].track;
        sn_transform *local = &pose->locals[player->tracks[i].ref.segment];
        double v[4];
        sn_track_sample(track, time, v);
        switch (track->kind) {
        case SN_TRACK_TRANSLATION: local->translation = sn_vec3_make(v[0], v[1], v[2]); break;
        case SN_TRACK_SCALE: local->scale = sn_vec3_make(v[0], v[1], v[2]); break;
        default: local->rotation = (sn_quat){v[0], v[1], v[2], v[3]}; break;
        }
    }
    for (uint32_t i = 0; i < player->moved_count; ++i) {
        read_parameters(player->rig, &player->moved[i], pose);
    }
}

// Writes a value in the unit of its name.
static void write_value(const sni_rig *rig, sni_pose *pose, const sni_parameter_ref *ref,
                        double value) {
    if (ref->control != SN_NONE) {
        const sni_control *control = &rig->controls[ref->control];
        pose->controls[ref->control] = clamp(value, control->low, control->high);
    } else {
        write_parameter(rig, pose, ref->segment, ref->joint_parameter, value * ref->unit);
    }
}

static void sample_parameters(const sni_player *player, double time, sni_pose *pose) {
    for (uint32_t i = player->transform_count; i < player->track_count; ++i) {
        double value;
        sn_track_sample(player->tracks[i].track, time, &value);
        write_value(player->rig, pose, &player->tracks[i].ref, value * player->tracks[i].factor);
    }
}

// Cuts the parameters that no synergy adds to; those with a sum are cut when it is complete.
static void limit_parameters(const sni_rig *rig, sni_pose *pose) {
    for (uint32_t i = 0; i < rig->skeleton.segment_count; ++i) {
        const sn_segment *segment = &rig->skeleton.segments[i];
        for (int p = 0; segment->limited && p < SN_JOINT_PARAMETER_COUNT; ++p) {
            if ((rig->summed[i] >> p & 1) == 0) {
                sn_limit limit = segment->limits[p];
                double value = parameters_of(pose, i)[p];
                write_parameter(rig, pose, i, (sn_joint_parameter)p, sni_limit_clamp(limit, value));
            }
        }
    }
}

static double add_terms(const sni_rig *rig, const sni_pose *pose, const sni_sum *sum,
                        double value) {
    for (uint32_t i = 0; i < sum->term_count; ++i) {
        const sni_term *term = &rig->terms[sum->first_term + i];
        value += term->amount * pose->controls[term->control];
    }
    return value;
}

double sni_rig_synergy_share(const sni_rig *rig, const sni_pose *pose,
                             const sni_parameter_ref *ref) {
    double share = 0;
    for (uint32_t i = 0; i < rig->sum_count; ++i) {
        const sni_sum *sum = &rig->sums[i];
        if (sum->segment == ref->segment && sum->control == ref->control &&
            (ref->control != SN_NONE || sum->parameter == ref->joint_parameter)) {
            share = add_terms(rig, pose, sum, share);
        }
    }
    return share;
}

static void add_sum(const sni_rig *rig, sni_pose *pose, const sni_sum *sum) {
    bool is_control = sum->control != SN_NONE;
    double value = is_control ? pose->controls[sum->control]
                              : parameters_of(pose, sum->segment)[sum->parameter];
    if (isnan(value)) { // of a control that a complete pose does not say
        value = rig->controls[sum->control].standard;
    }
    value = add_terms(rig, pose, sum, value);
    if (is_control) {
        const sni_control *control = &rig->controls[sum->control];
        pose->controls[sum->control] = clamp(value, control->low, control->high);
        return;
    }
    sn_limit limit = rig->skeleton.segments[sum->segment].limits[sum->parameter];
    write_parameter(rig, pose, sum->segment, sum->parameter, sni_limit_clamp(limit, value));
}

static sn_vec3 point_in_ancestor(const sni_rig *rig, const sni_pose *pose,
                                 const sni_carried_point *carried, uint32_t ancestor) {
    sn_vec3 point = carried->position;
    for (uint32_t s = carried->segment; s != ancestor; s = rig->skeleton.segments[s].parent) {
        const sn_transform *local = &pose->locals[s];
        point = sn_quat_rotate(local->rotation, sn_vec3_multiply(local->scale, point));
        point = sn_vec3_add(point, local->translation);
    }
    return point;
}

double sni_pose_value(const sni_pose *pose, const sni_parameter_ref *ref) {
    SN_ASSERT((ref->segment == SN_NONE) != (ref->control == SN_NONE));
    return ref->control != SN_NONE
               ? pose->controls[ref->control]
               : parameters_of(pose, ref->segment)[ref->joint_parameter] / ref->unit;
}

static double driver_input(const sni_rig *rig, const sni_pose *pose, const sni_driver *driver) {
    if (driver->is_distance) {
        sn_vec3 a = point_in_ancestor(rig, pose, &driver->points[0], driver->common_ancestor);
        sn_vec3 b = point_in_ancestor(rig, pose, &driver->points[1], driver->common_ancestor);
        return sn_vec3_distance(a, b);
    }
    return sni_pose_value(pose, &driver->source);
}

static void run_driver(const sni_rig *rig, sni_pose *pose, const sni_driver *driver) {
    const sni_control *control = &rig->controls[driver->control];
    if (!isnan(pose->controls[driver->control])) {
        return; // held by an override
    }
    double value = sni_curve_sample(&driver->curve, driver_input(rig, pose, driver));
    pose->controls[driver->control] = clamp(value, control->low, control->high);
}

static sn_status write_overrides(const sni_rig *rig, const sni_override *overrides, uint32_t count,
                                 sni_pose *pose, sn_error *error) {
    for (uint32_t i = 0; i < count; ++i) {
        if (!isfinite(overrides[i].value)) {
            return sni_fail(error, SN_INVALID, "the held value %u is %g, which is not finite", i,
                            overrides[i].value);
        }
        write_value(rig, pose, &overrides[i].ref, overrides[i].value);
    }
    return SN_OK;
}

// Whether a sum is part of a complete pose already.
static bool is_said(const sni_sum *sum, const sni_pose *pose) {
    return sum->control == SN_NONE || !isnan(pose->controls[sum->control]);
}

// Those that depend on segments that something else moves, or the others.
static void run_steps(const sni_rig *rig, bool late, bool complete, sni_pose *pose) {
    for (uint32_t i = 0; i < rig->step_count; ++i) {
        sni_step step = rig->steps[i];
        if (rig->late[i] != late) {
            continue;
        }
        if (!step.is_sum) {
            run_driver(rig, pose, &rig->drivers[step.index]);
        } else if (!complete || !is_said(&rig->sums[step.index], pose)) {
            add_sum(rig, pose, &rig->sums[step.index]);
        }
    }
}

sn_status sni_rig_pose_first(const sni_rig *rig, const sni_player *player, double time,
                             const sni_override *overrides, uint32_t override_count, sni_pose *pose,
                             sn_error *error) {
    SN_ASSERT(override_count == 0 || overrides != NULL);
    SN_ASSERT(pose->worlds != NULL || rig->skeleton.segment_count == 0);
    SN_ASSERT(player == NULL || player->rig == rig);
    start_from_rest(rig, pose);
    if (player != NULL) {
        sample_transforms(player, time, pose);
        sample_parameters(player, time, pose);
    }
    sn_status status = write_overrides(rig, overrides, override_count, pose, error);
    if (status == SN_OK) {
        limit_parameters(rig, pose);
        run_steps(rig, false, false, pose);
        sni_skeleton_world(&rig->skeleton, pose->locals, pose->worlds);
    }
    return status;
}

sn_status sni_rig_pose(const sni_rig *rig, const sni_player *player, double time,
                       const sni_override *overrides, uint32_t override_count, sni_pose *pose,
                       sn_error *error) {
    sn_status status =
        sni_rig_pose_first(rig, player, time, overrides, override_count, pose, error);
    if (status == SN_OK) {
        sni_rig_pose_last(rig, NULL, pose);
    }
    return status;
}

void sni_rig_place(const sni_rig *rig, sni_pose *pose, uint32_t segment, sn_quat rotation,
                   sn_vec3 translation) {
    SN_ASSERT(segment < rig->skeleton.segment_count);
    sn_transform *local = &pose->locals[segment];
    double read[SN_JOINT_PARAMETER_COUNT];
    local->rotation = rotation;
    local->translation = translation;
    sni_rig_read_parameters(rig, segment, local, read);
    memcpy(parameters_of(pose, segment), read, SN_JOINT_SX * sizeof *read);
}

// What is computed from others begins as not a number: drivers always, sums in a complete pose.
static void start_controls(const sni_rig *rig, const sni_given_pose *given, sni_pose *pose) {
    for (uint32_t i = 0; i < rig->control_count; ++i) {
        const sni_control *control = &rig->controls[i];
        bool driven = control->driver != SN_NONE;
        double value = driven && !given->complete ? NAN : given->controls[i];
        if (!isnan(value)) {
            value = clamp(value, control->low, control->high);
        } else if (!driven && !(control->is_sum && given->complete)) {
            value = control->standard;
        }
        pose->controls[i] = value;
    }
}

static void find_worlds(const sni_rig *rig, const sn_mat4 *root, sni_pose *pose) {
    sni_skeleton_world(&rig->skeleton, pose->locals, pose->worlds);
    for (uint32_t i = 0; i < rig->skeleton.segment_count && root != NULL; ++i) {
        pose->worlds[i] = sn_mat4_multiply(root, &pose->worlds[i]);
    }
}

sn_status sni_rig_pose_given_first(const sni_rig *rig, const sni_given_pose *given,
                                   const sni_override *overrides, uint32_t override_count,
                                   sni_pose *pose, sn_error *error) {
    uint32_t count = rig->skeleton.segment_count;
    memcpy(pose->locals, given->locals, count * sizeof *pose->locals);
    memcpy(pose->parameters, given->parameters,
           (size_t)count * SN_JOINT_PARAMETER_COUNT * sizeof *pose->parameters);
    start_controls(rig, given, pose);
    sn_status status = write_overrides(rig, overrides, override_count, pose, error);
    if (status != SN_OK) {
        return status;
    }
    if (!given->complete) {
        limit_parameters(rig, pose);
    }
    run_steps(rig, false, given->complete, pose);
    find_worlds(rig, given->root, pose);
    return SN_OK;
}

void sni_rig_pose_last(const sni_rig *rig, const sni_given_pose *given, sni_pose *pose) {
    if (!rig->has_moved) {
        return; // all is done
    }
    run_steps(rig, true, given != NULL && given->complete, pose);
    find_worlds(rig, given != NULL ? given->root : NULL, pose);
}

sn_status sni_rig_pose_given(const sni_rig *rig, const sni_given_pose *given,
                             const sni_override *overrides, uint32_t override_count, sni_pose *pose,
                             sn_error *error) {
    sn_status status = sni_rig_pose_given_first(rig, given, overrides, override_count, pose, error);
    if (status == SN_OK) {
        sni_rig_pose_last(rig, given, pose);
    }
    return status;
}

sn_status sni_rig_check_override(const sni_rig *rig, const sni_override *override,
                                 sn_error *error) {
    const sni_parameter_ref *ref = &override->ref;
    bool is_control = ref->control != SN_NONE;
    sn_limit range;
    const char *name, *dot = "", *suffix = "", *unit = ref->unit != 1 ? "_deg" : "";
    if (is_control) {
        range = (sn_limit){rig->controls[ref->control].low, rig->controls[ref->control].high};
        name = rig->controls[ref->control].name;
    } else {
        const sn_segment *segment = &rig->skeleton.segments[ref->segment];
        range = segment->limits[ref->joint_parameter];
        name = segment->name;
        dot = ".";
        suffix = sni_parameter_suffix(ref->joint_parameter);
    }
    // A range in the unit of the name, so that a limit given as 90 degrees takes 90 exactly.
    double low = range.low / ref->unit, high = range.high / ref->unit;
    double slack = ref->unit != 1 ? 1e-9 : 0;
    if (isfinite(override->value) && override->value >= low - slack &&
        override->value <= high + slack) {
        return SN_OK;
    }
    return sni_fail(error, SN_INVALID, "\"%s%s%s%s\" cannot be %.9g: its range is %.9g to %.9g",
                    name, dot, suffix, unit, override->value, low, high);
}
