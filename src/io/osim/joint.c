// SPDX-License-Identifier: Apache-2.0
//
// Joints with their coordinates. Whatever a joint is called, it becomes six axes with functions.
#include "base/text.h"
#include "io/osim/osim_internal.h"

#include <math.h>
#include <string.h>

// Joints without a spatial transform of their own: which axis each of their coordinates moves.
// 0, 1, 2: turns about x, y, z; 3, 4, 5: shifts along them.
typedef struct joint_kind {
    const char *name;
    uint32_t count;
    uint32_t axes[6];
} joint_kind;

static const joint_kind kinds[] = {
    {"WeldJoint", 0, {0}},         {"PinJoint", 1, {2}},
    {"SliderJoint", 1, {3}},       {"UniversalJoint", 2, {0, 1}},
    {"BallJoint", 3, {0, 1, 2}},   {"GimbalJoint", 3, {0, 1, 2}},
    {"PlanarJoint", 3, {2, 3, 4}}, {"FreeJoint", 6, {0, 1, 2, 3, 4, 5}},
};

// Joints stand in a set of their own (version 4) or within the body that they carry (version 3).
static const sni_xml_element *joint_in_body(const sni_xml_element *body) {
    const sni_xml_element *holder = sni_xml_child(body, "Joint");
    return holder != NULL ? sni_xml_child(holder, NULL) : NULL;
}

static const sni_xml_element *coordinates_of(const sni_xml_element *joint) {
    const sni_xml_element *own = sni_xml_child(joint, "coordinates");
    return own != NULL ? own : sni_osim_objects(joint, "CoordinateSet");
}

// --- Coordinates

sn_status sni_osim_find_coordinate(const sni_osim_parser *p, const sni_xml_element *at,
                                   sni_word path, uint32_t *coordinate, sn_error *error) {
    sni_word name = sni_osim_leaf(path);
    char copy[64], hint[SNI_HINT_BYTES];
    size_t length = name.length < sizeof copy ? name.length : sizeof copy - 1;
    for (uint32_t i = 0; i < p->model->coordinate_count; ++i) {
        if (sni_osim_same(name, p->model->coordinates[i].name)) {
            *coordinate = i;
            return SN_OK;
        }
    }
    memcpy(copy, name.start, length);
    copy[length] = 0;
    sni_closest closest = sni_closest_to(copy);
    for (uint32_t i = 0; i < p->model->coordinate_count; ++i) {
        sni_closest_try(&closest, p->model->coordinates[i].name);
    }
    return sni_xml_fail(at, error, SN_INVALID, "there is no coordinate \"%s\"%s", copy,
                        sni_closest_hint(&closest, hint));
}

static sn_status read_coordinate(sni_osim_parser *p, const sni_xml_element *element, uint32_t joint,
                                 sn_error *error) {
    sni_osim *model = p->model;
    sni_osim_coordinate *c = &model->coordinates[model->coordinate_count];
    sn_status status = SN_OK;
    *c = (sni_osim_coordinate){.line = element->line,
                               .joint = joint,
                               .clamped = sni_osim_flag(element, "clamped", false),
                               .range = {-INFINITY, INFINITY},
                               .source = SN_NONE};
    SN_TRY(sni_osim_name(p, element, &c->name, error));
    SN_TRY(sni_osim_numbers(element, "default_value", 1, &c->value, true, error));
    SN_TRY(sni_osim_numbers(element, "range", 2, c->range, true, error));
    if (c->name[0] == 0) {
        return sni_xml_fail(element, error, SN_INVALID, "a coordinate has no name");
    }
    if (c->range[0] > c->range[1]) {
        return sni_xml_fail(element, error, SN_INVALID, "its range is from %.9g to %.9g",
                            c->range[0], c->range[1]);
    }
    for (uint32_t i = 0; i < model->coordinate_count; ++i) {
        if (strcmp(model->coordinates[i].name, c->name) == 0) {
            return sni_xml_fail(element, error, SN_INVALID,
                                "there are two coordinates \"%s\"; the other one stands in line %u",
                                c->name, model->coordinates[i].line);
        }
    }
    ++model->coordinate_count;
cleanup:
    return status;
}

