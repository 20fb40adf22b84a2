// SPDX-License-Identifier: Apache-2.0
//
// Colours of constraints: those of one colour share no particle, so that their order does not
// matter and threads may take parts of them.
#ifndef SINEW_SOLVER_COLOR_H
#define SINEW_SOLVER_COLOR_H

#include "solver/xpbd.h"

// Most colours. Constraints beyond them (more than this many at one particle) come last and are
// solved in order, on one thread.
enum { SNI_COLOR_MOST = 64 };

// Where each colour begins among the constraints sorted by it; starts[SNI_COLOR_MOST] is where
// those without a colour begin, starts[SNI_COLOR_MOST + 1] the end.
typedef struct sni_colors {
    uint32_t starts[SNI_COLOR_MOST + 2];
} sni_colors;

// Gives each constraint, in order, the lowest colour that none at its particles has, and writes
// them to `sorted` by colour, those of one colour in their own order. Fails only when memory runs
// out.
sn_status sni_color_constraints(sn_context *context, uint32_t particle_count,
                                const sni_constraint *constraints, uint32_t count,
                                sni_constraint *sorted, sni_colors *colors, sn_error *error);

// Whether no two constraints of one colour share a particle. True where memory runs out.
bool sni_colors_are_valid(sn_context *context, uint32_t particle_count,
                          const sni_constraint *sorted, uint32_t count, const sni_colors *colors);

#endif
