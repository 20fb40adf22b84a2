// SPDX-License-Identifier: Apache-2.0
//
// The field of a fibre at eight points: the projection onto its axis (axis.c) and the section
// around it, lane by lane the same steps.
#include "muscle/fibre/lanes.h"

#include "base/simd_vec3.h"

#include <math.h>

// Of bounds against what they are bounds of.
static const float rounding = 1e-5F;

// ---------------------------------------------------------------------------------------------
// Far away

// Squares of the distances of all runs from a box.
static inline sni_f32xw squares_from_box(const sni_fibre_lanes *lanes, const float box[6]) {
    const sni_f32xw zero = sni_f32xw_set1(0);
    sni_f32xw sum = zero;
    for (int k = 0; k < 3; ++k) {
        sni_f32xw below = sni_f32xw_sub(sni_f32xw_load(lanes->lows[k]), sni_f32xw_set1(box[3 + k]));
        sni_f32xw above = sni_f32xw_sub(sni_f32xw_set1(box[k]), sni_f32xw_load(lanes->highs[k]));
        sni_f32xw away = sni_f32xw_max(sni_f32xw_max(below, above), zero);
        sum = sni_f32xw_plus(sum, away, away);
    }
    return sum;
}

// The field is D - w Phi r, D is the distance from a point of the axis and w Phi r at most the
// widest section: so it is at least the distance from any box around the axis, less the widest
// section. The same holds for each run, with what is widest there: muscles are thin at their ends.
static float bound_of(const sni_fibre_lanes *lanes, float square) {
    return sqrtf(square) * (1 - rounding) - lanes->widest * (1 + rounding);
}

static inline float bound_from_box(const sni_fibre_lanes *lanes, sni_f32xw squares) {
    sni_f32xw far = sni_f32xw_mul(sni_f32xw_sqrt(squares), sni_f32xw_set1(1 - rounding));
    sni_f32xw wide = sni_f32xw_mul(sni_f32xw_load(lanes->widests), sni_f32xw_set1(1 + rounding));
    return sni_f32xw_least(sni_f32xw_sub(far, wide));
}

float sni_fibre_lanes_at_least(sn_context *context, const sni_fibre_lanes *lanes,
                               const float box[6]) {
    (void)context;
    return bound_from_box(lanes, squares_from_box(lanes, box));
}

// ---------------------------------------------------------------------------------------------
// The nearest links

typedef struct nearest {
    sni_f32xw squares;
    sni_f32xw links; // whole numbers
    float bound;     // from the box
} nearest;

static nearest scan(const sni_fibre_lanes *lanes, uint32_t begin, uint32_t end, sni_f32xw3 at,
                    nearest found) {
    for (uint32_t i = begin; i < end; ++i) {
        const sni_fibre_lanes_row *row = &lanes->rows[i + 1];
        sni_f32xw3 away = sni_f32xw3_sub(at, sni_f32xw3_set1(row->point));
        sni_f32xw3 direction = sni_f32xw3_set1(row->direction);
        sni_f32xw along = sni_f32xw_max(sni_f32xw3_dot(away, direction), sni_f32xw_set1(0));
        along = sni_f32xw_min(along, sni_f32xw_set1(row->size));
        sni_f32xw3 rest = sni_f32xw3_sub_scaled(away, along, direction);
        sni_f32xw square = sni_f32xw3_dot(rest, rest);
        sni_f32xw nearer = sni_f32xw_less(square, found.squares);
        found.squares = sni_f32xw_choose(nearer, found.squares, square);
        found.links = sni_f32xw_choose(nearer, found.links, sni_f32xw_set1((float)i));
    }
    return found;
}

static nearest scan_run(const sni_fibre_lanes *lanes, uint32_t run, sni_f32xw3 at, nearest found) {
    uint32_t begin = run * lanes->run_size, end = begin + lanes->run_size;
    return scan(lanes, begin, end < lanes->link_count ? end : lanes->link_count, at, found);
}

