// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_SCENES_REX_H
#define SINEW_SCENES_REX_H

#include "sinew/base.h"

// Writes rex.sinew.json, rex.glb and rex.obj into a folder that exists.
sn_status scn_rex_build(sn_context *context, const char *folder, sn_error *error);

#endif
