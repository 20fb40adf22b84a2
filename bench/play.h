// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_BENCH_PLAY_H
#define SINEW_BENCH_PLAY_H

#include "sinew/eval.h"

// Mean milliseconds per frame of a clip.
typedef struct snb_frame_times {
    double stages[SN_STAGE_COUNT], total;
} snb_frame_times;

// Plays a clip of a model's document: the shortest of three times through it, after one to warm up.
sn_status snb_play(const sn_model *model, const char *clip, snb_frame_times *best, sn_error *error);

#endif
