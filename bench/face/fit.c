// SPDX-License-Identifier: Apache-2.0
//
// The shipped head in the neutral head of ICT-FaceKit, and its expressions matched.
#define _POSIX_C_SOURCE 200809L
#include "base/memory.h"
#include "bench/face/face.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4400 };

// Heads that nothing was fitted to: their expressions are the same displacements.
static const char neutral[] = "generic_neutral.obj";
static const char *const others[] = {"identities/id_b.obj", "identities/id_d.obj",
                                     "identities/id_f.obj"};
enum { OTHERS = sizeof others / sizeof *others };

// ---------------------------------------------------------------------------------------------
// Files

// The skin is the first parts of the head's file, up to the sockets of the eyes; teeth, eyeballs
// and lashes come behind them. The narrow face has neither ears nor neck.
static sn_status read_ranges(snb_face_fit *fit, sn_error *error) {
    char path[PATH_BYTES], line[256], part[64];
    unsigned first, last, first_face, last_face;
    snprintf(path, sizeof path, "%s/vertex_ranges.csv", fit->data);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return sni_fail(error, SN_IO, "cannot read %s", path);
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "%63[^,],%u,%u,%u,%u", part, &first, &last, &first_face, &last_face) !=
            5) {
            continue;
        }
        if (strcmp(part, "eye_socket_right") == 0) {
            fit->skin_vertices = last + 1;
            fit->skin_faces = last_face + 1;
        } else if (strcmp(part, "narrow_face") == 0) {
            fit->face_vertices = last + 1;
        }
    }
    fclose(file);
    if (fit->face_vertices == 0 || fit->face_vertices > fit->skin_vertices) {
        return sni_fail(error, SN_INVALID,
                        "%s has no rows \"eye_socket_right\" and "
                        "\"narrow_face\"",
                        path);
    }
    return SN_OK;
}

// Writes the first vertices and faces of a mesh.
static sn_status write_part(const snb_face_fit *fit, const sn_mesh *mesh, const char *path,
                            sn_error *error) {
    sn_mesh *part = NULL;
    sn_status status = SN_OK;
    if (mesh->vertex_count < fit->skin_vertices || mesh->face_count < fit->skin_faces) {
        return sni_fail(error, SN_INVALID,
                        "the head has %u vertices and %u faces, not the %u and "
                        "%u of its skin",
                        mesh->vertex_count, mesh->face_count, fit->skin_vertices, fit->skin_faces);
    }
    uint32_t corner_count = mesh->face_offsets[fit->skin_faces];
    SN_TRY(sn_mesh_create(mesh->context, "skin", fit->skin_vertices, fit->skin_faces, corner_count,
                          &part, error));
    memcpy(part->positions, mesh->positions, 3 * sizeof(float) * fit->skin_vertices);
    memcpy(part->face_offsets, mesh->face_offsets,
           sizeof *part->face_offsets * ((size_t)fit->skin_faces + 1));
    memcpy(part->corners, mesh->corners, sizeof *part->corners * corner_count);
    SN_TRY(sn_export_mesh(part, path, error));
cleanup:
    sn_mesh_destroy(part);
    return status;
}

static sn_status write_skin(sn_context *context, const snb_face_fit *fit, const char *head,
                            const char *path, sn_error *error) {
    sn_import *import = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_import_file(context, head, &import, error));
    if (import->mesh_count != 1) {
        SN_TRY(sni_fail(error, SN_INVALID, "%s has %u meshes, not one", head, import->mesh_count));
    }
    SN_TRY(write_part(fit, import->meshes[0], path, error));
cleanup:
    sn_import_destroy(import);
    return status;
}

// Adds a shape's displacements, which are in centimetres: "VERTEX DX DY DZ" below two lines.
static sn_status add_delta(const snb_face_fit *fit, const char *name, float *points,
                           sn_error *error) {
    char path[PATH_BYTES], line[256];
    unsigned vertex;
    double d[3];
    snprintf(path, sizeof path, "%s/expressions/%s.delta", fit->data, name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return sni_fail(error, SN_IO, "cannot read %s", path);
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "%u %lf %lf %lf", &vertex, &d[0], &d[1], &d[2]) == 4 &&
            vertex < fit->skin_vertices) {
            for (int k = 0; k < 3; ++k) {
                points[3 * (size_t)vertex + k] += (float)(0.01 * d[k]);
            }
        }
    }
    fclose(file);
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// The head

static sn_status transfer(sn_context *context, const char *skin, sn_character **made,
                          sn_error *error) {
    char path[PATH_BYTES];
    sn_character *source = NULL;
    sn_character_transfer_desc desc = sn_character_transfer_desc_default();
    sn_status status = SN_OK;
    snprintf(path, sizeof path, "%s/../examples/head/head.sinew.json", SNB_SOURCE_DIR);
    desc.head = skin;
    SN_TRY(sn_character_load(context, path, &source, error));
    snprintf(path, sizeof path, "%s.sinew.json", skin);
    SN_TRY(sn_character_transfer(source, &desc, path, NULL, made, NULL, error));
    sn_json *json = sn_character_document(*made);
    if (!snb_face_tie(json, 0) || !snb_face_hold_jaw(context, json)) {
        SN_TRY(sni_fail_memory(error));
    }
cleanup:
    sn_character_destroy(source);
    return status;
}

