// SPDX-License-Identifier: Apache-2.0
//
// The axes of a fibre muscle in a pose: where bones carry them, and their shape at rest there.
#include "muscle/fibre/fibre.h"

#include <math.h>

void sni_fibre_carriers(const sni_fibre *f, const sn_mat4 *worlds, sni_fibre_carrier *carriers) {
    for (uint32_t i = 0; i < f->place_count; ++i) {
        carriers[i] = sni_fibre_carrier_of(&worlds[f->places[i].segment], f->places[i].point);
    }
}

// The point of an end that belongs to a fibre, `part` from its first attachment to its last.
static sn_vec3 end_of(const sni_fibre *f, const sn_vec3 *places, uint32_t end, double part) {
    const sn_vec3 *first = places + end * f->attachment_count;
    return f->attachment_count == 1 ? first[0] : sn_vec3_lerp(first[0], first[1], part);
}

// The middle of all fibres passes the places themselves; the others pass beside them, as far as
// their ends are from the middle.
void sni_fibre_find_knots(const void *fibre, const sn_vec3 *places, sn_vec3 *knots) {
    const sni_fibre *f = fibre;
    const sn_vec3 *through = places + 2 * (size_t)f->attachment_count;
    for (uint32_t i = 0; i < f->fibre_count; ++i) {
        double part = f->fibre_count > 1 ? (double)i / (f->fibre_count - 1) : 0.5;
        sn_vec3 ends[2], beside[2];
        for (uint32_t k = 0; k < 2; ++k) {
            ends[k] = end_of(f, places, k, part);
            beside[k] = sn_vec3_sub(ends[k], end_of(f, places, k, 0.5));
        }
        *knots++ = ends[0];
        for (uint32_t k = 1; k < f->run_count; ++k) {
            sn_vec3 offset = sn_vec3_lerp(beside[0], beside[1], f->knot_parts[k]);
            *knots++ = sn_vec3_add(through[k - 1], offset);
        }
        *knots++ = ends[1];
    }
}

// --- Straight between knots

// Tendons keep their length, the flesh between them shares what is left evenly; where tendons alone
// are too long, all links shrink alike.
static void straight_run(const sni_fibre *f, uint32_t fibre, uint32_t run, const sn_vec3 *ends,
                         sn_vec3 *particles) {
    uint32_t first = f->knot_particles[run], last = f->knot_particles[run + 1], flesh = 0;
    const double *lengths = f->link_lengths + (size_t)fibre * (f->particle_count - 1);
    double way = sn_vec3_distance(ends[0], ends[1]), tendon = 0, at = 0;
    for (uint32_t i = first; i < last; ++i) {
        tendon += f->tendons[i] ? lengths[i] : 0;
        flesh += !f->tendons[i];
    }
    bool fits = tendon < way && flesh > 0;
    for (uint32_t i = first; i < last; ++i) {
        particles[i] = sn_vec3_lerp(ends[0], ends[1], at);
        double link = f->tendons[i] ? lengths[i] : (way - tendon) / flesh;
        at += fits ? link / way : 1.0 / (last - first);
    }
    particles[last] = ends[1];
}

// --- A smooth curve through knots

// The slope of the curve at a knot by the chord length: of the parabola through its neighbours, at
// the ends so that the curve does not bend there.
static sn_vec3 slope_at(const sn_vec3 *knots, uint32_t count, uint32_t i) {
    uint32_t before = i > 0 ? i - 1 : 0, after = i + 1 < count ? i + 1 : i;
    sn_vec3 in = sn_vec3_sub(knots[i], knots[before]), out = sn_vec3_sub(knots[after], knots[i]);
    double in_length = sn_vec3_length(in), out_length = sn_vec3_length(out);
    if (!(in_length > 0) || !(out_length > 0)) {
        return sn_vec3_make(0, 0, 0);
    }
    sn_vec3 slope = sn_vec3_scale(in, out_length / (in_length * (in_length + out_length)));
    return sn_vec3_add_scaled(slope, in_length / (out_length * (in_length + out_length)), out);
}

static void cubic_span(const sn_vec3 *knots, uint32_t count, uint32_t i, sn_vec3 *curve) {
    sn_vec3 a = knots[i], b = knots[i + 1], way = sn_vec3_sub(b, a);
    double length = sn_vec3_length(way);
    sn_vec3 from = sn_vec3_scale(slope_at(knots, count, i), length);
    sn_vec3 to = sn_vec3_scale(slope_at(knots, count, i + 1), length);
    bool is_first = i == 0, is_last = i + 2 == count;
    if (is_first && is_last) {
        from = to = way;
    } else if (is_first) {
        from = sn_vec3_scale(sn_vec3_add_scaled(sn_vec3_scale(way, 3), -1, to), 0.5);
    } else if (is_last) {
        to = sn_vec3_scale(sn_vec3_add_scaled(sn_vec3_scale(way, 3), -1, from), 0.5);
    }
    for (int k = 0; k <= SNI_FIBRE_CURVE_STEPS; ++k) {
        double t = (double)k / SNI_FIBRE_CURVE_STEPS, r = 1 - t;
        sn_vec3 p = sn_vec3_scale(a, r * r * (1 + 2 * t));
        p = sn_vec3_add_scaled(p, t * t * (3 - 2 * t), b);
        p = sn_vec3_add_scaled(p, r * r * t, from);
        curve[k] = sn_vec3_add_scaled(p, -r * t * t, to);
    }
}

