// SPDX-License-Identifier: Apache-2.0
#include "geometry/validate.h"

#include "base/rows.h"

#include <math.h>

bool sni_triangles_are_valid(const sn_mesh *mesh, const sn_triangles *triangles) {
    uint32_t t = 0;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t begin = mesh->face_offsets[f], end = mesh->face_offsets[f + 1];
        for (uint32_t k = 2; k < end - begin; ++k, ++t) {
            if (t >= triangles->count || triangles->faces[t] != f) {
                return false;
            }
            for (size_t i = 3 * (size_t)t; i < 3 * (size_t)t + 3; ++i) {
                uint32_t c = triangles->corners[i];
                if (c < begin || c >= end || triangles->vertices[i] != mesh->corners[c]) {
                    return false;
                }
            }
        }
    }
    return t == triangles->count;
}

// ---------------------------------------------------------------------------------------------
// Topology

static bool edges_rise(const sn_mesh *mesh, const sn_topology *topology) {
    for (uint32_t e = 0; e < topology->edge_count; ++e) {
        const uint32_t *edge = topology->edges + 2 * (size_t)e;
        if (edge[0] >= edge[1] || edge[1] >= mesh->vertex_count ||
            topology->vertex_component[edge[0]] != topology->vertex_component[edge[1]]) {
            return false;
        }
        if (e > 0 && (edge[-2] > edge[0] || (edge[-2] == edge[0] && edge[-1] >= edge[1]))) {
            return false;
        }
    }
    return true;
}

// Whether a face runs along an edge from one of its corners.
static bool runs_along(const sn_mesh *mesh, uint32_t face, uint32_t corner, const uint32_t *edge) {
    uint32_t begin = mesh->face_offsets[face], end = mesh->face_offsets[face + 1];
    if (corner < begin || corner >= end) {
        return false;
    }
    uint32_t a = mesh->corners[corner], b = mesh->corners[corner + 1 < end ? corner + 1 : begin];
    return (a == edge[0] && b == edge[1]) || (a == edge[1] && b == edge[0]);
}

static bool faces_run_along_edges(const sn_mesh *mesh, const sn_topology *topology) {
    for (uint32_t e = 0; e < topology->edge_count; ++e) {
        for (uint32_t s = topology->edge_face_offsets[e]; s < topology->edge_face_offsets[e + 1];
             ++s) {
            uint32_t face = topology->edge_faces[s];
            if (face >= mesh->face_count || !runs_along(mesh, face, topology->edge_corners[s],
                                                        topology->edges + 2 * (size_t)e)) {
                return false;
            }
        }
    }
    return true;
}

// Whether the faces at a vertex, which rise, have this one.
static bool lists_face(const sn_topology *topology, uint32_t vertex, uint32_t face) {
    uint32_t begin = topology->vertex_face_offsets[vertex];
    uint32_t end = topology->vertex_face_offsets[vertex + 1];
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        if (topology->vertex_faces[middle] == face) {
            return true;
        }
        if (topology->vertex_faces[middle] < face) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return false;
}

static bool corners_are_listed(const sn_mesh *mesh, const sn_topology *topology) {
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        for (uint32_t c = mesh->face_offsets[f]; c < mesh->face_offsets[f + 1]; ++c) {
            if (!lists_face(topology, mesh->corners[c], f)) {
                return false;
            }
        }
    }
    return true;
}

// Lists at a vertex rise, and edges in them have the vertex.
static bool vertex_lists_fit(const sn_mesh *mesh, const sn_topology *topology, uint32_t v) {
    const uint32_t *faces = topology->vertex_faces, *edges = topology->vertex_edges;
    uint32_t begin = topology->vertex_face_offsets[v], end = topology->vertex_face_offsets[v + 1];
    for (uint32_t i = begin; i < end; ++i) {
        if (faces[i] >= mesh->face_count || (i > begin && faces[i - 1] >= faces[i])) {
            return false;
        }
    }
    begin = topology->vertex_edge_offsets[v];
    end = topology->vertex_edge_offsets[v + 1];
    for (uint32_t i = begin; i < end; ++i) {
        if (edges[i] >= topology->edge_count || (i > begin && edges[i - 1] >= edges[i]) ||
            (topology->edges[2 * (size_t)edges[i]] != v &&
             topology->edges[2 * (size_t)edges[i] + 1] != v)) {
            return false;
        }
    }
    return topology->vertex_component[v] < topology->component_count;
}

