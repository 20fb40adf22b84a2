// SPDX-License-Identifier: Apache-2.0
//
// Skin weights of a glTF mesh: all its JOINTS_n and WEIGHTS_n, with the values of the file. Entries
// of weight zero are fillers of the format and left out.
#include "io/gltf/read_mesh.h"

#include <math.h>
#include <string.h>

typedef struct weight_set { // the JOINTS_n and WEIGHTS_n of one group
    const sni_gltf_stream *joints, *weights;
} weight_set;

// Whether stream `a` stands before `b` among those of its use; one that is not there comes last.
static bool stands_before(const sni_gltf_stream *a, const sni_gltf_stream *b) {
    return b == NULL ||
           (a != NULL && (a->set < b->set || (a->set == b->set && a->group < b->group)));
}

// Pairs the streams: joints and weights are sorted alike, so that the i-th of one belongs to the
// i-th of the other. They are the last two uses.
static sn_status pair_streams(const sni_gltf_mesh_reader *r, weight_set *sets, uint32_t *set_count,
                              sn_error *error) {
    uint32_t joints = 0;
    while (joints < r->stream_count && r->streams[joints].use != SNI_GLTF_USE_JOINTS &&
           r->streams[joints].use != SNI_GLTF_USE_WEIGHTS) {
        ++joints;
    }
    uint32_t weights = joints;
    while (weights < r->stream_count && r->streams[weights].use == SNI_GLTF_USE_JOINTS) {
        ++weights;
    }
    uint32_t joint_end = weights;
    *set_count = 0;
    for (; joints < joint_end || weights < r->stream_count; ++joints, ++weights) {
        const sni_gltf_stream *a = joints < joint_end ? &r->streams[joints] : NULL;
        const sni_gltf_stream *b = weights < r->stream_count ? &r->streams[weights] : NULL;
        bool first = stands_before(a, b), second = stands_before(b, a);
        if (first || second) {
            const sni_gltf_stream *alone = first ? a : b;
            sni_fail(error, SN_INVALID, "%s_%u has no %s_%u", first ? "JOINTS" : "WEIGHTS",
                     alone->set, first ? "WEIGHTS" : "JOINTS", alone->set);
            return sni_gltf_at_primitive(r, r->groups[alone->group].number, SN_INVALID, error);
        }
        sets[(*set_count)++] = (weight_set){a, b};
    }
    return SN_OK;
}

static sn_status check_all_groups_weighted(const sni_gltf_mesh_reader *r, const weight_set *sets,
                                           uint32_t set_count, sn_error *error) {
    for (uint32_t i = 0; i < r->group_count; ++i) {
        if (i >= set_count || sets[i].joints->set != 0 || sets[i].joints->group != i) {
            sni_fail(error, SN_INVALID, "node %u has a skin, but there is no JOINTS_0",
                     r->instance->node);
            return sni_gltf_at_primitive(r, r->groups[i].number, SN_INVALID, error);
        }
    }
    return SN_OK;
}

static sn_status check_weight_stream(const sni_gltf_stream *s, const float *values,
                                     sn_error *error) {
    const sni_gltf_accessor *a = &s->accessor;
    sn_status status = SN_OK;
    if (a->component != SNI_GLTF_FLOAT && !a->normalized) {
        status = sni_fail(error, SN_INVALID, "weights of componentType %d must be normalized",
                          (int)a->component);
    }
    for (size_t i = 0; i < (size_t)a->count * 4 && status == SN_OK; ++i) {
        if (values[i] < 0) {
            status = sni_fail(error, SN_INVALID, "vertex %zu has the weight %g", i / 4,
                              (double)values[i]);
        }
    }
    if (status != SN_OK) {
        sni_error_place(error, 0, "accessor %u", a->index);
    }
    return status;
}

