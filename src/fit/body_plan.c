// SPDX-License-Identifier: Apache-2.0
//
// A skeleton proposed for bones without a rig.
#include "base/memory.h"
#include "sinew/fit.h"

static void free_coupling(sn_context *context, sn_plan_coupling *coupling) {
    for (uint32_t i = 0; i < coupling->spread_count; ++i) {
        sni_free(context, coupling->spreads[i].parameter);
    }
    sni_free(context, coupling->name);
    sni_free(context, coupling->parameter);
    sni_free(context, coupling->curve);
    sni_free(context, coupling->spreads);
}

void sn_body_plan_destroy(sn_body_plan *plan) {
    if (plan == NULL) {
        return;
    }
    sn_context *context = plan->context;
    for (uint32_t i = 0; i < plan->segment_count; ++i) {
        sni_free(context, plan->segments[i].name);
        sni_free(context, plan->segments[i].reason);
    }
    for (uint32_t i = 0; i < plan->coupling_count; ++i) {
        free_coupling(context, &plan->couplings[i]);
    }
    sni_free(context, plan->segments);
    sni_free(context, plan->couplings);
    sni_free(context, plan->bone_segments);
    sni_free(context, plan->bone_guessed);
    sni_free(context, plan);
}

static sn_vec3 middle_of(const sn_mesh *mesh) {
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        sum = sn_vec3_add(sum, sn_vec3_load(mesh->positions + 3 * (size_t)i));
    }
    return sn_vec3_scale(sum, mesh->vertex_count > 0 ? 1.0 / mesh->vertex_count : 0);
}

sn_status sn_propose_body(sn_context *context, uint32_t count, const sn_bone_part *parts,
                          const sn_progress *progress, sn_body_plan **plan, sn_error *error) {
    sn_status status = SN_OK;
    sn_body_plan *made = NULL;
    (void)progress;
    *plan = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->part_count = count;
    SNI_NEW_ZERO(context, made->segments, count);
    SNI_NEW_ZERO(context, made->bone_segments, count);
    SNI_NEW_ZERO(context, made->bone_guessed, count);
    for (uint32_t i = 0; i < count; ++i) {
        sn_plan_segment *segment = &made->segments[i];
        made->segment_count = i + 1;
        made->bone_segments[i] = i;
        made->bone_guessed[i] = true;
        segment->parent = i > 0 ? 0 : SN_NONE;
        segment->joint = middle_of(parts[i].mesh);
        segment->rotation = sn_quat_identity();
        segment->name = sni_string_copy(context, parts[i].name);
        segment->reason = sni_string_copy(context, "no name told");
        if (segment->name == NULL || segment->reason == NULL) {
            status = sni_fail_memory(error);
            goto cleanup;
        }
    }
    *plan = made;
    made = NULL;
cleanup:
    sn_body_plan_destroy(made);
    return status;
}
