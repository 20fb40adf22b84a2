// SPDX-License-Identifier: Apache-2.0
//
// Surfaces through points with normals: Hermite radial basis functions (I. Macêdo, J. P. Gois,
// L. Velho, "Hermite Radial Basis Functions Implicits", 2011), with the kernel r^3 and an affine
// part. With D = x - c_k and r = |D|:
//
//     d(x)      = sum_k [ A_k r^3 + 3 r (B_k . D) ] + g0 + g . (x - origin)
//     grad d(x) = 3 sum_k [ A_k r D + (B_k . D) D / r + r B_k ] + g
//
// d is 0 at every sample and has the sample's normal for its gradient there. Near the surface it is
// like a distance, negative inside.
//
// The published form of implicit skinning has no affine part. With it (and sum A = 0,
// sum (A c - B) = 0) there is always one solution, planes are met exactly, and d grows linearly far
// away, not as the cube.
#ifndef SINEW_FIELD_HRBF_H
#define SINEW_FIELD_HRBF_H

#include "base/memory.h"
#include "field/support.h"

typedef struct sni_hrbf_sample {
    sn_vec3 point;
    sn_vec3 normal; // outwards, of unit length
} sni_hrbf_sample;

typedef struct sni_hrbf_center {
    sn_vec3 point;
    double a;
    sn_vec3 b;
} sni_hrbf_center;

typedef struct sni_hrbf {
    uint32_t center_count;
    sni_hrbf_center *centers;
    sn_vec3 origin; // of the affine part: the middle of the samples
    double g0;
    sn_vec3 g;
} sni_hrbf;

typedef enum sni_hrbf_form {
    SNI_HRBF_AFFINE,
    SNI_HRBF_PLAIN, // without the affine part, for comparison
} sni_hrbf_form;

// Fits d to samples. Fails with SN_INVALID for less than 4 samples, for two that are closer than
// 1e-6 of their box's diagonal, for normals that are not of unit length, and where the equations
// cannot be solved to 1e-8. Free with sni_hrbf_free.
sn_status sni_hrbf_fit(sn_context *context, const sni_hrbf_sample *samples, uint32_t sample_count,
                       sni_hrbf_form form, sni_hrbf *hrbf, sn_error *error);
void sni_hrbf_free(sn_context *context, sni_hrbf *hrbf);

sni_distance_value sni_hrbf_at(const sni_hrbf *hrbf, sn_vec3 at);

// The same at `count` points from `first` on along x: `nodes` gets 4 floats for each, distance and
// gradient.
void sni_hrbf_row(sn_context *context, const sni_hrbf *hrbf, sn_vec3 first, double spacing,
                  uint32_t count, float *nodes);

#endif
