// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_SCENES_HEAD_H
#define SINEW_SCENES_HEAD_H

#include "sinew/base.h"

// Writes head.sinew.json, head.glb and head.obj into a folder.
sn_status scn_head_build(sn_context *context, const char *folder, sn_error *error);

#endif
