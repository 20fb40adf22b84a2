// SPDX-License-Identifier: Apache-2.0
//
// What a strip bends around.
#include "fit/muscle_fit.h"

sn_status sni_fit_pivots(sni_fit_bones *bones, const sni_fit_points *points,
                         const sni_fit_surface *surface, const double *along,
                         const sni_fit_strips *strips, sn_muscle_fit *fit, sn_error *error) {
    (void)bones, (void)points, (void)surface, (void)along, (void)strips, (void)fit, (void)error;
    return SN_OK;
}
