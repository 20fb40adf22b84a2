// SPDX-License-Identifier: Apache-2.0
#include "bench/play.h"

static sn_status play(sn_frame *frame, const sn_motion *motion, snb_frame_times *t,
                      sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = sn_motion_frame_count(motion);
    for (uint32_t f = 0; f < count && status == SN_OK; ++f) {
        status = sn_frame_evaluate(frame, motion, f, error);
        for (int stage = 0; stage < SN_STAGE_COUNT; ++stage) {
            double ms = sn_frame_stage_ms(frame, (sn_stage)stage) / count;
            t->stages[stage] += ms;
            t->total += ms;
        }
    }
    return status;
}

sn_status snb_play(const sn_model *model, const char *clip, snb_frame_times *best,
                   sn_error *error) {
    sn_motion *motion = NULL;
    sn_status status = sn_motion_open(model, clip, &motion, error);
    for (int i = 0; i < 4 && status == SN_OK; ++i) {
        snb_frame_times t = {0};
        sn_frame *frame = NULL;
        // A new frame starts from the beginning and keeps nothing of the round before.
        status = sn_frame_create_unevaluated(model, &frame, error);
        if (status == SN_OK) {
            sn_frame_show_only(frame, true);
            status = play(frame, motion, &t, error);
        }
        if (i <= 1 || t.total < best->total) {
            *best = t;
        }
        sn_frame_destroy(frame);
    }
    sn_motion_destroy(motion);
    return status;
}