// Sign bits of the points that the box of a run is nearer to than the nearest link so far.
static inline uint32_t may_be_nearer(const sni_fibre_lanes *lanes, uint32_t run, sni_f32xw3 at,
                                     sni_f32xw squares) {
    const sni_f32xw zero = sni_f32xw_set1(0);
    const sni_f32xw places[3] = {at.x, at.y, at.z};
    sni_f32xw sum = zero;
    for (int k = 0; k < 3; ++k) {
        sni_f32xw below = sni_f32xw_sub(sni_f32xw_set1(lanes->lows[k][run]), places[k]);
        sni_f32xw above = sni_f32xw_sub(places[k], sni_f32xw_set1(lanes->highs[k][run]));
        sni_f32xw away = sni_f32xw_max(sni_f32xw_max(below, above), zero);
        sum = sni_f32xw_plus(sum, away, away);
    }
    return sni_f32xw_signs(
        sni_f32xw_less(sni_f32xw_mul(sum, sni_f32xw_set1(1 - rounding)), squares));
}

// The nearest links: those of the run with the nearest box first, then of all that may be as near
// to one of the points.
static nearest find_nearest(const sni_fibre_lanes *lanes, const float box[6], sni_f32xw3 at) {
    sni_f32xw squares = squares_from_box(lanes, box);
    nearest found = {sni_f32xw_set1(INFINITY), sni_f32xw_set1(0), bound_from_box(lanes, squares)};
    sni_f32xw least = sni_f32xw_set1(sni_f32xw_least(squares));
    uint32_t left = (1U << SNI_FIBRE_RUNS) - 1;
    uint32_t nearest_runs = left & ~sni_f32xw_signs(sni_f32xw_less(least, squares));
    uint32_t run = (uint32_t)__builtin_ctz(nearest_runs);
    squares = sni_f32xw_mul(squares, sni_f32xw_set1(1 - rounding));
    found = scan_run(lanes, run, at, found);
    sni_f32xw farthest = sni_f32xw_set1(sni_f32xw_most(found.squares));
    left &= ~(1U << run) & sni_f32xw_signs(sni_f32xw_less(squares, farthest));
    for (; left != 0; left &= left - 1) {
        run = (uint32_t)__builtin_ctz(left);
        if (may_be_nearer(lanes, run, at, found.squares) != 0) {
            found = scan_run(lanes, run, at, found);
        }
    }
    return found;
}

// ---------------------------------------------------------------------------------------------
// Projection

// Links of eight points, and their feet on them.
typedef struct feet {
    sni_f32xw3 point, direction; // where the link begins, and where it goes
    sni_f32xw part, size;        // of the length where it begins; its own length
    sni_f32xw along;             // from its beginning to the foot
    sni_f32xw3 away;             // from the foot to the point that is projected
    sni_f32xw distance;
    sni_f32xw inner; // sign bit: the foot is within the link
} feet;

SNI_INLINE feet feet_on(sni_rows rows, int offset, sni_f32xw3 at) {
    sni_f32xw4 point = sni_f32xw_transpose4(rows, offset);
    sni_f32xw4 link = sni_f32xw_transpose4(rows, offset + 4);
    feet f = {.point = {point.x, point.y, point.z},
              .direction = {link.x, link.y, link.z},
              .part = point.w,
              .size = link.w};
    sni_f32xw3 from = sni_f32xw3_sub(at, f.point);
    sni_f32xw along = sni_f32xw3_dot(from, f.direction);
    sni_f32xw beyond = sni_f32xw_sub(along, f.size);
    f.inner = sni_f32xw_both(sni_f32xw_less(sni_f32xw_set1(0), along), beyond);
    f.along = sni_f32xw_min(sni_f32xw_max(along, sni_f32xw_set1(0)), f.size);
    f.away = sni_f32xw3_sub_scaled(from, f.along, f.direction);
    f.distance = sni_f32xw3_length(f.away);
    return f;
}

// Where points project to. Lengths are in metres along the axis.
typedef struct projection {
    sni_f32xw part;              // s
    sni_f32xw3 slope;            // gradient of s, times the length of the axis
    sni_f32xw3 away;             // from the foot to the point
    sni_f32xw3 tangent;          // of the link that holds the foot
    sni_f32xw3 heading;          // what sections are across, as in axis.c
    sni_f32xw link, along, size; // which that is, and where in it
} projection;

