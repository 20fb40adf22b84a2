// SPDX-License-Identifier: Apache-2.0
//
// Normals of a mesh whose faces stay while its vertices move: the table of faces at each vertex is
// made once (or taken from sn_topology), and every frame only sums.
#ifndef SINEW_GEOMETRY_NORMALS_H
#define SINEW_GEOMETRY_NORMALS_H

#include "sinew/geometry.h"

// Which faces use each vertex: those of vertex v are faces[offsets[v]] .. faces[offsets[v + 1] -
// 1], rising, each once.
typedef struct sni_vertex_faces {
    uint32_t *offsets; // #V + 1
    uint32_t *faces;
} sni_vertex_faces;

// Makes the table in time and memory linear in the corners.
sn_status sni_vertex_faces_init(sn_context *context, const sn_mesh *mesh, sni_vertex_faces *table,
                                sn_error *error);
void sni_vertex_faces_deinit(sn_context *context, sni_vertex_faces *table);

// As sn_mesh_normals, without allocating: `offsets` and `faces` as above (or vertex_face_offsets
// and vertex_faces of sn_topology), `face_vectors` #F x 3 scratch numbers.
void sni_normals_compute(const sn_mesh *mesh, const float *positions, const uint32_t *offsets,
                         const uint32_t *faces, double *face_vectors, float *normals);

// The sum of the corner triangles' cross products: along the normal, twice the area long (Newell).
sn_vec3 sni_face_vector(const float *positions, const uint32_t *corners, uint32_t corner_count);

#endif
