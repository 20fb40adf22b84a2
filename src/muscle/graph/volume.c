// SPDX-License-Identifier: Apache-2.0
//
// The factor of the expansion points that keeps the volume (section 4.4.3 of the thesis).
//
// While the muscle is made, factors are searched for lengths of the flesh from 40 % to 130 % of
// that at rest: from the cylinder's estimate (4.22), narrowed until the volume is within the
// tolerance. Keys are added where the curve through the keys misses the volume most, until it does
// so nowhere.
//
// The keys hold where the muscle's own contraction changes its length. Bones, neighbours and
// tension change the surface in other ways, so that a pose starts at the key for its length and
// then solves the cubic of the volume (surface.h), by Newton's method.
#include "muscle/graph/volume.h"

#include <math.h>

// Lengths of the flesh that have keys, relative to that at rest: contracted by 60 %, stretched by
// 30 %.
static const double least_ratio = 0.4;
static const double most_ratio = 1.3;

// Factors are looked for within these.
static const double least_factor = 0.1;
static const double most_factor = 12;

// Steps at which the curve through the keys is tried between the ends.
enum { TRIES = 36, STEPS_MOST = 60, NEWTON_STEPS = 30, ROW = 128, THIRDS = 60 };

// Steps of a search away from 1, as a part of the distance from there.
static const double most_step = 0.75;

// In a pose the volume is kept this well, relative to that at rest.
static const double pose_tolerance = 1e-9;

// Equation 4.22 as a factor on radii: a cylinder of that length has its volume with it. Expansion
// points move less than all of a section, by `gain`: the slope of the volume at rest over that of a
// cylinder, 2.
static double estimate(double ratio, double gain) {
    double cylinder = 1 / sqrt(ratio);
    return fmin(fmax(1 + (cylinder - 1) / gain, least_factor), most_factor);
}

static bool is_within(double volume, double target, double tolerance) {
    return fabs(volume / target - 1) <= tolerance;
}

// A factor that is known to be too small or too large, and the volume there, relative to the
// target.
typedef struct bound {
    bool known;
    double factor, volume;
} bound;

// The thesis halves the interval between the nearest factors that are known to be too small and too
// large. Where volumes are known at both ends, the line between them tells where to look.
static double between(const bound *low, const bound *high) {
    double part = (1 - low->volume) / (high->volume - low->volume);
    return low->factor + fmin(fmax(part, 0.1), 0.9) * (high->factor - low->factor);
}

double sni_graph_search_factor(const sni_graph_cubic *volume, double target, double start,
                               double tolerance, uint32_t *steps) {
    bound low = {.factor = least_factor}, high = {.factor = most_factor};
    double factor = start;
    for (*steps = 1; *steps < STEPS_MOST; ++*steps) {
        bound now = {true, factor, sni_graph_cubic_at(volume, factor) / target};
        if (fabs(now.volume - 1) <= tolerance) {
            break;
        }
        *(now.volume > 1 ? &high : &low) = now;
        // Away from 1 until both are known.
        double away = most_step * fmax(fabs(factor - 1), 0.04);
        factor = low.known && high.known ? between(&low, &high)
                 : now.volume > 1        ? fmax(factor - away, least_factor)
                                         : fmin(factor + away, most_factor);
    }
    return factor;
}

// Catmull-Rom through the keys; constant beyond them.
double sni_graph_key_factor(const sni_graph *g, double ratio) {
    const sni_graph_key *keys = g->keys;
    uint32_t count = g->key_count, k = 0;
    if (count == 0) {
        return 1;
    }
    if (ratio <= keys[0].ratio || count == 1) {
        return keys[0].factor;
    }
    if (ratio >= keys[count - 1].ratio) {
        return keys[count - 1].factor;
    }
    while (ratio > keys[k + 1].ratio) {
        ++k;
    }
    const sni_graph_key *a = &keys[k > 0 ? k - 1 : k], *b = &keys[k], *c = &keys[k + 1];
    const sni_graph_key *d = &keys[k + 2 < count ? k + 2 : k + 1];
    double step = c->ratio - b->ratio, u = (ratio - b->ratio) / step, v = 1 - u;
    double b_slope = step * (c->factor - a->factor) / (c->ratio - a->ratio);
    double c_slope = step * (d->factor - b->factor) / (d->ratio - b->ratio);
    return (1 + 2 * u) * v * v * b->factor + u * u * (3 - 2 * u) * c->factor + u * v * v * b_slope -
           u * u * v * c_slope;
}

// --- Keys

typedef struct keying {
    sni_graph *graph;
    double tolerance, gain;
    double ratios[TRIES + 1];
    sni_graph_cubic volumes[TRIES + 1]; // for the lengths of the tries
    uint32_t searches, steps;
} keying;

