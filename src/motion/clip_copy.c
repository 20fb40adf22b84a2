// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "motion/clip.h"
#include "motion/skeleton.h"

#include <string.h>

static sn_status copy_track(sn_clip *clip, const sn_track *source, sn_error *error) {
    sn_track *track;
    sn_status status = sn_clip_add_track(clip, source->kind, source->target, source->interpolation,
                                         source->key_count, &track, error);
    if (status != SN_OK) {
        return status;
    }
    size_t keys = source->key_count;
    size_t width = sn_track_width(source);
    width *= source->interpolation == SN_INTERPOLATION_CUBIC ? 3 : 1;
    memcpy(track->times, source->times, keys * sizeof *track->times);
    memcpy(track->values, source->values, keys * width * sizeof *track->values);
    return SN_OK;
}

sn_status sni_clip_copy(sn_context *context, const sn_clip *clip, sn_clip **copy, sn_error *error) {
    SN_ASSERT(clip != NULL && copy != NULL);
    sn_clip *made = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_clip_create(context, clip->name, clip->rate, clip->frame_count, &made, error));
    made->angles = clip->angles;
    made->is_table = clip->is_table;
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        SN_TRY(copy_track(made, &clip->tracks[i], error));
    }
    SN_TRY(sni_skeleton_copy(context, &clip->skeleton, &made->skeleton, error));
    *copy = made;
    return SN_OK;
cleanup:
    sn_clip_destroy(made);
    return status;
}
