// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_MOTION_PAIRING_H
#define SINEW_MOTION_PAIRING_H

#include "base/memory.h"
#include "sinew/motion.h"

// Takes the members of a JSON object as edits: `edits` has sn_value_count(map). They point into the
// object. Fails at the value that is none.
sn_status sni_pair_edits_decode(const sn_value *map, sn_pair_edit *edits, sn_error *error);

#endif
