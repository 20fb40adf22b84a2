// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_IO_JOIN_H
#define SINEW_IO_JOIN_H

#include "sinew/mesh.h"

// Undoes the splitting of vertices along seams of normals and texture coordinates: vertices that
// stand at exactly the same place and move alike (same weights, same target offsets) become one, in
// the order of their first; attributes of vertices become attributes of corners. Leaves a mesh
// without such vertices as it is. Targets are dense.
sn_status sni_join_split_vertices(sn_mesh *mesh, sn_error *error);

#endif
