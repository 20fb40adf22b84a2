// SPDX-License-Identifier: Apache-2.0
//
// Where the fascia lies at rest: y = x - t d, with d the smoothed outward normal. The thickness t
// depends on what is below: a part of the way to the components that rays meet, or, without any,
// half the radius of the largest ball that fits in the body there.
#ifndef SINEW_SKIN_LAYERS_FASCIA_H
#define SINEW_SKIN_LAYERS_FASCIA_H

#include "skin/layers/mesh.h"

typedef struct sni_layers_fascia {
    float *outwards; // column_count x 3: d
    float *depths;   // column_count: t, metres
    float *radii;    // column_count: of the largest ball inside, metres
    float *points;   // column_count x 3: y
} sni_layers_fascia;

typedef struct sni_layers_fascia_desc {
    double thickest; // of t, metres
    double thinnest;
    double share;           // of the way to what is below, from the skin
    const float *distances; // column_count: to what is below, INFINITY where that is nothing;
                            // NULL: nothing is below anywhere
} sni_layers_fascia_desc;

// First the outward directions and radii, which rays need; then depths and points. Free with
// sni_layers_fascia_deinit, also where one fails.
sn_status sni_layers_fascia_init(const sni_layers_mesh *mesh, sni_layers_fascia *fascia,
                                 sn_error *error);
sn_status sni_layers_fascia_lay(const sni_layers_mesh *mesh, const sni_layers_fascia_desc *desc,
                                sni_layers_fascia *fascia, sn_error *error);
void sni_layers_fascia_deinit(sn_context *context, sni_layers_fascia *fascia);

#endif
