// SPDX-License-Identifier: Apache-2.0
//
// How fast work goes, and how long it will take: by the speed of the last seconds, since steps of
// one job differ.
#ifndef SINEW_STUDIO_PACE_H
#define SINEW_STUDIO_PACE_H

#include <stdint.h>

enum { PACE_SAMPLES = 16 };

// Zero is a pace of nothing.
typedef struct pace {
    uint32_t count; // of samples, the last PACE_SAMPLES of which are kept
    double times[PACE_SAMPLES], fractions[PACE_SAMPLES];
    double fraction; // the furthest so far
} pace;

// Notes how far the work is at a time in seconds. Returns the furthest so far: it never goes back.
double pace_note(pace *p, double time, double fraction);

// Seconds that are left at a time; below 0 where nobody can tell: too early, or the work stands
// still.
double pace_left(const pace *p, double time);

#endif
