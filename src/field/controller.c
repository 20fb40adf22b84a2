// SPDX-License-Identifier: Apache-2.0
//
// How wide fields blend by the angle between their gradients (O. Gourmel et al. 2013; presets as in
// the public code of implicit skinning, where angles are given as dot products). The ramp goes
// through t = tan(theta) here.
#include "field/compose.h"

#define DEGREES (SN_PI / 180)

const sni_controller sni_controller_camel = {{0, 90 * DEGREES, 180 * DEGREES}, {1, 0, 1}, {1, 1}};
const sni_controller sni_controller_elbow = {
    // Dot products 1, 0.7, 0.2.
    {0, 45.572995999194 * DEGREES, 78.463040967185 * DEGREES},
    {1, 0.43, 1},
    {1, 1}};
const sni_controller sni_controller_finger = {
    // Dot products 0.75, 0.2, -1.
    {41.409622109271 * DEGREES, 78.463040967185 * DEGREES, 180 * DEGREES},
    {1, 0.3, 1},
    {1, 1}};
const sni_controller sni_controller_hand = {
    {22.5 * DEGREES, 90 * DEGREES, 90 * DEGREES}, {1, 0.3249197, 0.3249197}, {0.5, 1}};
const sni_controller sni_controller_union = {{0, 90 * DEGREES, 180 * DEGREES}, {1, 1, 1}, {1, 1}};
const sni_controller sni_controller_blend = {{0, 90 * DEGREES, 180 * DEGREES}, {0, 0, 0}, {1, 1}};

double sni_controller_ramp(double s) {
    if (s <= 0) {
        return 0;
    }
    if (s >= 1) {
        return 1;
    }
    return 1 - exp(1 - 1 / (1 - exp(1 - 1 / s)));
}

double sni_controller_at(const sni_controller *controller, double angle) {
    const double *a = controller->angles, *t = controller->t;
    if (angle <= a[0]) {
        return t[0];
    }
    if (angle <= a[1]) {
        double ramp = sni_controller_ramp((angle - a[1]) / (a[0] - a[1]));
        return t[1] + (t[0] - t[1]) * pow(ramp, controller->exponents[0]);
    }
    if (angle < a[2]) {
        double ramp = sni_controller_ramp((angle - a[1]) / (a[2] - a[1]));
        return t[1] + (t[2] - t[1]) * pow(ramp, controller->exponents[1]);
    }
    return t[2];
}

double sni_gradient_angle(sn_vec3 a, sn_vec3 b) {
    // Fields fall from 1 to 0 over lengths of a body, so a gradient this small is none.
    static const double least = 1e-9;
    double lengths[2] = {sn_vec3_length(a), sn_vec3_length(b)};
    if (!(lengths[0] > least && lengths[1] > least)) {
        return -1;
    }
    double cosine = sn_vec3_dot(a, b) / (lengths[0] * lengths[1]);
    return acos(fmax(-1, fmin(1, cosine)));
}

double sni_controller_between(const sni_controller *controller, sn_vec3 a, sn_vec3 b) {
    double angle = sni_gradient_angle(a, b);
    return angle < 0 ? 1 : sni_controller_at(controller, angle);
}
