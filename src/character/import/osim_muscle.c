// SPDX-License-Identifier: Apache-2.0
//
// Muscles of an OpenSim model as cylinders.
//
// The path's points are the origin, pivots and the insertion. Slices are given to its legs by
// length. A muscle's volume is that of its fibres,
//
//     V = F / sigma * l,      sigma = 61 N/cm2
//
// F the peak isometric force, l the optimal fibre length, and sigma the specific tension that the
// leg model of Arnold, Ward, Lieber and Delp uses (A Model of the Lower Limb for Analysis of Human
// Movement, Annals of Biomedical Engineering 38, 2010), which scales Delp's forces of 1990. The
// model says nothing of the belly's length. Fibres of pennate muscles stand beside each other along
// it, so that it is longer than they are: it is as long as the fibres, or as a spindle of this
// volume five times as long as thick, whichever is more. More of the tendon lies beyond the belly
// than before it, as in most muscles of limbs. Tendons are as thick as 30 N/mm2 makes them.
#include "character/import/osim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double specific_tension = 0.61e6, tendon_stress = 30e6; // N/m2
static const double slenderness = 5;                                 // length of a belly / width
static const double belly_share = 0.9;                               // of the path at most
static const double fullest = 0.3;         // power of the sine that a short belly is shaped by
static const double proximal_share = 0.35; // of the tendon lies before the belly
static const double thinnest = 0.003;      // metres
// Steps between slices, metres, and how many there are at least and at most over a whole path.
static const double step_length = 0.015;
enum { LEAST_STEPS = 12, MOST_STEPS = 32, AROUND_STEPS = 6, AROUND_SLICES = 3, POINTS = 12 };

// Mean of sin^1.5 over half a turn: the share that a belly fills of the cylinder around it.
static const double fullness = 0.5563;

// A muscle laid out at rest.
typedef struct layout {
    const sni_osim_muscle *muscle;
    bool reversed;
    uint32_t *slices; // point_count: where each point stands
    uint32_t *legs;   // around_count: the leg that each wrap object acts on
    sn_vec3 *points;  // point_count: in the ground at rest
    uint32_t slice_count;
    double *places;               // slice_count: along the path at rest
    double *diameters;            // slice_count
    double length, width, tendon; // of the path at rest; of belly and tendon
} layout;

static double tidy(double metres) {
    return round(metres * 1e9) / 1e9;
}

static sn_vec3 tidy_vector(sn_vec3 v) {
    return sn_vec3_make(tidy(v.x), tidy(v.y), tidy(v.z));
}

static const sni_osim_point *point_at(const layout *l, uint32_t index) {
    return &l->muscle->points[l->reversed ? l->muscle->point_count - 1 - index : index];
}

// --- Layout

static bool hangs_on(const sni_osim *model, uint32_t body, uint32_t other) {
    while (body != other && body != 0) {
        body = model->joints[model->bodies[body].joint].parent;
    }
    return body == other;
}

// Whether a point counts at rest. The ends always do.
static bool is_on(const sni_osim_builder *b, const layout *l, uint32_t index) {
    const sni_osim_point *point = point_at(l, index);
    if (index == 0 || index + 1 == l->muscle->point_count || point->conditional == SN_NONE) {
        return true;
    }
    double value = b->model->coordinates[point->conditional].value;
    return value >= point->range[0] && value <= point->range[1];
}

static sn_vec3 in_ground(const sn_transform *body, sn_vec3 at) {
    return sn_vec3_add(body->translation, sn_quat_rotate(body->rotation, at));
}

// The points of the path between which a wrap object acts, in the order of the layout.
static void find_range(const layout *l, const sni_osim_around *around, uint32_t range[2]) {
    uint32_t count = l->muscle->point_count;
    range[0] = l->reversed ? count - 1 - around->last : around->first;
    range[1] = l->reversed ? count - 1 - around->first : around->last;
}

