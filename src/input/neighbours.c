// SPDX-License-Identifier: Apache-2.0
//
// Muscles of kind `graph` that are connected to one (section 4.3 of the thesis): control points of
// neighbours pull its knots. Knots up to `connect_end` from an end of its paths are pulled by
// control points up to `connect_reach` away.
#include "character/blueprint/blueprint.h"
#include "character/schema/tables.h"
#include "eval/frame.h"
#include "eval/rest.h"
#include "muscle/graph/parameters.h"

#include <string.h>

static const sni_schema_field fields[] = {
    FIELD("neighbours", sni_names_schema, .name_of = "muscles",
          .help = "Muscles of its kind that can pull its end; an empty list for none. When not "
                  "given, all others.")};

typedef struct neighbours_plan {
    const sn_value *object; // the muscle's
    uint32_t count;
    uint32_t *muscles;
} neighbours_plan;

// --- Decoding

static bool is_graph(const sn_value *muscle) {
    const char *kind = sn_value_string(sn_value_get(muscle, "kind"), "");
    return strcmp(kind, sni_muscle_graph.name) == 0;
}

// Whether it has knots that can be pulled at all.
static bool is_connected(const sn_value *object) {
    static const uint32_t needed[] = {SNI_GRAPH_CONNECT_END, SNI_GRAPH_CONNECT_REACH};
    bool connected = true;
    for (uint32_t i = 0; i < COUNT(needed); ++i) {
        const sn_parameter *parameter = &sni_muscle_graph.parameters.items[needed[i]];
        const sn_value *value = sn_value_get(object, parameter->name);
        connected = connected && sn_value_number(value, parameter->standard) > 0;
    }
    return connected;
}

static sn_status check_kind(const sni_decoding *decoding, const sn_value *other,
                            const sn_value *name, sn_error *error) {
    if (other == decoding->object) {
        return sni_fail_value(error, name, SN_INVALID, "\"%s\" is the muscle itself",
                              name->as.string);
    }
    return is_graph(other)
               ? SN_OK
               : sni_fail_value(error, name, SN_INVALID, "\"%s\" is no muscle of kind \"%s\"",
                                name->as.string, decoding->kind);
}

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    static const sni_section among[] = {SNI_SECTION_MUSCLES};
    const sn_value *muscles = decoding->object->parent;
    void *found = NULL;
    neighbours_plan *plan;
    sn_status status = sni_decode_names(decoding, "neighbours", among, 1, &found, error);
    const sni_names_plan *named = found;
    if (status != SN_OK || (named == NULL && !is_connected(decoding->object))) {
        return status;
    }
    uint32_t count = named != NULL ? named->count : sn_value_count(muscles);
    SNI_PLAN_NEW(decoding->blueprint, plan, 1);
    *plan = (neighbours_plan){.object = decoding->object};
    *made = plan;
    SNI_PLAN_NEW(decoding->blueprint, plan->muscles, count);
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        uint32_t muscle = named != NULL ? named->numbers[i] : i;
        const sn_value *other = sn_value_at(muscles, muscle);
        if (named != NULL) {
            status = check_kind(decoding, other, sn_value_at(named->names, i), error);
        }
        if (named != NULL || (is_graph(other) && other != decoding->object)) {
            plan->muscles[plan->count++] = muscle;
        }
    }
    return status;
}

static void needs(const void *made, sni_need_fn need, void *user) {
    const neighbours_plan *plan = made;
    for (uint32_t i = 0; i < plan->count; ++i) {
        need(&(sni_need){.surface = SN_NONE, .muscle = plan->muscles[i]}, user);
    }
}

// --- At rest

// The points of a muscle, in the world at rest.
typedef struct graph_places {
    const sni_graph_plan *plan;
    sn_vec3 *points;
} graph_places;

static bool find_places(const sni_collecting *collecting, const sni_muscle_plan *muscle,
                        graph_places *found) {
    const sni_graph_plan *plan = sni_muscle_input(muscle, &sni_input_graph);
    found->plan = plan;
    found->points = sni_arena_alloc(collecting->arena, plan->point_count, sizeof *found->points);
    for (uint32_t i = 0; found->points != NULL && i < plan->point_count; ++i) {
        const sni_graph_point_plan *p = &plan->points[i];
        found->points[i] =
            p->in_space ? p->place.at : sni_attachment_point(collecting->rest, &p->place);
    }
    return found->points != NULL;
}

// The shortest way from a point down to a leaf; all points of a sphincter are at an end.
static double way_to_end(const graph_places *places, uint32_t point, uint32_t depth) {
    const sni_graph_plan *plan = places->plan;
    double least = INFINITY;
    for (uint32_t i = 0; i < plan->point_count && depth < plan->point_count; ++i) {
        if (plan->points[i].parent == point && !plan->has_center) {
            double step = sn_vec3_distance(places->points[i], places->points[point]);
            least = fmin(least, step + way_to_end(places, i, depth + 1));
        }
    }
    return isfinite(least) ? least : 0;
}

