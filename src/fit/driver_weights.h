// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_FIT_DRIVER_WEIGHTS_H
#define SINEW_FIT_DRIVER_WEIGHTS_H

#include "fit/influences.h"

// The skin that a driver stands for.
typedef struct sni_driver_skin {
    uint32_t mesh_count;
    const sn_mesh *const *meshes;
    const uint32_t *merged; // vertices of all meshes: the driver's vertex, or SN_NONE
} sni_driver_skin;

typedef struct sni_driver_weights_desc {
    uint32_t influences;         // 1: rigid
    uint32_t smoothing;          // rounds
    const sni_driver_skin *skin; // takes over its weights; NULL: by distance
} sni_driver_weights_desc;

// Gives a mesh weights on limbs: on the closest one alone, on several of its chain, or those of the
// skin. Returns the number of bones in `bone_count`.
sn_status sni_driver_weights_make(sn_mesh *mesh, const sni_limbs *limbs,
                                  const sn_skeleton *skeleton, const sni_driver_weights_desc *desc,
                                  uint32_t *bone_count, sn_error *error);

// Fills the rows (vertex_count x width) of a driver with the mean weights of the skin's vertices
// that were merged into each of its vertices (driver_inherit.c). Rows stay as they are where these
// have no weights on segments.
sn_status sni_driver_inherit(sn_context *context, const sni_driver_skin *skin,
                             const sn_skeleton *skeleton, uint32_t vertex_count, uint32_t width,
                             sni_influence *rows, sn_error *error);

#endif
