// SPDX-License-Identifier: Apache-2.0
//
// Surfaces on strips in front of two segments: the upper one hangs at (0, 1, 0), the lower one 0.3
// m below it. A spindle, one that is bent around a pivot, and a curved sheet on three strips.
#ifndef SNT_MUSCLE_STRIPS_H
#define SNT_MUSCLE_STRIPS_H

#include "muscle/muscle.h"

#include <math.h>
#include <stdlib.h>

enum {
    STRIPS_RINGS = 31,
    STRIPS_SIDES = 24,
    STRIPS_VERTICES = STRIPS_RINGS * STRIPS_SIDES + 2,
    STRIPS_SLICES = 11,
    STRIPS_MOST = 3,
    STRIPS_PARAMETERS = 16,
};

typedef enum strips_shape { STRIPS_SPINDLE, STRIPS_BENT, STRIPS_SHEET, STRIPS_SHAPES } strips_shape;

typedef struct strips_body {
    sni_muscle_attachment origins[2], insertions[2];
    sni_muscle_section sections[STRIPS_SLICES];
    sni_muscle_pivot pivot;
} strips_body;

typedef struct strips {
    sn_context *context;
    strips_shape shape;
    double side; // -1: mirrored
    sn_mat4 rest[2];
    uint32_t lower; // segment of the insertions
    double parameters[STRIPS_PARAMETERS];
    strips_body bodies[STRIPS_MOST];
    sni_muscle_strip strip[STRIPS_MOST];
    sni_strips_input input;
    sn_mesh *mesh;
    sn_triangles *triangles;
    sni_muscle_job job;
    void *bound;
    sni_muscle_surface made;
    double *points;
    float *surface; // #V x 3
} strips;

static inline sn_mat4 strips_matrix(sn_quat rotation, sn_vec3 translation) {
    sn_transform parts = {translation, rotation, {1, 1, 1}};
    return sn_mat4_from_transform(&parts);
}

// Half width and half thickness at t from origin to insertion.
static inline double strips_wide(strips_shape shape, double t) {
    double belly = sin(SN_PI * (0.08 + 0.84 * t));
    return shape == STRIPS_SHEET ? 0.09 * sqrt(belly) : 0.006 + 0.02 * belly;
}

static inline double strips_thick(strips_shape shape, double t) {
    return shape == STRIPS_SHEET ? 0.005 : 0.8 * strips_wide(shape, t);
}

// The middle plane: x across, t along; a sheet is curved around the bones.
static inline sn_vec3 strips_middle(strips_shape shape, double x, double t) {
    double bulge = shape == STRIPS_BENT ? 0.05 * sin(SN_PI * t) : 0;
    double curve = shape == STRIPS_SHEET ? -3 * x * x : 0;
    return sn_vec3_make(x, 0.95 - 0.35 * t, 0.045 + bulge + curve);
}

// Its unit directions across and outwards.
static inline void strips_axes(strips_shape shape, double x, double t, sn_vec3 axes[2]) {
    double h = 1e-5;
    sn_vec3 across = sn_vec3_sub(strips_middle(shape, x + h, t), strips_middle(shape, x - h, t));
    sn_vec3 along = sn_vec3_sub(strips_middle(shape, x, t + h), strips_middle(shape, x, t - h));
    axes[0] = sn_vec3_normalize_or(across, sn_vec3_make(1, 0, 0));
    axes[1] = sn_vec3_normalize_or(sn_vec3_cross(axes[0], along), sn_vec3_make(0, 0, 1));
}

// The surface has waves that the strips do not know.
static inline sn_vec3 strips_point(strips_shape shape, double t, double angle) {
    double wave = 1 + 0.12 * cos(3 * angle) * sin(9 * t);
    double x = strips_wide(shape, t) * sin(angle) * (shape == STRIPS_SHEET ? 1 : wave);
    sn_vec3 axes[2];
    strips_axes(shape, x, t, axes);
    return sn_vec3_add_scaled(strips_middle(shape, x, t),
                              wave * strips_thick(shape, t) * cos(angle), axes[1]);
}

