// SPDX-License-Identifier: Apache-2.0
//
// A skinned .glb: the skeleton as nodes, meshes with skins, morph targets, and animations.
//
// Nodes 0 .. segment_count - 1 are the segments in their order. Behind them come the nodes of
// meshes that need one, and a common root where glTF asks for it: the joints of a skin must share
// an ancestor, so that a skeleton of several roots gets one above them. Vertices without weights
// stay where they are; glTF has no such thing, so they hang on a joint of their own that never
// moves.
#include "io/gltf/write_motion.h"

#include "base/context.h"
#include "io/write_usd_skel.h"
#include "motion/skeleton.h"
#include "sinew/io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t desc_check = 0x736e736b;

// Rows of weights whose sum is this near to one keep their bits; the validator of Khronos allows
// 2e-7 for each weight.
static const double unit_tolerance = 1e-7;

sn_export_skinned_desc sn_export_skinned_desc_default(void) {
    return (sn_export_skinned_desc){.check = desc_check, .rate = 30};
}

typedef struct export {
    sn_context *context;
    const sn_export_skinned_desc *desc;
    const sn_skeleton *skeleton;
    sni_gltf_writer writer;
    sni_names segment_names;
    sn_transform *rests;  // segment_count
    sn_mat4 *rest_worlds; // segment_count
    sn_value **nodes;     // of segments
    sn_value **children;  // their "children", NULL without
    bool has_root;        // common root above the segments
    uint32_t root_node;   // its node
    uint32_t still_node;  // the joint that never moves, SN_NONE when not needed
    uint32_t *mesh_nodes; // mesh_count: node that carries the mesh
    uint32_t scene_count; // root nodes of the scene
    uint32_t *scene;
    sni_gltf_mesh_item *items; // mesh_count
}
export;

// ---------------------------------------------------------------------------------------------
// Checks

static sn_status check_meshes(const sn_export_skinned_desc *desc, sn_error *error) {
    for (uint32_t i = 0; i < desc->mesh_count; ++i) {
        sn_status status = sn_mesh_validate(desc->meshes[i], error);
        if (status != SN_OK) {
            return status;
        }
        uint32_t segment = desc->mesh_segments != NULL ? desc->mesh_segments[i] : SN_NONE;
        if (segment != SN_NONE && segment >= desc->skeleton->segment_count) {
            return sni_fail(error, SN_INVALID, "mesh \"%s\" hangs on segment %u of %u",
                            desc->meshes[i]->name, segment, desc->skeleton->segment_count);
        }
    }
    return SN_OK;
}

static bool transform_is_finite(const sn_transform *t) {
    return sn_vec3_is_finite(t->translation) && sn_vec3_is_finite(t->scale) &&
           isfinite(t->rotation.x) && isfinite(t->rotation.y) && isfinite(t->rotation.z) &&
           isfinite(t->rotation.w) && sn_quat_dot(t->rotation, t->rotation) > 0;
}

static sn_status check_clip(const sn_export_skinned_desc *desc, const sn_export_clip *clip,
                            sn_error *error) {
    uint32_t segment_count = desc->skeleton->segment_count;
    if (clip->frame_count > 0 && (!(clip->rate > 0) || !isfinite(clip->rate))) {
        return sni_fail(error, SN_INVALID, "the rate is %g frames per second, but must be above 0",
                        clip->rate);
    }
    if (clip->frame_count > 0 && !(clip->first_time >= 0 && isfinite(clip->first_time))) {
        return sni_fail(error, SN_INVALID, "the first frame is at %g seconds, before 0",
                        clip->first_time);
    }
    for (uint32_t f = 0; f < clip->frame_count; ++f) {
        for (uint32_t s = 0; s < segment_count; ++s) {
            if (!transform_is_finite(&clip->locals[(size_t)f * segment_count + s])) {
                return sni_fail(error, SN_INVALID,
                                "frame %u: the transform of segment \"%s\" is not finite", f,
                                desc->skeleton->segments[s].name);
            }
        }
    }
    for (uint32_t m = 0; clip->weights != NULL && m < desc->mesh_count; ++m) {
        size_t count = (size_t)clip->frame_count * desc->meshes[m]->target_count;
        for (size_t i = 0; clip->weights[m] != NULL && i < count; ++i) {
            if (!isfinite(clip->weights[m][i])) {
                return sni_fail(error, SN_INVALID,
                                "frame %zu: a morph weight of mesh \"%s\" is not finite",
                                i / desc->meshes[m]->target_count, desc->meshes[m]->name);
            }
        }
    }
    return SN_OK;
}