// counts[v] += number of weights of vertex v that are not zero.
static sn_status count_weights(const sni_gltf_mesh_reader *r, const weight_set *set, float *values,
                               uint32_t *counts, sn_error *error) {
    sn_status status = SN_OK;
    const sni_gltf_group *g = &r->groups[set->weights->group];
    SN_TRY(sni_gltf_read_floats(&set->weights->accessor, values, error));
    SN_TRY(check_weight_stream(set->weights, values, error));
    for (uint32_t i = 0; i < g->vertex_count; ++i) {
        for (uint32_t k = 0; k < 4; ++k) {
            counts[g->first_vertex + i] += values[4 * (size_t)i + k] != 0;
        }
    }
cleanup:
    return status;
}

// Appends the weights of a set to the rows of its vertices; `next` is where each row goes on.
static sn_status append_weights(const sni_gltf_mesh_reader *r, const weight_set *set, float *values,
                                uint32_t *joints, uint32_t *next, sn_error *error) {
    sn_status status = SN_OK;
    const sni_gltf_group *g = &r->groups[set->weights->group];
    sn_weights *weights = r->mesh->weights;
    SN_TRY(sni_gltf_read_floats(&set->weights->accessor, values, error));
    SN_TRY(sni_gltf_read_uints(&set->joints->accessor, joints, error));
    for (size_t i = 0; i < (size_t)g->vertex_count * 4; ++i) {
        if (values[i] == 0) {
            continue;
        }
        if (joints[i] >= weights->bone_count) {
            sni_fail(error, SN_INVALID, "vertex %zu uses joint %u, but skin %u has %u", i / 4,
                     joints[i], r->instance->skin, weights->bone_count);
            sni_error_place(error, 0, "accessor %u", set->joints->accessor.index);
            return SN_INVALID;
        }
        uint32_t at = next[g->first_vertex + i / 4]++;
        weights->bones[at] = joints[i];
        weights->values[at] = values[i];
    }
cleanup:
    return status;
}

// Joints by the names of their segments. A joint that stands twice would give one name to two
// bones.
static sn_status name_bones(const sni_gltf_mesh_reader *r, const sn_skeleton *skeleton,
                            const sn_value *joints, sn_error *error) {
    sn_status status = SN_OK;
    sni_gltf_marks *seen = &r->gltf->segment_marks;
    for (uint32_t i = 0; i < sn_value_count(joints); ++i) {
        uint32_t node;
        const sn_value *joint = sn_value_at(joints, i);
        SN_TRY(sni_gltf_to_index(r->gltf, joint, SNI_GLTF_NODES, &node, error));
        uint32_t segment = r->gltf->nodes[node].segment;
        if (sni_gltf_marks_get(seen, r->round, segment) != SN_NONE) {
            status = sni_fail(error, SN_INVALID, "node %u is listed twice among the joints", node);
            sni_gltf_at(r->gltf, joint, status, error);
            goto cleanup;
        }
        sni_gltf_marks_set(seen, r->round, segment, i);
        SN_TRY(sn_mesh_name_bone(r->mesh, i, skeleton->segments[segment].name, error));
    }
cleanup:
    return status;
}

// Exporters that invert matrices in single precision leave rounding in the last row, no more.
static bool make_affine(sn_mat4 *matrix) {
    static const double tolerance = 1e-5;
    for (int column = 0; column < 4; ++column) {
        double expected = column == 3 ? 1 : 0;
        if (!(fabs(matrix->m[4 * column + 3] - expected) <= tolerance)) {
            return false;
        }
        matrix->m[4 * column + 3] = expected;
    }
    return true;
}

