// SPDX-License-Identifier: Apache-2.0
//
// Bones and tissues as muscles touch them: with a distance grid, which all that touch them share.
#ifndef SINEW_INPUT_GRID_INTERNAL_H
#define SINEW_INPUT_GRID_INTERNAL_H

#include "character/blueprint/blueprint.h"
#include "eval/rest.h"

// A surface of the body at rest; its grid is found in the store, or made and put there, which holds
// it.
sn_status sni_touched_bone_make(const sni_collecting *collecting, uint32_t surface,
                                sni_touched_bone *made, sn_error *error);

#endif