// The clip of the desc itself, or one of its further ones.
static sn_export_clip clip_of(const sn_export_skinned_desc *desc, uint32_t index) {
    return index > 0 ? desc->further[index - 1]
                     : (sn_export_clip){desc->clip_name,   desc->rate,   desc->first_time,
                                        desc->frame_count, desc->locals, desc->weights};
}

static sn_status check_desc(const sn_export_skinned_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID,
                        "sn_export_skinned_desc was not made by its default call");
    }
    if (desc->skeleton == NULL) {
        return sni_fail(error, SN_INVALID, "no skeleton to write");
    }
    sn_status status = check_meshes(desc, error);
    for (uint32_t i = 0; status == SN_OK && i <= desc->further_count; ++i) {
        sn_export_clip clip = clip_of(desc, i);
        status = check_clip(desc, &clip, error);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Nodes

static void put_transform(export *e, sn_value *node, const sn_transform *t) {
    const double translation[3] = {t->translation.x, t->translation.y, t->translation.z};
    const double rotation[4] = {t->rotation.x, t->rotation.y, t->rotation.z, t->rotation.w};
    const double scale[3] = {t->scale.x, t->scale.y, t->scale.z};
    if (translation[0] != 0 || translation[1] != 0 || translation[2] != 0) {
        sni_gltf_put_numbers(&e->writer, node, "translation", translation, 3);
    }
    if (rotation[0] != 0 || rotation[1] != 0 || rotation[2] != 0 || rotation[3] != 1) {
        sni_gltf_put_numbers(&e->writer, node, "rotation", rotation, 4);
    }
    if (scale[0] != 1 || scale[1] != 1 || scale[2] != 1) {
        sni_gltf_put_numbers(&e->writer, node, "scale", scale, 3);
    }
}

static sn_value *put_node(export *e, const char *name, uint32_t *index) {
    sn_value *node = sni_gltf_put_item(&e->writer, SNI_GLTF_NODES, index);
    sni_gltf_put_string(&e->writer, node, "name", name);
    return node;
}

static void add_child(export *e, uint32_t segment, uint32_t child) {
    if (e->children[segment] == NULL) {
        e->children[segment] = sni_gltf_put_array(&e->writer, e->nodes[segment], "children");
    }
    sni_gltf_put_number(&e->writer, e->children[segment], NULL, child);
}

static sn_status put_segments(export *e, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = e->skeleton->segment_count;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t index;
        const sn_segment *segment = &e->skeleton->segments[i];
        e->nodes[i] = put_node(e, segment->name, &index);
        e->rests[i] = sni_segment_rest_local(segment);
        e->rests[i].rotation = sni_gltf_unit_rotation(e->rests[i].rotation);
        if (!transform_is_finite(&e->rests[i])) {
            return sni_fail(error, SN_INVALID, "the rest frame of segment \"%s\" is not finite",
                            segment->name);
        }
        put_transform(e, e->nodes[i], &e->rests[i]);
        if (sni_names_find(&e->segment_names, segment->name) != SN_NONE) {
            return sni_fail(error, SN_INVALID, "two segments are named \"%s\"", segment->name);
        }
        SN_TRY(sni_names_add(&e->segment_names, segment->name, i, error));
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t parent = e->skeleton->segments[i].parent;
        if (parent != SN_NONE) {
            add_child(e, parent, i);
        } else if (!e->has_root) {
            e->scene[e->scene_count++] = i;
        }
    }
    sni_skeleton_world(e->skeleton, e->rests, e->rest_worlds);
cleanup:
    return status;
}

static bool has_unweighted_vertices(const sn_mesh *mesh) {
    for (uint32_t v = 0; mesh->weights != NULL && v < mesh->vertex_count; ++v) {
        double sum = 0;
        for (uint32_t i = mesh->weights->offsets[v]; i < mesh->weights->offsets[v + 1]; ++i) {
            sum += mesh->weights->values[i];
        }
        if (!(sum > 0)) {
            return true;
        }
    }
    return false;
}

// Whether a skin needs an ancestor that the skeleton does not have.
static void plan_root(export *e, bool *needs_still) {
    uint32_t roots = 0;
    bool any_skin = false;
    *needs_still = false;
    for (uint32_t i = 0; i < e->skeleton->segment_count; ++i) {
        roots += e->skeleton->segments[i].parent == SN_NONE;
    }
    for (uint32_t i = 0; i < e->desc->mesh_count; ++i) {
        any_skin = any_skin || e->desc->meshes[i]->weights != NULL;
        *needs_still = *needs_still || has_unweighted_vertices(e->desc->meshes[i]);
    }
    e->has_root = *needs_still || (any_skin && roots > 1);
}

