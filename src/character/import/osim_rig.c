// SPDX-License-Identifier: Apache-2.0
//
// Bodies, joints and coordinates of an OpenSim model as segments and controls.
//
//     body in parent = X_PF T(sum t_i a_i) R(a1, r1) R(a2, r2) R(a3, r3) X_BM^-1
//     segment        = T(translation + t) R(rotation) R(rx, ry, rz)
//
// Shifts add to t, along any axis, as amounts of a synergy. Turns about different axes of
// coordinates are rx, ry and rz of one segment in the right order; any other axis gets a helper
// segment whose x lies along it, and what it has turned the frame by is undone behind it:
//
//     R(a, r) = Q Rx(r) Q^-1,     Q turns x into a
//
// Everything is bound to the rest pose, and joint parameters say what is added to it: a function's
// value at rest stands in `rest`, and what moves is f(q) - f(q0). A linear function of a coordinate
// that rests at 0 is that already, and is a synergy of the coordinate's control; all others drive a
// control of their own, along a curve, and that one moves the joint.
#include "character/import/osim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double degrees = 180 / SN_PI;

// Coordinates that are not clamped may go as far as any motion does.
static const double widest_turn = 720, widest_shift = 1000; // degrees, metres

// How many keys stand for a polynomial over the range of its coordinate.
enum { POLYNOMIAL_KEYS = 33 };

static const char *const rotation_names[3] = {"rx_deg", "ry_deg", "rz_deg"};
static const char *const translation_names[3] = {"tx", "ty", "tz"};
static const char *const axis_names[6] = {"rotation1",    "rotation2",    "rotation3",
                                          "translation1", "translation2", "translation3"};

double sni_osim_control_unit(const sni_osim_coordinate *coordinate) {
    return coordinate->is_rotation ? degrees : 1;
}

bool sni_osim_is_constant(const sni_osim_function *function) {
    if (function->kind == SNI_OSIM_LINEAR || function->kind == SNI_OSIM_POLYNOMIAL) {
        for (uint32_t i = 0; i + 1 < function->count; ++i) {
            if (function->values[i] != 0) {
                return false;
            }
        }
        return true;
    }
    for (uint32_t i = 1; i < function->count; ++i) {
        if (function->values[i] != function->values[0]) {
            return false;
        }
    }
    return true;
}

// --- Controls

static double low_of(const sni_osim_coordinate *c) {
    double unit = sni_osim_control_unit(c), widest = c->is_rotation ? widest_turn : widest_shift;
    double low = c->clamped && isfinite(c->range[0]) ? c->range[0] * unit : -widest;
    return fmin(low, c->value * unit);
}

static double high_of(const sni_osim_coordinate *c) {
    double unit = sni_osim_control_unit(c), widest = c->is_rotation ? widest_turn : widest_shift;
    double high = c->clamped && isfinite(c->range[1]) ? c->range[1] * unit : widest;
    return fmax(high, c->value * unit);
}

// `unit` may be NULL: a plain number.
static bool add_control(sni_osim_builder *b, const char *name, double low, double high,
                        double value, const char *unit, const char *group) {
    sn_value *object = sn_json_add_object(b->json, b->controls, name);
    return sn_json_add_number(b->json, object, "low", low) != NULL &&
           sn_json_add_number(b->json, object, "high", high) != NULL &&
           (value == 0 || sn_json_add_number(b->json, object, "value", value) != NULL) &&
           (unit == NULL || sn_json_add_string(b->json, object, "unit", unit) != NULL) &&
           sn_json_add_string(b->json, object, "group", group) != NULL;
}

static bool add_key(sni_osim_builder *b, sn_value *curve, double input, double output) {
    // A polynomial of a high degree can leave the range of numbers.
    double key[2] = {input, isfinite(output) ? output : 0};
    return sn_json_add_numbers(b->json, curve, NULL, key, 2) != NULL;
}

