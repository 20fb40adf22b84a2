// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_GEOMETRY_CLOSED_H
#define SINEW_GEOMETRY_CLOSED_H

#include "sinew/geometry.h"

// Whether a mesh has an inside: every edge has two faces that agree.
static inline sn_status sni_mesh_is_closed(const sn_mesh *mesh, bool *closed, sn_error *error) {
    sn_topology *topology = NULL;
    sn_topology_summary summary;
    sn_status status = sn_topology_create(mesh, &topology, error);
    if (status == SN_OK) {
        sn_topology_summarize(mesh, topology, &summary);
        *closed = summary.closed;
    }
    sn_topology_destroy(topology);
    return status;
}

#endif
