// SPDX-License-Identifier: Apache-2.0
#include "render/quantity.h"

#include "base/memory.h"
#include "render/color.h"

#include <math.h>

// Sixteen colours, of which any two differ also for who sees no red or no green: at least 0.07 in
// Oklab (Vienot, Brettel and Mollon 1999). Lightness and hue go their own ways; steps and
// beginnings were found by trying.
enum { component_colors = 16 };

void sn_component_color(uint32_t surface, float color[3]) {
    double i = surface % component_colors;
    double lightness = 0.36 + 0.56 * fmod(0.767 + 0.6113 * i, 1);
    sn_vec3_store(sni_color_oklab(lightness, 0.13, 360 * fmod(0.1172 + 0.6733 * i, 1)), color);
}

sn_status sni_paint_init(const sn_model *model, uint32_t surface, const sn_values_desc *desc,
                         sni_paint *paint, bool *paints, sn_error *error) {
    const sn_surface *s = sn_model_surface(model, surface);
    sn_status status = SN_OK;
    bool exists = desc->quantity != SN_QUANTITY_NONE && sn_values_exist(model, surface, desc);
    *paints = exists;
    if (desc->quantity == SN_QUANTITY_COMPONENT && s->layer != SN_LAYER_SKIN) {
        sn_component_color(surface, paint->base);
        paint->has_base = !s->feature;
        *paints = false;
        return SN_OK;
    }
    bool grey = sn_quantity_of_muscles(desc->quantity) && s->layer == SN_LAYER_MUSCLE;
    if (!exists && !grey) {
        return SN_OK;
    }
    paint->exists = exists;
    SNI_NEW(sn_model_context(model), paint->values, s->mesh->vertex_count);
    if (desc->quantity == SN_QUANTITY_COMPONENT) {
        paint->colors = (sn_attribute){.width = 3, .count = s->mesh->vertex_count};
        SNI_NEW(sn_model_context(model), paint->colors.values, 3 * (size_t)s->mesh->vertex_count);
    }
cleanup:
    return status;
}

void sni_paint_deinit(sn_context *context, sni_paint *paint) {
    sni_free(context, paint->values);
    sni_free(context, paint->colors.values);
}

sn_status sni_paint_update(const sn_frame *frame, uint32_t surface, const sn_values_desc *desc,
                           sni_paint *paint, sn_error *error) {
    SN_ASSERT(paint != NULL);
    if (paint->values == NULL) {
        return SN_OK;
    }
    uint32_t count = sn_model_surface(sn_frame_model(frame), surface)->mesh->vertex_count;
    for (uint32_t v = 0; v < count && !paint->exists; ++v) {
        paint->values[v] = NAN;
    }
    sn_status status =
        paint->exists ? sn_frame_values(frame, surface, desc, paint->values, error) : SN_OK;
    for (uint32_t v = 0; v < count && paint->colors.values != NULL && status == SN_OK; ++v) {
        sn_component_color((uint32_t)paint->values[v], paint->colors.values + 3 * (size_t)v);
    }
    return status;
}

void sni_quantity_legend(const sn_model *model, sn_quantity quantity, sn_picture_desc *picture) {
    if (quantity == SN_QUANTITY_NONE) {
        return;
    }
    sn_color_range range = sn_quantity_range(model, quantity);
    if (!range.categories) {
        picture->color_map = range.map;
        picture->map_low = range.low;
        picture->map_high = range.high;
        picture->map_title = range.title;
    }
}
