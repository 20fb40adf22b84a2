// SPDX-License-Identifier: Apache-2.0
//
// Tools that say more than an edit of values can: muscles drawn on the skin, mirror images, key
// poses.
#define _GNU_SOURCE
#include "commands/commands.h"

#include "common/muscle.h"

#include <stdlib.h>
#include <string.h>

// A muscle that is being drawn: while a page moves its points it is made anew from the document as
// it was before.
typedef struct drawing {
    uint32_t page;
    char *name, *merge;
    char *before; // the document without it
    size_t before_size;
    uint64_t revision; // that it made
} drawing;

typedef struct desk_tools {
    drawing drawings[DESK_SLOTS];
} desk_tools;

static void drop_drawing(drawing *d) {
    free(d->name);
    free(d->merge);
    free(d->before);
    *d = (drawing){0};
}

static sn_status create(desk *desk, const desk_desc *desc, sn_error *error) {
    (void)desc;
    *desk_tools_of(desk) = calloc(1, sizeof(desk_tools));
    return *desk_tools_of(desk) != NULL ? SN_OK : app_fail_memory(error);
}

static void destroy(desk *desk) {
    desk_tools *tools = *desk_tools_of(desk);
    for (uint32_t i = 0; tools != NULL && i < DESK_SLOTS; ++i) {
        drop_drawing(&tools->drawings[i]);
    }
    free(tools);
    *desk_tools_of(desk) = NULL;
}

// ---------------------------------------------------------------------------------------------
// Drawing a muscle

typedef struct muscle_work {
    app_muscle muscle;
    sn_json *keys;      // what the request says of the muscle, with the keys of the document
    const char *before; // NULL: the document as it is
    size_t before_size;
} muscle_work;

// Whether a member of the request is not one of the muscle.
static bool is_of_request(const sn_value *value) {
    static const char *const keys[] = {"id", "do", "slot", "name", "merge", "label", "mirror"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        if (strcmp(value->key, keys[i]) == 0) {
            return true;
        }
    }
    return value->type == SN_JSON_NULL;
}

// The members of the request that sn_character_add_muscle takes.
static sn_status take_keys(muscle_work *w, sn_context *context, const sn_value *args,
                           sn_error *error) {
    sn_status status = sn_json_create(context, &w->keys, error);
    for (uint32_t i = 0; i < sn_value_count(args) && status == SN_OK; ++i) {
        const sn_value *value = sn_value_at(args, i);
        if (!is_of_request(value) &&
            sn_json_add_copy(w->keys, sn_json_root(w->keys), value->key, value) == NULL) {
            status = app_fail_memory(error);
        }
    }
    w->muscle.keys = status == SN_OK ? sn_json_root(w->keys) : NULL;
    return status;
}

// "mirror": {"axis": "x", "at": 0}, or a plain "x".
static sn_status take_axis(const sn_value *value, const char *place, uint32_t *axis,
                           sn_error *error) {
    const char *text = sn_value_string(value, "");
    static const char axes[] = "xyz";
    const char *found = text[0] != 0 && text[1] == 0 ? strchr(axes, text[0]) : NULL;
    *axis = found != NULL ? (uint32_t)(found - axes) : SN_NONE;
    return found != NULL ? SN_OK : desk_fail(error, SN_INVALID, place, "`%s` is x, y or z", place);
}

static sn_status take_mirror(muscle_work *w, const sn_value *mirror, sn_error *error) {
    w->muscle.mirror_axis = SN_NONE;
    if (mirror == NULL || mirror->type == SN_JSON_NULL) {
        return SN_OK;
    }
    const sn_value *axis = sn_value_get(mirror, "axis");
    w->muscle.mirror_at = sn_value_number(sn_value_get(mirror, "at"), 0);
    return take_axis(axis != NULL ? axis : mirror, "mirror", &w->muscle.mirror_axis, error);
}

static sn_status take_muscle(muscle_work *w, desk *desk, const desk_request *request,
                             sn_error *error) {
    w->muscle.path = "";
    sn_status status = SN_OK;
    SN_TRY(desk_argument_string(request, "name", &w->muscle.name, error));
    SN_TRY(take_keys(w, desk_context(desk), request->args, error));
    SN_TRY(take_mirror(w, sn_value_get(request->args, "mirror"), error));
cleanup:
    return status;
}

