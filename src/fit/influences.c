// SPDX-License-Identifier: Apache-2.0
#include "fit/influences.h"

#include <string.h>

// What is written into a mesh.
typedef struct writer {
    const sni_influence *rows; // vertex_count x width
    uint32_t width;
    const sni_limbs *limbs;
    const sn_skeleton *skeleton;
    sn_mesh *mesh;
    uint32_t *bones; // of each segment, SN_NONE
} writer;

void sni_insert_influence(sni_influence *row, uint32_t width, uint32_t limb, double weight) {
    uint32_t place = width;
    while (place > 0) {
        const sni_influence *other = &row[place - 1];
        if (other->limb != SN_NONE &&
            (other->weight > weight || (other->weight == weight && other->limb < limb))) {
            break;
        }
        --place;
    }
    if (place == width) {
        return;
    }
    memmove(row + place + 1, row + place, (width - place - 1) * sizeof *row);
    row[place] = (sni_influence){limb, weight};
}

void sni_influences_clear(sni_influence *row, uint32_t width) {
    for (uint32_t i = 0; i < width; ++i) {
        row[i] = (sni_influence){SN_NONE, 0};
    }
}

void sni_influences_normalize(sni_influence *row, uint32_t width) {
    double sum = 0;
    for (uint32_t i = 0; i < width; ++i) {
        sum += row[i].weight;
    }
    for (uint32_t i = 0; i < width; ++i) {
        row[i].weight /= sum;
    }
}

// Numbers the limbs that are in use, in the order of the skeleton, and counts the weights.
static uint32_t number_bones(const writer *w, uint32_t *bone_count) {
    uint32_t value_count = 0;
    memset(w->bones, 0, w->limbs->segment_count * sizeof *w->bones);
    for (size_t i = 0; i < (size_t)w->mesh->vertex_count * w->width; ++i) {
        if (w->rows[i].limb != SN_NONE && (float)w->rows[i].weight > 0) {
            w->bones[w->rows[i].limb] = 1;
            value_count += 1;
        }
    }
    *bone_count = 0;
    for (uint32_t i = 0; i < w->limbs->segment_count; ++i) {
        w->bones[i] = w->bones[i] != 0 ? (*bone_count)++ : SN_NONE;
    }
    return value_count;
}

static sn_status name_bones(const writer *w, sn_error *error) {
    sn_weights *weights = w->mesh->weights;
    for (uint32_t i = 0; i < w->skeleton->segment_count; ++i) {
        if (w->bones[i] == SN_NONE) {
            continue;
        }
        const char *name = w->skeleton->segments[i].name;
        sn_status status = sn_mesh_name_bone(w->mesh, w->bones[i], name != NULL ? name : "", error);
        if (status != SN_OK) {
            return status;
        }
        if (weights->inverse_bind != NULL &&
            !sn_mat4_invert(&w->limbs->frames[i], &weights->inverse_bind[w->bones[i]])) {
            return sni_fail(error, SN_INVALID, "segment \"%s\" has no size at rest",
                            name != NULL ? name : "");
        }
    }
    return SN_OK;
}

static void write_values(const writer *w) {
    sn_weights *weights = w->mesh->weights;
    uint32_t count = 0;
    for (uint32_t v = 0; v < w->mesh->vertex_count; ++v) {
        const sni_influence *row = w->rows + (size_t)v * w->width;
        for (uint32_t i = 0; i < w->width; ++i) {
            if (row[i].limb != SN_NONE && (float)row[i].weight > 0) {
                weights->bones[count] = w->bones[row[i].limb];
                weights->values[count++] = (float)row[i].weight;
            }
        }
        weights->offsets[v + 1] = count;
    }
}

sn_status sni_influences_write(const sni_influence *rows, uint32_t width, const sni_limbs *limbs,
                               const sn_skeleton *skeleton, sn_mesh *mesh, uint32_t *bone_count,
                               sn_error *error) {
    sn_status status = SN_OK;
    writer w = {rows, width, limbs, skeleton, mesh, NULL};
    SNI_NEW(mesh->context, w.bones, limbs->segment_count);
    uint32_t value_count = number_bones(&w, bone_count);
    SN_TRY(sn_mesh_set_weights(mesh, *bone_count, value_count, limbs->moved, error));
    SN_TRY(name_bones(&w, error));
    write_values(&w);
cleanup:
    sni_free(mesh->context, w.bones);
    return status;
}
