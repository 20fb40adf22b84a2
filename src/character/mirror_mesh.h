// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_CHARACTER_MIRROR_MESH_H
#define SINEW_CHARACTER_MIRROR_MESH_H

#include "sinew/mesh.h"

// The mirror image of a mesh at x = 0: vertices, faces and their runs in the same order, faces
// turned over so that they face outward again, left and right exchanged in the names of bones and
// morph targets.
sn_status sni_mirror_mesh(const sn_mesh *mesh, sn_mesh **image, sn_error *error);

#endif
