// SPDX-License-Identifier: Apache-2.0
//
// "This ambiguity can be reduced by defining a coordinate system by introducing three additional
// points for every given point on the deformer surface [...] subsequently subjected to the same
// manipulation function" (Singh and Kokkevis 2000, section 4.2).
#include "base/error.h"
#include "sinew/fit.h"
#include "sinew/vector.h"

#include <string.h>

static double mean_edge(const sn_mesh *mesh) {
    double sum = 0, count = 0;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t first = mesh->face_offsets[f], end = mesh->face_offsets[f + 1];
        for (uint32_t c = first; c < end; ++c) {
            uint32_t next = mesh->corners[c + 1 < end ? c + 1 : first];
            sum += sn_vec3_distance(sn_vec3_load(mesh->positions + 3 * (size_t)mesh->corners[c]),
                                    sn_vec3_load(mesh->positions + 3 * (size_t)next));
            count += 1;
        }
    }
    return sum > 0 ? sum / count : 1;
}

// Every point has the weights of its vertex.
static sn_status copy_weights(const sn_mesh *from, sn_mesh *to, sn_error *error) {
    const sn_weights *weights = from->weights;
    if (weights == NULL) {
        return SN_OK;
    }
    uint64_t count = 3 * (uint64_t)weights->offsets[from->vertex_count];
    if (count >= SN_NONE) {
        return sni_fail(error, SN_LIMIT, "the frame points would have too many weights");
    }
    sn_status status = sn_mesh_set_weights(to, weights->bone_count, (uint32_t)count,
                                           weights->inverse_bind != NULL, error);
    for (uint32_t b = 0; status == SN_OK && b < weights->bone_count; ++b) {
        status = sn_mesh_name_bone(to, b, weights->bone_names[b], error);
        if (weights->inverse_bind != NULL) {
            to->weights->inverse_bind[b] = weights->inverse_bind[b];
        }
    }
    for (uint32_t v = 0, at = 0; status == SN_OK && v < to->vertex_count; ++v) {
        uint32_t first = weights->offsets[v / 3], size = weights->offsets[v / 3 + 1] - first;
        to->weights->offsets[v] = at;
        memcpy(to->weights->bones + at, weights->bones + first, size * sizeof *weights->bones);
        memcpy(to->weights->values + at, weights->values + first, size * sizeof *weights->values);
        at += size;
        to->weights->offsets[v + 1] = at;
    }
    return status;
}

sn_status sn_driver_mesh_frame_points(const sn_mesh *driver, sn_mesh **frames, sn_error *error) {
    sn_mesh *made = NULL;
    sn_status status = SN_OK;
    *frames = NULL;
    SN_TRY(sn_mesh_validate(driver, error));
    if (driver->vertex_count > (SN_NONE - 1) / 3) {
        SN_TRY(sni_fail(error, SN_LIMIT, "\"%s\" has %u vertices", driver->name,
                        driver->vertex_count));
    }
    uint32_t count = 3 * driver->vertex_count;
    float arm = (float)mean_edge(driver);
    SN_TRY(sn_mesh_create(driver->context, driver->name, count, driver->vertex_count, count, &made,
                          error));
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(made->positions + 3 * (size_t)i, driver->positions + 3 * (size_t)(i / 3),
               3 * sizeof(float));
        made->positions[3 * (size_t)i + i % 3] += arm;
        made->corners[i] = i;
        made->face_offsets[i / 3] = i / 3 * 3;
    }
    made->face_offsets[driver->vertex_count] = count;
    SN_TRY(copy_weights(driver, made, error));
    *frames = made;
    made = NULL;
cleanup:
    sn_mesh_destroy(made);
    return status;
}
