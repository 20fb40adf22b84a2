// SPDX-License-Identifier: Apache-2.0
//
// The lines along which muscles pull at the bodies of a group, in the frame of its base.
#include "eval/rigid.h"

// What of a line pulls at bodies.
static sn_status take_line(const sni_group_pulling *p, const sni_muscle_line *line,
                           sni_rigid_posed_line *posed, sn_error *error) {
    sni_rigid_pull *pulls = sni_arena_alloc_small(p->arena, line->pull_count, sizeof *pulls);
    if (pulls == NULL) {
        return sni_fail_memory(error);
    }
    *posed = (sni_rigid_posed_line){.length = line->length, .pulls = pulls};
    for (uint32_t i = 0; i < line->pull_count; ++i) {
        const sni_muscle_pull *pull = &line->pulls[i];
        uint32_t thing = p->group->things[pull->segment];
        if (thing < p->group->body_count) {
            pulls[posed->pull_count++] = (sni_rigid_pull){
                .body = thing, .at = pull->at, .force = pull->force, .bend = pull->bend};
        }
    }
    return SN_OK;
}

sn_status sni_group_pull(const sni_group_pulling *p, sni_rigid_posed_line *lines, sn_error *error) {
    const sni_body_group *group = p->group;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < group->muscle_count; ++i) {
        const sni_group_muscle *of = &group->muscles[i];
        const sni_bound_muscle *bound = p->rest->muscles[of->muscle];
        sni_muscle_lines found;
        sni_muscle_pose_job job = {.context = p->rest->context,
                                   .arena = p->arena,
                                   .segment_count = sni_rig_skeleton(p->rest->rig)->segment_count,
                                   .worlds = p->worlds};
        for (uint32_t k = 0; p->inputs != NULL && k < SNI_INPUTS_MOST; ++k) {
            job.inputs[k] = p->inputs[i][k];
        }
        SN_TRY(bound->ops->pull(bound->bound, &job, &found, error));
        for (uint32_t k = 0; k < of->line_count; ++k) {
            SN_TRY(take_line(p, &found.lines[k], &lines[of->first_line + k], error));
        }
    }
cleanup:
    return status;
}
