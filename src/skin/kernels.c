// SPDX-License-Identifier: Apache-2.0
//
// The kernels of this room, by the processor.
#include "base/kernel.h"
#include "skin/anchors_internal.h"
#include "skin/falloff.h"
#include "skin/implicit/contact_internal.h"
#include "skin/implicit/flesh_lanes.h"
#include "skin/sparse_blend.h"
#include "skin/wrap/bind.h"
#include "skin/wrap/frames.h"

SNI_FORMS(sni_contact_even_out);
SNI_FORMS(sni_flesh_solve);
SNI_FORMS(sni_sparse_blend_run);
SNI_FORMS(sni_falloff_attach);
SNI_FORMS(sni_falloff_run);
SNI_FORMS(sni_wrap_register);
SNI_FORMS(sni_wrap_frames_run);
SNI_FORMS(sni_anchors_create);
SNI_FORMS(sni_anchors_pose_run);

void sni_contact_even_out(sn_context *context, const sni_contact_even *even, uint32_t begin,
                          uint32_t end) {
    SNI_CHOSEN(context, sni_contact_even_out)(context, even, begin, end);
}

void sni_flesh_solve(sn_context *context, const sni_flesh_frame *frame, uint32_t begin,
                     uint32_t end, sni_flesh_felt *felt) {
    SNI_CHOSEN(context, sni_flesh_solve)(context, frame, begin, end, felt);
}

void sni_sparse_blend_run(sn_context *context, const sni_blend_job *job) {
    SNI_CHOSEN(context, sni_sparse_blend_run)(context, job);
}

sn_status sni_falloff_attach(const sni_bind_job *job, const sni_muscle_surface *muscle,
                             const sni_falloff_settings *settings, sni_skin_ways *ways,
                             sni_attachments *attachments, sn_error *error) {
    return SNI_CHOSEN(job->context, sni_falloff_attach)(job, muscle, settings, ways, attachments,
                                                        error);
}

void sni_falloff_run(const sni_falloff_job *job) {
    SNI_CHOSEN(job->deform->context, sni_falloff_run)(job);
}

sn_status sni_wrap_register(const sni_wrap_surface *surface, const sni_wrap_settings *settings,
                            const sni_wrap_edits *edits, uint32_t count, const float *points,
                            const sn_progress *progress, sni_wrap_rows *rows,
                            sni_wrap_report *report, sn_error *error) {
    return SNI_CHOSEN(surface->context, sni_wrap_register)(surface, settings, edits, count, points,
                                                           progress, rows, report, error);
}

void sni_wrap_frames_run(sn_context *context, const sni_wrap_frames *frames, const float *points,
                         const float *frame_points, double factor, float *matrices) {
    SNI_CHOSEN(context, sni_wrap_frames_run)
    (context, frames, points, frame_points, factor, matrices);
}

sn_status sni_anchors_create(sn_context *context, const sni_anchors_desc *desc,
                             sni_anchors **anchors, sn_error *error) {
    return SNI_CHOSEN(context, sni_anchors_create)(context, desc, anchors, error);
}

bool sni_anchors_pose_run(const sni_anchors *anchors, sni_arena *arena,
                          const sni_anchors_pose *pose) {
    return SNI_CHOSEN(anchors->context, sni_anchors_pose_run)(anchors, arena, pose);
}
