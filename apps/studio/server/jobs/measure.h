// SPDX-License-Identifier: Apache-2.0
//
// What plots show: each muscle and each stage, frame by frame.
#ifndef SINEW_STUDIO_MEASURE_H
#define SINEW_STUDIO_MEASURE_H

#include "sinew/eval.h"
#include "sinew/json.h"

typedef struct measure measure;

// Room for `frame_count` frames of a model, which outlives it.
sn_status measure_create(const sn_model *model, uint32_t frame_count, double rate, measure **result,
                         sn_error *error);
void measure_destroy(measure *m); // NULL is allowed

// Takes the numbers of the last evaluation of a frame.
sn_status measure_take(measure *m, const sn_frame *frame, uint32_t number, sn_error *error);

// Adds what was taken from the `from`-th frame on: "rate", "from", "frames" (numbers), "times",
// "muscles": {NAME: {"rest_volume", "rest_length", "volume": [...], "length", "shortening",
// "activation" (null for a muscle without one), "moment_arms": {COORDINATE: [...]} (only of muscles
// between bones that span one)}} and "stages": {NAME: [ms]} with their "total". An
// open muscle has no volume: null. False without memory.
bool measure_add(const measure *m, sn_json *json, sn_value *object, uint32_t from);

// The least n with which every n-th frame alone has no more numbers than `most`.
uint32_t measure_step(const measure *m, size_t most);
// Keeps every `step`-th frame alone, the first one among them.
void measure_thin(measure *m, uint32_t step);

#endif
