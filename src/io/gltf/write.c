// SPDX-License-Identifier: Apache-2.0
//
// A mesh as it is, and moving points, as .glb.
//
// Moving points become morph targets, one per frame: offsets from the mesh's own positions, sparse
// where that is smaller. Their weights are animated so that each frame is reached exactly and its
// neighbours are blended in between (target f has weight 1 at key f and 0 at all others). A mesh
// with normals gets offsets of its normals too, or a viewer would light the moved surface as if it
// were at rest. Offsets go to disk as they come; what stays in memory is a few numbers per frame.
#include "geometry/normals.h"
#include "io/export.h"
#include "io/gltf/writer.h"

#include <stdio.h>
#include <string.h>

// Up to this many frames the frames x frames weights are written out in full (1 MiB), which the
// simplest viewers read; beyond it as a sparse accessor that holds the ones alone.
static const uint32_t dense_frames = 512;

static uint32_t put_mesh_node(sni_gltf_writer *writer, const sn_mesh *mesh, uint32_t mesh_index) {
    uint32_t index;
    sn_value *node = sni_gltf_put_item(writer, SNI_GLTF_NODES, &index);
    sni_gltf_put_string(writer, node, "name", mesh->name);
    sni_gltf_put_number(writer, node, "mesh", mesh_index);
    return index;
}