// --- Axes

static sn_vec3 unit_axis(uint32_t axis) {
    return sn_vec3_make(axis % 3 == 0, axis % 3 == 1, axis % 3 == 2);
}

// The function x of one coordinate.
static sn_status follow(sni_osim_parser *p, sni_osim_axis *axis, uint32_t coordinate,
                        sn_error *error) {
    sn_status status = SN_OK;
    SNI_OSIM_NEW(p, axis->coordinates, 1);
    SNI_OSIM_NEW(p, axis->function.values, 2);
    axis->coordinate_count = 1;
    axis->coordinates[0] = coordinate;
    axis->function.count = 2;
    axis->function.values[0] = 1;
cleanup:
    return status;
}

static sn_status read_axis_inputs(sni_osim_parser *p, const sni_xml_element *element,
                                  sni_osim_axis *axis, sn_error *error) {
    const sni_xml_element *names = sni_xml_child(element, "coordinates");
    sni_text text = sni_xml_text(names);
    sn_status status = SN_OK;
    SNI_OSIM_NEW(p, axis->coordinates, SNI_OSIM_INPUTS_MAX);
    for (sni_text_skip_space(&text); text.at != text.end; sni_text_skip_space(&text)) {
        uint32_t coordinate;
        SN_TRY(sni_osim_find_coordinate(p, names, sni_text_word(&text), &coordinate, error));
        if (axis->coordinate_count == SNI_OSIM_INPUTS_MAX) {
            return sni_xml_fail(names, error, SN_INVALID, "an axis follows at most %d coordinates",
                                SNI_OSIM_INPUTS_MAX);
        }
        axis->coordinates[axis->coordinate_count++] = coordinate;
    }
cleanup:
    return status;
}

static sn_status read_axis(sni_osim_parser *p, const sni_xml_element *element, sni_osim_axis *axis,
                           sn_error *error) {
    const sni_xml_element *function = sni_osim_find_function(element);
    sn_status status = SN_OK;
    SN_TRY(sni_osim_vector(element, "axis", &axis->axis, true, error));
    double length = sn_vec3_length(axis->axis);
    if (!(length > 0)) {
        return sni_xml_fail(element, error, SN_INVALID, "<axis> has no direction");
    }
    axis->axis = sn_vec3_scale(axis->axis, 1 / length);
    SN_TRY(read_axis_inputs(p, element, axis, error));
    if (function == NULL) {
        return axis->coordinate_count > 0 ? follow(p, axis, axis->coordinates[0], error) : SN_OK;
    }
    SN_TRY(sni_osim_function_read(p, function, &axis->function, error));
    // A constant takes any inputs and uses none.
    if (axis->function.kind == SNI_OSIM_LINEAR && axis->function.count == 1) {
        axis->coordinate_count = 0;
    }
    uint32_t inputs =
        axis->function.kind == SNI_OSIM_LINEAR ? axis->function.count - 1 : (uint32_t)1;
    if (axis->coordinate_count != inputs) {
        return sni_xml_fail(function, error, SN_INVALID,
                            "<%s> takes %u coordinate%s, but <coordinates> names %u",
                            function->name, inputs, inputs == 1 ? "" : "s", axis->coordinate_count);
    }
cleanup:
    return status;
}

