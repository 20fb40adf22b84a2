// SPDX-License-Identifier: Apache-2.0
//
// The characters that ship with sinew, built in code. `build` writes document and meshes into a
// folder; what examples/NAME holds is what it wrote.
#ifndef SINEW_SCENES_H
#define SINEW_SCENES_H

#include "sinew/base.h"

typedef struct scn_scene {
    const char *name;
    const char *summary;
    sn_status (*build)(sn_context *context, const char *folder, sn_error *error);
} scn_scene;

// All scenes, ended by one without a name.
const scn_scene *scn_scenes(void);

#endif
