// SPDX-License-Identifier: Apache-2.0
//
// Key poses (docs/morph.md): offsets of points at keys of a number, interpolated as tracks are.
#include "skin/skin.h"

#include <float.h>
#include <math.h>

// Whether sums and differences of such numbers are finite, and floats can hold them.
static bool is_small(double value) {
    return fabs(value) <= FLT_MAX / 8;
}

static sn_status validate_keys(const sni_pose_set *set, sn_error *error) {
    if (set->key_count == 0) {
        return sni_fail(error, SN_INVALID, "no keys");
    }
    if (set->interpolation == SN_INTERPOLATION_CUBIC) {
        return sni_fail(error, SN_INVALID, "keys have no tangents");
    }
    for (uint32_t k = 0; k < set->key_count; ++k) {
        if (!is_small(set->inputs[k])) {
            return sni_fail(error, SN_INVALID, "key %u is at %g", k, set->inputs[k]);
        }
        if (k > 0 && set->inputs[k] <= set->inputs[k - 1]) {
            return sni_fail(error, SN_INVALID, "key %u is at %g, which does not rise", k,
                            set->inputs[k]);
        }
    }
    return SN_OK;
}

sn_status sni_pose_set_validate(const sni_pose_set *set, uint32_t vertex_count, sn_error *error) {
    sn_status status = validate_keys(set, error);
    for (uint32_t i = 0; i < set->point_count && status == SN_OK; ++i) {
        if (set->points[i] >= vertex_count || (i > 0 && set->points[i] <= set->points[i - 1])) {
            return sni_fail(error, SN_INVALID, "point %u of its list is %u, of %u vertices", i,
                            set->points[i], vertex_count);
        }
        const double *offsets = set->offsets + 3 * (size_t)i * set->key_count;
        for (size_t k = 0; k < 3 * (size_t)set->key_count; ++k) {
            if (!is_small(offsets[k])) {
                return sni_fail(error, SN_INVALID, "key %zu moves point %u by %g", k / 3,
                                set->points[i], offsets[k]);
            }
        }
    }
    return status;
}

void sni_pose_set_sample(const sni_pose_set *set, double input, uint32_t index, double offset[3]) {
    // The track is only read; its pointers are not const because clips own theirs.
    sn_track track = {.kind = SN_TRACK_TRANSLATION,
                      .interpolation = set->interpolation,
                      .key_count = set->key_count,
                      .times = (double *)set->inputs,
                      .values = (double *)set->offsets + 3 * (size_t)index * set->key_count};
    sn_track_sample(&track, input, offset);
}
