// SPDX-License-Identifier: Apache-2.0
//
// From an edit of a document to the next frame. Rows edit/BODY_EDIT: the document changes, the
// model is compiled again from the one before, a frame of it is made and evaluated. The reference
// is the same with a new model, which was the only way before models shared what edits leave as it
// was.
//
//     about    what the document says about itself
//     key      a key of a clip moves
//     control  the range of a control grows
//     muscle   a muscle becomes a little thicker; skins that hang on it are made anew
//
// The dog is not sinew's: SINEW_TEST_DATA, else ../shared/data beside the sources. Where it is
// missing a line says so.
#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"

#include "sinew/eval.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A tenth of a second feels immediate; what is made from a muscle may take a second.
static const double budget = 100, muscle_budget = 1000;

typedef struct subject {
    const char *name;
    sn_character *character;
    sn_model *model;
    void (*change)(struct subject *subject);
    uint32_t edits; // so far: each is another value
    sn_status status;
    sn_error *error;
} subject;

// --- Edits

static sn_json *document_of(const subject *s) {
    return sn_character_document(s->character);
}

static void change_about(subject *s) {
    char text[64];
    snprintf(text, sizeof text, "edit %u", s->edits);
    sn_json_add_string(document_of(s), sn_json_root(document_of(s)), "about", text);
}

// A member of an object that has members.
static sn_value *first_of(const subject *s, const char *path) {
    return (sn_value *)sn_value_at(sn_json_find(document_of(s), path), 0);
}

static void change_key(subject *s) {
    const sn_value *tracks = sn_value_get(first_of(s, "/clips"), "tracks");
    const sn_value *keys = sn_value_get(sn_value_at(tracks, 0), "keys");
    // Not the first: a clip that goes round ends with it.
    sn_value *number = (sn_value *)sn_value_at(sn_value_at(keys, 1), 1);
    if (number != NULL) {
        number->as.number += s->edits % 2 == 0 ? 0.01 : -0.01;
    }
}

static void change_control(subject *s) {
    sn_value *control = first_of(s, "/controls");
    if (control != NULL) {
        sn_json_add_number(document_of(s), control, "high", 1.5 + 0.01 * s->edits);
    }
}

static void change_muscle(subject *s) {
    sn_value *muscle = first_of(s, "/muscles");
    const sn_value *strips = sn_value_get(muscle, "strips");
    sn_value *shaped = strips != NULL ? (sn_value *)sn_value_at(strips, 0) : muscle;
    sn_json_add_number(document_of(s), shaped, "lift", 0.9 - 0.01 * (s->edits % 50));
}

// --- Times

static void next_frame(subject *s, const sn_model *before) {
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    if (s->status == SN_OK) {
        s->status = sn_model_recompile(s->character, before, NULL, &model, s->error);
    }
    if (s->status == SN_OK) {
        s->status = sn_frame_create_unevaluated(model, &frame, s->error);
    }
    if (s->status == SN_OK) {
        sn_frame_show_only(frame, true);
        s->status = sn_frame_evaluate(frame, NULL, 0, s->error);
    }
    sn_frame_destroy(frame);
    if (s->status == SN_OK) {
        sn_model_destroy(s->model);
        s->model = model;
    }
}

static void edit(void *user) {
    subject *s = user;
    ++s->edits;
    s->change(s);
    next_frame(s, s->model);
}

static void start_anew(void *user) {
    subject *s = user;
    next_frame(s, NULL);
}

