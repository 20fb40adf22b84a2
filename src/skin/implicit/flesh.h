// SPDX-License-Identifier: Apache-2.0
//
// What muscles move the skin by, in the fields of the limbs that they are in. At rest a vertex q
// has a value in the field of its limb with all muscles at rest. In a frame, the muscles are
// brought back to where the limb is at rest, and the vertex goes straight in or out, along the
// gradient n of that field, until the value is the same again:
//
//     F_now(q + h n) = F_rest(q),   p' = p + sum over parts of weight M h n
//
// M is the motion of the part, p where bones have the vertex. |h| is at most one and a half of what
// the distance of a muscle has changed by there. So muscles at rest move nothing, whatever bones
// do, nothing is remembered from frame to frame, and neighbours do not run into each other. A
// vertex between two parts takes of each as much as it follows its bones. What vertices are moved
// by is smoothed over their neighbours.
#ifndef SINEW_SKIN_IMPLICIT_FLESH_H
#define SINEW_SKIN_IMPLICIT_FLESH_H

#include "field/blend_table.h"
#include "skin/implicit/body.h"
#include "skin/implicit/tracker.h"

// What a vertex follows: a part's field, and how much.
typedef struct sni_flesh_row {
    uint32_t part;
    float weight;
    double value;         // of the field at rest
    double depth;         // where the support has that value, over its radius
    sn_vec3 inwards;      // unit, the gradient there
    sni_field_value limb; // the part's field there without muscles
} sni_flesh_row;

// Eight rows of one part, near each other, which are solved at once. Places are from the part's
// origin on. Where there are fewer, the last one stands for the others, too.
typedef struct sni_flesh_lanes {
    uint32_t part, count;
    uint32_t rows[SNI_SOLID_LANES];
    uint32_t first_near, near_count;
    float box[6]; // low x, y, z, high x, y, z
    float from[3 * SNI_SOLID_LANES], inwards[3 * SNI_SOLID_LANES];
    float values[SNI_SOLID_LANES], depths[SNI_SOLID_LANES];
    float limbs[SNI_SOLID_LANES], limb_gradients[3 * SNI_SOLID_LANES];
} sni_flesh_lanes;

// A fibre of a part whose support holds one of eight rows at rest.
typedef struct sni_flesh_near {
    uint32_t fibre;                   // among those of all parts
    float distances[SNI_SOLID_LANES]; // from its surface, at most the radius of its support
} sni_flesh_near;

// How near the surfaces of limbs with their muscles come to the skin at rest.
typedef struct sni_flesh_fit {
    uint32_t vertex_count; // near muscles
    double mean, worst;    // metres
    double width;          // factor on the widths of all muscles that would make the mean least
    double best;           // that mean
} sni_flesh_fit;

typedef struct sni_flesh {
    sni_implicit_muscles muscles;
    sni_implicit_body body; // of the parts with muscles
    uint32_t part_count, vertex_count;
    uint32_t *part_segments;
    sn_mat4 *to_rest;  // of parts: from their segment to the world at rest of its body, inverse
    uint32_t *offsets; // vertex_count + 1
    sni_flesh_row *rows;
    sn_vec3 *origins; // of parts, in the world at rest
    uint32_t lanes_count;
    sni_flesh_lanes *lanes;
    uint32_t near_count;
    sni_flesh_near *nears; // of lanes, by rising fibre
    sni_blend_table unite, detail;
    sn_vec3 *rest;        // vertices in the world at rest
    sni_field_box *boxes; // of fibres at rest
    uint32_t *numbers;    // 0, 1, ...: of the fibres of parts
    sni_flesh_fit fit;
} sni_flesh;

typedef struct sni_flesh_desc {
    sni_implicit_body_desc body; // without muscles
    uint32_t muscle_count;
    const sni_muscle_surface *muscles;
    const sn_mat4 *rest_worlds; // of segments
    // Weights of vertices, in rows.
    const uint32_t *offsets, *segments;
    const float *weights;
    const uint32_t *map; // vertex to the first in the same place
} sni_flesh_desc;

// Fails with SN_INVALID for a muscle that is no solid. Free with sni_flesh_free, also where it
// fails.
sn_status sni_flesh_create(sn_context *context, const sni_flesh_desc *desc, sni_flesh *flesh,
                           sn_error *error);
void sni_flesh_free(sn_context *context, sni_flesh *flesh);
size_t sni_flesh_bytes(const sni_flesh *flesh);

// How ways are found (flesh_lanes.c).
#define SNI_FLESH_FARTHEST 1.5 // of what the distance of a muscle has changed by: no way is longer
#define SNI_FLESH_TURNED 0.05  // cosine of line and gradient: below it the field has turned
// Cosines where the line begins, up to which nothing is moved and from which on all of the way.
#define SNI_FLESH_ASLANT 0.1
#define SNI_FLESH_STRAIGHT 0.3
// A step of Newton's that is shorter than this part of the support's radius is the last one: it
// leaves some thousandths of a millimetre.
#define SNI_FLESH_ARRIVED 0.004
enum { SNI_FLESH_LOOKS = 8 }; // at the field of one vertex, at most

// A frame. Points are where bones have them.
typedef struct sni_flesh_job {
    sn_context *context;
    sni_arena *arena;               // scratch, given back
    const sni_tracker_mesh *mesh;   // over which displacements are smoothed
    const uint32_t *map;            // vertex to the first in the same place
    const sn_mat4 *worlds;          // of segments
    const sni_muscle_points *posed; // of muscles
    float *points;                  // vertices x 3, moved
} sni_flesh_job;

// Moves points. False when memory runs out.
bool sni_flesh_run(const sni_flesh *flesh, const sni_flesh_job *job);

#endif