sn_status sni_write_gltf_mesh(const sn_mesh *mesh, const char *path, sn_error *error) {
    sn_status status = SN_OK;
    sni_gltf_writer writer = {0};
    sni_gltf_mesh_item item = {0};
    SN_TRY(sni_gltf_writer_init(&writer, mesh->context, path, error));
    SN_TRY(sni_gltf_put_mesh(&writer, mesh, &item, error));
    SN_TRY(sni_gltf_put_mesh_targets(&writer, mesh, &item, error));
    uint32_t node = put_mesh_node(&writer, mesh, item.index);
    sni_gltf_put_scene(&writer, &node, 1);
    SN_TRY(sni_gltf_writer_finish(&writer, error));
cleanup:
    sni_free(mesh->context, item.primitives);
    sni_gltf_writer_deinit(&writer);
    sni_error_source(error, path);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Moving points

typedef struct moving_mesh {
    const sn_mesh *mesh;
    sni_gltf_mesh_item item;
    // With normals only, else NULL.
    sni_vertex_faces vertex_faces;
    double *face_vectors;
    float *rest_normals; // as computed, not as given: what counts is by how much they change
    float *normals;
} moving_mesh;

typedef struct points {
    sn_context *context;
    sni_gltf_writer writer;
    uint32_t mesh_count;
    moving_mesh *meshes;
    double rate;
    uint32_t first_frame;
    uint32_t frame_count; // added so far
    float *offsets;       // 3 x the largest vertex count
    uint32_t *moved;      // vertices that moved
} points;

static void points_free(points *p) {
    sn_context *context = p->context;
    for (uint32_t i = 0; p->meshes != NULL && i < p->mesh_count; ++i) {
        moving_mesh *m = &p->meshes[i];
        sni_free(context, m->item.primitives);
        sni_vertex_faces_deinit(context, &m->vertex_faces);
        sni_free(context, m->face_vectors);
        sni_free(context, m->rest_normals);
        sni_free(context, m->normals);
    }
    sni_gltf_writer_deinit(&p->writer);
    sni_free(context, p->meshes);
    sni_free(context, p->offsets);
    sni_free(context, p->moved);
    sni_free(context, p);
}

static void compute_normals(const moving_mesh *m, const float *positions, float *normals) {
    sni_normals_compute(m->mesh, positions, m->vertex_faces.offsets, m->vertex_faces.faces,
                        m->face_vectors, normals);
}

static sn_status begin_mesh(points *p, const sn_mesh *mesh, moving_mesh *m, sn_error *error) {
    sn_status status = SN_OK;
    size_t number_count = 3 * (size_t)mesh->vertex_count;
    m->mesh = mesh;
    SN_TRY(sni_gltf_put_mesh(&p->writer, mesh, &m->item, error));
    if (m->item.has_normals) {
        SN_TRY(sni_vertex_faces_init(p->context, mesh, &m->vertex_faces, error));
        SNI_NEW(p->context, m->face_vectors, 3 * (size_t)mesh->face_count);
        SNI_NEW(p->context, m->rest_normals, number_count);
        SNI_NEW(p->context, m->normals, number_count);
        compute_normals(m, mesh->positions, m->rest_normals);
    }
cleanup:
    return status;
}

static sn_status points_begin(sn_context *context, const sn_file_set *files, const char *path,
                              const sn_export_desc *desc, void **state, sn_error *error) {
    (void)files; // one file holds everything
    sn_status status = SN_OK;
    points *p = NULL;
    uint32_t largest = 0;
    SNI_NEW_ZERO(context, p, 1);
    p->context = context;
    p->rate = desc->rate;
    p->first_frame = desc->first_frame;
    p->mesh_count = desc->mesh_count;
    SNI_NEW_ZERO(context, p->meshes, desc->mesh_count);
    SN_TRY(sni_gltf_writer_init(&p->writer, context, path, error));
    for (uint32_t i = 0; i < desc->mesh_count; ++i) {
        const sn_mesh *mesh = desc->meshes[i];
        largest = mesh->vertex_count > largest ? mesh->vertex_count : largest;
        SN_TRY(begin_mesh(p, mesh, &p->meshes[i], error));
    }
    SNI_NEW(context, p->offsets, (size_t)largest * 3);
    SNI_NEW(context, p->moved, largest);
    *state = p;
    return SN_OK;
cleanup:
    if (p != NULL) {
        points_free(p);
    }
    return status;
}

// Fills `offsets` (now - rest) and `moved`; returns how many of them are not zero.
static uint32_t find_offsets(points *p, uint32_t count, const float *rest, const float *now) {
    uint32_t moved = 0;
    for (uint32_t v = 0; v < count; ++v) {
        float *offset = p->offsets + 3 * (size_t)v;
        for (int k = 0; k < 3; ++k) {
            offset[k] = now[3 * (size_t)v + k] - rest[3 * (size_t)v + k];
        }
        if (offset[0] != 0 || offset[1] != 0 || offset[2] != 0) {
            p->moved[moved++] = v;
        }
    }
    return moved;
}

static sn_status put_offsets(points *p, uint32_t count, const float *rest, const float *now,
                             uint32_t *accessor, sn_error *error) {
    uint32_t moved = find_offsets(p, count, rest, now);
    sni_gltf_array array = {.values = p->offsets,
                            .count = count,
                            .width = 3,
                            .component = SNI_GLTF_FLOAT,
                            .target = SNI_GLTF_TARGET_VERTICES,
                            .bounds = true};
    size_t index_size = count > UINT16_MAX ? 4 : 2;
    if (moved * (index_size + 12) >= count * (size_t)12) {
        return sni_gltf_put_accessor(&p->writer, &array, accessor, error);
    }
    for (size_t i = 0; i < moved; ++i) { // packs in place: moved[i] >= i
        memmove(p->offsets + 3 * i, p->offsets + 3 * (size_t)p->moved[i], 3 * sizeof *p->offsets);
    }
    return sni_gltf_put_sparse(&p->writer, &array, p->moved, p->offsets, moved, accessor, error);
}

static sn_status points_add(void *state, const float *const *positions, sn_error *error) {
    points *p = state;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < p->mesh_count; ++i) {
        moving_mesh *m = &p->meshes[i];
        uint32_t count = m->mesh->vertex_count;
        uint32_t moved, turned = SN_NONE;
        SN_TRY(put_offsets(p, count, m->mesh->positions, positions[i], &moved, error));
        if (m->item.has_normals) {
            compute_normals(m, positions[i], m->normals);
            SN_TRY(put_offsets(p, count, m->rest_normals, m->normals, &turned, error));
        }
        sni_gltf_put_target(&p->writer, &m->item, moved, turned);
    }
    p->frame_count++;
cleanup:
    return status;
}

static sn_status put_times(points *p, uint32_t *accessor, sn_error *error) {
    sn_status status = SN_OK;
    float *times = NULL;
    SNI_NEW(p->context, times, p->frame_count);
    for (uint32_t i = 0; i < p->frame_count; ++i) {
        times[i] = (float)(i / p->rate);
        if (i > 0 && times[i] <= times[i - 1]) {
            status = sni_fail(error, SN_LIMIT, "frame %u of %g per second has no time of its own",
                              i, p->rate);
            goto cleanup;
        }
    }
    sni_gltf_array array = {.values = times,
                            .count = p->frame_count,
                            .width = 1,
                            .component = SNI_GLTF_FLOAT,
                            .bounds = true};
    SN_TRY(sni_gltf_put_accessor(&p->writer, &array, accessor, error));
cleanup:
    sni_free(p->context, times);
    return status;
}

