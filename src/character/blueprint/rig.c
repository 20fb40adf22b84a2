// SPDX-License-Identifier: Apache-2.0
//
// Skeleton, controls, synergies and drivers of a document.
#include "base/text.h"
#include "character/blueprint/blueprint.h"
#include "character/schema/schema.h"
#include "motion/parameter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const parameter_names[SN_JOINT_PARAMETER_COUNT] = {"rx", "ry", "rz", "tx", "ty",
                                                                      "tz", "sx", "sy", "sz"};

// A quaternion whose length is further from 1 than this is taken for a mistake.
static const double unit_tolerance = 1e-3;

static double radians(double degrees) {
    return degrees * (SN_PI / 180);
}

sn_vec3 sni_decode_vector(const sn_value *value, sn_vec3 otherwise) {
    if (value == NULL) {
        return otherwise;
    }
    return sn_vec3_make(sn_value_at(value, 0)->as.number, sn_value_at(value, 1)->as.number,
                        sn_value_at(value, 2)->as.number);
}

static sn_status decode_rotation(const sn_value *value, sn_segment *segment, sn_error *error) {
    const sn_value *quaternion = sn_value_get(value, "rotation");
    const sn_value *angles = sn_value_get(value, "rotation_deg");
    if (quaternion != NULL && angles != NULL) {
        return sni_fail_value(error, angles, SN_INVALID,
                              "a segment has either \"rotation\" or \"rotation_deg\"");
    }
    if (angles != NULL) {
        sn_vec3 degrees = sni_decode_vector(angles, sn_vec3_make(0, 0, 0));
        segment->rest.rotation = sn_quat_from_euler(
            sn_vec3_make(radians(degrees.x), radians(degrees.y), radians(degrees.z)),
            segment->order);
    }
    if (quaternion != NULL) {
        sn_quat q = {sn_value_at(quaternion, 0)->as.number, sn_value_at(quaternion, 1)->as.number,
                     sn_value_at(quaternion, 2)->as.number, sn_value_at(quaternion, 3)->as.number};
        double length = sqrt(sn_quat_dot(q, q));
        if (!(fabs(length - 1) <= unit_tolerance)) {
            return sni_fail_value(error, quaternion, SN_INVALID,
                                  "a rotation needs a quaternion of length 1, this one has %.6g",
                                  length);
        }
        segment->rest.rotation = sn_quat_normalize(q);
    }
    return SN_OK;
}

static sn_status decode_scale(const sn_value *value, sn_segment *segment, sn_error *error) {
    const sn_value *scale = sn_value_get(value, "scale");
    segment->rest.scale = sni_decode_vector(scale, sn_vec3_make(1, 1, 1));
    sn_vec3 s = segment->rest.scale;
    if (s.x == 0 || s.y == 0 || s.z == 0) {
        return sni_fail_value(error, scale, SN_INVALID, "a scale may not be 0");
    }
    return SN_OK;
}

static sn_status decode_limits(const sn_value *map, double unit, sn_segment *segment,
                               sn_error *error) {
    for (int i = 0; i < SN_JOINT_PARAMETER_COUNT; ++i) {
        const sn_value *range = sn_value_get(map, parameter_names[i]);
        if (range == NULL) {
            continue;
        }
        double low = sn_value_at(range, 0)->as.number, high = sn_value_at(range, 1)->as.number;
        if (low > high) {
            return sni_fail_value(error, range, SN_INVALID,
                                  "the lower limit %.9g is above the upper limit %.9g", low, high);
        }
        segment->limits[i] = (sn_limit){low * unit, high * unit};
        segment->limited = true;
    }
    return SN_OK;
}

static sn_status decode_rest(const sn_value *map, double unit, sn_segment *segment,
                             sn_error *error) {
    for (int i = 0; i < SN_JOINT_PARAMETER_COUNT; ++i) {
        const sn_value *value = sn_value_get(map, parameter_names[i]);
        if (value == NULL) {
            continue;
        }
        if (i >= SN_JOINT_SX && value->as.number == 0) {
            return sni_fail_value(error, value, SN_INVALID, "a scale may not be 0");
        }
        segment->rest_parameters[i] = value->as.number * unit;
    }
    return SN_OK;
}

