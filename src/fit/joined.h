// SPDX-License-Identifier: Apache-2.0
//
// Several meshes as one set of triangles, in which vertices at the same place are one.
#ifndef SINEW_FIT_JOINED_H
#define SINEW_FIT_JOINED_H

#include "base/memory.h"
#include "sinew/mesh.h"

typedef struct sni_joined {
    uint32_t vertex_count;   // of all meshes, one after another
    uint32_t triangle_count; // that keep their surface
    uint32_t welded_count;   // vertices that were joined with others
    double diagonal;         // of the box around all
    float *positions;        // vertex_count x 3
    uint32_t *vertices;      // triangle_count x 3, mapped
    uint32_t *map;           // vertex_count: the vertex that each was welded to
} sni_joined;

// Vertices closer than `weld` times the diagonal become one. Fails with SN_INVALID where no
// triangle is left, SN_LIMIT where there are too many.
sn_status sni_joined_init(sn_context *context, const sn_mesh *const *meshes, uint32_t mesh_count,
                          double weld, sni_joined *joined, sn_error *error);
void sni_joined_deinit(sn_context *context, sni_joined *joined);

#endif