static inline sni_f32xw3 unit_or(sni_f32xw3 a, sni_f32xw3 other) {
    sni_f32xw length = sni_f32xw3_length(a), zero = sni_f32xw_set1(0);
    sni_f32xw3 unit = sni_f32xw3_scale(a, sni_f32xw_div_positive(sni_f32xw_set1(1), length));
    return sni_f32xw3_choose(sni_f32xw_less(zero, length), other, unit);
}

// turned_around of axis.c.
static inline sni_f32xw3 turned_around(const feet *own, const feet *before, const feet *after) {
    const sni_f32xw zero = sni_f32xw_set1(0);
    sni_f32xw at_end = sni_f32xw_less(zero, own->along);
    sni_f32xw3 a = sni_f32xw3_choose(at_end, before->direction, own->direction);
    sni_f32xw3 b = sni_f32xw3_choose(at_end, own->direction, after->direction);
    sni_f32xw of_a = sni_f32xw_max(sni_f32xw_sub(zero, sni_f32xw3_dot(own->away, b)), zero);
    sni_f32xw of_b = sni_f32xw_max(sni_f32xw3_dot(own->away, a), zero);
    return unit_or(sni_f32xw3_add_scaled(sni_f32xw3_scale(a, of_a), of_b, b), own->direction);
}

static inline projection plain_projection(const feet *f, sni_f32xw3 turned, sni_f32xw link,
                                          sni_f32xw scale) {
    const sni_f32xw zero = sni_f32xw_set1(0);
    const sni_f32xw3 still = {zero, zero, zero};
    return (projection){.part = sni_f32xw_plus(f->part, f->along, scale),
                        .slope = sni_f32xw3_choose(f->inner, still, f->direction),
                        .away = f->away,
                        .tangent = f->direction,
                        .heading = sni_f32xw3_choose(f->inner, turned, f->direction),
                        .link = link,
                        .along = f->along,
                        .size = f->size};
}

// Between two links a and b that both have an inner foot (blended_part of axis.c): with the
// distances of the feet from the shared point, R_a and R_b, and from the points, D_a and D_b,
//
//     w_a = R_a D_b,  w_b = R_b D_a,  x = (R_b w_b - R_a w_a) / (w_a + w_b)
//
// is how far the foot is beyond the shared point.
SNI_INLINE projection blended_projection(const feet *a, const feet *b, sni_f32xw b_link,
                                         sni_f32xw3 at, sni_f32xw scale) {
    const sni_f32xw zero = sni_f32xw_set1(0), one = sni_f32xw_set1(1);
    sni_f32xw reach_a = sni_f32xw_sub(a->size, a->along), reach_b = b->along;
    sni_f32xw weight_a = sni_f32xw_mul(reach_a, b->distance);
    sni_f32xw weight_b = sni_f32xw_mul(reach_b, a->distance);
    sni_f32xw inverse = sni_f32xw_div_positive(one, sni_f32xw_add(weight_a, weight_b));
    sni_f32xw x = sni_f32xw_sub(sni_f32xw_mul(reach_b, weight_b), sni_f32xw_mul(reach_a, weight_a));
    x = sni_f32xw_mul(x, inverse);
    // Gradients of the weights.
    sni_f32xw3 slope_a = sni_f32xw3_sub_scaled(
        sni_f32xw3_scale(b->away, sni_f32xw_div_positive(reach_a, b->distance)), b->distance,
        a->direction);
    sni_f32xw3 slope_b = sni_f32xw3_add_scaled(
        sni_f32xw3_scale(a->away, sni_f32xw_div_positive(reach_b, a->distance)), a->distance,
        b->direction);
    sni_f32xw3 slope = sni_f32xw3_scale(a->direction, weight_a);
    slope = sni_f32xw3_add_scaled(slope, weight_b, b->direction);
    slope = sni_f32xw3_sub_scaled(slope, sni_f32xw_add(reach_a, x), slope_a);
    slope = sni_f32xw3_add_scaled(slope, sni_f32xw_sub(reach_b, x), slope_b);
    sni_f32xw before = sni_f32xw_less(x, zero);
    sni_f32xw3 tangent = sni_f32xw3_choose(before, b->direction, a->direction);
    sni_f32xw3 foot = sni_f32xw3_add_scaled(b->point, x, tangent);
    sni_f32xw3 heading = sni_f32xw3_scale(a->direction, weight_a);
    heading = sni_f32xw3_add_scaled(heading, weight_b, b->direction);
    return (projection){.part = sni_f32xw_plus(b->part, x, scale),
                        .slope = sni_f32xw3_scale(slope, inverse),
                        .away = sni_f32xw3_sub(at, foot),
                        .tangent = tangent,
                        .heading = unit_or(heading, a->direction),
                        .link = sni_f32xw_choose(before, b_link, sni_f32xw_sub(b_link, one)),
                        .along = sni_f32xw_choose(before, x, sni_f32xw_add(a->size, x)),
                        .size = sni_f32xw_choose(before, b->size, a->size)};
}

