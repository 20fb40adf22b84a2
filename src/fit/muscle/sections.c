// SPDX-License-Identifier: Apache-2.0
//
// Sections of a strip that belong together: without flips, turned as little as their shapes allow.
#include "fit/muscle/fit.h"

#include <math.h>

static sn_vec3 chord_at(const sni_fit_sections *strip, uint32_t slice) {
    uint32_t before = slice > 0 ? slice - 1 : 0;
    uint32_t after = slice + 1 < strip->count ? slice + 1 : slice;
    return sn_vec3_normalize_or(
        sn_vec3_sub(strip->sections[after].center, strip->sections[before].center),
        sn_vec3_make(0, 0, 1));
}

// The direction of a strip at a slice: the chords over its neighbours and theirs, 1 : 2 : 1.
static sn_vec3 direction_at(const sni_fit_sections *strip, uint32_t slice) {
    sn_vec3 here = chord_at(strip, slice), sum = sn_vec3_scale(here, 2);
    if (slice > 0 && slice + 1 < strip->count) {
        sum = sn_vec3_add(sum, sn_vec3_add(chord_at(strip, slice - 1), chord_at(strip, slice + 1)));
    }
    return sn_vec3_normalize_or(sum, here);
}

static sn_vec3 flatten(sn_vec3 v, sn_vec3 normal) {
    return sn_vec3_add_scaled(v, -sn_vec3_dot(v, normal), normal);
}

// How much longer than broad an ellipse is: 0 for a circle, 1 for a line.
static double slimness(const sn_fit_section *section) {
    double a = sn_vec3_dot(section->wide, section->wide);
    double b = sn_vec3_dot(section->thick, section->thick);
    return a + b > 0 ? fabs(a - b) / (a + b) : 0;
}

// An ellipse's half extent along a unit direction of its plane, as its variances give it.
static double extent(const sn_fit_section *section, sn_vec3 unit) {
    return hypot(sn_vec3_dot(section->wide, unit), sn_vec3_dot(section->thick, unit));
}

// Turns a section so that its wide axis goes on from that of its neighbour. A slim section keeps
// its own axis (up to sign), a round one takes the neighbour's; axes at more than 45 degrees from
// it are exchanged.
static void turn_alike(sn_fit_section *section, sn_vec3 direction, sn_vec3 neighbor_wide,
                       double thinnest) {
    double area = sn_vec3_length(section->wide) * sn_vec3_length(section->thick);
    sn_vec3 carried =
        sn_vec3_normalize_or(flatten(neighbor_wide, direction), sn_vec3_perpendicular(direction));
    sn_vec3 across = sn_vec3_cross(direction, carried);
    sn_vec3 own = flatten(section->wide, direction);
    double angle = atan2(sn_vec3_dot(own, across), sn_vec3_dot(own, carried));
    angle -= SN_PI * round(angle / SN_PI); // the sign of an axis does not count
    if (fabs(angle) > SN_PI / 4 && slimness(section) < 0.6) {
        angle -= copysign(SN_PI / 2, angle);
    }
    double q = slimness(section), keep = q * q / (q * q + 0.02);
    angle *= keep;
    sn_vec3 wide =
        sn_vec3_add(sn_vec3_scale(carried, cos(angle)), sn_vec3_scale(across, sin(angle)));
    sn_vec3 thick = sn_vec3_cross(wide, direction);
    double a = extent(section, wide), b = extent(section, thick);
    double scale = a * b > 0 ? sqrt(area / (a * b)) : 1;
    section->wide = sn_vec3_scale(wide, fmax(a * scale, thinnest));
    section->thick = sn_vec3_scale(thick, fmax(b * scale, thinnest));
}

void sni_fit_sections_smooth(sni_fit_sections *strip, double thinnest) {
    SN_ASSERT(strip->count <= SNI_FIT_SLICES_MOST);
    uint32_t slimmest = 0;
    double best = -1;
    for (uint32_t i = 0; i < strip->count; ++i) {
        double score = slimness(&strip->sections[i]) * sn_vec3_length(strip->sections[i].wide);
        if (score > best) {
            best = score;
            slimmest = i;
        }
    }
    sn_fit_section *sections = strip->sections;
    turn_alike(&sections[slimmest], direction_at(strip, slimmest), sections[slimmest].wide,
               thinnest);
    for (uint32_t i = slimmest; i > 0; --i) {
        turn_alike(&sections[i - 1], direction_at(strip, i - 1), sections[i].wide, thinnest);
    }
    for (uint32_t i = slimmest; i + 1 < strip->count; ++i) {
        turn_alike(&sections[i + 1], direction_at(strip, i + 1), sections[i].wide, thinnest);
    }
}
