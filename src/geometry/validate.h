// SPDX-License-Identifier: Apache-2.0
//
// Whether structures of this room hold what their headers promise, for SN_VALIDATE and for tests.
// All are about linear in what they look at, and take no memory.
#ifndef SINEW_GEOMETRY_VALIDATE_H
#define SINEW_GEOMETRY_VALIDATE_H

#include "geometry/tree.h"
#include "sinew/geometry.h"

// Triangles of a mesh: n - 2 for each face of n corners, in the order of faces, of corners of that
// face.
bool sni_triangles_are_valid(const sn_mesh *mesh, const sn_triangles *triangles);

// Edges rise, lower vertex first; corners run along their edges; faces and edges at vertices
// are listed in order; both ends of an edge are of one component.
bool sni_topology_is_valid(const sn_mesh *mesh, const sn_topology *topology);

// Parents stand before their children, every node and every slot has one parent, and each box is
// that of what lies below it.
bool sni_tree_is_valid(const sni_tree *tree, const float *positions);

#endif
