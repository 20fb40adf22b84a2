// SPDX-License-Identifier: Apache-2.0
//
// A fibre of a pose that is asked often: its axis in runs of segments, each in a box, so that most
// points are told to be far away, and the nearest segment of all others is found, without a look at
// every segment.
#ifndef SINEW_MUSCLE_FIBRE_READY_H
#define SINEW_MUSCLE_FIBRE_READY_H

#include "muscle/fibre/axis.h"

enum { SNI_FIBRE_RUNS = 8 };

typedef struct sni_fibre_ready {
    sni_fibre_axis axis; // borrowed
    sni_fibre_section section;
    double widest;     // no section is wider
    sn_vec3 low, high; // the box of the axis
    uint32_t run_size; // segments in a run, fewer in the last ones
    // Boxes of the runs, x, y and z. Runs without segments are infinitely far away.
    double lows[3][SNI_FIBRE_RUNS], highs[3][SNI_FIBRE_RUNS];
} sni_fibre_ready;

// `thickness`: the largest w Phi.
void sni_fibre_make_ready(const sni_fibre_axis *axis, const sni_fibre_section *section,
                          double thickness, sni_fibre_ready *ready);

// A number that the field at a point is not below, and at places further away not by more than they
// are away. It is not improved any more once it is `enough`.
double sni_fibre_at_least(const sni_fibre_ready *ready, sn_vec3 at, double enough);

// The nearest segment, the first of several.
uint32_t sni_fibre_nearest(const sni_fibre_ready *ready, sn_vec3 at);

// sni_fibre_field_near of its axis. A point that was not asked about before gets the answer of
// sni_fibre_field.
sni_distance_value sni_fibre_ready_field(const sni_fibre_ready *ready, sn_vec3 at,
                                         uint32_t *segment);

#endif
