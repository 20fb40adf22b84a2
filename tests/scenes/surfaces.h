// SPDX-License-Identifier: Apache-2.0
//
// What the surfaces of shipped characters are asked for.
#ifndef SNT_SCENES_SURFACES_H
#define SNT_SCENES_SURFACES_H

#include "sinew/geometry.h"

// Closed pieces without handles, `pieces` of them: V - E + F = 2 for each.
static inline void check_balls(const sn_mesh *mesh, int pieces) {
    sn_topology *topology = NULL;
    sn_topology_summary summary;
    snt_ok(sn_mesh_validate(mesh, error));
    snt_ok(sn_topology_create(mesh, &topology, error));
    sn_topology_summarize(mesh, topology, &summary);
    assert_true(summary.closed);
    assert_int_equal(summary.components, pieces);
    assert_int_equal(summary.loose_vertices, 0);
    assert_int_equal(summary.degenerate_faces, 0);
    assert_int_equal((int)mesh->vertex_count - (int)topology->edge_count + (int)mesh->face_count,
                     2 * pieces);
    sn_topology_destroy(topology);
}

static inline void check_ball(const sn_mesh *mesh) {
    check_balls(mesh, 1);
}

#endif
