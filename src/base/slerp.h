// SPDX-License-Identifier: Apache-2.0
//
// sn_quat_slerp for many places between the same two rotations: what does not depend on the place
// is computed once. The bits are the same.
#ifndef SINEW_BASE_SLERP_H
#define SINEW_BASE_SLERP_H

#include "sinew/vector.h"

typedef struct sni_slerp {
    sn_quat from, to; // the second with the sign of the shorter arc
    double angle;     // between them; 0: they are so close that sines cancel
    double scale;     // 1 / sin(angle)
} sni_slerp;

static inline sni_slerp sni_slerp_between(sn_quat from, sn_quat to) {
    // Beyond this cosine two quaternions are so close that the sines cancel.
    static const double linear_cosine = 1 - 1e-10;
    double cosine = sn_quat_dot(from, to);
    if (cosine < 0) {
        to = sn_quat_scale(to, -1);
        cosine = -cosine;
    }
    sni_slerp between = {from, to, 0, 0};
    if (!(cosine > linear_cosine)) {
        between.angle = acos(cosine);
        between.scale = 1 / sin(between.angle);
    }
    return between;
}

static inline sn_quat sni_slerp_at(const sni_slerp *between, double t) {
    if (between->angle == 0) {
        return sn_quat_normalize(
            sn_quat_add(sn_quat_scale(between->from, 1 - t), sn_quat_scale(between->to, t)));
    }
    double angle = between->angle, scale = between->scale;
    return sn_quat_add(sn_quat_scale(between->from, sin((1 - t) * angle) * scale),
                       sn_quat_scale(between->to, sin(t * angle) * scale));
}

#endif
