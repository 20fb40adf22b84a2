// SPDX-License-Identifier: Apache-2.0
#include "motion/parameter.h"

#include "base/error.h"

#include <string.h>

static const char suffixes[SN_JOINT_PARAMETER_COUNT][3] = {"rx", "ry", "rz", "tx", "ty",
                                                           "tz", "sx", "sy", "sz"};

const char *sni_parameter_suffix(sn_joint_parameter parameter) {
    SN_ASSERT((unsigned)parameter < SN_JOINT_PARAMETER_COUNT);
    return suffixes[parameter];
}

bool sni_parameter_parse(const char *name, sni_parameter_name *parsed) {
    const char *dot = strrchr(name, '.');
    if (dot == NULL || dot == name || strlen(dot) < 3) {
        return false;
    }
    const char *behind = dot + 3;
    for (int i = 0; i < SN_JOINT_PARAMETER_COUNT; ++i) {
        bool degrees = i <= SN_JOINT_RZ && strcmp(behind, "_deg") == 0;
        if (memcmp(dot + 1, suffixes[i], 2) == 0 && (*behind == 0 || degrees)) {
            *parsed = (sni_parameter_name){.segment_length = (size_t)(dot - name),
                                           .parameter = (sn_joint_parameter)i,
                                           .unit = degrees ? SN_PI / 180 : 1};
            return true;
        }
    }
    return false;
}
