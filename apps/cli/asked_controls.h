// SPDX-License-Identifier: Apache-2.0
//
// Controls that --control and --group name.
#ifndef SINEW_CLI_ASKED_CONTROLS_H
#define SINEW_CLI_ASKED_CONTROLS_H

#include "cli.h"

// Whether each --control and --group names something of the model.
sn_status cli_check_asked(const cli_call *call, const sn_model *model, sn_error *error);

// The controls that they name, in the order of the document; `controls` has room for all.
uint32_t cli_asked_controls(const cli_call *call, const sn_model *model, uint32_t *controls);

#endif