static sn_status put_root(export *e, bool needs_still, sn_error *error) {
    sn_status status = SN_OK;
    const char *name;
    e->still_node = SN_NONE;
    if (!e->has_root) {
        goto cleanup;
    }
    SN_TRY(sni_names_add_unique(&e->segment_names, "root", SN_NONE - 1, &name, error));
    sn_value *root = put_node(e, name, &e->root_node);
    sn_value *children = sni_gltf_put_array(&e->writer, root, "children");
    for (uint32_t i = 0; i < e->skeleton->segment_count; ++i) {
        if (e->skeleton->segments[i].parent == SN_NONE) {
            sni_gltf_put_number(&e->writer, children, NULL, i);
        }
    }
    if (needs_still) {
        SN_TRY(sni_names_add_unique(&e->segment_names, "still", SN_NONE - 1, &name, error));
        put_node(e, name, &e->still_node);
        sni_gltf_put_number(&e->writer, children, NULL, e->still_node);
    }
    e->scene[e->scene_count++] = e->root_node;
cleanup:
    return status;
}

// A rigid mesh stands on its segment's node, or below it when that has a mesh already; a skinned
// one on a root node, where its transform is plainly the identity.
static void put_mesh_node(export *e, uint32_t mesh, uint32_t skin) {
    const sn_mesh *source = e->desc->meshes[mesh];
    uint32_t segment = e->desc->mesh_segments != NULL && source->weights == NULL
                           ? e->desc->mesh_segments[mesh]
                           : SN_NONE;
    sn_value *node = NULL;
    if (segment != SN_NONE && sn_value_get(e->nodes[segment], "mesh") == NULL) {
        node = e->nodes[segment];
        e->mesh_nodes[mesh] = segment;
    } else {
        node = put_node(e, source->name, &e->mesh_nodes[mesh]);
        if (segment != SN_NONE) {
            add_child(e, segment, e->mesh_nodes[mesh]);
        } else {
            e->scene[e->scene_count++] = e->mesh_nodes[mesh];
        }
    }
    sni_gltf_put_number(&e->writer, node, "mesh", e->items[mesh].index);
    if (skin != SN_NONE) {
        sni_gltf_put_number(&e->writer, node, "skin", skin);
    }
}

// ---------------------------------------------------------------------------------------------
// Skins

// Fills `matrices` (bones, and the still joint behind them) and the skin's joints.
static sn_status fill_joints(export *e, const sn_mesh *mesh, sn_value *joints, float *matrices,
                             sn_error *error) {
    const sn_weights *weights = mesh->weights;
    for (uint32_t i = 0; i < weights->bone_count; ++i) {
        uint32_t segment = sni_names_find(&e->segment_names, weights->bone_names[i]);
        if (segment >= e->skeleton->segment_count) {
            return sni_fail(error, SN_INVALID,
                            "mesh \"%s\": bone \"%s\" is no segment of the skeleton", mesh->name,
                            weights->bone_names[i]);
        }
        sn_mat4 bind;
        if (weights->inverse_bind != NULL) {
            bind = weights->inverse_bind[i];
        } else if (!sn_mat4_invert(&e->rest_worlds[segment], &bind)) {
            return sni_fail(error, SN_INVALID,
                            "the rest frame of segment \"%s\" is flat and has no inverse",
                            weights->bone_names[i]);
        }
        for (int k = 0; k < 16; ++k) {
            matrices[16 * (size_t)i + k] = k % 4 == 3 ? (float)(k == 15) : (float)bind.m[k];
        }
        sni_gltf_put_number(&e->writer, joints, NULL, segment);
    }
    return SN_OK;
}

static sn_status put_skin(export *e, const sn_mesh *mesh, bool with_still, uint32_t *skin,
                          sn_error *error) {
    sn_status status = SN_OK;
    float *matrices = NULL;
    uint32_t accessor;
    uint32_t joint_count = mesh->weights->bone_count + with_still;
    if (joint_count == 0) {
        return sni_fail(error, SN_INVALID, "mesh \"%s\" has weights but no bones", mesh->name);
    }
    SNI_NEW_ZERO(e->context, matrices, 16 * (size_t)joint_count);
    sn_value *value = sni_gltf_put_item(&e->writer, SNI_GLTF_SKINS, skin);
    sni_gltf_put_string(&e->writer, value, "name", mesh->name);
    sn_value *joints = sni_gltf_put_array(&e->writer, value, "joints");
    SN_TRY(fill_joints(e, mesh, joints, matrices, error));
    if (with_still) {
        for (int k = 0; k < 16; k += 5) {
            matrices[16 * (size_t)(joint_count - 1) + k] = 1;
        }
        sni_gltf_put_number(&e->writer, joints, NULL, e->still_node);
    }
    sni_gltf_array array = {
        .values = matrices, .count = joint_count, .width = 16, .component = SNI_GLTF_FLOAT};
    SN_TRY(sni_gltf_put_accessor(&e->writer, &array, &accessor, error));
    sni_gltf_put_number(&e->writer, value, "inverseBindMatrices", accessor);
cleanup:
    sni_free(e->context, matrices);
    return status;
}

