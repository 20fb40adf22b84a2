// SPDX-License-Identifier: Apache-2.0
//
// How fast weights may change along a surface.
#ifndef SINEW_FIT_BIND_SLOPES_H
#define SINEW_FIT_BIND_SLOPES_H

#include "fit/bind/parts.h"

// Flattens weights where skin would fold over itself when a joint is bent.
sn_status sni_slopes_limit(sni_parts *parts, sn_error *error);

#endif
