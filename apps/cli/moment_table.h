// SPDX-License-Identifier: Apache-2.0
//
// `sinew check --moment-arms`: -dL/dq of each muscle about each coordinate that it spans.
#ifndef SINEW_CLI_MOMENT_TABLE_H
#define SINEW_CLI_MOMENT_TABLE_H

#include "cli.h"

// Its options, for the table of the command.
#define CLI_MOMENT_OPTIONS                                                                         \
    {"--moment-arms", NULL, "prints moment arms of muscles over the range of each coordinate",     \
     false},                                                                                       \
        {"--coordinate", "NAME", "about this control or joint parameter alone (elbow.rx_deg)",     \
         true},                                                                                    \
        {"--range", "A:B", "over this range, in the coordinate's unit (default: its usual one)",   \
         false},                                                                                   \
        {"--steps", "N", "poses over the range (default: 25)", false},                             \
        {"--motion", "CLIP", "over the frames of a clip or motion file instead of ranges", false}, \
        CLI_SET, {                                                                                 \
        "--csv", "FILE", "writes all values, a row for each muscle, coordinate and pose", false    \
    }

// Whether the options fit together; prints what is wrong.
bool cli_check_moment_options(const cli_call *call);

// Measures, and prints the table; with --json as JSON; with --csv all values to a file.
sn_status cli_moment_table(const cli_call *call, cli_session *session, sn_error *error);

#endif
