// SPDX-License-Identifier: Apache-2.0
//
// What VRM, the glTF of avatars, says beyond glTF: which nodes are which parts of a human body, and
// expressions, each of which is a sum of morph targets. Version 0.x (extension "VRM") and 1.0
// ("VRMC_vrm") say the same in other words.
//
// An expression becomes one more morph target, on each mesh that it moves, under its own name: all
// that plays, edits and writes morph targets then has it as well. What it does to materials
// is left out, and so are directions of the eyes.
#include "io/gltf/gltf.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Roles

// Both versions call the three bones of a finger proximal, intermediate and distal, but 1.0 begins
// a thumb with its metacarpal. Here all fingers have the words of 0.x.
static const char *role_name(const char *name, bool is_new) {
    static const struct {
        const char *given, *name;
    } thumbs[] = {{"leftThumbProximal", "leftThumbIntermediate"},
                  {"leftThumbMetacarpal", "leftThumbProximal"},
                  {"rightThumbProximal", "rightThumbIntermediate"},
                  {"rightThumbMetacarpal", "rightThumbProximal"}};
    for (size_t i = 0; i < sizeof thumbs / sizeof *thumbs && is_new; ++i) {
        if (strcmp(name, thumbs[i].given) == 0) {
            return thumbs[i].name;
        }
    }
    return name;
}

static sn_status set_role(sni_gltf *gltf, sn_skeleton *skeleton, const sn_value *bone,
                          const char *role, sn_error *error) {
    uint32_t node;
    sn_status status = sni_gltf_get_index(gltf, bone, "node", SNI_GLTF_NODES, true, &node, error);
    if (status != SN_OK || gltf->nodes[node].segment == SN_NONE) {
        return status;
    }
    sn_segment *segment = &skeleton->segments[gltf->nodes[node].segment];
    if (segment->role != NULL) {
        sni_fail(error, SN_INVALID, "node %u is both %s and %s", node, segment->role, role);
        return sni_gltf_at(gltf, bone, SN_INVALID, error);
    }
    segment->role = sni_string_copy(gltf->context, role);
    return segment->role != NULL ? SN_OK : sni_fail_memory(error);
}

