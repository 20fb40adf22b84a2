// SPDX-License-Identifier: Apache-2.0
//
// Options of the command line for parameters of a kind (sinew/kinds.h). An underscore of
// the key is a dash of the option; meaning, unit, range, default and choices are those of the
// table.
#ifndef SINEW_CLI_PARAMETER_OPTIONS_H
#define SINEW_CLI_PARAMETER_OPTIONS_H

#include "cli.h"

enum { CLI_PARAMETER_OPTIONS = 32, CLI_PARAMETER_NAME_BYTES = 32 };

typedef struct cli_parameter_options {
    cli_option options[CLI_PARAMETER_OPTIONS + 1]; // ended by one without a name
    char names[CLI_PARAMETER_OPTIONS][CLI_PARAMETER_NAME_BYTES];
    char helps[CLI_PARAMETER_OPTIONS][384];
} cli_parameter_options;

// Writes the options for the parameters that `at` lists (false: beyond the last), at most
// CLI_PARAMETER_OPTIONS of them. `made` points into itself.
void cli_parameter_options_make(bool (*at)(uint32_t index, sn_parameter *parameter),
                                cli_parameter_options *made);

// Takes the number that the call says for the parameter; `value` stays as it is where the call says
// nothing. Prints what is wrong and returns false for a value that the table refuses.
bool cli_parameter_parse_number(const cli_call *call, const sn_parameter *parameter, double *value);

// Adds what the call says of the parameter to an object, as a number or as the chosen word. Prints
// what is wrong and returns false for a value that the table refuses.
bool cli_parameter_parse(const cli_call *call, const sn_parameter *parameter, sn_json *json,
                         sn_value *object);

#endif