// The muscle that the plan is of.
static const sni_muscle_plan *muscle_of(const sni_rest *rest, const neighbours_plan *plan) {
    const sni_blueprint *blueprint = rest->blueprint;
    uint32_t i = 0;
    while (i < blueprint->muscle_count && blueprint->muscles[i].value != plan->object) {
        ++i;
    }
    SN_ASSERT(i < blueprint->muscle_count);
    return &blueprint->muscles[i];
}

// Pulls of one knot, written where there is room for them; gives their number.
static uint32_t find_pulls(const neighbours_plan *plan, const graph_places *own,
                           const graph_places *others, uint32_t knot, double reach,
                           sni_graph_pull *pulls) {
    uint32_t count = 0;
    for (uint32_t n = 0; n < plan->count; ++n) {
        for (uint32_t i = 0; i < others[n].plan->point_count; ++i) {
            sn_vec3 place = others[n].points[i];
            if (sn_vec3_distance(own->points[knot], place) > reach) {
                continue;
            }
            if (pulls != NULL) {
                pulls[count] = (sni_graph_pull){knot, n, i, place};
            }
            ++count;
        }
    }
    return count;
}

static sn_status find_all(const sni_collecting *collecting, const neighbours_plan *plan,
                          sni_neighbours_input *input, sn_error *error) {
    const sni_rest *rest = collecting->rest;
    const sni_muscle_plan *muscle = muscle_of(rest, plan);
    double reach = muscle->parameters[SNI_GRAPH_CONNECT_REACH];
    double end = reach > 0 ? muscle->parameters[SNI_GRAPH_CONNECT_END] : 0;
    graph_places own, *others = sni_arena_alloc(collecting->arena, plan->count, sizeof *others);
    sni_graph_pull *pulls = NULL;
    bool found = others != NULL && find_places(collecting, muscle, &own);
    for (uint32_t n = 0; found && n < plan->count; ++n) {
        found = find_places(collecting, &rest->blueprint->muscles[plan->muscles[n]], &others[n]);
    }
    for (int round = 0; found && round < 2; ++round) {
        uint32_t count = 0;
        for (uint32_t knot = 0; end > 0 && knot < own.plan->point_count; ++knot) {
            if (way_to_end(&own, knot, 0) <= end) {
                count += find_pulls(plan, &own, others, knot, reach,
                                    pulls != NULL ? pulls + count : NULL);
            }
        }
        pulls = round == 0 ? sni_arena_alloc(collecting->arena, count, sizeof *pulls) : pulls;
        found = pulls != NULL;
        *input = (sni_neighbours_input){plan->count, count, pulls};
    }
    return found ? SN_OK : sni_fail_memory(error);
}

static sn_status collect(const sni_collecting *collecting, const void *made, const void **block,
                         void **kept, sn_error *error) {
    sni_neighbours_input input;
    sn_status status = find_all(collecting, made, &input, error);
    (void)kept;
    return status == SN_OK ? sni_block_collect(collecting, &input, sizeof input, block, error)
                           : status;
}

// Which muscles these are a frame knows; where their points are, the muscle itself.
static sn_status digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                        sn_error *error) {
    sni_neighbours_input input = {0};
    sni_arena scratch;
    sni_collecting own = *collecting;
    sni_arena_init(&scratch, collecting->rest->context);
    own.arena = &scratch;
    sn_status status = find_all(&own, made, &input, error);
    for (uint32_t i = 0; status == SN_OK && i < input.pull_count; ++i) {
        const sni_graph_pull *pull = &input.pulls[i];
        uint32_t numbers[3] = {pull->knot, pull->neighbour, pull->point};
        sni_digest_add(digest, numbers, sizeof numbers);
        sni_digest_add_vector(digest, pull->place);
    }
    sni_arena_deinit(&scratch);
    return status;
}

static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    const sni_neighbours_input *input = block;
    for (uint32_t i = 0; i < input->pull_count; ++i) {
        const sni_graph_pull *pull = &input->pulls[i];
        bool rises = i == 0 || pull->knot >= input->pulls[i - 1].knot;
        if (pull->neighbour >= input->neighbour_count || !sn_vec3_is_finite(pull->place) ||
            !rises) {
            return sni_fail(error, SN_INVALID,
                            "%s: pull %u of point %u is by neighbour %u of %u, at (%g, %g, %g)",
                            checking->kind, i, pull->knot, pull->neighbour, input->neighbour_count,
                            pull->place.x, pull->place.y, pull->place.z);
        }
    }
    return SN_OK;
}

// --- In a pose

static const void *pose(const sni_posing *posing, const void *made, const void *kept) {
    const neighbours_plan *plan = made;
    (void)kept;
    sni_touches_pose posed = {.muscle_count = plan->count, .muscles = plan->muscles};
    return sni_block_new(posing->arena, &posed, sizeof posed);
}

const sni_input sni_input_neighbours = {.name = "neighbours",
                                        .fields = fields,
                                        .field_count = COUNT(fields),
                                        .decode = decode,
                                        .needs = needs,
                                        .digest = digest,
                                        .collect = collect,
                                        .validate = validate,
                                        .pose = pose};