static sn_status read_transform(sni_osim_parser *p, const sni_xml_element *joint_element,
                                sni_osim_joint *joint, sn_error *error) {
    static const char *const names[] = {"rotation1",    "rotation2",    "rotation3",
                                        "translation1", "translation2", "translation3"};
    const sni_xml_element *set = sni_xml_child(joint_element, "SpatialTransform");
    sn_status status = SN_OK;
    for (const sni_xml_element *e = sni_xml_child(set, "TransformAxis"); e != NULL;
         e = sni_xml_next(e, "TransformAxis")) {
        const char *name = sni_xml_value(e, "name");
        uint32_t axis = 0;
        while (axis < 6 && (name == NULL || strcmp(names[axis], name) != 0)) {
            ++axis;
        }
        if (axis == 6) {
            return sni_xml_fail(e, error, SN_INVALID,
                                "an axis is named \"%s\", but must be rotation1 to rotation3 or "
                                "translation1 to translation3",
                                name != NULL ? name : "");
        }
        SN_TRY(read_axis(p, e, &joint->axes[axis], error));
    }
cleanup:
    return status;
}

static sn_status make_axes(sni_osim_parser *p, const sni_xml_element *element,
                           sni_osim_joint *joint, uint32_t first, sn_error *error) {
    uint32_t count = p->model->coordinate_count - first, kind = 0;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < 6; ++i) {
        joint->axes[i] = (sni_osim_axis){.axis = unit_axis(i)};
    }
    if (sni_xml_is(element, "CustomJoint")) {
        return read_transform(p, element, joint, error);
    }
    while (kind < sizeof kinds / sizeof *kinds && !sni_xml_is(element, kinds[kind].name)) {
        ++kind;
    }
    if (kind == sizeof kinds / sizeof *kinds) {
        return sni_xml_fail(element, error, SN_UNSUPPORTED,
                            "<%s> is a kind of joint that is not known; write it as a CustomJoint",
                            element->name);
    }
    if (count != kinds[kind].count) {
        return sni_xml_fail(element, error, SN_INVALID, "a %s has %u coordinate%s, this one %u",
                            element->name, kinds[kind].count, kinds[kind].count == 1 ? "" : "s",
                            count);
    }
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(follow(p, &joint->axes[kinds[kind].axes[i]], first + i, error));
    }
cleanup:
    return status;
}

// --- Joints

static sn_status read_place(const sni_xml_element *element, const char *location,
                            const char *orientation, sn_transform *place, sn_error *error) {
    sn_vec3 angles = {0, 0, 0};
    sn_status status = SN_OK;
    *place = sn_transform_identity();
    SN_TRY(sni_osim_vector(element, location, &place->translation, true, error));
    SN_TRY(sni_osim_vector(element, orientation, &angles, true, error));
    place->rotation = sn_quat_from_euler(angles, SN_ROTATION_XYZ);
cleanup:
    return status;
}

static const sni_xml_element *socket_of(const sni_xml_element *joint, const char *name,
                                        const char *old) {
    const sni_xml_element *socket = sni_xml_child(joint, name);
    return socket != NULL ? socket : sni_xml_child(joint, old);
}

// The two bodies of a joint, and the frames on them.
static sn_status read_ends(sni_osim_parser *p, const sni_xml_element *element, uint32_t in_body,
                           sni_osim_joint *joint, sn_error *error) {
    const sni_xml_element *parent, *child;
    sn_transform unused;
    sn_status status = SN_OK;
    if (in_body != SN_NONE) {
        parent = sni_xml_child(element, "parent_body");
        if (parent == NULL) {
            return sni_xml_fail(element, error, SN_INVALID, "there is no <parent_body>");
        }
        joint->child = in_body;
        SN_TRY(sni_osim_find_frame(p, parent, "", "the joint's parent is", &joint->parent, &unused,
                                   error));
        SN_TRY(read_place(element, "location_in_parent", "orientation_in_parent",
                          &joint->parent_offset, error));
        return read_place(element, "location", "orientation", &joint->child_offset, error);
    }
    parent = socket_of(element, "socket_parent_frame", "socket_parent_frame_connectee_name");
    child = socket_of(element, "socket_child_frame", "socket_child_frame_connectee_name");
    if (parent == NULL || child == NULL) {
        return sni_xml_fail(element, error, SN_INVALID, "there is no <socket_%s_frame>",
                            parent == NULL ? "parent" : "child");
    }
    SN_TRY(sni_osim_find_frame(p, parent, joint->name, "the joint's parent is", &joint->parent,
                               &joint->parent_offset, error));
    SN_TRY(sni_osim_find_frame(p, child, joint->name, "the joint's child is", &joint->child,
                               &joint->child_offset, error));
cleanup:
    return status;
}

