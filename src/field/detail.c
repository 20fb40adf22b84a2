// SPDX-License-Identifier: Apache-2.0
#include "field/detail.h"

sni_smooth_min sni_smooth_minimum(double a, double b, double s) {
    double h = s > 0 ? fmax(s - fabs(a - b), 0) / s : 0;
    sni_smooth_min result = {fmin(a, b) - s * h * h / 4, h / 2, h / 2, -h * (2 - h) / 4};
    if (a <= b) {
        result.by_a = 1 - h / 2;
    } else {
        result.by_b = 1 - h / 2;
    }
    return result;
}

sni_composed sni_detail_blend(double close, double t, double x, double y) {
    if (x >= close) {
        return (sni_composed){x, 1, 0};
    }
    double bound_slope = (close - 0.5) / close, bound = 0.5 + bound_slope * x;
    sni_smooth_min inner = sni_smooth_minimum(y, bound, bound - 0.5);
    sni_composed g = sni_blend((sni_opening){SNI_OPENING_SINEW, close}, t, x, inner.value);
    // The bound and its softness both follow x.
    double inner_by_x = (inner.by_b + inner.by_s) * bound_slope;
    return (sni_composed){g.value, g.by_x + g.by_y * inner_by_x, g.by_y * inner.by_a};
}
