// SPDX-License-Identifier: Apache-2.0
#include "jobs/pace.h"

// Seconds between two samples: all together reach back 8 seconds.
static const double interval = 0.5;
// Before this many seconds the speed is that of the beginning, which tells little.
static const double least_time = 1;
// Work that needs this many times longer for a step than it did for all before stands still.
static const double patience = 3;

double pace_note(pace *p, double time, double fraction) {
    uint32_t last = (p->count - 1) % PACE_SAMPLES;
    p->fraction = fraction > p->fraction ? fraction : p->fraction;
    if (p->count == 0 || time - p->times[last] >= interval) {
        uint32_t next = p->count++ % PACE_SAMPLES;
        p->times[next] = time;
        p->fractions[next] = p->fraction;
    }
    return p->fraction;
}

double pace_left(const pace *p, double time) {
    if (p->count < 2) {
        return -1;
    }
    uint32_t kept = p->count < PACE_SAMPLES ? p->count : PACE_SAMPLES;
    uint32_t oldest = (p->count - kept) % PACE_SAMPLES, newest = (p->count - 1) % PACE_SAMPLES;
    double spent = time - p->times[oldest], gained = p->fraction - p->fractions[oldest];
    double told = p->times[newest] - p->times[oldest];
    if (spent < least_time || gained <= 0 || spent > patience * (told + interval)) {
        return -1;
    }
    return (1 - p->fraction) * spent / gained;
}
