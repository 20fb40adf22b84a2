// SPDX-License-Identifier: Apache-2.0
//
// A bone as joints are looked for on it: points spread evenly over its surface, and a search tree.
#ifndef SINEW_FIT_BODY_SHAPE_H
#define SINEW_FIT_BODY_SHAPE_H

#include "base/memory.h"
#include "sinew/geometry.h"

// A small piece of surface.
typedef struct sni_sample {
    sn_vec3 point, normal; // outwards, of length 1
    double area;
} sni_sample;

typedef struct sni_shape {
    sn_accel *accel;
    uint32_t sample_count;
    sni_sample *samples;
    sn_vec3 low, high; // of its box
    double area, volume;
    sn_vec3 centroid; // of the surface
    double size;      // diagonal of the box
} sni_shape;

// Fails with SN_INVALID for a mesh without surface.
sn_status sni_shape_init(sn_context *context, const sn_mesh *mesh, sni_shape *shape,
                         sn_error *error);
void sni_shape_deinit(sn_context *context, sni_shape *shape);

// Distance of the boxes: never more than the gap.
double sni_shape_box_gap(const sni_shape *a, const sni_shape *b);

// The least distance of the samples of one from the surface of the other, both ways; `limit` when
// it is not below that.
double sni_shape_gap(const sni_shape *a, const sni_shape *b, double limit);

// The middle of the thickest place inside a closed bone, and how thick it is: the mean centre of
// the largest balls found in it, and the radius of the largest.
sn_vec3 sni_shape_thickest(const sni_shape *shape, double *radius);

// Where the line from `from` towards `to` leaves the bone for the last time before `to`; `from`
// where it does not meet it.
sn_vec3 sni_shape_exit(const sni_shape *shape, sn_vec3 from, sn_vec3 to);

// The middle of the last `part` of a bone along the way from one point to another.
sn_vec3 sni_shape_end(const sni_shape *shape, sn_vec3 from, sn_vec3 to, double part);

#endif
