// SPDX-License-Identifier: Apache-2.0
//
// The skeleton: that of the rig without nodes that carry nothing, or that of a proposed plan.
#include "base/text.h"
#include "character/import/anatomy.h"
#include "motion/skeleton.h"

// Joints of the rig's skins, what stands above them, and what hangs on them (ends of fingers).
static sn_status mark_kept(const sni_anatomy_build *build, bool *kept, sn_error *error) {
    const sn_import *rig = build->rig;
    const sn_skeleton *skeleton = &rig->skeleton;
    sni_name_index names = {0};
    sn_status status = sni_skeleton_index(build->context, skeleton, &names, error);
    if (status != SN_OK) {
        return status;
    }
    for (uint32_t m = 0; m < rig->mesh_count; ++m) {
        const sn_weights *weights = rig->meshes[m]->weights;
        for (uint32_t b = 0; weights != NULL && b < weights->bone_count; ++b) {
            uint32_t joint = sni_name_index_find(&names, weights->bone_names[b]);
            if (joint != SN_NONE) {
                kept[joint] = true;
            }
        }
    }
    sni_name_index_deinit(build->context, &names);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t segment = skeleton->parents_first[i];
        uint32_t parent = skeleton->segments[segment].parent;
        kept[segment] = kept[segment] || (parent != SN_NONE && kept[parent]);
    }
    for (uint32_t m = 0; m < rig->mesh_count; ++m) { // such as a hat that hangs on the head
        uint32_t node = rig->mesh_nodes[m];
        if (node != SN_NONE) {
            kept[node] = false;
        }
    }
    for (uint32_t i = skeleton->segment_count; i-- > 0;) {
        uint32_t segment = skeleton->parents_first[i];
        uint32_t parent = skeleton->segments[segment].parent;
        if (kept[segment] && parent != SN_NONE) {
            kept[parent] = true;
        }
    }
    return SN_OK;
}

static sn_status copy_segment(sn_context *context, const sn_segment *from, sn_segment *to,
                              sn_error *error) {
    to->rest = from->rest;
    to->order = from->order;
    to->name = sni_string_copy(context, from->name);
    return to->name != NULL ? SN_OK : sni_fail_memory(error);
}

static sn_status finish_skeleton(sni_anatomy_build *build, sn_error *error) {
    sn_status status = SN_OK;
    sn_skeleton *skeleton = &build->skeleton;
    SN_TRY(sni_skeleton_sort(build->context, skeleton, error));
    SN_TRY(sni_skeleton_rest_worlds(build->context, skeleton, &build->worlds, error));
    SNI_NEW(build->context, build->parents, skeleton->segment_count);
    SNI_NEW(build->context, build->joints, skeleton->segment_count);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        build->parents[i] = skeleton->segments[i].parent;
        build->joints[i] = sn_mat4_point(&build->worlds[i], sn_vec3_make(0, 0, 0));
    }
cleanup:
    return status;
}

sn_status sni_anatomy_read_rig(sni_anatomy_build *build, sn_error *error) {
    sn_status status = SN_OK;
    bool *kept = NULL;
    uint32_t *numbers = NULL;
    uint32_t count = 0;
    SN_TRY(sn_import_file(build->context, build->anatomy->rig, &build->rig, error));
    const sn_skeleton *source = &build->rig->skeleton;
    SNI_NEW_ZERO(build->context, kept, source->segment_count);
    SNI_NEW(build->context, numbers, source->segment_count);
    SN_TRY(mark_kept(build, kept, error));
    for (uint32_t i = 0; i < source->segment_count; ++i) {
        numbers[i] = kept[i] ? count++ : SN_NONE;
    }
    SN_TRY(sni_skeleton_init(build->context, count, &build->skeleton, error));
    for (uint32_t i = 0; i < source->segment_count; ++i) {
        if (kept[i]) {
            sn_segment *segment = &build->skeleton.segments[numbers[i]];
            uint32_t parent = source->segments[i].parent;
            segment->parent = parent != SN_NONE ? numbers[parent] : SN_NONE;
            SN_TRY(copy_segment(build->context, &source->segments[i], segment, error));
        }
    }
    SN_TRY(finish_skeleton(build, error));
cleanup:
    sni_free(build->context, kept);
    sni_free(build->context, numbers);
    return status;
}

// ---------------------------------------------------------------------------------------------
// A plan

static sn_status propose(sni_anatomy_build *build, sn_error *error) {
    sn_status status = SN_OK;
    sn_bone_part *parts = NULL;
    SNI_NEW(build->context, parts, build->bone_count);
    for (uint32_t i = 0; i < build->bone_count; ++i) {
        const sn_anatomy_part *part = &build->anatomy->parts[build->bones[i]];
        parts[i] = (sn_bone_part){part->name, part->side, build->meshes[build->bones[i]]};
    }
    SN_TRY(sn_propose_body(build->context, build->bone_count, parts, build->progress, &build->plan,
                           error));
cleanup:
    sni_free(build->context, parts);
    return status;
}

// Hundredths of a millimetre: joints are no better known than that.
static sn_vec3 round_point(sn_vec3 p) {
    return sn_vec3_make(round(p.x * 1e5) / 1e5, round(p.y * 1e5) / 1e5, round(p.z * 1e5) / 1e5);
}

// Where a frame stands in its parent's.
static sn_transform local_frame(const sn_plan_segment *segment, const sn_plan_segment *parent) {
    sn_transform local = {
        .translation = segment->joint, .rotation = segment->rotation, .scale = {1, 1, 1}};
    if (parent != NULL) {
        sn_quat back = sn_quat_conjugate(parent->rotation);
        local.translation = sn_quat_rotate(back, sn_vec3_sub(segment->joint, parent->joint));
        local.rotation = sn_quat_multiply(back, segment->rotation);
    }
    local.translation = round_point(local.translation);
    return local;
}

sn_status sni_anatomy_take_plan(sni_anatomy_build *build, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(propose(build, error));
    const sn_body_plan *plan = build->plan;
    SN_TRY(sni_skeleton_init(build->context, plan->segment_count, &build->skeleton, error));
    for (uint32_t i = 0; i < plan->segment_count; ++i) {
        const sn_plan_segment *planned = &plan->segments[i];
        sn_segment *segment = &build->skeleton.segments[i];
        segment->parent = planned->parent;
        segment->order = planned->order;
        segment->rest = local_frame(
            planned, planned->parent != SN_NONE ? &plan->segments[planned->parent] : NULL);
        segment->name = sni_string_copy(build->context, planned->name);
        if (segment->name == NULL) {
            status = sni_fail_memory(error);
            goto cleanup;
        }
    }
    SN_TRY(finish_skeleton(build, error));
cleanup:
    return status;
}
