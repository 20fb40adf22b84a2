// SPDX-License-Identifier: Apache-2.0
#include "scenes/arm_shape.h"

sn_status scn_arm_weights(const scn_arm *arm, const scn_builder *skin, sn_mesh *mesh,
                          sn_error *error) {
    (void)arm; (void)skin; (void)mesh; (void)error;
    return SN_OK;
}
