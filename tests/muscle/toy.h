// SPDX-License-Identifier: Apache-2.0
//
// Skins to put muscles under: sheets, tubes and balls, with all that a muscle's job needs of them.
#ifndef SNT_MUSCLE_TOY_H
#define SNT_MUSCLE_TOY_H

#include "muscle/patch/patch.h"

#include <math.h>

typedef struct toy {
    sn_context *context;
    sn_mesh *mesh;
    sn_triangles *triangles;
    sn_accel *accel;
    float *normals;
} toy;

typedef sn_vec3 toy_shape(double s, double t); // of a unit square, s x t along the normal

static inline sn_vec3 toy_plane(double s, double t) {
    return sn_vec3_make(2 * t - 1, 0, 2 * s - 1);
}

static inline sn_vec3 toy_tube(double s, double t) {
    return sn_vec3_make(cos(2 * SN_PI * s), 2 * t - 1, -sin(2 * SN_PI * s));
}

static inline sn_vec3 toy_ball(double s, double t) {
    double y = sin(SN_PI * (t - 0.5)), r = cos(SN_PI * (t - 0.5));
    return sn_vec3_make(r * cos(2 * SN_PI * s), y, -r * sin(2 * SN_PI * s));
}

// A sheet with random bumps: four waves of height, and frequencies along x and z.
static double toy_bumps[12];

static inline sn_vec3 toy_bumpy(double s, double t) {
    sn_vec3 p = toy_plane(s, t);
    for (int k = 0; k < 4; ++k) {
        const double *bump = &toy_bumps[3 * k];
        p.y += bump[0] * sin(bump[1] * p.x + bump[2] * p.z);
    }
    return p;
}

static inline void toy_draw_bumps(snt_random *random, double height) {
    for (int k = 0; k < 12; ++k) {
        toy_bumps[k] =
            k % 3 == 0 ? snt_random_range(random, 0, height) : snt_random_range(random, -6, 6);
    }
}

static inline void toy_finish(toy *skin) {
    snt_ok(sn_mesh_validate(skin->mesh, error));
    snt_ok(sn_triangles_create(skin->mesh, skin->mesh->positions, &skin->triangles, error));
    snt_ok(sn_accel_create(skin->context, skin->mesh->positions, skin->mesh->vertex_count,
                           skin->triangles->vertices, skin->triangles->count, &skin->accel, error));
    skin->normals = sni_alloc(skin->context, 3 * (size_t)skin->mesh->vertex_count, sizeof(float));
    snt_ok(sn_mesh_normals(skin->mesh, skin->mesh->positions, skin->normals, error));
}

// `wide` x `high` quads; a tube or ball closes on itself in s.
static inline void toy_fill(sn_mesh *mesh, toy_shape *shape, uint32_t wide, uint32_t high,
                            bool round) {
    uint32_t columns = round ? wide : wide + 1;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        sn_vec3 p = shape((double)(i % columns) / wide, (double)(i / columns) / high);
        sn_vec3_store(p, mesh->positions + 3 * (size_t)i);
    }
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t x = f % wide, y = f / wide, next = (x + 1) % columns;
        uint32_t *corners = mesh->corners + 4 * (size_t)f;
        corners[0] = y * columns + x;
        corners[1] = y * columns + next;
        corners[2] = (y + 1) * columns + next;
        corners[3] = (y + 1) * columns + x;
        mesh->face_offsets[f + 1] = 4 * (f + 1);
    }
}

static inline toy make_toy(sn_context *context, toy_shape *shape, uint32_t wide, uint32_t high,
                           bool round) {
    toy skin = {.context = context};
    uint32_t columns = round ? wide : wide + 1;
    snt_ok(sn_mesh_create(context, "skin", columns * (high + 1), wide * high, 4 * wide * high,
                          &skin.mesh, error));
    toy_fill(skin.mesh, shape, wide, high, round);
    toy_finish(&skin);
    return skin;
}

static inline void free_toy(toy *skin) {
    sn_accel_destroy(skin->accel);
    sn_triangles_destroy(skin->triangles);
    sni_free(skin->context, skin->normals);
    sn_mesh_destroy(skin->mesh);
}

// Two curves of a few points each, on the skin nearest to points given in space.
enum { TOY_POINTS = 16 };
typedef struct toy_curves {
    sni_skin_place places[2][TOY_POINTS];
    sni_muscle_curve curves[2];
    double parameters[16];
    sni_drawn_input drawn;
    sni_vary_input vary;
} toy_curves;

static inline void toy_draw(const toy *skin, toy_curves *c, int which, uint32_t count,
                            const sn_vec3 *points) {
    for (uint32_t i = 0; i < count; ++i) {
        assert_true(sni_skin_place_find(skin->accel, points[i], INFINITY, &c->places[which][i]));
    }
    c->curves[which] = (sni_muscle_curve){.count = count, .places = c->places[which]};
}

// Curves on the shape from t = a to b at s = s0 and s1.
static inline void toy_draw_lines(const toy *skin, toy_shape *shape, toy_curves *c, uint32_t count,
                                  double s0, double s1, double a, double b) {
    for (int which = 0; which < 2; ++which) {
        sn_vec3 points[TOY_POINTS];
        for (uint32_t i = 0; i < count; ++i) {
            double t = a + (b - a) * i / (count - 1);
            points[i] = shape(which == 0 ? s0 : s1, t);
        }
        toy_draw(skin, c, which, count, points);
    }
    sni_parameters_defaults(&sni_muscle_patch.parameters, c->parameters);
    c->parameters[0] = 0.02;
    c->parameters[1] = 0.03;
}

// A job that points into `c`, where its inputs are.
static inline sni_muscle_job toy_job(const toy *skin, toy_curves *c) {
    c->drawn = (sni_drawn_input){.mesh = skin->mesh,
                                 .triangles = skin->triangles,
                                 .accel = skin->accel,
                                 .normals = skin->normals,
                                 .curve_count = 2,
                                 .curves = c->curves,
                                 .segment = SN_NONE};
    c->vary = (sni_vary_input){0};
    return (sni_muscle_job){.context = skin->context,
                            .name = "biceps",
                            .parameters = c->parameters,
                            .inputs = {[SNI_PATCH_DRAWN] = &c->drawn, [SNI_PATCH_VARY] = &c->vary}};
}

static inline double polyline_distance(const sn_vec3 *points, uint32_t count, sn_vec3 p) {
    double best = INFINITY;
    for (uint32_t j = 0; j + 1 < count; ++j) {
        sn_vec3 edge = sn_vec3_sub(points[j + 1], points[j]);
        double t = sn_vec3_dot(sn_vec3_sub(p, points[j]), edge) / sn_vec3_dot(edge, edge);
        t = fmin(fmax(t, 0), 1);
        best = fmin(best, sn_vec3_distance(p, sn_vec3_add_scaled(points[j], t, edge)));
    }
    return best;
}

// Asserts that the muscle of `job` cannot be made.
#define toy_bind_fails(text)                                                                       \
    do {                                                                                           \
        void *failed = &job;                                                                       \
        snt_fails(SN_INVALID, text, sni_muscle_patch.bind(&job, &failed, error));                  \
        assert_null(failed);                                                                       \
    } while (0)

#endif
