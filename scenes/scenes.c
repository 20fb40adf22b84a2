// SPDX-License-Identifier: Apache-2.0
#include "scenes/scenes.h"

#include <stddef.h>

const sn_scene *sn_scenes(void) {
    static const sn_scene scenes[] = {
        {NULL, NULL, NULL},
    };
    return scenes;
}
