// SPDX-License-Identifier: Apache-2.0
//
// Laying one surface onto another (non-rigid registration by closest points). Every vertex i has a
// place x and an affine map F around it; the least of
//
//     sum a ((n . (x - c))^2 + s |x - c|^2)          closest places c of the target, normals n
//   + stiffness sum |(x_i - x_j) - F_ij (p_i - p_j)|^2     edges, with F_ij the mean of F_i and F_j
//   + sum pins |b x - t|^2                           points of the surface that have a given place
//
// is looked for by turns: c for fixed x; F from x, smoothed over the surface; x for fixed c and F,
// by conjugate gradients. The smoother the maps are made and the stiffer the edges are, the more
// the surface moves as one; both are lowered from stage to stage (Amberg, Romdhani and Vetter,
// Optimal step nonrigid ICP algorithms for surface registration, 2007, whose maps have a stiffness
// in place of the smoothing).
#ifndef SINEW_FIT_HEAD_REGISTER_H
#define SINEW_FIT_HEAD_REGISTER_H

#include "fit/head/surface.h"

typedef struct sni_map3 {
    double m[9]; // row by row
} sni_map3;

sn_vec3 sni_map3_apply(const sni_map3 *map, sn_vec3 vector);

// A point of the surface, inside of a triangle or on a vertex (the same vertex three times), and
// where it shall be.
typedef struct sni_pin {
    uint32_t vertices[3];
    double weights[3];
    sn_vec3 target;
    double strength; // against the 1 of a vertex's closest place
    bool fades;      // with `pins` of the stages
} sni_pin;

// A place of the target that a vertex is drawn to.
typedef struct sni_pull {
    sn_vec3 point, normal;
    double weight;   // 0: none
    double sideways; // part of the weight that also holds it sideways
} sni_pull;

typedef struct sni_registration {
    sn_context *context;
    uint32_t vertex_count;
    sn_vec3 *rest;   // vertex_count
    sn_vec3 *points; // vertex_count: where they are now
    uint32_t triangle_count;
    uint32_t *vertices; // triangle_count x 3
    double *trust;      // vertex_count: 1 where closest places count, 0 where they do not
    uint32_t *offsets;  // vertex_count + 1: rows of neighbours
    uint32_t *neighbors;
    uint32_t pin_count;
    sni_pin *pins;
    sn_vec3 *rest_normals, *normals; // vertex_count
    sni_map3 *maps, *smoothed;       // vertex_count
    sni_pull *pulls;                 // vertex_count
    uint8_t *is_thin;                // vertex_count: 1 on ears and their like
    double edge;                     // mean length of an edge at rest
    sn_vec3 *right, *residual, *direction, *product, *scaled; // vertex_count: of the solver
    sni_map3 *inverses; // vertex_count: of the diagonal blocks
} sni_registration;

typedef struct sni_register_stage {
    uint32_t rounds;
    uint32_t smoothing; // rounds of smoothing of the maps
    double stiffness;
    double reach;     // closest places farther away do not count, metres
    double least_dot; // of the normals of both
    double sideways;  // s above
    double thin;      // factor on the trust in thin parts, such as ears
    double pins;      // factor on the strength of pins that fade
} sni_register_stage;

// `positions` (#V x 3) are the rest places and where it begins; `trust` (#V) may be NULL: all 1.
// Everything is copied.
sn_status sni_registration_create(sn_context *context, const sn_vec3 *positions,
                                  uint32_t vertex_count, const uint32_t *vertices,
                                  uint32_t triangle_count, const double *trust,
                                  sni_registration **registration, sn_error *error);
void sni_registration_destroy(sni_registration *registration);

sn_status sni_registration_pin(sni_registration *registration, const sni_pin *pin, sn_error *error);

// Works through stages. `progress` may be NULL.
sn_status sni_registration_run(sni_registration *registration, const sni_head_surface *target,
                               const sni_register_stage *stages, uint32_t stage_count,
                               const sn_progress *progress, sn_error *error);

// Where a point of the surface is now.
sn_vec3 sni_registration_point(const sni_registration *registration, const uint32_t vertices[3],
                               const double weights[3]);

#endif
