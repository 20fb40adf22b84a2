// SPDX-License-Identifier: Apache-2.0
//
// Where the points of a skin hang on what lies under it (Wilhelms and Van Gelder, "Anatomically
// Based Modeling", 1997, section 5.1). Each point belongs to the component whose surface is closest
// at rest; its *anchor* is the closest point, its *virtual anchor* where the point itself is,
// kept in parameters of the component:
//
//     a rigid component      coordinates of its segment (those of its box up to scale)
//     an affine one          coordinates before its map, which is fitted to its posed vertices
//     one with slices        (s, t, u) of the trilinear cell between two slices
//     any other              barycentric coordinates and an offset in a triangle's frame
#ifndef SINEW_SKIN_ANCHORS_H
#define SINEW_SKIN_ANCHORS_H

#include "base/arena.h"
#include "kind/component.h"

typedef struct sni_anchors sni_anchors;

// How far the choice of component fades unless told otherwise: three-fold stretch is then met at
// wide-spread legs and sharply bent elbows (docs/membrane.md).
#define SNI_ANCHORS_BLEND 0.75

typedef struct sni_anchors_desc {
    uint32_t point_count;
    const float *points;  // point_count x 3, at rest
    const float *normals; // point_count x 3, unit, outwards
    uint32_t triangle_count;
    const uint32_t *vertices; // triangle_count x 3: of the skin, along which the choice of
                              // component fades
    double blend; // how far it does, in sizes of components (anchors_spread.c); 0: each point hangs
                  // on one
    uint32_t component_count;
    const sni_component *components;
    uint32_t segment_count;
    const sn_mat4 *rest_worlds; // segment_count, of the body that is followed
    double thickness;           // that virtual anchors are moved outwards by
    double sphere; // depth of a collision sphere's centre below the anchor, in distances of the
                   // point from it; 0: there are no spheres
    const sn_progress *progress; // may be NULL
} sni_anchors_desc;

// How many points took which way.
typedef struct sni_anchors_report {
    uint32_t rigid, affine, section, surface;
    uint32_t restarted; // of sections: parameters found from another start
    uint32_t closest;   // of sections: outside the map's reach, kept as an offset from it
    uint32_t blended;   // hang on more components than the nearest
} sni_anchors_report;

// Reads the job's arrays only. Fails with SN_INVALID where components have no triangle.
sn_status sni_anchors_create(sn_context *context, const sni_anchors_desc *desc,
                             sni_anchors **anchors, sn_error *error);
void sni_anchors_destroy(sni_anchors *anchors);
size_t sni_anchors_bytes(const sni_anchors *anchors);
sni_anchors_report sni_anchors_report_of(const sni_anchors *anchors);

// The component of a point.
uint32_t sni_anchors_component(const sni_anchors *anchors, uint32_t point);

// Virtual anchors on the body that the skin was made for, point_count x 3: the points, moved by the
// thickness.
const float *sni_anchors_rest(const sni_anchors *anchors);

// How the surroundings of each virtual anchor are stretched on the body that is followed, at rest:
// point_count x 9, matrices by rows; NULL where that is the body the skin was made for.
const float *sni_anchors_maps(const sni_anchors *anchors);

// Those of a bound `membrane` (skin_membrane.c).
const sni_anchors *sni_membrane_anchors(const void *bound);

typedef struct sni_anchors_pose {
    const sn_mat4 *worlds;                // segment_count
    const sn_mat4 *to_frame;              // takes the world to the frame of all that follows, a
                                          // rigid motion; NULL: that is the world
    const float *const *component_points; // component_count: posed vertices of those that deform
    const float *points_in; // point_count x 3: points moved at rest, by which virtual anchors move
                            // too; NULL: none is
    float *anchors;         // point_count x 3: virtual anchors, written
    float *spheres;         // point_count x 4: centre and radius (0: none), written; or NULL
} sni_anchors_pose;

// Poses the virtual anchors; false when memory runs out.
bool sni_anchors_pose_run(const sni_anchors *anchors, sni_arena *arena,
                          const sni_anchors_pose *pose);

#endif
