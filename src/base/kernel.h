// SPDX-License-Identifier: Apache-2.0
//
// Kernels: inner loops that are compiled twice, for any processor and for one with AVX2. Their
// files are written as all others. A room's CMakeLists.txt says which they are (sni_kernels) and
// which of their functions are entries: calls from outside, that choose by the context. An entry's
// two forms have the suffixes _baseline and _avx2; the room's kernels.c holds the function without
// suffix:
//
//     SNI_FORMS(sni_shake);
//
//     void sni_shake(sn_context *context, float *points) {
//         SNI_CHOSEN(context, sni_shake)(context, points);
//     }
//
// Kernels call other functions of kernels in their own form. All forms give the same bits: no
// product is fused with a sum but where the source asks for it. What more than one file sees has no
// wide vector (simd.h) in it, since that has another shape in each form.
#ifndef SINEW_BASE_KERNEL_H
#define SINEW_BASE_KERNEL_H

#include "base/context.h"

#define SNI_FORMS(name) extern __typeof__(name) name##_baseline, name##_avx2
#define SNI_CHOSEN(context, name) ((context)->cpu == SN_CPU_AVX2 ? name##_avx2 : name##_baseline)

#endif
