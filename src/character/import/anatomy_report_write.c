// SPDX-License-Identifier: Apache-2.0
//
// The report of a folder as JSON. Lengths are metres, volumes cubic metres; numbers are rounded to
// six digits.
#include "base/file.h"
#include "character/import/anatomy.h"

#include <math.h>

typedef struct writer {
    const sn_anatomy_report *report;
    const sn_anatomy *anatomy;
    sn_json *json;
} writer;

// The text is read by people and compared between versions.
static double round_digits(double value) {
    if (value == 0 || !isfinite(value)) {
        return 0;
    }
    double unit = pow(10, 5 - floor(log10(fabs(value))));
    return isfinite(unit) ? round(value * unit) / unit : value;
}

static bool add_number(writer *w, sn_value *object, const char *key, double value) {
    return sn_json_add_number(w->json, object, key, round_digits(value)) != NULL;
}

static bool add_text(writer *w, sn_value *object, const char *key, const char *text) {
    return sn_json_add_string(w->json, object, key, text) != NULL;
}

static bool add_segments(writer *w, sn_value *root) {
    sn_value *list = sn_json_add_array(w->json, root, "segments");
    bool done = list != NULL;
    for (uint32_t i = 0; i < w->report->segment_count && done; ++i) {
        const sn_anatomy_segment *segment = &w->report->segments[i];
        sn_value *object = sn_json_add_object(w->json, list, NULL);
        done = add_text(w, object, "name", segment->name) &&
               (segment->parent == SN_NONE ||
                add_text(w, object, "parent", w->report->segments[segment->parent].name)) &&
               (segment->reason[0] == 0 || add_text(w, object, "reason", segment->reason));
    }
    return done;
}

static bool add_place(writer *w, sn_value *object, const sn_anatomy_result *result) {
    if (result->segment == SN_NONE) {
        return true;
    }
    bool done = add_text(w, object, "segment", w->report->segments[result->segment].name);
    if (done && result->guessed) {
        done = sn_json_add_bool(w->json, object, "guessed", true) != NULL;
    }
    if (done && result->guessed && result->nearest != SN_NONE) {
        done = add_text(w, object, "nearest", w->anatomy->parts[result->nearest].name) &&
               add_number(w, object, "distance", result->distance);
    }
    return done;
}

static bool add_part(writer *w, sn_value *list, uint32_t index) {
    static const char *const uses[] = {"left out", "bone", "tissue", "muscle", "skin"};
    const sn_anatomy_part *part = &w->anatomy->parts[index];
    const sn_anatomy_result *result = &w->report->results[index];
    sn_value *object = sn_json_add_object(w->json, list, NULL);
    bool done = add_text(w, object, "name", part->name) &&
                add_text(w, object, "file", part->file) &&
                add_text(w, object, "kind", sn_part_kind_name(part->kind)) &&
                add_text(w, object, "use", uses[result->use]) && add_place(w, object, result);
    if (done && result->pieces > 0) {
        done = add_number(w, object, "pieces", result->pieces) &&
               add_number(w, object, "handles", result->handles) &&
               add_number(w, object, "holed_edges", result->holed_edges) &&
               add_number(w, object, "odd_edges", result->odd_edges);
    }
    return done && (result->note[0] == 0 || add_text(w, object, "note", result->note));
}

static bool add_parts(writer *w, sn_value *root) {
    sn_value *list = sn_json_add_array(w->json, root, "parts");
    bool done = list != NULL;
    for (uint32_t i = 0; i < w->report->part_count && done; ++i) {
        done = add_part(w, list, i);
    }
    return done;
}

static bool add_muscle(writer *w, sn_value *list, const sn_anatomy_muscle *muscle) {
    const sn_anatomy_part *parts = w->anatomy->parts;
    sn_value *object = sn_json_add_object(w->json, list, NULL);
    return add_text(w, object, "name", parts[muscle->part].name) &&
           add_number(w, object, "strips", muscle->strip_count) &&
           add_number(w, object, "slices", muscle->slice_count) &&
           add_number(w, object, "pivots", muscle->pivot_count) &&
           add_text(w, object, "origin", parts[muscle->origin].name) &&
           add_text(w, object, "insertion", parts[muscle->insertion].name) &&
           sn_json_add_bool(w->json, object, "guessed_origin", muscle->guessed_origin) != NULL &&
           sn_json_add_bool(w->json, object, "guessed_insertion", muscle->guessed_insertion) !=
               NULL &&
           add_number(w, object, "attachments", muscle->place_count) &&
           add_number(w, object, "far_attachments", muscle->far_places) &&
           add_number(w, object, "origin_gap", muscle->origin_gap) &&
           add_number(w, object, "insertion_gap", muscle->insertion_gap) &&
           add_number(w, object, "mean_distance", muscle->mean_distance) &&
           add_number(w, object, "largest_distance", muscle->largest_distance) &&
           add_number(w, object, "volume", muscle->volume) &&
           add_number(w, object, "fitted_volume", muscle->fitted_volume) &&
           (muscle->fibre_count == 0 ||
            (add_number(w, object, "fibres", muscle->fibre_count) &&
             add_number(w, object, "volume_ratio", muscle->volume_ratio) &&
             add_number(w, object, "overlap", muscle->overlap)));
}

static bool add_muscles(writer *w, sn_value *root) {
    sn_value *list = sn_json_add_array(w->json, root, "muscles");
    bool done = list != NULL;
    for (uint32_t i = 0; i < w->report->muscle_count && done; ++i) {
        done = add_muscle(w, list, &w->report->muscles[i]);
    }
    return done;
}

static bool add_fit(writer *w, sn_value *root) {
    sn_value *object = sn_json_add_object(w->json, root, "fit");
    return add_number(w, object, "median_distance", w->report->median_distance) &&
           add_number(w, object, "ninth_distance", w->report->ninth_distance) &&
           add_number(w, object, "median_volume_error", w->report->median_volume) &&
           add_number(w, object, "ninth_volume_error", w->report->ninth_volume);
}

sn_status sn_anatomy_report_write(const sn_anatomy_report *report, const sn_anatomy *anatomy,
                                  const char *path, sn_error *error) {
    static const char *const skins[] = {"extracted", "listed", "rigged"};
    sn_status status = SN_OK;
    writer w = {.report = report, .anatomy = anatomy};
    char *text = NULL;
    size_t size;
    SN_TRY(sn_json_create(report->context, &w.json, error));
    sn_value *root = sn_json_root(w.json);
    if (!add_text(&w, root, "folder", anatomy->name) ||
        !add_text(&w, root, "skin", skins[report->skin]) || !add_fit(&w, root) ||
        !add_segments(&w, root) || !add_parts(&w, root) || !add_muscles(&w, root)) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    SN_TRY(sn_json_write(w.json, &text, &size, error));
    SN_TRY(sn_file_write(path, text, size, error));
cleanup:
    sn_json_free_text(report->context, text);
    sn_json_destroy(w.json);
    return status;
}
