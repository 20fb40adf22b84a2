// SPDX-License-Identifier: Apache-2.0
//
// Weights painted over those of a mesh (docs/blend.md#paint). An entry gives a vertex the weight w
// on a segment; with s the sum of its other weights, each of them becomes (1 - w) / s of itself.
// Where s is 0 there is nothing to scale: the segment has it all. A vertex without any weights that
// is painted with 0 stays so.
#include "eval/points.h"

#include <string.h>

// Rows of weights with room for what is painted.
typedef struct painter {
    const sni_paint_job *job;
    const sn_weights *weights; // of the mesh
    uint32_t bone_count;       // with those that are added
    uint32_t *segments;        // of these bones
    uint32_t *entry_bones;     // of each entry of the list
    size_t *offsets;           // #V + 1: where rows begin
    uint32_t *counts;          // #V: as long as they are
    uint32_t *bones;
    double *values;
    uint8_t *marks;      // #V: points of an entry
    float *point_values; // #V: their values
} painter;

// The bone of each entry's segment: one of the mesh's, or one that is added.
static sn_status find_bones(painter *p, sn_error *error) {
    const sni_paint_job *job = p->job;
    uint32_t entry_count = job->entry_count;
    sn_status status = SN_OK;
    SNI_NEW(job->context, p->entry_bones, entry_count);
    SNI_NEW(job->context, p->segments, (size_t)p->weights->bone_count + entry_count);
    memcpy(p->segments, job->bone_segments, p->weights->bone_count * sizeof *p->segments);
    p->bone_count = p->weights->bone_count;
    for (uint32_t i = 0; i < entry_count; ++i) {
        uint32_t segment = job->entries[i].segment, bone = 0;
        while (bone < p->bone_count && p->segments[bone] != segment) {
            ++bone;
        }
        if (bone == p->bone_count) {
            p->segments[p->bone_count++] = segment;
        }
        p->entry_bones[i] = bone;
    }
cleanup:
    return status;
}

static sn_status read_entry(painter *p, uint32_t entry, sn_error *error) {
    memset(p->marks, 0, p->job->mesh->vertex_count);
    return sni_point_values_read(&p->job->entries[entry].points, p->job->mesh, p->marks,
                                 p->point_values, error);
}

// Every entry may add one weight to the rows of its points.
static sn_status make_room(painter *p, sn_error *error) {
    sn_context *context = p->job->context;
    uint32_t count = p->job->mesh->vertex_count;
    sn_status status = SN_OK;
    SNI_NEW(context, p->marks, count);
    SNI_NEW(context, p->point_values, count);
    SNI_NEW_ZERO(context, p->counts, count);
    SNI_NEW_ZERO(context, p->offsets, (size_t)count + 1);
    for (uint32_t i = 0; i < p->job->entry_count; ++i) {
        SN_TRY(read_entry(p, i, error));
        for (uint32_t v = 0; v < count; ++v) {
            p->counts[v] += p->marks[v];
        }
    }
    for (uint32_t v = 0; v < count; ++v) {
        uint32_t own = p->weights->offsets[v + 1] - p->weights->offsets[v];
        p->offsets[v + 1] = p->offsets[v] + own + p->counts[v];
    }
    SNI_NEW(context, p->bones, p->offsets[count]);
    SNI_NEW(context, p->values, p->offsets[count]);
cleanup:
    return status;
}

// Copies the weights of the mesh; those of a vertex that is painted sum to 1.
static void copy_rows(painter *p) {
    const sn_weights *weights = p->weights;
    for (uint32_t v = 0; v < p->job->mesh->vertex_count; ++v) {
        uint32_t first = weights->offsets[v], count = weights->offsets[v + 1] - first;
        double sum = p->counts[v] > 0 ? 0 : 1;
        for (uint32_t i = 0; i < count && p->counts[v] > 0; ++i) {
            sum += (double)weights->values[first + i];
        }
        for (uint32_t i = 0; i < count; ++i) {
            p->bones[p->offsets[v] + i] = weights->bones[first + i];
            p->values[p->offsets[v] + i] = sum > 0 ? (double)weights->values[first + i] / sum : 0;
        }
        p->counts[v] = count;
    }
}