// The error stands at the limit, since a rest value that is not given is 0, or 1 for a scale.
static sn_status check_rest_in_limits(const sn_value *map, double unit, const sn_segment *segment,
                                      sn_error *error) {
    for (int i = 0; i < SN_JOINT_PARAMETER_COUNT; ++i) {
        const sn_value *range = sn_value_get(map, parameter_names[i]);
        double at = segment->rest_parameters[i];
        if (range != NULL && (at < segment->limits[i].low || at > segment->limits[i].high)) {
            return sni_fail_value(error, range, SN_INVALID,
                                  "the rest pose is outside: it has %s = %.9g", parameter_names[i],
                                  at / unit);
        }
    }
    return SN_OK;
}

static sn_rotation_order decode_order(const sn_value *value) {
    static const char *const names[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};
    const char *name = sn_value_string(sn_value_get(value, "order"), "xyz");
    for (int i = 0; i < 6; ++i) {
        if (strcmp(names[i], name) == 0) {
            return (sn_rotation_order)i;
        }
    }
    return SN_ROTATION_XYZ;
}

static sn_status decode_segment(const sn_value *value, sn_segment *segment, sn_error *error) {
    const sn_value *angle_limits = sn_value_get(value, "limits_deg");
    const sn_value *limits = sn_value_get(value, "limits");
    sn_status status = SN_OK;
    segment->order = decode_order(value);
    segment->rest.translation =
        sni_decode_vector(sn_value_get(value, "translation"), sn_vec3_make(0, 0, 0));
    SN_TRY(decode_rotation(value, segment, error));
    SN_TRY(decode_scale(value, segment, error));
    SN_TRY(decode_rest(sn_value_get(value, "rest_deg"), radians(1), segment, error));
    SN_TRY(decode_rest(sn_value_get(value, "rest"), 1, segment, error));
    SN_TRY(decode_limits(angle_limits, radians(1), segment, error));
    SN_TRY(decode_limits(limits, 1, segment, error));
    SN_TRY(check_rest_in_limits(angle_limits, radians(1), segment, error));
    SN_TRY(check_rest_in_limits(limits, 1, segment, error));
cleanup:
    return status;
}

static sn_status decode_parents(const sni_blueprint *blueprint, const sn_value *map,
                                sn_skeleton *skeleton, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < skeleton->segment_count && status == SN_OK; ++i) {
        const sn_value *parent = sn_value_get(sn_value_at(map, i), "parent");
        if (parent != NULL) {
            status = sni_find_name(blueprint, SNI_SECTION_SKELETON, parent,
                                   &skeleton->segments[i].parent, error);
        }
    }
    return status;
}

// `start` is a segment on a circle of parents.
static sn_status fail_circle(const sn_value *map, const sn_skeleton *skeleton, uint32_t start,
                             sn_error *error) {
    const sn_segment *segments = skeleton->segments;
    const sn_value *parent = sn_value_get(sn_value_at(map, start), "parent");
    if (segments[start].parent == start) {
        return sni_fail_value(error, parent, SN_INVALID,
                              "the segment \"%s\" cannot be its own parent", segments[start].name);
    }
    char chain[256] = "";
    size_t used = 0;
    uint32_t at = start;
    do {
        used +=
            (size_t)snprintf(chain + used, sizeof chain - used, "\"%s\" -> ", segments[at].name);
        at = segments[at].parent;
    } while (at != start && used < sizeof chain);
    if (used >= sizeof chain) {
        snprintf(chain + sizeof chain - 8, 8, "... -> ");
    }
    return sni_fail_value(error, parent, SN_INVALID, "the parents form a circle: %s\"%s\"", chain,
                          segments[start].name);
}

// Walks up from each segment; meeting a segment of the same walk again is a circle.
static sn_status check_parents(sn_context *context, const sn_value *map,
                               const sn_skeleton *skeleton, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t *walks = NULL; // segment_count: the walk that came by, from 1
    SNI_NEW_ZERO(context, walks, skeleton->segment_count);
    for (uint32_t i = 0; i < skeleton->segment_count && status == SN_OK; ++i) {
        uint32_t at = i;
        for (; at != SN_NONE && walks[at] == 0; at = skeleton->segments[at].parent) {
            walks[at] = i + 1;
        }
        if (at != SN_NONE && walks[at] == i + 1) {
            status = fail_circle(map, skeleton, at, error);
        }
    }
cleanup:
    sni_free(context, walks);
    return status;
}

