// SPDX-License-Identifier: Apache-2.0
//
// Contact of a body's parts, and edges that bones fold or stretch: where the skin of one part, as
// its bones have it, has gone into another part, both sides are moved back until they meet.
//
// 1. Pairs of parts that may touch, each with one normal (contact_pairs.c). For neighbours around a
//    joint it is the difference of the directions from the joint into both; for all others it is
//    how the one has gone into the other on the way from rest.
// 2. Opposites (contact_opposites.c). Seen along that normal, both sides that look at each other
//    are heights over a plane. A vertex a of the first part and the place b of the second one's
//    skin behind which it is are apart by
//
//        (a - b) . normal >= min(gap, what they have at rest)
//
//    when all is well. However deep bones have pushed the one through the other, the normal says
//    which side is whose.
// 3. The solution (contact_solve.c). Both sides go half of what is missing. Edges that differ much
//    from those at rest, turned as bones turn the skin, pull at their ends, and what is moved is
//    evened out over the skin around it; then opposites are found once more, and edges beyond the
//    limits share that with others.
//
// All of this is a function of the pose: nothing is kept from frame to frame, and vertices away
// from contact and from edges that bones fold or stretch keep the bits that their bones gave them.
#ifndef SINEW_SKIN_IMPLICIT_CONTACT_H
#define SINEW_SKIN_IMPLICIT_CONTACT_H

#include "base/arena.h"
#include "skin/edges.h"
#include "skin/implicit/body.h"
#include "skin/implicit/tracker.h"

// Poses on the way from rest, at equal distances; the last one is the pose itself.
enum { SNI_CONTACT_WAY = 6 };

typedef struct sni_skin_contact_desc {
    const sni_skin_parts *parts;
    const sni_implicit_body *body;
    const sni_tracker_mesh *mesh; // welded: vertices that stand for others have neighbours alone
    const sni_skin_edges *edges;  // with the map from vertices to those that stand for them
    uint32_t triangle_count;
    const uint32_t *triangles;          // welded; need not outlive the call
    const uint32_t *offsets, *segments; // of the weights of vertices
    const float *weights;
    double gap;             // between skins in contact, as a part of the smaller part's radius
    sni_edge_limits limits; // of edges
    uint32_t sweeps;        // over edges, at most
} sni_skin_contact_desc;

// What a vertex has at rest from the skin of a neighbouring part, where that is less than the gap.
typedef struct sni_contact_rest {
    uint32_t part;
    float need; // metres along the normal
} sni_contact_rest;

typedef struct sni_contact_ball {
    sn_vec3 center;
    double radius;
} sni_contact_ball;

// Items of parts in rows.
typedef struct sni_contact_rows {
    uint32_t *starts; // part_count + 1
    uint32_t *items;
} sni_contact_rows;

typedef struct sni_skin_contact {
    sn_context *context;
    sni_skin_contact_desc desc;
    sn_vec3 *outward;       // normals of the skin at rest
    uint32_t *sharp_starts; // vertex_count + 1
    sn_vec3 *sharp;         // normals at rest of triangles beside which a vertex stands out
    float *radii;           // of vertices: metres from the bone of their part
    sn_vec3 *centers;       // of parts' skins, in the world at rest
    double *reaches;        // of parts: radius of a ball around the centre that holds the skin
    sni_contact_ball *sample_balls; // of parts: that hold the samples of their fields, at rest
    sni_field_box *insides;         // of parts: that hold all places inside of their fields
    double *gaps;                   // of parts, metres
    sn_vec3 *joint_normals;         // of parts: of the fold with their parent, at rest
    sni_contact_rows vertices;      // of parts: vertices that stand for themselves
    sni_contact_rows triangles; // of parts: corners of triangles with a corner in them, by threes
    sni_contact_rows rims;      // of parts: corners of these triangles that belong to other parts
    uint32_t most_vertices;     // of a part
    uint32_t *rest_starts;      // vertex_count + 1
    sni_contact_rest *rest;
    uint32_t rings; // around what is moved, over which that is evened out
} sni_skin_contact;

// What is pointed to must outlive it. Free with sni_skin_contact_free.
sn_status sni_skin_contact_create(sn_context *context, const sni_skin_contact_desc *desc,
                                  sni_skin_contact *contact, sn_error *error);
void sni_skin_contact_free(sn_context *context, sni_skin_contact *contact);
size_t sni_skin_contact_bytes(const sni_skin_contact *contact);

// How bones have moved a body from rest.
typedef struct sni_contact_pose {
    const sn_mat4 *way; // of parts, SNI_CONTACT_WAY times
    const sn_quat *turns;
    const double *scales; // of segments, both
} sni_contact_pose;

// Moves `points` (x 3, in the world) apart. False when memory runs out.
bool sni_skin_contact_run(const sni_skin_contact *contact, sni_arena *arena,
                          const sni_contact_pose *pose, float *points);

#endif
