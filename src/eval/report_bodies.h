// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_EVAL_REPORT_BODIES_H
#define SINEW_EVAL_REPORT_BODIES_H

#include "eval/model.h"

// What a body did in any frame.
typedef struct sni_body_most {
    double turn, travel, contact_depth, contact_force, joint_force, muscle_force;
} sni_body_most;

typedef struct sni_report_bodies {
    const sn_model *model;
    sni_body_most *most; // of bodies
} sni_report_bodies;

sn_status sni_report_bodies_init(const sn_model *model, sni_report_bodies *bodies, sn_error *error);
void sni_report_bodies_deinit(sni_report_bodies *bodies);

// Adds what bodies do in a frame to its object, and the controls that drivers compute; nothing
// where there are none. False when memory runs out.
bool sni_report_bodies_add(sni_report_bodies *bodies, sn_json *json, sn_value *object,
                           const sn_frame *frame);

// Adds the most of all frames to the summary.
bool sni_report_bodies_sum_up(const sni_report_bodies *bodies, sn_json *json, sn_value *summary);

#endif
