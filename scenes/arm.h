// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_SCENES_ARM_H
#define SINEW_SCENES_ARM_H

#include "sinew/base.h"

// Writes arm.sinew.json and arm.glb into a folder that exists.
sn_status scn_arm_build(sn_context *context, const char *folder, sn_error *error);

#endif