// The leg of the path, of those that a wrap object may act on, that it is nearest to at rest. Legs
// that both ends of move with the object come last: it never begins to act there.
static uint32_t leg_around(const sni_osim_builder *b, const layout *l,
                           const sni_osim_around *around) {
    const sni_osim_wrap *wrap = &b->model->wraps[around->wrap];
    uint32_t range[2];
    find_range(l, around, range);
    uint32_t first = range[0], last = range[1], best = first;
    sn_vec3 center = in_ground(&b->rest[wrap->body], wrap->center);
    double nearest = INFINITY;
    for (uint32_t i = first; i < last; ++i) {
        sn_vec3 way = sn_vec3_sub(l->points[i + 1], l->points[i]);
        sn_vec3 from = sn_vec3_sub(center, l->points[i]);
        double square = fmax(sn_vec3_dot(way, way), 1e-18);
        double t = fmin(fmax(sn_vec3_dot(from, way) / square, 0), 1);
        bool still = point_at(l, i)->body == wrap->body && point_at(l, i + 1)->body == wrap->body;
        double distance = sn_vec3_length(sn_vec3_add_scaled(from, -t, way)) + (still ? 1e6 : 0);
        if (distance < nearest) {
            nearest = distance;
            best = i;
        }
    }
    return best;
}

static uint32_t count_around(const layout *l, uint32_t leg) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->muscle->around_count; ++i) {
        count += l->legs[i] == leg;
    }
    return count;
}

static void share_slices(layout *l) {
    uint32_t count = l->muscle->point_count, steps = 0;
    double length = 0;
    for (uint32_t i = 0; i + 1 < count; ++i) {
        length += sn_vec3_distance(l->points[i], l->points[i + 1]);
    }
    double wanted = fmin(fmax(length / step_length, LEAST_STEPS), MOST_STEPS);
    for (uint32_t i = 0; i + 1 < count; ++i) {
        double share = sn_vec3_distance(l->points[i], l->points[i + 1]) / fmax(length, 1e-9);
        double own = fmax(round(share * wanted), 1);
        l->slices[i] = steps;
        steps += (uint32_t)fmax(own, AROUND_STEPS * count_around(l, i));
    }
    if (steps < 2) {
        steps = 2; // a cylinder has three slices
    }
    l->slices[count - 1] = steps;
    l->slice_count = steps + 1;
}

// How far along its leg a wrap object stands, 0 to 1, and how long the straight way is within it.
static double along_leg(const sni_osim_builder *b, const layout *l, uint32_t around,
                        double *within) {
    const sni_osim_wrap *wrap = &b->model->wraps[l->muscle->arounds[around].wrap];
    sn_vec3 from = l->points[l->legs[around]], to = l->points[l->legs[around] + 1];
    sn_vec3 center = in_ground(&b->rest[wrap->body], wrap->center), way = sn_vec3_sub(to, from);
    double square = fmax(sn_vec3_dot(way, way), 1e-18);
    double t = sn_vec3_dot(sn_vec3_sub(center, from), way) / square;
    double off = sn_vec3_distance(center, sn_vec3_lerp(from, to, t));
    double radius = fmax(wrap->radii.x, fmax(wrap->radii.y, wrap->radii.z));
    *within = off < radius ? 2 * sqrt(radius * radius - off * off) : 0;
    return fmin(fmax(t, 0), 1);
}

// The slices that lie on a wrap object where it acts: few, at its place on the leg, the others are
// for the straight ways before and behind it. Objects on one leg share it in their order.
static void find_slices(const sni_osim_builder *b, const layout *l, uint32_t around,
                        uint32_t slices[2]) {
    uint32_t leg = l->legs[around], place = 0, count = count_around(l, leg);
    double within, own = along_leg(b, l, around, &within);
    for (uint32_t i = 0; i < l->muscle->around_count; ++i) {
        double other = l->legs[i] == leg ? along_leg(b, l, i, &within) : 0;
        place += l->legs[i] == leg && i != around && (other < own || (other == own && i < around));
    }
    uint32_t first = l->slices[leg] + 1, inner = l->slices[leg + 1] - first;
    uint32_t begin = first + inner * place / count, end = first + inner * (place + 1) / count;
    uint32_t free = end - begin > AROUND_SLICES ? end - begin - AROUND_SLICES : 0;
    double t = fmin(fmax(own * count - place, 0), 1);
    slices[0] = begin + (uint32_t)lround(t * free);
    slices[1] = slices[0] + (end - begin - free) - 1;
}

