// SPDX-License-Identifier: Apache-2.0
//
// Edges and neighbours of any polygon soup, in linear time but for the union-find.
//
// Every corner c of a face makes a half-edge from its vertex to the next corner's. Two counting
// sorts, by the higher vertex and then by the lower one, bring the half-edges into the order
// (low, high, corner); equal pairs stand side by side and make one edge.
#include "sinew/geometry.h"

#include "base/groups.h"
#include "base/memory.h"
#include "base/rows.h"
#include "geometry/normals.h"
#include "geometry/validate.h"

#include <string.h>

// The half-edges of a mesh while edges are made.
typedef struct half_edges {
    const sn_mesh *mesh;
    uint32_t count;
    uint32_t *next;   // #C: the vertex that the half-edge goes to, its own vertex when it has none
    uint32_t *face;   // #C: the face that has the corner; SN_NONE when it has no surface
    uint32_t *sorted; // count: corners in the order of their edges
} half_edges;

static uint32_t low_of(const half_edges *half, uint32_t c) {
    uint32_t a = half->mesh->corners[c], b = half->next[c];
    return a < b ? a : b;
}

static uint32_t high_of(const half_edges *half, uint32_t c) {
    uint32_t a = half->mesh->corners[c], b = half->next[c];
    return a < b ? b : a;
}

// At least three different corners.
static bool has_surface(const uint32_t *corners, uint32_t count) {
    uint32_t second = 0;
    while (second < count && corners[second] == corners[0]) {
        ++second;
    }
    for (uint32_t i = second + 1; i < count; ++i) {
        if (corners[i] != corners[0] && corners[i] != corners[second]) {
            return true;
        }
    }
    return false;
}

static void find_half_edges(half_edges *half) {
    const sn_mesh *mesh = half->mesh;
    half->count = 0;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t begin = mesh->face_offsets[f], end = mesh->face_offsets[f + 1];
        bool is_surface = has_surface(mesh->corners + begin, end - begin);
        for (uint32_t c = begin; c < end; ++c) {
            half->next[c] = mesh->corners[c + 1 < end ? c + 1 : begin];
            half->face[c] = is_surface ? f : SN_NONE;
            half->count += half->next[c] != mesh->corners[c];
        }
    }
}

// Counting sorts, both stable; `offsets` is scratch for #V + 1 numbers.
static void sort_half_edges(half_edges *half, uint32_t *by_high, uint32_t *offsets) {
    const sn_mesh *mesh = half->mesh;
    size_t offset_bytes = ((size_t)mesh->vertex_count + 1) * sizeof *offsets;
    memset(offsets, 0, offset_bytes);
    for (uint32_t c = 0; c < mesh->corner_count; ++c) {
        sni_rows_count(offsets, high_of(half, c), half->next[c] != mesh->corners[c]);
    }
    sni_rows_begin(offsets, mesh->vertex_count);
    for (uint32_t c = 0; c < mesh->corner_count; ++c) {
        if (half->next[c] != mesh->corners[c]) {
            by_high[sni_rows_take(offsets, high_of(half, c))] = c;
        }
    }
    memset(offsets, 0, offset_bytes);
    for (uint32_t i = 0; i < half->count; ++i) {
        sni_rows_count(offsets, low_of(half, by_high[i]), 1);
    }
    sni_rows_begin(offsets, mesh->vertex_count);
    for (uint32_t i = 0; i < half->count; ++i) {
        half->sorted[sni_rows_take(offsets, low_of(half, by_high[i]))] = by_high[i];
    }
}

static bool starts_edge(const half_edges *half, uint32_t i) {
    if (i == 0) {
        return true;
    }
    uint32_t before = half->sorted[i - 1], c = half->sorted[i];
    return low_of(half, before) != low_of(half, c) || high_of(half, before) != high_of(half, c);
}

static sn_status make_edges(const half_edges *half, sn_topology *topology, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = topology->context;
    uint32_t side_count = 0; // half-edges of faces with surface
    for (uint32_t i = 0; i < half->count; ++i) {
        topology->edge_count += starts_edge(half, i);
        side_count += half->face[half->sorted[i]] != SN_NONE;
    }
    SNI_NEW(context, topology->edges, (size_t)topology->edge_count * 2);
    SNI_NEW(context, topology->edge_face_offsets, (size_t)topology->edge_count + 1);
    SNI_NEW(context, topology->edge_faces, side_count);
    SNI_NEW(context, topology->edge_corners, side_count);
    uint32_t edge = 0, side = 0;
    for (uint32_t i = 0; i < half->count; ++i) {
        uint32_t c = half->sorted[i];
        if (starts_edge(half, i)) {
            topology->edges[2 * (size_t)edge] = low_of(half, c);
            topology->edges[2 * (size_t)edge + 1] = high_of(half, c);
            topology->edge_face_offsets[edge++] = side;
        }
        if (half->face[c] != SN_NONE) {
            topology->edge_faces[side] = half->face[c];
            topology->edge_corners[side++] = c;
        }
    }
    topology->edge_face_offsets[edge] = side;
cleanup:
    return status;
}

