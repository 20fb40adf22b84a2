// SPDX-License-Identifier: Apache-2.0
//
// The lids of one eye: what is found once at rest, and how they move in a frame (docs/lids.md).
//
//     U(a), L(a)  edges of the upper and the lower lid (opening.h)      g = U - L
//     c           how far the control closes them                       f  how far the eye looks up
//     s           0 at the inner, 1 at the outer corner                 h  g over its largest, at
//     rest
//
//     even out  (a, t) += e (mean over what is around it of (what came - rest) - its own)
//     tie       (a, t) += w ((a, t) at rest - (a, t))   ligaments hold the corners to the bone
//     follow    t += w (1 - c) f (share) h(s)      both lids go with an eye that looks up or down
//     slide     a -= w c (slide) profile(s)        towards the nose
//     close     t -= w (1 - m(a)) c g(a)           of the upper lid: its edge comes onto the lower,
//               t += w m(a) c g(a)                 which rises to meet it near the corners alone
//     press     t >= L + gap, t <= U - gap         nothing of one lid lies beyond the other
//     ease      where triangles next to a corner go through each other: d += (1/2) (mean of d of
//               what is next to it - d), d the way from the place at rest, until none do
//     lie on    r  = H(a, t) + what it was at rest, near the edges; r >= H + gap everywhere
//     give back (a, t, r) -= (1 - c) (what all of this does at rest), so that at rest skin that is
//               too near to an eyeball or crosses stays as it is
//
// with w the weight of a vertex, which falls with the distance from the edge, and H the height of
// the eyeball, which turns below. For each a the new t rises with the old one, so that lids do not
// cross at any stage.
#ifndef SINEW_SKIN_LIDS_LIDS_H
#define SINEW_SKIN_LIDS_LIDS_H

#include "base/arena.h"
#include "skin/lids/opening.h"
#include "skin/skin.h"

typedef struct sni_lid_shape {
    double follow_upper, follow_lower; // parts of the eye's turn
    double reach_upper, reach_lower;   // radii
    double slide;                      // radii
    double gap;                        // metres
} sni_lid_shape;

// A vertex of the skin near the eye.
typedef struct sni_lid_vertex {
    uint32_t vertex;
    bool upper;      // of the upper lid, or above it
    bool near;       // may be pressed by the other lid
    float turn;      // w
    float slide;     // w of sliding
    float hold;      // how firmly it keeps its distance from the eyeball
    float clearance; // that distance at rest, metres
    float lid;       // how near it lies to the eyeball
    float tied;      // how firmly the ligament of a corner holds it to the bone
    float even;      // how far it goes as what is around it does
    float ease;      // how far it may be eased where skin folds
    float a, t, r;   // at rest
} sni_lid_vertex;

// A vertex of another piece of the mesh than the face: lashes, which go with a vertex of a lid, or
// an eyeball, which turns as the eye does.
typedef struct sni_lid_loose {
    uint32_t vertex;
    uint32_t leader; // among the vertices; SN_NONE: the eye
} sni_lid_loose;

// A point of an edge of a lid: the mean of three vertices.
typedef struct sni_lid_edge {
    uint32_t corners[3]; // numbers among the vertices of the lids
    double weights[3];
} sni_lid_edge;

// What a vertex goes along with: a part of the mean that its place is evened out to.
typedef struct sni_lid_share {
    uint32_t vertex; // its number among the vertices of the lids
    float weight;    // of each vertex they sum to 1
} sni_lid_share;

enum { SNI_LID_PROFILE = 65 };

typedef struct sni_lids {
    sn_context *context;
    uint32_t segment, parent, control;  // of the eye; what carries the lids; what closes them
    sn_mat4 eye_from_rest, from_rest;   // inverses of worlds at rest: of segment and parent
    sni_eye_frame frame;                // in the world at rest
    sni_eye_heights *heights;           //
    uint32_t column_count;              // 0: there is no opening
    double inner, outer;                // latitudes of the corners
    sni_lid_edge *upper_edge;           // column_count
    sni_lid_edge *lower_edge;           //
    double profile[SNI_LID_PROFILE];    // h
    uint32_t vertex_count, loose_count; //
    sni_lid_vertex *vertices;           //
    sni_lid_loose *loose;               //
    uint32_t *share_begins;             // vertex_count + 1, of shares
    sni_lid_share *shares;              //
    uint32_t fold_count, ring_count;    // triangles around the opening; entries of rings
    uint32_t *folds;                    // numbers of their vertices, x 3
    uint32_t *ring_begins, *rings;      // vertex_count + 1: what is next to each vertex
    sni_eye_place *rests, *settled; // vertex_count: places at rest; and where lids would move them
    sni_lid_shape shape;
} sni_lids;

typedef struct sni_lids_desc {
    sn_context *context;
    const sn_mesh *mesh;
    const float *positions;         // of its vertices, in the world at rest, x 3
    const sn_triangles *triangles;  // of the mesh
    const sni_lid_eye *eye;         //
    const sn_skeleton *skeleton;    //
    const sn_mat4 *rest_worlds;     //
    const uint8_t *is_face;         // vertices of the piece of the mesh that lids belong to
    const uint32_t *pieces;         // a vertex of the piece that each belongs to
    const float *normals;           // of vertices, x 3
    const sn_accel *face;           // triangles of that piece, the first of the mesh's triangles
    const uint32_t *face_triangles; // their numbers
    sni_lid_shape shape;
} sni_lids_desc;

// `finding` tells what is before the eye; where it is not an opening, nothing closes.
sn_status sni_lids_lay(const sni_lids_desc *desc, sni_lids *lids, sni_lid_finding *finding,
                       sn_error *error);
void sni_lids_deinit(sni_lids *lids);
size_t sni_lids_bytes(const sni_lids *lids);

// Finds what moving would do to points at rest, which frames then give back. False when memory runs
// out.
bool sni_lids_settle(sni_lids *lids, const sn_mat4 *rest_worlds, const float *positions);

// Moves points (x 3, in the world). Both eyes of a skin may be moved in the same array, one after
// the other. False when memory runs out.
bool sni_lids_move(const sni_lids *lids, sni_arena *arena, const sn_mat4 *worlds, double closed,
                   float *points);

#endif
