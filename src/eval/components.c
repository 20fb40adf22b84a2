// SPDX-License-Identifier: Apache-2.0
//
// Bones, tissues and muscles of bodies at rest as deformers see them.
#include "eval/rest.h"

#include "kind/component_shape.h"

// From the world at rest of one body to the segment's coordinates of another (section 5.3): what
// stands in the segment's frame is larger by the quotient of both units, what stands in the world
// stays.
static sn_mat4 to_segment(const sni_rest *rest, const sni_rest *made_for, uint32_t index,
                          uint32_t segment) {
    const sn_surface *surface = &rest->surfaces[index];
    sn_mat4 inverse, scale = sn_mat4_identity();
    if (!surface->in_segment_frame) {
        sn_mat4_invert(&rest->worlds[segment], &inverse);
        return inverse;
    }
    double larger = rest->details[index].unit / made_for->details[index].unit;
    for (int k = 0; k < 3; ++k) {
        scale.m[5 * k] = larger;
    }
    sn_mat4_invert(&made_for->worlds[segment], &inverse);
    return sn_mat4_multiply(&scale, &inverse);
}

// A component as it stands on the body that skins were made for.
static sni_component component_of(const sni_rest *rest, uint32_t index) {
    const sn_surface *surface = &rest->surfaces[index];
    sni_component component = {
        .name = surface->name,
        .mesh = surface->mesh,
        .rest_place = surface->in_segment_frame ? &rest->worlds[surface->segment] : NULL,
        .segment = surface->segment,
        .affine = true, // a bone that nothing carries stays where it is, as a whole
    };
    if (surface->layer == SN_LAYER_MUSCLE) {
        const sni_bound_muscle *muscle = rest->muscles[index - rest->blueprint->surface_count];
        component.affine = muscle->ops == &sni_muscle_ellipsoid;
        component.slice_count = component.affine ? 0 : muscle->surface.slice_count;
        component.ring_count = component.affine ? 0 : muscle->surface.ring_count;
        component.segment = muscle->surface.carried ? muscle->surface.segment : SN_NONE;
        component.strip_count = muscle->surface.strip_count;
        component.strips = muscle->surface.strips;
        component.strip_points = muscle->surface.strip_points;
        component.strip_point_count = muscle->surface.strip_count > 0 ? muscle->point_count : 0;
    }
    return component;
}

const float *sni_rest_component_points(const sni_rest *rest, uint32_t surface) {
    uint32_t first = rest->blueprint->surface_count;
    const sni_muscle_surface *muscle =
        surface >= first ? &rest->muscles[surface - first]->surface : NULL;
    return muscle != NULL && muscle->strip_count > 0 ? muscle->strip_points
                                                     : rest->surfaces[surface].mesh->positions;
}

sn_status sni_rest_component(const sni_rest *rest, const sni_rest *made_for, uint32_t surface,
                             sni_arena *arena, sni_component *component, sn_error *error) {
    *component = component_of(made_for, surface);
    if (made_for != rest && component->segment != SN_NONE) {
        sn_mat4 *matrix = sni_arena_alloc(arena, 1, sizeof *matrix);
        if (matrix == NULL) {
            return sni_fail_memory(error);
        }
        *matrix = to_segment(rest, made_for, surface, component->segment);
        component->to_segment = matrix;
    } else if (made_for != rest) {
        component->rest_points = sni_rest_component_points(rest, surface);
    }
    return SN_OK;
}

// --- Shapes, which all skins on a component share

static sni_digest shape_digest(const sni_rest *rest, uint32_t surface) {
    const sn_surface *s = &rest->surfaces[surface];
    sni_digest digest = sni_digest_new();
    sni_digest_add_text(&digest, "shape");
    sni_digest_add_surface(&digest, rest, surface);
    if (s->in_segment_frame) {
        sni_digest_add_matrix(&digest, &rest->worlds[s->segment]);
    }
    return digest;
}

static sn_status find_shape(sni_rest *rest, uint32_t surface, sni_digest *digest,
                            sni_component_shape **shape, sn_error *error) {
    sni_made *found = NULL;
    *digest = shape_digest(rest, surface);
    sn_status status = sni_store_find(rest->store, digest, &found, error);
    *shape = (sni_component_shape *)found;
    return status;
}

sn_status sni_rest_shape_components(sni_rest *made_for, uint32_t count, const uint32_t *surfaces,
                                    sni_component *components, sn_error *error) {
    sn_context *context = made_for->context;
    sni_component_shape **shapes = NULL;
    sni_digest *digests = NULL;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(context, shapes, count);
    SNI_NEW(context, digests, count);
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(find_shape(made_for, surfaces[i], &digests[i], &components[i].shape, error));
    }
    SN_TRY(sni_component_shapes_hold(context, count, components, digests, shapes, error));
    for (uint32_t i = 0; i < count; ++i) {
        // Of components that are alike the first one's shape is kept.
        SN_TRY(sni_store_add(made_for->store, &shapes[i]->made, error));
        SN_TRY(find_shape(made_for, surfaces[i], &digests[i], &components[i].shape, error));
    }
cleanup:
    sni_component_shapes_release(context, count, shapes); // the store holds them
    sni_free(context, shapes);
    sni_free(context, digests);
    return status;
}

sn_status sni_rest_keep_shapes(sni_rest *rest, sn_error *error) {
    sni_component_shape *shape;
    sni_digest digest;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < rest->surface_count && status == SN_OK; ++i) {
        status = find_shape(rest, i, &digest, &shape, error);
    }
    return status;
}
