// SPDX-License-Identifier: Apache-2.0
//
// Meshes like muscles, made from formulas.
#ifndef SNT_FIT_MUSCLE_SHAPES_H
#define SNT_FIT_MUSCLE_SHAPES_H

#include "sinew/mesh.h"

#include <math.h>

typedef sn_vec3 snt_shape_fn(double along, double around, const double *sizes);

// A closed tube: `rings` rings of `points` points and two cap middles; `along` goes from 0 to 1,
// `around` from 0 to 2 pi, counterclockwise about the way.
static inline sn_mesh *snt_tube(sn_context *context, uint32_t rings, uint32_t points,
                                snt_shape_fn *shape, const double *sizes) {
    sn_mesh *mesh = NULL;
    uint32_t triangles = 2 * points * rings, vertices = rings * points + 2;
    sn_error error = {0};
    if (sn_mesh_create(context, "muscle", vertices, triangles, 3 * triangles, &mesh, &error)) {
        return NULL;
    }
    sn_vec3 ends[2] = {{0, 0, 0}, {0, 0, 0}};
    for (uint32_t i = 0; i < rings * points; ++i) {
        double along = (double)(i / points) / (rings - 1);
        sn_vec3 p = shape(along, 2 * SN_PI * (i % points) / points, sizes);
        sn_vec3_store(p, mesh->positions + 3 * (size_t)i);
        if (i < points || i >= (rings - 1) * points) {
            sn_vec3 *end = &ends[i >= points];
            *end = sn_vec3_add_scaled(*end, 1.0 / points, p);
        }
    }
    for (int k = 0; k < 2; ++k) {
        sn_vec3_store(ends[k], mesh->positions + 3 * (size_t)(rings * points + (uint32_t)k));
    }
    uint32_t *c = mesh->corners;
    for (uint32_t ring = 0; ring < rings; ++ring) {
        for (uint32_t j = 0; j < points; ++j) {
            uint32_t a = ring * points + j, b = ring * points + (j + 1) % points;
            if (ring + 1 < rings) {
                const uint32_t quad[6] = {a, b, b + points, a, b + points, a + points};
                memcpy(c, quad, sizeof quad);
                c += 6;
            }
            if (ring == 0 || ring + 1 == rings) {
                uint32_t middle = rings * points + (ring > 0);
                const uint32_t cap[3] = {middle, ring > 0 ? a : b, ring > 0 ? b : a};
                memcpy(c, cap, sizeof cap);
                c += 3;
            }
        }
    }
    for (uint32_t f = 0; f <= triangles; ++f) {
        mesh->face_offsets[f] = 3 * f;
    }
    return mesh;
}

// Half axes: x, y, z; the tube goes along y. Rings stand closer at the tips.
static inline sn_vec3 snt_spindle(double along, double around, const double *sizes) {
    double angle = SN_PI * (0.01 + 0.98 * along), r = sin(angle);
    return sn_vec3_make(sizes[0] * r * sin(around), -sizes[1] * cos(angle),
                        sizes[2] * r * cos(around));
}

// An arc of a circle in the xy plane: its radius, angle and the tube's radii across and along z.
static inline sn_vec3 snt_arc(double along, double around, const double *sizes) {
    double angle = sizes[1] * along, r = sizes[0] + sizes[2] * cos(around);
    return sn_vec3_make(r * cos(angle), r * sin(angle), -sizes[3] * sin(around));
}

// A part of a cylinder's wall, along y: radius, angle, length, thickness. The wall is flat, with
// round edges.
static inline sn_vec3 snt_sheet(double along, double around, const double *sizes) {
    double t = around / (2 * SN_PI);
    double part = t < 0.5 ? 2 * t : 2 - 2 * t;          // across the wall and back
    double out = (t < 0.5 ? 0.5 : -0.5) * sizes[3];     // outside first
    double edge = fmin(fmin(part, 1 - part) / 0.03, 1); // both sides meet at the edges
    double angle = sizes[1] * (part - 0.5), r = sizes[0] + out * sqrt(edge * (2 - edge));
    return sn_vec3_make(r * sin(angle), sizes[2] * along, r * cos(angle));
}

// A ring in the xy plane: radius, and the half axes of its section.
static inline sn_mesh *snt_torus(sn_context *context, uint32_t rings, uint32_t points,
                                 double radius, double thickness) {
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    uint32_t triangles = 2 * rings * points;
    if (sn_mesh_create(context, "ring", rings * points, triangles, 3 * triangles, &mesh, &error)) {
        return NULL;
    }
    for (uint32_t i = 0; i < rings * points; ++i) {
        double u = 2 * SN_PI * (i / points) / rings, v = 2 * SN_PI * (i % points) / points;
        double r = radius + thickness * cos(v);
        sn_vec3_store(sn_vec3_make(r * cos(u), r * sin(u), -thickness * sin(v)),
                      mesh->positions + 3 * (size_t)i);
        uint32_t ring = i / points, j = i % points, next = (j + 1) % points;
        uint32_t a = i, b = ring * points + next, c = (ring + 1) % rings * points + next,
                 d = (ring + 1) % rings * points + j;
        const uint32_t quad[6] = {a, b, c, a, c, d};
        memcpy(mesh->corners + 6 * (size_t)i, quad, sizeof quad);
    }
    for (uint32_t f = 0; f <= triangles; ++f) {
        mesh->face_offsets[f] = 3 * f;
    }
    return mesh;
}

#endif
