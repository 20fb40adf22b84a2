// SPDX-License-Identifier: Apache-2.0
//
// A skin as it should be in the present pose, kept as a key of its `morph`.
#include "commands/commands.h"

#include "common/character.h"
#include "player/models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct key_work {
    desk *desk;
    desk_slot *slot;
    desk_model held;
    bool has_model;
    sn_frame *frame; // that pages see, borrowed
    uint32_t surface;
    float *points; // of the whole skin
    sn_key_pose_desc desc;
    sn_key_pose_report report;
} key_work;

static sn_status take_model(key_work *w, sn_error *error) {
    sn_status status = desk_hold_model(w->desk, w->slot->index, &w->held, error);
    if (status != SN_OK) {
        return status;
    }
    w->has_model = true;
    return w->held.revision == w->slot->revision
               ? SN_OK
               : desk_fail(error, SN_INVALID, "",
                           "the model of the last change is still being made; try again");
}

// The pose that pages see: the points that are shown, so that nothing is computed again.
static sn_status take_pose(key_work *w, sn_error *error) {
    bool hidden = !sn_model_surface(w->held.model, w->surface)->shown;
    return desk_borrow_frame(w->desk, w->slot->index, &w->held, hidden, &w->frame, error);
}

static sn_status read_point(const sn_value *value, sn_vec3 *point, sn_error *error) {
    *point = sn_vec3_make(sn_value_number(sn_value_at(value, 0), NAN),
                          sn_value_number(sn_value_at(value, 1), NAN),
                          sn_value_number(sn_value_at(value, 2), NAN));
    return sn_value_count(value) == 3 && sn_vec3_is_finite(*point)
               ? SN_OK
               : desk_fail(error, SN_INVALID, "points",
                           "the place of vertex \"%s\" must be [x, y, z]", value->key);
}

// "points": {VERTEX: [x, y, z]}
static sn_status move_point(key_work *w, const sn_value *value, sn_error *error) {
    char *end = NULL;
    double vertex = strtod(value->key, &end);
    sn_vec3 point;
    if (*end != 0 || !(vertex >= 0 && vertex < w->desc.vertex_count) || vertex != floor(vertex)) {
        return desk_fail(error, SN_INVALID, "points", "the skin has no vertex \"%s\"", value->key);
    }
    sn_status status = SN_OK;
    SN_TRY(read_point(value, &point, error));
    float *to = w->points + 3 * (size_t)vertex;
    to[0] = (float)point.x;
    to[1] = (float)point.y;
    to[2] = (float)point.z;
cleanup:
    return status;
}

static sn_status take_points(key_work *w, const desk_request *request, sn_error *error) {
    const sn_value *moved = sn_value_get(request->args, "points");
    const sn_mesh *mesh = sn_model_surface(w->held.model, w->surface)->mesh;
    size_t bytes = 3 * (size_t)mesh->vertex_count * sizeof *w->points;
    if (moved == NULL || moved->type != SN_JSON_OBJECT || sn_value_count(moved) == 0) {
        return desk_fail(error, SN_INVALID, "points",
                         "`points` must be an object of vertices and their new positions");
    }
    w->points = malloc(bytes + 1);
    if (w->points == NULL) {
        return app_fail_memory(error);
    }
    memcpy(w->points, sn_frame_points(w->frame, w->surface), bytes);
    w->desc.points = w->points;
    w->desc.vertex_count = mesh->vertex_count;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_value_count(moved); ++i) {
        SN_TRY(move_point(w, sn_value_at(moved, i), error));
    }
cleanup:
    return status;
}

static sn_status take(key_work *w, desk *desk, const desk_request *request, sn_error *error) {
    const char *skin = sn_value_string(sn_value_get(request->args, "skin"), NULL);
    w->desc = sn_key_pose_desc_default();
    w->desc.interpolation = sn_value_string(sn_value_get(request->args, "interpolation"), NULL);
    w->desk = desk;
    sn_status status = SN_OK;
    SN_TRY(desk_argument_slot(desk, request, true, &w->slot, error));
    SN_TRY(desk_argument_string(request, "follows", &w->desc.follows, error));
    SN_TRY(take_model(w, error));
    SN_TRY(app_find_skin(w->held.model, skin, "", "`skin`", &w->surface, error));
    SN_TRY(take_pose(w, error));
    w->desc.skin = sn_model_surface(w->held.model, w->surface)->name;
    SN_TRY(take_points(w, request, error));
cleanup:
    return status;
}

static sn_status add_key(sn_character *copy, void *user, sn_error *error) {
    key_work *w = user;
    return sn_key_pose_add(copy, w->frame, &w->desc, &w->report, error);
}

static bool add_report(sn_json *answer, sn_value *ok, const sn_key_pose_report *report) {
    return sn_json_add_number(answer, ok, "at", report->at) != NULL &&
           sn_json_add_number(answer, ok, "moved", report->moved) != NULL &&
           sn_json_add_number(answer, ok, "changed", report->changed) != NULL &&
           sn_json_add_number(answer, ok, "largest", report->largest) != NULL &&
           sn_json_add_number(answer, ok, "error", report->error) != NULL;
}

// {"slot", "skin", "follows", "points", "interpolation", "label", "merge"} -> {"revision", "at",
// "moved", "changed", "largest", "error"}
sn_status command_key_pose(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                           sn_error *error) {
    key_work w = {0};
    sn_status status = SN_OK;
    SN_TRY(take(&w, desk, request, error));
    SN_TRY(desk_change_by(desk, request, "Add a key pose", add_key, &w, answer, ok, error));
    if (!add_report(answer, ok, &w.report)) {
        SN_TRY(app_fail_memory(error));
    }
cleanup:
    if (w.frame != NULL) {
        desk_return_frame(desk, w.slot->index);
    }
    if (w.has_model) {
        desk_let_model_go(&w.held);
    }
    free(w.points);
    return status;
}
