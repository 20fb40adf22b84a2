// SPDX-License-Identifier: Apache-2.0
//
// The two curves of a `patch` muscle: their points and normals, places along them, and whether they
// can bound a muscle.
#ifndef SINEW_MUSCLE_PATCH_CURVES_H
#define SINEW_MUSCLE_PATCH_CURVES_H

#include "muscle/patch/patch.h"

// A curve with its points at hand. A closed one ends with its first point again.
typedef struct sni_patch_curve {
    uint32_t count;
    sn_vec3 *points;
    sn_vec3 *normals;
    double *lengths; // normalised, 0 to 1
    double total;
    double offset; // where a closed curve begins
} sni_patch_curve;

// Makes both, zeroed before, so that closed ones begin at corresponding places. Fails with
// SN_INVALID for too few points, no length, and curves that coincide, cross or run in opposite
// directions. Free them also then.
sn_status sni_patch_curves_make(const sni_muscle_job *job, bool closed, sni_patch_curve curves[2],
                                sn_error *error);
void sni_patch_curves_free(sn_context *context, sni_patch_curve curves[2]);

// The mean distance of two lines of points from each other, over their lengths.
double sni_patch_width(uint32_t first_count, const sn_vec3 *first, uint32_t second_count,
                       const sn_vec3 *second);

// The place at a part `t` of the length.
sni_patch_sample sni_patch_curve_sample(const sni_patch_curve *c, bool closed, double t);
sn_vec3 sni_patch_curve_point(const sni_patch_curve *c, sni_patch_sample sample);

#endif
