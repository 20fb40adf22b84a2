// SPDX-License-Identifier: Apache-2.0
//
// Rows curves/...: sheets of n points over muscles made from two curves.
//
//     deform       whole frames of the thesis' benchmark (Watkins 2004, chapter 5): a plane over
//                  one muscle, contracted to 0.6, with all points in its influence
//     thesis       its 12,000 points over two muscles that move less than 1,000 of them
//     attach       finding the closest places of all points
//     edit         a point of a curve moves: the muscle is made anew and the skin attached to it
//                  again, in a model of 100,000 polygons; first_edit also makes what is kept for
//                  the next edits
//     deform_100, attach_100
//                  a hundred muscles, each under its own part of the sheet
#include "bench/bench.h"

#include "eval/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Points along the two sides of a sheet.
typedef struct sheet {
    uint32_t wide, high;
} sheet;

static const sheet sheets[] = {{25, 40},   {50, 80},   {100, 120},  {200, 200},
                               {300, 400}, {500, 800}, {1000, 1000}};
enum { SHEET_COUNT = sizeof sheets / sizeof sheets[0] };

// Muscles in rows and columns under a sheet of 1 m x 1 m, and how far they act.
typedef struct layout {
    uint32_t rows, columns;
    double full, none;
} layout;

// All points follow; some 900 of 12,000; each muscle moves what lies above it and some more.
static const layout one = {1, 1, 2, 3}, two = {1, 2, 0.02, 0.06}, hundred = {10, 10, 0.02, 0.05};

typedef struct scene {
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    void *bound; // what `attach` made last
    bool moved;  // by `edit`
    sn_status status;
    sn_error *error;
} scene;

static void free_scene(scene *s) {
    if (s->bound != NULL) {
        sni_deformer_falloff.unbind(s->model->context, s->bound);
    }
    sn_frame_destroy(s->frame);
    sn_model_destroy(s->model);
    sn_character_destroy(s->character);
}