sn_status sni_decode_skeleton(sni_blueprint *blueprint, const sn_value *map, sn_error *error) {
    sn_context *context = blueprint->context;
    sn_skeleton *skeleton = &blueprint->skeleton;
    SNI_PLAN_NEW(blueprint, blueprint->segment_values, sn_value_count(map));
    sn_status status = sni_skeleton_init(context, sn_value_count(map), skeleton, error);
    if (status != SN_OK) {
        return status;
    }
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        const sn_value *value = sn_value_at(map, i);
        blueprint->segment_values[i] = value;
        const char *role = sn_value_string(sn_value_get(value, "role"), NULL);
        skeleton->segments[i].name = sni_string_copy(context, value->key);
        skeleton->segments[i].role = role != NULL ? sni_string_copy(context, role) : NULL;
        if (skeleton->segments[i].name == NULL ||
            (role != NULL && skeleton->segments[i].role == NULL)) {
            status = sni_fail_memory(error);
            goto cleanup;
        }
        SN_TRY(decode_segment(value, &skeleton->segments[i], error));
    }
    SN_TRY(decode_parents(blueprint, map, skeleton, error));
    SN_TRY(check_parents(context, map, skeleton, error));
    SN_TRY(sni_skeleton_sort(context, skeleton, error));
    return SN_OK;
cleanup:
    sni_skeleton_deinit(context, skeleton);
    return status;
}

// A control named like a parameter of a segment could never be told from it.
static sn_status check_control_name(const sni_blueprint *blueprint, const sn_value *value,
                                    sn_error *error) {
    sni_parameter_name parsed;
    if (sni_parameter_parse(value->key, &parsed) &&
        sni_name_index_find_n(&blueprint->names[SNI_SECTION_SKELETON], value->key,
                              parsed.segment_length) != SN_NONE) {
        return sni_fail_value(error, value, SN_INVALID,
                              "a control may not have the name of a parameter of a segment");
    }
    return SN_OK;
}

static sn_unit decode_unit(const sn_value *control) {
    const char *name = sn_value_string(sn_value_get(control, "unit"), "");
    return strcmp(name, "deg") == 0   ? SN_UNIT_DEGREES
           : strcmp(name, "rad") == 0 ? SN_UNIT_RADIANS
           : strcmp(name, "m") == 0   ? SN_UNIT_METRES
                                      : SN_UNIT_NONE;
}

// The range that is usual, within the whole one.
static sn_status decode_usual(const sn_value *value, const sni_control_desc *control,
                              sn_limit *usual, sn_error *error) {
    const sn_value *range = sn_value_get(value, "usual");
    *usual = (sn_limit){control->low, control->high};
    if (range == NULL) {
        return SN_OK;
    }
    *usual = (sn_limit){sn_value_at(range, 0)->as.number, sn_value_at(range, 1)->as.number};
    if (!(usual->low <= usual->high) || usual->low < control->low || usual->high > control->high) {
        return sni_fail_value(error, range, SN_INVALID,
                              "the usual range %.9g to %.9g is not within %.9g to %.9g", usual->low,
                              usual->high, control->low, control->high);
    }
    return SN_OK;
}