static inline feet choose_feet(sni_f32xw sign, const feet *a, const feet *b) {
    return (feet){.point = sni_f32xw3_choose(sign, a->point, b->point),
                  .direction = sni_f32xw3_choose(sign, a->direction, b->direction),
                  .part = sni_f32xw_choose(sign, a->part, b->part),
                  .size = sni_f32xw_choose(sign, a->size, b->size),
                  .along = sni_f32xw_choose(sign, a->along, b->along),
                  .away = sni_f32xw3_choose(sign, a->away, b->away),
                  .distance = sni_f32xw_choose(sign, a->distance, b->distance)};
}

static inline projection choose_projection(sni_f32xw sign, const projection *a,
                                           const projection *b) {
    return (projection){.part = sni_f32xw_choose(sign, a->part, b->part),
                        .slope = sni_f32xw3_choose(sign, a->slope, b->slope),
                        .away = sni_f32xw3_choose(sign, a->away, b->away),
                        .tangent = sni_f32xw3_choose(sign, a->tangent, b->tangent),
                        .heading = sni_f32xw3_choose(sign, a->heading, b->heading),
                        .link = sni_f32xw_choose(sign, a->link, b->link),
                        .along = sni_f32xw_choose(sign, a->along, b->along),
                        .size = sni_f32xw_choose(sign, a->size, b->size)};
}

// Rows of links.
static inline sni_rows rows_of(const sni_fibre_lanes *lanes, sni_f32xw links) {
    int32_t n[SNI_WIDTH];
    sni_f32xw_store_whole(n, links);
    const sni_fibre_lanes_row *rows = lanes->rows + 1;
    return (sni_rows){rows[n[0]].point, rows[n[1]].point, rows[n[2]].point, rows[n[3]].point,
                      rows[n[4]].point, rows[n[5]].point, rows[n[6]].point, rows[n[7]].point};
}

enum { ROW = sizeof(sni_fibre_lanes_row) / sizeof(float), NORMAL = 8 };

SNI_INLINE projection project(const sni_fibre_lanes *lanes, sni_f32xw3 at, sni_f32xw link) {
    const sni_f32xw one = sni_f32xw_set1(1);
    sni_f32xw scale = sni_f32xw_set1(lanes->length > 0 ? 1 / lanes->length : 0);
    sni_rows rows = rows_of(lanes, link);
    feet own = feet_on(rows, 0, at), before = feet_on(rows, -ROW, at),
         after = feet_on(rows, ROW, at);
    projection plain = plain_projection(&own, turned_around(&own, &before, &after), link, scale);
    sni_f32xw has_before = sni_f32xw_both(own.inner, before.inner);
    sni_f32xw has_after = sni_f32xw_both(own.inner, after.inner);
    // Of both neighbours, the one with the nearer foot.
    sni_f32xw farther = sni_f32xw_both(has_after, sni_f32xw_less(after.distance, before.distance));
    sni_f32xw takes_before = sni_f32xw_but_not(has_before, farther);
    sni_f32xw blends = sni_f32xw_either(has_before, has_after);
    if (sni_f32xw_signs(blends) == 0) {
        return plain;
    }
    feet a = choose_feet(takes_before, &own, &before), b = choose_feet(takes_before, &after, &own);
    sni_f32xw b_link = sni_f32xw_choose(takes_before, sni_f32xw_add(link, one), link);
    projection blended = blended_projection(&a, &b, b_link, at, scale);
    return choose_projection(blends, &plain, &blended);
}

// ---------------------------------------------------------------------------------------------
// Sections

