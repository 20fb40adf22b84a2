// SPDX-License-Identifier: Apache-2.0
//
// The surfaces of a picture, ready for rays.
#ifndef SINEW_RENDER_SCENE_H
#define SINEW_RENDER_SCENE_H

#include "base/memory.h"
#include "render/appearance.h"

struct RTCDeviceTy;
struct RTCSceneTy;

// A drawable with what is computed for it.
typedef struct sni_surface {
    const sn_drawable *drawable;
    const sn_triangles *triangles; // the drawable's, or `own_triangles`
    sn_triangles *own_triangles;
    float *positions; // #V x 3, a copy with the spare bytes that Embree reads
    float *normals;   // #V x 3
} sni_surface;

// Whether a drawable shows its materials: no other colour is given.
static inline bool sni_drawable_is_coated(const sn_drawable *drawable) {
    return drawable->appearance != NULL && drawable->values == NULL && drawable->colors == NULL &&
           drawable->base_color == NULL;
}

// Solid surfaces (opacity 1) and see-through ones are kept in trees of their own: a ray finds the
// nearest solid first and then only the layers before it, and what lies under a see-through skin
// is lit as if the skin were not there. Where materials blend, a surface lies in both, and rays
// meet in each what belongs there; holes of masks are met in neither. Surfaces of opacity 0 and
// those without area are in neither.
typedef struct sni_scene {
    sn_context *context;
    struct RTCDeviceTy *device;
    struct RTCSceneTy *solid;
    struct RTCSceneTy *sheer; // NULL when there are none
    sni_surface *surfaces;    // one per drawable
    uint32_t surface_count;
    bool empty;       // nothing can be hit
    sn_vec3 center;   // of the box around all that can be hit
    double radius;    // half of its diagonal; 1 when the scene is empty or a point
    double clearance; // distance that rays keep from the surface they leave
} sni_scene;

typedef struct sni_ray_hit {
    uint32_t surface; // SN_NONE when nothing is hit
    uint32_t triangle;
    double distance; // along the unit direction, infinite when nothing is hit
    double barycentric[3];
    sn_vec3 face_normal; // unit, by the triangle's winding; zero where it has no direction
} sni_ray_hit;

// Checks and takes in the drawables, which must outlive the scene.
sn_status sni_scene_init(sn_context *context, const sn_drawable *drawables, uint32_t drawable_count,
                         sni_scene *scene, sn_error *error);

// Safe on a zeroed scene.
void sni_scene_deinit(sni_scene *scene);

// The nearest hit on solid surfaces with a distance in (near, far).
void sni_scene_cast(const sni_scene *scene, sn_vec3 origin, sn_vec3 direction, double near,
                    double far, sni_ray_hit *hit);

// The nearest hit on see-through surfaces.
void sni_scene_cast_sheer(const sni_scene *scene, sn_vec3 origin, sn_vec3 direction, double near,
                          double far, sni_ray_hit *hit);

// Whether a solid surface lies in the direction, farther than `near`.
bool sni_scene_blocked(const sni_scene *scene, sn_vec3 origin, sn_vec3 direction, double near);

#endif
