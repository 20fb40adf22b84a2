// SPDX-License-Identifier: Apache-2.0
#include "motion/clip.h"
#include "base/memory.h"
#include "base/text.h"
#include "motion/parameter.h"
#include "motion/skeleton.h"
#include "sinew/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A quaternion shorter than this has no direction worth normalising.
static const double quat_length_min = 1e-6;

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

static void free_track(sn_context *context, sn_track *track) {
    sni_free(context, track->target);
    sni_free(context, track->times);
    sni_free(context, track->values);
}

void sni_clip_remove_track(sn_clip *clip, uint32_t track) {
    SN_ASSERT(track < clip->track_count);
    free_track(clip->context, &clip->tracks[track]);
    clip->track_count--;
    memmove(&clip->tracks[track], &clip->tracks[track + 1],
            (clip->track_count - track) * sizeof *clip->tracks);
}

void sn_clip_destroy(sn_clip *clip) {
    if (clip == NULL) {
        return;
    }
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        free_track(clip->context, &clip->tracks[i]);
    }
    sni_free(clip->context, clip->tracks);
    sni_free(clip->context, clip->name);
    sni_skeleton_deinit(clip->context, &clip->skeleton);
    sni_free(clip->context, clip);
}

static size_t value_count_per_key(const sn_track *track) {
    return sn_track_width(track) * (track->interpolation == SN_INTERPOLATION_CUBIC ? 3u : 1u);
}

sn_status sn_clip_add_track(sn_clip *clip, sn_track_kind kind, const char *target,
                            sn_interpolation interpolation, uint32_t key_count, sn_track **track,
                            sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = clip->context;
    sn_track made = {.kind = kind, .interpolation = interpolation, .key_count = key_count};
    size_t width = value_count_per_key(&made);
    *track = NULL;
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

static sn_status check_times(const sn_track *track, uint32_t number, sn_error *error) {
    for (uint32_t k = 0; k < track->key_count; ++k) {
        if (!isfinite(track->times[k])) {
            return sni_fail(error, SN_INVALID, "track %u (\"%s\"): the time of key %u is %g",
                            number, track->target, k, track->times[k]);
        }
        if (k > 0 && !(track->times[k] > track->times[k - 1])) {
            return sni_fail(
                error, SN_INVALID,
                "track %u (\"%s\"): key %u at %.9g s does not come after key %u at %.9g s", number,
                track->target, k, track->times[k], k - 1, track->times[k - 1]);
        }
    }
    return SN_OK;
}

static sn_status check_values(const sn_track *track, uint32_t number, sn_error *error) {
    size_t width = value_count_per_key(track);
    bool cubic = track->interpolation == SN_INTERPOLATION_CUBIC;
    for (uint32_t k = 0; k < track->key_count; ++k) {
        const double *values = track->values + k * width;
        for (size_t i = 0; i < width; ++i) {
            if (!isfinite(values[i])) {
                return sni_fail(error, SN_INVALID, "track %u (\"%s\"): number %zu of key %u is %g",
                                number, track->target, i, k, values[i]);
            }
        }
        if (track->kind == SN_TRACK_ROTATION) {
            const double *q = values + (cubic ? 4 : 0);
            double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
            if (!(length >= quat_length_min && isfinite(length))) {
                return sni_fail(error, SN_INVALID,
                                "track %u (\"%s\"): the quaternion of key %u has length %g", number,
                                track->target, k, length);
            }
        }
    }
    return SN_OK;
}

static sn_status check_track(const sn_track *track, uint32_t number, sn_error *error) {
    if (track->target == NULL || track->target[0] == 0) {
        return sni_fail(error, SN_INVALID, "track %u has no target", number);
    }
    if ((unsigned)track->kind > SN_TRACK_SCALE) {
        return sni_fail(error, SN_INVALID, "track %u (\"%s\") is of unknown kind %d", number,
                        track->target, (int)track->kind);
    }
    if ((unsigned)track->interpolation > SN_INTERPOLATION_CUBIC) {
        return sni_fail(error, SN_INVALID, "track %u (\"%s\") has unknown interpolation %d", number,
                        track->target, (int)track->interpolation);
    }
    if (track->key_count == 0) {
        return sni_fail(error, SN_INVALID, "track %u (\"%s\") has no keys", number, track->target);
    }
    sn_status status = check_times(track, number, error);
    return status == SN_OK ? check_values(track, number, error) : status;
}

typedef struct target_entry {
    const sn_track *track;
    uint32_t number;
} target_entry;

static int compare_targets(const target_entry *a, const target_entry *b) {
    int order = strcmp(a->track->target, b->track->target);
    return order != 0 ? order : (int)a->track->kind - (int)b->track->kind;
}

static int compare_entries(const void *a, const void *b) {
    const target_entry *x = a, *y = b;
    int order = compare_targets(x, y);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static sn_status check_targets_differ(const sn_clip *clip, sn_error *error) {
    sn_status status = SN_OK;
    target_entry *entries = NULL;
    SNI_NEW(clip->context, entries, clip->track_count);
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        entries[i] = (target_entry){&clip->tracks[i], i};
    }
    if (clip->track_count > 1) {
        qsort(entries, clip->track_count, sizeof *entries, compare_entries);
    }
    for (uint32_t i = 1; i < clip->track_count && status == SN_OK; ++i) {
        if (compare_targets(&entries[i - 1], &entries[i]) == 0) {
            static const char *const kinds[] = {"value", "translation", "rotation", "scale"};
            status = sni_fail(error, SN_INVALID, "tracks %u and %u both give the %s of \"%s\"",
                              entries[i - 1].number, entries[i].number,
                              kinds[entries[i].track->kind], entries[i].track->target);
        }
    }
cleanup:
    sni_free(clip->context, entries);
    return status;
}

sn_status sn_clip_validate(const sn_clip *clip, sn_error *error) {
    if (!(clip->rate > 0 && isfinite(clip->rate))) {
        return sni_fail(error, SN_INVALID, "the clip \"%s\" has a rate of %g frames per second",
                        clip->name, clip->rate);
    }
    if (clip->frame_count == 0) {
        return sni_fail(error, SN_INVALID, "the clip \"%s\" has no frames", clip->name);
    }
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        sn_status status = check_track(&clip->tracks[i], i, error);
        if (status != SN_OK) {
            return status;
        }
    }
    return check_targets_differ(clip, error);
}

