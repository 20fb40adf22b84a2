// SPDX-License-Identifier: Apache-2.0
//
// Making a rig: names are looked up once, here; posing (rig_pose.c) works on numbers alone.
#include "motion/rig.h"

#include "motion/parameter.h"
#include "motion/rig_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "driver 12: " and the like.
#define WHO_BYTES 32

const sn_skeleton *sni_rig_skeleton(const sni_rig *rig) {
    return &rig->skeleton;
}

uint32_t sni_rig_control_count(const sni_rig *rig) {
    return rig->control_count;
}

const char *sni_rig_control_name(const sni_rig *rig, uint32_t control) {
    SN_ASSERT(control < rig->control_count);
    return rig->controls[control].name;
}

uint32_t sni_rig_find_control(const sni_rig *rig, const char *name) {
    return sni_name_index_find(&rig->control_names, name);
}

sni_control_desc sni_rig_control(const sni_rig *rig, uint32_t control) {
    SN_ASSERT(control < rig->control_count);
    const sni_control *c = &rig->controls[control];
    return (sni_control_desc){c->name, c->low, c->standard, c->high};
}

sn_unit sni_rig_control_unit(const sni_rig *rig, uint32_t control) {
    return rig->controls[control].unit;
}

// ---------------------------------------------------------------------------------------------
// Names

static sn_status fail_no_control(const sni_rig *rig, const char *who, const char *name,
                                 sn_error *error) {
    sni_closest closest = sni_closest_to(name);
    for (uint32_t i = 0; i < rig->control_count; ++i) {
        sni_closest_try(&closest, rig->controls[i].name);
    }
    char hint[SNI_HINT_BYTES];
    return sni_fail(error, SN_INVALID, "%sthere is no control \"%s\"%s", who, name,
                    sni_closest_hint(&closest, hint));
}

// Suggests a control, or a segment with the same ending.
static sn_status fail_no_parameter(const sni_rig *rig, const char *who, const char *name,
                                   const sni_parameter_name *parsed, sn_error *error) {
    char segment[64] = "", suggestion[SNI_HINT_BYTES] = "", hint[SNI_HINT_BYTES];
    size_t length = parsed != NULL ? parsed->segment_length : 0;
    snprintf(segment, sizeof segment, "%.*s", length < 64 ? (int)length : 0, name);
    sni_closest control = sni_closest_to(name), bone = sni_closest_to(segment);
    for (uint32_t i = 0; i < rig->control_count; ++i) {
        sni_closest_try(&control, rig->controls[i].name);
    }
    for (uint32_t i = 0; i < rig->skeleton.segment_count; ++i) {
        sni_closest_try(&bone, rig->skeleton.segments[i].name);
    }
    if (bone.name != NULL && (control.name == NULL || bone.distance < control.distance)) {
        snprintf(suggestion, sizeof suggestion, "%s%s", bone.name, name + length);
        control.name = suggestion;
    }
    return sni_fail(error, SN_INVALID, "%sthere is no parameter \"%s\"%s", who, name,
                    sni_closest_hint(&control, hint));
}

static sn_status fail_bad_parameter(const sni_rig *rig, const char *who, const char *name,
                                    sn_error *error) {
    const char *dot = strrchr(name, '.');
    if (sni_name_index_find(&rig->segment_names, name) != SN_NONE) {
        return sni_fail(error, SN_INVALID,
                        "%s\"%s\" is a segment; name one of its parameters, such as \"%s.rx\"", who,
                        name, name);
    }
    if (dot != NULL &&
        sni_name_index_find_n(&rig->segment_names, name, (size_t)(dot - name)) != SN_NONE) {
        return sni_fail(
            error, SN_INVALID,
            "%sa segment has no parameter \"%s\"; they are rx ry rz (radians, or rx_deg "
            "in degrees), tx ty tz, sx sy sz",
            who, dot + 1);
    }
    return fail_no_parameter(rig, who, name, NULL, error);
}

