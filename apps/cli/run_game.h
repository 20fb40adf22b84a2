// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_CLI_RUN_GAME_H
#define SINEW_CLI_RUN_GAME_H

#include "cli.h"

// Reads --targets and --error, and checks that no option was given that a character for games does
// not have. Prints what is wrong and returns false.
bool cli_parse_game(const cli_call *call, sn_game_desc *desc);

// Writes the character of a session, and prints its size and how far it is from the evaluation.
sn_status cli_run_game(const cli_call *call, cli_session *session, sn_game_desc *desc,
                       sn_error *error);

#endif
