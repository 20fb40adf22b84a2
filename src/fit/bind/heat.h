// SPDX-License-Identifier: Apache-2.0
//
// Weights as heat in a body whose limbs are kept warm.
#ifndef SINEW_FIT_BIND_HEAT_H
#define SINEW_FIT_BIND_HEAT_H

#include "fit/bind/routes.h"
#include "fit/influences.h"

// Fills rows (vertices of the volume x width, in the order of its nodes) with the strongest limbs.
// Weights of all limbs at a vertex add up to 1 before weak ones are left out. Rows of vertices that
// no way reaches stay empty.
sn_status sni_heat_solve(const sni_volume *volume, const sni_limbs *limbs, const sni_routes *routes,
                         uint32_t width, sni_influence *rows, const sn_progress *progress,
                         sn_error *error);

#endif
