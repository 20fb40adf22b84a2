// SPDX-License-Identifier: Apache-2.0
#include "render/quantity.h"

#include "base/memory.h"
#include "eval/measures.h"
#include "eval/muscles.h"
#include "geometry/edge.h"
#include "geometry/triangle.h"
#include "render/color.h"

#include <math.h>

// Colours of components are this part of a turn apart (the golden section), so that those of
// neighbours differ, and go through three brightnesses.
static const double hue_step = 0.38196601125010515;
static const double brightness[] = {0.85, 0.62, 0.95};

// A colour of full hue, mixed with white.
static void component_color(uint32_t number, float color[3]) {
    double hue = 6 * fmod(number * hue_step, 1);
    for (int k = 0; k < 3; ++k) {
        double away = fabs(fmod(hue - 2 * k + 9, 6) - 3); // from the primary, 0 to 3
        double pure = fmin(fmax(2 - away, 0), 1);
        color[k] = (float)sni_srgb_decode((0.25 + 0.75 * pure) * brightness[number % 3]);
    }
}

static sn_status paint_components(const sn_model *model, uint32_t surface, sni_paint *paint,
                                  bool *paints, sn_error *error) {
    const sn_surface *s = sn_model_surface(model, surface);
    const sni_bound_deformer *membrane = NULL;
    const sni_anchors *anchors = NULL;
    sn_status status = SN_OK;
    if (s->layer != SN_LAYER_SKIN) {
        component_color(surface, paint->base);
        paint->has_base = !s->feature;
        return SN_OK;
    }
    anchors = sni_model_anchors(model, surface, &membrane);
    if (anchors == NULL) {
        return SN_OK;
    }
    *paints = true;
    paint->colors = (sn_attribute){.width = 3, .count = s->mesh->vertex_count};
    SNI_NEW(sn_model_context(model), paint->colors.values, 3 * (size_t)s->mesh->vertex_count);
    for (uint32_t i = 0; i < s->mesh->vertex_count; ++i) {
        component_color(membrane->components[sni_anchors_component(anchors, i)],
                        paint->colors.values + 3 * (size_t)i);
    }
cleanup:
    return status;
}

bool sni_quantity_of_muscles(sn_quantity quantity) {
    return quantity == SN_QUANTITY_SHORTENING || quantity == SN_QUANTITY_ACTIVATION;
}

sn_status sni_paint_init(const sn_model *model, uint32_t surface, sn_quantity quantity,
                         sni_paint *paint, bool *paints, sn_error *error) {
    const sn_surface *s = sn_model_surface(model, surface);
    sn_status status = SN_OK;
    *paints = false;
    if (quantity == SN_QUANTITY_COMPONENT) {
        return paint_components(model, surface, paint, paints, error);
    }
    sn_layer painted = sni_quantity_of_muscles(quantity) ? SN_LAYER_MUSCLE : SN_LAYER_SKIN;
    if (quantity == SN_QUANTITY_NONE || s->layer != painted) {
        return SN_OK;
    }
    *paints = quantity != SN_QUANTITY_ACTIVATION || sni_model_tells_activation(model, surface);
    if (quantity == SN_QUANTITY_STRETCH) {
        SN_TRY(sn_topology_create(s->mesh, &paint->topology, error));
    }
    SNI_NEW(sn_model_context(model), paint->values, s->mesh->vertex_count);
cleanup:
    return status;
}

void sni_paint_deinit(sn_context *context, sni_paint *paint) {
    sn_topology_destroy(paint->topology);
    sni_free(context, paint->values);
    sni_free(context, paint->colors.values);
}

static void compute_edges(const sn_mesh *mesh, const sn_topology *topology, const float *points,
                          float *values) {
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        double sum = 0;
        uint32_t count = 0;
        uint32_t end = topology->vertex_edge_offsets[v + 1];
        for (uint32_t i = topology->vertex_edge_offsets[v]; i < end; ++i) {
            const uint32_t *edge = topology->edges + 2 * (size_t)topology->vertex_edges[i];
            double rest = sni_edge_length(mesh->positions, edge);
            if (rest > 0) {
                sum += sni_edge_length(points, edge) / rest;
                count++;
            }
        }
        values[v] = count > 0 ? (float)(sum / count) : 1;
    }
}

static void compute_triangles(const sn_mesh *mesh, const sn_triangles *triangles,
                              const float *points, float *values) {
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        values[v] = 0;
    }
    for (uint32_t i = 0; i < triangles->count; ++i) {
        const uint32_t *v = triangles->vertices + 3 * (size_t)i;
        sn_vec3 rest[3], now[3];
        for (int k = 0; k < 3; ++k) {
            rest[k] = sn_vec3_load(mesh->positions + 3 * (size_t)v[k]);
            now[k] = sn_vec3_load(points + 3 * (size_t)v[k]);
        }
        float stretch = (float)sni_triangle_stretch(rest, now);
        for (int k = 0; k < 3; ++k) {
            values[v[k]] = fmaxf(values[v[k]], stretch);
        }
    }
}

void sni_paint_update(const sn_mesh *mesh, const sn_triangles *triangles, const float *points,
                      sn_quantity quantity, sni_paint *paint) {
    if (paint->values != NULL && quantity == SN_QUANTITY_STRETCH) {
        compute_edges(mesh, paint->topology, points, paint->values);
    } else if (paint->values != NULL) {
        compute_triangles(mesh, triangles, points, paint->values);
    }
}

void sni_paint_muscle(const sn_frame *frame, uint32_t surface, sn_quantity quantity,
                      sni_paint *paint) {
    sn_muscle_state state;
    if (paint->values == NULL || !sn_frame_muscle_state(frame, surface, &state)) {
        return;
    }
    bool known = quantity == SN_QUANTITY_SHORTENING || state.has_activation;
    double value = quantity == SN_QUANTITY_SHORTENING ? state.shortening : state.activation;
    uint32_t count = sn_model_surface(sn_frame_model(frame), surface)->mesh->vertex_count;
    for (uint32_t v = 0; v < count; ++v) {
        paint->values[v] = known ? (float)value : NAN;
    }
}

void sni_quantity_legend(sn_quantity quantity, sn_picture_desc *picture) {
    if (quantity == SN_QUANTITY_STRETCH) {
        // From a third shorter to a third longer; few skins go further where they should.
        picture->color_map = SN_COLOR_MAP_COOL_WARM;
        picture->map_low = 0.67;
        picture->map_high = 1.33;
        picture->map_title = "stretch (length / rest length)";
    } else if (quantity == SN_QUANTITY_LARGEST_STRETCH) {
        picture->color_map = SN_COLOR_MAP_VIRIDIS;
        picture->map_low = 1;
        picture->map_high = 3;
        picture->map_title = "largest stretch of triangles";
    } else if (sni_quantity_of_muscles(quantity)) {
        picture->color_map = SN_COLOR_MAP_FLESH;
        picture->map_low = 0;
        picture->map_high = 1;
        picture->map_title = quantity == SN_QUANTITY_SHORTENING
                                 ? "shortening (1: at 75 % of rest length)"
                                 : "activation";
    }
}
