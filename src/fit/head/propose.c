// SPDX-License-Identifier: Apache-2.0
//
// Landmarks of a known head on another one. The known head is laid onto the other twice, stiffly
// and loosely: where the two come out apart a landmark is in doubt.
#include "fit/head/check.h"
#include "fit/head/lay.h"
#include "fit/head/unit.h"
#include "sinew/fit.h"

#include <stdio.h>
#include <string.h>

static const uint32_t desc_check = 0x6c616e64;

// Sizes that heads of people have, as factors on that of the known one.
static const double least_size = 0.72, most_size = 1.38;

// With a given unit a head may be this much larger or smaller: children, giants.
static const double most_wrong_size = 2.2;

// Beyond these a face is none: the mean angle between profiles in radians, the mean distance of a
// laid face in metres.
static const double most_profile = 0.2, most_distance = 0.0025;

// A landmark is in doubt from this on, metres. What two fits differ by, and how far the skin around
// it is away, counts so many times; some is always left. On the heads of the test data nine of ten
// landmarks are then nearer to the truth than their doubt.
static const double doubt_limit = 0.004, least_doubt = 0.0012, per_difference = 1.5,
                    per_distance = 2.5;

// The loose fit, as a factor on stiffnesses.
static const double loose = 0.25;

// How far around a landmark the skin counts; how far the face reaches from the nose; how much room
// is left around the known head; metres.
static const double around = 0.02, face_reach = 0.1, room = 0.03;

// A given landmark may be so far from the skin, metres.
static const double off_skin = 0.015;