static sn_status find_parameter(const sni_rig *rig, const char *who, const char *name,
                                sni_parameter_ref *ref, sn_error *error) {
    *ref = (sni_parameter_ref){.segment = SN_NONE, .control = SN_NONE, .unit = 1};
    ref->control = sni_name_index_find(&rig->control_names, name);
    if (ref->control != SN_NONE) {
        return SN_OK;
    }
    sni_parameter_name parsed;
    if (!sni_parameter_parse(name, &parsed)) {
        return fail_bad_parameter(rig, who, name, error);
    }
    ref->segment = sni_name_index_find_n(&rig->segment_names, name, parsed.segment_length);
    ref->joint_parameter = parsed.parameter;
    ref->unit = parsed.unit;
    return ref->segment != SN_NONE ? SN_OK : fail_no_parameter(rig, who, name, &parsed, error);
}

sn_status sni_rig_find(const sni_rig *rig, const char *name, sni_parameter_ref *ref,
                       sn_error *error) {
    return find_parameter(rig, "", name, ref, error);
}

// ---------------------------------------------------------------------------------------------
// Skeleton

static bool is_finite_transform(const sn_transform *t) {
    const sn_quat *q = &t->rotation;
    return sn_vec3_is_finite(t->translation) && sn_vec3_is_finite(t->scale) &&
           isfinite(sn_quat_dot(*q, *q)) && sn_quat_dot(*q, *q) > 0;
}

static sn_status check_segment(const sn_segment *segment, uint32_t number, sn_error *error) {
    if (segment->name == NULL || segment->name[0] == 0) {
        return sni_fail(error, SN_INVALID, "segment %u has no name", number);
    }
    if (!is_finite_transform(&segment->rest)) {
        return sni_fail(error, SN_INVALID, "the rest frame of segment \"%s\" is not finite",
                        segment->name);
    }
    for (int p = 0; p < SN_JOINT_PARAMETER_COUNT; ++p) {
        const char *suffix = sni_parameter_suffix((sn_joint_parameter)p);
        sn_limit limit = segment->limits[p];
        if (!(limit.low <= limit.high) || limit.low == INFINITY || limit.high == -INFINITY) {
            return sni_fail(error, SN_INVALID, "the limits of \"%s.%s\" are %g to %g",
                            segment->name, suffix, limit.low, limit.high);
        }
        if (!isfinite(segment->rest_parameters[p])) {
            return sni_fail(error, SN_INVALID, "the rest value of \"%s.%s\" is %g", segment->name,
                            suffix, segment->rest_parameters[p]);
        }
    }
    return SN_OK;
}

static bool has_limit(const sn_segment *segment) {
    for (int p = 0; p < SN_JOINT_PARAMETER_COUNT; ++p) {
        if (isfinite(segment->limits[p].low) || isfinite(segment->limits[p].high)) {
            return true;
        }
    }
    return false;
}

static sn_status add_skeleton(sni_rig *rig, const sn_skeleton *skeleton, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sni_skeleton_copy(rig->context, skeleton, &rig->skeleton, error));
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        SN_TRY(check_segment(&skeleton->segments[i], i, error));
        rig->skeleton.segments[i].limited = has_limit(&skeleton->segments[i]);
    }
    SN_TRY(sni_skeleton_sort(rig->context, &rig->skeleton, error));
    SN_TRY(sni_skeleton_index(rig->context, &rig->skeleton, &rig->segment_names, error));
    const char *twice = sni_name_index_duplicate(&rig->segment_names);
    if (twice != NULL) {
        status = sni_fail(error, SN_INVALID, "two segments are named \"%s\"", twice);
        goto cleanup;
    }
    SNI_NEW_ZERO(rig->context, rig->summed, skeleton->segment_count);
    SNI_NEW(rig->context, rig->rest_locals, skeleton->segment_count);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        rig->rest_locals[i] = sni_segment_rest_local(&rig->skeleton.segments[i]);
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Controls

static sn_status check_control(const sni_rig *rig, const sni_control_desc *control, uint32_t number,
                               sn_error *error) {
    if (control->name == NULL || control->name[0] == 0) {
        return sni_fail(error, SN_INVALID, "control %u has no name", number);
    }
    if (!(control->low <= control->standard && control->standard <= control->high) ||
        !isfinite(control->standard)) {
        return sni_fail(error, SN_INVALID,
                        "control \"%s\": the standard value %g does not lie in its range %g to %g",
                        control->name, control->standard, control->low, control->high);
    }
    sni_parameter_name parsed;
    if (sni_parameter_parse(control->name, &parsed) &&
        sni_name_index_find_n(&rig->segment_names, control->name, parsed.segment_length) !=
            SN_NONE) {
        return sni_fail(error, SN_INVALID,
                        "control \"%s\" has the name of a parameter of a segment", control->name);
    }
    return SN_OK;
}