// x^n
static inline sni_f32xw power(sni_f32xw x, uint32_t n) {
    sni_f32xw result = sni_f32xw_set1(1);
    for (uint32_t i = 0; i < n; ++i) {
        result = sni_f32xw_mul(result, x);
    }
    return result;
}

// A number and its slope.
typedef struct sloped {
    sni_f32xw value, slope;
} sloped;

// x^(n-1); the taper of an open end for n = 1.
static inline sloped rise(sni_f32xw x, uint32_t n) {
    const sni_f32xw one = sni_f32xw_set1(1);
    if (n > 1) {
        sni_f32xw lower = power(x, n - 2);
        return (sloped){sni_f32xw_mul(lower, x),
                        sni_f32xw_mul(lower, sni_f32xw_set1((float)(n - 1)))};
    }
    const float scale = (float)(1 / SNI_FIBRE_TAPER);
    sni_f32xw u = sni_f32xw_min(sni_f32xw_mul(x, sni_f32xw_set1(scale)), one);
    sni_f32xw value =
        sni_f32xw_mul(sni_f32xw_mul(u, u), sni_f32xw_sub(sni_f32xw_set1(3), sni_f32xw_add(u, u)));
    sni_f32xw slope =
        sni_f32xw_mul(sni_f32xw_mul(u, sni_f32xw_sub(one, u)), sni_f32xw_set1(6 * scale));
    return (sloped){value, slope};
}

// w Phi and its slope by s; 0 at both ends and beyond.
static inline sloped thickness_at(const sni_fibre_lanes *lanes, sni_f32xw s) {
    const sni_f32xw zero = sni_f32xw_set1(0), one = sni_f32xw_set1(1);
    sni_f32xw rest = sni_f32xw_sub(one, s);
    sloped sum = {zero, zero};
    for (int k = 0; k < 2; ++k) {
        const sni_fibre_lanes_shape *shape = &lanes->shapes[k];
        if (shape->factor == 0) {
            continue;
        }
        sni_f32xw factor = sni_f32xw_set1(shape->factor);
        sloped up = rise(s, shape->a), down = rise(rest, shape->b);
        sni_f32xw slope =
            sni_f32xw_sub(sni_f32xw_mul(up.slope, down.value), sni_f32xw_mul(up.value, down.slope));
        sum.value = sni_f32xw_plus(sum.value, factor, sni_f32xw_mul(up.value, down.value));
        sum.slope = sni_f32xw_plus(sum.slope, factor, slope);
    }
    sni_f32xw within = sni_f32xw_both(sni_f32xw_less(zero, s), sni_f32xw_less(zero, rest));
    return (sloped){sni_f32xw_choose(within, zero, sum.value),
                    sni_f32xw_choose(within, zero, sum.slope)};
}

// A direction across others, of unit length: that of the largest possible angle to the axes.
static inline sni_f32xw3 across(sni_f32xw3 v) {
    const sni_f32xw zero = sni_f32xw_set1(0);
    // Square to v in the plane of two axes, of which the first is not nearly along it.
    sni_f32xw is_x = sni_f32xw_less(sni_f32xw_mul(v.y, v.y), sni_f32xw_mul(v.x, v.x));
    sni_f32xw3 one = {zero, v.z, sni_f32xw_sub(zero, v.y)};
    sni_f32xw3 two = {sni_f32xw_sub(zero, v.z), zero, v.x};
    sni_f32xw3 other = sni_f32xw3_choose(is_x, one, two);
    return sni_f32xw3_scale(other,
                            sni_f32xw_div_positive(sni_f32xw_set1(1), sni_f32xw3_length(other)));
}

// The wide direction at the foot: between those of the points around it, square to the tangent.
static inline sni_f32xw3 normal_at(const sni_fibre_lanes *lanes, const projection *p) {
    const sni_f32xw one = sni_f32xw_set1(1), least = sni_f32xw_set1(1e-5F);
    sni_rows rows = rows_of(lanes, p->link);
    sni_f32xw4 from = sni_f32xw_transpose4(rows, NORMAL);
    sni_f32xw4 to = sni_f32xw_transpose4(rows, ROW + NORMAL);
    sni_f32xw u = sni_f32xw_div_positive(p->along, p->size);
    u = sni_f32xw_min(sni_f32xw_max(u, sni_f32xw_set1(0)), one);
    sni_f32xw3 a = {from.x, from.y, from.z}, b = {to.x, to.y, to.z};
    sni_f32xw3 normal = sni_f32xw3_add_scaled(a, u, sni_f32xw3_sub(b, a));
    normal = sni_f32xw3_sub_scaled(normal, sni_f32xw3_dot(normal, p->heading), p->heading);
    sni_f32xw length = sni_f32xw3_length(normal);
    sni_f32xw none = sni_f32xw_less(length, least);
    normal = sni_f32xw3_scale(normal, sni_f32xw_div_positive(one, length));
    return sni_f32xw_signs(none) == 0 ? normal
                                      : sni_f32xw3_choose(none, normal, across(p->tangent));
}

