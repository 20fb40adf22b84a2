// SPDX-License-Identifier: Apache-2.0
#include "common/muscle.h"

#include <stdio.h>

sn_status app_add_muscle(sn_character *character, const app_muscle *muscle, sn_error *error) {
    sn_status status = sn_character_add_muscle(character, muscle->name, muscle->keys, error);
    if (status == SN_INVALID && error->source[0] == 0) {
        snprintf(error->source, sizeof error->source, "%s", muscle->path);
    }
    if (status == SN_OK && muscle->mirror_axis != SN_NONE) {
        status = sn_character_mirror_muscle(character, muscle->name, NULL, muscle->mirror_axis,
                                            muscle->mirror_at, error);
    }
    return status;
}
