// SPDX-License-Identifier: Apache-2.0
//
// What lies under a skin, as deformers see it: bones, tissues and muscles.
#ifndef SINEW_SKIN_COMPONENT_H
#define SINEW_SKIN_COMPONENT_H

#include "sinew/mesh.h"

typedef struct sni_component {
    const char *name;
    const sn_mesh *mesh;       // its surface at rest, validated
    const sn_mat4 *rest_place; // the mesh's coordinates to the world's at rest; NULL: they are
    uint32_t segment;          // that carries it as it is; SN_NONE: it deforms
    // Those that deform: the first slice_count x ring_count vertices of the mesh are rings around
    // an axis, slice by slice; 0: it has no slices.
    uint32_t slice_count, ring_count;
    bool affine; // it deforms as a whole, by an affine map (an ellipsoid)
} sni_component;

#endif
