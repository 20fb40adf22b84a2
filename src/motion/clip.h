// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_MOTION_CLIP_H
#define SINEW_MOTION_CLIP_H

#include "sinew/motion.h"

// A deep copy, made in `context`.
sn_status sni_clip_copy(sn_context *context, const sn_clip *clip, sn_clip **copy, sn_error *error);

#endif