static sn_status decode_controls(sni_blueprint *blueprint, const sn_value *map, sni_rig_desc *desc,
                                 sn_error *error) {
    sni_control_desc *controls;
    sn_unit *units;
    desc->control_count = sn_value_count(map);
    SNI_PLAN_NEW(blueprint, controls, desc->control_count);
    SNI_PLAN_NEW(blueprint, units, desc->control_count);
    desc->controls = controls;
    desc->control_units = units;
    SNI_PLAN_NEW(blueprint, blueprint->control_groups, desc->control_count);
    SNI_PLAN_NEW(blueprint, blueprint->control_usual, desc->control_count);
    for (uint32_t i = 0; i < desc->control_count; ++i) {
        const sn_value *value = sn_value_at(map, i);
        sni_control_desc *control = &controls[i];
        units[i] = decode_unit(value);
        blueprint->control_groups[i] = sn_value_string(sn_value_get(value, "group"), "");
        control->name = value->key;
        control->low = sn_value_number(sn_value_get(value, "low"), 0);
        control->high = sn_value_number(sn_value_get(value, "high"), 1);
        double nearest_zero = fmin(fmax(0, control->low), control->high);
        control->standard = sn_value_number(sn_value_get(value, "value"), nearest_zero);
        if (control->low > control->high) {
            return sni_fail_value(error, value, SN_INVALID, "\"low\" %.9g is above \"high\" %.9g",
                                  control->low, control->high);
        }
        if (control->standard < control->low || control->standard > control->high) {
            return sni_fail_value(error, sn_value_get(value, "value"), SN_INVALID,
                                  "the value %.9g is outside %.9g to %.9g", control->standard,
                                  control->low, control->high);
        }
        sn_status status = decode_usual(value, control, &blueprint->control_usual[i], error);
        if (status == SN_OK) {
            status = check_control_name(blueprint, value, error);
        }
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

static sn_status decode_synergy(sni_blueprint *blueprint, const sni_rig *names,
                                const sn_value *value, sni_synergy_desc *synergy, sn_error *error) {
    const sn_value *control = sn_value_get(value, "control");
    const sn_value *spread = sn_value_get(value, "spread");
    const char **parameters;
    double *amounts;
    synergy->control = control->as.string;
    synergy->count = sn_value_count(spread);
    SNI_PLAN_NEW(blueprint, parameters, synergy->count);
    SNI_PLAN_NEW(blueprint, amounts, synergy->count);
    synergy->parameters = parameters;
    synergy->amounts = amounts;
    uint32_t number;
    sn_status status = sni_find_name(blueprint, SNI_SECTION_CONTROLS, control, &number, error);
    for (uint32_t i = 0; i < synergy->count && status == SN_OK; ++i) {
        const sn_value *part = sn_value_at(spread, i);
        sni_parameter_ref ref;
        parameters[i] = part->key;
        amounts[i] = part->as.number;
        status = sni_at_value(sni_rig_find(names, part->key, &ref, error), part, error);
    }
    return status;
}

static sn_status decode_distance(const sni_blueprint *blueprint, const sn_value *names,
                                 sni_driver_desc *driver, sn_error *error) {
    for (uint32_t i = 0; i < 2; ++i) {
        const sn_value *name = sn_value_at(names, i);
        uint32_t number;
        sn_status status = sni_find_name(blueprint, SNI_SECTION_LANDMARKS, name, &number, error);
        if (status != SN_OK) {
            return status;
        }
        const sni_landmark_plan *landmark = &blueprint->landmarks[number];
        if (landmark->segment == SN_NONE) {
            return sni_fail_value(error, name, SN_INVALID,
                                  "the landmark \"%s\" lies on a mesh; a distance needs landmarks "
                                  "on segments",
                                  name->as.string);
        }
        driver->points[i] =
            (sni_carried_point){.segment = landmark->segment, .position = landmark->position};
    }
    return SN_OK;
}

sn_interpolation sni_decode_interpolation(const sn_value *object) {
    const char *name = sn_value_string(sn_value_get(object, "interpolation"), "linear");
    return strcmp(name, "stepped") == 0  ? SN_INTERPOLATION_STEPPED
           : strcmp(name, "smooth") == 0 ? SN_INTERPOLATION_SMOOTH
           : strcmp(name, "spline") == 0 ? SN_INTERPOLATION_SPLINE
                                         : SN_INTERPOLATION_LINEAR;
}

sn_status sni_decode_pairs(const sn_value *pairs, double *firsts, double *seconds,
                           sn_error *error) {
    for (uint32_t i = 0; i < sn_value_count(pairs); ++i) {
        const sn_value *pair = sn_value_at(pairs, i);
        firsts[i] = sn_value_at(pair, 0)->as.number;
        seconds[i] = sn_value_at(pair, 1)->as.number;
        if (i > 0 && firsts[i] <= firsts[i - 1]) {
            return sni_fail_value(error, pair, SN_INVALID,
                                  "%.9g does not come after %.9g; the first numbers must rise",
                                  firsts[i], firsts[i - 1]);
        }
    }
    return SN_OK;
}

// Notes that a driver computes a control, which only one may do.
static sn_status drive(sni_blueprint *blueprint, const sn_value *control, sn_error *error) {
    uint32_t number;
    sn_status status = sni_find_name(blueprint, SNI_SECTION_CONTROLS, control, &number, error);
    if (status == SN_OK && blueprint->driven[number]) {
        status =
            sni_fail_value(error, control, SN_INVALID,
                           "the control \"%s\" has another driver already", control->as.string);
    }
    if (status == SN_OK) {
        blueprint->driven[number] = true;
    }
    return status;
}

static sn_status decode_driver(sni_blueprint *blueprint, const sni_rig *names,
                               const sn_value *value, sni_driver_desc *driver, sn_error *error) {
    const sn_value *control = sn_value_get(value, "control");
    const sn_value *parameter = sn_value_get(value, "parameter");
    const sn_value *distance = sn_value_get(value, "distance");
    const sn_value *curve = sn_value_get(value, "curve");
    if ((parameter == NULL) == (distance == NULL)) {
        return sni_fail_value(error, value, SN_INVALID,
                              "a driver has either \"parameter\" or \"distance\"");
    }
    if (curve == NULL && sn_value_get(value, "interpolation") != NULL) {
        return sni_fail_value(error, sn_value_get(value, "interpolation"), SN_INVALID,
                              "\"interpolation\" is only allowed with \"curve\"");
    }
    double *inputs, *outputs;
    *driver = (sni_driver_desc){.control = control->as.string,
                                .key_count = sn_value_count(curve),
                                .interpolation = sni_decode_interpolation(value)};
    SNI_PLAN_NEW(blueprint, inputs, driver->key_count);
    SNI_PLAN_NEW(blueprint, outputs, driver->key_count);
    driver->inputs = inputs;
    driver->outputs = outputs;
    sn_status status = SN_OK;
    SN_TRY(drive(blueprint, control, error));
    SN_TRY(sni_decode_pairs(curve, inputs, outputs, error));
    if (distance != NULL) {
        SN_TRY(decode_distance(blueprint, distance, driver, error));
    } else {
        sni_parameter_ref ref;
        driver->parameter = parameter->as.string;
        SN_TRY(
            sni_at_value(sni_rig_find(names, parameter->as.string, &ref, error), parameter, error));
    }
cleanup:
    return status;
}

static sn_status decode_synergies(sni_blueprint *blueprint, const sni_rig *names,
                                  const sn_value *list, sni_rig_desc *desc, sn_error *error) {
    sni_synergy_desc *synergies;
    desc->synergy_count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, synergies, desc->synergy_count);
    desc->synergies = synergies;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < desc->synergy_count && status == SN_OK; ++i) {
        status = decode_synergy(blueprint, names, sn_value_at(list, i), &synergies[i], error);
    }
    return status;
}