static sn_status add_muscle(sn_character *copy, void *user, sn_error *error) {
    const muscle_work *w = user;
    sn_status status =
        w->before != NULL ? sn_character_replace(copy, w->before, w->before_size, error) : SN_OK;
    return status == SN_OK ? app_add_muscle(copy, &w->muscle, error) : status;
}

static bool is_same(const char *a, const char *b) {
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

// Keeps the document as it is before a muscle is drawn; without memory the next call adds another.
static void begin_drawing(drawing *d, const desk_slot *slot, const desk_request *request,
                          const char *name, const char *merge) {
    drop_drawing(d);
    d->page = request->page;
    d->name = strdup(name);
    d->merge = merge != NULL ? strdup(merge) : NULL;
    d->before = malloc(slot->text_size + 1);
    d->before_size = slot->text_size;
    if (d->before != NULL) {
        memcpy(d->before, slot->text, slot->text_size);
    } else {
        drop_drawing(d);
    }
}

static sn_status draw(desk *desk, desk_request *request, desk_slot *slot, muscle_work *w,
                      sn_json *answer, sn_value *ok, sn_error *error) {
    drawing *d = &(*desk_tools_of(desk))->drawings[slot->index];
    const char *name = w->muscle.name;
    const char *merge = sn_value_string(sn_value_get(request->args, "merge"), NULL);
    bool again = is_same(d->merge, merge) && is_same(d->name, name) && d->page == request->page &&
                 d->revision == slot->revision;
    if (!again) {
        begin_drawing(d, slot, request, name, merge);
    }
    w->before = again ? d->before : NULL;
    w->before_size = d->before_size;
    sn_status status =
        desk_change_by(desk, request, "Draw a muscle", add_muscle, w, answer, ok, error);
    if (status == SN_OK) {
        d->revision = slot->revision;
    } else if (!again) {
        drop_drawing(d);
    }
    return status;
}

// {"slot", "name", "mirror", "label", "merge", keys of the muscle} -> {"revision"}
static sn_status run_muscle_add(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                                sn_error *error) {
    desk_slot *slot = NULL;
    muscle_work w = {0};
    sn_status status = SN_OK;
    SN_TRY(desk_argument_slot(desk, request, true, &slot, error));
    SN_TRY(take_muscle(&w, desk, request, error));
    SN_TRY(draw(desk, request, slot, &w, answer, ok, error));
cleanup:
    sn_json_destroy(w.keys);
    return status;
}

// ---------------------------------------------------------------------------------------------

typedef struct mirror_work {
    const char *muscle, *name;
    uint32_t axis;
    double at;
} mirror_work;

static sn_status mirror_muscle(sn_character *copy, void *user, sn_error *error) {
    const mirror_work *w = user;
    return sn_character_mirror_muscle(copy, w->muscle, w->name, w->axis, w->at, error);
}

// {"slot", "muscle", "name", "axis", "at", "label", "merge"} -> {"revision"}
static sn_status run_muscle_mirror(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                                   sn_error *error) {
    mirror_work w = {.name = sn_value_string(sn_value_get(request->args, "name"), NULL),
                     .at = sn_value_number(sn_value_get(request->args, "at"), 0)};
    sn_status status = SN_OK;
    SN_TRY(desk_argument_string(request, "muscle", &w.muscle, error));
    SN_TRY(take_axis(sn_value_get(request->args, "axis"), "axis", &w.axis, error));
    SN_TRY(desk_change_by(desk, request, "Mirror a muscle", mirror_muscle, &w, answer, ok, error));
cleanup:
    return status;
}

static const desk_command commands[] = {
    {"muscle_add", run_muscle_add},
    {"muscle_mirror", run_muscle_mirror},
    {"key_pose", command_key_pose},
};

const desk_topic desk_tools_topic = {
    .commands = commands,
    .command_count = sizeof commands / sizeof *commands,
    .create = create,
    .destroy = destroy,
};