// Slices of a leg with one wrap object that is cut at rest: those on the object stand close
// together.
static void gather_slices(const sni_osim_builder *b, layout *l, uint32_t leg) {
    for (uint32_t i = 0; i < l->muscle->around_count; ++i) {
        uint32_t on[2], first = l->slices[leg], last = l->slices[leg + 1];
        double within, t;
        if (l->legs[i] != leg || count_around(l, leg) > 1) {
            continue;
        }
        t = along_leg(b, l, i, &within);
        double start = l->places[first], way = l->places[last] - start;
        double enter = fmax(t * way - within / 2, 0), leave = fmin(t * way + within / 2, way);
        if (within == 0 || !(enter < leave)) {
            continue;
        }
        find_slices(b, l, i, on);
        for (uint32_t s = first + 1; s < last; ++s) {
            double at = s < on[0]       ? enter * (s - first) / (on[0] - first)
                        : s > on[1]     ? leave + (way - leave) * (s - on[1]) / (last - on[1])
                        : on[1] > on[0] ? enter + (leave - enter) * (s - on[0]) / (on[1] - on[0])
                                        : (enter + leave) / 2;
            l->places[s] = start + at;
        }
    }
}

// Between points that count slices stand at even distances.
static void place_slices(const sni_osim_builder *b, layout *l) {
    uint32_t from = 0;
    l->places[0] = 0;
    for (uint32_t i = 1; i < l->muscle->point_count; ++i) {
        if (!is_on(b, l, i)) {
            continue;
        }
        uint32_t first = l->slices[from], last = l->slices[i];
        double start = l->places[first];
        double way = sn_vec3_distance(l->points[from], l->points[i]);
        for (uint32_t s = first + 1; s <= last; ++s) {
            l->places[s] = start + way * (s - first) / (last - first);
        }
        if (from + 1 == i) {
            gather_slices(b, l, from);
        }
        from = i;
    }
    l->length = l->places[l->slice_count - 1];
}

// --- Thickness

// Volume of the mesh between its slices: circles of POINTS corners.
static double volume_of(const layout *l) {
    double circle = POINTS / 2.0 * sin(2 * SN_PI / POINTS) / 4, volume = 0;
    for (uint32_t i = 0; i + 1 < l->slice_count; ++i) {
        double a = l->diameters[i], c = l->diameters[i + 1];
        volume += circle * (l->places[i + 1] - l->places[i]) * (a * a + a * c + c * c) / 3;
    }
    return volume;
}

// `power` 0.75 is a spindle, whose sections' areas go with sin^1.5; less is fuller at the ends.
static void shape_belly(layout *l, double first, double belly, double power) {
    for (uint32_t i = 0; i < l->slice_count; ++i) {
        double t = (l->places[i] - first) / belly;
        bool inside = t > 0 && t < 1;
        l->diameters[i] =
            l->tendon + (inside ? (l->width - l->tendon) * pow(sin(SN_PI * t), power) : 0);
    }
}

// Finds the width with which the mesh has the muscle's volume, beside that of its tendons.
static void shape_muscle(layout *l) {
    const sni_osim_muscle *m = l->muscle;
    double volume = m->force / specific_tension * m->fibre_length;
    double fibres = m->fibre_length * cos(m->pennation);
    double spindle = cbrt(4 * slenderness * slenderness * volume / (fullness * SN_PI));
    double belly = fmin(fmax(fibres, spindle), belly_share * l->length);
    double first = (l->length - belly) * proximal_share;
    // A belly that the path has no room for is full to its ends rather than a ball.
    double room = fmin(belly / spindle, 1), power = fmax(0.75 * room * room, fullest);
    l->tendon = fmax(2 * sqrt(m->force / (SN_PI * tendon_stress)), thinnest);
    double target = volume + SN_PI / 4 * l->tendon * l->tendon * (l->length - belly);
    double low = l->tendon, high = fmax(2 * l->tendon, sqrt(8 * target / belly));
    for (int round = 0; round < 60; ++round) {
        l->width = (low + high) / 2;
        shape_belly(l, first, belly, power);
        if (volume_of(l) < target) {
            low = l->width;
        } else {
            high = l->width;
        }
    }
}

