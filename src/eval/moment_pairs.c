// SPDX-License-Identifier: Apache-2.0
//
// Coordinates of a model, and which muscles each of them may lengthen: those with a joint that it
// moves between two places of their path, or with a pivot that it moves or switches.
#include "eval/moment_arms.h"

#include "base/text.h"
#include "motion/parameter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What is known while pairs are looked for.
typedef struct search {
    sn_moment_arms *arms;
    uint16_t *segments; // segment_count: what the coordinate moves
    bool *controls;     // control_count: the same
    uint32_t *counts;   // segment_count: places of a muscle on a segment or below it
} search;

// --- Coordinates

// Where a coordinate is moved to for the difference: by 1e-4 radians, 1e-5 metres, or that part of
// its range. An eighth of the range always has room.
static double step_of(const sn_pose_parameter *p) {
    double range = p->high - p->low;
    double step = p->unit == SN_UNIT_DEGREES   ? 1e-4 * 180 / SN_PI
                  : p->unit == SN_UNIT_RADIANS ? 1e-4
                  : p->unit == SN_UNIT_METRES  ? 1e-5
                                               : 1e-4 * (isfinite(range) ? range : 1);
    return fmin(step, range / 8);
}

static sn_status add_coordinate(sn_moment_arms *arms, const char *name, sn_error *error) {
    sn_coordinate made = {0};
    sni_parameter_ref ref;
    sn_status status = SN_OK;
    uint32_t count = arms->coordinate_count;
    SN_TRY(sn_model_find_parameter(arms->model, name, &made.parameter, error));
    SN_TRY(sni_rig_find(arms->model->rig, name, &ref, error));
    if (!(made.parameter.low < made.parameter.high)) {
        return sni_fail(error, SN_INVALID, "\"%s\" is fixed at %.9g: no muscle has a moment arm",
                        name, made.parameter.low);
    }
    if (made.parameter.driven) {
        return sni_fail(error, SN_INVALID,
                        "\"%s\" is computed by a driver: moment arms are about what drives it",
                        name);
    }
    if (!sni_grow_by_one(arms->context, &arms->coordinates, count, sizeof *arms->coordinates) ||
        !sni_grow_by_one(arms->context, &arms->details, count, sizeof *arms->details) ||
        (made.name = sni_string_copy(arms->context, name)) == NULL) {
        return sni_fail_memory(error);
    }
    bool degrees = made.parameter.unit == SN_UNIT_DEGREES;
    arms->coordinates[count] = made;
    arms->details[count] = (sni_moment_coordinate){.ref = ref,
                                                   .step = step_of(&made.parameter),
                                                   .low = made.parameter.low,
                                                   .high = made.parameter.high,
                                                   .per_unit = degrees ? SN_PI / 180 : 1};
    ++arms->coordinate_count;
cleanup:
    return status;
}

// Controls that nothing computes and that move a joint.
static sn_status add_controls(search *s, sn_error *error) {
    const sn_model *model = s->arms->model;
    uint32_t segment_count = sn_model_skeleton(model)->segment_count;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_model_control_count(model) && status == SN_OK; ++i) {
        sn_pose_parameter p = sn_model_control_parameter(model, i);
        sni_parameter_ref ref = {.segment = SN_NONE, .control = i, .unit = 1};
        bool moves = false;
        sni_rig_find_moved(model->rig, &ref, s->segments, s->controls);
        for (uint32_t k = 0; k < segment_count; ++k) {
            moves = moves || s->segments[k] != 0;
        }
        if (moves && !p.driven && p.low < p.high) {
            status = add_coordinate(s->arms, sn_model_control_name(model, i), error);
        }
    }
    return status;
}

static sn_status add_joint_parameter(search *s, uint32_t segment, sn_joint_parameter parameter,
                                     sn_error *error) {
    const char *name = sn_model_skeleton(s->arms->model)->segments[segment].name;
    const char *suffix = sni_parameter_suffix(parameter);
    const char *unit = parameter <= SN_JOINT_RZ ? "_deg" : "";
    size_t room = strlen(name) + strlen(suffix) + strlen(unit) + 2;
    char *text = sni_alloc(s->arms->context, room, 1);
    if (text == NULL) {
        return sni_fail_memory(error);
    }
    snprintf(text, room, "%s.%s%s", name, suffix, unit);
    sn_status status = add_coordinate(s->arms, text, error);
    sni_free(s->arms->context, text);
    return status;
}

// Angles and translations of joints that no synergy adds to: those with limits that leave room, or
// (`free`) all angles that are not fixed.
static sn_status add_joints(search *s, bool free, sn_error *error) {
    const sn_skeleton *skeleton = sn_model_skeleton(s->arms->model);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        for (int p = 0; p <= SN_JOINT_TZ && status == SN_OK; ++p) {
            sn_limit limit = skeleton->segments[i].limits[p];
            bool wanted = free ? p <= SN_JOINT_RZ : isfinite(limit.high - limit.low);
            if (wanted && limit.low < limit.high &&
                !sni_rig_is_summed(s->arms->model->rig, i, (sn_joint_parameter)p)) {
                status = add_joint_parameter(s, i, (sn_joint_parameter)p, error);
            }
        }
    }
    return status;
}

static sn_status find_coordinates(search *s, const char *const *names, uint32_t name_count,
                                  sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < name_count; ++i) {
        SN_TRY(add_coordinate(s->arms, names[i], error));
    }
    if (name_count == 0) {
        SN_TRY(add_controls(s, error));
        SN_TRY(add_joints(s, false, error));
    }
    if (s->arms->coordinate_count == 0) {
        SN_TRY(add_joints(s, true, error));
    }