// Keys at even distances over a range; a cubic is met exactly by the spline through them, and a
// line by two, of which one is the rest pose.
static bool add_samples(sni_osim_builder *b, sn_value *curve, const sni_osim_function *function,
                        const sni_osim_coordinate *coordinate, double rest, double unit) {
    double scale = sni_osim_control_unit(coordinate);
    double widest = (coordinate->is_rotation ? widest_turn : widest_shift) / scale;
    bool is_line = function->count <= 2;
    double low = fmax(fmin(coordinate->range[0], coordinate->value), -widest);
    double high = fmin(fmax(coordinate->range[1], coordinate->value), widest);
    low = is_line || !(low < high) ? coordinate->value : low;
    high = is_line || !(low < high) ? coordinate->value + 1 : high;
    uint32_t count = is_line ? 2 : POLYNOMIAL_KEYS;
    bool done = true;
    for (uint32_t i = 0; i < count && done; ++i) {
        double x = low + (high - low) * i / (count - 1);
        done = add_key(b, curve, x * scale, (sni_osim_evaluate(function, &x) - rest) * unit);
    }
    return done;
}

// A piecewise function goes on straight beyond its ends, a curve is held there: keys at the ends
// of what its input can be.
static bool add_beyond(sni_osim_builder *b, sn_value *curve, const sni_osim_function *function,
                       const sni_osim_coordinate *coordinate, double at, double rest, double unit) {
    double x = at / sni_osim_control_unit(coordinate);
    bool beyond = x < function->keys[0] || x > function->keys[function->count - 1];
    return !beyond || add_key(b, curve, at, (sni_osim_evaluate(function, &x) - rest) * unit);
}

bool sni_osim_add_curve(sni_osim_builder *b, sn_value *object, const sni_osim_function *function,
                        const sni_osim_coordinate *coordinate, double rest, double unit) {
    static const char *const interpolations[] = {[SNI_OSIM_LINEAR] = "spline",
                                                 [SNI_OSIM_POLYNOMIAL] = "spline",
                                                 [SNI_OSIM_SPLINE] = "spline",
                                                 [SNI_OSIM_PIECEWISE] = "linear",
                                                 [SNI_OSIM_STEPPED] = "stepped"};
    double scale = sni_osim_control_unit(coordinate);
    bool straight = function->kind == SNI_OSIM_PIECEWISE;
    sn_value *curve = sn_json_add_array(b->json, object, "curve");
    bool done = curve != NULL;
    if (function->kind <= SNI_OSIM_POLYNOMIAL) {
        done = done && add_samples(b, curve, function, coordinate, rest, unit);
    } else {
        done = done && (!straight ||
                        add_beyond(b, curve, function, coordinate, low_of(coordinate), rest, unit));
        for (uint32_t i = 0; i < function->count && done; ++i) {
            done =
                add_key(b, curve, function->keys[i] * scale, (function->values[i] - rest) * unit);
        }
        done = done && (!straight || add_beyond(b, curve, function, coordinate, high_of(coordinate),
                                                rest, unit));
    }
    return done && sn_json_add_string(b->json, object, "interpolation",
                                      interpolations[function->kind]) != NULL;
}

// Adds "SEGMENT.parameter": amount for those that are not 0.
static bool add_spread(sni_osim_builder *b, const char *control, const char *segment,
                       bool is_rotation, const double amounts[3]) {
    sn_value *object = sn_json_add_object(b->json, b->synergies, NULL);
    bool done = sn_json_add_string(b->json, object, "control", control) != NULL;
    sn_value *spread = sn_json_add_object(b->json, object, "spread");
    for (uint32_t i = 0; i < 3 && done; ++i) {
        char name[SNI_OSIM_NAME_BYTES + 16];
        snprintf(name, sizeof name, "%s.%s", segment,
                 is_rotation ? rotation_names[i] : translation_names[i]);
        done = amounts[i] == 0 || sn_json_add_number(b->json, spread, name, amounts[i]) != NULL;
    }
    return done;
}

bool sni_osim_follow(sni_osim_builder *b, const char *name, const char *group,
                     const sni_osim_function *function, uint32_t coordinate, bool is_rotation,
                     const char *segment, const double amounts[3]) {
    const sni_osim_coordinate *c = &b->model->coordinates[coordinate];
    double rest = sni_osim_evaluate(function, &c->value), unit = is_rotation ? degrees : 1;
    double widest = is_rotation ? widest_turn : widest_shift;
    char control[SNI_OSIM_NAME_BYTES];
    sni_osim_unique(b->controls, name, control);
    sn_value *driver = sn_json_add_object(b->json, b->drivers, NULL);
    return add_control(b, control, -widest, widest, 0, NULL, group) &&
           sn_json_add_string(b->json, driver, "control", control) != NULL &&
           sn_json_add_string(b->json, driver, "parameter", c->name) != NULL &&
           sni_osim_add_curve(b, driver, function, c, rest, unit) &&
           add_spread(b, control, segment, is_rotation, amounts);
}

