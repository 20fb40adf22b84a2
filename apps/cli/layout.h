// SPDX-License-Identifier: Apache-2.0
//
// What `sinew face`, `sinew propose` and `sinew new --muscles` share: a set of muscles is laid out
// on a skin and put into the document.
#ifndef SINEW_CLI_LAYOUT_H
#define SINEW_CLI_LAYOUT_H

#include "cli.h"

#include "sinew/fit.h"

// Lays muscles out. `skin` is the one that all lie on; NULL: each muscle names its own.
typedef sn_status cli_lay_out(const cli_call *call, cli_session *session, const char **skin,
                              sn_muscle_layout **layout, sn_error *error);

// Puts a layout into a character's document and makes its muscles once, which tells whether they
// can be made.
sn_status cli_layout_add(sn_character *character, const char *skin, const sn_muscle_layout *layout,
                         const sn_progress *progress, sn_error *error);

// Prints what was laid out into the document at `path`, a line for each muscle.
void cli_layout_print(const char *path, const sn_muscle_layout *layout);

// Runs a command with the arguments DOC [-o NEW] [--skin SKIN].
int cli_layout_run(const cli_call *call, cli_lay_out *lay_out);

#endif
