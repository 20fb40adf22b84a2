// SPDX-License-Identifier: Apache-2.0
//
// Numbers at the vertices of a surface (sn_frame_values), and what a frame keeps to find them.
#ifndef SINEW_EVAL_VALUES_H
#define SINEW_EVAL_VALUES_H

#include "eval/model.h"

typedef struct sni_values sni_values;
typedef struct sni_depths sni_depths;

sn_status sni_values_create(const sn_model *model, sni_values **values, sn_error *error);
void sni_values_destroy(sni_values *values);

// Of a frame: what it keeps, and how often it was evaluated.
sni_values *sni_frame_kept_values(const sn_frame *frame);
uint64_t sni_frame_evaluation(const sn_frame *frame);

// --- Depths (depths.c)

// Search trees of all bones, tissues and muscles that have an inside.
sn_status sni_depths_create(const sn_model *model, sni_depths **depths, sn_error *error);
void sni_depths_destroy(sni_depths *depths);

// Signed distances of a skin's points, where the frame stands.
sn_status sni_depths_find(sni_depths *depths, const sn_frame *frame, uint32_t surface,
                          float *values, sn_error *error);

// Whether a surface counts, if it is closed; and whether any is.
bool sni_depths_takes(const sn_surface *surface);
bool sni_depths_any(const sni_depths *depths);

#endif
