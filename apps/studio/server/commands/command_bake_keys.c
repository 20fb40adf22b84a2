// SPDX-License-Identifier: Apache-2.0
//
// A motion as keys in the document: what a file moves can be edited then. A job makes them; they go
// into the document as a clip of their own, in one step.
#define _GNU_SOURCE
#include "commands/commands.h"
#include "jobs/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Parts of the progress: the model is made first.
static const double model_part = 0.5;

typedef struct bake_work {
    work work;
    uint32_t page;
    char *name; // of the new clip
    sn_keys_desc desc;
    sn_clip *clip;
} bake_work;

static sn_status add_counts(const bake_work *w, sn_json *result, sn_value *object,
                            sn_error *error) {
    double keys = 0;
    for (uint32_t i = 0; i < w->clip->track_count; ++i) {
        keys += w->clip->tracks[i].key_count;
    }
    bool done = sn_json_add_string(result, object, "name", w->name) != NULL &&
                sn_json_add_number(result, object, "tracks", w->clip->track_count) != NULL &&
                sn_json_add_number(result, object, "keys", keys) != NULL &&
                sn_json_add_number(result, object, "frames", w->clip->frame_count) != NULL;
    return done ? SN_OK : app_fail_memory(error);
}

static sn_status run(desk_job *job, sn_json *result, sn_value *object, void *user,
                     sn_error *error) {
    bake_work *w = user;
    app_part making, baking;
    app_part_begin_steps(&making, desk_job_progress(job), 0, model_part);
    app_part_begin(&baking, desk_job_progress(job), model_part, 1);
    sn_status status = SN_OK;
    SN_TRY(work_open(&w->work, true, &making.progress, error));
    if (w->work.motion == NULL) {
        return desk_fail(error, SN_INVALID, "clip", "the rest pose has no motion to bake");
    }
    SN_TRY(sn_motion_keys(w->work.motion, &w->desc, &baking.progress, &w->clip, error));
    SN_TRY(add_counts(w, result, object, error));
cleanup:
    return status;
}

static bool add_track(sn_json *json, sn_value *tracks, const sn_track *track) {
    sn_value *object = sn_json_add_object(json, tracks, track->target);
    sn_value *keys = sn_json_add_array(json, object, "keys");
    bool done = keys != NULL;
    for (uint32_t i = 0; i < track->key_count && done; ++i) {
        double key[2] = {track->times[i], track->values[i]};
        done = sn_json_add_numbers(json, keys, NULL, key, 2) != NULL;
    }
    return done;
}

static sn_status add_clip(sn_character *copy, void *user, sn_error *error) {
    const bake_work *w = user;
    sn_json *json = sn_character_document(copy);
    sn_value *root = sn_json_root(json), *clips = sn_json_find(json, "/clips");
    clips = clips != NULL ? clips : sn_json_add_object(json, root, "clips");
    if (sn_value_get(clips, w->name) != NULL) {
        return desk_fail(error, SN_INVALID, "name", "there is a clip \"%s\" already", w->name);
    }
    sn_value *clip = sn_json_add_object(json, clips, w->name);
    bool done = sn_json_add_number(json, clip, "rate", w->clip->rate) != NULL &&
                sn_json_add_number(json, clip, "frames", w->clip->frame_count) != NULL;
    sn_value *tracks = done ? sn_json_add_object(json, clip, "tracks") : NULL;
    done = tracks != NULL;
    for (uint32_t i = 0; i < w->clip->track_count && done; ++i) {
        done = add_track(json, tracks, &w->clip->tracks[i]);
    }
    return done ? SN_OK : app_fail_memory(error);
}

static sn_status done(desk *desk, sn_json *result, sn_value *object, void *user, sn_error *error) {
    bake_work *w = user;
    char label[300];
    (void)desk, (void)result, (void)object;
    snprintf(label, sizeof label, "Bake %s to keys", w->clip->name);
    return work_change(&w->work, w->page, label, add_clip, w, error);
}

static void drop(void *user) {
    bake_work *w = user;
    sn_clip_destroy(w->clip);
    work_free(&w->work);
    free(w->name);
    free(w);
}

static sn_status take_tolerance(const desk_request *request, const char *key, double unit,
                                double *tolerance, sn_error *error) {
    if (sn_value_get(request->args, key) == NULL) {
        return SN_OK;
    }
    sn_status status = desk_argument_number(request, key, 1e-9, 1e3, tolerance, error);
    *tolerance *= unit;
    return status;
}

static sn_status take(void *user, desk *desk, const desk_request *request, sn_error *error) {
    bake_work *w = user;
    const char *name = NULL;
    sn_status status = SN_OK;
    w->page = request->page;
    w->desc = sn_keys_desc_default();
    SN_TRY(desk_argument_string(request, "name", &name, error));
    SN_TRY(take_tolerance(request, "degrees", SN_PI / 180, &w->desc.angle, error));
    SN_TRY(take_tolerance(request, "metres", 1, &w->desc.length, error));
    SN_TRY(take_tolerance(request, "number", 1, &w->desc.number, error));
    w->name = strdup(name);
    SN_TRY(w->name == NULL ? app_fail_memory(error) : work_take(&w->work, desk, request, error));
cleanup:
    return status;
}

// {"slot", "clip", "name", "degrees", "metres", "number"}
sn_status command_bake_keys(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                            sn_error *error) {
    static const work_kind kind = {.title = "Baking to keys",
                                   .bytes = sizeof(bake_work),
                                   .take = take,
                                   .run = run,
                                   .done = done,
                                   .drop = drop};
    return work_begin(desk, request, &kind, answer, ok, error);
}
