// SPDX-License-Identifier: Apache-2.0
//
// Parts of a surface that no edge holds together, such as plates on a suit, but that lie in one
// body.
#ifndef SINEW_FIT_BIND_BRIDGES_H
#define SINEW_FIT_BIND_BRIDGES_H

#include "fit/bind/volume.h"

// For each vertex of the surface (node_count - inner_count) the nearest one of another part, as far
// as can be gone inside the body in a few steps of the grid; SN_NONE: there is none.
sn_status sni_bridges_find(const sni_volume *volume, uint32_t *partners, sn_error *error);

#endif
