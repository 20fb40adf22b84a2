// SPDX-License-Identifier: Apache-2.0
//
// Building a sn_muscle_layout: lists that grow, names and points that live as long as it does.
#ifndef SINEW_FIT_MUSCLE_LAYOUT_H
#define SINEW_FIT_MUSCLE_LAYOUT_H

#include "base/arena.h"
#include "sinew/fit.h"

sn_status sni_layout_create(sn_context *context, sn_muscle_layout **layout, sn_error *error);

// Memory and text that belong to the layout; NULL when memory runs out.
void *sni_layout_alloc(sn_muscle_layout *layout, size_t count, size_t size);
const char *sni_layout_text(sn_muscle_layout *layout, const char *format, ...) SN_PRINTF(2, 3);

// Adds an item; what it points to belongs to the layout already, or is constant. A name that is
// NULL fails for want of memory, so that calls can be chained.
sn_status sni_layout_add(sn_muscle_layout *layout, const sn_layout_muscle *muscle, sn_error *error);
sn_status sni_layout_express(sn_muscle_layout *layout, const sn_layout_expression *expression,
                             sn_error *error);
sn_status sni_layout_skip(sn_muscle_layout *layout, const char *name, const char *reason,
                          sn_error *error);

#endif
