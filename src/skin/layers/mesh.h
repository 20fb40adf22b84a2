// SPDX-License-Identifier: Apache-2.0
//
// The columns of a skin (solver/flesh.h), and how its vertices follow them.
//
// Vertices that stand in one place at rest, as files draw them twice along seams of textures, are
// one; those of lips and lids that touch are not, since their surfaces look at each other. Each
// place is a column, unless there are more of them than wanted: then columns are some of the skin's
// own vertices, as dense as density.h says, with triangles that keep its holes and handles
// (sn_decimate).
//
//     skin vertex v --- place --- own column k, and the seven next to it of two rings
//
//     v = sum_k w_k (x_k + R_k (v0 - x0_k)),    w = (1 - (d / d9)^2)^2,  sum w = 1
//
// A vertex in the place of its own column follows this one alone.
#ifndef SINEW_SKIN_LAYERS_MESH_H
#define SINEW_SKIN_LAYERS_MESH_H

#include "geometry/surface_graph.h"
#include "kind/component.h"
#include "sinew/mesh.h"

// Columns that a vertex follows, at most.
enum { SNI_LAYERS_FOLLOWED = 8 };

typedef struct sni_layers_mesh {
    sn_context *context;
    uint32_t vertex_count;
    float *rest;             // vertex_count x 3: the skin at rest
    uint32_t triangle_count; // of the skin, without those that are flat where it is welded
    uint32_t *triangles;     // x 3 places
    uint32_t *places;        // vertex_count: the first vertex in the same place
    uint32_t column_count;
    uint32_t *columns; // column_count: vertices
    uint32_t *owns;    // vertex_count: the column that each is nearest to
    float *points;     // column_count x 3: columns at rest
    uint32_t column_triangle_count;
    uint32_t *column_triangles; // x 3 columns
    uint32_t *around_starts;    // column_count + 1: triangles at each column
    uint32_t *around;
    sni_surface_graph graph; // of columns
    uint32_t *follow_starts; // vertex_count + 1
    uint32_t *follow_columns;
    float *follow_weights;
    bool is_whole; // every place is a column
} sni_layers_mesh;

typedef struct sni_layers_mesh_desc {
    const sn_mesh *mesh;
    const float *rest;     // x 3: vertices where the skin stands at rest
    uint32_t most_columns; // as far as the surface's shape allows
    uint32_t pin_count;    // vertices whose places are columns
    const uint32_t *pins;
    // What columns stand dense by (density.h).
    uint32_t tied_count;
    const sni_component *tied;
    double spread;
} sni_layers_mesh_desc;

// `progress` may be NULL.
sn_status sni_layers_mesh_init(sn_context *context, const sni_layers_mesh_desc *desc,
                               const sn_progress *progress, sni_layers_mesh *made, sn_error *error);
void sni_layers_mesh_deinit(sni_layers_mesh *made);
size_t sni_layers_mesh_bytes(const sni_layers_mesh *mesh);

// Normals of columns at `points` (`stride` numbers each), by the areas of their triangles: x 3;
// loose columns have (0, 1, 0).
void sni_layers_normals(const sni_layers_mesh *mesh, const float *points, uint32_t stride,
                        float *normals);

// The mean length of a column's edges at rest.
double sni_layers_edge(const sni_layers_mesh *mesh, uint32_t column);

// Writes the vertices (x 3) that follow columns: points and rotations (x 4 each). `rest` are the
// vertices at rest in this frame, which differ from the mesh's where something has moved them
// before; NULL: they do not.
void sni_layers_mesh_follow(const sni_layers_mesh *mesh, const float *rest, const float *skin,
                            const float *rotations, float *vertices);

#endif