// Even particles on a polyline.
static void spread_evenly(const sn_vec3 *curve, uint32_t point_count, uint32_t count,
                          sn_vec3 *particles) {
    double length = 0, passed = 0;
    uint32_t at = 0;
    for (uint32_t i = 1; i < point_count; ++i) {
        length += sn_vec3_distance(curve[i - 1], curve[i]);
    }
    for (uint32_t i = 0; i + 1 < count; ++i) {
        double wanted = length * i / (count - 1);
        double step = sn_vec3_distance(curve[at], curve[at + 1]);
        while (at + 2 < point_count && passed + step < wanted) {
            passed += step;
            ++at;
            step = sn_vec3_distance(curve[at], curve[at + 1]);
        }
        double part = step > 0 ? fmin(1, (wanted - passed) / step) : 0;
        particles[i] = sn_vec3_lerp(curve[at], curve[at + 1], part);
    }
    particles[0] = curve[0];
    particles[count - 1] = curve[point_count - 1];
}

static void smooth_axis(const sni_fibre *f, const sn_vec3 *knots, sn_vec3 *curve,
                        sn_vec3 *particles) {
    for (uint32_t i = 0; i < f->run_count; ++i) {
        cubic_span(knots, f->run_count + 1, i, curve + (size_t)i * SNI_FIBRE_CURVE_STEPS);
    }
    spread_evenly(curve, f->run_count * SNI_FIBRE_CURVE_STEPS + 1, f->particle_count, particles);
}

void sni_fibre_equilibrium(const sni_fibre *f, const sn_vec3 *knots, sn_vec3 *scratch,
                           sn_vec3 *particles) {
    for (uint32_t i = 0; i < f->fibre_count; ++i) {
        const sn_vec3 *own = knots + (size_t)i * (f->run_count + 1);
        sn_vec3 *axis = particles + (size_t)i * f->particle_count;
        if (f->is_static) {
            smooth_axis(f, own, scratch, axis);
            continue;
        }
        for (uint32_t run = 0; run < f->run_count; ++run) {
            straight_run(f, i, run, own + run, axis);
        }
    }
}

double sni_fibre_mean_axis(const sni_fibre *f, const sn_vec3 *particles, sn_vec3 *mean) {
    double length = 0;
    for (uint32_t i = 0; i < f->particle_count; ++i) {
        sn_vec3 sum = particles[i];
        for (uint32_t k = 1; k < f->fibre_count; ++k) {
            sum = sn_vec3_add(sum, particles[(size_t)k * f->particle_count + i]);
        }
        mean[i] = sn_vec3_scale(sum, 1.0 / f->fibre_count);
        length += i > 0 ? sn_vec3_distance(mean[i - 1], mean[i]) : 0;
    }
    return length;
}

sn_status sni_fibre_length_at(const sni_fibre *f, sni_arena *arena, const sn_mat4 *worlds,
                              double *length, sn_error *error) {
    size_t particle_count = (size_t)f->fibre_count * f->particle_count;
    sn_vec3 *places = sni_arena_alloc(arena, f->place_count, sizeof *places);
    sn_vec3 *knots =
        sni_arena_alloc(arena, (size_t)f->fibre_count * (f->run_count + 1), sizeof *knots);
    sn_vec3 *curve =
        sni_arena_alloc(arena, (size_t)f->run_count * SNI_FIBRE_CURVE_STEPS + 1, sizeof *curve);
    sn_vec3 *particles = sni_arena_alloc(arena, particle_count, sizeof *particles);
    sn_vec3 *mean = sni_arena_alloc(arena, f->particle_count, sizeof *mean);
    if (places == NULL || knots == NULL || curve == NULL || particles == NULL || mean == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < f->place_count; ++i) {
        places[i] = sn_mat4_point(&worlds[f->places[i].segment], f->places[i].point);
    }
    sni_fibre_find_knots(f, places, knots);
    sni_fibre_equilibrium(f, knots, curve, particles);
    *length = sni_fibre_mean_axis(f, particles, mean);
    return SN_OK;
}

void sni_fibre_wide(const sni_fibre *f, const sn_mat4 *worlds, const sn_vec3 *places,
                    sn_vec3 wide[2]) {
    for (uint32_t k = 0; k < 2; ++k) {
        const sn_vec3 *end = places + (size_t)k * f->attachment_count;
        uint32_t segment = f->places[k * f->attachment_count].segment;
        sn_vec3 carried = sn_mat4_direction(&worlds[segment], f->wide[k]);
        wide[k] = f->spread[k] ? sn_vec3_sub(end[1], end[0]) : carried;
        wide[k] =
            sn_vec3_normalize_or(wide[k], sn_vec3_normalize_or(carried, sn_vec3_make(1, 0, 0)));
    }
}
