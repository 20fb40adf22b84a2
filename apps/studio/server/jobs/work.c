// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "jobs/work.h"

#include "files/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What the slot plays; where its model is not made yet, what it will.
static sn_status take_clip_of_slot(work *w, const desk_slot *slot, sn_error *error) {
    desk_model held;
    sn_error ignored = {0};
    if (desk_hold_model(w->desk, slot->index, &held, &ignored) != SN_OK) {
        w->first_clip = true;
        return SN_OK;
    }
    w->clip = held.clip != NULL ? strdup(held.clip) : NULL;
    sn_status status = held.clip == NULL || w->clip != NULL ? SN_OK : app_fail_memory(error);
    desk_let_model_go(&held);
    return status;
}

static sn_status take_clip(work *w, const desk_slot *slot, const desk_request *request,
                           sn_error *error) {
    const sn_value *given = sn_value_get(request->args, "clip");
    const char *text = sn_value_string(given, NULL);
    char clip[ROOTS_PATH_BYTES];
    if (given == NULL) {
        return take_clip_of_slot(w, slot, error);
    }
    sn_status status = text != NULL ? files_clip(w->desk, slot, text, clip, error) : SN_OK;
    w->clip = status == SN_OK && text != NULL ? strdup(clip) : NULL;
    return status == SN_OK && text != NULL && w->clip == NULL ? app_fail_memory(error) : status;
}

// Of the document as it is, like all else: when the job comes to it, another one may be open.
static sn_status take_held(work *w, const desk_request *request, sn_error *error) {
    if (!sn_value_bool(sn_value_get(request->args, "held"), true)) {
        return SN_OK;
    }
    sn_status status = SN_OK;
    SN_TRY(sn_json_create(desk_context(w->desk), &w->held, error));
    desk_add_held(w->desk, w->slot, w->held, sn_json_root(w->held));
cleanup:
    return status;
}

sn_status work_take(work *w, desk *desk, const desk_request *request, sn_error *error) {
    desk_slot *slot = NULL;
    w->desk = desk;
    sn_status status = desk_argument_slot(desk, request, true, &slot, error);
    if (status != SN_OK) {
        return status;
    }
    w->slot = slot->index;
    w->document = slot->document;
    w->size = slot->text_size;
    w->text = malloc(slot->text_size + 1);
    w->base = strdup(slot->base);
    if (w->text == NULL || w->base == NULL) {
        return app_fail_memory(error);
    }
    memcpy(w->text, slot->text, slot->text_size);
    w->text[slot->text_size] = 0;
    status = take_clip(w, slot, request, error);
    return status == SN_OK ? take_held(w, request, error) : status;
}

// As in a model that is made anew, what it does not have is let go of.
static void set_held(work *w) {
    const sn_value *values = sn_value_get(sn_json_root(w->held), "values");
    for (uint32_t i = 0; i < sn_value_count(values); ++i) {
        const sn_value *value = sn_value_at(values, i);
        sn_frame_set(w->frame, value->key, sn_value_number(value, 0), NULL);
    }
}

static sn_status open_frame(work *w, sn_error *error) {
    bool first = w->first_clip && sn_model_clip_count(w->model) > 0;
    const char *clip = first ? sn_model_clip_name(w->model, 0) : w->clip;
    sn_status status = SN_OK;
    if (clip != NULL) {
        SN_TRY(sn_motion_open(w->model, clip, &w->motion, error));
    }
    SN_TRY(sn_frame_create(w->model, &w->frame, error));
    if (w->held != NULL) {
        set_held(w);
    }
cleanup:
    return status;
}

sn_status work_open(work *w, bool frame, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(
        sn_character_parse(desk_context(w->desk), w->base, w->text, w->size, &w->character, error));
    SN_TRY(sn_model_create(w->character, progress, &w->model, error));
    if (frame) {
        SN_TRY(open_frame(w, error));
    }
cleanup:
    return status;
}

uint32_t work_last_frame(const work *w) {
    return w->motion != NULL ? sn_motion_frame_count(w->motion) - 1 : 0;
}

