// SPDX-License-Identifier: Apache-2.0
//
// What retargeting has paired, on stderr and in a file.
#ifndef SINEW_CLI_PAIRING_H
#define SINEW_CLI_PAIRING_H

#include "cli.h"

// After a motion was opened under a name, or was not (`status`, `error`; `motion` is NULL then):
// says what was paired, warns about limbs that nothing moves, and writes the file that --pairing
// names, also where nothing could be paired. Passes the status on.
sn_status cli_tell_pairing(const cli_call *call, const sn_model *model, const sn_motion *motion,
                           const sn_pair_edits *edits, const char *name, sn_status status,
                           sn_error *error);

// Fails where --map or --pairing is given and the character has no clip.
sn_status cli_pairing_needs_motion(const cli_call *call, sn_error *error);

#endif
