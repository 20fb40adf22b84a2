// SPDX-License-Identifier: Apache-2.0
//
// Fields of skins at any point, for slices through a body.
#include "eval/frame.h"

// The last deformer of a surface that has a field; SN_NONE: there is none.
static uint32_t field_of(const sn_model *model, uint32_t surface) {
    if (surface >= model->blueprint->surface_count) {
        return SN_NONE;
    }
    const sni_bound_surface *bound = &model->bound[surface];
    for (uint32_t i = bound->deformer_count; i-- > 0;) {
        if (bound->deformers[i].ops->field != NULL) {
            return i;
        }
    }
    return SN_NONE;
}

bool sn_model_has_field(const sn_model *model, uint32_t surface) {
    return field_of(model, surface) != SN_NONE;
}

sn_status sn_frame_field(const sn_frame *frame, uint32_t surface, uint32_t count,
                         const float *points, float *values, sn_error *error) {
    const sn_model *model = frame->model;
    uint32_t number = field_of(model, surface);
    if (number == SN_NONE) {
        return surface < model->surface_count
                   ? sni_fail(error, SN_INVALID, "\"%s\" has no field: it has no `implicit`",
                              model->surfaces[surface].name)
                   : sni_fail(error, SN_INVALID, "there is no surface %u", surface);
    }
    const sni_bound_deformer *deformer = &model->bound[surface].deformers[number];
    sn_status status = SN_OK;
    sni_arena arena;
    sni_deform_job job;
    sni_arena_init(&arena, frame->context); // the frame's own is the evaluation's
    SN_TRY(sni_frame_begin_job(frame, surface, number, &arena, &job, error));
    SN_TRY(deformer->ops->field(deformer->binding->bound, &job, count, points, values, error));
cleanup:
    sni_arena_deinit(&arena);
    return status;
}