static sn_status make_sorted_edges(const sn_mesh *mesh, sn_topology *topology, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = topology->context;
    half_edges half = {.mesh = mesh};
    uint32_t *by_high = NULL, *offsets = NULL;
    SNI_NEW(context, half.next, mesh->corner_count);
    SNI_NEW(context, half.face, mesh->corner_count);
    find_half_edges(&half);
    SNI_NEW(context, half.sorted, half.count);
    SNI_NEW(context, by_high, half.count);
    SNI_NEW(context, offsets, (size_t)mesh->vertex_count + 1);
    sort_half_edges(&half, by_high, offsets);
    SN_TRY(make_edges(&half, topology, error));
cleanup:
    sni_free(context, half.next);
    sni_free(context, half.face);
    sni_free(context, half.sorted);
    sni_free(context, by_high);
    sni_free(context, offsets);
    return status;
}

// Edges are visited in rising order, so every list comes out rising.
static sn_status make_vertex_edges(const sn_mesh *mesh, sn_topology *topology, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = topology->context;
    size_t end_count = (size_t)topology->edge_count * 2;
    if (end_count > UINT32_MAX) {
        return sni_fail(error, SN_LIMIT, "the mesh has %u edges, at most %u are possible",
                        topology->edge_count, UINT32_MAX / 2);
    }
    SNI_NEW(context, topology->vertex_edge_offsets, (size_t)mesh->vertex_count + 1);
    SNI_NEW(context, topology->vertex_edges, end_count);
    sni_rows_from_keys(topology->edges, topology->edge_count, 2, mesh->vertex_count,
                       topology->vertex_edge_offsets, topology->vertex_edges);
cleanup:
    return status;
}

// A component's root is its lowest vertex, and parents are numbered before their children.
static sn_status make_components(const sn_mesh *mesh, sn_topology *topology, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(topology->context, topology->vertex_component, mesh->vertex_count);
    uint32_t *parents = topology->vertex_component;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        parents[v] = v;
    }
    for (uint32_t e = 0; e < topology->edge_count; ++e) {
        sni_group_join(parents, topology->edges[2 * (size_t)e], topology->edges[2 * (size_t)e + 1]);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        // parents[v] < v holds a component number already.
        parents[v] = parents[v] == v ? topology->component_count++ : parents[parents[v]];
    }
cleanup:
    return status;
}

sn_status sn_topology_create(const sn_mesh *mesh, sn_topology **topology, sn_error *error) {
    sn_status status = SN_OK;
    sn_topology *made = NULL;
    sni_vertex_faces table = {0};
    *topology = NULL;
    SNI_NEW_ZERO(mesh->context, made, 1);
    made->context = mesh->context;
    SN_TRY(make_sorted_edges(mesh, made, error));
    SN_TRY(sni_vertex_faces_init(mesh->context, mesh, &table, error));
    made->vertex_face_offsets = table.offsets;
    made->vertex_faces = table.faces;
    SN_TRY(make_vertex_edges(mesh, made, error));
    SN_TRY(make_components(mesh, made, error));
    SN_VALIDATE(sni_topology_is_valid(mesh, made));
    *topology = made;
    return SN_OK;
cleanup:
    sn_topology_destroy(made);
    return status;
}

void sn_topology_destroy(sn_topology *topology) {
    if (topology == NULL) {
        return;
    }
    sn_context *context = topology->context;
    sni_free(context, topology->edges);
    sni_free(context, topology->edge_face_offsets);
    sni_free(context, topology->edge_faces);
    sni_free(context, topology->edge_corners);
    sni_free(context, topology->vertex_face_offsets);
    sni_free(context, topology->vertex_faces);
    sni_free(context, topology->vertex_edge_offsets);
    sni_free(context, topology->vertex_edges);
    sni_free(context, topology->vertex_component);
    sni_free(context, topology);
}

// Whether both faces of an edge start at the same end of it.
static bool is_flipped(const sn_mesh *mesh, const sn_topology *topology, uint32_t first_side) {
    return mesh->corners[topology->edge_corners[first_side]] ==
           mesh->corners[topology->edge_corners[first_side + 1]];
}

void sn_topology_summarize(const sn_mesh *mesh, const sn_topology *topology,
                           sn_topology_summary *summary) {
    *summary = (sn_topology_summary){.components = topology->component_count};
    uint32_t inner_edges = 0;
    for (uint32_t e = 0; e < topology->edge_count; ++e) {
        uint32_t first = topology->edge_face_offsets[e];
        uint32_t sides = topology->edge_face_offsets[e + 1] - first;
        summary->border_edges += sides == 1;
        summary->non_manifold_edges += sides > 2;
        inner_edges += sides == 2;
        summary->flipped_edges += sides == 2 && is_flipped(mesh, topology, first);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        summary->loose_vertices +=
            topology->vertex_face_offsets[v] == topology->vertex_face_offsets[v + 1];
    }
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t begin = mesh->face_offsets[f];
        summary->degenerate_faces +=
            !has_surface(mesh->corners + begin, mesh->face_offsets[f + 1] - begin);
    }
    summary->closed =
        inner_edges > 0 && inner_edges == topology->edge_count && summary->flipped_edges == 0;
}
