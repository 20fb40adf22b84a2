// SPDX-License-Identifier: Apache-2.0
#include "render/focus.h"

#include <math.h>
#include <string.h>

static double distance_to_line(sn_vec3 point, sn_vec3 a, sn_vec3 b) {
    sn_vec3 along = sn_vec3_sub(b, a);
    double square = sn_vec3_dot(along, along);
    double t = square > 0 ? sn_vec3_dot(sn_vec3_sub(point, a), along) / square : 0;
    t = fmin(fmax(t, 0), 1);
    return sn_vec3_distance(point, sn_vec3_add_scaled(a, t, along));
}

// The segment whose bone is nearest: lines from its joint to those of its children, or the joint
// alone.
static uint32_t nearest_segment(const sn_model *model, sn_vec3 point) {
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    const sn_mat4 *rest = sn_model_rest_worlds(model);
    uint32_t nearest = SN_NONE;
    double least = INFINITY;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t parent = skeleton->segments[i].parent;
        sn_vec3 joint = sn_mat4_point(&rest[i], sn_vec3_make(0, 0, 0));
        double distance = sn_vec3_distance(point, joint);
        if (distance < least) {
            least = distance;
            nearest = i;
        }
        if (parent == SN_NONE) {
            continue;
        }
        distance =
            distance_to_line(point, sn_mat4_point(&rest[parent], sn_vec3_make(0, 0, 0)), joint);
        if (distance < least) {
            least = distance;
            nearest = parent;
        }
    }
    return nearest;
}

static uint32_t heaviest_segment(const sn_surface *surface, uint32_t vertex) {
    const sn_weights *weights = surface->mesh->weights;
    uint32_t heaviest = SN_NONE;
    float most = 0;
    for (uint32_t i = weights->offsets[vertex]; i < weights->offsets[vertex + 1]; ++i) {
        if (weights->values[i] > most) {
            most = weights->values[i];
            heaviest = surface->bone_segments[weights->bones[i]];
        }
    }
    return heaviest;
}

static uint32_t segment_of(const sn_model *model, const sn_surface *surface, uint32_t vertex) {
    if (surface->segment != SN_NONE) {
        return surface->segment;
    }
    return surface->bone_segments != NULL
               ? heaviest_segment(surface, vertex)
               : nearest_segment(model,
                                 sn_vec3_load(&surface->mesh->positions[3 * (size_t)vertex]));
}

// Adds the points of a surface that belong to a segment, SN_NONE: all.
static void add_points(const sn_model *model, uint32_t index, uint32_t segment, sni_focus *focus) {
    const sn_surface *surface = sn_model_surface(model, index);
    for (uint32_t v = 0; v < surface->mesh->vertex_count; ++v) {
        if (segment == SN_NONE || segment_of(model, surface, v) == segment) {
            focus->surfaces[focus->count] = index;
            focus->vertices[focus->count++] = v;
        }
    }
}

sn_status sni_focus_init(const sn_model *model, const char *name, const uint32_t *shown,
                         uint32_t shown_count, sni_focus *focus, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t surface, segment;
    sn_name_match match;
    *focus = (sni_focus){0};
    SN_TRY(sn_model_match_part(model, name, &surface, &segment, &match, error));
    const uint32_t *surfaces = surface != SN_NONE ? &surface : shown;
    uint32_t surface_count = surface != SN_NONE ? 1 : shown_count;
    size_t most = 0;
    for (uint32_t i = 0; i < surface_count; ++i) {
        most += sn_model_surface(model, surfaces[i])->mesh->vertex_count;
    }
    if (most >= SN_NONE) {
        return sni_fail(error, SN_LIMIT, "%zu points are too many to choose from", most);
    }
    SNI_NEW(sn_model_context(model), focus->surfaces, most);
    SNI_NEW(sn_model_context(model), focus->vertices, most);
    for (uint32_t i = 0; i < surface_count; ++i) {
        add_points(model, surfaces[i], segment, focus);
    }
    if (focus->count == 0) {
        status = sni_fail(error, SN_INVALID, "no point of what is shown belongs to \"%s\"", name);
    }
cleanup:
    if (status != SN_OK) {
        sni_focus_deinit(sn_model_context(model), focus);
    }
    return status;
}

void sni_focus_deinit(sn_context *context, sni_focus *focus) {
    sni_free(context, focus->surfaces);
    sni_free(context, focus->vertices);
    *focus = (sni_focus){0};
}
