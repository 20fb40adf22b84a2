// SPDX-License-Identifier: Apache-2.0
//
// The kernels of this room, by the processor.
#include "base/kernel.h"
#include "fit/muscle/fit.h"

SNI_FORMS(sni_fit_solve);
SNI_FORMS(sni_fit_solve_vectors);

sn_status sni_fit_solve(const sni_fit_surface *surface, sni_arena *arena, double shift,
                        double scale, double tolerance, const double *b, double *x,
                        sn_error *error) {
    return SNI_CHOSEN(arena->context, sni_fit_solve)(surface, arena, shift, scale, tolerance, b, x,
                                                     error);
}

sn_status sni_fit_solve_vectors(const sni_fit_surface *surface, sni_arena *arena, double shift,
                                double scale, double tolerance, double *const b[3],
                                double *const x[3], sn_error *error) {
    return SNI_CHOSEN(arena->context, sni_fit_solve_vectors)(surface, arena, shift, scale,
                                                             tolerance, b, x, error);
}
