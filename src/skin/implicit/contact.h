// SPDX-License-Identifier: Apache-2.0
//
// Contact of a body's parts: where the skin of one part, as its bones have it, has gone into
// another part, both sides are moved back until they meet.
//
// With d_a and d_b the distances from the surfaces of two parts, negative inside, the sheet between
// them is where
//
//     s(x) = d_b(x) - d_a(x) = 0,
//
// as deep in one as in the other. A vertex of part a belongs where s >= 0. Near joints it may be
// beyond the sheet at rest already, so what holds is s >= min(gap, s at rest): at rest nothing
// moves.
//
// Whether a vertex is in contact is told by its own part alone, as if it were rigid: carried with
// that part, it is deeper in the other one than at rest, and looks at it. Where bones have it tells
// less, since in a deep fold they turn the skin inside out. From there it goes along the normal of
// the sheet, one direction for each pair of parts, until it has what it needs. For neighbours
// around a joint the normal is the difference of the directions from the joint into both, so that a
// fold stays a fold however deep bones push one side into the other, where gradients of the fields
// have long turned over; for all others it is the mean gradient over what has gone in.
//
// Then edges that are far too short or too long, in folds as well as elsewhere, share that with
// their neighbours, while vertices in contact stay on their side of the sheet.
//
// All of this is a function of the pose: nothing is kept from frame to frame, and vertices away
// from contact keep the bits that their bones gave them.
#ifndef SINEW_SKIN_IMPLICIT_CONTACT_H
#define SINEW_SKIN_IMPLICIT_CONTACT_H

#include "base/arena.h"
#include "skin/edges.h"
#include "skin/implicit/body.h"
#include "skin/implicit/tracker.h"

// A vertex that at rest has less than the gap to a part or to the sheet before it: what it has
// there.
typedef struct sni_skin_contact_rest {
    uint32_t part;
    float sheet, plane, distance; // the gap where they are more; the plane of neighbours alone
} sni_skin_contact_rest;

// Where a part ends along its bone, in the world at rest: not far beyond its joints, where a field
// without skin around it goes on as it likes.
typedef struct sni_skin_ends {
    sn_vec3 from, way;
    double back, front; // metres along the way from `from`
} sni_skin_ends;

typedef struct sni_skin_contact {
    sn_context *context;
    const sni_skin_parts *parts;
    const sni_implicit_body *body;
    const sni_tracker_mesh *mesh; // welded: vertices that stand for others have neighbours alone
    const sni_skin_edges *edges;  // with the map from vertices to those that stand for them
    sn_vec3 *outward;             // normals of the skin at rest
    float *depths;                // distances of vertices from their own parts at rest
    uint32_t *rest_starts;        // vertex_count + 1
    sni_skin_contact_rest *rest;
    sn_vec3 *centers; // of parts' skins, in the world at rest
    double *reaches;  // of parts: radius of a ball around the centre that holds the skin
    double *gaps;     // of parts
    sni_skin_ends *ends;
    sni_edge_limits limits; // edges beyond them share that with their neighbours
    uint32_t sweeps;
} sni_skin_contact;

typedef struct sni_skin_contact_desc {
    const sni_skin_parts *parts;
    const sni_implicit_body *body;
    const sni_tracker_mesh *mesh;
    const sni_skin_edges *edges;
    uint32_t triangle_count;
    const uint32_t *triangles; // welded
    double gap;                // between skins in contact, as a part of the smaller part's radius
    sni_edge_limits limits;    // of edges
    uint32_t sweeps;
} sni_skin_contact_desc;

// What is pointed to must outlive it. Free with sni_skin_contact_free.
sn_status sni_skin_contact_create(sn_context *context, const sni_skin_contact_desc *desc,
                                  sni_skin_contact *contact, sn_error *error);
void sni_skin_contact_free(sn_context *context, sni_skin_contact *contact);
size_t sni_skin_contact_bytes(const sni_skin_contact *contact);

// Moves `points` (x 3, in the world) apart. `motions`: of parts, from rest. False when memory runs
// out.
bool sni_skin_contact_run(const sni_skin_contact *contact, sni_arena *arena, const sn_mat4 *motions,
                          float *points);

#endif
