// SPDX-License-Identifier: Apache-2.0
//
// The parts of a body that have a field each: which vertices and which segment belong to a part,
// where its joints are, and how it meets the part that it hangs on.
//
// A vertex belongs to the segment with the most of its weight. Segments of one part of a body, such
// as upperarm01 and upperarm02, are one part; segments that no name or shape tells, and those with
// too little skin for a field, join the part above them.
#ifndef SINEW_SKIN_IMPLICIT_PARTS_H
#define SINEW_SKIN_IMPLICIT_PARTS_H

#include "base/memory.h"
#include "sinew/mesh.h"
#include "sinew/motion.h"

// Fewer vertices are too few for a field.
enum { SNI_SKIN_PART_VERTICES = 24 };

typedef enum sni_part_joint {
    SNI_PART_ROOT = 0,  // hangs on nothing
    SNI_PART_HINGE = 1, // elbow, knee, wrist, ankle: folds, and touches itself in the fold
    SNI_PART_FINGER = 2,
    SNI_PART_BALL = 3, // hip, shoulder, spine, neck: blends smoothly
} sni_part_joint;

typedef struct sni_skin_part {
    uint32_t segment; // that carries it
    uint32_t parent;  // part, before this one; SN_NONE for a root
    sni_part_joint joint;
    sn_vec3 from, to;      // its bone in the world at rest: its own joint, and its far end
    bool has_child;        // `to` is the joint of another part
    bool is_trunk;         // of a body that names or shape tell
    bool caps_parent;      // it leaves the part above sideways, whose field is closed there
    uint32_t vertex_count; // that belong to it
    uint32_t group;        // of parts that hinges connect; SN_NONE: it has no hinge
} sni_skin_part;

typedef struct sni_skin_parts {
    uint32_t count;
    sni_skin_part *parts; // parents before children
    uint32_t vertex_count;
    uint32_t *vertex_parts; // SN_NONE for vertices without weights
    uint32_t segment_count;
    uint32_t *segment_parts; // the part that a segment's skin belongs to; SN_NONE: none
    uint32_t group_count;
} sni_skin_parts;

typedef struct sni_skin_parts_desc {
    uint32_t vertex_count;
    const float *positions;          // x 3, at rest in the world
    const uint32_t *vertex_segments; // with the most weight; SN_NONE without any
    const sn_skeleton *skeleton;
    const sn_mat4 *rest_worlds; // of segments
    uint32_t least_vertices;    // of a part
} sni_skin_parts_desc;

// Finds the parts. Fails with SN_INVALID where no segment has enough skin. Free with
// sni_skin_parts_free.
sn_status sni_skin_parts_find(sn_context *context, const sni_skin_parts_desc *desc,
                              sni_skin_parts *parts, sn_error *error);
void sni_skin_parts_free(sn_context *context, sni_skin_parts *parts);

// How far a point is from the bone of a part, in the world at rest.
double sni_skin_part_distance(const sni_skin_part *part, sn_vec3 point);

// The segment with the most weight, of several the one with the lowest number; SN_NONE without any.
uint32_t sni_skin_main_segment(const sn_weights *weights, const uint32_t *bone_segments,
                               uint32_t vertex);

#endif