sn_status work_range_take(const desk_request *request, work_range *range, sn_error *error) {
    *range = (work_range){0};
    if (sn_value_get(request->args, "first") == NULL &&
        sn_value_get(request->args, "last") == NULL) {
        return SN_OK;
    }
    range->given = true;
    sn_status status = SN_OK;
    SN_TRY(desk_argument_index(request, "first", &range->first, error));
    SN_TRY(desk_argument_index(request, "last", &range->last, error));
    if (range->first > range->last) {
        SN_TRY(desk_fail(error, SN_INVALID, "last", "the last frame comes before the first"));
    }
cleanup:
    return status;
}

sn_status work_range_check(const work *w, work_range *range, sn_error *error) {
    uint32_t last = work_last_frame(w);
    if (!range->given) {
        range->last = last;
    }
    return range->last <= last ? SN_OK
                               : desk_fail(error, SN_INVALID, "last",
                                           "the last frame is %u, not %u", last, range->last);
}

sn_status work_add_written(sn_json *result, sn_value *object, const char *path,
                           const work_range *range, sn_error *error) {
    bool added = sn_json_add_string(result, object, "path", path) != NULL &&
                 sn_json_add_number(result, object, "first", range->first) != NULL &&
                 sn_json_add_number(result, object, "last", range->last) != NULL;
    return added ? SN_OK : app_fail_memory(error);
}

sn_status work_change(const work *w, uint32_t page, const char *label, desk_change_fn *fn,
                      void *user, sn_error *error) {
    desk_slot *slot = desk_slot_at(w->desk, w->slot);
    if (slot->document != w->document) {
        return desk_fail(error, SN_INVALID, "slot",
                         "the document that this job worked on is no longer open");
    }
    return desk_change(w->desk, slot, page, label, NULL, fn, user, error);
}

void work_free(work *w) {
    sn_frame_destroy(w->frame);
    sn_motion_destroy(w->motion);
    sn_model_destroy(w->model);
    sn_character_destroy(w->character);
    free(w->text);
    free(w->base);
    free(w->clip);
    sn_json_destroy(w->held);
    *w = (work){0};
}

sn_status work_begin(desk *desk, const desk_request *request, const work_kind *kind,
                     sn_json *answer, sn_value *ok, sn_error *error) {
    work *w = calloc(1, kind->bytes);
    uint32_t number = 0;
    sn_status status = w != NULL ? kind->take(w, desk, request, error) : app_fail_memory(error);
    if (status != SN_OK) {
        if (w != NULL) {
            kind->drop(w);
        }
        return status;
    }
    char title[sizeof w->title];
    snprintf(title, sizeof title, "%s", w->title[0] != 0 ? w->title : kind->title);
    desk_job_desc desc = {.title = title,
                          .page = request->page,
                          .quiet = kind->quiet,
                          .run = kind->run,
                          .done = kind->done,
                          .free = kind->drop,
                          .user = w};
    status = desk_job_start(desk, &desc, &number, error);
    return status == SN_OK && sn_json_add_number(answer, ok, "job", number) == NULL
               ? app_fail_memory(error)
               : status;
}

sn_status work_names(const desk_request *request, const char *key, const char ***names,
                     uint32_t *count, sn_error *error) {
    const sn_value *list = sn_value_get(request->args, key);
    *count = 0;
    *names = calloc((size_t)sn_value_count(list) + 1, sizeof **names);
    if (*names == NULL) {
        return app_fail_memory(error);
    }
    bool good = list == NULL || list->type == SN_JSON_ARRAY || list->type == SN_JSON_NULL;
    for (uint32_t i = 0; good && i < sn_value_count(list); ++i) {
        (*names)[i] = sn_value_string(sn_value_at(list, i), NULL);
        good = (*names)[i] != NULL;
        *count += good;
    }
    return good ? SN_OK : desk_fail(error, SN_INVALID, key, "`%s` must be a list of names", key);
}

char **work_copy_names(const char *const *names, uint32_t count) {
    size_t bytes = ((size_t)count + 1) * sizeof(char *);
    for (uint32_t i = 0; i < count; ++i) {
        bytes += strlen(names[i]) + 1;
    }
    char **copy = malloc(bytes);
    char *at = (char *)(copy + count + 1);
    for (uint32_t i = 0; copy != NULL && i < count; ++i) {
        copy[i] = strcpy(at, names[i]);
        at += strlen(at) + 1;
    }
    return copy;
}
