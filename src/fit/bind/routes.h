// SPDX-License-Identifier: Apache-2.0
//
// The shortest ways through a body from its limbs: which limb each node is nearest to, and how far
// from it.
#ifndef SINEW_FIT_BIND_ROUTES_H
#define SINEW_FIT_BIND_ROUTES_H

#include "fit/bind/volume.h"
#include "motion/limbs.h"

typedef struct sni_girths sni_girths; // girths.h

typedef struct sni_routes {
    sn_context *context;
    uint32_t *lines;   // node_count: line of the limbs that it is nearest to; SN_NONE: not reached
    double *distances; // node_count: along the way; INFINITY where it is not reached
} sni_routes;

// Finds ways from the lines of those segments that `used` (segment_count) is not 0 for. Thick
// segments reach farther than thin ones, as `girths` tell (NULL: all alike).
sn_status sni_routes_init(const sni_volume *volume, const sni_limbs *limbs, const uint8_t *used,
                          const sni_girths *girths, sni_routes *routes, sn_error *error);
void sni_routes_deinit(sni_routes *routes);

// Points along a line, `spacing` apart at most: their number, and each.
uint32_t sni_line_point_count(const sni_limb_line *line, double spacing);
sn_vec3 sni_line_point(const sni_limb_line *line, uint32_t count, uint32_t number);

#endif
