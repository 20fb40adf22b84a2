// SPDX-License-Identifier: Apache-2.0
//
// Fields at eight points at once, in floats, for kernels: what support.h, detail.h, compose.h and
// grid.h say about one point in doubles. Blends come from tables (field/blend_table.h).
// tests/field/lanes.c compares both.
#ifndef SINEW_FIELD_LANES_H
#define SINEW_FIELD_LANES_H

#include "base/simd_vec3.h"
#include "field/blend_table.h"
#include "field/detail.h"
#include "field/grid.h"

// As sni_field_value, and as sni_distance_value.
typedef struct sni_field_lanes {
    sni_f32xw value;
    sni_f32xw3 gradient;
} sni_field_lanes;

SNI_INLINE sni_f32xw sni_lanes_abs(sni_f32xw a) {
    return sni_f32xw_flip_sign(a, a);
}

SNI_INLINE sni_f32xw sni_lanes_within(sni_f32xw a, float low, float high) {
    return sni_f32xw_min(sni_f32xw_max(a, sni_f32xw_set1(low)), sni_f32xw_set1(high));
}

// ---------------------------------------------------------------------------------------------
// Support

// sni_support; x is kept within -1 and 1.
SNI_INLINE sni_f32xw sni_lanes_support(sni_f32xw x) {
    const sni_f32xw a = sni_f32xw_set1(15.0f / 16), b = sni_f32xw_set1(5.0f / 8),
                    c = sni_f32xw_set1(3.0f / 16), half = sni_f32xw_set1(0.5f);
    x = sni_lanes_within(x, -1, 1);
    sni_f32xw x2 = sni_f32xw_mul(x, x);
    sni_f32xw inner = sni_f32xw_minus(a, x2, sni_f32xw_minus(b, x2, c));
    return sni_f32xw_minus(half, x, inner);
}

// sni_support_slope: 0 beyond -1 and 1.
SNI_INLINE sni_f32xw sni_lanes_support_slope(sni_f32xw x) {
    sni_f32xw rest = sni_f32xw_minus(sni_f32xw_set1(1), x, x);
    rest = sni_f32xw_max(rest, sni_f32xw_set1(0));
    return sni_f32xw_mul(sni_f32xw_mul(rest, rest), sni_f32xw_set1(-15.0f / 16));
}

// sni_support_inverse.
SNI_INLINE sni_f32xw sni_lanes_support_inverse(sni_f32xw value) {
    enum { STEPS = 3 };
    const sni_f32xw one = sni_f32xw_set1(1), half = sni_f32xw_set1(0.5f);
    value = sni_lanes_within(value, 0, 1);
    sni_f32xw upper = sni_f32xw_less(half, value); // there x is below 0
    sni_f32xw tail = sni_f32xw_choose(upper, value, sni_f32xw_sub(one, value));
    sni_f32xw q = sni_f32xw_rough_cube_root(sni_f32xw_mul(tail, sni_f32xw_set1(0.8f)));
    sni_f32xw far = sni_f32xw_minus(one, q, sni_f32xw_plus(one, q, sni_f32xw_set1(0.25f)));
    sni_f32xw near = sni_f32xw_mul(sni_f32xw_sub(half, tail), sni_f32xw_set1(16.0f / 15));
    sni_f32xw x = sni_f32xw_choose(sni_f32xw_less(sni_f32xw_set1(0.25f), tail), far, near);
    x = sni_lanes_within(x, 0, 1);
    for (int k = 0; k < STEPS; ++k) {
        sni_f32xw miss = sni_f32xw_sub(sni_lanes_support(x), tail);
        sni_f32xw steep = sni_f32xw_sub(sni_f32xw_set1(0), sni_lanes_support_slope(x));
        x = sni_lanes_within(sni_f32xw_add(x, sni_f32xw_div_positive(miss, steep)), 0, 1);
    }
    return sni_f32xw_choose(upper, x, sni_f32xw_sub(sni_f32xw_set1(0), x));
}