static void insert_key(keying *k, uint32_t number) {
    sni_graph *g = k->graph;
    uint32_t steps, at = g->key_count++;
    double factor =
        sni_graph_search_factor(&k->volumes[number], g->base_volume,
                                estimate(k->ratios[number], k->gain), k->tolerance, &steps);
    for (; at > 0 && g->keys[at - 1].ratio > k->ratios[number]; --at) {
        g->keys[at] = g->keys[at - 1];
    }
    g->keys[at] = (sni_graph_key){k->ratios[number], factor};
    k->steps += steps;
    k->searches++;
    g->most_steps = steps > g->most_steps ? steps : g->most_steps;
}

// The try that misses the volume most; SN_NONE where all are within the tolerance.
static uint32_t worst_try(const keying *k) {
    const sni_graph *g = k->graph;
    double worst = k->tolerance;
    uint32_t found = SN_NONE;
    for (uint32_t i = 0; i <= TRIES; ++i) {
        double factor = sni_graph_key_factor(g, k->ratios[i]);
        double miss = fabs(sni_graph_cubic_at(&k->volumes[i], factor) / g->base_volume - 1);
        bool is_key = false;
        for (uint32_t n = 0; n < g->key_count; ++n) {
            is_key = is_key || g->keys[n].ratio == k->ratios[i];
        }
        if (miss > worst && !is_key) {
            worst = miss;
            found = i;
        }
    }
    return found;
}

// At rest the factor is 1 without a search.
static void add_rest_key(keying *k, uint32_t rest) {
    sni_graph *g = k->graph;
    g->keys[g->key_count++] = (sni_graph_key){k->ratios[rest], 1};
}

sn_status sni_graph_make_keys(sni_graph *g, sni_graph_volume_fn volume_at, void *user,
                              double tolerance, sn_error *error) {
    sn_status status = SN_OK;
    keying *k = NULL;
    uint32_t rest = 0;
    SNI_NEW_ZERO(g->context, k, 1);
    SNI_NEW(g->context, g->keys, TRIES + 1);
    k->graph = g;
    k->tolerance = tolerance;
    for (uint32_t i = 0; i <= TRIES; ++i) {
        k->ratios[i] = least_ratio + (most_ratio - least_ratio) * i / TRIES;
        rest = fabs(k->ratios[i] - 1) < fabs(k->ratios[rest] - 1) ? i : rest;
    }
    k->ratios[rest] = 1;
    for (uint32_t i = 0; i <= TRIES; ++i) {
        volume_at(g, k->ratios[i], &k->volumes[i], user);
    }
    k->gain = sni_graph_cubic_slope(&k->volumes[rest], 1) / (2 * g->base_volume);
    g->expands = k->gain > 0.05;
    if (g->expands) {
        add_rest_key(k, rest);
        insert_key(k, 0);
        insert_key(k, TRIES);
        for (uint32_t next; (next = worst_try(k)) != SN_NONE;) {
            insert_key(k, next);
        }
        g->mean_steps = (double)k->steps / k->searches;
    }
cleanup:
    sni_free(g->context, k);
    return status;
}

// --- In a pose

static double miss_at(const sni_graph_cubic *volume, double target, double factor) {
    return fabs(sni_graph_cubic_at(volume, factor) / target - 1);
}

// Where no factor has the volume: the one that misses it least, found on a row of factors and then
// between the neighbours of the best, so that it moves evenly.
static double nearest_factor(const sni_graph_cubic *volume, double target) {
    double grow = pow(most_factor / least_factor, 1.0 / ROW), best = least_factor;
    for (int i = 0; i <= ROW; ++i) {
        double factor = least_factor * pow(grow, i);
        best = miss_at(volume, target, factor) < miss_at(volume, target, best) ? factor : best;
    }
    double low = fmax(best / grow, least_factor), high = fmin(best * grow, most_factor);
    for (int i = 0; i < THIRDS; ++i) {
        double third = (high - low) / 3;
        bool lower = miss_at(volume, target, low + third) < miss_at(volume, target, high - third);
        low = lower ? low : low + third;
        high = lower ? high - third : high;
    }
    return (low + high) / 2;
}

// Newton's method from the key's factor, which is close: no step may leave the range.
double sni_graph_keep_factor(const sni_graph *g, const sni_graph_cubic *volume, double start,
                             bool *kept) {
    double target = g->base_volume, factor = start;
    *kept = false;
    for (int i = 0; i < NEWTON_STEPS; ++i) {
        double now = sni_graph_cubic_at(volume, factor);
        if (is_within(now, target, pose_tolerance)) {
            *kept = true;
            return factor;
        }
        double slope = sni_graph_cubic_slope(volume, factor) / target;
        double next = factor - (now / target - 1) / fmax(slope, 0.05);
        factor = fmin(fmax(next, least_factor), most_factor);
    }
    return nearest_factor(volume, target);
}
