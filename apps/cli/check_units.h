// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_CLI_CHECK_UNITS_H
#define SINEW_CLI_CHECK_UNITS_H

#include "cli.h"

// Says where the skins at rest are so large, so small or lie so that the model was probably made in
// another unit or with another axis up.
void cli_tell_units(const cli_call *call, const cli_session *session);

#endif
