// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_CLI_NEW_MOTION_H
#define SINEW_CLI_NEW_MOTION_H

#include "cli.h"

// Adds the clip of every --motion to a document that will be saved at `path`, with what retargeting
// pairs, changed as --map says. Returns in `count` how many there are.
sn_status cli_new_motions(const cli_call *call, sn_context *context, sn_character *character,
                          const char *path, cli_progress *progress, uint32_t *count,
                          sn_error *error);

#endif
