// SPDX-License-Identifier: Apache-2.0
//
// Geodesic spheres: every face of an icosahedron is divided into detail^2 triangles, whose corners
// are put onto the sphere.
//
// Vertices are numbered: the 12 of the icosahedron, detail - 1 on each of its 30 edges from the
// lower to the higher end, then those within its 20 faces, row by row.
#include "geometry/sphere.h"

#include "base/memory.h"

enum { VERTEX_COUNT = 12, EDGE_COUNT = 30, FACE_COUNT = 20 };

typedef struct icosahedron {
    sn_vec3 vertices[VERTEX_COUNT];
    uint32_t edges[VERTEX_COUNT][VERTEX_COUNT]; // number of an edge, SN_NONE where there is none
    uint32_t faces[FACE_COUNT][3];              // counter-clockwise seen from outside
} icosahedron;

// The vertices (0, +-1, +-g) and their cyclic exchanges, g the golden ratio: neighbours are 2
// apart, all others at least 2 g, so that distances tell edges and faces.
static icosahedron make_icosahedron(void) {
    static const double golden = 1.6180339887498949;
    static const double between = 2.5; // squared: 6.25 lies between 4 and 4 g^2
    icosahedron ico;
    for (uint32_t i = 0; i < VERTEX_COUNT; ++i) {
        double one = i & 1 ? -1 : 1, ratio = i & 2 ? -golden : golden;
        uint32_t turn = i / 4;
        ico.vertices[i] = turn == 0   ? sn_vec3_make(0, one, ratio)
                          : turn == 1 ? sn_vec3_make(ratio, 0, one)
                                      : sn_vec3_make(one, ratio, 0);
    }
    uint32_t edge_count = 0, face_count = 0;
    for (uint32_t a = 0; a < VERTEX_COUNT; ++a) {
        ico.edges[a][a] = SN_NONE;
        for (uint32_t b = a + 1; b < VERTEX_COUNT; ++b) {
            bool near = sn_vec3_distance(ico.vertices[a], ico.vertices[b]) < between;
            ico.edges[a][b] = ico.edges[b][a] = near ? edge_count++ : SN_NONE;
        }
    }
    for (uint32_t a = 0; a < VERTEX_COUNT; ++a) {
        for (uint32_t b = a + 1; b < VERTEX_COUNT; ++b) {
            for (uint32_t c = b + 1; c < VERTEX_COUNT; ++c) {
                if (ico.edges[a][b] == SN_NONE || ico.edges[b][c] == SN_NONE ||
                    ico.edges[a][c] == SN_NONE) {
                    continue;
                }
                sn_vec3 normal = sn_vec3_cross(ico.vertices[b], ico.vertices[c]);
                bool outward = sn_vec3_dot(ico.vertices[a], normal) > 0;
                uint32_t *face = ico.faces[face_count++];
                face[0] = a;
                face[1] = outward ? b : c;
                face[2] = outward ? c : b;
            }
        }
    }
    SN_ASSERT(edge_count == EDGE_COUNT && face_count == FACE_COUNT);
    return ico;
}

// The vertex `step` parts from `from` to `to` along their edge, 0 < step < detail.
static uint32_t edge_vertex(const icosahedron *ico, uint32_t detail, uint32_t from, uint32_t to,
                            uint32_t step) {
    uint32_t from_lower = from < to ? step : detail - step;
    return VERTEX_COUNT + ico->edges[from][to] * (detail - 1) + from_lower - 1;
}

// The vertex of a face `i` parts towards its second and `k` towards its third corner.
static uint32_t face_vertex(const icosahedron *ico, uint32_t detail, uint32_t face, uint32_t i,
                            uint32_t k) {
    const uint32_t *corners = ico->faces[face];
    if (i + k == 0) {
        return corners[0];
    }
    if (i == detail || k == detail) {
        return corners[i == detail ? 1 : 2];
    }
    if (k == 0 || i == 0) {
        return edge_vertex(ico, detail, corners[0], corners[k == 0 ? 1 : 2], i + k);
    }
    if (i + k == detail) {
        return edge_vertex(ico, detail, corners[1], corners[2], k);
    }
    uint32_t inner = (detail - 1) * (detail - 2) / 2; // of each face
    uint32_t before = (k - 1) * (detail - 1) - (k - 1) * k / 2;
    return VERTEX_COUNT + EDGE_COUNT * (detail - 1) + face * inner + before + i - 1;
}

static void place_vertices(const icosahedron *ico, uint32_t detail, const sn_mat4 *place,
                           sn_mesh *mesh) {
    for (uint32_t face = 0; face < FACE_COUNT; ++face) {
        const uint32_t *c = ico->faces[face];
        for (uint32_t k = 0; k <= detail; ++k) {
            for (uint32_t i = 0; i + k <= detail; ++i) {
                sn_vec3 p = sn_vec3_scale(ico->vertices[c[0]], detail - i - k);
                p = sn_vec3_add_scaled(p, i, ico->vertices[c[1]]);
                p = sn_vec3_add_scaled(p, k, ico->vertices[c[2]]);
                p = sn_mat4_point(place, sn_vec3_scale(p, 1 / sn_vec3_length(p)));
                uint32_t vertex = face_vertex(ico, detail, face, i, k);
                sn_vec3_store(p, mesh->positions + 3 * (size_t)vertex);
            }
        }
    }
}

static void write_triangles(const icosahedron *ico, uint32_t detail, sn_mesh *mesh) {
    uint32_t *corner = mesh->corners;
    for (uint32_t face = 0; face < FACE_COUNT; ++face) {
        for (uint32_t k = 0; k < detail; ++k) {
            for (uint32_t i = 0; i + k < detail; ++i) {
                corner[0] = face_vertex(ico, detail, face, i, k);
                corner[1] = face_vertex(ico, detail, face, i + 1, k);
                corner[2] = face_vertex(ico, detail, face, i, k + 1);
                corner += 3;
                if (i + k + 1 < detail) {
                    corner[0] = face_vertex(ico, detail, face, i + 1, k);
                    corner[1] = face_vertex(ico, detail, face, i + 1, k + 1);
                    corner[2] = face_vertex(ico, detail, face, i, k + 1);
                    corner += 3;
                }
            }
        }
    }
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        mesh->face_offsets[f] = 3 * f;
    }
}

sn_status sni_ellipsoid_mesh(sn_context *context, const char *name, const sn_mat4 *place,
                             uint32_t detail, sn_mesh **mesh, sn_error *error) {
    SN_ASSERT(detail >= 1 && detail <= SNI_SPHERE_DETAIL_MOST);
    uint32_t squared = detail * detail;
    sn_status status =
        sn_mesh_create(context, name, 10 * squared + 2, 20 * squared, 60 * squared, mesh, error);
    if (status != SN_OK) {
        return status;
    }
    icosahedron ico = make_icosahedron();
    place_vertices(&ico, detail, place, *mesh);
    write_triangles(&ico, detail, *mesh);
    return SN_OK;
}
