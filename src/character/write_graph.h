// SPDX-License-Identifier: Apache-2.0
//
// Fitted paths (sn_fit_graph) as keys of a muscle of kind `graph`, for all that makes such muscles.
#ifndef SINEW_CHARACTER_WRITE_GRAPH_H
#define SINEW_CHARACTER_WRITE_GRAPH_H

#include "sinew/fit.h"
#include "sinew/json.h"

typedef struct sni_graph_names {
    const sn_fit_bone *bones;    // that the points name
    const sn_skeleton *skeleton; // whose segments they name
    const sn_mat4 *worlds;       // of these at rest
} sni_graph_names;

// Adds `points`, and `center` of a sphincter, to an object. False for want of memory.
bool sni_write_graph(sn_json *json, sn_value *object, const sn_graph_fit *fit,
                     const sni_graph_names *names);

#endif