// --- The document

static bool add_place(sni_osim_builder *b, sn_value *list, const char *segment, sn_vec3 at) {
    sn_value *place = sn_json_add_object(b->json, list, NULL);
    return sn_json_add_string(b->json, place, "segment", segment) != NULL &&
           sni_osim_add_vector(b, place, "at", tidy_vector(at));
}

// A point that moves on its body, as a segment of its own: attachments cannot move.
const char *sni_osim_moving_segment(sni_osim_builder *b, const sni_osim_point *point) {
    static const char *const names[3] = {"tx", "ty", "tz"};
    const double rest[3] = {point->at.x, point->at.y, point->at.z};
    char name[SNI_OSIM_NAME_BYTES];
    sn_transform still = sn_transform_identity();
    sn_value *segment = sni_osim_add_segment(b, sni_osim_unique_segment(b, point->name, name),
                                             b->model->bodies[point->body].name, &still);
    sn_value *object = sn_json_add_object(b->json, segment, "rest");
    bool done = object != NULL;
    for (uint32_t axis = 0; axis < 3 && done; ++axis) {
        char control[SNI_OSIM_NAME_BYTES];
        double amounts[3] = {axis == 0, axis == 1, axis == 2};
        const sni_osim_function *f = &point->functions[axis];
        snprintf(control, sizeof control, "%.200s %c", point->name, "xyz"[axis]);
        done = sn_json_add_number(b->json, object, names[axis], rest[axis]) != NULL &&
               (point->coordinates[axis] == SN_NONE || sni_osim_is_constant(f) ||
                sni_osim_follow(b, control, "path points", f, point->coordinates[axis], false,
                                segment->key, amounts));
    }
    return done ? segment->key : NULL;
}

// Two attachments on both sides of an end of the path, `across` apart in the ground at rest.
static bool add_end(sni_osim_builder *b, sn_value *muscle, const char *key,
                    const sni_osim_point *point, sn_vec3 across) {
    sn_quat to_body = sn_quat_conjugate(b->rest[point->body].rotation);
    sn_vec3 half = tidy_vector(sn_vec3_scale(sn_quat_rotate(to_body, across), 0.5));
    const char *segment =
        point->moves ? sni_osim_moving_segment(b, point) : b->model->bodies[point->body].name;
    sn_vec3 at = point->moves ? sn_vec3_make(0, 0, 0) : point->at;
    sn_value *list = sn_json_add_array(b->json, muscle, key);
    return segment != NULL && add_place(b, list, segment, sn_vec3_sub(at, half)) &&
           add_place(b, list, segment, sn_vec3_add(at, half));
}

// A vector across the path, turned as little as possible from its begin to its end.
static bool add_ends(sni_osim_builder *b, const layout *l, sn_value *muscle) {
    uint32_t last = l->muscle->point_count - 1;
    sn_vec3 way = {0, 0, 0}, across = {0, 0, 0}, first = {0, 0, 0};
    for (uint32_t i = 0; i < last; ++i) {
        sn_vec3 next = sn_vec3_sub(l->points[i + 1], l->points[i]);
        if (!(sn_vec3_length(next) > 0)) {
            continue;
        }
        next = sn_vec3_normalize_or(next, way);
        if (sn_vec3_length(across) > 0) {
            across = sn_quat_rotate(sn_quat_between(way, next), across);
        } else {
            first = across = sn_vec3_scale(sn_vec3_perpendicular(next), l->tendon);
        }
        way = next;
    }
    return add_end(b, muscle, "origins", point_at(l, 0), first) &&
           add_end(b, muscle, "insertions", point_at(l, last), across);
}