static const struct {
    const char *name;
    double metres;
} units[] = {{"m", 1}, {"dm", 0.1}, {"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}, {"ft", 0.3048}};

double sni_head_unit(double scale, const char **name) {
    *name = NULL;
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
        double size = scale * units[i].metres;
        if (size > least_size && size < most_size) {
            *name = units[i].name;
            return units[i].metres;
        }
    }
    return 1 / scale;
}

typedef struct proposer {
    sn_context *context;
    const sn_landmark_desc *desc;
    const sn_progress *progress;
    sni_known_head *known;
    sni_head_surface *whole;   // in units of the head's mesh
    sni_head_surface *surface; // in metres
    sni_similarity pose;       // from the known head to `whole`, then to `surface`
    uint32_t pair_count;
    sni_known_pair *pairs; // given ones: on the known head in metres, on the other in its units
    const char **pair_names;
    sni_laid_head laid[2];
    sn_landmark_proposal *result;
} proposer;

sn_landmark_desc sn_landmark_desc_default(void) {
    return (sn_landmark_desc){.check = desc_check, .known = {.unit = 1}};
}

static sn_vec3 place_of(const sn_landmark *landmark, const sn_mesh *mesh) {
    return landmark->vertex != SN_NONE
               ? sn_vec3_load(mesh->positions + 3 * (size_t)landmark->vertex)
               : landmark->skin;
}

static sn_status check_vertices(const sn_landmarks *landmarks, const sn_mesh *mesh,
                                sn_error *error) {
    for (uint32_t i = 0; landmarks != NULL && i < landmarks->count; ++i) {
        const sn_landmark *l = &landmarks->items[i];
        if (l->on_skin && l->vertex != SN_NONE && l->vertex >= mesh->vertex_count) {
            return sni_fail(error, SN_INVALID,
                            "the landmark \"%s\" is vertex %u, but \"%s\" has only %u vertices",
                            l->name, l->vertex, mesh->name, mesh->vertex_count);
        }
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Pose and unit

static sn_status collect_pairs(proposer *p, sn_error *error) {
    sn_status status = SN_OK;
    const sn_landmarks *given = p->desc->given, *known = p->desc->known.landmarks;
    uint32_t count = given != NULL ? given->count : 0;
    SNI_NEW(p->context, p->pairs, count);
    SNI_NEW(p->context, p->pair_names, count);
    for (uint32_t i = 0; i < count; ++i) {
        const sn_landmark *l = &given->items[i], *k = sn_landmarks_find(known, l->name);
        if (l->on_skin && (k == NULL || !k->on_skin)) {
            SN_TRY(sni_fail(error, SN_INVALID,
                            "the landmark \"%s\" is not known on the other head's skin", l->name));
        }
        if (l->on_skin) {
            sn_vec3 at = place_of(k, p->desc->known.mesh);
            p->pair_names[p->pair_count] = l->name;
            p->pairs[p->pair_count++] = (sni_known_pair){sn_vec3_scale(at, p->desc->known.unit),
                                                         place_of(l, p->desc->head)};
        }
    }
cleanup:
    return status;
}

// Given landmarks tell the pose where there are enough of them.
static sn_status find_pose(proposer *p, sn_error *error) {
    sn_status status = SN_OK;
    sni_alignment alignment;
    sn_vec3 *from = NULL, *to = NULL;
    enum { ENOUGH = 8 };
    SNI_NEW(p->context, from, p->pair_count);
    SNI_NEW(p->context, to, p->pair_count);
    for (uint32_t i = 0; i < p->pair_count; ++i) {
        from[i] = p->pairs[i].known;
        to[i] = p->pairs[i].other;
    }
    if (p->pair_count < ENOUGH || !sni_similarity_fit(from, to, NULL, p->pair_count, &p->pose)) {
        SN_TRY(sni_align(p->known->surface, p->whole, p->progress, &alignment, error));
        p->pose = alignment.similarity;
    }
cleanup:
    sni_free(p->context, from);
    sni_free(p->context, to);
    return status;
}

static sn_status find_unit(proposer *p, sn_error *error) {
    sn_landmark_proposal *r = p->result;
    double scale = p->pose.scale; // units to a metre of the known head
    r->unit = p->desc->unit;
    r->unit_found = !(r->unit > 0);
    if (r->unit_found) {
        r->unit = sni_head_unit(scale, &r->unit_name);
    }
    double size = scale * r->unit;
    if (size > most_wrong_size || size < 1 / most_wrong_size) {
        return sni_fail(
            error, SN_INVALID,
            "in this unit (%g m) the head of \"%s\" is %.3g times as large as the known "
            "one",
            r->unit, p->desc->head->name, size);
    }
    return SN_OK;
}

static sn_status make_surface(proposer *p, sn_error *error) {
    sn_vec3 low, high, more = {room, room, room};
    double unit = p->result->unit;
    sni_head_surface_bounds(p->known->surface, &low, &high);
    sn_status status = sni_head_surface_crop(p->whole, unit, &p->pose, sn_vec3_sub(low, more),
                                             sn_vec3_add(high, more), &p->surface, error);
    p->pose.scale *= unit;
    p->pose.translation = sn_vec3_scale(p->pose.translation, unit);
    for (uint32_t i = 0; i < p->pair_count && status == SN_OK; ++i) {
        sni_skin_place place;
        sn_vec3 given = sn_vec3_scale(p->pairs[i].other, unit);
        sni_head_surface_closest(p->surface, given, INFINITY, &place);
        p->pairs[i].other = place.point;
        if (place.distance > off_skin) {
            status = sni_fail(error, SN_INVALID,
                              "the landmark \"%s\" is %.0f mm away from the skin of \"%s\"",
                              p->pair_names[i], place.distance * 1000, p->desc->head->name);
        }
    }
    return status;
}

static sn_status check_given(proposer *p, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 *from = NULL, *to = NULL;
    SNI_NEW(p->context, from, p->pair_count);
    SNI_NEW(p->context, to, p->pair_count);
    for (uint32_t i = 0; i < p->pair_count; ++i) {
        from[i] = p->pairs[i].known;
        to[i] = p->pairs[i].other;
    }
    sni_landmark_pairs pairs = {p->pair_count, p->pair_names, from, to};
    SN_TRY(sni_check_landmarks(p->context, &pairs, error));
cleanup:
    sni_free(p->context, from);
    sni_free(p->context, to);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Landmarks

static sn_status lay_twice(proposer *p, sn_error *error) {
    sn_status status = SN_OK;
    for (int i = 0; i < 2 && status == SN_OK; ++i) {
        sni_lay_desc desc = {.known = p->known,
                             .other = p->surface,
                             .pose = p->pose,
                             .pair_count = p->pair_count,
                             .pairs = p->pairs,
                             .stiffness = i == 0 ? 1 : loose,
                             .progress = p->progress};
        status = sni_lay_head(&desc, &p->laid[i], error);
    }
    return status;
}

// The mean distance of the laid skin near a place of the known head.
static double distance_near(const proposer *p, sn_vec3 known, double reach) {
    const sn_decimated *coarse = p->known->coarse;
    const sni_registration *r = p->laid[0].registration;
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t v = 0; v < r->vertex_count; ++v) {
        if (sn_vec3_distance(sn_vec3_load(coarse->positions + 3 * (size_t)v), known) < reach) {
            sni_skin_place place;
            sni_head_surface_closest(p->surface, r->points[v], INFINITY, &place);
            sum += place.distance;
            ++count;
        }
    }
    return count > 0 ? sum / count : 0;
}

static sn_status say_doubt(proposer *p, sn_landmark *l, double difference, double distance,
                           sn_error *error) {
    char text[160];
    l->doubt = least_doubt + per_difference * difference + per_distance * distance;
    text[0] = 0;
    if (!p->result->is_face) {
        snprintf(text, sizeof text, "what was found does not look like a face");
    } else if (l->doubt > doubt_limit && per_difference * difference > per_distance * distance) {
        snprintf(text, sizeof text, "two fits put it %.1f mm apart", difference * 1000);
    } else if (l->doubt > doubt_limit) {
        snprintf(text, sizeof text, "the skin around it is %.1f mm away from the fit",
                 distance * 1000);
    }
    if (text[0] != 0) {
        l->doubted = sni_string_copy(p->context, text);
        ++p->result->doubted_count;
        return l->doubted != NULL ? SN_OK : sni_fail_memory(error);
    }
    return SN_OK;
}

static sn_status propose_one(proposer *p, const sn_landmark *known, sn_error *error) {
    sn_status status = SN_OK;
    sn_landmark *made;
    const sn_landmark *given = sn_landmarks_find(p->desc->given, known->name);
    SN_TRY(sn_landmarks_add(p->result->landmarks, known->name, &made, error));
    made->on_skin = true;
    if (given != NULL && given->on_skin) {
        made->vertex = given->vertex;
        made->skin = place_of(given, p->desc->head);
        return SN_OK;
    }
    sn_vec3 at = sn_vec3_scale(place_of(known, p->desc->known.mesh), p->desc->known.unit);
    sni_skin_place places[2];
    for (int i = 0; i < 2; ++i) {
        sn_vec3 point = sni_laid_head_point(p->known, &p->laid[i], at);
        sni_head_surface_closest(p->surface, point, INFINITY, &places[i]);
    }
    made->skin = sn_vec3_scale(places[0].point, 1 / p->result->unit);
    SN_TRY(say_doubt(p, made, sn_vec3_distance(places[0].point, places[1].point),
                     distance_near(p, at, around), error));
cleanup:
    return status;
}

static sn_status propose_all(proposer *p, sn_error *error) {
    sn_status status = SN_OK;
    sn_landmark_proposal *r = p->result;
    const sn_landmarks *known = p->desc->known.landmarks;
    r->profile = p->laid[0].profile_difference;
    r->distance =
        p->known->has_nose ? distance_near(p, p->known->nose, face_reach) : p->laid[0].distance;
    r->is_face = r->profile < most_profile && r->distance < most_distance;
    r->rotation = p->pose.rotation;
    r->translation = p->pose.translation;
    r->scale = p->pose.scale;
    SN_TRY(sn_landmarks_create(p->context, &r->landmarks, error));
    for (uint32_t i = 0; i < known->count; ++i) {
        if (known->items[i].on_skin) {
            SN_TRY(propose_one(p, &known->items[i], error));
        }
    }
cleanup:
    return status;
}

static sn_status check_desc(const sn_landmark_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_landmark_desc_default");
    }
    if (desc->head == NULL || desc->known.mesh == NULL || desc->known.landmarks == NULL) {
        return sni_fail(error, SN_INVALID, "there is no head, or none that is known");
    }
    if (!(desc->known.unit > 0) || !isfinite(desc->known.unit) || !(desc->unit >= 0) ||
        !isfinite(desc->unit)) {
        return sni_fail(error, SN_INVALID, "a unit is no size");
    }
    sn_status status = check_vertices(desc->known.landmarks, desc->known.mesh, error);
    return status == SN_OK ? check_vertices(desc->given, desc->head, error) : status;
}

static void proposer_deinit(proposer *p) {
    sni_known_head_destroy(p->known);
    sni_head_surface_destroy(p->whole);
    sni_head_surface_destroy(p->surface);
    sni_free(p->context, p->pairs);
    sni_free(p->context, p->pair_names);
    sni_laid_head_deinit(&p->laid[0]);
    sni_laid_head_deinit(&p->laid[1]);
    sn_landmark_proposal_destroy(p->result);
}

sn_status sn_landmarks_propose(sn_context *context, const sn_landmark_desc *desc,
                               const sn_progress *progress, sn_landmark_proposal **proposal,
                               sn_error *error) {
    sn_status status = SN_OK;
    proposer p = {.context = context, .desc = desc, .progress = progress};
    *proposal = NULL;
    SN_TRY(check_desc(desc, error));
    SNI_NEW_ZERO(context, p.result, 1);
    p.result->context = context;
    SN_TRY(sni_known_head_create(desc->known.mesh, desc->known.unit, &p.known, error));
    SN_TRY(sni_head_surface_create(desc->head, 1, &p.whole, error));
    SN_TRY(collect_pairs(&p, error));
    SN_TRY(find_pose(&p, error));
    SN_TRY(find_unit(&p, error));
    SN_TRY(make_surface(&p, error));
    SN_TRY(check_given(&p, error));
    SN_TRY(lay_twice(&p, error));
    SN_TRY(propose_all(&p, error));
    *proposal = p.result;
    p.result = NULL;
cleanup:
    proposer_deinit(&p);
    return status;
}

void sn_landmark_proposal_destroy(sn_landmark_proposal *proposal) {
    if (proposal != NULL) {
        sn_landmarks_destroy(proposal->landmarks);
        sni_free(proposal->context, proposal);
    }
}