// --- Axes

// Lets an axis of a joint move a segment: `amounts` along the segment's rx, ry, rz or tx, ty, tz.
static bool add_motion(sni_osim_builder *b, const sni_osim_joint *joint, uint32_t number,
                       const char *segment, const double amounts[3]) {
    const sni_osim_axis *axis = &joint->axes[number];
    const sni_osim_function *f = &axis->function;
    bool is_rotation = number < 3, done = true;
    char name[SNI_OSIM_NAME_BYTES];
    snprintf(name, sizeof name, "%.200s %s", joint->name, axis_names[number]);
    if (sni_osim_is_constant(f)) {
        return true;
    }
    if (f->kind != SNI_OSIM_LINEAR) {
        return sni_osim_follow(b, name, joint->name, f, axis->coordinates[0], is_rotation, segment,
                               amounts);
    }
    for (uint32_t i = 0; i < axis->coordinate_count && done; ++i) {
        const sni_osim_coordinate *c = &b->model->coordinates[axis->coordinates[i]];
        double unit = (is_rotation ? degrees : 1) / sni_osim_control_unit(c);
        double slope = f->values[i], one[2] = {slope, 0};
        sni_osim_function alone = {.kind = SNI_OSIM_LINEAR, .count = 2, .values = one};
        double spread[3];
        for (int k = 0; k < 3; ++k) {
            spread[k] = amounts[k] * slope * unit;
        }
        if (slope != 0) {
            done = c->value == 0
                       ? add_spread(b, c->name, segment, is_rotation, spread)
                       : sni_osim_follow(b, name, joint->name, &alone, axis->coordinates[i],
                                         is_rotation, segment, amounts);
        }
    }
    return done;
}

static double value_at_rest(const sni_osim *model, const sni_osim_axis *axis) {
    double inputs[SNI_OSIM_INPUTS_MAX] = {0};
    for (uint32_t i = 0; i < axis->coordinate_count; ++i) {
        inputs[i] = model->coordinates[axis->coordinates[i]].value;
    }
    return sni_osim_evaluate(&axis->function, inputs);
}

static bool add_rest(sni_osim_builder *b, sn_value *segment, const char *key,
                     const char *const names[3], const double values[3]) {
    sn_value *object = NULL;
    bool done = true;
    for (int i = 0; i < 3 && done; ++i) {
        if (values[i] != 0) {
            object = object != NULL ? object : sn_json_add_object(b->json, segment, key);
            done = sn_json_add_number(b->json, object, names[i], values[i]) != NULL;
        }
    }
    return done;
}

// The shifts of a joint, on its first segment: their axes lie in the joint's frame on the parent.
static bool add_shifts(sni_osim_builder *b, const sni_osim_joint *joint, sn_value *segment) {
    double rest[3] = {0};
    bool done = true;
    for (uint32_t i = 3; i < 6 && done; ++i) {
        sn_vec3 along = sn_quat_rotate(joint->parent_offset.rotation, joint->axes[i].axis);
        double amounts[3] = {along.x, along.y, along.z};
        double value = value_at_rest(b->model, &joint->axes[i]);
        for (int k = 0; k < 3; ++k) {
            rest[k] += amounts[k] * value;
        }
        done = add_motion(b, joint, i, segment->key, amounts);
    }
    return done && add_rest(b, segment, "rest", translation_names, rest);
}

// --- Joints

static bool is_turning(const sni_osim_axis *axis, const sni_osim *model) {
    return !sni_osim_is_constant(&axis->function) || value_at_rest(model, axis) != 0;
}

// The axis of coordinates that a vector lies along, and its sign; 3 for none.
static uint32_t coordinate_axis(sn_vec3 v, double *sign) {
    const double parts[3] = {v.x, v.y, v.z};
    for (uint32_t i = 0; i < 3; ++i) {
        if (fabs(parts[i]) == 1) {
            *sign = parts[i];
            return i;
        }
    }
    return 3;
}