static sn_status add_controls(sni_rig *rig, const sni_rig_desc *desc, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW_ZERO(rig->context, rig->controls, desc->control_count);
    for (uint32_t i = 0; i < desc->control_count; ++i) {
        const sni_control_desc *c = &desc->controls[i];
        SN_TRY(check_control(rig, c, i, error));
        rig->controls[i] = (sni_control){
            .low = c->low, .standard = c->standard, .high = c->high, .driver = SN_NONE};
        rig->controls[i].unit = desc->control_units != NULL ? desc->control_units[i] : SN_UNIT_NONE;
        rig->control_count = i + 1;
        rig->controls[i].name = sni_string_copy(rig->context, c->name);
        if (rig->controls[i].name == NULL) {
            status = sni_fail_memory(error);
            goto cleanup;
        }
    }
    SN_TRY(sni_name_index_init(rig->context, &rig->control_names,
                               rig->control_count > 0 ? &rig->controls[0].name : NULL,
                               sizeof *rig->controls, rig->control_count, error));
    const char *twice = sni_name_index_duplicate(&rig->control_names);
    if (twice != NULL) {
        status = sni_fail(error, SN_INVALID, "two controls are named \"%s\"", twice);
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Synergies

// A term before it is sorted into the sum of its parameter.
typedef struct loose_term {
    uint32_t segment;        // SN_NONE for a control
    uint32_t target;         // joint parameter, or the control
    uint32_t synergy, place; // which synergy, and where in it
    sni_term term;
} loose_term;

static int compare_u32(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

static int compare_terms(const void *a, const void *b) {
    const loose_term *x = a, *y = b;
    int order = compare_u32(x->segment, y->segment);
    order = order != 0 ? order : compare_u32(x->target, y->target);
    order = order != 0 ? order : compare_u32(x->synergy, y->synergy);
    return order != 0 ? order : compare_u32(x->place, y->place);
}

static sn_status resolve_synergy(const sni_rig *rig, const sni_synergy_desc *synergy,
                                 uint32_t number, loose_term *terms, sn_error *error) {
    char who[WHO_BYTES];
    snprintf(who, sizeof who, "synergy %u: ", number);
    uint32_t control = sni_rig_find_control(rig, synergy->control);
    if (control == SN_NONE) {
        return fail_no_control(rig, who, synergy->control, error);
    }
    for (uint32_t i = 0; i < synergy->count; ++i) {
        sni_parameter_ref ref;
        sn_status status = find_parameter(rig, who, synergy->parameters[i], &ref, error);
        if (status != SN_OK) {
            return status;
        }
        if (!isfinite(synergy->amounts[i])) {
            return sni_fail(error, SN_INVALID, "%sthe amount for \"%s\" is %g", who,
                            synergy->parameters[i], synergy->amounts[i]);
        }
        uint32_t target = ref.control != SN_NONE ? ref.control : (uint32_t)ref.joint_parameter;
        terms[i] =
            (loose_term){ref.segment, target, number, i, {control, synergy->amounts[i] * ref.unit}};
    }
    return SN_OK;
}

static bool same_parameter(const loose_term *a, const loose_term *b) {
    return a->segment == b->segment && a->target == b->target;
}

static sn_status fail_twice(const sni_rig *rig, const loose_term *term, sn_error *error) {
    if (term->segment == SN_NONE) {
        return sni_fail(error, SN_INVALID, "synergy %u: it moves \"%s\" twice", term->synergy,
                        rig->controls[term->target].name);
    }
    return sni_fail(error, SN_INVALID, "synergy %u: it moves \"%s.%s\" twice", term->synergy,
                    rig->skeleton.segments[term->segment].name,
                    sni_parameter_suffix((sn_joint_parameter)term->target));
}

static void begin_sum(sni_rig *rig, const loose_term *term, uint32_t first) {
    sni_sum sum = {.segment = term->segment, .control = SN_NONE, .first_term = first};
    if (term->segment == SN_NONE) {
        sum.control = term->target;
        rig->controls[term->target].is_sum = true;
    } else {
        sum.parameter = (sn_joint_parameter)term->target;
        rig->summed[term->segment] |= (uint16_t)(1u << term->target);
    }
    rig->sums[rig->sum_count++] = sum;
}

static sn_status group_terms(sni_rig *rig, const loose_term *loose, uint32_t count,
                             sn_error *error) {
    for (uint32_t i = 0; i < count; ++i) {
        bool starts = i == 0 || !same_parameter(&loose[i - 1], &loose[i]);
        if (!starts && loose[i - 1].synergy == loose[i].synergy) {
            return fail_twice(rig, &loose[i], error);
        }
        if (starts) {
            begin_sum(rig, &loose[i], i);
        }
        rig->sums[rig->sum_count - 1].term_count++;
        rig->terms[i] = loose[i].term;
    }
    return SN_OK;
}

static sn_status add_synergies(sni_rig *rig, const sni_rig_desc *desc, sn_error *error) {
    sn_status status = SN_OK;
    loose_term *loose = NULL;
    uint64_t total = 0;
    for (uint32_t i = 0; i < desc->synergy_count; ++i) {
        total += desc->synergies[i].count;
    }
    if (total >= SN_NONE) {
        return sni_fail(error, SN_LIMIT, "the synergies have too many parameters");
    }
    SNI_NEW(rig->context, loose, total);
    SNI_NEW(rig->context, rig->sums, total);
    SNI_NEW(rig->context, rig->terms, total);
    uint32_t count = 0;
    for (uint32_t i = 0; i < desc->synergy_count; ++i) {
        SN_TRY(resolve_synergy(rig, &desc->synergies[i], i, loose + count, error));
        count += desc->synergies[i].count;
    }
    if (count > 1) {
        qsort(loose, count, sizeof *loose, compare_terms);
    }
    SN_TRY(group_terms(rig, loose, count, error));
cleanup:
    sni_free(rig->context, loose);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Drivers

static uint32_t depth_of(const sn_skeleton *skeleton, uint32_t segment) {
    uint32_t depth = 0;
    for (; skeleton->segments[segment].parent != SN_NONE; ++depth) {
        segment = skeleton->segments[segment].parent;
    }
    return depth;
}

static uint32_t common_ancestor(const sn_skeleton *skeleton, uint32_t a, uint32_t b) {
    uint32_t depth_a = depth_of(skeleton, a), depth_b = depth_of(skeleton, b);
    while (a != b) {
        if (depth_a == 0 && depth_b == 0) {
            return SN_NONE;
        }
        bool lift_a = depth_a >= depth_b, lift_b = depth_b >= depth_a;
        a = lift_a ? skeleton->segments[a].parent : a;
        b = lift_b ? skeleton->segments[b].parent : b;
        depth_a -= lift_a;
        depth_b -= lift_b;
    }
    return a;
}

static sn_status add_distance(const sni_rig *rig, const char *who, const sni_driver_desc *desc,
                              sni_driver *driver, sn_error *error) {
    for (int i = 0; i < 2; ++i) {
        uint32_t segment = desc->points[i].segment;
        if (segment >= rig->skeleton.segment_count) {
            return sni_fail(error, SN_INVALID, "%spoint %d is on segment %u, but there are %u", who,
                            i, segment, rig->skeleton.segment_count);
        }
        if (!sn_vec3_is_finite(desc->points[i].position)) {
            return sni_fail(error, SN_INVALID, "%spoint %d is not finite", who, i);
        }
        driver->points[i] = desc->points[i];
    }
    driver->is_distance = true;
    driver->common_ancestor =
        common_ancestor(&rig->skeleton, desc->points[0].segment, desc->points[1].segment);
    return SN_OK;
}

static sn_status check_curve(const char *who, const sni_driver_desc *desc, sn_error *error) {
    bool known = (unsigned)desc->interpolation <= SN_INTERPOLATION_SMOOTH ||
                 desc->interpolation == SN_INTERPOLATION_SPLINE;
    if (!known && desc->key_count > 0) {
        return sni_fail(error, SN_INVALID, "%sa curve is stepped, linear, smooth or spline, not %d",
                        who, (int)desc->interpolation);
    }
    for (uint32_t i = 0; i < desc->key_count; ++i) {
        if (!isfinite(desc->inputs[i]) || !isfinite(desc->outputs[i])) {
            return sni_fail(error, SN_INVALID, "%skey %u of its curve is (%g, %g)", who, i,
                            desc->inputs[i], desc->outputs[i]);
        }
        if (i > 0 && !(desc->inputs[i] > desc->inputs[i - 1])) {
            return sni_fail(error, SN_INVALID,
                            "%skey %u of its curve, at %.9g, does not lie above %.9g before it",
                            who, i, desc->inputs[i], desc->inputs[i - 1]);
        }
    }
    return SN_OK;
}

static sn_status add_curve(const sni_rig *rig, const char *who, const sni_driver_desc *desc,
                           sni_driver *driver, sn_error *error) {
    sn_status status = check_curve(who, desc, error);
    if (status != SN_OK || desc->key_count == 0) {
        return status;
    }
    return sni_curve_init(rig->context, desc->key_count, desc->inputs, desc->outputs,
                          desc->interpolation, &driver->curve, error);
}

static sn_status add_driver(sni_rig *rig, const sni_driver_desc *desc, uint32_t number,
                            sn_error *error) {
    char who[WHO_BYTES];
    snprintf(who, sizeof who, "driver %u: ", number);
    sni_driver *driver = &rig->drivers[number];
    driver->control = sni_rig_find_control(rig, desc->control);
    if (driver->control == SN_NONE) {
        return fail_no_control(rig, who, desc->control, error);
    }
    sni_control *control = &rig->controls[driver->control];
    if (control->driver != SN_NONE) {
        return sni_fail(error, SN_INVALID, "%scontrol \"%s\" is computed by driver %u already", who,
                        control->name, control->driver);
    }
    if (control->is_sum) {
        return sni_fail(error, SN_INVALID,
                        "%ssynergies add to control \"%s\"; a driver cannot compute it", who,
                        control->name);
    }
    control->driver = number;
    sn_status status = desc->parameter != NULL
                           ? find_parameter(rig, who, desc->parameter, &driver->source, error)
                           : add_distance(rig, who, desc, driver, error);
    return status == SN_OK ? add_curve(rig, who, desc, driver, error) : status;
}

static sn_status add_drivers(sni_rig *rig, const sni_rig_desc *desc, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW_ZERO(rig->context, rig->drivers, desc->driver_count);
    for (uint32_t i = 0; i < desc->driver_count; ++i) {
        rig->driver_count = i + 1;
        SN_TRY(add_driver(rig, &desc->drivers[i], i, error));
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------

sn_status sni_rig_create(sn_context *context, const sni_rig_desc *desc, sni_rig **rig,
                         sn_error *error) {
    SN_ASSERT(desc->skeleton != NULL);
    SN_ASSERT(desc->control_count == 0 || desc->controls != NULL);
    SN_ASSERT(desc->synergy_count == 0 || desc->synergies != NULL);
    SN_ASSERT(desc->driver_count == 0 || desc->drivers != NULL);
    sn_status status = SN_OK;
    sni_rig *made = NULL;
    *rig = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    SN_TRY(add_skeleton(made, desc->skeleton, error));
    SN_TRY(add_controls(made, desc, error));
    SN_TRY(add_synergies(made, desc, error));
    SN_TRY(add_drivers(made, desc, error));
    SN_TRY(sni_rig_order(made, error));
    SN_TRY(sni_rig_find_late(made, desc, error));
    *rig = made;
    return SN_OK;
cleanup:
    sni_rig_destroy(made);
    return status;
}

void sni_rig_destroy(sni_rig *rig) {
    if (rig == NULL) {
        return;
    }
    sn_context *context = rig->context;
    for (uint32_t i = 0; i < rig->control_count; ++i) {
        sni_free(context, rig->controls[i].name);
    }
    for (uint32_t i = 0; i < rig->driver_count; ++i) {
        sni_curve_deinit(context, &rig->drivers[i].curve);
    }
    sni_free(context, rig->controls);
    sni_free(context, rig->drivers);
    sni_free(context, rig->sums);
    sni_free(context, rig->terms);
    sni_free(context, rig->steps);
    sni_free(context, rig->late);
    sni_free(context, rig->late_controls);
    sni_free(context, rig->moved);
    sni_free(context, rig->summed);
    sni_free(context, rig->rest_locals);
    sni_name_index_deinit(context, &rig->control_names);
    sni_name_index_deinit(context, &rig->segment_names);
    sni_skeleton_deinit(context, &rig->skeleton);
    sni_free(context, rig);
}
