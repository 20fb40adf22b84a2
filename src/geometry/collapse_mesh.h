// SPDX-License-Identifier: Apache-2.0
//
// A triangle mesh that edges are collapsed in: which triangles stand at a vertex, whether an edge
// may be collapsed, and the collapse itself.
//
// The corners at a vertex are a linked list; corners of dead triangles are taken out when a walk
// meets them, and a collapse appends one list to another, so that nothing is allocated on the way.
#ifndef SINEW_GEOMETRY_COLLAPSE_MESH_H
#define SINEW_GEOMETRY_COLLAPSE_MESH_H

#include "base/memory.h"
#include "sinew/vector.h"

// An edge whose ends have more triangles than this together is not collapsed: each look at it costs
// as much, and the number falls while the rim of the fan is simplified.
#define SNI_COLLAPSE_VALENCE_LIMIT 512

typedef enum sni_collapse_flag {
    SNI_COLLAPSE_LOCKED = 1,  // stays where it is
    SNI_COLLAPSE_BORDER = 2,  // stands at an edge with one triangle
    SNI_COLLAPSE_REFUSED = 4, // an edge at it was refused since its surroundings last changed
} sni_collapse_flag;

typedef struct sni_collapse_mesh {
    sn_context *context;
    uint32_t vertex_count;   // #V, dead ones included
    uint32_t triangle_count; // #T, dead ones included
    uint32_t live_vertices;  // with triangles
    uint32_t live_triangles;
    double mean_area;   // of the triangles at the start
    double min_quality; // see sn_decimate_desc
    sn_vec3 *points;    // #V
    uint32_t *parents;  // #V: the vertex it was merged into; itself while it lives
    uint8_t *flags;     // #V: sum of sni_collapse_flag
    uint32_t *first;    // #V: first corner of its list
    uint32_t *valences; // #V: living triangles
    uint32_t *next;     // #T x 3: next corner of the same vertex
    uint32_t *corners;  // #T x 3: vertex of each corner, SN_NONE in dead triangles
    uint64_t *marks;    // #V: scratch of the link condition
    uint64_t mark;
} sni_collapse_mesh;

// Takes triangles over; those with fewer than three different vertices are dead from the start.
// `points`, `flags` (zero) and the shape limits are for the caller to fill.
sn_status sni_collapse_mesh_init(sn_context *context, uint32_t vertex_count,
                                 const uint32_t *vertices, uint32_t triangle_count,
                                 sni_collapse_mesh *mesh, sn_error *error);
void sni_collapse_mesh_deinit(sni_collapse_mesh *mesh);

// The first living corner at or behind `*link`, SN_NONE at the end:
//     for (uint32_t *link = &mesh->first[v], c; (c = sni_collapse_corner(mesh, link)) != SN_NONE;
//          link = &mesh->next[c])
static inline uint32_t sni_collapse_corner(const sni_collapse_mesh *mesh, uint32_t *link) {
    while (*link != SN_NONE && mesh->corners[*link] == SN_NONE) {
        *link = mesh->next[*link];
    }
    return *link;
}

// The corners before and behind a corner in its triangle.
static inline uint32_t sni_corner_after(uint32_t corner) {
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static inline uint32_t sni_corner_before(uint32_t corner) {
    return corner % 3 == 0 ? corner + 2 : corner - 1;
}

// The different neighbours of a vertex that has at most SNI_COLLAPSE_VALENCE_LIMIT triangles.
typedef struct sni_collapse_ring {
    uint32_t count;
    uint32_t vertices[2 * SNI_COLLAPSE_VALENCE_LIMIT];
} sni_collapse_ring;

void sni_collapse_mesh_ring(sni_collapse_mesh *mesh, uint32_t vertex, sni_collapse_ring *ring);

// Whether `gone` may be merged into `kept` at `point`: the surface keeps its topology (link
// condition, borders, no component vanishes) and no triangle turns over or becomes a sliver.
bool sni_collapse_is_legal(sni_collapse_mesh *mesh, uint32_t kept, uint32_t gone, sn_vec3 point);

// Merges `gone` into `kept` at `point`.
void sni_collapse_edge(sni_collapse_mesh *mesh, uint32_t kept, uint32_t gone, sn_vec3 point);

#endif
