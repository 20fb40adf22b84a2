// SPDX-License-Identifier: Apache-2.0
//
// Rows anatomy/set_up_NAME: from a folder of scanned bones and muscles, or an OpenSim model, to a
// body that is ready to move; its size is the number of muscles. Row anatomy/frame_dog: a frame of
// the dog's walk, skin and given surfaces of all muscles; its size is the skin's vertices. The data
// are not sinew's: SINEW_TEST_DATA, else ../shared/data beside the sources. Where there are none a
// line says so.
#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"

#include "bench/folders.h"
#include "sinew/eval.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What one waits for a body once, and a frame at 60 frames per second.
static const double set_up_budget = 30e3, frame_budget = 1000.0 / 60;

typedef struct folder {
    const char *name;
    const char *data;   // below the folder of data
    const char *motion; // from the sources; NULL: no frames are measured
} folder;

static const folder folders[] = {
    {"dog", "animal/dog", "examples/motions/dog-walk.sinew.json"},
    {"human", "anatomy", NULL},
    {"gait2392", "osim/gait2392.osim", NULL},
};

typedef struct body {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
    uint32_t next; // frame
    sn_status status;
    sn_error *error;
} body;

static void deinit(body *b) {
    sn_frame_destroy(b->frame);
    sn_motion_destroy(b->motion);
    sn_model_destroy(b->model);
    sn_character_destroy(b->character);
}

void snb_data_path(const char *below, char *path, size_t size) {
    const char *root = getenv("SINEW_TEST_DATA");
    if (root != NULL && root[0] != 0) {
        snprintf(path, size, "%s/%s", root, below);
    } else {
        snprintf(path, size, "%s/../../shared/data/%s", SNB_SOURCE_DIR, below);
    }
}

static sn_status make_character(body *b, const char *path) {
    const char *document = "body.sinew.json"; // never written
    const char *extension = strrchr(path, '.');
    if (extension != NULL && strcmp(extension, ".osim") == 0) {
        sn_osim_desc desc = sn_osim_desc_default();
        return sn_character_from_osim(b->context, path, &desc, document, &b->character, NULL,
                                      b->error);
    }
    sn_anatomy *anatomy = NULL;
    sn_status status = sn_anatomy_read(b->context, path, NULL, &anatomy, b->error);
    if (status == SN_OK) {
        status = sn_character_from_anatomy(anatomy, document, NULL, &b->character, NULL, b->error);
    }
    sn_anatomy_destroy(anatomy);
    return status;
}

static sn_status set_up(body *b, const char *path) {
    sn_status status = make_character(b, path);
    return status == SN_OK ? sn_model_create(b->character, NULL, &b->model, b->error) : status;
}

static uint32_t count_surfaces(const sn_model *model, sn_layer layer, uint32_t *vertices) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        if (surface->layer == layer && surface->shown) {
            count++;
            *vertices += surface->mesh->vertex_count;
        }
    }
    return count;
}

static void evaluate_next(void *user) {
    body *b = user;
    if (b->status == SN_OK) {
        b->status = sn_frame_evaluate(b->frame, b->motion, b->next, b->error);
        b->next = (b->next + 1) % sn_motion_frame_count(b->motion);
    }
}

// All frames of the motion, again and again, so that none is a special one: the mean of a round.
static void evaluate_round(void *user) {
    body *b = user;
    for (uint32_t i = 0; i < sn_motion_frame_count(b->motion); ++i) {
        evaluate_next(b);
    }
}

static sn_status time_frames(snb_report *report, body *b, const folder *f, const char *row) {
    char path[4096];
    uint32_t vertices = 0, muscle_vertices = 0;
    snprintf(path, sizeof path, "%s/../%s", SNB_SOURCE_DIR, f->motion);
    sn_status status = sn_motion_open(b->model, path, &b->motion, b->error);
    if (status == SN_OK) {
        status = sn_frame_create(b->model, &b->frame, b->error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_frame_show_only(b->frame, true);
    uint32_t muscles = count_surfaces(b->model, SN_LAYER_MUSCLE, &muscle_vertices);
    count_surfaces(b->model, SN_LAYER_SKIN, &vertices);
    double ms = snb_time(evaluate_round, b) / sn_motion_frame_count(b->motion);
    if (b->status == SN_OK && !snb_add(report, row, vertices, ms, "budget", frame_budget, 1)) {
        return SN_OUT_OF_MEMORY;
    }
    snb_note(report, "%s: %u muscles with %u vertices are moved with the skin", row, muscles,
             muscle_vertices);
    return b->status;
}

static sn_status measure_folder(snb_report *report, const folder *f, sn_error *error) {
    char set_up_row[SNB_TEXT], frame_row[SNB_TEXT], path[4096];
    body b = {.context = report->context, .error = error};
    uint32_t vertices = 0;
    snprintf(set_up_row, sizeof set_up_row, "anatomy/set_up_%s", f->name);
    snprintf(frame_row, sizeof frame_row, "anatomy/frame_%s", f->name);
    bool frames = f->motion != NULL && snb_wants(report, frame_row);
    if (!snb_wants(report, set_up_row) && !frames) {
        return SN_OK;
    }
    snb_data_path(f->data, path, sizeof path);
    if (access(path, R_OK) != 0) {
        snb_note(report, "%s: there are no data at %s", set_up_row, f->data);
        return SN_OK;
    }
    double begin = snb_now();
    sn_status status = set_up(&b, path);
    double ms = 1e3 * (snb_now() - begin);
    if (status == SN_OK) {
        uint32_t muscles = count_surfaces(b.model, SN_LAYER_MUSCLE, &vertices);
        status = snb_add(report, set_up_row, muscles, ms, "budget", set_up_budget, 1)
                     ? SN_OK
                     : SN_OUT_OF_MEMORY;
    }
    if (status == SN_OK && frames) {
        status = time_frames(report, &b, f, frame_row);
    }
    deinit(&b);
    return status;
}

sn_status snb_folders(snb_report *report, sn_error *error) {
    sn_status status = SN_OK;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && status == SN_OK; ++i) {
        status = measure_folder(report, &folders[i], error);
    }
    return status;
}
