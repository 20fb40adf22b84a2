// SPDX-License-Identifier: Apache-2.0
//
// The factor of the sections with which a surface keeps its volume.
#include "muscle/cover.h"

#include <math.h>
#include <string.h>

// The volume is kept this well, relative to that at rest: a hundredth of what can be seen.
static const double volume_tolerance = 1e-4;
// The factor is looked for within half and twice, in at most so many steps.
static const double factor_range = 2;
enum { MOST_STEPS = 12 };

bool sni_cover_is_kept(double excess) {
    return fabs(excess) <= volume_tolerance;
}

double sni_cover_excess(const sni_cover *cover, const float *points) {
    return sni_cover_volume(cover, points) / cover->volume - 1;
}

static double within_range(double factor) {
    return fmin(fmax(factor, 1 / factor_range), factor_range);
}

typedef struct search {
    const sni_cover *cover;
    const float *one, *two;
    float *points;
} search;

static double excess_at(const search *s, double factor) {
    size_t count = 3 * (size_t)s->cover->vertex_count;
    float more = (float)(factor - 1);
    for (size_t i = 0; i < count; ++i) {
        s->points[i] = s->one[i] + more * (s->two[i] - s->one[i]);
    }
    return sni_cover_excess(s->cover, s->points);
}

// The secant method from 1 on, with the slope at rest for its first step.
bool sni_cover_keep_volume(const sni_cover *cover, double slope, const float *one, const float *two,
                           float *points, double *factor, double *excess) {
    search s = {cover, one, two, points};
    double before = 1, at_before = *excess, best = 1, at_best = *excess;
    double now = within_range(1 - at_before / slope), last = 0;
    for (int step = 0; step < MOST_STEPS && now != before && isfinite(now); ++step) {
        double at_now = excess_at(&s, now);
        last = now;
        if (fabs(at_now) < fabs(at_best)) {
            best = now;
            at_best = at_now;
        }
        if (sni_cover_is_kept(at_now) || at_now == at_before) {
            break;
        }
        double next = within_range(now - at_now * (now - before) / (at_now - at_before));
        before = now;
        at_before = at_now;
        now = next;
    }
    if (last != best) {
        excess_at(&s, best);
    }
    *factor = best;
    *excess = at_best;
    return sni_cover_is_kept(at_best);
}
