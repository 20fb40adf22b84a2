// SPDX-License-Identifier: Apache-2.0
//
// A point lies in the cell of a row between whose planes it is. Of several such cells, as a bent
// row has them, it is the one where the point is closest to the axis, measured in half axes:
//
//     r^2 = a^2 + b^2 + (c / mean half axis)^2
//
// The share of a row falls with r: 1 / (r^2 + e)^2, as a part of the largest one and less a
// threshold, so that no row comes or goes at once. Two rows side by side meet at r = 1 and have
// equal shares there; in the middle of one the other has nothing left.
#include "kind/slices.h"

#include <math.h>
#include <string.h>

// e above. The less it is, the more sharply the surface goes over from one row to the next: with
// 0.5 it does so 2.7 times as fast as evenly from axis to axis, and no other row has more than 1.2
// % on an axis.
static const double near_axis = 0.5;
// Rows with less than this part of the largest share are left out.
static const double least_share = 0.02;
// Slices narrower than this part of their row's mean count as that wide, in shares alone: points
// around a thin tendon are not far away from it.
static const double narrowest = 0.3;
// What the area between two slices must keep of theirs for a point to have parameters there.
static const double least_area = 0.05;

typedef struct kept_slice {
    sni_slice slice;
    sn_vec3 normal;
    double forward;     // 1 where the normal points to the end of the row, else -1
    double wide, thick; // what half axes are divided by in shares
} kept_slice;

typedef struct kept_row {
    uint32_t first, count;
    double size; // mean half axis
} kept_row;

struct sni_slice_field {
    sn_context *context;
    uint32_t row_count;
    kept_row *rows;
    kept_slice *slices;
};

sni_slice sni_slice_of_ring(const sn_vec3 ring[4]) {
    sn_vec3 sum = sn_vec3_add(sn_vec3_add(ring[0], ring[1]), sn_vec3_add(ring[2], ring[3]));
    return (sni_slice){.center = sn_vec3_scale(sum, 0.25),
                       .wide = sn_vec3_scale(sn_vec3_sub(ring[1], ring[3]), 0.5),
                       .thick = sn_vec3_scale(sn_vec3_sub(ring[0], ring[2]), 0.5)};
}

sn_vec3 sni_slice_normal(const sni_slice *slice) {
    return sn_vec3_normalize_or(sn_vec3_cross(slice->thick, slice->wide), sn_vec3_make(0, 0, 0));
}

// --- Making

static void keep_row(const sni_slice_row *row, const sni_slice *slices, kept_row *kept_rows,
                     kept_slice *kept) {
    double wide = 0, thick = 0;
    for (uint32_t i = 0; i < row->count; ++i) {
        const sni_slice *slice = &slices[row->first + i];
        wide += sn_vec3_length(slice->wide) / row->count;
        thick += sn_vec3_length(slice->thick) / row->count;
    }
    *kept_rows = (kept_row){.first = row->first, .count = row->count, .size = (wide + thick) / 2};
    for (uint32_t i = 0; i < row->count; ++i) {
        uint32_t before = i > 0 ? i - 1 : 0, after = i + 1 < row->count ? i + 1 : i;
        const sni_slice *slice = &slices[row->first + i];
        sn_vec3 way =
            sn_vec3_sub(slices[row->first + after].center, slices[row->first + before].center);
        kept_slice *k = &kept[row->first + i];
        *k = (kept_slice){.slice = *slice,
                          .normal = sni_slice_normal(slice),
                          .wide = fmax(sn_vec3_length(slice->wide), narrowest * wide),
                          .thick = fmax(sn_vec3_length(slice->thick), narrowest * thick)};
        k->forward = sn_vec3_dot(k->normal, way) < 0 ? -1 : 1;
    }
}

sn_status sni_slice_field_create(sn_context *context, uint32_t row_count, const sni_slice_row *rows,
                                 const sni_slice *slices, sni_slice_field **field,
                                 sn_error *error) {
    SN_ASSERT(row_count == 0 || (rows != NULL && slices != NULL));
    sn_status status = SN_OK;
    sni_slice_field *made = NULL;
    uint32_t slice_count = 0;
    for (uint32_t i = 0; i < row_count; ++i) {
        uint32_t end = rows[i].first + rows[i].count;
        slice_count = end > slice_count ? end : slice_count;
    }
    *field = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->row_count = row_count;
    SNI_NEW(context, made->rows, row_count);
    SNI_NEW(context, made->slices, slice_count);
    for (uint32_t i = 0; i < row_count; ++i) {
        keep_row(&rows[i], slices, &made->rows[i], made->slices);
    }
    *field = made;
    return SN_OK;
cleanup:
    sni_slice_field_destroy(made);
    return status;
}

