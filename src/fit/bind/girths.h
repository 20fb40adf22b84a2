// SPDX-License-Identifier: Apache-2.0
//
// How thick a body is around its limbs.
#ifndef SINEW_FIT_BIND_GIRTHS_H
#define SINEW_FIT_BIND_GIRTHS_H

#include "fit/bind/routes.h"

struct sni_girths {
    sn_context *context;
    const sni_limbs *limbs;
    double *segments; // segment_count: metres; 0 for a limb that is nearest to no surface
    double *ends;     // line_count x 2: the least girth of the limbs that meet at each end
    double thickest;
};

// The distance of each limb from the surface that is nearest to it by `routes`, about the median
// over its area.
sn_status sni_girths_init(const sni_volume *volume, const sni_limbs *limbs,
                          const sni_routes *routes, sni_girths *girths, sn_error *error);
void sni_girths_deinit(sni_girths *girths);

// How thick a limb is towards a point. Beyond a joint it is no thicker than the limbs that go on
// there: a chest does not reach up the neck.
double sni_girth_towards(const sni_girths *girths, uint32_t line, sn_vec3 point);

#endif
