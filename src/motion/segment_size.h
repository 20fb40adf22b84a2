// SPDX-License-Identifier: Apache-2.0
//
// How large segments are, and bodies of other proportions (Wilhelms and Van Gelder, Anatomically
// Based Modeling, 1997, sections 3 and 5.3).
//
// Proportions are one factor for each segment, 0 where the document gives none.
#ifndef SINEW_MOTION_SEGMENT_SIZE_H
#define SINEW_MOTION_SEGMENT_SIZE_H

#include "base/memory.h"
#include "sinew/motion.h"

// The size of a segment that has neither an extent of its own nor a parent with one: a metre, so
// that coordinates in units of it are metres.
#define SNI_SEGMENT_SIZE_ALONE 1.0

// The basic size of every segment at rest: the long diagonal of the box over its origin and the
// origins of its children, in its own coordinates. A segment without children, or with all of them
// in its origin, takes its parent's size; where there is none, SNI_SEGMENT_SIZE_ALONE.
//
// `proportions` (NULL: none given) say the sizes of the body that sni_skeleton_scale makes of this
// one. A segment with a factor has that times the size that it has without proportions, leaves
// included; a leaf without one follows its parent.
sn_status sni_segment_sizes(sn_context *context, const sn_skeleton *skeleton,
                            const double *proportions, double *sizes, sn_error *error);

// Multiplies the offsets of each segment's children by its factor: places at rest, and the rest
// values and limits of their joint translations.
void sni_skeleton_scale(sn_skeleton *skeleton, const double *proportions);

#endif