// sni_support_field of a distance and its gradient.
SNI_INLINE sni_field_lanes sni_lanes_support_field(sni_field_lanes distance, float radius) {
    const sni_f32xw scale = sni_f32xw_set1(1 / radius);
    sni_f32xw x = sni_f32xw_mul(distance.value, scale);
    sni_f32xw slope = sni_f32xw_mul(sni_lanes_support_slope(x), scale);
    return (sni_field_lanes){sni_lanes_support(x), sni_f32xw3_scale(distance.gradient, slope)};
}

// ---------------------------------------------------------------------------------------------
// Blends

// What an operator gives, as sni_composed.
typedef struct sni_composed_lanes {
    sni_f32xw value, by_x, by_y;
} sni_composed_lanes;

SNI_INLINE sni_rows sni_lanes_rows(const float *base, const int32_t *numbers, size_t stride) {
    return (sni_rows){base + stride * numbers[0], base + stride * numbers[1],
                      base + stride * numbers[2], base + stride * numbers[3],
                      base + stride * numbers[4], base + stride * numbers[5],
                      base + stride * numbers[6], base + stride * numbers[7]};
}

SNI_INLINE sni_f32xw sni_lanes_mix(sni_f32xw a, sni_f32xw b, sni_f32xw part) {
    return sni_f32xw_plus(a, part, sni_f32xw_sub(b, a));
}

SNI_INLINE sni_f32xw4 sni_lanes_mix4(sni_f32xw4 a, sni_f32xw4 b, sni_f32xw part) {
    return (sni_f32xw4){sni_lanes_mix(a.x, b.x, part), sni_lanes_mix(a.y, b.y, part),
                        sni_lanes_mix(a.z, b.z, part), sni_lanes_mix(a.w, b.w, part)};
}

// The gap of an opening at values of C, and its slope.
typedef struct sni_gap_lanes {
    sni_f32xw value, slope;
} sni_gap_lanes;

// That of the clean union of muscles: SNI_OPENING_MUSCLES, t = 1.
SNI_INLINE sni_gap_lanes sni_lanes_muscles_gap(sni_f32xw c) {
    const sni_f32xw one = sni_f32xw_set1(1), four = sni_f32xw_set1(4);
    sni_f32xw z = sni_f32xw_sub(c, sni_f32xw_set1(0.5f));
    sni_f32xw other = sni_f32xw_choose(z, sni_f32xw_sub(one, c), c);
    sni_f32xw four_z = sni_f32xw_mul(four, z);
    // 4 z^2 c below a half, 4 z^2 (1 - c) above it.
    sni_f32xw twice = sni_f32xw_mul(sni_f32xw_set1(2), other);
    sni_f32xw sign = sni_f32xw_choose(z, sni_f32xw_sub(twice, z), sni_f32xw_add(twice, z));
    return (sni_gap_lanes){
        sni_f32xw_max(sni_f32xw_mul(sni_f32xw_mul(four_z, z), other), sni_f32xw_set1(0)),
        sni_f32xw_mul(four_z, sign)};
}

// That of SNI_DETAIL_CLOSE and SNI_DETAIL_WIDTH.
SNI_INLINE sni_gap_lanes sni_lanes_detail_gap(sni_f32xw c) {
    const sni_f32xw half = sni_f32xw_set1(0.5f), two = sni_f32xw_set1(2), one = sni_f32xw_set1(1);
    const sni_f32xw three = sni_f32xw_set1(3);
    const float width = (float)SNI_DETAIL_CLOSE - 0.5f;
    sni_f32xw z = sni_f32xw_sub(c, half);
    sni_f32xw u = sni_lanes_within(sni_f32xw_mul(z, sni_f32xw_set1(1 / width)), 0, 1);
    sni_f32xw u2 = sni_f32xw_mul(u, u), rest = sni_f32xw_sub(one, u);
    // (2 u^3 - 3 u^2 + 1) / 2 + width u (1 - u)^2
    sni_f32xw first = sni_f32xw_plus(one, u2, sni_f32xw_sub(sni_f32xw_mul(two, u), three));
    sni_f32xw second =
        sni_f32xw_mul(sni_f32xw_mul(sni_f32xw_set1(width), u), sni_f32xw_mul(rest, rest));
    // -3 u (1 - u) / width + (1 - u) (1 - 3 u)
    sni_f32xw slope = sni_f32xw_minus(sni_f32xw_minus(one, three, u), u, sni_f32xw_set1(3 / width));
    return (sni_gap_lanes){
        sni_f32xw_choose(z, sni_f32xw_max(sni_f32xw_plus(second, half, first), sni_f32xw_set1(0)),
                         c),
        sni_f32xw_choose(z, sni_f32xw_mul(slope, rest), one)};
}