static inline sn_vec3 strips_mirrored(const strips *s, sn_vec3 p) {
    return sn_vec3_make(s->side * p.x, p.y, p.z);
}

// A closed mesh of quads, a fan at each end; mirrored ones have their faces the other way round.
static inline sn_mesh *strips_mesh(const strips *s) {
    uint32_t n = STRIPS_SIDES, quads = (STRIPS_RINGS - 1) * n, corner = 0, face = 0;
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(s->context, "given", STRIPS_VERTICES, quads + 2 * n, 4 * quads + 6 * n,
                          &mesh, error));
    for (uint32_t v = 0; v < STRIPS_RINGS * n; ++v) {
        sn_vec3 p = strips_point(s->shape, (v / n) / (STRIPS_RINGS - 1.0), 2 * SN_PI * (v % n) / n);
        sn_vec3_store(strips_mirrored(s, p), mesh->positions + 3 * (size_t)v);
    }
    for (uint32_t end = 0; end < 2; ++end) {
        sn_vec3_store(strips_mirrored(s, strips_middle(s->shape, 0, end)),
                      mesh->positions + 3 * (size_t)(STRIPS_RINGS * n + end));
    }
    for (uint32_t i = 0; i < quads; ++i) {
        uint32_t a = i, b = i / n * n + (i + 1) % n;
        const uint32_t quad[4] = {a, b, b + n, a + n}, turned[4] = {a + n, b + n, b, a};
        memcpy(mesh->corners + corner, s->side > 0 ? quad : turned, sizeof quad);
        mesh->face_offsets[++face] = corner += 4;
    }
    for (uint32_t i = 0; i < 2 * n; ++i) {
        uint32_t a = i % n, b = (a + 1) % n, first = i < n ? 0 : quads, pole = STRIPS_RINGS * n;
        bool out = (i < n) == (s->side > 0);
        const uint32_t fan[3] = {first + (out ? b : a), first + (out ? a : b), pole + i / n};
        memcpy(mesh->corners + corner, fan, sizeof fan);
        mesh->face_offsets[++face] = corner += 3;
    }
    return mesh;
}

static inline void strips_make_body(strips *s, uint32_t index, uint32_t count) {
    strips_body *b = &s->bodies[index];
    double share = index + 0.5 - count / 2.0;
    for (uint32_t i = 0; i < STRIPS_SLICES; ++i) {
        double t = i / (STRIPS_SLICES - 1.0), wide = strips_wide(s->shape, t) / count;
        sn_vec3 axes[2];
        strips_axes(s->shape, 2 * share * wide, t, axes);
        b->sections[i] = (sni_muscle_section){
            .center = strips_mirrored(s, strips_middle(s->shape, 2 * share * wide, t)),
            .wide = strips_mirrored(s, sn_vec3_scale(axes[0], wide)),
            .thick = strips_mirrored(s, sn_vec3_scale(axes[1], strips_thick(s->shape, t)))};
    }
    for (int k = 0; k < 4; ++k) {
        const sni_muscle_section *end = &b->sections[k < 2 ? 0 : STRIPS_SLICES - 1];
        sni_muscle_attachment place = {
            .segment = k < 2 ? 0 : s->lower,
            .point = sn_vec3_add_scaled(end->center, k % 2 ? 1 : -1, end->wide),
            .normal = end->thick};
        *(k < 2 ? &b->origins[k] : &b->insertions[k - 2]) = place;
    }
    uint32_t middle = STRIPS_SLICES / 2;
    b->pivot =
        (sni_muscle_pivot){.slice = middle,
                           .segment = 0,
                           .at = sn_vec3_sub(b->sections[middle].center, sn_vec3_make(0, 1, 0))};
    s->strip[index] = (sni_muscle_strip){.parameters = s->parameters,
                                         .body = {.origin_count = 2,
                                                  .insertion_count = 2,
                                                  .origins = b->origins,
                                                  .insertions = b->insertions,
                                                  .section_count = STRIPS_SLICES,
                                                  .sections = b->sections,
                                                  .pivot_count = s->shape == STRIPS_BENT ? 1 : 0,
                                                  .pivots = &b->pivot}};
}

