// SPDX-License-Identifier: Apache-2.0
#include "fit/skin_probe.h"

#include "base/error.h"
#include "geometry/triangle.h"

// Surfaces that one ray goes through at most: more is noise.
enum { MOST_HITS = 64 };

// Behind a hit the ray goes on this far away from it, as a part of the skin's size.
static const double step = 1e-7;

sn_status sni_skin_probe_init(sn_context *context, const sn_mesh *mesh, sni_skin_probe *probe,
                              sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 low, high;
    *probe = (sni_skin_probe){.mesh = mesh};
    SN_TRY(sn_mesh_validate(mesh, error));
    sn_mesh_bounds(mesh, &low, &high);
    probe->size = sn_vec3_distance(low, high);
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &probe->triangles, error));
    if (probe->triangles->count == 0) {
        SN_TRY(sni_fail(error, SN_INVALID, "the skin \"%s\" has no triangles", mesh->name));
    }
    SN_TRY(sn_accel_create(context, mesh->positions, mesh->vertex_count, probe->triangles->vertices,
                           probe->triangles->count, &probe->accel, error));
cleanup:
    if (status != SN_OK) {
        sni_skin_probe_deinit(probe);
    }
    return status;
}

void sni_skin_probe_deinit(sni_skin_probe *probe) {
    sn_accel_destroy(probe->accel);
    sn_triangles_destroy(probe->triangles);
    *probe = (sni_skin_probe){0};
}

// The unit normal of a triangle; zero where it has none.
static sn_vec3 normal_of(const sni_skin_probe *probe, uint32_t triangle) {
    SN_ASSERT(triangle < probe->triangles->count);
    const uint32_t *v = probe->triangles->vertices + 3 * (size_t)triangle;
    sn_vec3 corners[3];
    sni_triangle_corners(probe->mesh->positions, v, corners);
    sn_vec3 normal = sni_triangle_vector(corners[0], corners[1], corners[2]);
    return sn_vec3_normalize_or(normal, sn_vec3_make(0, 0, 0));
}

bool sni_skin_probe_cast(const sni_skin_probe *probe, const sni_skin_ray *ray, sn_hit *hit) {
    SN_ASSERT(ray->nearest <= ray->farthest);
    double near = ray->nearest;
    bool found = false;
    for (int i = 0; i < MOST_HITS && (!found || ray->outermost); ++i) {
        sn_hit next;
        sn_accel_cast(probe->accel, ray->origin, ray->direction, near, ray->farthest, &next);
        if (next.triangle == SN_NONE) {
            break;
        }
        near = next.distance + step * probe->size;
        bool leaves = sn_vec3_dot(normal_of(probe, next.triangle), ray->direction) > 0;
        if (leaves && (ray->accept == NULL || ray->accept(probe, &next, ray->user))) {
            *hit = next;
            found = true;
        }
    }
    return found;
}
