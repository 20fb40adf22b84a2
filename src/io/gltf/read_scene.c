// SPDX-License-Identifier: Apache-2.0
//
// Nodes of a glTF file as segments of one skeleton, and the meshes that hang on them.
//
// Segments are the nodes of the default scene (scene 0 where none is named, all nodes where there
// is no scene), the joints of all skins and the ancestors of those, in the order of the file. Left
// out are leaves that only carry a skinned mesh: the specification ignores their transforms
// (section 3.7.3.3).
#include "io/gltf/gltf.h"

#include "base/rows.h"
#include "motion/skeleton.h"

#include <math.h>
#include <string.h>

// A rotation this far from unit length is normalised; nearer ones keep their bits.
static const double unit_tolerance = 1e-6;

// How much shear a matrix may have, relative to its largest element: rounding in exporters, no
// more.
static const double shear_tolerance = 1e-4;

static sn_status fail_node(const sni_gltf *gltf, uint32_t node, sn_status status, sn_error *error) {
    const sn_value *value = sni_gltf_item(gltf, SNI_GLTF_NODES, node);
    sni_error_place(error, gltf->is_binary ? 0 : value->line, "node %u", node);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Tree

static sn_status read_children(sni_gltf *gltf, uint32_t node, sn_error *error) {
    const sn_value *children;
    sn_status status = sni_gltf_get_array(gltf, sni_gltf_item(gltf, SNI_GLTF_NODES, node),
                                          "children", &children, error);
    for (uint32_t i = 0; i < sn_value_count(children) && status == SN_OK; ++i) {
        uint32_t child;
        status = sni_gltf_to_index(gltf, sn_value_at(children, i), SNI_GLTF_NODES, &child, error);
        if (status == SN_OK && gltf->nodes[child].parent != SN_NONE) {
            status = sni_fail(error, SN_INVALID, "it is a child of node %u and of node %u",
                              gltf->nodes[child].parent, node);
            fail_node(gltf, child, status, error);
        } else if (status == SN_OK) {
            gltf->nodes[child].parent = node;
        }
    }
    return status;
}

static sn_status read_nodes(sni_gltf *gltf, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = sni_gltf_count(gltf, SNI_GLTF_NODES);
    SNI_NEW(gltf->context, gltf->nodes, count);
    for (uint32_t i = 0; i < count; ++i) {
        const sn_value *value = sni_gltf_item(gltf, SNI_GLTF_NODES, i);
        sni_gltf_node *node = &gltf->nodes[i];
        *node = (sni_gltf_node){.parent = SN_NONE, .segment = SN_NONE};
        SN_TRY(sni_gltf_get_index(gltf, value, "mesh", SNI_GLTF_MESHES, false, &node->mesh, error));
        SN_TRY(sni_gltf_get_index(gltf, value, "skin", SNI_GLTF_SKINS, false, &node->skin, error));
    }
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(read_children(gltf, i, error));
    }
cleanup:
    return status;
}

// Each node has one parent at most, so that a walk up either ends or comes back to where it began.
static sn_status check_no_cycle(const sni_gltf *gltf, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = sni_gltf_count(gltf, SNI_GLTF_NODES);
    uint32_t *walk = NULL; // 1 + the node whose walk passed here first
    SNI_NEW_ZERO(gltf->context, walk, count);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = i;
        while (at != SN_NONE && walk[at] == 0) {
            walk[at] = i + 1;
            at = gltf->nodes[at].parent;
        }
        if (at != SN_NONE && walk[at] == i + 1) {
            status = sni_fail(error, SN_INVALID, "it is its own ancestor");
            fail_node(gltf, at, status, error);
            goto cleanup;
        }
    }
cleanup:
    sni_free(gltf->context, walk);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Which nodes

