// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_CLI_OUTPUTS_H
#define SINEW_CLI_OUTPUTS_H

#include "cli.h"

// Checks that no option writes over a file that the command reads (a document may be edited in
// place), nor over what another option writes; prints the line where one does.
bool cli_check_outputs(const cli_call *call);

#endif