static bool add_moves(sni_osim_builder *b, sn_value *pivot, const sni_osim_point *point) {
    static const char *const names[3] = {"x", "y", "z"};
    sn_value *moves = sn_json_add_object(b->json, pivot, "moves");
    bool done = moves != NULL;
    for (uint32_t axis = 0; axis < 3 && done; ++axis) {
        const sni_osim_function *f = &point->functions[axis];
        if (point->coordinates[axis] == SN_NONE || sni_osim_is_constant(f)) {
            continue;
        }
        const sni_osim_coordinate *c = &b->model->coordinates[point->coordinates[axis]];
        sn_value *object = sn_json_add_object(b->json, moves, names[axis]);
        done = sn_json_add_string(b->json, object, "parameter", c->name) != NULL &&
               sni_osim_add_curve(b, object, f, c, 0, 1);
    }
    return done;
}

static bool add_pivot(sni_osim_builder *b, const layout *l, uint32_t index, sn_value *list) {
    const sni_osim_point *point = point_at(l, index);
    sn_value *pivot = sn_json_add_object(b->json, list, NULL);
    bool done =
        sn_json_add_number(b->json, pivot, "slice", l->slices[index]) != NULL &&
        sn_json_add_string(b->json, pivot, "segment", b->model->bodies[point->body].name) != NULL &&
        sni_osim_add_vector(b, pivot, "at", point->at);
    if (done && point->moves) {
        done = add_moves(b, pivot, point);
    }
    if (done && point->conditional != SN_NONE) {
        const sni_osim_coordinate *c = &b->model->coordinates[point->conditional];
        double unit = sni_osim_control_unit(c);
        double range[2] = {point->range[0] * unit, point->range[1] * unit};
        done = sn_json_add_string(b->json, pivot, "use", "range") != NULL &&
               sn_json_add_string(b->json, pivot, "parameter", c->name) != NULL &&
               sn_json_add_numbers(b->json, pivot, "range", range, 2) != NULL;
    }
    return done;
}

// The standard width and thickness of a slice (docs/cylinder.md, Slices), which its own are factors
// on. Ends have half the thickness.
static void standard_size(const layout *l, uint32_t slice, double *width, double *thickness) {
    double t = (double)slice / (l->slice_count - 1);
    bool is_end = slice == 0 || slice + 1 == l->slice_count;
    double belly = is_end ? 0 : pow(sin(SN_PI * t), 1.5);
    *width = l->tendon + belly * (l->width - l->tendon);
    *thickness = l->tendon / 2 + belly * (l->width - l->tendon / 2);
}

static bool add_shape(sni_osim_builder *b, const layout *l, sn_value *muscle) {
    sn_value *list = sn_json_add_array(b->json, muscle, "shape");
    bool done = list != NULL;
    for (uint32_t i = 0; i < l->slice_count && done; ++i) {
        double width, thickness;
        standard_size(l, i, &width, &thickness);
        double scale[2] = {round(1e4 * l->diameters[i] / width) / 1e4,
                           round(1e4 * l->diameters[i] / thickness) / 1e4};
        sn_value *shape = sn_json_add_object(b->json, list, NULL);
        done = sn_json_add_number(b->json, shape, "slice", i) != NULL &&
               sn_json_add_numbers(b->json, shape, "scale", scale, 2) != NULL;
    }
    return done;
}

