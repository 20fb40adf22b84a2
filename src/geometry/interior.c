// SPDX-License-Identifier: Apache-2.0
#include "geometry/interior.h"

#include "base/memory.h"
#include "geometry/triangle.h"

#include <math.h>
#include <string.h>

static void find_box(sni_interior *interior) {
    interior->low = sn_vec3_make(INFINITY, INFINITY, INFINITY);
    interior->high = sn_vec3_scale(interior->low, -1);
    for (size_t i = 0; i < interior->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(interior->positions + 3 * i);
        interior->low = sn_vec3_min(interior->low, p);
        interior->high = sn_vec3_max(interior->high, p);
    }
}

sn_status sni_interior_init(sni_interior *interior, const sn_mesh *mesh, const float *positions,
                            sn_error *error) {
    SN_ASSERT(positions != NULL || mesh->vertex_count == 0);
    sn_context *context = mesh->context;
    sn_status status = SN_OK;
    *interior = (sni_interior){.vertex_count = mesh->vertex_count};
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &interior->triangles, error));
    interior->positions =
        sni_copy(context, positions, 3 * (size_t)mesh->vertex_count, sizeof *positions);
    SN_TRY(interior->positions != NULL ? SN_OK : sni_fail_memory(error));
    SN_TRY(sn_accel_create(context, positions, mesh->vertex_count, interior->triangles->vertices,
                           interior->triangles->count, &interior->accel, error));
    find_box(interior);
    return SN_OK;
cleanup:
    sni_interior_deinit(interior);
    return status;
}

void sni_interior_deinit(sni_interior *interior) {
    if (interior->triangles != NULL) {
        sni_free(interior->triangles->context, interior->positions);
    }
    sn_accel_destroy(interior->accel);
    sn_triangles_destroy(interior->triangles);
    *interior = (sni_interior){0};
}

sn_status sni_interior_move(sni_interior *interior, const float *positions, sn_error *error) {
    SN_ASSERT(interior->triangles != NULL && interior->accel != NULL);
    SN_ASSERT(positions != NULL);
    sn_status status = sn_accel_update(interior->accel, positions, false, error);
    if (status == SN_OK) {
        memcpy(interior->positions, positions,
               3 * (size_t)interior->vertex_count * sizeof *positions);
        find_box(interior);
    }
    return status;
}

static sn_vec3 triangle_normal(const sni_interior *interior, uint32_t triangle) {
    const uint32_t *v = interior->triangles->vertices + 3 * (size_t)triangle;
    sn_vec3 corners[3];
    sni_triangle_corners(interior->positions, v, corners);
    return sni_triangle_vector(corners[0], corners[1], corners[2]);
}

// How often the surface is left minus how often it is entered on the way to infinity.
static int count_winding(const sni_interior *interior, sn_vec3 point, sn_vec3 direction) {
    int winding = 0;
    double from = 0;
    for (;;) {
        sn_hit hit;
        sn_accel_cast(interior->accel, point, direction, from, INFINITY, &hit);
        if (hit.triangle == SN_NONE) {
            return winding;
        }
        winding += sn_vec3_dot(triangle_normal(interior, hit.triangle), direction) > 0 ? 1 : -1;
        // Triangles that share the edge or vertex that is hit are as far away to the last bit.
        from = nextafter(hit.distance, INFINITY);
    }
}

bool sni_interior_contains(const sni_interior *interior, sn_vec3 point) {
    SN_ASSERT(interior->accel != NULL);
    // A direction that is along no edge of a regular shape.
    static const sn_vec3 forth = {0.5345224838248488, 0.2672612419124244, 0.8017837257372732};
    const sn_vec3 back = sn_vec3_scale(forth, -1);
    bool in_box = point.x > interior->low.x && point.x < interior->high.x &&
                  point.y > interior->low.y && point.y < interior->high.y &&
                  point.z > interior->low.z && point.z < interior->high.z;
    // A line through an outline can count wrongly one way, not both.
    return in_box && count_winding(interior, point, forth) != 0 &&
           count_winding(interior, point, back) != 0;
}

double sni_interior_depth(const sni_interior *interior, sn_vec3 point, sn_vec3 *closest) {
    SN_ASSERT(interior->accel != NULL && closest != NULL);
    sn_closest found;
    if (!sni_interior_contains(interior, point)) {
        return 0;
    }
    sn_accel_find_closest(interior->accel, point, INFINITY, &found);
    *closest = found.point;
    return found.distance;
}