// One vertex's weights as glTF wants them: bones that stand twice joined, zeros left out, sum one.
// `row` has room for the longest row. Returns how many there are.
typedef struct influence {
    uint32_t bone;
    float value;
} influence;

static uint32_t fill_row(const sn_weights *weights, uint32_t vertex, uint32_t *seen,
                         uint32_t still_bone, influence *row) {
    uint32_t count = 0;
    double sum = 0;
    for (uint32_t i = weights->offsets[vertex]; i < weights->offsets[vertex + 1]; ++i) {
        uint32_t bone = weights->bones[i];
        float value = weights->values[i];
        if (!(value > 0)) {
            continue;
        }
        sum += value;
        if (seen[bone] < count && row[seen[bone]].bone == bone) {
            row[seen[bone]].value += value;
        } else {
            seen[bone] = count;
            row[count++] = (influence){bone, value};
        }
    }
    for (uint32_t i = 0; i < count && fabs(sum - 1) > unit_tolerance; ++i) {
        row[i].value = (float)(row[i].value / sum);
    }
    if (count == 0) {
        row[count++] = (influence){still_bone, 1};
    }
    return count;
}

static uint32_t longest_row(const sn_mesh *mesh) {
    uint32_t longest = 1;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        uint32_t length = mesh->weights->offsets[v + 1] - mesh->weights->offsets[v];
        longest = length > longest ? length : longest;
    }
    return longest;
}

static sn_status put_weight_set(export *e, const sni_gltf_mesh_item *item, uint32_t set,
                                uint32_t vertex_count, const float *weights, const uint16_t *joints,
                                bool wide, sn_error *error) {
    sn_status status = SN_OK;
    uint8_t *narrow = NULL;
    uint32_t accessor;
    char name[32];
    sni_gltf_array array = {.values = joints,
                            .count = vertex_count,
                            .width = 4,
                            .component = SNI_GLTF_UINT16,
                            .target = SNI_GLTF_TARGET_VERTICES};
    if (!wide) {
        SNI_NEW(e->context, narrow, 4 * (size_t)vertex_count);
        for (size_t i = 0; i < 4 * (size_t)vertex_count; ++i) {
            narrow[i] = (uint8_t)joints[i];
        }
        array.values = narrow;
        array.component = SNI_GLTF_UINT8;
    }
    SN_TRY(sni_gltf_put_accessor(&e->writer, &array, &accessor, error));
    snprintf(name, sizeof name, "JOINTS_%u", set);
    sni_gltf_put_attribute(&e->writer, item, name, accessor);
    array.values = weights;
    array.component = SNI_GLTF_FLOAT;
    SN_TRY(sni_gltf_put_floats(&e->writer, &array, true, &accessor, error));
    snprintf(name, sizeof name, "WEIGHTS_%u", set);
    sni_gltf_put_attribute(&e->writer, item, name, accessor);
cleanup:
    sni_free(e->context, narrow);
    return status;
}