static sn_status read_joint(sni_osim_parser *p, const sni_xml_element *element, uint32_t in_body,
                            sn_error *error) {
    sni_osim *model = p->model;
    uint32_t number = model->joint_count, first = model->coordinate_count;
    sni_osim_joint *joint = &model->joints[number];
    const sni_xml_element *set = coordinates_of(element);
    sn_status status = SN_OK;
    *joint = (sni_osim_joint){.line = element->line};
    SN_TRY(sni_osim_name(p, element, &joint->name, error));
    SN_TRY(sni_osim_copy(p, element->name, strlen(element->name), &joint->kind, error));
    for (const sni_xml_element *e = sni_xml_child(set, "Coordinate"); e != NULL;
         e = sni_xml_next(e, "Coordinate")) {
        SN_TRY(read_coordinate(p, e, number, error));
    }
    SN_TRY(make_axes(p, element, joint, first, error));
    SN_TRY(read_ends(p, element, in_body, joint, error));
    sni_osim_body *child = &model->bodies[joint->child];
    if (joint->child == 0) {
        return sni_xml_fail(element, error, SN_INVALID, "the joint's child is the ground");
    }
    if (child->joint != SN_NONE) {
        return sni_xml_fail(element, error, SN_UNSUPPORTED,
                            "the body \"%s\" hangs on the joint \"%s\" already; loops are not "
                            "possible",
                            child->name, model->joints[child->joint].name);
    }
    child->joint = number;
    ++model->joint_count;
cleanup:
    return status;
}

// Coordinates that turn an axis are angles.
static void find_rotations(sni_osim *model) {
    for (uint32_t j = 0; j < model->joint_count; ++j) {
        for (uint32_t a = 0; a < 3; ++a) {
            const sni_osim_axis *axis = &model->joints[j].axes[a];
            for (uint32_t k = 0; k < axis->coordinate_count; ++k) {
                model->coordinates[axis->coordinates[k]].is_rotation = true;
            }
        }
    }
}

sn_status sni_osim_read_joints(sni_osim_parser *p, sn_error *error) {
    const sni_xml_element *joints = sni_osim_objects(p->root, "JointSet");
    const sni_xml_element *bodies = sni_osim_objects(p->root, "BodySet");
    sn_status status = SN_OK;
    SNI_OSIM_NEW(p, p->model->joints, (size_t)sni_osim_count(joints) + sni_osim_count(bodies));
    SNI_OSIM_NEW(p, p->model->coordinates, sni_osim_count_all(p->root, "Coordinate"));
    for (const sni_xml_element *e = sni_xml_child(joints, NULL); e != NULL;
         e = sni_xml_next(e, NULL)) {
        SN_TRY(read_joint(p, e, SN_NONE, error));
    }
    for (uint32_t i = 1; i < p->model->body_count && joints == NULL; ++i) {
        for (const sni_xml_element *e = sni_xml_child(bodies, "Body"); e != NULL;
             e = sni_xml_next(e, "Body")) {
            const char *name = sni_xml_value(e, "name");
            const sni_xml_element *joint = joint_in_body(e);
            if (joint != NULL && name != NULL && strcmp(name, p->model->bodies[i].name) == 0) {
                SN_TRY(read_joint(p, joint, i, error));
            }
        }
    }
    find_rotations(p->model);
cleanup:
    return status;
}

// --- Couplers