// The model of the shipped head in the skin of another.
static sn_status make_model(sn_context *context, const snb_face_fit *fit, const char *head,
                            sn_character **character, sn_model **model, sn_error *error) {
    char folder[] = "/tmp/sinew-face-XXXXXX", skin[sizeof folder + 16];
    sn_status status = SN_OK;
    if (mkdtemp(folder) == NULL) {
        return sni_fail(error, SN_IO, "cannot make a folder %s", folder);
    }
    snprintf(skin, sizeof skin, "%s/skin.obj", folder);
    SN_TRY(write_skin(context, fit, head, skin, error));
    SN_TRY(transfer(context, skin, character, error));
    SN_TRY(sn_model_create(*character, NULL, model, error));
cleanup:
    unlink(skin);
    rmdir(folder);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Expressions

// What is matched: a skin of a model, its points, and how much each counts.
typedef struct target {
    const sn_model *model;
    uint32_t surface;
    const float *rest;
    float *points, *weights;
} target;

static sn_status match(const snb_face_fit *fit, const target *t, snb_face_row *row, double *values,
                       sn_match_report *report, sn_error *error) {
    sn_pose_parameter parameters[SNB_MOST_CONTROLS];
    sn_match_desc desc = sn_match_desc_default();
    sn_status status = SN_OK;
    const snb_expression *e = row->expression;
    row->control_count = snb_expression_controls(e, row->names);
    for (uint32_t i = 0; i < row->control_count; ++i) {
        uint32_t control = sn_model_find_control(t->model, row->names[i]);
        if (control == SN_NONE) {
            return sni_fail(error, SN_INVALID, "the head has no control \"%s\"", row->names[i]);
        }
        parameters[i] = sn_model_control_parameter(t->model, control);
        values[i] = parameters[i].standard;
    }
    memcpy(t->points, t->rest, 3 * sizeof(float) * fit->skin_vertices);
    for (int i = 0; i < 2 && e->shapes[i] != NULL; ++i) {
        SN_TRY(add_delta(fit, e->shapes[i], t->points, error));
    }
    desc.surface = t->surface;
    desc.parameter_count = row->control_count;
    desc.parameters = parameters;
    desc.points = t->points;
    desc.weights = t->weights;
    SN_TRY(sn_match_shape(t->model, &desc, NULL, values, report, error));
cleanup:
    return status;
}

// All expressions that are wanted, on the neutral head or on another one.
static sn_status match_all(const snb_face_fit *fit, bool other, target *t, FILE *progress,
                           sn_error *error) {
    sn_status status = SN_OK;
    t->points = malloc(3 * sizeof(float) * fit->skin_vertices);
    t->weights = calloc(fit->skin_vertices, sizeof *t->weights);
    if (t->points == NULL || t->weights == NULL) {
        SN_TRY(sni_fail_memory(error));
    }
    for (uint32_t v = 0; v < fit->face_vertices; ++v) {
        t->weights[v] = 1;
    }
    for (uint32_t i = 0; i < fit->row_count; ++i) {
        snb_face_row *row = &fit->rows[i];
        double other_values[SNB_MOST_CONTROLS];
        sn_match_report report;
        SN_TRY(match(fit, t, row, other ? other_values : row->values, &report, error));
        if (other) {
            row->other_cosine += report.cosine / OTHERS;
            row->other_residual += report.residual / OTHERS;
        } else {
            row->match = report;
        }
        if (progress != NULL) {
            fprintf(progress, "%s %.2f/%.2f\n", row->expression->name, report.cosine,
                    report.residual);
        }
    }
cleanup:
    free(t->points);
    free(t->weights);
    return status;
}

static sn_status measure(sn_context *context, const snb_face_fit *fit, const char *file, bool other,
                         FILE *progress, sn_error *error) {
    char head[PATH_BYTES];
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_status status = SN_OK;
    snprintf(head, sizeof head, "%s/%s", fit->data, file);
    SN_TRY(make_model(context, fit, head, &character, &model, error));
    target t = {.model = model, .surface = sn_model_find_surface(model, "skin")};
    if (t.surface == SN_NONE) {
        SN_TRY(sni_fail(error, SN_INVALID, "the head has no surface \"skin\""));
    }
    t.rest = sn_model_surface(model, t.surface)->mesh->positions;
    SN_TRY(match_all(fit, other, &t, progress, error));
cleanup:
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

// Whether a name is among those of a list with commas.
static bool is_among(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ','), at = at ? at + 1 : NULL) {
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == 0)) {
            return true;
        }
    }
    return false;
}

static bool is_known(const char *name, int length) {
    for (uint32_t i = 0; i < snb_expression_count; ++i) {
        const char *known = snb_expressions[i].name;
        if (strlen(known) == (size_t)length && memcmp(known, name, (size_t)length) == 0) {
            return true;
        }
    }
    return false;
}

static sn_status check_names(const char *list, sn_error *error) {
    for (const char *at = list; at != NULL; at = strchr(at, ','), at = at ? at + 1 : NULL) {
        int length = (int)strcspn(at, ",");
        if (!is_known(at, length)) {
            return sni_fail(error, SN_INVALID,
                            "there is no expression \"%.*s\": docs/face-fit.md lists all", length,
                            at);
        }
    }
    return SN_OK;
}

static sn_status take_expressions(snb_face_fit *fit, sn_error *error) {
    fit->rows = calloc(snb_expression_count, sizeof *fit->rows);
    if (fit->rows == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < snb_expression_count; ++i) {
        if (fit->only == NULL || is_among(fit->only, snb_expressions[i].name)) {
            fit->rows[fit->row_count++].expression = &snb_expressions[i];
        }
    }
    return check_names(fit->only, error);
}

sn_status snb_face_measure(sn_context *context, snb_face_fit *fit, FILE *progress,
                           sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(read_ranges(fit, error));
    SN_TRY(take_expressions(fit, error));
    SN_TRY(measure(context, fit, neutral, false, progress, error));
    for (int i = 0; i < OTHERS && fit->only == NULL; ++i) {
        SN_TRY(measure(context, fit, others[i], true, progress, error));
    }
cleanup:
    return status;
}
