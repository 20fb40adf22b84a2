// SPDX-License-Identifier: Apache-2.0
//
// What the tests of laid out muscles share: every muscle is generated as the document would, and
// its grid is measured with rays of the test's own. Include test.h first.
#ifndef SNT_FIT_LAYOUT_CHECKS_H
#define SNT_FIT_LAYOUT_CHECKS_H

#include "muscle/patch/patch.h"
#include "sinew/eval.h"
#include "sinew/fit.h"

#include <math.h>
#include <stdlib.h>

typedef struct snt_depths {
    uint32_t muscles, points;
    uint32_t without_hit, too_deep;
    uint32_t wrong; // first hit of the test's own ray more than 1 % away from the asked depth
    double worst;   // the largest error of the others, as a part of the depth
} snt_depths;

// The first triangle above a point along a direction (Moeller and Trumbore 1997), of those with
// their first corner in the cube of half size `reach` around it; INFINITY.
static inline double snt_first_hit(const sn_mesh *mesh, const sn_triangles *triangles, sn_vec3 p,
                                   sn_vec3 d, double reach) {
    double first = INFINITY;
    for (uint32_t i = 0; i < triangles->count; ++i) {
        const uint32_t *v = triangles->vertices + 3 * (size_t)i;
        sn_vec3 a = sn_vec3_load(mesh->positions + 3 * (size_t)v[0]);
        if (fabs(a.x - p.x) > reach || fabs(a.y - p.y) > reach || fabs(a.z - p.z) > reach) {
            continue;
        }
        sn_vec3 e = sn_vec3_sub(sn_vec3_load(mesh->positions + 3 * (size_t)v[1]), a);
        sn_vec3 f = sn_vec3_sub(sn_vec3_load(mesh->positions + 3 * (size_t)v[2]), a);
        sn_vec3 h = sn_vec3_cross(d, f), s = sn_vec3_sub(p, a);
        double det = sn_vec3_dot(e, h);
        double u = sn_vec3_dot(s, h) / det;
        sn_vec3 q = sn_vec3_cross(s, e);
        double w = sn_vec3_dot(d, q) / det, t = sn_vec3_dot(f, q) / det;
        if (u >= -1e-9 && w >= -1e-9 && u + w <= 1 + 1e-9 && t > 0 && t < first) {
            first = t;
        }
    }
    return first;
}

typedef struct snt_skin {
    const sn_mesh *mesh;
    sn_triangles *triangles;
    sn_accel *accel;
    float *normals;
    double longest_edge;
} snt_skin;

static inline snt_skin snt_skin_open(sn_context *context, const sn_mesh *mesh) {
    snt_skin skin = {.mesh = mesh};
    snt_ok(sn_triangles_create(mesh, mesh->positions, &skin.triangles, error));
    snt_ok(sn_accel_create(context, mesh->positions, mesh->vertex_count, skin.triangles->vertices,
                           skin.triangles->count, &skin.accel, error));
    skin.normals = malloc(3 * sizeof(float) * mesh->vertex_count);
    snt_ok(sn_mesh_normals(mesh, mesh->positions, skin.normals, error));
    for (uint32_t i = 0; i < 3 * skin.triangles->count; ++i) {
        uint32_t a = skin.triangles->vertices[i];
        uint32_t b = skin.triangles->vertices[i % 3 < 2 ? i + 1 : i - 2];
        double length = sn_vec3_distance(sn_vec3_load(mesh->positions + 3 * (size_t)a),
                                         sn_vec3_load(mesh->positions + 3 * (size_t)b));
        skin.longest_edge = fmax(skin.longest_edge, length);
    }
    return skin;
}

static inline void snt_skin_close(snt_skin *skin) {
    sn_triangles_destroy(skin->triangles);
    sn_accel_destroy(skin->accel);
    free(skin->normals);
}

static inline double snt_skin_distance(const snt_skin *skin, sn_vec3 p) {
    sn_closest closest;
    sn_accel_find_closest(skin->accel, p, INFINITY, &closest);
    return closest.distance;
}

