// SPDX-License-Identifier: Apache-2.0
//
// Weights of a driver mesh taken over from its skin: what a rigger has painted is better than any
// guess from distances. A vertex of the driver stands for all vertices of the skin that were merged
// into it and takes the mean of their weights.
#include "fit/driver_weights.h"

#include "base/text.h"

#include <string.h>

typedef struct inherit {
    const sni_driver_skin *skin;
    uint32_t vertex_count; // of the driver
    uint32_t *offsets;     // vertex_count + 1: where the skin's vertices of each begin in `members`
    uint32_t *members;     // skin vertices, numbered over all meshes, by driver vertex
    uint32_t *firsts;      // mesh_count + 1: number of each mesh's first vertex
    uint32_t **segments;   // mesh_count: segment of each bone, SN_NONE; NULL without weights
    double *totals;        // segment_count, all 0 between vertices
} inherit;

static sn_status map_bones(sn_context *context, inherit *in, const sni_name_index *names,
                           sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t m = 0; m < in->skin->mesh_count; ++m) {
        const sn_weights *weights = in->skin->meshes[m]->weights;
        in->firsts[m + 1] = in->firsts[m] + in->skin->meshes[m]->vertex_count;
        if (weights == NULL) {
            continue;
        }
        SNI_NEW(context, in->segments[m], weights->bone_count);
        for (uint32_t i = 0; i < weights->bone_count; ++i) {
            in->segments[m][i] = sni_name_index_find(names, weights->bone_names[i]);
        }
    }
cleanup:
    return status;
}

// Sorts the skin's vertices by the vertex of the driver that they were merged into.
static sn_status sort_members(sn_context *context, inherit *in, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t skin_count = in->firsts[in->skin->mesh_count];
    SNI_NEW_ZERO(context, in->offsets, (size_t)in->vertex_count + 2);
    SNI_NEW(context, in->members, skin_count);
    for (uint32_t v = 0; v < skin_count; ++v) {
        if (in->skin->merged[v] != SN_NONE) {
            in->offsets[in->skin->merged[v] + 2]++;
        }
    }
    for (uint32_t v = 0; v < in->vertex_count; ++v) {
        in->offsets[v + 2] += in->offsets[v + 1];
    }
    for (uint32_t v = 0; v < skin_count; ++v) {
        if (in->skin->merged[v] != SN_NONE) {
            in->members[in->offsets[in->skin->merged[v] + 1]++] = v;
        }
    }
cleanup:
    return status;
}

// Adds the weights of a vertex of the skin, scaled to sum to one.
static void add_member(inherit *in, uint32_t member) {
    uint32_t m = 0;
    while (in->firsts[m + 1] <= member) {
        ++m;
    }
    const sn_weights *weights = in->skin->meshes[m]->weights;
    if (weights == NULL) {
        return;
    }
    uint32_t v = member - in->firsts[m];
    double sum = 0;
    for (uint32_t i = weights->offsets[v]; i < weights->offsets[v + 1]; ++i) {
        sum += in->segments[m][weights->bones[i]] != SN_NONE ? (double)weights->values[i] : 0;
    }
    for (uint32_t i = weights->offsets[v]; i < weights->offsets[v + 1] && sum > 0; ++i) {
        uint32_t segment = in->segments[m][weights->bones[i]];
        if (segment != SN_NONE) {
            in->totals[segment] += weights->values[i] / sum;
        }
    }
}

// Writes the row of a vertex and leaves the totals at 0.
static void write_row(inherit *in, uint32_t segment_count, uint32_t width, sni_influence *row) {
    double sum = 0;
    bool begun = false;
    for (uint32_t s = 0; s < segment_count; ++s) {
        if (in->totals[s] > 0) {
            for (uint32_t i = 0; i < width && !begun; ++i) {
                row[i] = (sni_influence){SN_NONE, 0};
            }
            begun = true;
            sni_insert_influence(row, width, s, in->totals[s]);
            in->totals[s] = 0;
        }
    }
    for (uint32_t i = 0; i < width; ++i) {
        sum += row[i].weight;
    }
    for (uint32_t i = 0; i < width && begun; ++i) {
        row[i].weight /= sum;
    }
}

static void free_inherit(sn_context *context, inherit *in) {
    for (uint32_t m = 0; in->segments != NULL && m < in->skin->mesh_count; ++m) {
        sni_free(context, in->segments[m]);
    }
    sni_free(context, in->segments);
    sni_free(context, in->firsts);
    sni_free(context, in->offsets);
    sni_free(context, in->members);
    sni_free(context, in->totals);
}

sn_status sni_driver_inherit(sn_context *context, const sni_driver_skin *skin,
                             const sn_skeleton *skeleton, uint32_t vertex_count, uint32_t width,
                             sni_influence *rows, sn_error *error) {
    SN_ASSERT(width > 0);
    SN_ASSERT(vertex_count == 0 || rows != NULL);
    inherit in = {.skin = skin, .vertex_count = vertex_count};
    sni_name_index names = {0};
    sn_status status = SN_OK;
    SN_TRY(sni_name_index_init(context, &names,
                               skeleton->segment_count > 0 ? &skeleton->segments[0].name : NULL,
                               sizeof *skeleton->segments, skeleton->segment_count, error));
    SNI_NEW_ZERO(context, in.firsts, (size_t)skin->mesh_count + 1);
    SNI_NEW_ZERO(context, in.segments, skin->mesh_count);
    SNI_NEW_ZERO(context, in.totals, skeleton->segment_count);
    SN_TRY(map_bones(context, &in, &names, error));
    SN_TRY(sort_members(context, &in, error));
    for (uint32_t v = 0; v < vertex_count; ++v) {
        for (uint32_t i = in.offsets[v]; i < in.offsets[v + 1]; ++i) {
            add_member(&in, in.members[i]);
        }
        write_row(&in, skeleton->segment_count, width, rows + (size_t)v * width);
    }
cleanup:
    sni_name_index_deinit(context, &names);
    free_inherit(context, &in);
    return status;
}
