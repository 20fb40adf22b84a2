// SPDX-License-Identifier: Apache-2.0
//
// An eyeball as lids see it: a middle, three axes, and how far its surface is from the middle in
// every direction. Axes point outwards (away from the nose), up and forward, so that the numbers of
// the left eye are those of the right one.
//
//     place = (a, t, r)    a  latitude, from the plane of up and forward towards the outer side
//                          t  turn about the axis from side to side: 0 forward, upwards positive
//                          r  distance from the middle
//
// A lid turns about the axis from side to side: that adds to t and leaves a and r.
#ifndef SINEW_SKIN_LIDS_EYEBALL_H
#define SINEW_SKIN_LIDS_EYEBALL_H

#include "sinew/geometry.h"
#include "sinew/vector.h"

typedef struct sni_eye_place {
    double a, t, r;
} sni_eye_place;

typedef struct sni_eye_frame {
    sn_vec3 center, out, up, front; // in the world at rest; the axes are perpendicular units
} sni_eye_frame;

static inline sn_vec3 sni_eye_local(const sni_eye_frame *f, sn_vec3 p) {
    sn_vec3 d = sn_vec3_sub(p, f->center);
    return sn_vec3_make(sn_vec3_dot(d, f->out), sn_vec3_dot(d, f->up), sn_vec3_dot(d, f->front));
}

static inline sn_vec3 sni_eye_world(const sni_eye_frame *f, sn_vec3 local) {
    sn_vec3 p = sn_vec3_add_scaled(f->center, local.x, f->out);
    return sn_vec3_add_scaled(sn_vec3_add_scaled(p, local.y, f->up), local.z, f->front);
}

static inline sni_eye_place sni_eye_place_of(sn_vec3 local) {
    double r = sn_vec3_length(local), x = r > 0 ? local.x / r : 0;
    return (sni_eye_place){asin(fmin(fmax(x, -1), 1)), atan2(local.y, local.z), r};
}

static inline sn_vec3 sni_eye_direction(double a, double t) {
    double flat = cos(a);
    return sn_vec3_make(sin(a), flat * sin(t), flat * cos(t));
}

static inline sn_vec3 sni_eye_point(sni_eye_place p) {
    return sn_vec3_scale(sni_eye_direction(p.a, p.t), p.r);
}

// Heights of the surface on rings about the axis of sight; the last ring lies behind.
enum { SNI_EYE_RINGS = 181, SNI_EYE_SIDES = 120 };

typedef struct sni_eye_heights {
    float values[SNI_EYE_RINGS][SNI_EYE_SIDES]; // metres
    double radius; // mean, also where there is no surface; 0: there is none at all
} sni_eye_heights;

// `accel` is the eyeball's surface in the world at rest.
void sni_eye_measure(const sn_accel *accel, const sni_eye_frame *frame, sni_eye_heights *heights);

// How far the surface is in a local direction of length 1.
double sni_eye_height(const sni_eye_heights *heights, sn_vec3 direction);

#endif