// Which opening a table is of.
typedef enum sni_lanes_opening { SNI_LANES_MUSCLES, SNI_LANES_DETAIL } sni_lanes_opening;

SNI_INLINE sni_gap_lanes sni_lanes_gap(sni_lanes_opening opening, sni_f32xw c) {
    return opening == SNI_LANES_MUSCLES ? sni_lanes_muscles_gap(c) : sni_lanes_detail_gap(c);
}

// g at u and v from 0 to 1.
SNI_INLINE sni_f32xw sni_lanes_blend_table(const sni_blend_table *table, sni_f32xw u, sni_f32xw v) {
    int32_t numbers[SNI_WIDTH];
    sni_f32xw at_u = sni_f32xw_mul(u, sni_f32xw_set1(SNI_BLEND_CELLS_U));
    sni_f32xw at_v = sni_f32xw_mul(v, sni_f32xw_set1(SNI_BLEND_CELLS_V));
    sni_f32xw i = sni_f32xw_whole(sni_lanes_within(at_u, 0, SNI_BLEND_CELLS_U - 1));
    sni_f32xw j = sni_f32xw_whole(sni_lanes_within(at_v, 0, SNI_BLEND_CELLS_V - 1));
    sni_f32xw part_u = sni_f32xw_sub(at_u, i), part_v = sni_f32xw_sub(at_v, j);
    sni_f32xw_store_whole(numbers, sni_f32xw_plus(i, j, sni_f32xw_set1(SNI_BLEND_CELLS_U)));
    sni_f32xw4 corners = sni_f32xw_transpose4(sni_lanes_rows(table->cells, numbers, 4), 0);
    return sni_lanes_mix(sni_lanes_mix(corners.x, corners.y, part_u),
                         sni_lanes_mix(corners.z, corners.w, part_u), part_v);
}

// What circle_miss of compose.c is: F = (x - k)^2 + (y - k)^2 - (C - k)^2 and e, half of its slope,
// negative.
typedef struct sni_circle_lanes {
    sni_f32xw x, y; // from k on
    sni_f32xw miss, e;
} sni_circle_lanes;

SNI_INLINE sni_circle_lanes sni_lanes_circle(sni_lanes_opening opening, sni_f32xw c, sni_f32xw x,
                                             sni_f32xw y) {
    sni_gap_lanes gap = sni_lanes_gap(opening, c);
    sni_f32xw k = sni_f32xw_sub(c, gap.value), one = sni_f32xw_set1(1);
    sni_f32xw dx = sni_f32xw_sub(x, k), dy = sni_f32xw_sub(y, k);
    sni_f32xw squares = sni_f32xw_plus(sni_f32xw_mul(dx, dx), dy, dy);
    return (sni_circle_lanes){dx, dy, sni_f32xw_minus(squares, gap.value, gap.value),
                              sni_f32xw_plus(sni_f32xw_mul(gap.value, gap.slope),
                                             sni_f32xw_add(dx, dy), sni_f32xw_sub(one, gap.slope))};
}

