// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_MOTION_CLIP_H
#define SINEW_MOTION_CLIP_H

#include "sinew/motion.h"

// A deep copy, made in `context`.
sn_status sni_clip_copy(sn_context *context, const sn_clip *clip, sn_clip **copy, sn_error *error);

// Removes a track from a clip; those behind it move up.
void sni_clip_remove_track(sn_clip *clip, uint32_t track);

// The segment of the clip's own skeleton that a track moves; SN_NONE for controls and unknown
// names.
uint32_t sni_clip_moved_segment(const sn_clip *clip, const sn_track *track);

#endif
