// SPDX-License-Identifier: Apache-2.0
//
// The axis of a fibre muscle: a polyline through its particles, with a normal at each of them; the
// projection of points onto it without jumps (algorithm 1 of V. Roussellet et al. 2018); and the
// field of the muscle around it.
//
//     f(q) = D - w Phi(s) r(theta),   D = |q - C(s)|
//
// negative inside. It is not an exact distance: its gradient is at least 1 long beside a straight
// axis. Gradients are exact but for the twist of the normals along the axis, which is left out.
#ifndef SINEW_MUSCLE_FIBRE_AXIS_H
#define SINEW_MUSCLE_FIBRE_AXIS_H

#include "field/support.h"
#include "muscle/fibre/profile.h"

// Spans of a posed axis. `starts` and `length` follow from the points (sni_fibre_axis_measure).
typedef struct sni_fibre_axis {
    uint32_t point_count; // 2 or more
    const sn_vec3 *points;
    const sn_vec3 *normals; // unit, across the axis: the wide direction of sections
    const double *starts;   // point_count: part of the length at each point, 0 to 1
    double length;          // metres
} sni_fibre_axis;

// Fills in the parts of the length at each point; returns the length. Parts are even where the
// axis has no length.
double sni_fibre_axis_measure(const sn_vec3 *points, uint32_t point_count, double *starts);

// Fills in normals: the ends' normals interpolated along the axis, made square to it, of one sign.
// (The published rule, projection onto the plane of three neighbours, fails on straight axes.)
void sni_fibre_axis_normals(const sn_vec3 *points, const double *starts, uint32_t point_count,
                            sn_vec3 first, sn_vec3 last, sn_vec3 *normals);

// Where a point projects to.
typedef struct sni_fibre_foot {
    double s;         // part of the length
    sn_vec3 slope;    // gradient of s by the point that is projected
    sn_vec3 point;    // C(s)
    double distance;  // D
    uint32_t segment; // that holds s
    sn_vec3 tangent;  // of that segment, unit
    sn_vec3 normal;   // there, unit and square to the axis; around kinks to a direction between
} sni_fibre_foot;

sni_fibre_foot sni_fibre_axis_project(const sni_fibre_axis *axis, sn_vec3 at);

// The muscle around an axis.
typedef struct sni_fibre_section {
    const sni_fibre_profile *profile;
    double activation;   // 0 to 1
    double width;        // w, metres
    double eccentricity; // 0 to 0.995
} sni_fibre_section;

sni_distance_value sni_fibre_field(const sni_fibre_axis *axis, const sni_fibre_section *section,
                                   sn_vec3 at);

// The width at which a muscle of this length has this volume: w = sqrt(V / (pi l)). A length below
// 0.3 of the rest length counts as that.
double sni_fibre_width(double volume, double length, double rest_length);

#endif
