// SPDX-License-Identifier: Apache-2.0
#include "kind/component_shape.h"

#include "base/context.h"
#include "base/rows.h"

static void destroy_shape(sn_context *context, sni_made *made) {
    sni_component_shape *shape = (sni_component_shape *)made;
    sn_accel_destroy(shape->accel);
    sn_triangles_destroy(shape->triangles);
    sni_free(context, shape->vertices);
    sni_free(context, shape->fan_starts);
    sni_free(context, shape->fans);
    sni_free(context, shape);
}

static void place_vertices(const sni_component *component, sni_component_shape *shape) {
    for (size_t i = 0; i < shape->vertex_count; ++i) {
        float *vertex = shape->vertices + 3 * i;
        sn_vec3 p = sn_vec3_load(component->mesh->positions + 3 * i);
        sn_vec3_store(component->rest_place != NULL ? sn_mat4_point(component->rest_place, p) : p,
                      vertex);
        p = sn_vec3_load(vertex);
        shape->low = i == 0 ? p : sn_vec3_min(shape->low, p);
        shape->high = i == 0 ? p : sn_vec3_max(shape->high, p);
    }
}

static sn_status make_shape(sn_context *context, const sni_component *component,
                            const sni_digest *digest, sni_component_shape **made, sn_error *error) {
    const sn_mesh *mesh = component->mesh;
    sni_digest none = sni_digest_new();
    sni_component_shape *shape = NULL;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(context, shape, 1);
    sni_made_init(&shape->made, digest != NULL ? digest : &none, destroy_shape);
    shape->vertex_count = mesh->vertex_count;
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &shape->triangles, error));
    SNI_NEW(context, shape->vertices, 3 * (size_t)mesh->vertex_count);
    SNI_NEW(context, shape->fan_starts, (size_t)mesh->vertex_count + 1);
    SNI_NEW(context, shape->fans, 3 * (size_t)shape->triangles->count);
    place_vertices(component, shape);
    sni_rows_from_keys(shape->triangles->vertices, shape->triangles->count, 3, mesh->vertex_count,
                       shape->fan_starts, shape->fans);
    SN_TRY(sn_accel_create(context, shape->vertices, mesh->vertex_count, shape->triangles->vertices,
                           shape->triangles->count, &shape->accel, error));
    *made = shape;
    shape = NULL;
cleanup:
    if (shape != NULL) {
        sni_made_release(context, &shape->made);
    }
    return status;
}

typedef struct making {
    sn_context *context;
    const sni_component *components;
    const sni_digest *digests; // NULL: none
    sni_component_shape **shapes;
    sn_status *statuses;
    sn_error *errors;
} making;

static void hold_shapes(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const making *m = user;
    for (uint32_t i = begin; i < end; ++i) {
        const sni_component *component = &m->components[i];
        if (component->shape != NULL) {
            m->shapes[i] = component->shape;
            sni_made_hold(&m->shapes[i]->made);
        } else {
            m->statuses[i] =
                make_shape(m->context, component, m->digests != NULL ? &m->digests[i] : NULL,
                           &m->shapes[i], &m->errors[i]);
        }
    }
}

sn_status sni_component_shapes_hold(sn_context *context, uint32_t count,
                                    const sni_component *components, const sni_digest *digests,
                                    sni_component_shape **shapes, sn_error *error) {
    making m = {.context = context, .components = components, .digests = digests, .shapes = shapes};
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < count; ++i) {
        shapes[i] = NULL;
    }
    SNI_NEW_ZERO(context, m.statuses, count);
    SNI_NEW_ZERO(context, m.errors, count);
    sn_parallel_for(context, count, 1, hold_shapes, &m);
    // Fails as the first component that does, whatever the threads did.
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        status = m.statuses[i];
        if (status != SN_OK && error != NULL) {
            *error = m.errors[i];
        }
    }
cleanup:
    sni_free(context, m.statuses);
    sni_free(context, m.errors);
    return status;
}

void sni_component_shapes_release(sn_context *context, uint32_t count,
                                  sni_component_shape *const *shapes) {
    for (uint32_t i = 0; shapes != NULL && i < count; ++i) {
        if (shapes[i] != NULL) {
            sni_made_release(context, &shapes[i]->made);
        }
    }
}