static inline void snt_measure_muscle(sn_context *context, const snt_skin *skin,
                                      const sn_layout_muscle *muscle, snt_depths *depths) {
    double parameters[SNI_PATCH_PARAMETER_COUNT];
    sni_skin_place *places[2];
    sni_muscle_curve curves[2];
    sni_parameters_defaults(&sni_muscle_patch.parameters, parameters);
    parameters[SNI_PATCH_SKIN_THICKNESS] = muscle->top_depth;
    parameters[SNI_PATCH_MUSCLE_THICKNESS] = muscle->half_thickness;
    parameters[SNI_PATCH_CURVES] = muscle->closed ? SNI_PATCH_CLOSED : SNI_PATCH_OPEN;
    parameters[SNI_PATCH_PATCHES_V] = muscle->closed ? 12 : parameters[SNI_PATCH_PATCHES_V];
    for (int k = 0; k < 2; ++k) {
        places[k] = malloc(muscle->curve_counts[k] * sizeof **places);
        for (uint32_t i = 0; i < muscle->curve_counts[k]; ++i) {
            assert_true(
                sni_skin_place_find(skin->accel, muscle->curves[k][i], INFINITY, &places[k][i]));
        }
        curves[k] = (sni_muscle_curve){muscle->curve_counts[k], places[k]};
    }
    sni_drawn_input drawn = {.mesh = skin->mesh,
                             .triangles = skin->triangles,
                             .accel = skin->accel,
                             .normals = skin->normals,
                             .curve_count = 2,
                             .curves = curves,
                             .center = muscle->closed ? &muscle->center : NULL,
                             .segment = SN_NONE};
    sni_muscle_job job = {.context = context,
                          .name = muscle->name,
                          .parameters = parameters,
                          .inputs = {[SNI_PATCH_DRAWN] = &drawn}};
    sni_patch_grid grid;
    snt_ok(sni_patch_generate(&job, &grid, error));
    double depth = muscle->top_depth + muscle->half_thickness;
    uint32_t wrong = 0;
    for (size_t k = 0; k < sni_patch_count(&grid); ++k) {
        double hit = snt_first_hit(skin->mesh, skin->triangles, grid.points[k], grid.normals[k],
                                   2 * depth + skin->longest_edge);
        double away = fabs(hit - depth) / depth;
        wrong += away > 0.01;
        depths->worst = away > 0.01 ? depths->worst : fmax(depths->worst, away);
    }
    if (wrong > 0 || grid.without_hit > 0) {
        print_message("  %s: %u points off, %u without skin\n", muscle->name, wrong,
                      grid.without_hit);
    }
    ++depths->muscles;
    depths->points += (uint32_t)sni_patch_count(&grid);
    depths->without_hit += grid.without_hit;
    depths->too_deep += grid.too_deep;
    depths->wrong += wrong;
    sni_patch_grid_deinit(context, &grid);
    free(places[0]);
    free(places[1]);
}

static inline snt_depths snt_measure_layout(sn_context *context, const sn_mesh *mesh,
                                            const sn_muscle_layout *layout) {
    snt_depths depths = {0};
    snt_skin skin = snt_skin_open(context, mesh);
    for (uint32_t i = 0; i < layout->muscle_count; ++i) {
        snt_measure_muscle(context, &skin, &layout->muscles[i], &depths);
    }
    snt_skin_close(&skin);
    return depths;
}

static inline const sn_layout_muscle *snt_find_muscle(const sn_muscle_layout *layout,
                                                      const char *name) {
    for (uint32_t i = 0; i < layout->muscle_count; ++i) {
        if (strcmp(layout->muscles[i].name, name) == 0) {
            return &layout->muscles[i];
        }
    }
    return NULL;
}

// The muscle of the other side: NAME_L for NAME_R; NULL for one without side.
static inline const sn_layout_muscle *snt_other_side(const sn_muscle_layout *layout,
                                                     const sn_layout_muscle *muscle) {
    char name[256];
    size_t length = strlen(muscle->name);
    snprintf(name, sizeof name, "%s", muscle->name);
    if (length < 2 || name[length - 2] != '_' || strchr("LR", name[length - 1]) == NULL) {
        return NULL;
    }
    name[length - 1] = name[length - 1] == 'L' ? 'R' : 'L';
    return snt_find_muscle(layout, name);
}

// A character of one skin with a layout, ready to be evaluated.
typedef struct snt_body {
    sn_import *import;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
} snt_body;

static inline void snt_body_make(snt_body *body) {
    snt_ok(sn_model_create(body->character, NULL, &body->model, error));
    snt_ok(sn_frame_create(body->model, &body->frame, error));
}

static inline void snt_body_close(snt_body *body) {
    sn_frame_destroy(body->frame);
    sn_model_destroy(body->model);
    sn_character_destroy(body->character);
    sn_import_destroy(body->import);
}

// The points of the skin, which stands before all muscles.
static inline const float *snt_body_points(snt_body *body) {
    uint32_t surface = 0;
    while (sn_model_surface(body->model, surface)->layer != SN_LAYER_SKIN) {
        ++surface;
    }
    snt_ok(sn_frame_evaluate(body->frame, NULL, 0, error));
    return sn_frame_points(body->frame, surface);
}

#endif
