// SPDX-License-Identifier: Apache-2.0
#include "render/quantity.h"

#include "base/memory.h"
#include "render/color.h"

#include <math.h>

// Colours of components are this part of a turn apart (the golden section), so that those of
// neighbours differ, and go through three brightnesses.
static const double hue_step = 0.38196601125010515;
static const double brightness[] = {0.85, 0.62, 0.95};

// A colour of full hue, mixed with white.
void sn_component_color(uint32_t surface, float color[3]) {
    double hue = 6 * fmod(surface * hue_step, 1);
    for (int k = 0; k < 3; ++k) {
        double away = fabs(fmod(hue - 2 * k + 9, 6) - 3); // from the primary, 0 to 3
        double pure = fmin(fmax(2 - away, 0), 1);
        color[k] = (float)sni_srgb_decode((0.25 + 0.75 * pure) * brightness[surface % 3]);
    }
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
