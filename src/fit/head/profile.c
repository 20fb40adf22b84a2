// SPDX-License-Identifier: Apache-2.0
//
// Places of two profiles are paired by dynamic programming (Sakoe and Chiba, Dynamic programming
// algorithm optimization for spoken word recognition, 1978): the order stays, and the sum of
// squared differences of angles over the whole way is least.
#include "fit/head/profile.h"

#include <string.h>

// The outline is sampled every half millimetre, from 75 mm above the tip of the nose to 85 below.
enum { SAMPLES = SNI_PROFILE_SAMPLES, ABOVE = 150, SMOOTHING = 4 };
static const double step = 0.0005;

// Rays that go on so far behind what they meet above and below pass between lips; gaps between lips
// are no wider than so many samples.
enum { WIDEST_GAP = 24 };
static const double through_lips = 0.012;

// Rays are sent from this far before the nose.
static const double stand_off = 0.2;

// Places of the two may lie so many samples apart, and cost this much for a sample, squared.
enum { BAND = 40 };
static const double shift_cost = 2e-5;

// A place bends where the angle changes by this much within 8 mm; places are 5 mm apart at least.
enum { REACH = 8, APART = 10 };
static const double least_bend = 0.25;

// Between lips that are apart the outline goes straight.
static void bridge_gaps(sni_profile *p, double *forward) {
    for (int i = 1; i < SAMPLES; ++i) {
        if (!p->hit[i - 1] || (p->hit[i] && forward[i] > forward[i - 1] - through_lips)) {
            continue;
        }
        int end = i;
        while (end < SAMPLES && end - i < WIDEST_GAP &&
               (!p->hit[end] || forward[end] < forward[i - 1] - through_lips)) {
            ++end;
        }
        if (end >= SAMPLES || end - i >= WIDEST_GAP) {
            continue; // no gap: the nose or the chin ends here
        }
        for (int k = i; k < end; ++k) {
            double t = (k - i + 1.0) / (end - i + 1);
            forward[k] = (1 - t) * forward[i - 1] + t * forward[end];
            p->points[k] = sn_vec3_lerp(p->points[i - 1], p->points[end], t);
            p->hit[k] = true;
        }
    }
}

bool sni_profile_trace(const sni_head_surface *surface, const sni_similarity *pose, sn_vec3 middle,
                       sni_profile *p) {
    sn_vec3 back = sn_quat_rotate(pose->rotation, sn_vec3_make(0, 0, -1));
    double forward[SAMPLES];
    uint32_t hits = 0;
    for (int i = 0; i < SAMPLES; ++i) {
        sn_vec3 from = {middle.x, middle.y + (ABOVE - i) * step, middle.z + stand_off};
        sn_hit hit;
        sn_accel_cast(surface->accel, sni_similarity_point(pose, from), back, 0,
                      pose->scale * 2 * stand_off, &hit);
        p->hit[i] = hit.triangle != SN_NONE;
        p->points[i] = hit.point;
        forward[i] = p->hit[i] ? middle.z + stand_off - hit.distance / pose->scale : 0;
        hits += p->hit[i];
    }
    bridge_gaps(p, forward);
    for (int i = 0; i < SAMPLES; ++i) {
        int a = i - SMOOTHING > 0 ? i - SMOOTHING : 0;
        int b = i + SMOOTHING < SAMPLES - 1 ? i + SMOOTHING : SAMPLES - 1;
        bool both = p->hit[a] && p->hit[b];
        p->angle[i] = both ? atan2(forward[b] - forward[a], (b - a) * step) : 0;
        p->hit[i] = p->hit[i] && both;
    }
    return hits > SAMPLES / 2;
}

static double cost_of(const sni_profile *known, const sni_profile *other, int i, int k) {
    double shift = (i - k) * (double)(i - k) * shift_cost;
    if (!known->hit[i] || !other->hit[k]) {
        return shift + 0.3;
    }
    double difference = known->angle[i] - other->angle[k];
    return shift + difference * difference;
}

// paired[i]: the sample of the other profile that belongs to sample i of the known one.
static void pair_samples(const sni_profile *known, const sni_profile *other, int *paired) {
    enum { WIDTH = 2 * BAND + 1 };
    static const int steps[3][2] = {{1, 1}, {1, 2}, {2, 1}}; // of both
    double total[SAMPLES][WIDTH];
    uint8_t came[SAMPLES][WIDTH];
    for (int i = 0; i < SAMPLES; ++i) {
        for (int b = 0; b < WIDTH; ++b) {
            int k = i + b - BAND;
            total[i][b] = INFINITY;
            came[i][b] = 0;
            if (k < 0 || k >= SAMPLES) {
                continue;
            }
            double cost = cost_of(known, other, i, k), best = i == 0 || k == 0 ? 0 : INFINITY;
            for (uint8_t s = 0; s < 3; ++s) {
                int from = i - steps[s][0], at = b + steps[s][0] - steps[s][1];
                if (from >= 0 && at >= 0 && at < WIDTH && total[from][at] < best) {
                    best = total[from][at];
                    came[i][b] = (uint8_t)(s + 1);
                }
            }
            total[i][b] = best + cost;
        }
    }
    int i = SAMPLES - 1, b = 0;
    for (int k = 1; k < WIDTH; ++k) {
        b = total[i][k] < total[i][b] ? k : b;
    }
    for (int k = 0; k < SAMPLES; ++k) {
        paired[k] = -1;
    }
    while (i >= 0) {
        paired[i] = i + b - BAND;
        uint8_t s = came[i][b];
        if (s == 0) {
            break;
        }
        i -= steps[s - 1][0];
        b += steps[s - 1][0] - steps[s - 1][1];
    }
}

static double bend_at(const sni_profile *p, int i) {
    return fabs(p->angle[i + REACH] - p->angle[i - REACH]);
}

// Whether a sample bends more than all others beside it.
static bool is_place(const sni_profile *p, int i) {
    double bend = bend_at(p, i);
    for (int k = i - APART; k <= i + APART; ++k) {
        if (k < REACH || k >= SAMPLES - REACH || !p->hit[k]) {
            return false;
        }
        if (k != i && (bend_at(p, k) > bend || (bend_at(p, k) == bend && k < i))) {
            return false;
        }
    }
    return bend >= least_bend;
}

uint32_t sni_profile_match(const sni_profile *known, const sni_profile *other,
                           sni_profile_pair *pairs) {
    int paired[SAMPLES];
    uint32_t count = 0;
    pair_samples(known, other, paired);
    for (int i = REACH + APART; i < SAMPLES - REACH - APART && count < SNI_PROFILE_PLACES; ++i) {
        int k = paired[i];
        if (!is_place(known, i) || k < 0 || !other->hit[k]) {
            continue;
        }
        double sum = 0, weight = 0;
        for (int d = -APART; d <= APART; ++d) {
            int to = paired[i + d];
            if (to >= 0 && other->hit[to]) {
                sum += fabs(known->angle[i + d] - other->angle[to]);
                ++weight;
            }
        }
        pairs[count++] = (sni_profile_pair){known->points[i], other->points[k],
                                            weight > 0 ? sum / weight : INFINITY};
    }
    return count;
}
