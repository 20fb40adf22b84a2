// SPDX-License-Identifier: Apache-2.0
#ifndef SNT_GRID_H
#define SNT_GRID_H

#include "test.h"

#include "sinew/mesh.h"

// A flat sheet of columns x rows quads, or twice as many triangles, facing up: x from 0 to `width`,
// z from 0 to `depth`, y = 0, vertices row by row.
static inline sn_mesh *snt_grid(sn_context *context, const char *name, uint32_t columns,
                                uint32_t rows, double width, double depth, bool triangles) {
    uint32_t row = columns + 1, quads = columns * rows, sides = triangles ? 3 : 4;
    uint32_t faces = triangles ? 2 * quads : quads;
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, name, row * (rows + 1), faces, sides * faces, &mesh, error));
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        sn_vec3_store(sn_vec3_make(width * (i % row) / columns, 0, depth * (i / row) / rows),
                      mesh->positions + 3 * (size_t)i);
    }
    for (uint32_t i = 0; i < quads; ++i) {
        uint32_t a = i / columns * row + i % columns, b = a + row;
        const uint32_t quad[4] = {a, b, b + 1, a + 1}, pair[6] = {a, b, b + 1, a, b + 1, a + 1};
        if (triangles) {
            memcpy(mesh->corners + 6 * (size_t)i, pair, sizeof pair);
        } else {
            memcpy(mesh->corners + 4 * (size_t)i, quad, sizeof quad);
        }
    }
    for (uint32_t f = 0; f <= faces; ++f) {
        mesh->face_offsets[f] = sides * f;
    }
    return mesh;
}

// Moves all vertices.
static inline void snt_shift(sn_mesh *mesh, double x, double y, double z) {
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        float *p = mesh->positions + 3 * (size_t)i;
        sn_vec3_store(sn_vec3_add(sn_vec3_load(p), sn_vec3_make(x, y, z)), p);
    }
}

#endif