static sn_status read_coupler(sni_osim_parser *p, const sni_xml_element *element, sn_error *error) {
    const sni_xml_element *holder = sni_xml_child(element, "coupled_coordinates_function");
    const sni_xml_element *from = sni_xml_child(element, "independent_coordinate_names");
    const sni_xml_element *to = sni_xml_child(element, "dependent_coordinate_name");
    const sni_xml_element *function = sni_xml_child(holder, NULL);
    uint32_t source, target;
    double scale = 1;
    sn_status status = SN_OK;
    if (!sni_osim_flag(element, "isEnforced", true) ||
        sni_osim_flag(element, "isDisabled", false)) {
        return SN_OK;
    }
    if (function == NULL || from == NULL || to == NULL) {
        return sni_xml_fail(element, error, SN_INVALID,
                            "a coupler needs <coupled_coordinates_function>, "
                            "<independent_coordinate_names> and <dependent_coordinate_name>");
    }
    sni_text text = sni_xml_text(from);
    sni_text_skip_space(&text);
    sni_word first = sni_text_word(&text);
    sni_text_skip_space(&text);
    if (text.at != text.end) {
        return sni_xml_fail(from, error, SN_UNSUPPORTED,
                            "a coupler of several independent coordinates is not possible");
    }
    SN_TRY(sni_osim_find_coordinate(p, from, first, &source, error));
    SN_TRY(sni_osim_find_coordinate(p, to, sni_xml_word(to), &target, error));
    sni_osim_coordinate *coordinate = &p->model->coordinates[target];
    if (coordinate->source != SN_NONE || source == target) {
        return sni_xml_fail(element, error, SN_INVALID, "\"%s\" is coupled twice, or to itself",
                            coordinate->name);
    }
    SN_TRY(sni_osim_function_read(p, function, &coordinate->coupler, error));
    if (coordinate->coupler.kind == SNI_OSIM_LINEAR && coordinate->coupler.count > 2) {
        return sni_xml_fail(function, error, SN_INVALID,
                            "<%s> takes %u coordinates, but one is coupled", function->name,
                            coordinate->coupler.count - 1);
    }
    SN_TRY(sni_osim_numbers(element, "scale_factor", 1, &scale, true, error));
    sni_osim_function_scale(&coordinate->coupler, scale);
    coordinate->source = source;
cleanup:
    return status;
}

// At rest a coupled coordinate has the value that its source gives it. Sources may be coupled
// themselves, but not in a circle.
static sn_status settle_couplers(sni_osim *model, sn_error *error) {
    uint32_t longest = 0;
    for (uint32_t i = 0; i < model->coordinate_count; ++i) {
        uint32_t steps = 0;
        for (uint32_t s = model->coordinates[i].source; s != SN_NONE;
             s = model->coordinates[s].source) {
            if (++steps > model->coordinate_count) {
                sni_fail(error, SN_INVALID, "the couplers of \"%s\" form a circle",
                         model->coordinates[i].name);
                sni_error_place(error, model->coordinates[i].line, NULL);
                return SN_INVALID;
            }
        }
        longest = steps > longest ? steps : longest;
    }
    for (uint32_t round = 0; round < longest; ++round) {
        for (uint32_t i = 0; i < model->coordinate_count; ++i) {
            sni_osim_coordinate *c = &model->coordinates[i];
            if (c->source != SN_NONE) {
                c->value = sni_osim_evaluate(&c->coupler, &model->coordinates[c->source].value);
            }
        }
    }
    return SN_OK;
}

sn_status sni_osim_read_couplers(sni_osim_parser *p, sn_error *error) {
    const sni_xml_element *set = sni_osim_objects(p->root, "ConstraintSet");
    sn_status status = SN_OK;
    for (const sni_xml_element *e = sni_xml_child(set, NULL); e != NULL;
         e = sni_xml_next(e, NULL)) {
        if (sni_xml_is(e, "CoordinateCouplerConstraint")) {
            SN_TRY(read_coupler(p, e, error));
        } else {
            SN_TRY(sni_osim_add_other(p, e, error));
        }
    }
    status = settle_couplers(p->model, error);
cleanup:
    return status;
}