// Whether all turns of a joint are about different axes of coordinates, and in which order.
static bool find_order(const sni_osim *model, const sni_osim_joint *joint, char order[4],
                       uint32_t axes[3], double signs[3]) {
    bool used[3] = {false};
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        if (!is_turning(&joint->axes[i], model)) {
            continue;
        }
        axes[i] = coordinate_axis(joint->axes[i].axis, &signs[i]);
        if (axes[i] == 3 || used[axes[i]]) {
            return false;
        }
        used[axes[i]] = true;
        order[count++] = "xyz"[axes[i]];
    }
    for (uint32_t i = 0; i < 3; ++i) {
        if (!used[i]) {
            order[count++] = "xyz"[i];
        }
    }
    order[3] = 0;
    return true;
}

// One segment for all turns.
static sn_value *add_plain(sni_osim_builder *b, const sni_osim_joint *joint, const char *name,
                           const char *parent, const char *order, const uint32_t axes[3],
                           const double signs[3]) {
    sn_value *segment = sni_osim_add_segment(b, name, parent, &joint->parent_offset);
    static const char *const names[3] = {"rx", "ry", "rz"};
    double rest[3] = {0};
    bool done = segment != NULL;
    if (done && strcmp(order, "xyz") != 0) {
        done = sn_json_add_string(b->json, segment, "order", order) != NULL;
    }
    for (uint32_t i = 0; i < 3 && done; ++i) {
        if (is_turning(&joint->axes[i], b->model)) {
            double amounts[3] = {0};
            amounts[axes[i]] = signs[i];
            rest[axes[i]] = signs[i] * degrees * value_at_rest(b->model, &joint->axes[i]);
            done = add_motion(b, joint, i, segment->key, amounts);
        }
    }
    return done && add_rest(b, segment, "rest_deg", names, rest) && add_shifts(b, joint, segment)
               ? segment
               : NULL;
}

// A segment for each turn. `*frame` is what the next segment has to begin with.
static sn_value *add_turns(sni_osim_builder *b, const sni_osim_joint *joint, const char *parent,
                           sn_transform *frame) {
    static const char *const names[3] = {"rx", "ry", "rz"};
    uint32_t count = 0;
    sn_value *segment = NULL;
    bool done = true;
    *frame = joint->parent_offset;
    for (uint32_t i = 0; i < 3; ++i) {
        count += is_turning(&joint->axes[i], b->model);
    }
    for (uint32_t i = 0; i < 3 && done; ++i) {
        const sni_osim_axis *axis = &joint->axes[i];
        if (!is_turning(axis, b->model)) {
            continue;
        }
        char wanted[SNI_OSIM_NAME_BYTES], name[SNI_OSIM_NAME_BYTES];
        sn_transform turned = sn_transform_identity();
        double amounts[3] = {1, 0, 0};
        double rest[3] = {degrees * value_at_rest(b->model, axis), 0, 0};
        turned.rotation = sn_quat_between(sn_vec3_make(1, 0, 0), axis->axis);
        sn_transform at = sni_osim_compose(frame, &turned);
        snprintf(wanted, sizeof wanted, count > 1 ? "%.200s %u" : "%.200s", joint->name, i + 1);
        sni_osim_unique_segment(b, wanted, name);
        bool first = segment == NULL;
        segment = sni_osim_add_segment(b, name, first ? parent : segment->key, &at);
        done = segment != NULL && (!first || add_shifts(b, joint, segment)) &&
               add_rest(b, segment, "rest_deg", names, rest) &&
               add_motion(b, joint, i, segment->key, amounts);
        *frame = sni_osim_inverse(&turned);
    }
    return done ? segment : NULL;
}

static bool is_identity(const sn_transform *t) {
    return sn_vec3_length(t->translation) == 0 && fabs(t->rotation.w) == 1;
}

static bool add_joint(sni_osim_builder *b, const sni_osim_joint *joint) {
    const char *parent = b->model->bodies[joint->parent].name;
    const char *child = b->model->bodies[joint->child].name;
    sn_transform back = sni_osim_inverse(&joint->child_offset), frame;
    char order[4], name[SNI_OSIM_NAME_BYTES];
    uint32_t axes[3] = {0};
    double signs[3] = {0};
    sn_value *last;
    if (find_order(b->model, joint, order, axes, signs)) {
        if (is_identity(&back)) {
            return add_plain(b, joint, child, parent, order, axes, signs) != NULL;
        }
        sni_osim_unique_segment(b, joint->name, name);
        last = add_plain(b, joint, name, parent, order, axes, signs);
        return last != NULL && sni_osim_add_segment(b, child, last->key, &back) != NULL;
    }
    last = add_turns(b, joint, parent, &frame);
    if (last == NULL) {
        return false;
    }
    back = sni_osim_compose(&frame, &back);
    return sni_osim_add_segment(b, child, last->key, &back) != NULL;
}