cleanup:
    return status;
}

// --- Pairs

static bool is_moved(const search *s, const sni_parameter_ref *ref) {
    return ref->control != SN_NONE ? s->controls[ref->control]
                                   : (s->segments[ref->segment] >> ref->joint_parameter & 1) != 0;
}

static bool moves_pivot(const search *s, const sni_pivot_plan *pivot) {
    bool moved = pivot->use == SNI_PIVOT_RANGE && is_moved(s, &pivot->parameter);
    for (int i = 0; i < 3; ++i) {
        const sni_pivot_move *move = &pivot->moves[i];
        moved = moved || (move->curve.track.key_count > 0 && is_moved(s, &move->parameter));
    }
    return moved;
}

// A place on a segment is one below all of its ancestors, too.
static void count_place(search *s, uint32_t segment) {
    const sn_skeleton *skeleton = sn_model_skeleton(s->arms->model);
    for (; segment != SN_NONE; segment = skeleton->segments[segment].parent) {
        ++s->counts[segment];
    }
}

static uint32_t count_places(search *s, const sni_muscle_body_plan *body) {
    uint32_t places = 2 * body->attachment_count + body->wrap_count;
    for (uint32_t i = 0; i < body->attachment_count; ++i) {
        count_place(s, body->origins[i].segment);
        count_place(s, body->insertions[i].segment);
    }
    for (uint32_t i = 0; i < body->wrap_count; ++i) {
        count_place(s, body->wraps[i].wrap.segment);
    }
    for (uint32_t i = 0; i < body->pivot_count; ++i) {
        const sni_pivot_plan *pivot = &body->pivots[i];
        if (pivot->use == SNI_PIVOT_NEVER) {
            continue;
        }
        count_place(s, pivot->segment);
        ++places;
        if (pivot->half_of != SN_NONE) {
            count_place(s, pivot->half_of);
            ++places;
        }
    }
    return places;
}

static uint32_t count_points(search *s, const sni_graph_plan *graph) {
    uint32_t places = graph->has_center;
    if (graph->has_center) {
        count_place(s, graph->center.segment);
    }
    for (uint32_t i = 0; i < graph->point_count; ++i) {
        if (!graph->points[i].in_space) {
            count_place(s, graph->points[i].place.segment);
            ++places;
        }
    }
    return places;
}

// The joint above a segment lies between two places where some, but not all of them are below it.
static bool are_parted(const search *s, uint32_t places) {
    bool parted = false;
    for (uint32_t i = 0; i < sn_model_skeleton(s->arms->model)->segment_count; ++i) {
        parted = parted || (s->segments[i] != 0 && s->counts[i] > 0 && s->counts[i] < places);
    }
    return parted;
}

static void forget_places(search *s) {
    memset(s->counts, 0, sn_model_skeleton(s->arms->model)->segment_count * sizeof *s->counts);
}

static bool spans(search *s, const sni_muscle_body_plan *body) {
    forget_places(s);
    bool found = are_parted(s, count_places(s, body));
    for (uint32_t i = 0; i < body->pivot_count; ++i) {
        found = found || moves_pivot(s, &body->pivots[i]);
    }
    return found;
}

static bool is_spanned(search *s, const sni_muscle_plan *plan) {
    const sni_bodies_plan *bodies = sni_muscle_bodies(plan);
    const sni_graph_plan *graph = sni_muscle_input(plan, &sni_input_graph);
    bool found = false;
    if (graph != NULL) {
        forget_places(s);
        found = are_parted(s, count_points(s, graph));
    }
    for (uint32_t i = 0; plan->ops->length != NULL && bodies != NULL && i < bodies->count; ++i) {
        found = found || spans(s, &bodies->bodies[i].body);
    }
    return found;
}

static sn_status find_pairs(search *s, uint32_t coordinate, sn_error *error) {
    sn_moment_arms *arms = s->arms;
    const sni_blueprint *blueprint = arms->model->blueprint;
    sni_moment_coordinate *details = &arms->details[coordinate];
    sni_rig_find_moved(arms->model->rig, &details->ref, s->segments, s->controls);
    details->first_pair = arms->pair_count;
    for (uint32_t i = 0; i < blueprint->muscle_count; ++i) {
        if (!is_spanned(s, &blueprint->muscles[i])) {
            continue;
        }
        if (!sni_grow_by_one(arms->context, &arms->pairs, arms->pair_count, sizeof *arms->pairs)) {
            return sni_fail_memory(error);
        }
        arms->pairs[arms->pair_count++] =
            (sn_moment_pair){.muscle = blueprint->surface_count + i, .coordinate = coordinate};
        ++details->pair_count;
    }
    return SN_OK;
}

sn_status sni_moment_pairs_find(sn_moment_arms *arms, const char *const *names, uint32_t name_count,
                                sn_error *error) {
    const sn_model *model = arms->model;
    search s = {.arms = arms};
    sn_status status = SN_OK;
    SNI_NEW(arms->context, s.segments, sn_model_skeleton(model)->segment_count);
    SNI_NEW(arms->context, s.counts, sn_model_skeleton(model)->segment_count);
    SNI_NEW(arms->context, s.controls, sn_model_control_count(model));
    SN_TRY(find_coordinates(&s, names, name_count, error));
    for (uint32_t i = 0; i < arms->coordinate_count; ++i) {
        SN_TRY(find_pairs(&s, i, error));
    }
cleanup:
    sni_free(arms->context, s.segments);
    sni_free(arms->context, s.counts);
    sni_free(arms->context, s.controls);
    return status;
}