static sn_status measure(snb_report *report, subject *s) {
    static const struct {
        const char *name;
        void (*change)(subject *subject);
    } edits[] = {{"about", change_about},
                 {"key", change_key},
                 {"control", change_control},
                 {"muscle", change_muscle}};
    double new_ms = 0;
    for (size_t i = 0; i < sizeof edits / sizeof *edits && s->status == SN_OK; ++i) {
        char row[SNB_TEXT], section[16];
        bool muscle = strcmp(edits[i].name, "muscle") == 0;
        snprintf(row, sizeof row, "edit/%s_%s", s->name, edits[i].name);
        snprintf(section, sizeof section, "/%s",
                 strcmp(edits[i].name, "key") == 0 ? "clips"
                 : muscle                          ? "muscles"
                                                   : "controls");
        if (!snb_wants(report, row) || (i > 0 && first_of(s, section) == NULL)) {
            continue;
        }
        if (new_ms == 0) {
            new_ms = snb_time(start_anew, s);
        }
        s->change = edits[i].change;
        double ms = snb_time(edit, s), limit = muscle ? muscle_budget : budget;
        if (!snb_add(report, row, sn_model_surface_count(s->model), ms, "new model", new_ms, 1)) {
            return SN_OUT_OF_MEMORY;
        }
        snb_note(report, "%s: %.0f ms of %.0f", row, ms, limit);
    }
    return s->status;
}

static sn_status measure_example(snb_report *report, const char *name, sn_error *error) {
    subject s = {.name = name, .error = error};
    char path[4096], prefix[SNB_TEXT];
    snprintf(prefix, sizeof prefix, "edit/%s", name);
    if (!snb_wants(report, prefix) && !(report->name != NULL && strstr(report->name, prefix))) {
        return SN_OK;
    }
    snprintf(path, sizeof path, "%s/../examples/%s/%s.sinew.json", SNB_SOURCE_DIR, name, name);
    s.status = sn_character_load(report->context, path, &s.character, error);
    if (s.status == SN_OK) {
        s.status = measure(report, &s);
    }
    sn_model_destroy(s.model);
    sn_character_destroy(s.character);
    return s.status;
}

// A scanned body has neither; most characters have both.
static bool add_control_and_clip(const subject *s) {
    sn_json *json = document_of(s);
    char track[256];
    snprintf(track, sizeof track, "%s.rx_deg", first_of(s, "/skeleton")->key);
    sn_value *controls = sn_json_add_object(json, sn_json_root(json), "controls");
    sn_value *clips = sn_json_add_object(json, sn_json_root(json), "clips");
    sn_value *tracks = sn_json_add_object(json, sn_json_add_object(json, clips, "nod"), "tracks");
    sn_value *keys = sn_json_add_array(json, sn_json_add_object(json, tracks, track), "keys");
    bool done = sn_json_add_object(json, controls, "control") != NULL;
    for (int i = 0; i < 3; ++i) {
        double pair[2] = {i, i % 2};
        done = done && sn_json_add_numbers(json, keys, NULL, pair, 2) != NULL;
    }
    return done;
}

static sn_status measure_dog(snb_report *report, sn_error *error) {
    subject s = {.name = "dog", .error = error};
    sn_anatomy *anatomy = NULL;
    char path[4096];
    if (!snb_wants(report, "edit/dog") && !(report->name != NULL && strstr(report->name, "/dog"))) {
        return SN_OK;
    }
    snb_data_path("animal/dog", path, sizeof path);
    if (access(path, R_OK) != 0) {
        snb_note(report, "edit/dog: there are no data at animal/dog");
        return SN_OK;
    }
    s.status = sn_anatomy_read(report->context, path, NULL, &anatomy, error);
    if (s.status == SN_OK) {
        s.status =
            sn_character_from_anatomy(anatomy, "body.sinew.json", NULL, &s.character, NULL, error);
    }
    sn_anatomy_destroy(anatomy);
    if (s.status == SN_OK) {
        s.status = add_control_and_clip(&s) ? measure(report, &s) : SN_OUT_OF_MEMORY;
    }
    sn_model_destroy(s.model);
    sn_character_destroy(s.character);
    return s.status;
}

sn_status snb_edit(snb_report *report, sn_error *error) {
    sn_status status = measure_example(report, "human", error);
    if (status == SN_OK) {
        status = measure_example(report, "monkey", error);
    }
    return status == SN_OK ? measure_dog(report, error) : status;
}