// The frames x frames identity matrix.
static sn_status put_weights(points *p, uint32_t *accessor, sn_error *error) {
    sn_status status = SN_OK;
    float *values = NULL;
    uint32_t *places = NULL;
    uint32_t n = p->frame_count;
    sni_gltf_array array = {.count = n * n, .width = 1, .component = SNI_GLTF_FLOAT};
    if ((uint64_t)n * n >= SN_NONE) {
        return sni_fail(error, SN_LIMIT, "%u frames are too many for morph targets", n);
    }
    if (n <= dense_frames) {
        SNI_NEW_ZERO(p->context, values, (size_t)n * n);
        for (uint32_t i = 0; i < n; ++i) {
            values[(size_t)i * n + i] = 1;
        }
        array.values = values;
        SN_TRY(sni_gltf_put_accessor(&p->writer, &array, accessor, error));
    } else {
        SNI_NEW(p->context, values, n);
        SNI_NEW(p->context, places, n);
        for (uint32_t i = 0; i < n; ++i) {
            values[i] = 1;
            places[i] = i * n + i;
        }
        SN_TRY(sni_gltf_put_sparse(&p->writer, &array, places, values, n, accessor, error));
    }
cleanup:
    sni_free(p->context, values);
    sni_free(p->context, places);
    return status;
}

static void put_frame_names(points *p, const sni_gltf_mesh_item *item) {
    sn_value *extras = sni_gltf_put_object(&p->writer, item->mesh, "extras");
    sn_value *names = sni_gltf_put_array(&p->writer, extras, "targetNames");
    for (uint32_t i = 0; i < p->frame_count; ++i) {
        char name[32];
        snprintf(name, sizeof name, "frame_%04u", p->first_frame + i);
        sni_gltf_put_string(&p->writer, names, NULL, name);
    }
}

static sn_status put_animation(points *p, const uint32_t *nodes, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t times, weights, index;
    SN_TRY(put_times(p, &times, error));
    SN_TRY(put_weights(p, &weights, error));
    sni_gltf_writer *w = &p->writer;
    sn_value *animation = sni_gltf_put_item(w, SNI_GLTF_ANIMATIONS, &index);
    sni_gltf_put_string(w, animation, "name", "frames");
    sn_value *sampler = sni_gltf_put_object(w, sni_gltf_put_array(w, animation, "samplers"), NULL);
    sni_gltf_put_number(w, sampler, "input", times);
    sni_gltf_put_number(w, sampler, "output", weights);
    sni_gltf_put_string(w, sampler, "interpolation", "LINEAR");
    sn_value *channels = sni_gltf_put_array(w, animation, "channels");
    for (uint32_t i = 0; i < p->mesh_count; ++i) {
        sn_value *channel = sni_gltf_put_object(w, channels, NULL);
        sni_gltf_put_number(w, channel, "sampler", 0);
        sn_value *target = sni_gltf_put_object(w, channel, "target");
        sni_gltf_put_number(w, target, "node", nodes[i]);
        sni_gltf_put_string(w, target, "path", "weights");
    }
cleanup:
    return status;
}

static sn_status points_end(void *state, sn_error *error) {
    points *p = state;
    sn_status status = SN_OK;
    uint32_t *nodes = NULL;
    SNI_NEW(p->context, nodes, p->mesh_count);
    for (uint32_t i = 0; i < p->mesh_count; ++i) {
        nodes[i] = put_mesh_node(&p->writer, p->meshes[i].mesh, p->meshes[i].item.index);
        if (p->frame_count > 0) {
            put_frame_names(p, &p->meshes[i].item);
        }
    }
    sni_gltf_put_scene(&p->writer, nodes, p->mesh_count);
    if (p->frame_count > 0) {
        SN_TRY(put_animation(p, nodes, error));
    }
    SN_TRY(sni_gltf_writer_finish(&p->writer, error));
cleanup:
    sni_free(p->context, nodes);
    points_free(p);
    return status;
}

static void points_cancel(void *state) {
    points_free(state);
}

const sni_points_ops sni_write_gltf_points = {
    .extension = ".glb",
    .many_meshes = true,
    .begin = points_begin,
    .add = points_add,
    .end = points_end,
    .cancel = points_cancel,
};
