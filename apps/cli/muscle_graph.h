// SPDX-License-Identifier: Apache-2.0
//
// `sinew muscle --kind graph`: muscles of control points (docs/graph.md).
#ifndef SINEW_CLI_MUSCLE_GRAPH_H
#define SINEW_CLI_MUSCLE_GRAPH_H

#include "cli.h"

// Adds the muscles that the options of a call describe.
sn_status cli_add_graphs(const cli_call *call, sn_context *context, sn_character *character,
                         sn_error *error);

// What is wrong with the options of a call for this kind, or NULL.
const char *cli_find_wrong_graph(const cli_call *call);

#endif
