// SPDX-License-Identifier: Apache-2.0
//
// Muscles of any kind: the numbers that their volume follows from, and their paths.
#include "base/text.h"
#include "io/osim/osim_internal.h"

#include <math.h>
#include <string.h>

// What OpenSim takes where a file leaves a number out.
static const double standard_force = 1000, standard_fibre = 0.1, standard_tendon = 0.2;

static const sni_xml_element *socket_of(const sni_xml_element *element, const char *name,
                                        const char *old) {
    const sni_xml_element *socket = sni_xml_child(element, name);
    return socket != NULL ? socket : sni_xml_child(element, old);
}

static sn_status find_switch(sni_osim_parser *p, const sni_xml_element *element,
                             sni_osim_point *point, sn_error *error) {
    const sni_xml_element *socket = socket_of(element, "socket_coordinate", "coordinate");
    sn_status status = SN_OK;
    if (socket == NULL) {
        return sni_xml_fail(element, error, SN_INVALID, "there is no <socket_coordinate>");
    }
    SN_TRY(sni_osim_find_coordinate(p, socket, sni_xml_word(socket), &point->conditional, error));
    SN_TRY(sni_osim_numbers(element, "range", 2, point->range, false, error));
    if (point->range[0] > point->range[1]) {
        return sni_xml_fail(element, error, SN_INVALID, "its range is from %.9g to %.9g",
                            point->range[0], point->range[1]);
    }
cleanup:
    return status;
}

// One coordinate of a moving point. A constant does not move.
static sn_status read_moving_axis(sni_osim_parser *p, const sni_xml_element *element, uint32_t axis,
                                  sni_osim_point *point, double *at, sn_error *error) {
    static const char *const sockets[] = {"socket_x_coordinate", "socket_y_coordinate",
                                          "socket_z_coordinate"};
    static const char *const olds[] = {"x_coordinate", "y_coordinate", "z_coordinate"};
    static const char *const places[] = {"x_location", "y_location", "z_location"};
    const sni_xml_element *socket = socket_of(element, sockets[axis], olds[axis]);
    const sni_xml_element *function = sni_xml_child(sni_xml_child(element, places[axis]), NULL);
    sni_osim_function *f = &point->functions[axis];
    sn_status status = SN_OK;
    if (function == NULL) {
        return sni_xml_fail(element, error, SN_INVALID, "there is no function in <%s>",
                            places[axis]);
    }
    SN_TRY(sni_osim_function_read(p, function, f, error));
    if (f->kind == SNI_OSIM_LINEAR && f->count > 2) {
        return sni_xml_fail(function, error, SN_INVALID,
                            "<%s> takes %u coordinates, but a point moves with one", function->name,
                            f->count - 1);
    }
    if (f->kind == SNI_OSIM_LINEAR && f->count == 1) {
        *at = f->values[0];
        return SN_OK;
    }
    if (socket == NULL) {
        return sni_xml_fail(element, error, SN_INVALID, "there is no <%s>", sockets[axis]);
    }
    SN_TRY(sni_osim_find_coordinate(p, socket, sni_xml_word(socket), &point->coordinates[axis],
                                    error));
    *at = sni_osim_evaluate(f, &p->model->coordinates[point->coordinates[axis]].value);
cleanup:
    return status;
}

// A moving point in a frame that is shifted on its body: all of its places are.
static void shift_functions(sni_osim_point *point, sn_vec3 shift) {
    const double by[3] = {shift.x, shift.y, shift.z};
    for (uint32_t axis = 0; axis < 3; ++axis) {
        sni_osim_function *f = &point->functions[axis];
        uint32_t first = f->keys != NULL ? 0 : f->count - 1;
        for (uint32_t i = first; i < f->count; ++i) {
            f->values[i] += by[axis];
        }
    }
}

static sn_status read_moving(sni_osim_parser *p, const sni_xml_element *element,
                             sni_osim_point *point, const sn_transform *frame, sn_error *error) {
    double at[3] = {0};
    sn_status status = SN_OK;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        SN_TRY(read_moving_axis(p, element, axis, point, &at[axis], error));
        point->moves = point->moves || point->coordinates[axis] != SN_NONE;
    }
    if (point->moves && fabs(frame->rotation.w) < 1) {
        return sni_xml_fail(element, error, SN_UNSUPPORTED,
                            "a moving point on a frame that is turned against its body is not "
                            "possible");
    }
    point->at = sn_vec3_make(at[0], at[1], at[2]);
    shift_functions(point, frame->translation);