static sn_status decode_drivers(sni_blueprint *blueprint, const sni_rig *names,
                                const sn_value *list, sni_rig_desc *desc, sn_error *error) {
    sni_driver_desc *drivers;
    desc->driver_count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, drivers, desc->driver_count);
    SNI_PLAN_NEW(blueprint, blueprint->driven, desc->control_count);
    memset(blueprint->driven, 0, desc->control_count * sizeof *blueprint->driven);
    desc->drivers = drivers;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < desc->driver_count && status == SN_OK; ++i) {
        status = decode_driver(blueprint, names, sn_value_at(list, i), &drivers[i], error);
    }
    return status;
}

// The rig is made three times, each time with more in it, so that what fails is known to come from
// the part that was added: names to look up, then a parameter that a synergy moves twice, then a
// cycle through drivers.
sn_status sni_decode_rig(sni_blueprint *blueprint, const sn_value *root, sn_error *error) {
    sn_context *context = blueprint->context;
    const sn_value *synergies = sn_value_get(root, "synergies");
    const sn_value *drivers = sn_value_get(root, "drivers");
    sni_rig_desc *desc = &blueprint->rig_desc;
    sni_rig *names = NULL, *spread = NULL;
    sn_status status = SN_OK;
    desc->skeleton = &blueprint->skeleton;
    SN_TRY(decode_controls(blueprint, sn_value_get(root, "controls"), desc, error));
    SN_TRY(sni_at_value(sni_rig_create(context, desc, &names, error), root, error));
    SN_TRY(decode_synergies(blueprint, names, synergies, desc, error));
    SN_TRY(sni_at_value(sni_rig_create(context, desc, &spread, error),
                        synergies != NULL ? synergies : root, error));
    SN_TRY(decode_drivers(blueprint, names, drivers, desc, error));
    SN_TRY(sni_decode_moved(blueprint, root, desc, error));
    blueprint->segment_sizes = sni_arena_alloc(&blueprint->arena, blueprint->skeleton.segment_count,
                                               sizeof *blueprint->segment_sizes);
    SN_TRY(blueprint->segment_sizes != NULL ? SN_OK : sni_fail_memory(error));
    SN_TRY(sni_at_value(sni_blueprint_body(blueprint, blueprint->proportions, &blueprint->rig,
                                           blueprint->segment_sizes, error),
                        drivers != NULL ? drivers : root, error));
cleanup:
    sni_rig_destroy(names);
    sni_rig_destroy(spread);
    return status;
}

