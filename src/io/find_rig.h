// SPDX-License-Identifier: Apache-2.0
//
// Which model of a folder is the rig: the one whose mesh has weights.
#ifndef SINEW_IO_FIND_RIG_H
#define SINEW_IO_FIND_RIG_H

#include "base/memory.h"

// The path of the rig: `wanted` as it is given or from the folder, none where that is "none", and
// the only model with weights in the folder where it is NULL. Free with sni_free; NULL for none.
// Fails with SN_INVALID for a wanted model without weights, and where there are several.
sn_status sni_find_rig(sn_context *context, const char *folder, const char *wanted, char **rig,
                       sn_error *error);

#endif