// A blend: what its table says, and from there a step of Newton's; the slopes are those of the
// place.
SNI_INLINE sni_composed_lanes sni_lanes_blend(sni_lanes_opening opening,
                                              const sni_blend_table *table, sni_f32xw x,
                                              sni_f32xw y) {
    // A gap that is smaller is none: floats say nothing within it.
    const sni_f32xw least_gap = sni_f32xw_set1(1e-5f);
    const sni_f32xw zero = sni_f32xw_set1(0), one = sni_f32xw_set1(1), half = sni_f32xw_set1(0.5f);
    sni_f32xw y_is_more = sni_f32xw_less(x, y);
    sni_f32xw u = sni_f32xw_max(x, y), least = sni_f32xw_min(x, y);
    sni_f32xw gap = sni_lanes_gap(opening, u).value;
    sni_f32xw over = sni_f32xw_sub(least, sni_f32xw_sub(u, gap));
    sni_f32xw blends = sni_f32xw_both(sni_f32xw_less(zero, over), sni_f32xw_less(least_gap, gap));
    sni_composed_lanes result = {u, sni_f32xw_choose(y_is_more, one, zero),
                                 sni_f32xw_choose(y_is_more, zero, one)};
    if (sni_f32xw_signs(blends) == 0) {
        return result;
    }
    sni_f32xw v = sni_lanes_within(sni_f32xw_div_positive(over, gap), 0, 1);
    sni_f32xw c = sni_f32xw_plus(u, gap, sni_lanes_blend_table(table, u, v));
    sni_circle_lanes near = sni_lanes_circle(opening, c, x, y);
    c = sni_f32xw_plus(c, half, sni_f32xw_div_positive(near.miss, near.e));
    c = sni_f32xw_max(c, u);
    sni_circle_lanes there = sni_lanes_circle(opening, c, x, y);
    sni_f32xw scale = sni_f32xw_div_positive(one, there.e);
    return (sni_composed_lanes){
        sni_f32xw_choose(blends, result.value, c),
        sni_f32xw_choose(blends, result.by_x,
                         sni_lanes_within(sni_f32xw_mul(there.x, scale), 0, 2)),
        sni_f32xw_choose(blends, result.by_y,
                         sni_lanes_within(sni_f32xw_mul(there.y, scale), 0, 2))};
}

// sni_detail_blend with SNI_DETAIL_CLOSE and SNI_DETAIL_WIDTH, whose table it is.
SNI_INLINE sni_composed_lanes sni_lanes_detail(const sni_blend_table *table, sni_f32xw x,
                                               sni_f32xw y) {
    const sni_f32xw zero = sni_f32xw_set1(0), one = sni_f32xw_set1(1), half = sni_f32xw_set1(0.5f);
    const sni_f32xw quarter = sni_f32xw_set1(0.25f);
    const sni_f32xw bound_slope =
        sni_f32xw_set1(((float)SNI_DETAIL_CLOSE - 0.5f) / (float)SNI_DETAIL_CLOSE);
    sni_f32xw soft = sni_f32xw_mul(bound_slope, x), bound = sni_f32xw_add(half, soft);
    sni_f32xw apart = sni_lanes_abs(sni_f32xw_sub(y, bound));
    sni_f32xw h = sni_f32xw_div_positive(sni_f32xw_max(sni_f32xw_sub(soft, apart), zero), soft);
    sni_f32xw half_h = sni_f32xw_mul(half, h);
    sni_f32xw inner =
        sni_f32xw_minus(sni_f32xw_min(y, bound), sni_f32xw_mul(soft, quarter), sni_f32xw_mul(h, h));
    sni_f32xw is_bound = sni_f32xw_less(bound, y);
    sni_f32xw other = sni_f32xw_sub(one, half_h);
    sni_f32xw by_y = sni_f32xw_choose(is_bound, other, half_h);
    sni_f32xw by_bound = sni_f32xw_choose(is_bound, half_h, other);
    sni_f32xw by_soft =
        sni_f32xw_mul(sni_f32xw_mul(h, quarter), sni_f32xw_sub(h, sni_f32xw_set1(2)));
    sni_f32xw by_x = sni_f32xw_mul(sni_f32xw_add(by_bound, by_soft), bound_slope);
    sni_composed_lanes g = sni_lanes_blend(SNI_LANES_DETAIL, table, x, inner);
    return (sni_composed_lanes){g.value, sni_f32xw_plus(g.by_x, g.by_y, by_x),
                                sni_f32xw_mul(g.by_y, by_y)};
}

SNI_INLINE sni_field_lanes sni_lanes_compose(sni_composed_lanes g, sni_field_lanes x,
                                             sni_field_lanes y) {
    return (sni_field_lanes){
        g.value, sni_f32xw3_add_scaled(sni_f32xw3_scale(x.gradient, g.by_x), g.by_y, y.gradient)};
}

// sni_field_unite_muscles.
SNI_INLINE sni_field_lanes sni_lanes_unite_muscles(const sni_blend_table *table,
                                                   sni_field_lanes all, sni_field_lanes one) {
    return sni_lanes_compose(sni_lanes_blend(SNI_LANES_MUSCLES, table, all.value, one.value), all,
                             one);
}

