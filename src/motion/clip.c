// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "motion/skeleton.h"
#include "sinew/motion.h"

#include <math.h>

sn_status sn_clip_create(sn_context *context, const char *name, double rate, uint32_t frame_count,
                         sn_clip **clip, sn_error *error) {
    sn_status status = SN_OK;
    sn_clip *made = NULL;
    *clip = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->rate = rate;
    made->frame_count = frame_count;
    made->name = sni_string_copy(context, name);
    if (made->name == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    *clip = made;
    return SN_OK;
cleanup:
    sn_clip_destroy(made);
    return status;
}

void sn_clip_destroy(sn_clip *clip) {
    if (clip == NULL) {
        return;
    }
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        sni_free(clip->context, clip->tracks[i].target);
        sni_free(clip->context, clip->tracks[i].times);
        sni_free(clip->context, clip->tracks[i].values);
    }
    sni_free(clip->context, clip->tracks);
    sni_free(clip->context, clip->name);
    sni_skeleton_deinit(clip->context, &clip->skeleton);
    sni_free(clip->context, clip);
}

uint32_t sn_track_width(const sn_track *track) {
    static const uint32_t widths[] = {[SN_TRACK_PARAMETER] = 1,
                                      [SN_TRACK_TRANSLATION] = 3,
                                      [SN_TRACK_ROTATION] = 4,
                                      [SN_TRACK_SCALE] = 3};
    return widths[track->kind];
}

sn_status sn_clip_add_track(sn_clip *clip, sn_track_kind kind, const char *target,
                            sn_interpolation interpolation, uint32_t key_count, sn_track **track,
                            sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = clip->context;
    sn_track made = {.kind = kind, .interpolation = interpolation, .key_count = key_count};
    size_t width = sn_track_width(&made) * (interpolation == SN_INTERPOLATION_CUBIC ? 3u : 1u);
    made.target = sni_string_copy(context, target);
    if (made.target == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    SNI_NEW(context, made.times, key_count);
    SNI_NEW(context, made.values, key_count * width);
    if (!sni_grow_by_one(context, &clip->tracks, clip->track_count, sizeof *clip->tracks)) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    clip->tracks[clip->track_count] = made;
    *track = &clip->tracks[clip->track_count++];
    return SN_OK;
cleanup:
    sni_free(context, made.target);
    sni_free(context, made.times);
    sni_free(context, made.values);
    return status;
}
