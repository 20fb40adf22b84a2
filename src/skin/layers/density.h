// SPDX-License-Identifier: Apache-2.0
//
// Where columns stand dense: where the skin's own edges are small, since whoever drew it has drawn
// detail there, and where it moves. With A the area around a vertex, evened out, the columns per
// area are as
//
//     (1 / A)^(3/4) motion,     motion = max(1 / (1 + (d / 3 s)^2), 5 cm |grad w|), 0.15 to 1
//
// d is the distance to the nearest tied muscle, s the parameter `spread`, and |grad w| how fast
// weights change along the skin. Where skin is closed, as lips are, every vertex is a column.
#ifndef SINEW_SKIN_LAYERS_DENSITY_H
#define SINEW_SKIN_LAYERS_DENSITY_H

#include "kind/component.h"
#include "sinew/mesh.h"

typedef struct sni_layers_density_desc {
    const sn_mesh *mesh;
    const float *rest; // vertices at rest
    // Vertices that share a place have the first one's number, and triangles are of these.
    const uint32_t *places;
    uint32_t triangle_count;
    const uint32_t *triangles;
    uint32_t tied_count; // muscles
    const sni_component *tied;
    double spread;      // metres
    uint32_t most_kept; // columns that stay for being on closed skin: none do if there are more
} sni_layers_density_desc;

// For sn_decimate: factors on the error (vertex_count), and vertices that stay.
sn_status sni_layers_density_make(sn_context *context, const sni_layers_density_desc *desc,
                                  float *detail, uint8_t *kept, sn_error *error);

#endif
