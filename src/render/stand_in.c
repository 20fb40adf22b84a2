// SPDX-License-Identifier: Apache-2.0
// Stands in for geometry's triangles and normals until they are there.
#include "base/memory.h"
#include "sinew/geometry.h"
#include <string.h>

sn_status sn_triangles_create(const sn_mesh *mesh, const float *positions, sn_triangles **triangles,
                              sn_error *error) {
    (void)positions;
    sn_status status = SN_OK;
    sn_triangles *t = NULL;
    SNI_NEW_ZERO(mesh->context, t, 1);
    t->context = mesh->context;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t n = mesh->face_offsets[f + 1] - mesh->face_offsets[f];
        t->count += n >= 3 ? n - 2 : 0;
    }
    SNI_NEW(mesh->context, t->vertices, 3 * (size_t)t->count);
    SNI_NEW(mesh->context, t->corners, 3 * (size_t)t->count);
    SNI_NEW(mesh->context, t->faces, t->count);
    uint32_t k = 0;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t first = mesh->face_offsets[f];
        for (uint32_t c = first + 2; c < mesh->face_offsets[f + 1]; ++c, ++k) {
            uint32_t corners[3] = {first, c - 1, c};
            t->faces[k] = f;
            for (unsigned i = 0; i < 3; ++i) {
                t->corners[3 * k + i] = corners[i];
                t->vertices[3 * k + i] = mesh->corners[corners[i]];
            }
        }
    }
    *triangles = t;
    return SN_OK;
cleanup:
    sn_triangles_destroy(t);
    return status;
}

void sn_triangles_destroy(sn_triangles *t) {
    if (t != NULL) {
        sni_free(t->context, t->vertices);
        sni_free(t->context, t->corners);
        sni_free(t->context, t->faces);
        sni_free(t->context, t);
    }
}

sn_status sn_mesh_normals(const sn_mesh *mesh, const float *positions, float *normals,
                          sn_error *error) {
    (void)error;
    memset(normals, 0, 3 * (size_t)mesh->vertex_count * sizeof *normals);
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t first = mesh->face_offsets[f], end = mesh->face_offsets[f + 1];
        sn_vec3 sum = {0, 0, 0};
        sn_vec3 origin = {0, 0, 0};
        for (uint32_t c = first; c < end; ++c) {
            sn_vec3 a = sn_vec3_load(&positions[3 * (size_t)mesh->corners[c]]);
            sn_vec3 b =
                sn_vec3_load(&positions[3 * (size_t)mesh->corners[c + 1 < end ? c + 1 : first]]);
            if (c == first) {
                origin = a;
            }
            sum = sn_vec3_add(sum, sn_vec3_cross(sn_vec3_sub(a, origin), sn_vec3_sub(b, origin)));
        }
        for (uint32_t c = first; c < end; ++c) {
            float *n = &normals[3 * (size_t)mesh->corners[c]];
            sn_vec3_store(sn_vec3_add(sn_vec3_load(n), sum), n);
        }
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        float *n = &normals[3 * (size_t)v];
        sn_vec3_store(sn_vec3_normalize_or(sn_vec3_load(n), sn_vec3_make(0, 1, 0)), n);
    }
    return SN_OK;
}

sn_status sn_mesh_validate(const sn_mesh *mesh, sn_error *error) {
    for (uint32_t c = 0; c < mesh->corner_count; ++c) {
        if (mesh->corners[c] >= mesh->vertex_count) {
            return sni_fail(error, SN_INVALID, "corner %u uses vertex %u, but there are %u", c,
                            mesh->corners[c], mesh->vertex_count);
        }
    }
    return SN_OK;
}
