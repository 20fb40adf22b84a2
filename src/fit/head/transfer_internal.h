// SPDX-License-Identifier: Apache-2.0
//
// A transfer at work: the landmarks of both heads, and all points of the source in one array.
#ifndef SINEW_FIT_HEAD_TRANSFER_INTERNAL_H
#define SINEW_FIT_HEAD_TRANSFER_INTERNAL_H

#include "fit/head/push.h"
#include "fit/head/settle.h"
#include "fit/head/similarity.h"
#include "sinew/fit.h"

// Where the points of a part are among all.
typedef struct sni_part_range {
    uint32_t first_vertex, vertex_count; // of its mesh
    uint32_t first_point, point_count;
    uint32_t triangle_count;
    uint32_t *triangles; // triangle_count x 3, counted from its first vertex; NULL without a mesh
} sni_part_range;

typedef struct sni_transfer {
    sn_context *context;
    const sn_transfer_desc *desc;
    const sn_progress *progress;
    sni_head_surface *skin; // of the head, metres
    // Landmarks that are on bones of the source, with their places on the head
    uint32_t count;
    uint32_t *numbers; // in the source's landmarks
    const char **names;
    sn_vec3 *bones;       // on the source's bones
    uint32_t *bone_parts; // the part that each lies on
    sn_vec3 *skins;       // on the head's skin
    sn_vec3 *directions;  // outward, in which depths are measured
    double *depths;
    bool *slides;
    sn_vec3 *targets;          // skins - depths directions
    sni_similarity similarity; // from the source to the head
    // All points
    uint32_t point_count;
    sn_vec3 *source; // as they are in the source
    sn_vec3 *points; // where they are now
    sni_part_range *ranges;
    uint32_t first_landmark; // the landmarks on bones are the last points
    // Bones and teeth as one
    uint32_t bone_count; // they are the first points
    uint32_t bone_triangle_count;
    uint32_t *bone_triangles; // x 3
    double *hollows;          // bone_count
    double *landmark_hollows;
    sn_transferred *result;
} sni_transfer;

// Pairs landmarks, and finds the similarity and the targets.
sn_status sni_transfer_pair(sni_transfer *t, sn_error *error);

// Landmarks that slide are put where the others let the bones be; needs the similarity.
sn_status sni_transfer_slide(sni_transfer *t, sn_error *error);

// Gathers all points, bones first.
sn_status sni_transfer_gather(sni_transfer *t, sn_error *error);

// Muscles, eyes, triangles that are turned over; results and report.
sn_status sni_transfer_finish(sni_transfer *t, const sni_settled *settled, sn_error *error);

#endif
