// SPDX-License-Identifier: Apache-2.0
//
// A body: a model with what is measured on it.
#include "bench/rigs/rigs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Edges shorter than this part of the height are no surface: seams and points drawn twice.
static const double least_edge = 1e-5;

static sn_status find_skins(snb_rig_body *b, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = sn_model_surface_count(b->model);
    SNI_NEW(b->context, b->skins, count);
    for (uint32_t i = 0; i < count; ++i) {
        const sn_surface *surface = sn_model_surface(b->model, i);
        if (surface->layer == SN_LAYER_SKIN && surface->shown) {
            b->skins[b->skin_count++] = i;
            b->vertex_count += surface->mesh->vertex_count;
        }
    }
cleanup:
    return status;
}

static sn_vec3 point_of(const snb_rig_body *b, uint32_t surface, uint32_t vertex) {
    return sn_vec3_load(sn_frame_points(b->frame, surface) + 3 * (size_t)vertex);
}

static double measure_height(const snb_rig_body *b) {
    double low = INFINITY, high = -INFINITY;
    for (uint32_t s = 0; s < b->skin_count; ++s) {
        uint32_t vertices = sn_model_surface(b->model, b->skins[s])->mesh->vertex_count;
        for (uint32_t i = 0; i < vertices; ++i) {
            double y = point_of(b, b->skins[s], i).y;
            low = fmin(low, y);
            high = fmax(high, y);
        }
    }
    return high - low;
}

// ---------------------------------------------------------------------------------------------
// Edges

static int compare_edges(const void *a, const void *b) {
    const snb_edge *x = a, *y = b;
    return x->a != y->a ? (x->a < y->a ? -1 : 1) : x->b != y->b ? (x->b < y->b ? -1 : 1) : 0;
}

static uint32_t unique(snb_edge *edges, uint32_t count) {
    uint32_t kept = 0;
    qsort(edges, count, sizeof *edges, compare_edges);
    for (uint32_t i = 0; i < count; ++i) {
        if (kept == 0 || compare_edges(&edges[kept - 1], &edges[i]) != 0) {
            edges[kept++] = edges[i];
        }
    }
    return kept;
}

static uint32_t add_edges(const snb_rig_body *b, uint32_t surface, snb_edge *edges) {
    const sn_mesh *mesh = sn_model_surface(b->model, surface)->mesh;
    uint32_t count = 0;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t begin = mesh->face_offsets[f], end = mesh->face_offsets[f + 1];
        for (uint32_t c = begin; c < end; ++c) {
            uint32_t u = mesh->corners[c], v = mesh->corners[c + 1 < end ? c + 1 : begin];
            double rest = sn_vec3_distance(point_of(b, surface, u), point_of(b, surface, v));
            if (rest > least_edge * b->height) {
                edges[count++] = (snb_edge){surface, u < v ? u : v, u < v ? v : u, rest};
            }
        }
    }
    return unique(edges, count);
}