static sn_status mark_joints(sni_gltf *gltf, sn_error *error) {
    for (uint32_t i = 0; i < sni_gltf_count(gltf, SNI_GLTF_SKINS); ++i) {
        const sn_value *joints;
        const sn_value *skin = sni_gltf_item(gltf, SNI_GLTF_SKINS, i);
        sn_status status = sni_gltf_get_array(gltf, skin, "joints", &joints, error);
        for (uint32_t k = 0; k < sn_value_count(joints) && status == SN_OK; ++k) {
            uint32_t node;
            status = sni_gltf_to_index(gltf, sn_value_at(joints, k), SNI_GLTF_NODES, &node, error);
            if (status == SN_OK) {
                gltf->nodes[node].is_joint = true;
            }
        }
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

static sn_status mark_scene_roots(sni_gltf *gltf, sn_error *error) {
    const sn_value *roots;
    uint32_t scene;
    sn_status status = SN_OK;
    uint32_t count = sni_gltf_count(gltf, SNI_GLTF_NODES);
    SN_TRY(sni_gltf_get_index(gltf, sn_json_root(gltf->json), "scene", SNI_GLTF_SCENES, false,
                              &scene, error));
    if (sni_gltf_count(gltf, SNI_GLTF_SCENES) == 0) {
        for (uint32_t i = 0; i < count; ++i) {
            gltf->nodes[i].in_scene = true;
        }
        return SN_OK;
    }
    scene = scene != SN_NONE ? scene : 0;
    SN_TRY(sni_gltf_get_array(gltf, sni_gltf_item(gltf, SNI_GLTF_SCENES, scene), "nodes", &roots,
                              error));
    for (uint32_t i = 0; i < sn_value_count(roots); ++i) {
        uint32_t node;
        SN_TRY(sni_gltf_to_index(gltf, sn_value_at(roots, i), SNI_GLTF_NODES, &node, error));
        if (gltf->nodes[node].parent != SN_NONE) {
            status = sni_fail(error, SN_INVALID, "scene %u lists it, but it is a child of node %u",
                              scene, gltf->nodes[node].parent);
            fail_node(gltf, node, status, error);
            goto cleanup;
        }
        gltf->nodes[node].in_scene = true;
    }
cleanup:
    return status;
}

// Marks the ancestors of joints, and all that stands below the roots of the scene.
static sn_status spread_marks(sni_gltf *gltf, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = sni_gltf_count(gltf, SNI_GLTF_NODES);
    uint32_t *way = NULL;
    uint8_t *done = NULL;
    uint8_t *above_joint = NULL;
    SNI_NEW(gltf->context, way, count);
    SNI_NEW_ZERO(gltf->context, done, count);
    SNI_NEW_ZERO(gltf->context, above_joint, count);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t length = 0, at = i;
        for (; at != SN_NONE && !done[at]; at = gltf->nodes[at].parent) {
            way[length++] = at;
        }
        bool in_scene = at != SN_NONE && gltf->nodes[at].in_scene;
        while (length > 0) {
            at = way[--length];
            in_scene = in_scene || gltf->nodes[at].in_scene;
            gltf->nodes[at].in_scene = in_scene;
            done[at] = 1;
        }
        at = i;
        while (gltf->nodes[i].is_joint && at != SN_NONE && !above_joint[at]) {
            above_joint[at] = 1;
            at = gltf->nodes[at].parent;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        gltf->nodes[i].in_scene = gltf->nodes[i].in_scene || above_joint[i];
    }
cleanup:
    sni_free(gltf->context, way);
    sni_free(gltf->context, done);
    sni_free(gltf->context, above_joint);
    return status;
}

static bool becomes_segment(const sni_gltf *gltf, uint32_t index) {
    const sni_gltf_node *node = &gltf->nodes[index];
    bool is_leaf =
        sn_value_count(sn_value_get(sni_gltf_item(gltf, SNI_GLTF_NODES, index), "children")) == 0;
    bool carries_skin_only = node->skin != SN_NONE && node->mesh != SN_NONE && is_leaf;
    return node->in_scene && (node->is_joint || !carries_skin_only);
}

// ---------------------------------------------------------------------------------------------
// Rest frames

static sn_status read_matrix(const sni_gltf *gltf, const sn_value *value, sn_transform *rest,
                             sn_error *error) {
    sn_mat4 matrix;
    sn_status status = sni_gltf_get_numbers(gltf, value, "matrix", 16, matrix.m, error);
    if (status != SN_OK) {
        return status;
    }
    if (sn_value_get(value, "translation") != NULL || sn_value_get(value, "rotation") != NULL ||
        sn_value_get(value, "scale") != NULL) {
        return sni_fail(error, SN_INVALID, "it has a matrix and also translation, rotation, scale");
    }
    double largest = 0;
    for (int i = 0; i < 12; ++i) {
        largest = fmax(largest, fabs(matrix.m[i]));
    }
    const double *m = matrix.m;
    if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1) {
        return sni_fail(error, SN_INVALID, "the last row of its matrix is not 0 0 0 1");
    }
    double difference = sn_mat4_decompose(&matrix, rest);
    if (difference > shear_tolerance * largest) {
        return sni_fail(error, SN_INVALID,
                        "its matrix has shear: translation, rotation and scale differ from it by "
                        "%.3g",
                        difference);
    }
    return SN_OK;
}

static sn_status read_rest(const sni_gltf *gltf, const sn_value *value, sn_transform *rest,
                           sn_error *error) {
    sn_status status = SN_OK;
    if (sn_value_get(value, "matrix") != NULL) {
        return read_matrix(gltf, value, rest, error);
    }
    double t[3] = {0, 0, 0}, r[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    SN_TRY(sni_gltf_get_numbers(gltf, value, "translation", 3, t, error));
    SN_TRY(sni_gltf_get_numbers(gltf, value, "rotation", 4, r, error));
    SN_TRY(sni_gltf_get_numbers(gltf, value, "scale", 3, s, error));
    sn_quat rotation = {r[0], r[1], r[2], r[3]};
    double length = sqrt(sn_quat_dot(rotation, rotation));
    if (!(length > 0) || !isfinite(length)) {
        return sni_fail(error, SN_INVALID, "its rotation has no direction");
    }
    if (fabs(length - 1) > unit_tolerance) {
        rotation = sn_quat_normalize(rotation);
    }
    *rest = (sn_transform){{t[0], t[1], t[2]}, rotation, {s[0], s[1], s[2]}};
cleanup:
    return status;
}

static sn_status name_segments(sni_gltf *gltf, sn_skeleton *skeleton, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = skeleton->segment_count;
    const char **given = NULL, **assigned = NULL;
    uint32_t *numbers = NULL;
    SNI_NEW(gltf->context, given, count);
    SNI_NEW(gltf->context, assigned, count);
    SNI_NEW(gltf->context, numbers, count);
    for (uint32_t i = 0; i < sni_gltf_count(gltf, SNI_GLTF_NODES); ++i) {
        uint32_t segment = gltf->nodes[i].segment;
        if (segment != SN_NONE) {
            given[segment] = sni_gltf_item_name(gltf, SNI_GLTF_NODES, i);
            numbers[segment] = i;
        }
    }
    SN_TRY(sni_names_assign(&gltf->node_names, given, numbers, count, "node", assigned, error));
    for (uint32_t i = 0; i < count; ++i) {
        skeleton->segments[i].name = sni_string_copy(gltf->context, assigned[i]);
        if (skeleton->segments[i].name == NULL) {
            status = sni_fail_memory(error);
            goto cleanup;
        }
    }
cleanup:
    sni_free(gltf->context, given);
    sni_free(gltf->context, assigned);
    sni_free(gltf->context, numbers);
    return status;
}

// A parent of a segment is one: it is in the scene and no leaf.
static sn_status build_skeleton(sni_gltf *gltf, sn_skeleton *skeleton, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = sni_gltf_count(gltf, SNI_GLTF_NODES);
    uint32_t segments = 0;
    for (uint32_t i = 0; i < count; ++i) {
        gltf->nodes[i].segment = becomes_segment(gltf, i) ? segments++ : SN_NONE;
    }
    SN_TRY(sni_skeleton_init(gltf->context, segments, skeleton, error));
    for (uint32_t i = 0; i < count; ++i) {
        const sni_gltf_node *node = &gltf->nodes[i];
        if (node->segment == SN_NONE) {
            continue;
        }
        sn_segment *segment = &skeleton->segments[node->segment];
        segment->parent = node->parent != SN_NONE ? gltf->nodes[node->parent].segment : SN_NONE;
        status = read_rest(gltf, sni_gltf_item(gltf, SNI_GLTF_NODES, i), &segment->rest, error);
        if (status != SN_OK) {
            fail_node(gltf, i, status, error);
            goto cleanup;
        }
    }
    SN_TRY(name_segments(gltf, skeleton, error));
    SN_TRY(sni_skeleton_sort(gltf->context, skeleton, error));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Instances

static sn_status name_instances(sni_gltf *gltf, sn_error *error) {
    sn_status status = SN_OK;
    const char **given = NULL, **assigned = NULL;
    uint32_t *numbers = NULL;
    SNI_NEW(gltf->context, given, gltf->instance_count);
    SNI_NEW(gltf->context, assigned, gltf->instance_count);
    SNI_NEW(gltf->context, numbers, gltf->instance_count);
    for (uint32_t i = 0; i < gltf->instance_count; ++i) {
        numbers[i] = gltf->instances[i].mesh;
        given[i] = sni_gltf_item_name(gltf, SNI_GLTF_MESHES, gltf->instances[i].mesh);
    }
    SN_TRY(sni_names_assign(&gltf->mesh_names, given, numbers, gltf->instance_count, "mesh",
                            assigned, error));
    for (uint32_t i = 0; i < gltf->instance_count; ++i) {
        gltf->instances[i].name = assigned[i];
    }
cleanup:
    sni_free(gltf->context, given);
    sni_free(gltf->context, assigned);
    sni_free(gltf->context, numbers);
    return status;
}

// One instance for each node of the scene that has a mesh, in the order of meshes and then of
// nodes, and one for each mesh that no node of the file uses.
static sn_status find_instances(sni_gltf *gltf, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t node_count = sni_gltf_count(gltf, SNI_GLTF_NODES);
    uint32_t mesh_count = sni_gltf_count(gltf, SNI_GLTF_MESHES);
    uint32_t *offsets = NULL;
    uint8_t *is_used = NULL;
    SNI_NEW_ZERO(gltf->context, offsets, (size_t)mesh_count + 1);
    SNI_NEW_ZERO(gltf->context, is_used, mesh_count);
    SNI_NEW(gltf->context, gltf->node_instance, node_count);
    for (uint32_t i = 0; i < node_count; ++i) {
        uint32_t mesh = gltf->nodes[i].mesh;
        gltf->node_instance[i] = SN_NONE;
        if (mesh != SN_NONE) {
            is_used[mesh] = 1;
            sni_rows_count(offsets, mesh, gltf->nodes[i].in_scene);
        }
    }
    for (uint32_t i = 0; i < mesh_count; ++i) {
        sni_rows_count(offsets, i, !is_used[i]);
    }
    gltf->instance_count = sni_rows_begin(offsets, mesh_count);
    SNI_NEW(gltf->context, gltf->instances, gltf->instance_count);
    for (uint32_t i = 0; i < mesh_count; ++i) {
        if (!is_used[i]) {
            gltf->instances[sni_rows_take(offsets, i)] =
                (sni_gltf_instance){.mesh = i, .node = SN_NONE, .skin = SN_NONE};
        }
    }
    for (uint32_t i = 0; i < node_count; ++i) {
        const sni_gltf_node *node = &gltf->nodes[i];
        if (node->mesh != SN_NONE && node->in_scene) {
            gltf->node_instance[i] = sni_rows_take(offsets, node->mesh);
            gltf->instances[gltf->node_instance[i]] =
                (sni_gltf_instance){.mesh = node->mesh, .node = i, .skin = node->skin};
        }
    }
    SN_TRY(name_instances(gltf, error));
cleanup:
    sni_free(gltf->context, offsets);
    sni_free(gltf->context, is_used);
    return status;
}

sn_status sni_gltf_read_scene(sni_gltf *gltf, sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(read_nodes(gltf, error));
    SN_TRY(check_no_cycle(gltf, error));
    SN_TRY(mark_joints(gltf, error));
    SN_TRY(mark_scene_roots(gltf, error));
    SN_TRY(spread_marks(gltf, error));
    SN_TRY(build_skeleton(gltf, &import->skeleton, error));
    SN_TRY(find_instances(gltf, error));
cleanup:
    return status;
}
