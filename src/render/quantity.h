// SPDX-License-Identifier: Apache-2.0
//
// What a portrait paints on its surfaces: quantities by colour map, or components in colours of
// their own.
#ifndef SINEW_RENDER_QUANTITY_H
#define SINEW_RENDER_QUANTITY_H

#include "sinew/render.h"

typedef struct sni_paint {
    sn_topology *topology; // where a quantity needs it
    float *values;         // #V, for a colour map; NULL: none
    sn_attribute colors;   // one for each vertex; without values: none
    float base[3];         // of the whole surface
    bool has_base;
} sni_paint;

// Prepares the paint of a surface, zeroed at first. `paints` tells whether there is something to
// paint: quantities are of skins, or of muscles; components are of skins with a `membrane`.
sn_status sni_paint_init(const sn_model *model, uint32_t surface, sn_quantity quantity,
                         sni_paint *paint, bool *paints, sn_error *error);
void sni_paint_deinit(sn_context *context, sni_paint *paint);

// Whether a quantity is one of muscles.
bool sni_quantity_of_muscles(sn_quantity quantity);

// Puts the value of a muscle in a frame on all of its vertices.
void sni_paint_muscle(const sn_frame *frame, uint32_t surface, sn_quantity quantity,
                      sni_paint *paint);

// Computes the values of a quantity for points of a skin.
void sni_paint_update(const sn_mesh *mesh, const sn_triangles *triangles, const float *points,
                      sn_quantity quantity, sni_paint *paint);

// Range, map and legend of a quantity that has them.
void sni_quantity_legend(sn_quantity quantity, sn_picture_desc *picture);

#endif
