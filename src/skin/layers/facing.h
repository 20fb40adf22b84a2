// SPDX-License-Identifier: Apache-2.0
//
// Points of a surface that look at each other across what is outside of it: lips, lids, an arm and
// the flank beside it. Which ones may touch is told by the surface at rest:
//
//     those that looked at each other at rest or past each other, each in front of the other:
//     always those that lay behind each other at rest, closer than four times the radius of the
//     ball that fits into the body there: never. They are opposite sides of one limb, or of one lip
//     neighbours: never
//     others: where they have come together, so that they are closer than two thirds of what they
//     were at rest, and were more than some edges and thicknesses of the flesh apart then: a fold
//     does not touch beside itself
//
// The search goes by patches of some thirty points. Two patches are looked at if their boxes come
// within reach of each other and their normals may be opposed, so that most of a skin is never
// looked at.
#ifndef SINEW_SKIN_LAYERS_FACING_H
#define SINEW_SKIN_LAYERS_FACING_H

#include "base/arena.h"
#include "geometry/surface_graph.h"
#include "sinew/vector.h"

// Cosine between two normals below which surfaces look at each other, and below which they have
// done so at rest, or past each other, as the rims of two lips do.
#define SNI_FACING_COSINE (-0.2)
#define SNI_FACING_REST_COSINE 0.5

typedef struct sni_facing {
    sn_context *context;
    uint32_t count;
    const sni_surface_graph *graph; // borrowed
    const float *rest;              // count x 3, borrowed
    float *normals;                 // count x 3: at rest
    float *edges;                   // count: the mean length of a point's edges at rest
    float *radii;                   // count: of balls
    float *apart; // count: how far from a point what it did not face at rest has to be
    uint32_t patch_count;
    uint32_t *starts;  // patch_count + 1
    uint32_t *members; // count
    uint32_t *patches; // count
} sni_facing;

// A place of the surface at rest, and the point next to it.
typedef struct sni_facing_place {
    uint32_t point;
    sn_vec3 at, normal;
} sni_facing_place;

// Whether two places may touch that are `now` apart from each other.
bool sni_facing_may_touch(const sni_facing *facing, const sni_facing_place *a,
                          const sni_facing_place *b, double now);

// Whether two points are one, or neighbours.
bool sni_facing_is_beside(const sni_facing *facing, uint32_t a, uint32_t b);

// `radii` are those of the largest balls inside, and `depths` the thickness of the flesh; both and
// `normals` are copied. Free with sni_facing_deinit, also where it fails.
sn_status sni_facing_init(const sni_surface_graph *graph, const float *rest, const float *normals,
                          const float *radii, const float *depths, sni_facing *facing,
                          sn_error *error);
void sni_facing_deinit(sni_facing *facing);
size_t sni_facing_bytes(const sni_facing *facing);

// The point nearest to each that it looks at and may touch, up to its reach away, the lowest of
// equals; SN_NONE: there is none. `points` have `stride` numbers each, `normals` three. A reach of
// 0 or less looks for nothing. False when memory runs out.
bool sni_facing_find(const sni_facing *facing, sni_arena *arena, const float *points,
                     uint32_t stride, const float *normals, const float *reaches,
                     uint32_t *nearest);

#endif
