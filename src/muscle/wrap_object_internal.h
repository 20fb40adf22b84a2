// SPDX-License-Identifier: Apache-2.0
//
// What the methods of finding a way around a body share: once the side or the plane is known, the
// way is the same for all of them. Points are in the body's frame and in units of its radii.
#ifndef SINEW_MUSCLE_WRAP_OBJECT_INTERNAL_H
#define SINEW_MUSCLE_WRAP_OBJECT_INTERNAL_H

#include "muscle/wrap_object.h"

typedef struct sni_plane_point {
    double x, y;
} sni_plane_point;

// A way around the unit circle of a plane: where it begins to touch and how far it goes around,
// counterclockwise positive.
typedef struct sni_wrap_turn {
    double start, angle;
    double before, after; // lengths of the straight parts
} sni_wrap_turn;

sn_vec3 sni_wrap_to_body(const sni_wrap_body *body, sn_vec3 p);

// The direction of the body's side, an axis of its frame or the opposite; zero without a side.
sn_vec3 sni_wrap_side(const sni_wrap_body *body);

// The way around a cylinder that turns as given. Unrolled it is straight: along the axis it goes in
// proportion to the length across. False where it would enter and leave beyond both ends.
bool sni_wrap_wind(const sni_wrap_body *body, sn_vec3 pa, sn_vec3 pb, const sni_wrap_turn *turn,
                   sni_wrap_arc *arc);

// The way around a sphere or an ellipsoid in the plane of `way`, the direction from pa to pb, and
// `out`, across it, towards which it passes. In units of the radii the ellipsoid is the unit
// sphere, which the plane cuts in a circle. False where that way is straight.
bool sni_wrap_in_plane(const sni_wrap_body *body, sn_vec3 pa, sn_vec3 pb, sn_vec3 way, sn_vec3 out,
                       sni_wrap_arc *arc);

// The way as OpenSim's methods find it; sets `must`.
bool sni_wrap_as_opensim(const sni_wrap_body *body, sn_vec3 a, sn_vec3 b, sni_wrap_arc *arc);

#endif