// Without matrices they are the identity (section 5.28.1), which is not the same as the rest pose.
static sn_status read_inverse_binds(const sni_gltf_mesh_reader *r, const sn_value *skin,
                                    uint32_t joint_count, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t index;
    float *values = NULL;
    sn_mat4 *binds = r->mesh->weights->inverse_bind;
    SN_TRY(sni_gltf_get_index(r->gltf, skin, "inverseBindMatrices", SNI_GLTF_ACCESSORS, false,
                              &index, error));
    if (index == SN_NONE) {
        for (uint32_t i = 0; i < joint_count; ++i) {
            binds[i] = sn_mat4_identity();
        }
        return SN_OK;
    }
    sni_gltf_accessor accessor;
    SN_TRY(sni_gltf_open(r->gltf, index, SNI_GLTF_WIDTH(16), false, &accessor, error));
    if (accessor.count < joint_count) {
        status = sni_fail(error, SN_INVALID, "%u inverse bind matrices for %u joints of skin %u",
                          accessor.count, joint_count, r->instance->skin);
        sni_error_place(error, 0, "accessor %u", index);
        goto cleanup;
    }
    SNI_NEW(r->context, values, (size_t)accessor.count * 16);
    SN_TRY(sni_gltf_read_floats(&accessor, values, error));
    for (size_t i = 0; i < (size_t)joint_count * 16; ++i) {
        binds[i / 16].m[i % 16] = values[i];
    }
    for (uint32_t i = 0; i < joint_count; ++i) {
        if (!make_affine(&binds[i])) {
            status = sni_fail(error, SN_INVALID, "the last row of matrix %u is not 0 0 0 1", i);
            sni_error_place(error, 0, "accessor %u", index);
            goto cleanup;
        }
    }
cleanup:
    sni_free(r->context, values);
    return status;
}

static sn_status fill_weights(sni_gltf_mesh_reader *r, const weight_set *sets, uint32_t set_count,
                              uint32_t joint_count, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t vertex_count = r->mesh->vertex_count;
    float *values = NULL;
    uint32_t *joints = NULL, *next = NULL;
    SNI_NEW(r->context, values, (size_t)vertex_count * 4);
    SNI_NEW(r->context, joints, (size_t)vertex_count * 4);
    SNI_NEW_ZERO(r->context, next, vertex_count);
    for (uint32_t i = 0; i < set_count; ++i) {
        SN_TRY(count_weights(r, &sets[i], values, next, error));
    }
    uint64_t total = 0;
    for (uint32_t i = 0; i < vertex_count; ++i) {
        uint32_t count = next[i];
        next[i] = (uint32_t)total;
        total += count;
        if (total >= SN_NONE) {
            status = sni_fail(error, SN_LIMIT, "mesh %u has more weights than %u",
                              r->instance->mesh, SN_NONE - 1);
            goto cleanup;
        }
    }
    SN_TRY(sn_mesh_set_weights(r->mesh, joint_count, (uint32_t)total, true, error));
    memcpy(r->mesh->weights->offsets, next, vertex_count * sizeof *next);
    for (uint32_t i = 0; i < set_count; ++i) {
        SN_TRY(append_weights(r, &sets[i], values, joints, next, error));
    }
cleanup:
    sni_free(r->context, values);
    sni_free(r->context, joints);
    sni_free(r->context, next);
    return status;
}

sn_status sni_gltf_read_weights(sni_gltf_mesh_reader *r, const sn_skeleton *skeleton,
                                sn_error *error) {
    sn_status status = SN_OK;
    const sn_value *skin = sni_gltf_item(r->gltf, SNI_GLTF_SKINS, r->instance->skin);
    const sn_value *joints = sn_value_get(skin, "joints"); // an array, checked with the scene
    uint32_t set_count = 0;
    weight_set *sets = NULL;
    if (sn_value_count(joints) == 0) {
        sni_fail(error, SN_INVALID, "the skin has no joints");
        return sni_gltf_at(r->gltf, skin, SN_INVALID, error);
    }
    SNI_NEW(r->context, sets, r->stream_count);
    SN_TRY(pair_streams(r, sets, &set_count, error));
    SN_TRY(check_all_groups_weighted(r, sets, set_count, error));
    SN_TRY(fill_weights(r, sets, set_count, sn_value_count(joints), error));
    SN_TRY(name_bones(r, skeleton, joints, error));
    SN_TRY(read_inverse_binds(r, skin, sn_value_count(joints), error));
cleanup:
    sni_free(r->context, sets);
    return status;
}
