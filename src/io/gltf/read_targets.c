// SPDX-License-Identifier: Apache-2.0
//
// Morph targets of a glTF mesh: offsets of positions. Offsets of normals and tangents are left out,
// since normals are computed from the moved points.
#include "io/gltf/read_mesh.h"

#include <string.h>

typedef struct target_part { // a target's offsets for one group
    bool present;
    sni_gltf_accessor accessor;
} target_part;

// Opens target `number` in all groups; says whether all of it is sparse, and how much then.
static sn_status open_target(sni_gltf_mesh_reader *r, uint32_t number, target_part *parts,
                             bool *is_sparse, uint64_t *entries, sn_error *error) {
    sn_status status = SN_OK;
    *is_sparse = true;
    *entries = 0;
    for (uint32_t i = 0; i < r->group_count; ++i) {
        const sni_gltf_group *g = &r->groups[i];
        const sn_value *target = sn_value_at(sn_value_get(g->primitive, "targets"), number);
        uint32_t accessor;
        SN_TRY(sni_gltf_get_index(r->gltf, target, "POSITION", SNI_GLTF_ACCESSORS, false, &accessor,
                                  error));
        parts[i].present = accessor != SN_NONE;
        if (accessor == SN_NONE) {
            continue;
        }
        SN_TRY(
            sni_gltf_open(r->gltf, accessor, SNI_GLTF_WIDTH(3), true, &parts[i].accessor, error));
        if (parts[i].accessor.count != g->vertex_count) {
            status = sni_fail(error, SN_INVALID, "target %u has %u elements, but POSITION has %u",
                              number, parts[i].accessor.count, g->vertex_count);
            sni_gltf_at_primitive(r, g->number, status, error);
            goto cleanup;
        }
        *is_sparse = *is_sparse && parts[i].accessor.bytes == NULL;
        *entries += parts[i].accessor.sparse_count;
    }
cleanup:
    return status;
}

static sn_status fill_sparse(const sni_gltf_mesh_reader *r, const target_part *parts,
                             sn_target *target, sn_error *error) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < r->group_count; ++i) {
        if (!parts[i].present) {
            continue;
        }
        const sni_gltf_accessor *accessor = &parts[i].accessor;
        sn_status status = sni_gltf_read_sparse(accessor, target->vertices + used,
                                                target->offsets + 3 * (size_t)used, error);
        if (status != SN_OK) {
            return status;
        }
        for (uint32_t k = 0; k < accessor->sparse_count; ++k) {
            target->vertices[used++] += r->groups[i].first_vertex;
        }
    }
    return SN_OK;
}

static sn_status fill_dense(const sni_gltf_mesh_reader *r, const target_part *parts,
                            sn_target *target, sn_error *error) {
    for (uint32_t i = 0; i < r->group_count; ++i) {
        const sni_gltf_group *g = &r->groups[i];
        float *offsets = target->offsets + 3 * (size_t)g->first_vertex;
        if (!parts[i].present) {
            memset(offsets, 0, 3 * (size_t)g->vertex_count * sizeof *offsets);
            continue;
        }
        sn_status status = sni_gltf_read_floats(&parts[i].accessor, offsets, error);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

static sn_status read_target(sni_gltf_mesh_reader *r, uint32_t number, const char *name,
                             double weight, target_part *parts, sn_error *error) {
    sn_status status = SN_OK;
    bool is_sparse;
    uint64_t entries;
    sn_target *target;
    SN_TRY(open_target(r, number, parts, &is_sparse, &entries, error));
    uint32_t count = is_sparse ? (uint32_t)entries : r->mesh->vertex_count;
    SN_TRY(sn_mesh_add_target(r->mesh, name, count, is_sparse, &target, error));
    target->weight = (float)weight;
    SN_TRY(is_sparse ? fill_sparse(r, parts, target, error) : fill_dense(r, parts, target, error));
cleanup:
    return status;
}

// The names that exporters agreed on: mesh.extras.targetNames, made unique within the mesh.
static sn_status name_targets(const sni_gltf_mesh_reader *r, sni_names *names, uint32_t count,
                              const char **assigned, sn_error *error) {
    sn_status status = SN_OK;
    const sn_value *listed = sn_value_get(sn_value_get(r->value, "extras"), "targetNames");
    const char **given = NULL;
    SNI_NEW(r->context, given, count);
    for (uint32_t i = 0; i < count; ++i) {
        given[i] = sn_value_string(sn_value_at(listed, i), NULL);
    }
    SN_TRY(sni_names_assign(names, given, NULL, count, "target", assigned, error));
cleanup:
    sni_free(r->context, given);
    return status;
}

// Weights at rest: the node's, else the mesh's, else zero.
static sn_status read_rest_weights(const sni_gltf_mesh_reader *r, uint32_t count, double *weights,
                                   sn_error *error) {
    memset(weights, 0, count * sizeof *weights);
    sn_status status = sni_gltf_get_numbers(r->gltf, r->value, "weights", count, weights, error);
    if (status == SN_OK && r->instance->node != SN_NONE) {
        const sn_value *node = sni_gltf_item(r->gltf, SNI_GLTF_NODES, r->instance->node);
        status = sni_gltf_get_numbers(r->gltf, node, "weights", count, weights, error);
    }
    return status;
}

static sn_status count_targets(const sni_gltf_mesh_reader *r, uint32_t *count, sn_error *error) {
    for (uint32_t i = 0; i < r->part_count; ++i) {
        const sn_value *targets;
        sn_status status =
            sni_gltf_get_array(r->gltf, sn_value_at(r->primitives, i), "targets", &targets, error);
        if (status != SN_OK) {
            return status;
        }
        if (i > 0 && sn_value_count(targets) != *count) {
            sni_fail(error, SN_INVALID, "it has %u targets, but primitive 0 has %u",
                     sn_value_count(targets), *count);
            return sni_gltf_at_primitive(r, i, SN_INVALID, error);
        }
        *count = sn_value_count(targets);
    }
    return SN_OK;
}

sn_status sni_gltf_read_targets(sni_gltf_mesh_reader *r, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = 0;
    const char **assigned = NULL;
    double *weights = NULL;
    target_part *parts = NULL;
    sni_names names;
    sni_names_init(&names, r->context);
    SN_TRY(count_targets(r, &count, error));
    if (count == 0) {
        goto cleanup;
    }
    SNI_NEW(r->context, assigned, count);
    SNI_NEW(r->context, weights, count);
    SNI_NEW(r->context, parts, r->group_count);
    SN_TRY(name_targets(r, &names, count, assigned, error));
    SN_TRY(read_rest_weights(r, count, weights, error));
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(read_target(r, i, assigned[i], weights[i], parts, error));
    }
cleanup:
    sni_free(r->context, assigned);
    sni_free(r->context, weights);
    sni_free(r->context, parts);
    sni_names_deinit(&names);
    return status;
}
