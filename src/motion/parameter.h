// SPDX-License-Identifier: Apache-2.0
//
// Names of joint parameters: "SEGMENT.rx", or "SEGMENT.rx_deg" for an angle in degrees. The last
// dot counts, so that segment names may have dots.
#ifndef SINEW_MOTION_PARAMETER_H
#define SINEW_MOTION_PARAMETER_H

#include "sinew/motion.h"

typedef struct sni_parameter_name {
    size_t segment_length; // the segment's name is this many bytes at the start
    sn_joint_parameter parameter;
    double unit; // radians, metres or factors per unit of the value: pi / 180 for degrees
} sni_parameter_name;

// Takes a name apart; false when it does not end like a joint parameter's.
bool sni_parameter_parse(const char *name, sni_parameter_name *parsed);

// "rx", "ty", ...
const char *sni_parameter_suffix(sn_joint_parameter parameter);

#endif