// Where bodies stand in the ground at the default coordinates.
static void find_rest(sni_osim_builder *b) {
    b->rest[0] = sn_transform_identity();
    for (uint32_t i = 0; i < b->model->joint_count; ++i) {
        const sni_osim_joint *joint = &b->model->joints[i];
        sn_transform moved = sn_transform_identity();
        for (uint32_t a = 0; a < 6; ++a) {
            double value = value_at_rest(b->model, &joint->axes[a]);
            sn_vec3 axis = joint->axes[a].axis;
            if (a < 3) {
                moved.rotation =
                    sn_quat_multiply(moved.rotation, sn_quat_from_axis_angle(axis, value));
            } else {
                moved.translation = sn_vec3_add_scaled(moved.translation, value, axis);
            }
        }
        sn_transform back = sni_osim_inverse(&joint->child_offset);
        sn_transform at = sni_osim_compose(&b->rest[joint->parent], &joint->parent_offset);
        at = sni_osim_compose(&at, &moved);
        b->rest[joint->child] = sni_osim_compose(&at, &back);
    }
}

// --- All together

// The range of a coordinate that may leave it is what is usual.
static bool add_usual(sni_osim_builder *b, const sni_osim_coordinate *c) {
    double unit = sni_osim_control_unit(c), widest = c->is_rotation ? widest_turn : widest_shift;
    double range[2] = {fmax(c->range[0] * unit, -widest), fmin(c->range[1] * unit, widest)};
    if (c->clamped || !isfinite(c->range[1] - c->range[0]) || !(range[0] < range[1])) {
        return true;
    }
    sn_value *control = (sn_value *)sn_value_get(b->controls, c->name);
    return sn_json_add_numbers(b->json, control, "usual", range, 2) != NULL;
}

static bool add_coordinates(sni_osim_builder *b) {
    bool done = true;
    for (uint32_t i = 0; i < b->model->coordinate_count && done; ++i) {
        const sni_osim_coordinate *c = &b->model->coordinates[i];
        const char *group = b->model->joints[c->joint].name;
        done = add_control(b, c->name, low_of(c), high_of(c),
                           c->source == SN_NONE ? c->value * sni_osim_control_unit(c) : 0,
                           c->is_rotation ? "deg" : "m", group[0] != 0 ? group : "joints") &&
               add_usual(b, c);
        if (done && c->source != SN_NONE) {
            const sni_osim_coordinate *source = &b->model->coordinates[c->source];
            sn_value *driver = sn_json_add_object(b->json, b->drivers, NULL);
            done = sn_json_add_string(b->json, driver, "control", c->name) != NULL &&
                   sn_json_add_string(b->json, driver, "parameter", source->name) != NULL &&
                   sni_osim_add_curve(b, driver, &c->coupler, source, 0, sni_osim_control_unit(c));
        }
    }
    return done;
}

static bool add_ground(sni_osim_builder *b) {
    sn_transform turned = sn_transform_identity();
    turned.rotation = sn_quat_from_axis_angle(sn_vec3_make(0, 1, 0), -SN_PI / 2);
    return sni_osim_add_segment(b, b->model->bodies[0].name, NULL, &turned) != NULL;
}

bool sni_osim_add_rig(sni_osim_builder *b) {
    b->rest = sni_alloc(b->context, b->model->body_count, sizeof *b->rest);
    b->boxes = sni_alloc(b->context, b->model->body_count, sizeof *b->boxes);
    if (b->rest == NULL || b->boxes == NULL || !add_ground(b) || !add_coordinates(b)) {
        return false;
    }
    find_rest(b);
    for (uint32_t i = 0; i < b->model->joint_count; ++i) {
        if (!add_joint(b, &b->model->joints[i])) {
            return false;
        }
    }
    return true;
}
