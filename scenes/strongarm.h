// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_SCENES_STRONGARM_H
#define SINEW_SCENES_STRONGARM_H

#include "sinew/base.h"

// Writes strongarm.sinew.json and strongarm.glb into a folder that exists. Its bones are those of
// the arm beside it.
sn_status scn_strongarm_build(sn_context *context, const char *folder, sn_error *error);

#endif