void sni_slice_field_destroy(sni_slice_field *field) {
    if (field != NULL) {
        sni_free(field->context, field->rows);
        sni_free(field->context, field->slices);
        sni_free(field->context, field);
    }
}

uint32_t sni_slice_field_row_count(const sni_slice_field *field) {
    return field->row_count;
}

// --- A point in a cell

static sni_slice between(const sni_slice *a, const sni_slice *b, double u) {
    return (sni_slice){.center = sn_vec3_lerp(a->center, b->center, u),
                       .wide = sn_vec3_lerp(a->wide, b->wide, u),
                       .thick = sn_vec3_lerp(a->thick, b->thick, u)};
}

// How far a point stands before a slice's plane, times the area of its axes.
static double height(const sni_slice *slice, sn_vec3 point) {
    return sn_vec3_dot(sn_vec3_sub(point, slice->center), sn_vec3_cross(slice->thick, slice->wide));
}

// Where the plane that goes from slice a to slice b meets a point. The height above it is a cubic
// of u with different signs at both ends: Illinois' false position.
static double find_along(const sni_slice *a, const sni_slice *b, sn_vec3 point) {
    enum { ROUNDS = 60 };
    double low = 0, high = 1, at_low = height(a, point), at_high = height(b, point), u = 0.5;
    if (at_low == 0 || at_high == 0 || (at_low > 0) == (at_high > 0)) {
        return fabs(at_low) <= fabs(at_high) ? 0 : 1;
    }
    double enough = 1e-15 * fmax(fabs(at_low), fabs(at_high));
    for (int i = 0; i < ROUNDS; ++i) {
        u = (at_low * high - at_high * low) / (at_low - at_high);
        sni_slice slice = between(a, b, u);
        double here = height(&slice, point);
        if (fabs(here) <= enough || u == low || u == high) {
            break;
        }
        if ((here > 0) != (at_high > 0)) {
            low = high;
            at_low = at_high;
        } else {
            at_low /= 2;
        }
        high = u;
        at_high = here;
    }
    return u;
}

// Coordinates in the half axes of a slice, in least squares; false where the axes are parallel.
static bool find_across(const sni_slice *slice, sn_vec3 point, double *a, double *b) {
    sn_vec3 d = sn_vec3_sub(point, slice->center);
    double ww = sn_vec3_dot(slice->wide, slice->wide), tt = sn_vec3_dot(slice->thick, slice->thick);
    double wt = sn_vec3_dot(slice->wide, slice->thick), area = ww * tt - wt * wt;
    double dw = sn_vec3_dot(d, slice->wide), dt = sn_vec3_dot(d, slice->thick);
    *a = area > 0 ? (dw * tt - dt * wt) / area : 0;
    *b = area > 0 ? (dt * ww - dw * wt) / area : 0;
    return area > 0;
}

// r^2 above. `u` is between `slice` and the next.
static double square_of(const sni_slice_field *field, const kept_row *row, uint32_t slice, double u,
                        const sni_slice_tie *tie) {
    const kept_slice *p = &field->slices[slice], *q = &field->slices[slice + 1];
    sni_slice at = between(&p->slice, &q->slice, u);
    double a = tie->wide * sn_vec3_length(at.wide) / (p->wide + u * (q->wide - p->wide));
    double b = tie->thick * sn_vec3_length(at.thick) / (p->thick + u * (q->thick - p->thick));
    double c = row->size > 0 ? tie->off / row->size : 0;
    return a * a + b * b + c * c;
}

// A point that goes with one slice.
static sni_slice_tie tie_to_slice(const sni_slice_field *field, const kept_row *row, uint32_t slice,
                                  sn_vec3 point) {
    const kept_slice *k = &field->slices[slice];
    bool last = slice + 1 == row->first + row->count;
    sni_slice_tie tie = {.slice = last ? slice - 1 : slice, .along = last ? 1 : 0};
    find_across(&k->slice, point, &tie.wide, &tie.thick);
    tie.off = sn_vec3_dot(sn_vec3_sub(point, k->slice.center), k->normal);
    return tie;
}