// By the index; one by one where there was no memory for it.
static bool find_segment(const sn_skeleton *skeleton, const sni_name_index *names, const char *name,
                         size_t length) {
    if (names != NULL) {
        return sni_name_index_find_n(names, name, length) != SN_NONE;
    }
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        const char *other = skeleton->segments[i].name;
        if (other != NULL && strncmp(other, name, length) == 0 && other[length] == 0) {
            return true;
        }
    }
    return false;
}

bool sn_clip_fits(const sn_clip *clip, const sn_skeleton *skeleton) {
    sni_name_index names = {0};
    bool indexed = sni_skeleton_index(clip->context, skeleton, &names, NULL) == SN_OK;
    bool fits = true;
    for (uint32_t i = 0; i < clip->track_count && fits; ++i) {
        const sn_track *track = &clip->tracks[i];
        sni_parameter_name parsed = {.segment_length = strlen(track->target)};
        if (track->kind != SN_TRACK_PARAMETER || sni_parameter_parse(track->target, &parsed)) {
            fits = find_segment(skeleton, indexed ? &names : NULL, track->target,
                                parsed.segment_length);
        }
    }
    sni_name_index_deinit(clip->context, &names);
    return fits;
}

uint32_t sni_clip_moved_segment(const sn_clip *clip, const sn_track *track) {
    sni_parameter_name parsed = {.segment_length = strlen(track->target)};
    if (track->kind == SN_TRACK_PARAMETER && !sni_parameter_parse(track->target, &parsed)) {
        return SN_NONE;
    }
    for (uint32_t i = 0; i < clip->skeleton.segment_count; ++i) {
        const char *name = clip->skeleton.segments[i].name;
        if (strncmp(name, track->target, parsed.segment_length) == 0 &&
            name[parsed.segment_length] == 0) {
            return i;
        }
    }
    return SN_NONE;
}