static uint32_t last_frame_of(double seconds, double rate) {
    // Half a millionth of a frame: keys are written in decimal seconds.
    return (uint32_t)floor(seconds * rate + 5e-7);
}

static sn_status add_track(const sni_blueprint *blueprint, sn_clip *clip, const sn_value *value,
                           double *end, sn_error *error) {
    const sn_value *keys = sn_value_get(value, "keys");
    sni_parameter_ref ref;
    sn_track *track;
    sn_status status = SN_OK;
    SN_TRY(sni_at_value(sni_rig_find(blueprint->rig, value->key, &ref, error), value, error));
    if (ref.control != SN_NONE && blueprint->driven[ref.control]) {
        return sni_fail_value(error, value, SN_INVALID,
                              "the control \"%s\" has a driver; a clip cannot move it", value->key);
    }
    SN_TRY(sn_clip_add_track(clip, SN_TRACK_PARAMETER, value->key, sni_decode_interpolation(value),
                             sn_value_count(keys), &track, error));
    SN_TRY(sni_decode_pairs(keys, track->times, track->values, error));
    if (track->times[0] < 0) {
        return sni_fail_value(error, sn_value_at(keys, 0), SN_INVALID,
                              "the first key is at %.9g s; a clip begins at 0", track->times[0]);
    }
    *end = track->times[track->key_count - 1];
cleanup:
    return status;
}

sn_status sni_blueprint_clip(const sni_blueprint *blueprint, const sni_clip_plan *plan,
                             sn_clip **clip, sn_error *error) {
    const sn_value *tracks = sn_value_get(plan->value, "tracks");
    double rate = sn_value_number(sn_value_get(plan->value, "rate"), 30);
    double frames = sn_value_number(sn_value_get(plan->value, "frames"), 0);
    sn_status status = SN_OK;
    sn_clip *made = NULL;
    double length = 0;
    SN_TRY(sn_clip_create(blueprint->context, plan->name, rate, 1, &made, error));
    for (uint32_t i = 0; i < sn_value_count(tracks); ++i) {
        double end = 0;
        SN_TRY(add_track(blueprint, made, sn_value_at(tracks, i), &end, error));
        length = fmax(length, end);
    }
    if (frames == 0 && length * rate > 1e9) {
        status = sni_fail_value(error, plan->value, SN_INVALID,
                                "the clip is %.9g s long, more than 1e9 frames", length);
        goto cleanup;
    }
    made->frame_count = frames > 0 ? (uint32_t)frames : last_frame_of(length, rate) + 1;
    *clip = made;
    return SN_OK;
cleanup:
    sn_clip_destroy(made);
    return status;
}
