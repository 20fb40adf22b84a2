// SPDX-License-Identifier: Apache-2.0
//
// Lids as somebody measures them who knows a skin and an eyeball, as points in the world, and not
// how one was made to cover the other. The head looks along z.
#ifndef SNT_SCENES_LID_MEASURES_H
#define SNT_SCENES_LID_MEASURES_H

#include "sinew/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The largest piece of a mesh: the face, without eyeballs and lashes of its own.
typedef struct lid_face {
    uint32_t vertex_count, count; // of the mesh; triangles of the face
    uint32_t *vertices;           // count x 3
    uint8_t *is_face;             // of vertices
} lid_face;

static inline uint32_t lid_root(uint32_t *parents, uint32_t v) {
    while (parents[v] != v) {
        parents[v] = parents[parents[v]];
        v = parents[v];
    }
    return v;
}

static inline lid_face lid_face_of(const sn_mesh *mesh) {
    sn_triangles *triangles = NULL;
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    lid_face face = {.vertex_count = mesh->vertex_count};
    uint32_t *parents = malloc(mesh->vertex_count * sizeof *parents), largest = 0;
    uint32_t *counts = calloc(mesh->vertex_count, sizeof *counts);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        parents[v] = v;
    }
    for (uint32_t t = 0; t < triangles->count; ++t) {
        const uint32_t *v = triangles->vertices + 3 * (size_t)t;
        parents[lid_root(parents, v[1])] = lid_root(parents, v[0]);
        parents[lid_root(parents, v[2])] = lid_root(parents, v[0]);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        counts[lid_root(parents, v)] += 1;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        largest = counts[v] > counts[largest] ? v : largest;
    }
    face.vertices = malloc(3 * (size_t)triangles->count * sizeof *face.vertices);
    face.is_face = malloc(mesh->vertex_count);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        face.is_face[v] = lid_root(parents, v) == largest;
    }
    for (uint32_t t = 0; t < triangles->count; ++t) {
        const uint32_t *v = triangles->vertices + 3 * (size_t)t;
        if (face.is_face[v[0]]) {
            memcpy(face.vertices + 3 * (size_t)face.count++, v, 3 * sizeof *v);
        }
    }
    free(parents);
    free(counts);
    sn_triangles_destroy(triangles);
    return face;
}

static inline void lid_face_free(lid_face *face) {
    free(face->vertices);
    free(face->is_face);
}

typedef struct lid_measure {
    double inside;      // how deep a vertex of the skin lies in the eyeball, metres
    double off;         // how far the edges of the lids lie off it, in the middle half of the eye
    double open;        // height of the opening where it is highest
    double open_at[2];  // and where that is: latitude and turn, radians
    double width;       // how wide it is: from corner to corner
    double upper_at;    // where the upper lid ends in the middle, radians above straight ahead
    uint32_t crossings; // edges of triangles near the eye that go through another triangle
} lid_measure;

typedef struct lid_eye {
    sn_vec3 center;
    double radius;
    sn_accel *accel;
} lid_eye;

static inline lid_eye lid_eye_of(sn_context *context, const sn_mesh *mesh, const float *points,
                                 sn_vec3 center) {
    sn_triangles *triangles = NULL;
    sn_vec3 low = {1e9, 1e9, 1e9}, high = {-1e9, -1e9, -1e9};
    lid_eye eye;
    snt_ok(sn_triangles_create(mesh, points, &triangles, error));
    snt_ok(sn_accel_create(context, points, mesh->vertex_count, triangles->vertices,
                           triangles->count, &eye.accel, error));
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        low = sn_vec3_min(low, sn_vec3_load(points + 3 * (size_t)v));
        high = sn_vec3_max(high, sn_vec3_load(points + 3 * (size_t)v));
    }
    eye.center = center;
    eye.radius = (high.x - low.x + high.y - low.y) / 4;
    sn_triangles_destroy(triangles);
    return eye;
}

static inline sn_vec3 lid_direction(double a, double t) {
    return sn_vec3_make(sin(a), cos(a) * sin(t), cos(a) * cos(t));
}

