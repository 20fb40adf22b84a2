// SPDX-License-Identifier: Apache-2.0
//
// Bodies that a muscle's way goes around: the taut way from a point to another past a cylinder, a
// sphere or an ellipsoid, straight, along the surface, straight again.
//
//     cylinder    exact: a helix, which is straight when the cylinder is unrolled
//     sphere      exact: a great circle
//     ellipsoid   in a plane through the two points and the centre; the ellipsoid is a stretched
//                 sphere, and touching lines stay touching lines
//
// In the plane across the cylinder, or in that of the way, the body is a circle. Without a side the
// way goes around it where the straight way cuts through it, on the nearer side. With one, an axis
// of the body or its opposite, it goes past on that side of the straight way: also by more than
// half a turn, and where the straight way would pass on the other side without touching, as
// OpenSim's quadrants. Where the straight way then comes close to the centre of a sphere or an
// ellipsoid, the plane is turned towards the side, as if the muscle ran in a groove: that through
// the centre would turn over.
//
// That is the method `smooth`. The others are OpenSim's, which decides in another way whether and
// on which side a path wraps, and in which plane it goes around an ellipsoid (wrap_opensim.c).
#ifndef SINEW_MUSCLE_WRAP_OBJECT_H
#define SINEW_MUSCLE_WRAP_OBJECT_H

#include "muscle/muscle.h"

// A body where it is.
typedef struct sni_wrap_body {
    sni_wrap_shape shape;
    sni_wrap_method method;
    sn_vec3 center, axes[3]; // unit axes, perpendicular; z is that of a cylinder and of a torus
    double radii[3];         // all are equal for a cylinder, a sphere and the tube of a torus
    double ring;             // of a torus: the radius of the circle that its tube is about
    double half_length;      // of a cylinder
    int side;                // see sni_muscle_wrap
} sni_wrap_body;

// The part of a way that lies on a body: center + t rise + cos(t angle) p + sin(t angle) q, t from
// 0 to 1.
typedef struct sni_wrap_arc {
    bool touches; // nothing else is set where it does not
    bool must;    // OpenSim's methods: it goes around here, even if it could elsewhere for less
    sn_vec3 center, p, q, rise;
    double angle;
    double length;
    sn_vec3 enter, leave; // its ends
} sni_wrap_arc;

// The way from a to b. It does not touch where it is straight, where an end lies in the body, or
// where it would leave and enter a cylinder beyond its ends.
void sni_wrap_find(const sni_wrap_body *body, sn_vec3 a, sn_vec3 b, sni_wrap_arc *arc);

// A point of an arc, and its direction there, of length 1.
sn_vec3 sni_wrap_point(const sni_wrap_arc *arc, double t);
sn_vec3 sni_wrap_direction(const sni_wrap_arc *arc, double t);

#endif