static void paint_vertex(painter *p, uint32_t v, uint32_t bone, double value) {
    uint32_t *bones = p->bones + p->offsets[v], segment = p->segments[bone];
    double *values = p->values + p->offsets[v], own = 0, others = 0;
    for (uint32_t i = 0; i < p->counts[v]; ++i) {
        *(p->segments[bones[i]] == segment ? &own : &others) += values[i];
    }
    if (others == 0 && (own > 0 || value > 0)) {
        value = 1;
    }
    for (uint32_t i = 0; i < p->counts[v]; ++i) {
        bool is_own = p->segments[bones[i]] == segment;
        double sum = is_own ? own : others;
        values[i] = sum > 0 ? values[i] * ((is_own ? value : 1 - value) / sum) : 0;
    }
    if (own == 0 && value > 0) {
        bones[p->counts[v]] = bone;
        values[p->counts[v]++] = value;
    }
}

static sn_status paint_rows(painter *p, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < p->job->entry_count && status == SN_OK; ++i) {
        status = read_entry(p, i, error);
        for (uint32_t v = 0; v < p->job->mesh->vertex_count && status == SN_OK; ++v) {
            if (p->marks[v] != 0) {
                paint_vertex(p, v, p->entry_bones[i], (double)p->point_values[v]);
            }
        }
    }
    return status;
}

// From the mesh's space to an added bone at rest: the mesh stands there as its first bone lets it.
static sn_mat4 added_inverse_bind(const painter *p, uint32_t bone) {
    sn_mat4 inverse, place;
    sn_mat4_invert(&p->job->rest_worlds[p->segments[bone]], &inverse);
    place = sn_mat4_multiply(&p->job->rest_worlds[p->segments[0]], &p->weights->inverse_bind[0]);
    return sn_mat4_multiply(&inverse, &place);
}

static sn_status write_bones(const painter *p, sn_mesh *made, sn_error *error) {
    const sn_weights *old = p->weights;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < p->bone_count && status == SN_OK; ++i) {
        bool is_old = i < old->bone_count;
        status = sn_mesh_name_bone(
            made, i, is_old ? old->bone_names[i] : p->job->skeleton->segments[p->segments[i]].name,
            error);
        if (old->inverse_bind != NULL) {
            made->weights->inverse_bind[i] =
                is_old ? old->inverse_bind[i] : added_inverse_bind(p, i);
        }
    }
    return status;
}

static sn_status write_weights(const painter *p, sn_mesh *made, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = made->vertex_count, total = 0;
    for (uint32_t v = 0; v < count; ++v) {
        for (uint32_t i = 0; i < p->counts[v]; ++i) {
            total += p->values[p->offsets[v] + i] > 0;
        }
    }
    bool with_bind = p->weights->inverse_bind != NULL && p->weights->bone_count > 0;
    SN_TRY(sn_mesh_set_weights(made, p->bone_count, total, with_bind, error));
    total = 0;
    for (uint32_t v = 0; v < count; ++v) {
        made->weights->offsets[v] = total;
        for (uint32_t i = 0; i < p->counts[v]; ++i) {
            if (p->values[p->offsets[v] + i] > 0) {
                made->weights->bones[total] = p->bones[p->offsets[v] + i];
                made->weights->values[total++] = (float)p->values[p->offsets[v] + i];
            }
        }
    }
    SN_TRY(write_bones(p, made, error));
cleanup:
    return status;
}

sn_status sni_paint_weights(const sni_paint_job *job, sn_mesh **painted, uint32_t **bone_segments,
                            sn_error *error) {
    painter p = {.job = job, .weights = job->mesh->weights};
    sn_status status = SN_OK;
    sn_mesh *made = NULL;
    SN_TRY(find_bones(&p, error));
    SN_TRY(make_room(&p, error));
    copy_rows(&p);
    SN_TRY(paint_rows(&p, error));
    SN_TRY(sn_mesh_copy(job->mesh, &made, error));
    SN_TRY(write_weights(&p, made, error));
    *painted = made;
    *bone_segments = p.segments;
    made = NULL;
    p.segments = NULL;
cleanup:
    sn_mesh_destroy(made);
    sni_free(job->context, p.segments);
    sni_free(job->context, p.entry_bones);
    sni_free(job->context, p.offsets);
    sni_free(job->context, p.counts);
    sni_free(job->context, p.bones);
    sni_free(job->context, p.values);
    sni_free(job->context, p.marks);
    sni_free(job->context, p.point_values);
    return status;
}
