// SPDX-License-Identifier: Apache-2.0
//
// What a binding of the deformer `implicit` is made of, for tests.
#ifndef SINEW_SKIN_IMPLICIT_IMPLICIT_H
#define SINEW_SKIN_IMPLICIT_IMPLICIT_H

#include "skin/implicit/flesh.h"

// Its muscles, the mesh that their moves are smoothed over, and the vertices that stand for others.
typedef struct sni_implicit_flesh {
    const sni_flesh *flesh;
    const sni_tracker_mesh *mesh;
    const uint32_t *map;
} sni_implicit_flesh;

sni_implicit_flesh sni_implicit_flesh_of(const void *bound);

#endif
