// SPDX-License-Identifier: Apache-2.0
//
// Subdivision of polygon meshes into quads after Catmull and Clark, "Recursively generated B-spline
// surfaces on arbitrary topological meshes", 1978. With n edges at a vertex v, Q the mean of the
// points of its faces and R the mean of the middles of its edges:
//     face point      F = mean of the corners
//     edge point      E = (a + b + F1 + F2) / 4
//     vertex point    V = (Q + 2 R + (n - 3) v) / n
// Along borders the cubic B-spline of the border alone counts:
//     edge point      E = (a + b) / 2
//     vertex point    V = (a + 6 v + b) / 8
#include "sinew/geometry.h"

#include "base/memory.h"

// Rows of weights while they are made. `sums` is zero wherever the row has not been.
typedef struct row_maker {
    const sn_mesh *mesh;
    const sn_topology *topology;
    sn_refinement *made;
    double *sums;      // #V
    uint32_t *touched; // #V: the vertices of the row, in the order in which they came
    uint32_t touched_count;
    uint32_t entry; // of made->sources
} row_maker;

static void add_vertex(row_maker *maker, uint32_t vertex, double weight) {
    if (maker->sums[vertex] == 0 && weight != 0) {
        maker->touched[maker->touched_count++] = vertex;
    }
    maker->sums[vertex] += weight;
}

static void add_face(row_maker *maker, uint32_t face, double weight) {
    uint32_t begin = maker->mesh->face_offsets[face], end = maker->mesh->face_offsets[face + 1];
    for (uint32_t c = begin; c < end; ++c) {
        add_vertex(maker, maker->mesh->corners[c], weight / (end - begin));
    }
}

static void add_edge(row_maker *maker, uint32_t edge, double weight) {
    add_vertex(maker, maker->topology->edges[2 * (size_t)edge], weight / 2);
    add_vertex(maker, maker->topology->edges[2 * (size_t)edge + 1], weight / 2);
}

// Weights are positive in every row but those of a vertex with two faces (n - 3 < 0), whose own
// weight is still above 0, so that no sum comes back to 0 while its row is made.
static void end_row(row_maker *maker, uint32_t row) {
    for (uint32_t i = 0; i < maker->touched_count; ++i) {
        uint32_t vertex = maker->touched[i];
        maker->made->sources[maker->entry] = vertex;
        maker->made->weights[maker->entry++] = maker->sums[vertex];
        maker->sums[vertex] = 0;
    }
    maker->touched_count = 0;
    maker->made->offsets[row + 1] = maker->entry;
}

static bool is_inner(const sn_topology *topology, uint32_t edge) {
    return topology->edge_face_offsets[edge + 1] - topology->edge_face_offsets[edge] == 2;
}

static void make_vertex_row(row_maker *maker, uint32_t vertex) {
    const sn_topology *t = maker->topology;
    uint32_t first_edge = t->vertex_edge_offsets[vertex], first_face;
    uint32_t edge_count = t->vertex_edge_offsets[vertex + 1] - first_edge, border_edges = 0;
    for (uint32_t i = 0; i < edge_count; ++i) {
        border_edges += !is_inner(t, t->vertex_edges[first_edge + i]);
    }
    first_face = t->vertex_face_offsets[vertex];
    uint32_t face_count = t->vertex_face_offsets[vertex + 1] - first_face;
    if (edge_count == 0 || (border_edges != 0 && border_edges != 2)) {
        add_vertex(maker, vertex, 1);
    } else if (border_edges == 2) {
        add_vertex(maker, vertex, 0.5);
        for (uint32_t i = 0; i < edge_count; ++i) {
            uint32_t edge = t->vertex_edges[first_edge + i];
            add_edge(maker, edge, is_inner(t, edge) ? 0 : 0.25);
        }
    } else {
        double n = edge_count;
        for (uint32_t i = 0; i < edge_count; ++i) {
            add_edge(maker, t->vertex_edges[first_edge + i], 2 / (n * n));
        }
        for (uint32_t i = 0; i < face_count; ++i) {
            add_face(maker, t->vertex_faces[first_face + i], 1 / (n * face_count));
        }
        add_vertex(maker, vertex, (n - 3) / n);
    }
    end_row(maker, vertex);
}

static void make_edge_row(row_maker *maker, uint32_t edge) {
    const sn_topology *t = maker->topology;
    uint32_t first = t->edge_face_offsets[edge];
    bool inner = is_inner(t, edge);
    add_edge(maker, edge, inner ? 0.5 : 1);
    for (uint32_t i = 0; i < 2 && inner; ++i) {
        add_face(maker, t->edge_faces[first + i], 0.25);
    }
    end_row(maker, maker->mesh->vertex_count + edge);
}

