// SPDX-License-Identifier: Apache-2.0
//
// Operators that make one field of two. A field is 0 to 1, a half on the surface, more inside
// (field/support.h). All operators are symmetric, leave x alone where y is 0, and stay in 0 to 1.
//
// Blends are built as by Gourmel et al. 2013: the level of value C is that of the union, two
// half-lines in the plane of both values, joined by a quarter of a circle about (k, k), where the
// *opening* k(C) says at which smaller value the second field begins to matter:
//
//     g = max(x, y)                                        if min(x, y) <= k(max)
//         the C with (x - k)^2 + (y - k)^2 = (C - k)^2     otherwise, k = k(C)
//
// k' >= 0 keeps the levels nested, so that there is one such C. `t`, 0 to 1, says how wide an
// opening is: 1 is a union, 0 the widest blend.
#ifndef SINEW_FIELD_COMPOSE_H
#define SINEW_FIELD_COMPOSE_H

#include "field/support.h"

// What an operator gives: its value and its slopes by both fields.
typedef struct sni_composed {
    double value;
    double by_x, by_y;
} sni_composed;

// Openings.
//
//     line      k = t C: arcs of circles
//     diamond   the line up to C = 1/2, from there straight to k = C at 7/10: blends near the
//               surface only (elbows and knees of implicit skinning)
//     sinew     k = C - delta(C), with delta smooth everywhere and 0 from `close` on: the blend of
//               our own that all composed fields use by default. For t = 1 the surface is exactly
//               that of the union while the field beside it is smooth: a clean union
typedef enum sni_opening_kind {
    SNI_OPENING_SINEW,
    SNI_OPENING_LINE,
    SNI_OPENING_DIAMOND,
} sni_opening_kind;

typedef struct sni_opening {
    sni_opening_kind kind;
    double close; // of SINEW alone, above 1/2 up to 1: the value from which on it is a union
} sni_opening;

#define SNI_OPENING_STANDARD ((sni_opening){SNI_OPENING_SINEW, 0.75})
// Unites muscles: without a crease deep inside.
#define SNI_OPENING_MUSCLES ((sni_opening){SNI_OPENING_SINEW, 1})

// k(C), and its slope in `slope` (may be NULL).
double sni_opening_at(sni_opening opening, double t, double c, double *slope);

// The blend of x and y.
sni_composed sni_blend(sni_opening opening, double t, double x, double y);

// The union with a bulge beside the crease: in X = (min - k) / (C - k), Y = (max - k) / (C - k) the
// level is Y = 1 - q b(X), b(X) = (1 - X) exp(1 - 1/X), in place of a circle. q = 0 is the union.
sni_composed sni_bulge(sni_opening opening, double t, double q, double x, double y);
double sni_bulge_profile(double x); // b

// Contact: the surface is that of the union and, where both overlap, the sheet x = y, on which the
// skins of both sides come to rest.
//
//     g = max                   if min <= 1/2
//         1/2 + max - min       otherwise
sni_composed sni_contact(double x, double y);

// How wide a blend is by the angle between the gradients of both fields:
//
//     t = t[0] up to angle a[0], t[1] at a[1], t[2] from a[2] on, flat at all three
typedef struct sni_controller {
    double angles[3]; // radians
    double t[3];
    double exponents[2]; // of the ramps before and after the middle
} sni_controller;

extern const sni_controller sni_controller_camel;  // blends where surfaces meet at an angle
extern const sni_controller sni_controller_elbow;  // hinges: blends a little, outside alone
extern const sni_controller sni_controller_finger; // the same for fingers
extern const sni_controller sni_controller_hand;
extern const sni_controller sni_controller_union; // never blends
extern const sni_controller sni_controller_blend; // always blends fully

// The ramp of controllers: 0 to 1, flat at both ends.
double sni_controller_ramp(double s);

double sni_controller_at(const sni_controller *controller, double angle);

// The angle between two gradients; negative where one of them has no direction.
double sni_gradient_angle(sn_vec3 a, sn_vec3 b);

// How wide to blend fields with these gradients: a union where one has no direction.
double sni_controller_between(const sni_controller *controller, sn_vec3 a, sn_vec3 b);

// The composed field with its gradient.
static inline sni_field_value sni_compose(sni_composed g, sni_field_value x, sni_field_value y) {
    return (sni_field_value){
        g.value, sn_vec3_add_scaled(sn_vec3_scale(x.gradient, g.by_x), g.by_y, y.gradient)};
}

#endif