bool sni_topology_is_valid(const sn_mesh *mesh, const sn_topology *topology) {
    const sn_topology *t = topology;
    if (!sni_rows_are_valid(t->vertex_edge_offsets, mesh->vertex_count,
                            2 * (size_t)t->edge_count) ||
        !sni_rows_are_valid(t->vertex_face_offsets, mesh->vertex_count,
                            t->vertex_face_offsets[mesh->vertex_count]) ||
        !sni_rows_are_valid(t->edge_face_offsets, t->edge_count,
                            t->edge_face_offsets[t->edge_count])) {
        return false;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        if (!vertex_lists_fit(mesh, topology, v)) {
            return false;
        }
    }
    return corners_are_listed(mesh, topology) && edges_rise(mesh, topology) &&
           faces_run_along_edges(mesh, topology);
}

// ---------------------------------------------------------------------------------------------
// Trees

// Grows `sides` to what a child has at most.
static void include_child(const sni_tree *tree, const sni_tree_node *node, uint32_t lane,
                          const float *positions, float sides[6]) {
    if (node->is_leaf[lane]) {
        const uint32_t *vertices = tree->slots[node->children[lane]].vertices;
        for (int i = 0; i < 9; ++i) {
            float x = positions[3 * (size_t)vertices[i / 3] + (size_t)(i % 3)];
            sides[i % 3] = x < sides[i % 3] ? x : sides[i % 3];
            sides[3 + i % 3] = x > sides[3 + i % 3] ? x : sides[3 + i % 3];
        }
        return;
    }
    const sni_tree_node *child = &tree->nodes[node->children[lane]];
    for (uint32_t below = 0; below < child->child_count; ++below) {
        for (int k = 0; k < 3; ++k) {
            float low = child->sides[k][below], high = child->sides[3 + k][below];
            sides[k] = low < sides[k] ? low : sides[k];
            sides[3 + k] = high > sides[3 + k] ? high : sides[3 + k];
        }
    }
}

static bool lane_is_valid(const sni_tree *tree, uint32_t number, uint32_t lane,
                          const float *positions) {
    const sni_tree_node *node = &tree->nodes[number];
    uint32_t child = node->children[lane];
    if (node->is_leaf[lane] ? child >= tree->slot_count
                            : child <= number || child >= tree->node_count) {
        return false;
    }
    float sides[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
    include_child(tree, node, lane, positions, sides);
    for (int k = 0; k < 6; ++k) {
        if (node->sides[k][lane] != sides[k]) {
            return false;
        }
    }
    return true;
}

// Children come in order, so that the sums of numbers say whether each is there once.
bool sni_tree_is_valid(const sni_tree *tree, const float *positions) {
    uint64_t nodes = 0, slots = 0, node_sum = 0, slot_sum = 0;
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        const sni_tree_node *node = &tree->nodes[n];
        if (node->child_count > SNI_TREE_WIDTH || node->child_count < (n == 0 ? 1 : 2)) {
            return false;
        }
        for (uint32_t lane = 0; lane < node->child_count; ++lane) {
            if (!lane_is_valid(tree, n, lane, positions)) {
                return false;
            }
            bool leaf = node->is_leaf[lane];
            nodes += !leaf;
            slots += leaf;
            node_sum += leaf ? 0 : node->children[lane];
            slot_sum += leaf ? node->children[lane] : 0;
        }
    }
    uint64_t n = tree->node_count, s = tree->slot_count;
    return (n == 0 || (nodes == n - 1 && node_sum == n * (n - 1) / 2)) && slots == s &&
           (s == 0 || slot_sum == s * (s - 1) / 2);
}
