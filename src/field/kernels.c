// SPDX-License-Identifier: Apache-2.0
//
// The kernels of this room, by the processor.
#include "base/kernel.h"
#include "field/hrbf.h"

SNI_FORMS(sni_hrbf_row);

void sni_hrbf_row(sn_context *context, const sni_hrbf *hrbf, sn_vec3 first, double spacing,
                  uint32_t count, float *nodes) {
    SNI_CHOSEN(context, sni_hrbf_row)(context, hrbf, first, spacing, count, nodes);
}