static bool add_cylinder(sni_osim_builder *b, const layout *l, sn_value *muscle) {
    uint32_t count = l->muscle->point_count;
    bool done = sn_json_add_string(b->json, muscle, "kind", "cylinder") != NULL &&
                add_ends(b, l, muscle) &&
                sn_json_add_number(b->json, muscle, "slices", l->slice_count) != NULL &&
                sn_json_add_number(b->json, muscle, "points", POINTS) != NULL &&
                sn_json_add_number(b->json, muscle, "width", tidy(l->width)) != NULL &&
                sn_json_add_number(b->json, muscle, "thickness", tidy(l->width)) != NULL &&
                sn_json_add_string(b->json, muscle, "volume", "exact") != NULL &&
                sn_json_add_number(b->json, muscle, "lift", 0) != NULL && add_shape(b, l, muscle);
    sn_value *pivots = done && count > 2 ? sn_json_add_array(b->json, muscle, "pivots") : NULL;
    for (uint32_t i = 1; i + 1 < count && done; ++i) {
        done = add_pivot(b, l, i, pivots);
    }
    return done;
}

// --- Wrap objects

// How a path finds its way: which sections, on which pieces, on which side.
static bool add_way(sni_osim_builder *b, const layout *l, uint32_t index, sn_value *object) {
    static const char *const methods[] = {
        [SNI_OSIM_HYBRID] = "hybrid", [SNI_OSIM_MIDPOINT] = "midpoint", [SNI_OSIM_AXIAL] = "axial"};
    const sni_osim_around *around = &l->muscle->arounds[index];
    const sni_osim_wrap *wrap = &b->model->wraps[around->wrap];
    uint32_t on[2], range[2];
    find_slices(b, l, index, on);
    find_range(l, around, range);
    double slices[2] = {on[0], on[1]};
    double between[2] = {l->slices[range[0]], l->slices[range[1]]};
    bool done = sn_json_add_numbers(b->json, object, "slices", slices, 2) != NULL;
    if (done && l->muscle->point_count > 2) {
        done = sn_json_add_numbers(b->json, object, "between", between, 2) != NULL;
    }
    // Along a cylinder there is no side.
    if (done && wrap->side[0] != 0 && !(wrap->kind == SNI_OSIM_CYLINDER && wrap->side[1] == 'z')) {
        done = sn_json_add_string(b->json, object, "side", wrap->side) != NULL;
    }
    return done && sn_json_add_string(b->json, object, "method", methods[around->method]) != NULL;
}

static bool add_around(sni_osim_builder *b, const layout *l, uint32_t index, sn_value *list) {
    static const char *const kinds[] = {"cylinder", "sphere", "ellipsoid", "torus"};
    const sni_osim_wrap *wrap = &b->model->wraps[l->muscle->arounds[index].wrap];
    bool is_cylinder = wrap->kind == SNI_OSIM_CYLINDER;
    double degrees = 180 / SN_PI;
    sn_value *object = sn_json_add_object(b->json, list, NULL);
    bool done = sn_json_add_string(b->json, object, "segment", b->model->bodies[wrap->body].name) &&
                add_way(b, l, index, object);
    sn_value *body = sn_json_add_object(b->json, object, kinds[wrap->kind]);
    done = done && sni_osim_add_vector(b, body, "center", wrap->center) &&
           sni_osim_add_vector(b, body, "rotation_deg", sn_vec3_scale(wrap->angles, degrees));
    if (wrap->kind == SNI_OSIM_ELLIPSOID) {
        return done && sni_osim_add_vector(b, body, "radii", wrap->radii);
    }
    return done && sn_json_add_number(b->json, body, "radius", wrap->radii.x) != NULL &&
           (wrap->kind != SNI_OSIM_TORUS ||
            sn_json_add_number(b->json, body, "ring", wrap->radii.y) != NULL) &&
           (!(is_cylinder && wrap->length > 0) ||
            sn_json_add_number(b->json, body, "length", wrap->length) != NULL);
}

static bool add_arounds(sni_osim_builder *b, const layout *l, sn_value *muscle) {
    sn_value *list =
        l->muscle->around_count > 0 ? sn_json_add_array(b->json, muscle, "around") : NULL;
    bool done = true;
    for (uint32_t i = 0; i < l->muscle->around_count && done; ++i) {
        done = add_around(b, l, i, list);
    }
    return done;
}