static void make_rows(row_maker *maker) {
    const sn_mesh *mesh = maker->mesh;
    uint32_t edge_count = maker->topology->edge_count;
    maker->made->offsets[0] = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        make_vertex_row(maker, v);
    }
    for (uint32_t e = 0; e < edge_count; ++e) {
        make_edge_row(maker, e);
    }
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        add_face(maker, f, 1);
        end_row(maker, mesh->vertex_count + edge_count + f);
    }
}

// No row is longer than what its faces have for corners and its edges for ends, and each face is in
// the rows of its own point, its corners and its edges.
static size_t entry_bound(const sn_mesh *mesh, const sn_topology *topology) {
    size_t bound = mesh->vertex_count + 6 * (size_t)topology->edge_count;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        size_t corners = mesh->face_offsets[f + 1] - mesh->face_offsets[f];
        bound += corners * (2 * corners + 1);
    }
    return bound;
}

static void make_quads(const sn_mesh *mesh, const sn_topology *topology, sn_refinement *made) {
    uint32_t first_edge = mesh->vertex_count, first_face = first_edge + topology->edge_count;
    for (uint32_t e = 0; e < topology->edge_count; ++e) {
        uint32_t end = topology->edge_face_offsets[e + 1];
        for (uint32_t i = topology->edge_face_offsets[e]; i < end; ++i) {
            uint32_t corner = topology->edge_corners[i], face = topology->edge_faces[i];
            uint32_t next =
                corner + 1 < mesh->face_offsets[face + 1] ? corner + 1 : mesh->face_offsets[face];
            made->quads[4 * (size_t)corner] = mesh->corners[corner];
            made->quads[4 * (size_t)corner + 1] = first_edge + e;
            made->quads[4 * (size_t)corner + 2] = first_face + face;
            made->quads[4 * (size_t)next + 3] = first_edge + e;
        }
    }
}

// Every corner starts an edge then, and every face has a point of its own.
static sn_status check_faces(const sn_mesh *mesh, sn_error *error) {
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t begin = mesh->face_offsets[f], end = mesh->face_offsets[f + 1];
        if (end - begin < 3) {
            return sni_fail(error, SN_INVALID, "face %u has %u corners; to be refined it needs 3",
                            f, end - begin);
        }
        for (uint32_t c = begin; c < end; ++c) {
            for (uint32_t other = begin; other < c; ++other) {
                if (mesh->corners[c] == mesh->corners[other]) {
                    return sni_fail(error, SN_INVALID, "face %u has vertex %u twice", f,
                                    mesh->corners[c]);
                }
            }
        }
    }
    return SN_OK;
}

void sn_refinement_destroy(sn_refinement *refinement) {
    if (refinement != NULL) {
        sn_context *context = refinement->context;
        sni_free(context, refinement->offsets);
        sni_free(context, refinement->sources);
        sni_free(context, refinement->weights);
        sni_free(context, refinement->quads);
        sni_free(context, refinement);
    }
}

sn_status sn_mesh_refine(const sn_mesh *mesh, sn_refinement **refinement, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = mesh->context;
    sn_topology *topology = NULL;
    sn_refinement *made = NULL;
    row_maker maker = {.mesh = mesh};
    *refinement = NULL;
    SN_TRY(check_faces(mesh, error));
    SN_TRY(sn_topology_create(mesh, &topology, error));
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->vertex_count = mesh->vertex_count + topology->edge_count + mesh->face_count;
    made->quad_count = mesh->corner_count;
    SNI_NEW(context, made->offsets, (size_t)made->vertex_count + 1);
    SNI_NEW(context, made->sources, entry_bound(mesh, topology));
    SNI_NEW(context, made->weights, entry_bound(mesh, topology));
    SNI_NEW(context, made->quads, (size_t)made->quad_count * 4);
    SNI_NEW_ZERO(context, maker.sums, mesh->vertex_count);
    SNI_NEW(context, maker.touched, mesh->vertex_count);
    maker.topology = topology;
    maker.made = made;
    make_rows(&maker);
    make_quads(mesh, topology, made);
    *refinement = made;
    made = NULL;
cleanup:
    sni_free(context, maker.sums);
    sni_free(context, maker.touched);
    sn_refinement_destroy(made);
    sn_topology_destroy(topology);
    return status;
}

void sn_refinement_apply(const sn_refinement *refinement, const double *values, uint32_t width,
                         double *finer) {
    for (uint32_t i = 0; i < refinement->vertex_count; ++i) {
        for (uint32_t k = 0; k < width; ++k) {
            double sum = 0;
            for (uint32_t e = refinement->offsets[i]; e < refinement->offsets[i + 1]; ++e) {
                sum += refinement->weights[e] * values[(size_t)refinement->sources[e] * width + k];
            }
            finer[(size_t)i * width + k] = sum;
        }
    }
}