// 0.x: a list of {"bone": NAME, "node": n}; 1.0: an object of NAME: {"node": n}.
sn_status sni_gltf_read_roles(sni_gltf *gltf, sn_skeleton *skeleton, sn_error *error) {
    const sn_value *root = sn_json_root(gltf->json);
    const sn_value *old = sni_gltf_extension(root, SNI_GLTF_VRM_0);
    const sn_value *recent = sni_gltf_extension(root, SNI_GLTF_VRM_1);
    const sn_value *humanoid = NULL, *bones = NULL;
    sn_status status = SN_OK;
    bool is_new = recent != NULL;
    SN_TRY(sni_gltf_get_object(gltf, is_new ? recent : old, "humanoid", &humanoid, error));
    SN_TRY(is_new ? sni_gltf_get_object(gltf, humanoid, "humanBones", &bones, error)
                  : sni_gltf_get_array(gltf, humanoid, "humanBones", &bones, error));
    for (uint32_t i = 0; i < sn_value_count(bones); ++i) {
        const sn_value *bone = sn_value_at(bones, i);
        const char *name = bone->key;
        if (!is_new) {
            SN_TRY(sni_gltf_get_string(gltf, bone, "bone", true, &name, error));
        }
        SN_TRY(set_role(gltf, skeleton, bone, role_name(name, is_new), error));
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Expressions

typedef struct expression_reader {
    sni_gltf *gltf;
    sn_import *import;
    uint32_t round;        // number of the expression
    sni_gltf_marks made;   // per mesh of the import: its target for this expression
    const char *binds_key; // of an expression
    bool is_new;
} expression_reader;

// The meshes that a bind moves: those of a mesh of the file, which follow each other, or that of a
// node.
static sn_status find_meshes(expression_reader *r, const sn_value *bind, uint32_t *first,
                             uint32_t *end, sn_error *error) {
    const sni_gltf *gltf = r->gltf;
    uint32_t index;
    if (r->is_new) {
        sn_status status =
            sni_gltf_get_index(gltf, bind, "node", SNI_GLTF_NODES, true, &index, error);
        bool found = status == SN_OK && gltf->node_instance[index] != SN_NONE;
        *first = found ? gltf->node_instance[index] : 0;
        *end = *first + found;
        return status;
    }
    sn_status status = sni_gltf_get_index(gltf, bind, "mesh", SNI_GLTF_MESHES, true, &index, error);
    uint32_t low = 0, high = status == SN_OK ? gltf->instance_count : 0;
    while (low < high) { // the first whose mesh is not below
        uint32_t middle = low + (high - low) / 2;
        if (gltf->instances[middle].mesh < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *first = *end = low;
    while (*end < gltf->instance_count && gltf->instances[*end].mesh == index) {
        ++*end;
    }
    return status;
}

// The target of mesh `mesh` that a bind adds, and how much of it.
static sn_status find_target(const expression_reader *r, const sn_value *bind, uint32_t mesh,
                             uint32_t *target, double *weight, sn_error *error) {
    uint64_t index = 0;
    sn_status status = SN_OK;
    uint32_t count = r->gltf->instances[mesh].target_count;
    *weight = r->is_new ? 1 : 100;
    SN_TRY(sni_gltf_get_integer(r->gltf, bind, "index", true, &index, error));
    SN_TRY(sni_gltf_get_number(r->gltf, bind, "weight", weight, error));
    if (index >= count) {
        status = sni_fail(error, SN_INVALID, "there is no morph target %llu: the mesh has %u",
                          (unsigned long long)index, count);
        sni_gltf_at(r->gltf, bind, status, error);
        goto cleanup;
    }
    *weight /= r->is_new ? 1 : 100; // 0.x has per cent
    *target = (uint32_t)index;
cleanup:
    return status;
}

static void add_offsets(const sn_target *source, float weight, float *offsets) {
    for (size_t i = 0; i < source->count; ++i) {
        size_t vertex = source->vertices != NULL ? source->vertices[i] : i;
        for (size_t k = 0; k < 3; ++k) {
            offsets[3 * vertex + k] += weight * source->offsets[3 * i + k];
        }
    }
}

static sn_status make_target(expression_reader *r, uint32_t number, const char *name,
                             sn_error *error) {
    sn_mesh *mesh = r->import->meshes[number];
    sn_target *made;
    sn_status status = sn_mesh_add_target(mesh, name, mesh->vertex_count, false, &made, error);
    if (status == SN_OK) {
        memset(made->offsets, 0, 3 * sizeof *made->offsets * (size_t)mesh->vertex_count);
        sni_gltf_marks_set(&r->made, r->round, number, mesh->target_count - 1);
    }
    return status;
}

// Adds a bind to the target of the expression, which is made with the first.
static sn_status add_to_mesh(expression_reader *r, uint32_t number, const char *name,
                             uint32_t target, double weight, sn_error *error) {
    sn_mesh *mesh = r->import->meshes[number];
    bool is_made = sni_gltf_marks_get(&r->made, r->round, number) != SN_NONE;
    uint64_t numbers = 3 * (is_made ? (uint64_t)mesh->targets[target].count : mesh->vertex_count);
    sn_status status = SN_OK;
    if (!sni_gltf_charge(r->gltf, numbers * sizeof(float))) {
        return sni_fail(error, SN_LIMIT,
                        "its expressions are out of proportion to a file of %zu bytes",
                        r->gltf->source->size);
    }
    if (!is_made) {
        SN_TRY(make_target(r, number, name, error));
    }
    uint32_t sum = sni_gltf_marks_get(&r->made, r->round, number);
    add_offsets(&mesh->targets[target], (float)weight, mesh->targets[sum].offsets);
cleanup:
    return status;
}

// Whether an expression is nothing but the morph target of its name.
static bool is_target_itself(const expression_reader *r, const sn_value *binds, const char *name,
                             uint32_t mesh, uint32_t target, double weight) {
    return sn_value_count(binds) == 1 && weight == 1 &&
           strcmp(r->import->meshes[mesh]->targets[target].name, name) == 0;
}

static sn_status read_expression(expression_reader *r, const sn_value *value, const char *name,
                                 sn_error *error) {
    const sn_value *binds = NULL;
    const char *unique = NULL;
    sn_status status = SN_OK;
    SN_TRY(sni_gltf_get_array(r->gltf, value, r->binds_key, &binds, error));
    for (uint32_t i = 0; i < sn_value_count(binds); ++i) {
        const sn_value *bind = sn_value_at(binds, i);
        uint32_t first, end, target;
        double weight;
        SN_TRY(find_meshes(r, bind, &first, &end, error));
        for (uint32_t mesh = first; mesh < end; ++mesh) {
            SN_TRY(find_target(r, bind, mesh, &target, &weight, error));
            if (is_target_itself(r, binds, name, mesh, target, weight)) {
                continue;
            }
            if (unique == NULL) {
                SN_TRY(sni_names_add_unique(&r->gltf->morph_names, name, r->round, &unique, error));
            }
            SN_TRY(add_to_mesh(r, mesh, unique, target, weight, error));
        }
    }
    r->round++;
cleanup:
    return status;
}

// 0.x: a list of {"name": NAME, "presetName": ..., "binds": [{"mesh", "index", "weight"}]}.
static sn_status read_old(expression_reader *r, const sn_value *vrm, sn_error *error) {
    const sn_value *master, *groups = NULL;
    sn_status status = SN_OK;
    r->binds_key = "binds";
    SN_TRY(sni_gltf_get_object(r->gltf, vrm, "blendShapeMaster", &master, error));
    SN_TRY(sni_gltf_get_array(r->gltf, master, "blendShapeGroups", &groups, error));
    for (uint32_t i = 0; i < sn_value_count(groups); ++i) {
        const sn_value *group = sn_value_at(groups, i);
        const char *name = "", *preset = "expression";
        SN_TRY(sni_gltf_get_string(r->gltf, group, "name", false, &name, error));
        SN_TRY(sni_gltf_get_string(r->gltf, group, "presetName", false, &preset, error));
        SN_TRY(read_expression(r, group, name[0] != 0 ? name : preset, error));
    }
cleanup:
    return status;
}

// 1.0: "preset" and "custom", each of NAME: {"morphTargetBinds": [{"node", "index", "weight"}]}.
static sn_status read_new(expression_reader *r, const sn_value *vrm, sn_error *error) {
    static const char *const kinds[] = {"preset", "custom"};
    const sn_value *expressions, *list;
    sn_status status = SN_OK;
    r->binds_key = "morphTargetBinds";
    r->is_new = true;
    SN_TRY(sni_gltf_get_object(r->gltf, vrm, "expressions", &expressions, error));
    for (int kind = 0; kind < 2; ++kind) {
        SN_TRY(sni_gltf_get_object(r->gltf, expressions, kinds[kind], &list, error));
        for (uint32_t i = 0; i < sn_value_count(list); ++i) {
            SN_TRY(read_expression(r, sn_value_at(list, i), sn_value_at(list, i)->key, error));
        }
    }
cleanup:
    return status;
}

sn_status sni_gltf_read_expressions(sni_gltf *gltf, sn_import *import, sn_error *error) {
    const sn_value *root = sn_json_root(gltf->json);
    const sn_value *old = sni_gltf_extension(root, SNI_GLTF_VRM_0);
    const sn_value *recent = sni_gltf_extension(root, SNI_GLTF_VRM_1);
    expression_reader r = {.gltf = gltf, .import = import};
    sn_status status = SN_OK;
    if (old == NULL && recent == NULL) {
        return SN_OK;
    }
    SN_TRY(sni_gltf_marks_init(gltf->context, import->mesh_count, &r.made, error));
    SN_TRY(recent != NULL ? read_new(&r, recent, error) : read_old(&r, old, error));
cleanup:
    sni_gltf_marks_deinit(gltf->context, &r.made);
    return status;
}
