// SPDX-License-Identifier: Apache-2.0
//
// The morph targets of a mesh. A mesh with normals gets offsets of its normals with each, or a
// viewer would light the moved surface as if it were at rest; they are computed, since targets
// hold positions alone.
#include "geometry/normals.h"
#include "io/gltf/writer.h"

#include <string.h>

// What it takes to find by how much normals turn.
typedef struct turning {
    sni_vertex_faces vertex_faces;
    double *face_vectors;
    float *positions, *rest, *now; // #V x 3
    uint32_t *turned;              // vertices whose normals do
} turning;

static void free_turning(sn_context *context, turning *t) {
    sni_vertex_faces_deinit(context, &t->vertex_faces);
    sni_free(context, t->face_vectors);
    sni_free(context, t->positions);
    sni_free(context, t->rest);
    sni_free(context, t->now);
    sni_free(context, t->turned);
}

static void compute_normals(const turning *t, const sn_mesh *mesh, const float *positions,
                            float *normals) {
    sni_normals_compute(mesh, positions, t->vertex_faces.offsets, t->vertex_faces.faces,
                        t->face_vectors, normals);
}

static sn_status make_turning(sn_context *context, const sn_mesh *mesh, turning *t,
                              sn_error *error) {
    size_t count = 3 * (size_t)mesh->vertex_count;
    sn_status status = SN_OK;
    SN_TRY(sni_vertex_faces_init(context, mesh, &t->vertex_faces, error));
    SNI_NEW(context, t->face_vectors, 3 * (size_t)mesh->face_count);
    SNI_NEW(context, t->positions, count);
    SNI_NEW(context, t->rest, count);
    SNI_NEW(context, t->now, count);
    SNI_NEW(context, t->turned, mesh->vertex_count);
    compute_normals(t, mesh, mesh->positions, t->rest);
cleanup:
    return status;
}

static void apply_target(const sn_mesh *mesh, const sn_target *target, float *positions) {
    memcpy(positions, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *positions);
    for (uint32_t i = 0; i < target->count; ++i) {
        float *position =
            positions + 3 * (size_t)(target->vertices != NULL ? target->vertices[i] : i);
        for (size_t k = 0; k < 3; ++k) {
            position[k] += target->offsets[3 * (size_t)i + k];
        }
    }
}

static sni_gltf_array offsets_array(const sn_mesh *mesh, const float *offsets) {
    return (sni_gltf_array){.values = offsets,
                            .count = mesh->vertex_count,
                            .width = 3,
                            .component = SNI_GLTF_FLOAT,
                            .target = SNI_GLTF_TARGET_VERTICES,
                            .bounds = true};
}

// Offsets of all normals, of which most turn, as bytes.
static sn_status put_compact_normals(sni_gltf_writer *writer, const sn_mesh *mesh, turning *t,
                                     uint32_t *accessor, sn_error *error) {
    size_t count = 3 * (size_t)mesh->vertex_count;
    for (size_t i = 0; i < count; ++i) {
        t->now[i] -= t->rest[i];
    }
    sni_gltf_round_to_bytes(writer, t->now, count);
    sni_gltf_array array = offsets_array(mesh, t->now);
    return sni_gltf_put_offsets(writer, &array, accessor, error);
}

// Offsets of the normals under a target, sparse: `now` holds those of turned vertices, packed.
static sn_status put_normals(sni_gltf_writer *writer, const sn_mesh *mesh, const sn_target *target,
                             turning *t, uint32_t *accessor, sn_error *error) {
    uint32_t count = 0;
    apply_target(mesh, target, t->positions);
    compute_normals(t, mesh, t->positions, t->now);
    if (writer->compact) {
        return put_compact_normals(writer, mesh, t, accessor, error);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const float *now = t->now + 3 * (size_t)v, *rest = t->rest + 3 * (size_t)v;
        if (memcmp(now, rest, 3 * sizeof *now) != 0) {
            float *packed = t->now + 3 * (size_t)count;
            for (size_t k = 0; k < 3; ++k) {
                packed[k] = now[k] - rest[k];
            }
            t->turned[count++] = v;
        }
    }
    sni_gltf_array array = offsets_array(mesh, t->now);
    return count == mesh->vertex_count
               ? sni_gltf_put_accessor(writer, &array, accessor, error)
               : sni_gltf_put_sparse(writer, &array, t->turned, t->now, count, accessor, error);
}

static sn_status put_positions(sni_gltf_writer *writer, const sn_mesh *mesh,
                               const sn_target *target, uint32_t *accessor, sn_error *error) {
    sni_gltf_array array = offsets_array(mesh, target->offsets);
    return target->vertices != NULL
               ? sni_gltf_put_sparse(writer, &array, target->vertices, target->offsets,
                                     target->count, accessor, error)
           : writer->compact ? sni_gltf_put_offsets(writer, &array, accessor, error)
                             : sni_gltf_put_accessor(writer, &array, accessor, error);
}

sn_status sni_gltf_put_mesh_targets(sni_gltf_writer *writer, const sn_mesh *mesh,
                                    const sni_gltf_mesh_item *item, sn_error *error) {
    turning t = {0};
    sn_status status = SN_OK;
    if (mesh->target_count == 0) {
        return SN_OK;
    }
    if (item->has_normals) {
        SN_TRY(make_turning(writer->context, mesh, &t, error));
    }
    sn_value *weights = sni_gltf_put_array(writer, item->mesh, "weights");
    sn_value *extras = sni_gltf_put_object(writer, item->mesh, "extras");
    sn_value *names = sni_gltf_put_array(writer, extras, "targetNames");
    for (uint32_t i = 0; i < mesh->target_count; ++i) {
        const sn_target *target = &mesh->targets[i];
        uint32_t positions, normals = SN_NONE;
        SN_TRY(put_positions(writer, mesh, target, &positions, error));
        if (item->has_normals) {
            SN_TRY(put_normals(writer, mesh, target, &t, &normals, error));
        }
        sni_gltf_put_target(writer, item, positions, normals);
        sni_gltf_put_number(writer, weights, NULL, target->weight);
        sni_gltf_put_string(writer, names, NULL, target->name);
    }
cleanup:
    free_turning(writer->context, &t);
    return status;
}
