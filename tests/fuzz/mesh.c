// SPDX-License-Identifier: Apache-2.0
//
// Bytes become a small polygon soup: any indices, any finite positions, many of them equal, huge or
// tiny. Whatever the room computes on it keeps its promises.
#include "sinew/geometry.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct reader {
    const uint8_t *data;
    size_t size;
} reader;

static uint8_t next_byte(reader *r) {
    return r->size > 0 ? (--r->size, *r->data++) : 0;
}

static void require(bool condition) {
    if (!condition) {
        abort();
    }
}

// Mostly small whole numbers, so that points coincide; else any bits, halved when not finite.
static float next_number(reader *r) {
    uint8_t kind = next_byte(r);
    if (kind < 192) {
        return (float)(kind % 7) - 3;
    }
    uint32_t bits = 0;
    for (int i = 0; i < 4; ++i) {
        bits = bits << 8 | next_byte(r);
    }
    float number;
    memcpy(&number, &bits, sizeof number);
    if (!isfinite(number)) {
        bits &= 0xbfffffff;
        memcpy(&number, &bits, sizeof number);
    }
    return number;
}

static sn_mesh *next_mesh(sn_context *context, reader *r) {
    uint32_t vertex_count = 1 + next_byte(r) % 40, face_count = next_byte(r) % 40;
    uint32_t sizes[40], corner_count = 0;
    for (uint32_t f = 0; f < face_count; ++f) {
        uint8_t size = next_byte(r);
        sizes[f] = size < 240 ? 1 + size % 9 : size / 2; // some too large for the stack
        corner_count += sizes[f];
    }
    sn_mesh *mesh = NULL;
    require(sn_mesh_create(context, "fuzz", vertex_count, face_count, corner_count, &mesh, NULL) ==
            SN_OK);
    for (uint32_t f = 0; f < face_count; ++f) {
        mesh->face_offsets[f + 1] = mesh->face_offsets[f] + sizes[f];
    }
    for (uint32_t i = 0; i < 3 * vertex_count; ++i) {
        mesh->positions[i] = next_number(r);
    }
    for (uint32_t c = 0; c < corner_count; ++c) {
        mesh->corners[c] = next_byte(r) % vertex_count;
    }
    return mesh;
}

static void check_triangles(const sn_mesh *mesh, const sn_triangles *triangles) {
    uint32_t t = 0;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t begin = mesh->face_offsets[f], end = mesh->face_offsets[f + 1];
        for (uint32_t i = begin + 2; i < end; ++i, ++t) {
            require(t < triangles->count && triangles->faces[t] == f);
            const uint32_t *corners = triangles->corners + 3 * t;
            for (int k = 0; k < 3; ++k) {
                require(corners[k] >= begin && corners[k] < end &&
                        corners[k] != corners[(k + 1) % 3] &&
                        triangles->vertices[3 * t + k] == mesh->corners[corners[k]]);
            }
        }
    }
    require(t == triangles->count);
}

static void check_normals(const sn_mesh *mesh) {
    float normals[120];
    require(sn_mesh_normals(mesh, mesh->positions, normals, NULL) == SN_OK);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        require(fabs(sn_vec3_length(sn_vec3_load(normals + 3 * v)) - 1) < 1e-5);
    }
}

static void check_topology(const sn_mesh *mesh) {
    sn_topology *topology;
    require(sn_topology_create(mesh, &topology, NULL) == SN_OK);
    sn_topology_summary summary;
    sn_topology_summarize(mesh, topology, &summary);
    require(topology->vertex_edge_offsets[mesh->vertex_count] == 2 * topology->edge_count);
    require(summary.components >= 1 && summary.components <= mesh->vertex_count);
    for (uint32_t e = 0; e < topology->edge_count; ++e) {
        require(topology->edges[2 * e] < topology->edges[2 * e + 1] &&
                topology->edges[2 * e + 1] < mesh->vertex_count);
    }
    sn_topology_destroy(topology);
}

// The same question asked of a tree that was refitted and one that was built gives the same answer.
static void check_queries(const sn_mesh *mesh, const sn_triangles *triangles, reader *r) {
    sn_accel *accel, *moved;
    float origin[120] = {0};
    require(sn_accel_create(mesh->context, mesh->positions, mesh->vertex_count, triangles->vertices,
                            triangles->count, &accel, NULL) == SN_OK);
    require(sn_accel_create(mesh->context, origin, mesh->vertex_count, triangles->vertices,
                            triangles->count, &moved, NULL) == SN_OK);
    require(sn_accel_update(moved, mesh->positions, false, NULL) == SN_OK);
    for (int i = 0; i < 8; ++i) {
        sn_vec3 p = {next_number(r), next_number(r), next_number(r)};
        sn_vec3 d = {next_number(r), next_number(r), next_number(r)};
        sn_closest closest[2];
        sn_hit hits[2];
        memset(closest, 0, sizeof closest);
        memset(hits, 0, sizeof hits);
        sn_accel_find_closest(accel, p, INFINITY, &closest[0]);
        sn_accel_find_closest(moved, p, INFINITY, &closest[1]);
        sn_accel_cast(accel, p, d, 0, INFINITY, &hits[0]);
        sn_accel_cast(moved, p, d, 0, INFINITY, &hits[1]);
        require((closest[0].triangle < triangles->count) == (triangles->count > 0));
        require(memcmp(&closest[0], &closest[1], sizeof *closest) == 0);
        require(memcmp(&hits[0], &hits[1], sizeof *hits) == 0);
        require(hits[0].triangle == SN_NONE || hits[0].distance >= 0);
        require(closest[0].distance >= 0);
    }
    sn_accel_destroy(accel);
    sn_accel_destroy(moved);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static sn_context *context;
    if (context == NULL) {
        sn_context_desc desc = sn_context_desc_default();
        desc.thread_count = 1;
        sn_context_create(&desc, &context, NULL);
    }
    reader r = {data, size};
    sn_mesh *mesh = next_mesh(context, &r);
    require(sn_mesh_validate(mesh, NULL) == SN_OK);
    sn_triangles *triangles;
    require(sn_triangles_create(mesh, mesh->positions, &triangles, NULL) == SN_OK);
    check_triangles(mesh, triangles);
    check_normals(mesh);
    check_topology(mesh);
    sn_mass mass;
    require(sn_mass_compute(context, mesh->positions, triangles->vertices, triangles->count, &mass,
                            NULL) == SN_OK);
    require(isfinite(mass.volume) && mass.area >= 0);
    check_queries(mesh, triangles, &r);
    sn_triangles_destroy(triangles);
    sn_mesh_destroy(mesh);
    require(sn_context_bytes(context) == 0);
    return 0;
}