// A little uneven, so that closest places are not all found at once.
static sn_status make_sheet(sn_context *context, sheet size, sn_mesh **mesh, sn_error *error) {
    uint32_t faces = (size.wide - 1) * (size.high - 1);
    sn_status status =
        sn_mesh_create(context, "sheet", size.wide * size.high, faces, 4 * faces, mesh, error);
    for (uint32_t i = 0; status == SN_OK && i < size.wide * size.high; ++i) {
        double x = (double)(i % size.wide) / (size.wide - 1);
        double y = (double)(i / size.wide) / (size.high - 1);
        sn_vec3_store(sn_vec3_make(x, y, 0.002 * sin(7 * x) * cos(5 * y)),
                      (*mesh)->positions + 3 * (size_t)i);
    }
    for (uint32_t f = 0; status == SN_OK && f < faces; ++f) {
        uint32_t a = f / (size.wide - 1) * size.wide + f % (size.wide - 1);
        const uint32_t corners[4] = {a, a + 1, a + size.wide + 1, a + size.wide};
        memcpy((*mesh)->corners + 4 * (size_t)f, corners, sizeof corners);
        (*mesh)->face_offsets[f + 1] = 4 * (f + 1);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// The document

static void add_curve(sn_json *json, sn_value *curves, double x, double low, double high) {
    sn_value *curve = sn_json_add_array(json, curves, NULL);
    for (int i = 0; i < 5; ++i) {
        const double point[3] = {x, low + (high - low) * i / 4, 0};
        sn_json_add_numbers(json, curve, NULL, point, 3);
    }
}

static void add_muscle(sn_json *json, sn_value *muscles, const layout *l, uint32_t number) {
    char name[16];
    double wide = 1.0 / l->columns, high = 1.0 / l->rows;
    double x = (number % l->columns + 0.5) * wide, y = (double)(number / l->columns) * high;
    snprintf(name, sizeof name, "m%u", number);
    sn_value *muscle = sn_json_add_object(json, muscles, name);
    sn_json_add_string(json, muscle, "kind", "patch");
    sn_json_add_string(json, muscle, "skin", "sheet");
    sn_json_add_string(json, muscle, "contraction", "c");
    sn_json_add_number(json, muscle, "skin_thickness", 0.02 * wide);
    sn_json_add_number(json, muscle, "muscle_thickness", 0.05 * wide);
    sn_value *curves = sn_json_add_array(json, muscle, "curves");
    add_curve(json, curves, x - 0.1 * wide, y + 0.3 * high, y + 0.7 * high);
    add_curve(json, curves, x + 0.1 * wide, y + 0.3 * high, y + 0.7 * high);
}

static void write_document(sn_json *json, const layout *l) {
    sn_value *root = sn_json_root(json);
    sn_json_add_object(json, sn_json_add_object(json, root, "skeleton"), "root");
    sn_json_add_object(json, sn_json_add_object(json, root, "meshes"), "sheet");
    sn_value *skin = sn_json_add_object(json, sn_json_add_object(json, root, "skins"), "sheet");
    sn_json_add_string(json, skin, "mesh", "sheet");
    sn_value *deformer = sn_json_add_object(json, sn_json_add_array(json, skin, "deformers"), NULL);
    sn_json_add_string(json, deformer, "kind", "falloff");
    sn_json_add_number(json, deformer, "d_full", l->full);
    sn_json_add_number(json, deformer, "d_none", l->none);
    sn_value *names = sn_json_add_array(json, deformer, "muscles");
    sn_value *muscles = sn_json_add_object(json, root, "muscles");
    for (uint32_t i = 0; i < l->rows * l->columns; ++i) {
        add_muscle(json, muscles, l, i);
        sn_json_add_string(json, names, NULL, sn_value_at(muscles, i)->key);
    }
    sn_json_add_object(json, sn_json_add_object(json, root, "controls"), "c");
}

static sn_status make_scene(sn_context *context, sheet size, const layout *l, scene *s,
                            sn_error *error) {
    sn_status status = SN_OK;
    sn_mesh *mesh = NULL;
    *s = (scene){.error = error};
    SN_TRY(sn_character_create(context, "sheet", &s->character, error));
    write_document(sn_character_document(s->character), l);
    SN_TRY(make_sheet(context, size, &mesh, error));
    SN_TRY(sn_character_give_mesh(s->character, "sheet", mesh, error));
    SN_TRY(sn_model_create(s->character, NULL, &s->model, error));
    SN_TRY(sn_frame_create(s->model, &s->frame, error));
    SN_TRY(sn_frame_set(s->frame, "c", 0.6, error));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// What is measured

static void evaluate(void *user) {
    scene *s = user;
    s->status = sn_frame_evaluate(s->frame, NULL, 0, s->error);
}

static void attach(void *user) {
    scene *s = user;
    const sn_model *model = s->model;
    uint32_t count = model->blueprint->muscle_count;
    sni_muscle_surface *muscles = malloc(count * sizeof *muscles);
    for (uint32_t i = 0; muscles != NULL && i < count; ++i) {
        muscles[i] = model->muscles[i]->surface;
    }
    const sni_muscles_input under = {count, muscles};
    sni_bind_job job = {.context = model->context,
                        .mesh = model->surfaces[0].mesh,
                        .parameters = model->blueprint->surfaces[0].deformers[0].parameters,
                        .inputs = {&under}};
    if (s->bound != NULL) {
        sni_deformer_falloff.unbind(model->context, s->bound);
    }
    s->status = muscles != NULL ? sni_deformer_falloff.bind(&job, &s->bound, s->error)
                                : sni_fail_memory(s->error);
    free(muscles);
}

// Moves the last point of a curve to and fro.
static void edit(void *user) {
    scene *s = user;
    sn_value *x = sn_json_find(sn_character_document(s->character), "/muscles/m0/curves/0/4/0");
    x->as.number += s->moved ? -0.02 : 0.02;
    s->moved = !s->moved;
    sn_model *next = NULL;
    s->status = sn_model_recompile(s->character, s->model, NULL, &next, s->error);
    if (s->status == SN_OK) {
        sn_frame_destroy(s->frame);
        sn_model_destroy(s->model);
        s->frame = NULL;
        s->model = next;
    }
}

static sn_status add_row(snb_report *report, const char *name, scene *s, double ms,
                         const char *reference, double reference_ms, sn_error *error) {
    uint32_t size = s->model->surfaces[0].mesh->vertex_count;
    if (s->status != SN_OK) {
        return s->status;
    }
    return snb_add(report, name, size, ms, reference, reference_ms, 1) ? SN_OK
                                                                       : sni_fail_memory(error);
}

// Least squares of ms = a + b n.
static void tell_fit(snb_report *report, const double *n, const double *ms, uint32_t count) {
    double mean_n = 0, mean_ms = 0, nn = 0, nm = 0, mm = 0;
    for (uint32_t i = 0; i < count; ++i) {
        mean_n += n[i] / count;
        mean_ms += ms[i] / count;
    }
    for (uint32_t i = 0; i < count; ++i) {
        nn += (n[i] - mean_n) * (n[i] - mean_n);
        nm += (n[i] - mean_n) * (ms[i] - mean_ms);
        mm += (ms[i] - mean_ms) * (ms[i] - mean_ms);
    }
    double b = nm / nn;
    snb_note(report, "curves/deform: ms = %.4f + %.4f per 1000 points, R^2 = %.5f",
             mean_ms - b * mean_n, 1000 * b, nm * nm / (nn * mm));
}

static sn_status run_sizes(snb_report *report, sn_error *error) {
    sn_status status = SN_OK;
    double points[SHEET_COUNT], ms[SHEET_COUNT];
    scene s = {0};
    for (uint32_t i = 0; i < SHEET_COUNT; ++i) {
        SN_TRY(make_scene(report->context, sheets[i], &one, &s, error));
        bool largest = i + 1 == SHEET_COUNT;
        points[i] = (double)sheets[i].wide * sheets[i].high;
        ms[i] = snb_time(evaluate, &s);
        SN_TRY(add_row(report, "curves/deform", &s, ms[i], largest ? "budget" : NULL, 1000.0 / 30,
                       error));
        if (i % 2 == 0 && snb_wants(report, "curves/attach")) {
            SN_TRY(add_row(report, "curves/attach", &s, snb_time(attach, &s), NULL, 0, error));
        }
        free_scene(&s);
        s = (scene){0};
    }
    tell_fit(report, points, ms, SHEET_COUNT);
cleanup:
    free_scene(&s);
    return status;
}

// The tyrannosaurus of the thesis played back at some 15 frames per second.
static sn_status run_thesis(snb_report *report, sn_error *error) {
    sn_status status = SN_OK;
    scene s = {0};
    SN_TRY(make_scene(report->context, sheets[2], &two, &s, error));
    SN_TRY(add_row(report, "curves/thesis", &s, snb_time(evaluate, &s),
                   "Watkins 2004, 3 GHz Pentium 4", 1000.0 / 15, error));
cleanup:
    free_scene(&s);
    return status;
}

static sn_status run_edit(snb_report *report, sn_error *error) {
    sn_status status = SN_OK;
    const sheet polygons = {251, 401};
    scene s = {0};
    SN_TRY(make_scene(report->context, polygons, &two, &s, error));
    uint32_t faces = s.model->surfaces[0].mesh->face_count;
    double start = snb_now();
    edit(&s);
    double first_ms = (snb_now() - start) * 1e3, ms = snb_time(edit, &s);
    SN_TRY(s.status);
    if (!snb_add(report, "curves/first_edit", faces, first_ms, NULL, 0, 1) ||
        !snb_add(report, "curves/edit", faces, ms, "budget", 50, 1)) {
        SN_TRY(sni_fail_memory(error));
    }
cleanup:
    free_scene(&s);
    return status;
}

static sn_status run_hundred(snb_report *report, sn_error *error) {
    sn_status status = SN_OK;
    scene s = {0};
    SN_TRY(make_scene(report->context, sheets[SHEET_COUNT - 1], &hundred, &s, error));
    SN_TRY(add_row(report, "curves/deform_100", &s, snb_time(evaluate, &s), "budget", 1000.0 / 30,
                   error));
    snb_note(report, "curves/deform_100: %.1f MB of weights",
             (double)sn_model_bytes(s.model) * 1e-6);
    if (snb_wants(report, "curves/attach_100")) {
        SN_TRY(add_row(report, "curves/attach_100", &s, snb_time(attach, &s), NULL, 0, error));
    }
cleanup:
    free_scene(&s);
    return status;
}

sn_status snb_curves(snb_report *report, sn_error *error) {
    sn_status status = SN_OK;
    if (snb_wants(report, "curves/deform") || snb_wants(report, "curves/attach")) {
        SN_TRY(run_sizes(report, error));
    }
    if (snb_wants(report, "curves/thesis")) {
        SN_TRY(run_thesis(report, error));
    }
    if (snb_wants(report, "curves/edit") || snb_wants(report, "curves/first_edit")) {
        SN_TRY(run_edit(report, error));
    }
    if (snb_wants(report, "curves/deform_100") || snb_wants(report, "curves/attach_100")) {
        SN_TRY(run_hundred(report, error));
    }
cleanup:
    return status;
}