// The field (field_around of axis.c), from the projection.
void sni_fibre_lanes_field(sn_context *context, const sni_fibre_lanes *lanes,
                           const sni_solid_places *places, sni_solid_distances *distances) {
    (void)context;
    const sni_f32xw one = sni_f32xw_set1(1), on_axis = sni_f32xw_set1(1e-7F);
    const sni_f32xw u2 = sni_f32xw_set1(lanes->half[0]), v2 = sni_f32xw_set1(lanes->half[1]);
    const sni_f32xw3 at = {sni_f32xw_load(places->x), sni_f32xw_load(places->y),
                           sni_f32xw_load(places->z)};
    nearest links = find_nearest(lanes, places->box, at);
    projection p = project(lanes, at, links.links);
    sloped thick = thickness_at(lanes, p.part);
    sni_f32xw3 normal = normal_at(lanes, &p);
    sni_f32xw distance = sni_f32xw3_length(p.away);
    // On the axis itself the direction is not defined; the normal's is taken.
    sni_f32xw is_on_axis = sni_f32xw_less(distance, on_axis);
    sni_f32xw inverse = sni_f32xw_div_positive(one, distance);
    sni_f32xw3 outwards = sni_f32xw3_choose(is_on_axis, sni_f32xw3_scale(p.away, inverse), normal);
    inverse = sni_f32xw_choose(is_on_axis, inverse, sni_f32xw_set1(0));
    sni_f32xw c = sni_f32xw3_dot(normal, outwards);
    sni_f32xw c2 = sni_f32xw_min(sni_f32xw_mul(c, c), one);
    sni_f32xw r2 =
        sni_f32xw_div(one, sni_f32xw_plus(sni_f32xw_mul(v2, sni_f32xw_sub(one, c2)), u2, c2));
    sni_f32xw r = sni_f32xw_sqrt(r2), reach = sni_f32xw_mul(thick.value, r);
    // grad f = e_r - (e_r . T + w Phi' r / l) l grad s - w Phi (v^2 - u^2) c r^3 / D turn,
    // turn = n - c e_r + c (e_r . T) l grad s
    sni_f32xw slip = sni_f32xw3_dot(outwards, p.tangent);
    sni_f32xw scale = sni_f32xw_set1(lanes->length > 0 ? 1 / lanes->length : 0);
    sni_f32xw by_s = sni_f32xw_plus(slip, sni_f32xw_mul(thick.slope, r), scale);
    sni_f32xw by_c =
        sni_f32xw_mul(sni_f32xw_mul(reach, r2), sni_f32xw_mul(sni_f32xw_sub(v2, u2), c));
    sni_f32xw3 turn = sni_f32xw3_sub_scaled(normal, c, outwards);
    turn = sni_f32xw3_add_scaled(turn, sni_f32xw_mul(c, slip), p.slope);
    by_s = sni_f32xw_choose(is_on_axis, by_s, sni_f32xw_set1(0));
    sni_f32xw3 gradient = sni_f32xw3_sub_scaled(outwards, by_s, p.slope);
    gradient = sni_f32xw3_sub_scaled(gradient, sni_f32xw_mul(by_c, inverse), turn);
    distances->bound = fmaxf(bound_of(lanes, sni_f32xw_least(links.squares)), links.bound);
    sni_f32xw_store(distances->distances, sni_f32xw_sub(distance, reach));
    sni_f32xw_store(distances->x, gradient.x);
    sni_f32xw_store(distances->y, gradient.y);
    sni_f32xw_store(distances->z, gradient.z);
}
