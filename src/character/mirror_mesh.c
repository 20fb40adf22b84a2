// SPDX-License-Identifier: Apache-2.0
#include "character/mirror_mesh.h"

#include "base/memory.h"
#include "motion/body_names.h"

#include <string.h>

static void reflect_vectors(float *vectors, size_t count, uint32_t width) {
    for (size_t i = 0; i < count; ++i) {
        vectors[i * width] = 0 - vectors[i * width];
    }
}

// The first corner of each face stays.
static void turn_faces(const sn_mesh *mesh, uint32_t *corners) {
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t low = mesh->face_offsets[f] + 1, high = mesh->face_offsets[f + 1];
        while (low + 1 < high) {
            uint32_t corner = corners[low];
            corners[low++] = corners[--high];
            corners[high] = corner;
        }
    }
}

// Directions are known by their names; the handedness of a tangent changes.
static void reflect_attribute(const sn_mesh *mesh, sn_attribute *attribute) {
    bool tangent = strcmp(attribute->name, "tangent") == 0;
    if ((strcmp(attribute->name, "normal") == 0 || tangent) && attribute->width >= 3) {
        reflect_vectors(attribute->values, attribute->count, attribute->width);
    }
    for (uint32_t i = 0; tangent && attribute->width == 4 && i < attribute->count; ++i) {
        attribute->values[4 * (size_t)i + 3] *= -1;
    }
    if (attribute->corner != NULL) {
        turn_faces(mesh, attribute->corner);
    }
}

static sn_status swap_side(sn_context *context, char **name, sn_error *error) {
    char *swapped = NULL;
    sn_status status = *name != NULL ? sni_body_swap_side(context, *name, &swapped, error) : SN_OK;
    if (swapped != NULL) {
        sni_free(context, *name);
        *name = swapped;
    }
    return status;
}

// A bone's frame W becomes M W M, and so does its inverse: signs change where one index is x.
static sn_status reflect_weights(sn_context *context, sn_weights *weights, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t b = 0; b < weights->bone_count && status == SN_OK; ++b) {
        status = swap_side(context, &weights->bone_names[b], error);
        for (uint32_t i = 0; i < 16 && weights->inverse_bind != NULL; ++i) {
            if ((i / 4 == 0) != (i % 4 == 0)) {
                weights->inverse_bind[b].m[i] = 0 - weights->inverse_bind[b].m[i];
            }
        }
    }
    return status;
}

sn_status sni_mirror_mesh(const sn_mesh *mesh, sn_mesh **image, sn_error *error) {
    sn_mesh *made = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_mesh_copy(mesh, &made, error));
    reflect_vectors(made->positions, made->vertex_count, 3);
    turn_faces(made, made->corners);
    for (uint32_t i = 0; i < made->attribute_count; ++i) {
        reflect_attribute(made, &made->attributes[i]);
    }
    for (uint32_t i = 0; i < made->target_count; ++i) {
        reflect_vectors(made->targets[i].offsets, made->targets[i].count, 3);
        SN_TRY(swap_side(made->context, &made->targets[i].name, error));
    }
    if (made->weights != NULL) {
        SN_TRY(reflect_weights(made->context, made->weights, error));
    }
    *image = made;
    return SN_OK;
cleanup:
    sn_mesh_destroy(made);
    return status;
}