// Sets of four influences, as many as the longest row takes. Rows are formed anew for each set:
// cheaper than to hold all of them.
static sn_status put_weights(export *e, const sn_mesh *mesh, const sni_gltf_mesh_item *item,
                             uint32_t joint_count, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t longest = longest_row(mesh);
    float *values = NULL;
    uint16_t *joints = NULL;
    uint32_t *seen = NULL;
    influence *row = NULL;
    if (joint_count > UINT16_MAX + 1u) {
        return sni_fail(error, SN_LIMIT, "mesh \"%s\" has %u joints, but glTF counts to 65536",
                        mesh->name, joint_count);
    }
    SNI_NEW(e->context, values, 4 * (size_t)mesh->vertex_count);
    SNI_NEW(e->context, joints, 4 * (size_t)mesh->vertex_count);
    SNI_NEW_ZERO(e->context, seen, joint_count);
    SNI_NEW(e->context, row, longest);
    uint32_t sets = 1;
    for (uint32_t set = 0; set < sets; ++set) {
        memset(values, 0, 4 * (size_t)mesh->vertex_count * sizeof *values);
        memset(joints, 0, 4 * (size_t)mesh->vertex_count * sizeof *joints);
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            uint32_t count = fill_row(mesh->weights, v, seen, joint_count - 1, row);
            sets = (count + 3) / 4 > sets ? (count + 3) / 4 : sets;
            for (uint32_t i = 4 * set; i < count && i < 4 * set + 4; ++i) {
                joints[4 * (size_t)v + i % 4] = (uint16_t)row[i].bone;
                values[4 * (size_t)v + i % 4] = row[i].value;
            }
        }
        SN_TRY(put_weight_set(e, item, set, mesh->vertex_count, values, joints, joint_count > 255,
                              error));
    }
cleanup:
    sni_free(e->context, values);
    sni_free(e->context, joints);
    sni_free(e->context, seen);
    sni_free(e->context, row);
    return status;
}

static sn_status put_meshes(export *e, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < e->desc->mesh_count; ++i) {
        const sn_mesh *mesh = e->desc->meshes[i];
        uint32_t skin = SN_NONE;
        SN_TRY(sni_gltf_put_mesh(&e->writer, mesh, &e->items[i], error));
        if (mesh->weights != NULL) {
            bool with_still = has_unweighted_vertices(mesh);
            SN_TRY(
                put_weights(e, mesh, &e->items[i], mesh->weights->bone_count + with_still, error));
            SN_TRY(put_skin(e, mesh, with_still, &skin, error));
        }
        SN_TRY(sni_gltf_put_mesh_targets(&e->writer, mesh, &e->items[i], error));
        put_mesh_node(e, i, skin);
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// The file

static sn_status allocate(export *e, sn_error *error) {
    sn_status status = SN_OK;
    size_t segments = e->skeleton->segment_count, meshes = e->desc->mesh_count;
    SNI_NEW(e->context, e->rests, segments);
    SNI_NEW(e->context, e->rest_worlds, segments);
    SNI_NEW_ZERO(e->context, e->nodes, segments);
    SNI_NEW_ZERO(e->context, e->children, segments);
    SNI_NEW(e->context, e->mesh_nodes, meshes);
    SNI_NEW(e->context, e->scene, segments + meshes + 1);
    SNI_NEW_ZERO(e->context, e->items, meshes);
cleanup:
    return status;
}

static void release(export *e) {
    for (uint32_t i = 0; e->items != NULL && i < e->desc->mesh_count; ++i) {
        sni_free(e->context, e->items[i].primitives);
    }
    sni_free(e->context, e->rests);
    sni_free(e->context, e->rest_worlds);
    sni_free(e->context, e->nodes);
    sni_free(e->context, e->children);
    sni_free(e->context, e->mesh_nodes);
    sni_free(e->context, e->scene);
    sni_free(e->context, e->items);
    sni_names_deinit(&e->segment_names);
    sni_gltf_writer_deinit(&e->writer);
}

sn_status sn_export_skinned(sn_context *context, const char *path,
                            const sn_export_skinned_desc *desc, sn_error *error) {
    sn_status status = SN_OK;
    export e = {.context = context, .desc = desc, .skeleton = desc->skeleton};
    bool needs_still;
    sni_names_init(&e.segment_names, context);
    SN_TRY(check_desc(desc, error));
    if (sni_path_has_extension(path, ".usda")) {
        status = sni_write_usd_skel(context, path, desc, error);
        goto cleanup;
    }
    SN_TRY(allocate(&e, error));
    SN_TRY(sni_gltf_writer_init(&e.writer, context, path, error));
    e.writer.compact = desc->compact;
    plan_root(&e, &needs_still);
    SN_TRY(put_segments(&e, error));
    SN_TRY(put_root(&e, needs_still, error));
    SN_TRY(put_meshes(&e, error));
    for (uint32_t i = 0; i <= desc->further_count; ++i) {
        sn_export_clip clip = clip_of(desc, i);
        sni_gltf_motion motion = {e.context, e.desc, &clip, &e.writer, e.rests, e.mesh_nodes};
        SN_TRY(sni_gltf_put_motion(&motion, error));
    }
    sni_gltf_put_scene(&e.writer, e.scene, e.scene_count);
    SN_TRY(sni_gltf_writer_finish(&e.writer, error));
cleanup:
    release(&e);
    sni_error_source(error, path);
    return status;
}
