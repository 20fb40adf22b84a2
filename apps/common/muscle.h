// SPDX-License-Identifier: Apache-2.0
//
// Adding a drawn muscle, and its mirror image with it.
#ifndef SINEW_APPS_MUSCLE_H
#define SINEW_APPS_MUSCLE_H

#include "common/common.h"

typedef struct app_muscle {
    const char *name;
    const sn_value *keys; // as sn_character_add_muscle takes them
    const char *path;     // of the file that the keys are from, for errors; "": none
    uint32_t mirror_axis; // of the plane of the mirror image: 0 for x, 1, 2; SN_NONE: no image
    double mirror_at;     // metres along that axis
} app_muscle;

sn_status app_add_muscle(sn_character *character, const app_muscle *muscle, sn_error *error);

#endif
