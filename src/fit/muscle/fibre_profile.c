// SPDX-License-Identifier: Apache-2.0
//
// The exponents of a fibre's profile from measured areas A along its axis. A fibre of volume V and
// length l has
//
//     pi w^2 Phi(s)^2 = V/l Phi(s)^2,      int Phi^2 = 1
//
// as its area at s, so that V and l leave the two exponents alone to be found: those with the
// smallest int |A - V/l Phi^2|, which is twice the volume that is in the wrong place.
#include "fit/muscle/fibre.h"

#include <math.h>

enum { STEPS = 96, LEAST_EXPONENT = 2 };

// How far an axis may go on beyond an end, in lengths of it, and what that must save of the volume
// that is in the wrong place, per part of the length.
static const double extensions[] = {0, 0.03, 0.06, 0.1, 0.15};
static const double extension_price = 0.4;
enum { EXTENSION_COUNT = sizeof extensions / sizeof *extensions };

// Between places areas are linear; beyond the first and the last they stay as they are up to the
// ends of the axis.
static double area_at(const sni_fit_area *areas, uint32_t count, double length, double place) {
    if (place < 0 || place > length) {
        return 0;
    }
    if (place <= areas[0].place) {
        return areas[0].area;
    }
    for (uint32_t i = 1; i < count; ++i) {
        const sni_fit_area *a = &areas[i - 1], *b = &areas[i];
        if (place <= b->place) {
            double t = b->place > a->place ? (place - a->place) / (b->place - a->place) : 1;
            return a->area + t * (b->area - a->area);
        }
    }
    return areas[count - 1].area;
}

typedef struct axis_samples {
    double length;       // of the longer axis
    double areas[STEPS]; // in the middle of each step
    double volume;
} axis_samples;

static axis_samples sample(const sni_fit_area *areas, uint32_t count, double length, double before,
                           double after) {
    axis_samples samples = {.length = length + before + after};
    for (int i = 0; i < STEPS; ++i) {
        double place = (i + 0.5) / STEPS * samples.length - before;
        samples.areas[i] = area_at(areas, count, length, place);
        samples.volume += samples.areas[i] * samples.length / STEPS;
    }
    return samples;
}

// The part of the volume that is in the wrong place.
static double misfit(const axis_samples *samples, sni_beta beta) {
    sni_fibre_profile profile = sni_fibre_profile_make(beta, beta);
    double sum = 0;
    for (int i = 0; i < STEPS; ++i) {
        double phi = sni_fibre_profile_at(&profile, 0, (i + 0.5) / STEPS, NULL);
        sum += fabs(samples->areas[i] * samples->length / samples->volume - phi * phi);
    }
    return sum / (2 * STEPS);
}

sni_fit_profile sni_fit_profile_find(const sni_fit_area *areas, uint32_t count, double length,
                                     bool fixed) {
    SN_ASSERT(count > 0 && length > 0);
    sni_fit_profile best = {.beta = {3, 3}};
    double least = INFINITY;
    uint32_t tries = fixed ? 1 : EXTENSION_COUNT * EXTENSION_COUNT;
    for (uint32_t e = 0; e < tries; ++e) {
        double before = extensions[e / EXTENSION_COUNT], after = extensions[e % EXTENSION_COUNT];
        axis_samples samples = sample(areas, count, length, before * length, after * length);
        if (!(samples.volume > 0)) {
            continue;
        }
        for (uint32_t a = LEAST_EXPONENT; a <= SNI_FIBRE_EXPONENT_MOST; ++a) {
            for (uint32_t b = LEAST_EXPONENT; b <= SNI_FIBRE_EXPONENT_MOST; ++b) {
                double wrong = misfit(&samples, (sni_beta){a, b});
                double cost = wrong + extension_price * (before + after);
                if (cost < least) {
                    least = cost;
                    best = (sni_fit_profile){
                        {a, b}, samples.volume, before * length, after * length, 1 - wrong};
                }
            }
        }
    }
    return best;
}