static sni_slice_tie tie_to_cell(const sni_slice_field *field, const kept_row *row, uint32_t slice,
                                 sn_vec3 point) {
    const sni_slice *a = &field->slices[slice].slice, *b = &field->slices[slice + 1].slice;
    sni_slice_tie tie = {.slice = slice, .along = find_along(a, b, point)};
    sni_slice at = between(a, b, tie.along);
    double area = sn_vec3_length(sn_vec3_cross(at.thick, at.wide));
    double areas = sn_vec3_length(sn_vec3_cross(a->thick, a->wide)) +
                   sn_vec3_length(sn_vec3_cross(b->thick, b->wide));
    if (area < least_area * areas / 2 || !find_across(&at, point, &tie.wide, &tie.thick)) {
        return tie_to_slice(field, row, slice + (tie.along > 0.5), point);
    }
    return tie;
}

// --- A point among rows

static void take_closer(const sni_slice_field *field, const kept_row *row, sni_slice_tie tie,
                        sni_slice_tie *best, double *square) {
    double here = square_of(field, row, tie.slice, tie.along, &tie);
    if (here < *square) {
        *square = here;
        *best = tie;
    }
}

static double find_in_row(const sni_slice_field *field, uint32_t index, sn_vec3 point,
                          sni_slice_tie *tie) {
    const kept_row *row = &field->rows[index];
    uint32_t last = row->first + row->count - 1;
    double square = INFINITY, before = 0;
    *tie = tie_to_slice(field, row, row->first, point);
    for (uint32_t i = row->first; i <= last; ++i) {
        const kept_slice *k = &field->slices[i];
        double here = k->forward * sn_vec3_dot(sn_vec3_sub(point, k->slice.center), k->normal);
        if (i == row->first && here < 0) {
            take_closer(field, row, *tie, tie, &square);
        }
        if (i > row->first && before >= 0 && here < 0) {
            take_closer(field, row, tie_to_cell(field, row, i - 1, point), tie, &square);
        }
        if (i == last && here >= 0) {
            take_closer(field, row, tie_to_slice(field, row, last, point), tie, &square);
        }
        before = here;
    }
    tie->row = index;
    return square;
}

// Puts a tie among the largest, whose weights are shares. What has no room is returned.
static double keep_largest(sni_slice_tie *ties, uint32_t *count, const sni_slice_tie *tie) {
    uint32_t at = *count;
    while (at > 0 && ties[at - 1].weight < tie->weight) {
        at--;
    }
    if (at == SNI_MOST_SLICE_TIES) {
        return tie->weight;
    }
    double out = 0;
    if (*count == SNI_MOST_SLICE_TIES) {
        out = ties[--*count].weight;
    }
    memmove(ties + at + 1, ties + at, (*count - at) * sizeof *ties);
    ties[at] = *tie;
    ++*count;
    return out;
}

uint32_t sni_slice_field_find(const sni_slice_field *field, sn_vec3 point, sni_slice_tie *ties,
                              double *distance) {
    uint32_t found = 0, count = 0;
    double left_out = 0, sum = 0, nearest = INFINITY;
    for (uint32_t i = 0; i < field->row_count; ++i) {
        sni_slice_tie tie;
        double square = find_in_row(field, i, point, &tie);
        double outside = fmax(sqrt(square) - 1, 0) * field->rows[i].size;
        nearest = fmin(nearest, outside);
        tie.weight = 1 / ((square + near_axis) * (square + near_axis));
        left_out = fmax(left_out, keep_largest(ties, &found, &tie));
    }
    double least = fmax(left_out, least_share * ties[0].weight);
    while (count < found && (count == 0 || ties[count].weight > least)) {
        ties[count].weight -= count > 0 || field->row_count > 1 ? least : 0;
        sum += ties[count++].weight;
    }
    for (uint32_t i = 0; i < count; ++i) {
        ties[i].weight = count == 1 ? 1 : ties[i].weight / sum;
    }
    if (distance != NULL) {
        *distance = nearest;
    }
    return count;
}
