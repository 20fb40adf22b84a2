// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_EVAL_REPORT_FLESH_H
#define SINEW_EVAL_REPORT_FLESH_H

#include "eval/model.h"

// What flesh did in any frame.
typedef struct sni_report_flesh {
    uint32_t frame_count;     // with flesh
    uint32_t flipped;         // most prisms that were inside out, of all skins
    uint32_t flipped_frame;   //
    double volume_change;     // largest of a skin, as a part of the volume at rest
    uint32_t volume_frame;    //
    double shortest, longest; // thickness over that at rest
} sni_report_flesh;

// Adds the flesh of all skins with `layers` to a frame's object; nothing where there are none.
// False when memory runs out.
bool sni_report_flesh_add(sni_report_flesh *flesh, sn_json *json, sn_value *object,
                          const sn_frame *frame, uint32_t number);

// Adds the most of all frames to the summary.
bool sni_report_flesh_sum_up(const sni_report_flesh *flesh, sn_json *json, sn_value *summary);

#endif
