// SPDX-License-Identifier: Apache-2.0
//
// The segments that a muscle between bones spans.
#ifndef SINEW_INPUT_SPAN_INTERNAL_H
#define SINEW_INPUT_SPAN_INTERNAL_H

#include "eval/rest.h"

// Marks the segments of the ends of a fibre muscle, of the points that it passes, and all on the
// way from one to the other in the skeleton. `object` is the muscle's in the document; `spanned`
// has one for each segment, of which the others are left as they are.
void sni_mark_spanned(const sni_rest *rest, const sn_value *object, bool *spanned);

#endif
