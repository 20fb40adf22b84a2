// SPDX-License-Identifier: Apache-2.0
//
// How thick a body is around its limbs.
#ifndef SINEW_FIT_BIND_GIRTHS_H
#define SINEW_FIT_BIND_GIRTHS_H

#include "fit/bind/routes.h"

// Fills `girths` (segment_count) with the distance of each limb from the surface that is nearest to
// it by `routes`, about the median over its area; 0 for a limb that is nearest to none.
sn_status sni_girths_find(const sni_volume *volume, const sni_limbs *limbs,
                          const sni_routes *routes, double *girths, sn_error *error);

#endif