static sn_status find_edges(snb_rig_body *b, sn_error *error) {
    sn_status status = SN_OK;
    size_t most = 0;
    for (uint32_t s = 0; s < b->skin_count; ++s) {
        most += sn_model_surface(b->model, b->skins[s])->mesh->corner_count;
    }
    SNI_NEW(b->context, b->edges, most);
    SNI_NEW(b->context, b->beyond, most);
    SNI_NEW_ZERO(b->context, b->folds, most);
    for (uint32_t s = 0; s < b->skin_count; ++s) {
        // A mesh that goes as a whole cannot stretch.
        if (sn_model_surface(b->model, b->skins[s])->segment == SN_NONE) {
            b->edge_count += add_edges(b, b->skins[s], b->edges + b->edge_count);
        }
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Feet

// The segment that has most of a vertex, SN_NONE where nothing has.
static uint32_t main_segment(const sn_surface *surface, uint32_t vertex) {
    const sn_weights *weights = surface->mesh->weights;
    if (surface->segment != SN_NONE || weights == NULL || surface->bone_segments == NULL) {
        return surface->segment;
    }
    uint32_t best = SN_NONE;
    float most = 0;
    for (uint32_t k = weights->offsets[vertex]; k < weights->offsets[vertex + 1]; ++k) {
        if (weights->values[k] > most) {
            most = weights->values[k];
            best = surface->bone_segments[weights->bones[k]];
        }
    }
    return best;
}

static bool is_of_foot(const snb_rig_body *b, uint32_t segment, int side) {
    uint32_t foot = b->marks.segments[SNB_MARK_FOOT][side];
    uint32_t toes = b->marks.segments[SNB_MARK_TOES][side];
    const sn_skeleton *skeleton = sn_model_skeleton(b->model);
    for (uint32_t i = segment; i != SN_NONE; i = skeleton->segments[i].parent) {
        if (i == foot || i == toes) {
            return true;
        }
    }
    return false;
}

static sn_status find_foot(snb_rig_body *b, int side, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(b->context, b->feet[side], b->vertex_count);
    for (uint32_t s = 0; s < b->skin_count; ++s) {
        const sn_surface *surface = sn_model_surface(b->model, b->skins[s]);
        for (uint32_t i = 0; i < surface->mesh->vertex_count; ++i) {
            if (is_of_foot(b, main_segment(surface, i), side)) {
                b->feet[side][b->foot_counts[side]++] = (snb_foot_point){b->skins[s], i};
            }
        }
    }
    for (uint32_t i = 0; i < b->foot_counts[side]; ++i) {
        snb_foot_point p = b->feet[side][i];
        b->ground = fmin(b->ground, point_of(b, p.surface, p.vertex).y);
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------

static bool has_skin(const sn_import *import) {
    for (uint32_t i = 0; i < import->mesh_count; ++i) {
        if (import->meshes[i]->weights != NULL) {
            return true;
        }
    }
    return false;
}

static sn_status make_model(snb_rig_body *b, const sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    char document[4200];
    snprintf(document, sizeof document, "%s.sinew.json", b->path); // never written
    SN_TRY(sn_character_from_import(import, b->path, document, &b->plain_character, error));
    SN_TRY(sn_model_create(b->plain_character, NULL, &b->plain_model, error));
    SN_TRY(sn_frame_create(b->plain_model, &b->plain, error));
    SN_TRY(sn_character_from_import(import, b->path, document, &b->character, error));
    SN_TRY(sn_character_relax(b->character, true, NULL, error));
    SN_TRY(sn_model_create(b->character, NULL, &b->model, error));
    SN_TRY(sn_frame_create(b->model, &b->frame, error));
    SN_TRY(snb_marks_find(b->context, sn_model_skeleton(b->model), &b->marks, error));
cleanup:
    return status;
}

static bool stands(const snb_rig_body *b) {
    snb_pose rest;
    snb_pose_take(&b->marks, sn_model_rest_worlds(b->model), &rest);
    return snb_marks_stand(&b->marks) && snb_pose_leg_angle(&rest) < snb_four_legs;
}

sn_status snb_rig_body_open(sn_context *context, const sn_import *import, const char *path,
                            const char *name, snb_rig_body *body, bool *is_body, sn_error *error) {
    sn_status status = SN_OK;
    *body = (snb_rig_body){.context = context, .ground = INFINITY};
    *is_body = false;
    if (!has_skin(import)) {
        return SN_OK;
    }
    snprintf(body->name, sizeof body->name, "%s", name);
    snprintf(body->path, sizeof body->path, "%s", path);
    SN_TRY(make_model(body, import, error));
    if (!stands(body)) {
        snb_rig_body_close(body);
        return SN_OK;
    }
    SN_TRY(find_skins(body, error));
    body->height = measure_height(body);
    SN_TRY(find_edges(body, error));
    SN_TRY(find_foot(body, 0, error));
    SN_TRY(find_foot(body, 1, error));
    SN_TRY(snb_rig_body_bend(body, error));
    *is_body = body->foot_counts[0] > 0 && body->foot_counts[1] > 0;
    if (*is_body) {
        return SN_OK;
    }
cleanup:
    snb_rig_body_close(body);
    return status;
}

void snb_rig_body_close(snb_rig_body *body) {
    sni_free(body->context, body->edges);
    sni_free(body->context, body->beyond);
    sni_free(body->context, body->folds);
    sni_free(body->context, body->feet[0]);
    sni_free(body->context, body->feet[1]);
    sni_free(body->context, body->skins);
    sn_frame_destroy(body->plain);
    sn_model_destroy(body->plain_model);
    sn_character_destroy(body->plain_character);
    sn_frame_destroy(body->frame);
    sn_model_destroy(body->model);
    sn_character_destroy(body->character);
    *body = (snb_rig_body){0};
}
