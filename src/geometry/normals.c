// SPDX-License-Identifier: Apache-2.0
//
// Vertex normals in two passes that write to places of their own, so that threads cannot change a
// bit of the result: vectors of all faces, then for each vertex the sum over its faces in rising
// order. Sums are in double: areas of faces between 1e-38 and 1e38 across neither overflow nor
// vanish.
#include "geometry/normals.h"

#include "base/memory.h"
#include "base/rows.h"

#include <string.h>

// Items per block: some tens of microseconds of work.
static const uint32_t face_grain = 4096;
static const uint32_t vertex_grain = 4096;

// Counts (faces NULL) or lists the faces at each vertex. Faces come in order, so a vertex that a
// face uses twice is known by the last face it was seen in.
static void pass_faces(const sn_mesh *mesh, uint32_t *last_face, sni_vertex_faces *table) {
    memset(last_face, 0xff, mesh->vertex_count * sizeof *last_face);
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        for (uint32_t c = mesh->face_offsets[f]; c < mesh->face_offsets[f + 1]; ++c) {
            uint32_t v = mesh->corners[c];
            if (last_face[v] == f) {
                continue;
            }
            last_face[v] = f;
            if (table->faces == NULL) {
                sni_rows_count(table->offsets, v, 1);
            } else {
                table->faces[sni_rows_take(table->offsets, v)] = f;
            }
        }
    }
}

sn_status sni_vertex_faces_init(sn_context *context, const sn_mesh *mesh, sni_vertex_faces *table,
                                sn_error *error) {
    SN_ASSERT(mesh->face_count == 0 || mesh->face_offsets[0] == 0);
    SN_ASSERT(mesh->face_offsets == NULL ||
              mesh->face_offsets[mesh->face_count] == mesh->corner_count);
    sn_status status = SN_OK;
    uint32_t *scratch = NULL;
    *table = (sni_vertex_faces){0};
    SNI_NEW_ZERO(context, table->offsets, (size_t)mesh->vertex_count + 1);
    SNI_NEW(context, scratch, mesh->vertex_count);
    pass_faces(mesh, scratch, table);
    uint32_t face_count = sni_rows_begin(table->offsets, mesh->vertex_count);
    SNI_NEW(context, table->faces, face_count);
    pass_faces(mesh, scratch, table);
    sni_rows_end(table->offsets, mesh->vertex_count);
    sni_free(context, scratch);
    return SN_OK;
cleanup:
    sni_free(context, scratch);
    sni_vertex_faces_deinit(context, table);
    return status;
}

void sni_vertex_faces_deinit(sn_context *context, sni_vertex_faces *table) {
    sni_free(context, table->offsets);
    sni_free(context, table->faces);
    *table = (sni_vertex_faces){0};
}

// Differences to the first corner are exact for neighbouring floats, so that a face far from the
// origin keeps its normal.
sn_vec3 sni_face_vector(const float *positions, const uint32_t *corners, uint32_t corner_count) {
    sn_vec3 sum = {0, 0, 0};
    if (corner_count < 3) {
        return sum;
    }
    sn_vec3 origin = sn_vec3_load(positions + 3 * (size_t)corners[0]);
    sn_vec3 from = sn_vec3_sub(sn_vec3_load(positions + 3 * (size_t)corners[1]), origin);
    for (uint32_t i = 2; i < corner_count; ++i) {
        sn_vec3 to = sn_vec3_sub(sn_vec3_load(positions + 3 * (size_t)corners[i]), origin);
        sum = sn_vec3_add(sum, sn_vec3_cross(from, to));
        from = to;
    }
    return sum;
}

typedef struct normal_job {
    const sn_mesh *mesh;
    const float *positions;
    const uint32_t *offsets;
    const uint32_t *faces;
    double *face_vectors;
    float *normals;
} normal_job;

static void compute_faces(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const normal_job *job = user;
    const uint32_t *offsets = job->mesh->face_offsets;
    for (uint32_t f = begin; f < end; ++f) {
        sn_vec3 vector = sni_face_vector(job->positions, job->mesh->corners + offsets[f],
                                         offsets[f + 1] - offsets[f]);
        double *stored = job->face_vectors + 3 * (size_t)f;
        stored[0] = vector.x;
        stored[1] = vector.y;
        stored[2] = vector.z;
    }
}

static void gather_vertices(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const normal_job *job = user;
    for (uint32_t v = begin; v < end; ++v) {
        sn_vec3 sum = {0, 0, 0};
        for (uint32_t i = job->offsets[v]; i < job->offsets[v + 1]; ++i) {
            const double *vector = job->face_vectors + 3 * (size_t)job->faces[i];
            sum = sn_vec3_add(sum, sn_vec3_make(vector[0], vector[1], vector[2]));
        }
        sn_vec3_store(sn_vec3_normalize_or(sum, sn_vec3_make(0, 1, 0)),
                      job->normals + 3 * (size_t)v);
    }
}

void sni_normals_compute(const sn_mesh *mesh, const float *positions, const uint32_t *offsets,
                         const uint32_t *faces, double *face_vectors, float *normals) {
    SN_ASSERT(mesh->vertex_count == 0 || (positions != NULL && normals != NULL));
    SN_ASSERT(offsets != NULL && faces != NULL);
    normal_job job = {.mesh = mesh,
                      .positions = positions,
                      .offsets = offsets,
                      .faces = faces,
                      .face_vectors = face_vectors,
                      .normals = normals};
    sn_parallel_for(mesh->context, mesh->face_count, face_grain, compute_faces, &job);
    sn_parallel_for(mesh->context, mesh->vertex_count, vertex_grain, gather_vertices, &job);
}

sn_status sn_mesh_normals(const sn_mesh *mesh, const float *positions, float *normals,
                          sn_error *error) {
    sn_status status = SN_OK;
    double *face_vectors = NULL;
    sni_vertex_faces table = {0};
    SN_TRY(sni_vertex_faces_init(mesh->context, mesh, &table, error));
    SNI_NEW(mesh->context, face_vectors, (size_t)mesh->face_count * 3);
    sni_normals_compute(mesh, positions, table.offsets, table.faces, face_vectors, normals);
cleanup:
    sni_free(mesh->context, face_vectors);
    sni_vertex_faces_deinit(mesh->context, &table);
    return status;
}
