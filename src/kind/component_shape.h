// SPDX-License-Identifier: Apache-2.0
//
// The surface of a component in the world at rest, ready to be searched and walked over. All skins
// that lie on a component share its shape, and so do models before and after an edit that leaves
// the component as it was.
#ifndef SINEW_KIND_COMPONENT_SHAPE_H
#define SINEW_KIND_COMPONENT_SHAPE_H

#include "base/store.h"
#include "kind/component.h"
#include "sinew/geometry.h"

struct sni_component_shape {
    sni_made made;
    uint32_t vertex_count;
    float *vertices; // vertex_count x 3, on the body that the skin was made for
    sn_triangles *triangles;
    uint32_t *fan_starts; // vertex_count + 1
    uint32_t *fans;       // the triangles around each vertex, rising
    sn_vec3 low, high;    // its box
    sn_accel *accel;      // the search in it
};

// Makes the shapes of components that have none, and holds all of them; the caller releases them
// with sni_component_shapes_release, also where this fails. `digests` are what they are found by in
// a store; NULL: they are put into none.
sn_status sni_component_shapes_hold(sn_context *context, uint32_t count,
                                    const sni_component *components, const sni_digest *digests,
                                    sni_component_shape **shapes, sn_error *error);
void sni_component_shapes_release(sn_context *context, uint32_t count,
                                  sni_component_shape *const *shapes); // NULL is allowed

#endif