cleanup:
    return status;
}

static sn_status read_point(sni_osim_parser *p, const sni_xml_element *element,
                            sni_osim_point *point, sn_error *error) {
    const sni_xml_element *socket = socket_of(element, "socket_parent_frame", "body");
    sn_transform frame;
    sn_status status = SN_OK;
    *point = (sni_osim_point){
        .line = element->line, .conditional = SN_NONE, .coordinates = {SN_NONE, SN_NONE, SN_NONE}};
    SN_TRY(sni_osim_name(p, element, &point->name, error));
    if (socket == NULL) {
        return sni_xml_fail(element, error, SN_INVALID, "there is no <socket_parent_frame>");
    }
    SN_TRY(sni_osim_find_frame(p, socket, "", "the path point is on", &point->body, &frame, error));
    if (sni_xml_is(element, "MovingPathPoint")) {
        SN_TRY(read_moving(p, element, point, &frame, error));
    } else {
        SN_TRY(sni_osim_vector(element, "location", &point->at, false, error));
        if (sni_xml_is(element, "ConditionalPathPoint")) {
            SN_TRY(find_switch(p, element, point, error));
        } else if (!sni_xml_is(element, "PathPoint")) {
            return sni_xml_fail(element, error, SN_UNSUPPORTED,
                                "<%s> is a kind of path point that is not known", element->name);
        }
    }
    point->at = sn_vec3_add(frame.translation, sn_quat_rotate(frame.rotation, point->at));
cleanup:
    return status;
}

// --- Wraps

static sn_status read_method(const sni_xml_element *element, sni_osim_method *method,
                             sn_error *error) {
    static const char *const known[] = {
        [SNI_OSIM_HYBRID] = "hybrid", [SNI_OSIM_MIDPOINT] = "midpoint", [SNI_OSIM_AXIAL] = "axial"};
    const sni_xml_element *child = sni_xml_child(element, "method");
    sni_word word = sni_xml_word(child);
    *method = SNI_OSIM_HYBRID;
    for (uint32_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (sni_word_is(word, known[i])) {
            *method = (sni_osim_method)i;
            return SN_OK;
        }
    }
    return word.length == 0 || sni_word_is(word, "unassigned")
               ? SN_OK
               : sni_xml_fail(child, error, SN_INVALID,
                              "<method> is \"%.*s\", but must be hybrid, midpoint or axial",
                              (int)(word.length < 32 ? word.length : 32), word.start);
}

static sn_status read_around(sni_osim_parser *p, const sni_xml_element *element,
                             sni_osim_muscle *muscle, sn_error *error) {
    const sni_xml_element *name = sni_xml_child(element, "wrap_object");
    sni_osim_around *around = &muscle->arounds[muscle->around_count];
    double range[2] = {-1, -1}, last = muscle->point_count;
    sn_status status = SN_OK;
    *around = (sni_osim_around){.wrap = SN_NONE};
    for (uint32_t i = p->model->wrap_count; i-- > 0;) { // the first of several
        if (sni_osim_same(sni_osim_leaf(sni_xml_word(name)), p->model->wraps[i].name)) {
            around->wrap = i;
        }
    }
    SN_TRY(sni_osim_numbers(element, "range", 2, range, true, error));
    SN_TRY(read_method(element, &around->method, error));
    if (around->wrap == SN_NONE) {
        // One of a kind that is left out is left out here, too.
        return name != NULL ? SN_OK
                            : sni_xml_fail(element, error, SN_INVALID, "there is no <wrap_object>");
    }
    // Points are counted from 1; below that means from the first, or to the last.
    range[0] = range[0] < 1 ? 1 : fmin(range[0], last);
    range[1] = range[1] < 1 ? last : fmin(range[1], last);
    around->first = (uint32_t)range[0] - 1;
    around->last = (uint32_t)range[1] - 1;
    muscle->around_count += around->first < around->last && p->model->wraps[around->wrap].active;
cleanup:
    return status;
}

// --- Muscles

static const sni_xml_element *path_of(const sni_xml_element *force) {
    const sni_xml_element *path = sni_xml_child(force, "GeometryPath");
    return path != NULL ? path : sni_xml_child(sni_xml_child(force, "path"), "GeometryPath");
}