// A job that is complete; it points into `s`, which must stay where it is.
static inline void strips_init(strips *s, sn_context *context, strips_shape shape, double side) {
    const sni_muscle_ops *cylinder = &sni_muscle_cylinder;
    uint32_t count = shape == STRIPS_SHEET ? 3 : 1;
    *s = (strips){.context = context, .shape = shape, .side = side, .lower = 1};
    s->rest[0] = strips_matrix(sn_quat_identity(), sn_vec3_make(0, 1, 0));
    s->rest[1] = strips_matrix(sn_quat_identity(), sn_vec3_make(0, 0.7, 0));
    assert_true(cylinder->parameters.count <= STRIPS_PARAMETERS);
    sni_parameters_defaults(&cylinder->parameters, s->parameters);
    s->parameters[sni_parameters_find(&cylinder->parameters, "slices")] = STRIPS_SLICES;
    s->mesh = strips_mesh(s);
    for (uint32_t i = 0; i < count; ++i) {
        strips_make_body(s, i, count);
    }
    s->input = (sni_strips_input){.strip_count = count, .strips = s->strip};
    s->job = (sni_muscle_job){.context = context,
                              .name = "biceps",
                              .segment_count = 2,
                              .rest_worlds = s->rest,
                              .inputs = {&s->input}};
}

static inline sn_status strips_try_bind(strips *s, sn_error *error) {
    sn_status status = SN_OK;
    if (s->triangles == NULL) {
        SN_TRY(sn_triangles_create(s->mesh, s->mesh->positions, &s->triangles, error));
    }
    s->input.mesh = s->mesh;
    SN_TRY(sni_muscle_mesh.bind(&s->job, &s->bound, error));
    sni_muscle_mesh.surface(s->bound, &s->made);
    s->points = calloc(6 * (size_t)s->made.point_count, sizeof *s->points);
    s->surface = calloc(3 * (size_t)s->mesh->vertex_count, sizeof *s->surface);
cleanup:
    return status;
}

static inline void strips_bind(strips *s) {
    snt_ok(strips_try_bind(s, error));
}

static inline void strips_free(strips *s) {
    sni_muscle_mesh.unbind(s->context, s->bound);
    sn_triangles_destroy(s->triangles);
    sn_mesh_destroy(s->mesh);
    free(s->points);
    free(s->surface);
}

static inline sn_status strips_try_pose(strips *s, const sn_mat4 *worlds, bool *news,
                                        sn_error *error) {
    sni_arena arena;
    sni_arena_init(&arena, s->context);
    sni_muscle_pose_job job = {.context = s->context,
                               .arena = &arena,
                               .segment_count = 2,
                               .worlds = worlds,
                               .relaxed = s->points,
                               .contracted = s->points + 3 * (size_t)s->made.point_count,
                               .surface = s->surface,
                               .news = news};
    sn_status status = sni_muscle_mesh.pose(s->bound, &job, error);
    sni_arena_deinit(&arena);
    return status;
}

static inline void strips_pose(strips *s, const sn_mat4 *worlds) {
    snt_ok(strips_try_pose(s, worlds, NULL, error));
}

// The lower segment turned about the joint, by angles about x, y and z.
static inline void strips_bend(const strips *s, sn_vec3 angles, sn_mat4 *worlds) {
    sn_mat4 turn =
        strips_matrix(sn_quat_from_euler(angles, SN_ROTATION_XYZ), sn_vec3_make(0, 0, 0));
    worlds[0] = s->rest[0];
    worlds[1] = sn_mat4_multiply(&s->rest[1], &turn);
}

// A bend of a knee, with some turn and lean.
static inline void strips_random_bend(const strips *s, snt_random *random, sn_mat4 *worlds) {
    strips_bend(s,
                sn_vec3_make(snt_random_range(random, -1.4, 0.7),
                             snt_random_range(random, -0.4, 0.4),
                             snt_random_range(random, -0.3, 0.3)),
                worlds);
}

static inline double strips_volume(const strips *s, const float *positions) {
    sn_mass mass;
    snt_ok(sn_mass_compute(s->context, positions, s->triangles->vertices, s->triangles->count,
                           &mass, error));
    return mass.volume;
}

#endif
