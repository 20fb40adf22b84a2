// SPDX-License-Identifier: Apache-2.0
#include "fit/joined.h"

#include "geometry/weld.h"
#include "sinew/geometry.h"

#include <string.h>

static sn_status count(const sn_mesh *const *meshes, uint32_t mesh_count, sni_joined *joined,
                       sn_error *error) {
    uint64_t vertices = 0, triangles = 0;
    for (uint32_t m = 0; m < mesh_count; ++m) {
        const sn_mesh *mesh = meshes[m];
        vertices += mesh->vertex_count;
        for (uint32_t f = 0; f < mesh->face_count; ++f) {
            uint32_t corners = mesh->face_offsets[f + 1] - mesh->face_offsets[f];
            triangles += corners > 2 ? corners - 2 : 0;
        }
    }
    if (vertices >= SN_NONE || triangles >= SN_NONE / 3) {
        return sni_fail(error, SN_LIMIT, "the skin has too many vertices or faces");
    }
    if (triangles == 0) {
        return sni_fail(error, SN_INVALID, "the skin has no triangles");
    }
    joined->vertex_count = (uint32_t)vertices;
    joined->triangle_count = (uint32_t)triangles;
    return SN_OK;
}

static sn_status join(const sn_mesh *const *meshes, uint32_t mesh_count, sni_joined *joined,
                      sn_error *error) {
    uint32_t vertex = 0;
    size_t corner = 0;
    for (uint32_t m = 0; m < mesh_count; ++m) {
        const sn_mesh *mesh = meshes[m];
        sn_triangles *triangles = NULL;
        sn_status status = sn_triangles_create(mesh, mesh->positions, &triangles, error);
        if (status != SN_OK) {
            return status;
        }
        memcpy(joined->positions + 3 * (size_t)vertex, mesh->positions,
               3 * (size_t)mesh->vertex_count * sizeof *joined->positions);
        for (size_t c = 0; c < 3 * (size_t)triangles->count; ++c) {
            joined->vertices[corner++] = vertex + triangles->vertices[c];
        }
        vertex += mesh->vertex_count;
        sn_triangles_destroy(triangles);
    }
    joined->triangle_count = (uint32_t)(corner / 3);
    return SN_OK;
}

static double diagonal_of(const sn_mesh *const *meshes, uint32_t mesh_count) {
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t m = 0; m < mesh_count; ++m) {
        sn_vec3 mesh_low, mesh_high;
        sn_mesh_bounds(meshes[m], &mesh_low, &mesh_high);
        if (meshes[m]->vertex_count > 0) {
            low = sn_vec3_min(low, mesh_low);
            high = sn_vec3_max(high, mesh_high);
        }
    }
    return sn_vec3_distance(low, high);
}

sn_status sni_joined_init(sn_context *context, const sn_mesh *const *meshes, uint32_t mesh_count,
                          double weld, sni_joined *joined, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t groups = 0;
    *joined = (sni_joined){0};
    SN_TRY(count(meshes, mesh_count, joined, error));
    joined->diagonal = diagonal_of(meshes, mesh_count);
    SNI_NEW(context, joined->positions, 3 * (size_t)joined->vertex_count);
    SNI_NEW(context, joined->vertices, 3 * (size_t)joined->triangle_count);
    SNI_NEW(context, joined->map, joined->vertex_count);
    SN_TRY(join(meshes, mesh_count, joined, error));
    SN_TRY(sni_weld_points(context, joined->positions, joined->vertex_count,
                           weld * joined->diagonal, joined->map, &groups, error));
    joined->welded_count = joined->vertex_count - groups;
    joined->triangle_count = sni_weld_triangles(joined->map, joined->vertices,
                                                joined->triangle_count, joined->vertices, NULL);
    if (joined->triangle_count == 0) {
        status = sni_fail(error, SN_INVALID, "welding leaves no triangles of the skin");
    }
cleanup:
    if (status != SN_OK) {
        sni_joined_deinit(context, joined);
    }
    return status;
}

void sni_joined_deinit(sn_context *context, sni_joined *joined) {
    sni_free(context, joined->positions);
    sni_free(context, joined->vertices);
    sni_free(context, joined->map);
    *joined = (sni_joined){0};
}