static bool is_muscle(const sni_xml_element *force) {
    return path_of(force) != NULL && (sni_xml_child(force, "max_isometric_force") != NULL ||
                                      strstr(force->name, "Muscle") != NULL);
}

static sn_status read_sizes(const sni_xml_element *element, sni_osim_muscle *muscle,
                            sn_error *error) {
    sn_status status = SN_OK;
    muscle->force = standard_force;
    muscle->fibre_length = standard_fibre;
    muscle->tendon_length = standard_tendon;
    SN_TRY(sni_osim_numbers(element, "max_isometric_force", 1, &muscle->force, true, error));
    SN_TRY(
        sni_osim_numbers(element, "optimal_fiber_length", 1, &muscle->fibre_length, true, error));
    SN_TRY(
        sni_osim_numbers(element, "tendon_slack_length", 1, &muscle->tendon_length, true, error));
    SN_TRY(sni_osim_numbers(element, "pennation_angle_at_optimal", 1, &muscle->pennation, true,
                            error));
    if (!(muscle->force > 0 && muscle->fibre_length > 0 && muscle->tendon_length >= 0)) {
        return sni_xml_fail(element, error, SN_INVALID,
                            "force %.9g N, fibres %.9g m, tendon %.9g m: the first two must be "
                            "above 0, the tendon not below",
                            muscle->force, muscle->fibre_length, muscle->tendon_length);
    }
cleanup:
    return status;
}

static sn_status read_muscle(sni_osim_parser *p, const sni_xml_element *element, sn_error *error) {
    sni_osim_muscle *muscle = &p->model->muscles[p->model->muscle_count];
    const sni_xml_element *path = path_of(element);
    const sni_xml_element *points = sni_osim_objects(path, "PathPointSet");
    const sni_xml_element *wraps = sni_osim_objects(path, "PathWrapSet");
    uint32_t count = sni_osim_count(points);
    sn_status status = SN_OK;
    *muscle = (sni_osim_muscle){.line = element->line};
    SN_TRY(sni_osim_name(p, element, &muscle->name, error));
    SN_TRY(sni_osim_copy(p, element->name, strlen(element->name), &muscle->kind, error));
    if (muscle->name[0] == 0) {
        return sni_xml_fail(element, error, SN_INVALID, "a muscle has no name");
    }
    if (count < 2) {
        return sni_xml_fail(element, error, SN_INVALID,
                            "a muscle's path needs at least 2 points, but has %u", count);
    }
    for (uint32_t i = 0; i < p->model->muscle_count; ++i) {
        if (strcmp(p->model->muscles[i].name, muscle->name) == 0) {
            return sni_xml_fail(element, error, SN_INVALID,
                                "there are two muscles \"%s\"; the other one stands in line %u",
                                muscle->name, p->model->muscles[i].line);
        }
    }
    SN_TRY(read_sizes(element, muscle, error));
    SNI_OSIM_NEW(p, muscle->points, count);
    for (const sni_xml_element *e = sni_xml_child(points, NULL); e != NULL;
         e = sni_xml_next(e, NULL)) {
        SN_TRY(read_point(p, e, &muscle->points[muscle->point_count++], error));
    }
    SNI_OSIM_NEW(p, muscle->arounds, sni_osim_count(wraps));
    for (const sni_xml_element *e = sni_xml_child(wraps, "PathWrap"); e != NULL;
         e = sni_xml_next(e, "PathWrap")) {
        SN_TRY(read_around(p, e, muscle, error));
    }
    ++p->model->muscle_count;
cleanup:
    return status;
}

sn_status sni_osim_read_muscles(sni_osim_parser *p, sn_error *error) {
    const sni_xml_element *set = sni_osim_objects(p->root, "ForceSet");
    sn_status status = SN_OK;
    SNI_OSIM_NEW(p, p->model->muscles, sni_osim_count(set));
    for (const sni_xml_element *e = sni_xml_child(set, NULL); e != NULL;
         e = sni_xml_next(e, NULL)) {
        if (is_muscle(e)) {
            SN_TRY(read_muscle(p, e, error));
        } else {
            SN_TRY(sni_osim_add_other(p, e, error));
        }
    }
cleanup:
    return status;
}
