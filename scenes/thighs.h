// SPDX-License-Identifier: Apache-2.0
//
// The character `thighs` (Figure 5 of Singh and Kokkevis 2000): two pairs of thighs, each moved by
// a coarse driver whose right thigh moves aside. The skin of the first keeps thighs apart, that of
// the second follows whatever is near.
#ifndef SINEW_SCENES_THIGHS_H
#define SINEW_SCENES_THIGHS_H

#include "sinew/base.h"

sn_status scn_thighs_build(sn_context *context, const char *folder, sn_error *error);

#endif
