// SPDX-License-Identifier: Apache-2.0
//
// What a portrait paints on its surfaces: quantities by colour map, or components in colours of
// their own.
#ifndef SINEW_RENDER_QUANTITY_H
#define SINEW_RENDER_QUANTITY_H

#include "sinew/render.h"

typedef struct sni_paint {
    float *values;       // #V; NULL: none
    bool exists;         // else all are NaN: a muscle that cannot tell
    sn_attribute colors; // in place of values, one for each vertex; without values: none
    float base[3];       // of the whole surface
    bool has_base;
} sni_paint;

// Prepares the paint of a surface, zeroed at first. `paints` tells whether there is something to
// paint: quantities are of skins, or of muscles; components are of skins with a `membrane`.
sn_status sni_paint_init(const sn_model *model, uint32_t surface, const sn_values_desc *desc,
                         sni_paint *paint, bool *paints, sn_error *error);
void sni_paint_deinit(sn_context *context, sni_paint *paint);

// Finds values and colours where a frame stands.
sn_status sni_paint_update(const sn_frame *frame, uint32_t surface, const sn_values_desc *desc,
                           sni_paint *paint, sn_error *error);

// Range, map and legend of a quantity that has them.
void sni_quantity_legend(const sn_model *model, sn_quantity quantity, sn_picture_desc *picture);

#endif