// Along its radius, how deep a point lies in the eyeball; below 0 outside.
static inline double lid_depth(const lid_eye *eye, sn_vec3 p) {
    sn_vec3 out = sn_vec3_sub(p, eye->center);
    sn_hit hit;
    sn_accel_cast(eye->accel, eye->center, out, 0, 1, &hit);
    return hit.triangle == SN_NONE ? -1 : hit.distance - sn_vec3_length(out);
}

// Runs of open directions, column by column in steps of `step` radians.
static inline void lid_measure_opening(const sn_accel *skin, const lid_eye *eye, double step,
                                       double column, lid_measure *m) {
    double first = 1e9, last = -1e9;
    m->upper_at = -1e9;
    for (double a = -1.2; a < 1.2; a += column) {
        double run = 0;
        for (double t = -1.2; t < 1.2; t += step) {
            sn_hit hit;
            sn_accel_cast(skin, eye->center, lid_direction(a, t), 0.6 * eye->radius,
                          1.7 * eye->radius, &hit);
            if (hit.triangle == SN_NONE) {
                run += step * cos(a) * 1.05 * eye->radius;
                first = fmin(first, a);
                last = fmax(last, a);
                m->upper_at = fabs(a) < column ? fmax(m->upper_at, t) : m->upper_at;
            } else {
                if (run > 0 && fabs(a) < 0.35) {
                    m->off = fmax(m->off, -lid_depth(eye, hit.point));
                }
                run = 0;
            }
            if (run > m->open) {
                m->open = run;
                m->open_at[0] = a;
                m->open_at[1] = t;
            }
        }
    }
    m->width = last > first ? (last - first) * 1.05 * eye->radius : 0;
}

static inline bool lid_edge_crosses(const sn_accel *skin, const uint32_t *vertices,
                                    const float *points, uint32_t v, uint32_t w) {
    sn_vec3 a = sn_vec3_load(points + 3 * (size_t)v), b = sn_vec3_load(points + 3 * (size_t)w);
    sn_vec3 along = sn_vec3_sub(b, a);
    double length = sn_vec3_length(along), end = 0.01 * length, from = end;
    while (from < length - end) {
        sn_hit hit;
        bool shared = false;
        sn_accel_cast(skin, a, along, from, length - end, &hit);
        if (hit.triangle == SN_NONE) {
            return false;
        }
        for (int k = 0; k < 3; ++k) {
            uint32_t corner = vertices[3 * (size_t)hit.triangle + (size_t)k];
            shared = shared || corner == v || corner == w;
        }
        if (!shared) {
            return true;
        }
        from = hit.distance + 1e-5;
    }
    return false;
}

// `center` is that about which the eyeball turns; `step` and `column` in radians: how finely the
// opening is looked for. `crossings`: whether they are counted, too.
static inline lid_measure lid_measure_of(sn_context *context, const lid_face *face,
                                         const float *points, const sn_mesh *ball,
                                         const float *ball_points, sn_vec3 center, double step,
                                         double column, bool crossings) {
    lid_measure m = {0};
    lid_eye eye = lid_eye_of(context, ball, ball_points, center);
    sn_accel *skin = NULL;
    snt_ok(sn_accel_create(context, points, face->vertex_count, face->vertices, face->count, &skin,
                           error));
    for (uint32_t v = 0; v < face->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(points + 3 * (size_t)v);
        if (face->is_face[v] && sn_vec3_distance(p, eye.center) < 1.5 * eye.radius) {
            m.inside = fmax(m.inside, lid_depth(&eye, p));
        }
    }
    lid_measure_opening(skin, &eye, step, column, &m);
    for (uint32_t i = 0; crossings && i < 3 * face->count; ++i) {
        uint32_t v = face->vertices[i], w = face->vertices[i % 3 == 2 ? i - 2 : i + 1];
        sn_vec3 p = sn_vec3_load(points + 3 * (size_t)v);
        if (sn_vec3_distance(p, eye.center) < 2 * eye.radius) {
            m.crossings += lid_edge_crosses(skin, face->vertices, points, v, w);
        }
    }
    sn_accel_destroy(eye.accel);
    sn_accel_destroy(skin);
    return m;
}

#endif
