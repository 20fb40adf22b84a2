// SPDX-License-Identifier: Apache-2.0
#include "render/focus.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static char small(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// A name without what stands before its last colon, unless a colon is asked for.
static const char *short_name(const char *name, const char *wanted) {
    const char *colon = strchr(wanted, ':') == NULL ? strrchr(name, ':') : NULL;
    return colon != NULL ? colon + 1 : name;
}

static bool is_called(const char *own, const char *wanted) {
    for (; *own != 0 && small(*own) == small(*wanted); ++own, ++wanted) {
    }
    return *own == 0 && *wanted == 0;
}

typedef struct target {
    uint32_t surface, segment; // one of them, the other SN_NONE
} target;

// Exact names come first.
static sn_status find_target(const sn_model *model, const char *name, target *found,
                             sn_error *error) {
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    *found = (target){sn_model_find_surface(model, name), sn_model_find_segment(model, name)};
    sni_closest closest = sni_closest_to(name);
    uint32_t count = skeleton->segment_count + sn_model_surface_count(model);
    for (uint32_t i = 0; i < count && found->surface == SN_NONE && found->segment == SN_NONE; ++i) {
        bool is_segment = i < skeleton->segment_count;
        uint32_t surface = i - skeleton->segment_count;
        const char *own = short_name(is_segment ? skeleton->segments[i].name
                                                : sn_model_surface(model, surface)->name,
                                     name);
        sni_closest_try(&closest, own);
        if (is_called(own, name)) {
            *found = is_segment ? (target){SN_NONE, i} : (target){surface, SN_NONE};
        }
    }
    if (found->surface == SN_NONE && found->segment == SN_NONE) {
        char hint[SNI_HINT_BYTES];
        return sni_fail(error, SN_INVALID,
                        "no segment, muscle, bone, tissue or skin is called \"%s\"%s", name,
                        sni_closest_hint(&closest, hint));
    }
    return SN_OK;
}

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
    target found;
    *focus = (sni_focus){0};
    SN_TRY(find_target(model, name, &found, error));
    const uint32_t *surfaces = found.surface != SN_NONE ? &found.surface : shown;
    uint32_t surface_count = found.surface != SN_NONE ? 1 : shown_count;
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
        add_points(model, surfaces[i], found.surface != SN_NONE ? SN_NONE : found.segment, focus);
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
