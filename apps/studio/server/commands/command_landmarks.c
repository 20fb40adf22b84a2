// SPDX-License-Identifier: Apache-2.0
//
// Landmarks of a head, proposed for a skin of a slot by laying the shipped head's skin onto it. A
// job: nothing changes; pages put what they want of it into the document.
#define _GNU_SOURCE
#include "commands/commands.h"
#include "files/files.h"
#include "files/folder.h"
#include "jobs/work.h"

#include "player/models.h"

#include "common/character.h"

#include "sinew/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Whose landmarks are looked for: a shipped character.
static const char *const known_name = "head";

typedef struct landmarks_work {
    work work; // has no document: the model is the slot's
    desk_model held;
    char *skin;     // NULL: the only one
    sn_json *given; // {NAME: vertex}
    char known[APP_PATH_BYTES];
} landmarks_work;

static sn_status take_given(const landmarks_work *w, const sn_mesh *mesh, sn_landmarks *given,
                            sn_error *error) {
    const sn_value *values = sn_json_root(w->given);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_value_count(values); ++i) {
        const sn_value *value = sn_value_at(values, i);
        double vertex = sn_value_number(value, -1);
        sn_landmark *landmark = NULL;
        if (!(vertex >= 0 && vertex < mesh->vertex_count && vertex == floor(vertex))) {
            SN_TRY(desk_fail(error, SN_INVALID, "given",
                             "the landmark \"%s\" is none of the %u vertices of \"%s\"", value->key,
                             mesh->vertex_count, mesh->name));
        }
        SN_TRY(sn_landmarks_add(given, value->key, &landmark, error));
        landmark->on_skin = true;
        landmark->vertex = (uint32_t)vertex;
    }
cleanup:
    return status;
}

// Others than those of the known head are of no use to the proposal.
static sn_status keep_known(const sn_landmarks *all, const sn_landmarks *known, sn_landmarks *kept,
                            sn_error *error) {
    for (uint32_t i = 0; i < all->count; ++i) {
        const sn_landmark *one = sn_landmarks_find(known, all->items[i].name);
        sn_landmark *made = NULL;
        if (one == NULL || !one->on_skin) {
            continue;
        }
        sn_status status = sn_landmarks_add(kept, all->items[i].name, &made, error);
        if (status != SN_OK) {
            return status;
        }
        made->on_skin = true;
        made->vertex = all->items[i].vertex;
    }
    return SN_OK;
}

static uint32_t nearest_vertex(const sn_mesh *mesh, sn_vec3 point) {
    uint32_t nearest = 0;
    double least = INFINITY;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        double way = sn_vec3_distance(sn_vec3_load(mesh->positions + 3 * (size_t)v), point);
        if (way < least) {
            least = way;
            nearest = v;
        }
    }
    return nearest;
}

static bool add_landmark(sn_json *result, sn_value *landmarks, const sn_mesh *mesh,
                         const sn_landmark *l) {
    sn_value *one = sn_json_add_object(result, landmarks, l->name);
    uint32_t vertex = l->vertex != SN_NONE ? l->vertex : nearest_vertex(mesh, l->skin);
    bool added = sn_json_add_number(result, one, "vertex", vertex) != NULL &&
                 sn_json_add_bool(result, one, "given", l->doubt == 0) != NULL &&
                 sn_json_add_number(result, one, "doubt", l->doubt) != NULL;
    return added &&
           (l->doubted == NULL || sn_json_add_string(result, one, "reason", l->doubted) != NULL);
}

static sn_status add_result(const sn_landmark_proposal *proposal, const sn_surface *skin,
                            sn_json *result, sn_value *object, sn_error *error) {
    sn_value *landmarks = sn_json_add_object(result, object, "landmarks");
    bool added =
        landmarks != NULL && sn_json_add_string(result, object, "skin", skin->name) != NULL;
    for (uint32_t i = 0; i < proposal->landmarks->count && added; ++i) {
        const sn_landmark *l = &proposal->landmarks->items[i];
        added = !l->on_skin || add_landmark(result, landmarks, skin->mesh, l);
    }
    return added ? SN_OK : app_fail_memory(error);
}

