// SPDX-License-Identifier: Apache-2.0
//
// Where a skin stands at rest.
#ifndef SINEW_SKIN_REST_PLACE_H
#define SINEW_SKIN_REST_PLACE_H

#include "sinew/mesh.h"
#include "sinew/vector.h"

// Writes a mesh as its bones have it at rest, as `blend` does: `positions` is #V x 3, and
// `rest_worlds` the transforms of all segments at rest. Without `bone_segments` (NULL), and where
// nothing has weights, the mesh stands as it is.
void sni_place_at_rest(const sn_mesh *mesh, const uint32_t *bone_segments,
                       const sn_mat4 *rest_worlds, float *positions);

#endif
