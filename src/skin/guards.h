// SPDX-License-Identifier: Apache-2.0
//
// Keeps a skin out of all that lies near it, not only of the component that it hangs on: a muscle
// that slides under another one takes its skin along, into the other.
//
// Each point has guards: of every component that is near at rest the closest triangle. In a pose a
// guard first asks whether the point lies below the plane that stood between the two at rest; few
// do. For those it walks over the posed surface, from the triangle towards the point, to the
// closest one, and puts a point that is behind it onto the surface.
#ifndef SINEW_SKIN_GUARDS_H
#define SINEW_SKIN_GUARDS_H

#include "base/arena.h"
#include "kind/component.h"

typedef struct sni_guards sni_guards;

typedef struct sni_guards_desc {
    uint32_t point_count;
    const float *points; // point_count x 3, at rest
    uint32_t triangle_count;
    const uint32_t *vertices; // triangle_count x 3: of the skin
    uint32_t component_count;
    const sni_component *components;
    const sn_mat4 *rest_worlds; // of segments, on the body that is followed
    double reach;               // metres: components further away at rest do not count
} sni_guards_desc;

// Copies what it needs. Points that lie in a component at rest have no guard there.
sn_status sni_guards_create(sn_context *context, const sni_guards_desc *desc, sni_guards **guards,
                            sn_error *error);
void sni_guards_destroy(sni_guards *guards);
size_t sni_guards_bytes(const sni_guards *guards);

// Moves points (point_count x 3, in the world) out of what they are in. `surfaces` are the posed
// vertices of components that deform, in the world; `worlds` of the segments. The same bits for any
// number of threads. False when memory runs out.
bool sni_guards_push(const sni_guards *guards, sni_arena *arena, const sn_mat4 *worlds,
                     const float *const *surfaces, float *points);

#endif