static sn_status run(desk_job *job, sn_json *result, sn_value *object, void *user,
                     sn_error *error) {
    landmarks_work *w = user;
    sn_context *context = desk_context(w->work.desk);
    sn_landmark_desc desc = sn_landmark_desc_default();
    const sn_surface *skin = NULL;
    sn_landmarks *known = NULL, *all = NULL, *given = NULL;
    sn_landmark_proposal *proposal = NULL;
    sn_character *head = NULL;
    sn_status status = SN_OK;
    SN_TRY(app_find_layout_skin(w->held.model, w->skin, "", "`skin`", &skin, error));
    SN_TRY(sn_character_load(context, w->known, &head, error));
    SN_TRY(sn_character_landmarks(head, NULL, &desc.known.mesh, &known, error));
    SN_TRY(sn_landmarks_create(context, &all, error));
    SN_TRY(sn_landmarks_create(context, &given, error));
    SN_TRY(take_given(w, skin->mesh, all, error));
    SN_TRY(keep_known(all, known, given, error));
    desc.head = skin->mesh;
    desc.known.unit = 1;
    desc.known.landmarks = known;
    desc.given = given;
    SN_TRY(sn_landmarks_propose(context, &desc, desk_job_progress(job), &proposal, error));
    if (!proposal->is_face) {
        SN_TRY(desk_fail(error, SN_INVALID, "skin", "no face was found on the skin \"%s\"",
                         skin->name));
    }
    SN_TRY(add_result(proposal, skin, result, object, error));
cleanup:
    sn_landmark_proposal_destroy(proposal);
    sn_landmarks_destroy(given);
    sn_landmarks_destroy(all);
    sn_landmarks_destroy(known);
    sn_character_destroy(head);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The request

static sn_status copy_given(landmarks_work *w, const sn_value *given, sn_error *error) {
    sn_status status = SN_OK;
    if (given != NULL && given->type != SN_JSON_OBJECT) {
        SN_TRY(desk_fail(error, SN_INVALID, "given", "`given` is {NAME: vertex, ...}"));
    }
    SN_TRY(sn_json_create(desk_context(w->work.desk), &w->given, error));
    for (uint32_t i = 0; i < sn_value_count(given); ++i) {
        const sn_value *value = sn_value_at(given, i);
        if (sn_json_add_copy(w->given, sn_json_root(w->given), value->key, value) == NULL) {
            SN_TRY(app_fail_memory(error));
        }
    }
cleanup:
    return status;
}

static sn_status take(void *user, desk *desk, const desk_request *request, sn_error *error) {
    landmarks_work *w = user;
    desk_slot *slot = NULL;
    const char *skin = sn_value_string(sn_value_get(request->args, "skin"), NULL);
    w->work.desk = desk;
    sn_status status = SN_OK;
    SN_TRY(desk_argument_slot(desk, request, true, &slot, error));
    SN_TRY(copy_given(w, sn_value_get(request->args, "given"), error));
    w->skin = skin != NULL ? strdup(skin) : NULL;
    SN_TRY(skin == NULL || w->skin != NULL ? SN_OK : app_fail_memory(error));
    if (!gallery_find((*desk_files_of(desk))->examples, known_name, w->known, sizeof w->known)) {
        SN_TRY(desk_fail(error, SN_INVALID, "skin",
                         "landmarks are proposed with the shipped character \"%s\", which is not "
                         "there",
                         known_name));
    }
    SN_TRY(desk_hold_model(desk, slot->index, &w->held, error));
cleanup:
    return status;
}

static void drop(void *user) {
    landmarks_work *w = user;
    if (w->held.stage != NULL) {
        desk_let_model_go(&w->held);
    }
    sn_json_destroy(w->given);
    free(w->skin);
    work_free(&w->work);
    free(w);
}

// {"slot", "skin", "given": {NAME: vertex}}
sn_status command_propose_landmarks(desk *desk, desk_request *request, sn_json *answer,
                                    sn_value *ok, sn_error *error) {
    static const work_kind kind = {.title = "Proposed landmarks",
                                   .bytes = sizeof(landmarks_work),
                                   .take = take,
                                   .run = run,
                                   .drop = drop};
    return work_begin(desk, request, &kind, answer, ok, error);
}