// sni_field_with_muscles.
SNI_INLINE sni_field_lanes sni_lanes_with_muscles(const sni_blend_table *table,
                                                  sni_field_lanes limb, sni_field_lanes muscles) {
    const sni_f32xw close = sni_f32xw_set1((float)SNI_DETAIL_CLOSE);
    sni_f32xw blends = sni_f32xw_both(sni_f32xw_less(limb.value, close),
                                      sni_f32xw_less(sni_f32xw_set1(0), muscles.value));
    if (sni_f32xw_signs(blends) == 0) {
        return limb;
    }
    sni_composed_lanes g = sni_lanes_detail(table, limb.value, muscles.value);
    sni_field_lanes both = sni_lanes_compose(g, limb, muscles);
    return (sni_field_lanes){sni_f32xw_choose(blends, limb.value, both.value),
                             sni_f32xw3_choose(blends, limb.gradient, both.gradient)};
}

// ---------------------------------------------------------------------------------------------
// Grids

// Where a number is along an axis of a grid: the node before it, and its part of the cell.
SNI_INLINE sni_f32xw sni_lanes_node(sni_f32xw at, float low, float scale, uint32_t count,
                                    sni_f32xw *part) {
    sni_f32xw place = sni_f32xw_mul(sni_f32xw_sub(at, sni_f32xw_set1(low)), sni_f32xw_set1(scale));
    place = sni_lanes_within(place, 0, (float)(count - 1));
    sni_f32xw node = sni_f32xw_whole(sni_lanes_within(place, 0, (float)(count - 2)));
    *part = sni_f32xw_sub(place, node);
    return node;
}

// sni_field_grid_at, of points that are given from `origin` on. Grids have less than 2^24 rows.
SNI_INLINE sni_field_lanes sni_lanes_grid_at(const sni_field_grid *grid, sn_vec3 origin,
                                             sni_f32xw3 at) {
    const float scale = (float)(1 / grid->spacing);
    const uint32_t *counts = grid->counts;
    size_t step_y = 4 * (size_t)counts[0], step_z = step_y * counts[1];
    sni_f32xw part[3];
    sni_f32xw i = sni_lanes_node(at.x, (float)(grid->low.x - origin.x), scale, counts[0], &part[0]);
    sni_f32xw j = sni_lanes_node(at.y, (float)(grid->low.y - origin.y), scale, counts[1], &part[1]);
    sni_f32xw k = sni_lanes_node(at.z, (float)(grid->low.z - origin.z), scale, counts[2], &part[2]);
    int32_t columns[SNI_WIDTH], lines[SNI_WIDTH];
    sni_f32xw_store_whole(columns, i);
    sni_f32xw_store_whole(lines, sni_f32xw_plus(j, k, sni_f32xw_set1((float)counts[1])));
    const float *nodes[SNI_WIDTH];
    for (int lane = 0; lane < SNI_WIDTH; ++lane) {
        nodes[lane] = grid->nodes + (size_t)lines[lane] * step_y + 4 * (size_t)columns[lane];
    }
    sni_f32xw4 planes[2];
    for (int side = 0; side < 2; ++side) {
        sni_f32xw4 edges[2];
        for (int edge = 0; edge < 2; ++edge) {
            size_t offset = (edge != 0 ? step_y : 0) + (side != 0 ? step_z : 0);
            sni_rows rows = {nodes[0] + offset, nodes[1] + offset, nodes[2] + offset,
                             nodes[3] + offset, nodes[4] + offset, nodes[5] + offset,
                             nodes[6] + offset, nodes[7] + offset};
            edges[edge] = sni_lanes_mix4(sni_f32xw_transpose4(rows, 0),
                                         sni_f32xw_transpose4(rows, 4), part[0]);
        }
        planes[side] = sni_lanes_mix4(edges[0], edges[1], part[1]);
    }
    sni_f32xw4 all = sni_lanes_mix4(planes[0], planes[1], part[2]);
    return (sni_field_lanes){all.x, {all.y, all.z, all.w}};
}

#endif
