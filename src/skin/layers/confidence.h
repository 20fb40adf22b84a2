// SPDX-License-Identifier: Apache-2.0
//
// How far anchors can be trusted. Where bones alone would stretch or squeeze the fascia, its
// anchors are wrong, and hold it less along the surface: kappa of 1 down to 0.
//
//     s = the largest over triangles around of max(s1, 1 + 0.3 (1 / max(s2, 0.1) - 1))
//     kappa = 1 / (1 + e^2),   e = max(s - 1.2, 0) / 0.2
//
// with the stretches s1 >= s2 of a triangle of anchors; then four rounds in which it falls towards
// the mean of its neighbours.
#ifndef SINEW_SKIN_LAYERS_CONFIDENCE_H
#define SINEW_SKIN_LAYERS_CONFIDENCE_H

#include "base/arena.h"
#include "skin/layers/mesh.h"

typedef struct sni_layers_confidence {
    const sni_layers_mesh *mesh; // borrowed
    float *inverses; // of triangles, x 3: of their edges at rest; 0: it is flat and does not count
} sni_layers_confidence;

// `points` (column_count x 3) are the anchors at rest.
sn_status sni_layers_confidence_init(const sni_layers_mesh *mesh, const float *points,
                                     sni_layers_confidence *made, sn_error *error);
void sni_layers_confidence_deinit(sni_layers_confidence *confidence);
size_t sni_layers_confidence_bytes(const sni_layers_confidence *confidence);

// Writes kappa of each column for anchors (x 4). False when memory runs out.
bool sni_layers_confidence_run(const sni_layers_confidence *confidence, sni_arena *arena,
                               const float *anchors, float *kappa);

#endif
