// SPDX-License-Identifier: Apache-2.0
//
// What lies under a skin, as deformers see it: bones, tissues and muscles.
#ifndef SINEW_KIND_COMPONENT_H
#define SINEW_KIND_COMPONENT_H

#include "sinew/mesh.h"

// A row of slices, each of them a ring of four points (skin/slices.h): the outermost, and on around
// the slice.
typedef struct sni_component_strip {
    uint32_t first; // point of its first slice
    uint32_t slice_count;
} sni_component_strip;

// What searches and walks over a component need (kind/component_shape.h).
typedef struct sni_component_shape sni_component_shape;

// A skin hangs on the body that it was made for, and may follow one with other proportions.
typedef struct sni_component {
    const char *name;
    const sn_mesh *mesh; // its surface at rest on the body that the skin was made for, validated
    const sn_mat4 *rest_place; // the mesh's coordinates to the world's at rest; NULL: they are
    uint32_t segment;          // that carries it as it is; SN_NONE: it deforms
    // On the body that is followed, NULL: it is the same one.
    const sn_mat4 *to_segment; // carried ones: from the world at rest of the body that the skin was
                               // made for to its segment's coordinates
    const float *rest_points;  // those that deform: vertices at rest, in the world
    // Those that deform: the first slice_count x ring_count vertices of the mesh are rings around
    // an axis, slice by slice; 0: it has no slices.
    uint32_t slice_count, ring_count;
    // Those that deform with strips below their surface: skin that is closest to the mesh follows
    // the strips. Points of a pose, and rest_points, are then those of the strips. 0: it has none.
    uint32_t strip_count;
    const sni_component_strip *strips;
    uint32_t strip_point_count;
    const float *strip_points;  // at rest, in the world
    bool affine;                // it deforms as a whole, by an affine map (an ellipsoid)
    sni_component_shape *shape; // NULL: it is made by whoever needs it
} sni_component;

#endif
