// SPDX-License-Identifier: Apache-2.0
//
// Rows face/...: the shipped head with skin in layers that all facial muscles pull and a jaw that
// muscles move, mean times per frame of a clip in which every muscle contracts and the mouth opens,
// beside the facial animation thesis (100 to 200 ms a frame, of which the better is taken).
//
//     bodies, muscles, skin   stages
//     total                   all of it; target: 16 ms
//     columns_N               all of it, with N points of the skin that are solved for
#include "bench/face/face.h"
#include "base/memory.h"
#include "bench/play.h"

#include <math.h>
#include <string.h>

static const char thesis[] = "facial animation thesis";
static const double thesis_ms = 100, total_budget_ms = 16;

enum { FRAMES = 61, KEYS = 4 };
static const double rate = 30;

typedef struct times {
    snb_frame_times ms;
    uint32_t vertex_count, muscle_count;
} times;

static uint32_t count_muscles(const sn_value *muscles) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < sn_value_count(muscles); ++i) {
        const sn_value *mirror = sn_value_get(sn_value_at(muscles, i), "mirror");
        count += sn_value_bool(mirror, false) ? 2 : 1;
    }
    return count;
}

// Each control goes from 0 to 1 and back once, each a little later than the one before.
static bool add_clip(sn_json *json) {
    const sn_value *muscles = sn_value_get(sn_json_root(json), "muscles");
    sn_value *clip = sn_json_add_object(json, sn_json_find(json, "/clips"), "bench");
    bool done = sn_json_add_number(json, clip, "rate", rate) != NULL;
    sn_value *tracks = sn_json_add_object(json, clip, "tracks");
    uint32_t count = sn_value_count(muscles);
    for (uint32_t i = 0; i <= count && done; ++i) {
        // The jaw's own muscles are pulled together, by "jaw open", after all others.
        const sn_value *muscle = sn_value_at(muscles, i);
        if (i < count && !snb_face_moves_skin(muscle)) {
            continue;
        }
        const char *control =
            i < count ? sn_value_string(sn_value_get(muscle, "contraction"), "") : "jaw open";
        double end = (FRAMES - 1) / rate, first = 0.5 * end * i / (count + 1);
        double keys[KEYS][2] = {
            {0, 0}, {first, 0}, {first + 0.25 * end, 1}, {first + 0.5 * end, 0}};
        bool late = first > 0;
        sn_value *track = sn_json_add_object(json, tracks, control);
        done = sn_json_add_rows(json, track, "keys", keys[late ? 0 : 1], KEYS - !late, 2) != NULL;
    }
    return done;
}

static sn_status measure(snb_report *report, uint32_t columns, times *t, sn_error *error) {
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_status status = SN_OK;
    char path[4096];
    snprintf(path, sizeof path, "%s/../examples/head/head.sinew.json", SNB_SOURCE_DIR);
    SN_TRY(sn_character_load(report->context, path, &character, error));
    sn_json *json = sn_character_document(character);
    if (!snb_face_tie(json, columns) || !add_clip(json)) {
        SN_TRY(sni_fail_memory(error));
    }
    SN_TRY(sn_model_create(character, NULL, &model, error));
    t->vertex_count =
        sn_model_surface(model, sn_model_find_surface(model, "skin"))->mesh->vertex_count;
    t->muscle_count = count_muscles(sn_value_get(sn_json_root(json), "muscles"));
    SN_TRY(snb_play(model, "bench", &t->ms, error));
cleanup:
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static sn_status measure_stages(snb_report *report, sn_error *error) {
    static const struct {
        const char *row;
        sn_stage stage;
    } stages[] = {{"face/bodies", SN_STAGE_BODIES},
                  {"face/muscles", SN_STAGE_MUSCLES},
                  {"face/skin", SN_STAGE_SKIN}};
    times t = {0};
    sn_status status = measure(report, 0, &t, error);
    if (status != SN_OK) {
        return status;
    }
    bool added = true;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; ++i) {
        bool skin = stages[i].stage == SN_STAGE_SKIN;
        added = added && snb_add(report, stages[i].row, skin ? t.vertex_count : t.muscle_count,
                                 t.ms.stages[stages[i].stage], NULL, 0, 0);
    }
    added = added && snb_add(report, "face/total", t.vertex_count, t.ms.total, thesis, thesis_ms,
                             thesis_ms / total_budget_ms);
    snb_note(report,
             "face/total: %u vertices, %u muscles; %.2f ms of %.0f; the thesis takes 100 "
             "to 200 ms",
             t.vertex_count, t.muscle_count, t.ms.total, total_budget_ms);
    return added ? SN_OK : SN_OUT_OF_MEMORY;
}

// More columns beside the fewest: in proportion, or better.
static sn_status measure_columns(snb_report *report, sn_error *error) {
    static const uint32_t columns[] = {1000, 2000, 4000, 1000000};
    double first = 0;
    sn_status status = SN_OK;
    for (size_t i = 0; i < sizeof columns / sizeof *columns && status == SN_OK; ++i) {
        times t = {0};
        char row[SNB_TEXT];
        status = measure(report, columns[i], &t, error);
        uint32_t size = columns[i] < t.vertex_count ? columns[i] : t.vertex_count;
        first = i == 0 ? t.ms.total : first;
        snprintf(row, sizeof row, "face/columns_%u", size);
        if (status == SN_OK && !snb_add(report, row, size, t.ms.total, "1000 columns", first,
                                        0.8 * columns[0] / fmax(1, size))) {
            status = SN_OUT_OF_MEMORY;
        }
    }
    return status;
}

sn_status snb_face(snb_report *report, sn_error *error) {
    static const char *const rows[] = {"face/bodies", "face/muscles", "face/skin", "face/total"};
    bool stages = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        stages = stages || snb_wants(report, rows[i]);
    }
    sn_status status = stages ? measure_stages(report, error) : SN_OK;
    if (status == SN_OK &&
        (snb_wants(report, "face/columns") || strncmp(report->name, "face/columns", 12) == 0)) {
        status = measure_columns(report, error);
    }
    return status;
}
