// SPDX-License-Identifier: Apache-2.0
//
// Moment arms in reports: of each muscle between bones about each coordinate that it spans.
#ifndef SINEW_EVAL_REPORT_MOMENTS_H
#define SINEW_EVAL_REPORT_MOMENTS_H

#include "eval/model.h"

typedef struct sni_report_moments sni_report_moments;

sn_status sni_report_moments_create(const sn_model *model, sni_report_moments **moments,
                                    sn_error *error);
void sni_report_moments_destroy(sni_report_moments *moments);

// Measures a frame.
sn_status sni_report_moments_measure(sni_report_moments *moments, const sn_frame *frame,
                                     sn_error *error);

// Adds the moment arms of a muscle of the blueprint in the frame that was measured last, and the
// least and the most of all frames; nothing where it has none. False when memory runs out.
bool sni_report_moments_add(const sni_report_moments *moments, sn_json *json, sn_value *object,
                            uint32_t muscle);
bool sni_report_moments_sum_up(const sni_report_moments *moments, sn_json *json, sn_value *object,
                               uint32_t muscle);

#endif