// Of a fibre the control moves the belly; of a cylinder it is told.
static bool add_activation(sni_osim_builder *b, const layout *l, sn_value *muscle) {
    char name[SNI_OSIM_NAME_BYTES], wanted[SNI_OSIM_NAME_BYTES];
    snprintf(wanted, sizeof wanted, "%.200s.activation", l->muscle->name);
    sni_osim_unique(b->controls, wanted, name);
    sn_value *control = sn_json_add_object(b->json, b->controls, name);
    return sn_json_add_string(b->json, control, "group", "activations") != NULL &&
           sn_json_add_string(b->json, muscle, b->desc->fibres ? "tension" : "activation", name) !=
               NULL;
}

static sn_status lay_out(sni_osim_builder *b, layout *l, sn_error *error) {
    uint32_t count = l->muscle->point_count;
    sn_status status = SN_OK;
    l->reversed = l->muscle->points[0].body != l->muscle->points[count - 1].body &&
                  hangs_on(b->model, l->muscle->points[0].body, l->muscle->points[count - 1].body);
    SNI_NEW(b->context, l->slices, count);
    SNI_NEW(b->context, l->points, count);
    SNI_NEW(b->context, l->legs, l->muscle->around_count);
    for (uint32_t i = 0; i < count; ++i) {
        const sni_osim_point *point = point_at(l, i);
        l->points[i] = in_ground(&b->rest[point->body], point->at);
    }
    for (uint32_t i = 0; i < l->muscle->around_count; ++i) {
        l->legs[i] = leg_around(b, l, &l->muscle->arounds[i]);
    }
    share_slices(l);
    SNI_NEW(b->context, l->places, l->slice_count);
    SNI_NEW(b->context, l->diameters, l->slice_count);
    place_slices(b, l);
    if (!(l->length > 1e-4)) {
        sni_fail(error, SN_INVALID, "the path of \"%s\" has no length at the default coordinates",
                 l->muscle->name);
        sni_error_place(error, l->muscle->line, NULL);
        sni_error_source(error, b->model_path);
        return SN_INVALID;
    }
    shape_muscle(l);
cleanup:
    return status;
}

static sn_status add_fibre(sni_osim_builder *b, const layout *l, sn_value *muscle,
                           sn_error *error) {
    sn_status status = SN_OK;
    bool *on = NULL;
    SNI_NEW(b->context, on, l->muscle->point_count);
    for (uint32_t i = 0; i < l->muscle->point_count; ++i) {
        on[i] = is_on(b, l, i);
    }
    sni_osim_path path = {.muscle = l->muscle,
                          .reversed = l->reversed,
                          .points = l->points,
                          .on = on,
                          .slice_count = l->slice_count,
                          .places = l->places,
                          .diameters = l->diameters,
                          .length = l->length,
                          .tendon = l->tendon};
    status = sni_osim_add_fibre(b, &path, muscle, error);
cleanup:
    sni_free(b->context, on);
    return status;
}

static sn_status add_muscle(sni_osim_builder *b, const sni_osim_muscle *m, sn_error *error) {
    layout l = {.muscle = m};
    sn_status status = SN_OK;
    SN_TRY(lay_out(b, &l, error));
    sn_value *muscle = sn_json_add_object(b->json, b->muscles, m->name);
    if (muscle != NULL && b->desc->fibres) {
        SN_TRY(add_fibre(b, &l, muscle, error));
        status = add_activation(b, &l, muscle) ? SN_OK : sni_fail_memory(error);
    } else if (muscle == NULL || !add_cylinder(b, &l, muscle) || !add_activation(b, &l, muscle) ||
               !add_arounds(b, &l, muscle)) {
        status = sni_fail_memory(error);
    }
cleanup:
    sni_free(b->context, l.slices);
    sni_free(b->context, l.legs);
    sni_free(b->context, l.points);
    sni_free(b->context, l.places);
    sni_free(b->context, l.diameters);
    return status;
}

sn_status sni_osim_add_muscles(sni_osim_builder *b, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < b->model->muscle_count && status == SN_OK; ++i) {
        status = add_muscle(b, &b->model->muscles[i], error);
    }
    return status;
}
