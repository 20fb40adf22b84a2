// SPDX-License-Identifier: Apache-2.0
//
// The weights of single vertices after heat has spread.
#include "fit/bind/rows.h"

#include "fit/bind/ease.h"
#include "fit/bind/slopes.h"

#include "base/hermite.h"

#include <math.h>
#include <string.h>

// Weights below this are left out: nobody sees them, and they cost as much as others.
static const double least_weight = 0.01;

// A limb begins to fade where it is this many girths away, and is gone at the second: beside it,
// and straight behind the joint from which it goes out.
typedef struct reach {
    double near, far;
} reach;
static const reach beside = {0.4, 0.9}, behind = {1.2, 3};

// It fades for limbs that are thicker: fully, where the mean is this many times as thick.
static const double thicker = 1.35;

// Vertices per block.
static const uint32_t grain = 256;

static sni_influence *row_of(const sni_parts *p, uint32_t vertex) {
    return p->rows + (size_t)vertex * p->width;
}

// ---------------------------------------------------------------------------------------------
// Thin limbs beside thick ones

// A limb as a vertex sees it.
typedef struct seen_limb {
    double girth;    // towards the vertex
    double distance; // in girths
    double behind;   // 1: straight behind its joint, 0: beside it
} seen_limb;

// The cosine between the way from the joint of a line to a point and the way back along the line.
static double behind_line(const sni_limb_line *line, sn_vec3 point) {
    sn_vec3 back = sn_vec3_sub(line->from, line->to), way = sn_vec3_sub(point, line->from);
    double lengths = sn_vec3_length(back) * sn_vec3_length(way);
    return lengths > 0 ? fmax(sn_vec3_dot(back, way) / lengths, 0) : 0;
}

static seen_limb see_limb(const sni_parts *p, uint32_t segment, sn_vec3 point) {
    double nearest = INFINITY;
    seen_limb seen = {0};
    for (uint32_t i = p->first_lines[segment]; i < p->first_lines[segment + 1]; ++i) {
        double distance = sni_limb_line_place(p->limbs, i, point).distance;
        if (distance < nearest) {
            nearest = distance;
            seen.girth = sni_girth_towards(p->girths, i, point);
            seen.behind = behind_line(&p->limbs->lines[i], point);
        }
    }
    seen.distance = seen.girth > 0 ? nearest / seen.girth : 0;
    return seen;
}

// Heat spreads from an arm into the flank below it. So a limb gives way where it is farther than it
// is thick, in favour of limbs that are thicker: the trunk's. Limbs of equal girth, thigh and shin
// or upper arm and forearm, blend as before. Flesh behind a joint, of the chest and the shoulder,
// is stretched over it when the limb turns, and flesh beside a limb is pulled into the body: so the
// limb reaches farther behind its joint than beside itself.
static void fade_thin(const sni_parts *p, sn_vec3 point, sni_influence *row) {
    seen_limb seen[SNI_ROW_LIMIT];
    double least = INFINITY, sum = 0, girths = 0;
    uint32_t count = 0;
    for (; count < p->width && row[count].limb != SN_NONE; ++count) {
        seen[count] = see_limb(p, row[count].limb, point);
        least = fmin(least, seen[count].distance);
        sum += row[count].weight;
        girths += row[count].weight * seen[count].girth;
    }
    for (uint32_t i = 0; i < count && sum > 0; ++i) {
        double girth = seen[i].girth;
        double thinner = girth > 0 ? sni_smooth_step_between(1, thicker, girths / sum / girth) : 0;
        double near = beside.near + seen[i].behind * (behind.near - beside.near);
        double gone = beside.far + seen[i].behind * (behind.far - beside.far);
        double far = sni_smooth_step_between(near, gone, seen[i].distance / fmax(least, 1));
        row[i].weight *= 1 - thinner * far;
    }
}

// ---------------------------------------------------------------------------------------------
// Sides

// The limb in the middle of the body that a limb of one side hangs on; SN_NONE: none moves it.
static uint32_t middle_above(const sni_parts *p, uint32_t limb) {
    uint32_t up = p->limbs->parents[limb];
    while (up != SN_NONE && p->inside->sides[up] != 0) {
        up = p->limbs->parents[up];
    }
    return up != SN_NONE && p->inside->used[up] ? up : SN_NONE;
}

static void add_weight(sni_influence *row, uint32_t width, uint32_t limb, double weight) {
    uint32_t i = 0;
    while (i < width && row[i].limb != limb && row[i].limb != SN_NONE) {
        ++i;
    }
    if (i == width) {
        i = width - 1; // the weakest gives way
        row[i].weight = 0;
    }
    row[i] = (sni_influence){limb, (row[i].limb == limb ? row[i].weight : 0) + weight};
}

// The sum of a row's weights on either side, and the limb in the middle that both hang on.
static uint32_t sum_sides(const sni_parts *p, const sni_influence *row, double sums[3]) {
    uint32_t middle = SN_NONE;
    for (uint32_t i = 0; i < p->width && row[i].limb != SN_NONE; ++i) {
        int side = p->inside->sides[row[i].limb];
        sums[side + 1] += row[i].weight;
        if (side != 0 && middle == SN_NONE) {
            middle = middle_above(p, row[i].limb);
        }
    }
    return middle;
}

// The side that gives way at a point: the one on which the point does not lie, unless it moves most
// of it and the other hardly any, such as an arm that reaches over the middle.
static int side_to_drop(const sni_parts *p, sn_vec3 point, const double sums[3]) {
    int side = sni_inside_side(p->inside, point);
    double own = sums[side + 1], other = sums[-side + 1], all = sums[0] + sums[1] + sums[2];
    bool reaches_over = other >= 0.5 * all && own <= 0.25 * other;
    return side != 0 && !reaches_over ? -side : sums[0] < sums[2] ? -1 : 1;
}

// What both sides share goes to the limb in the middle that they hang on. So no vertex follows the
// other side, and weights stay continuous across the middle, where both sides end at 0.
void sni_row_part_sides(const sni_parts *p, sn_vec3 point, sni_influence *row) {
    double sums[3] = {0};
    uint32_t middle = sum_sides(p, row, sums);
    int drop = side_to_drop(p, point, sums);
    double dropped = sums[drop + 1], kept = sums[-drop + 1], shared = fmin(dropped, kept);
    bool last = middle == SN_NONE && sums[1] + kept <= 0; // nothing else moves the vertex
    if (!(dropped > 0) || last) {
        return;
    }
    double left = middle != SN_NONE && kept > 0 ? 1 - shared / kept : 1;
    for (uint32_t i = 0; i < p->width && row[i].limb != SN_NONE; ++i) {
        int side = p->inside->sides[row[i].limb];
        row[i].weight *= side == drop ? 0 : side == -drop ? left : 1;
    }
    if (middle != SN_NONE) {
        add_weight(row, p->width, middle, dropped + shared);
    }
}

// ---------------------------------------------------------------------------------------------
// All

// The weight that a row of so many influences falls short by: that of the strongest one that has to
// go. All others lose as much, so that weights are 0 where they leave a row, and do not jump along
// the surface there.
static double first_to_go(const sni_parts *p, const sni_influence *row, double sum) {
    sni_influence sorted[SNI_ROW_LIMIT];
    uint32_t width = p->influences + 1 < SNI_ROW_LIMIT ? p->influences + 1 : SNI_ROW_LIMIT;
    sni_influences_clear(sorted, width);
    for (uint32_t i = 0; i < p->width && row[i].limb != SN_NONE; ++i) {
        sni_insert_influence(sorted, width, row[i].limb, row[i].weight);
    }
    bool full = width > p->influences && sorted[width - 1].limb != SN_NONE;
    double most = fmax(full ? sorted[width - 1].weight : 0, least_weight * sum);
    return fmin(most, 0.9 * sorted[0].weight);
}

void sni_row_tidy(const sni_parts *p, sni_influence *row) {
    sni_influence old[SNI_ROW_LIMIT];
    memcpy(old, row, p->width * sizeof *row);
    double sum = 0;
    for (uint32_t i = 0; i < p->width && old[i].limb != SN_NONE; ++i) {
        sum += old[i].weight;
    }
    double less = first_to_go(p, old, sum);
    sni_influences_clear(row, p->width);
    for (uint32_t i = 0; i < p->width && old[i].limb != SN_NONE; ++i) {
        if (old[i].weight > less) {
            sni_insert_influence(row, p->influences, old[i].limb, old[i].weight - less);
        }
    }
    if (row[0].limb != SN_NONE) {
        sni_influences_normalize(row, p->width);
    }
}

static void fade_rows(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const sni_parts *p = user;
    for (uint32_t v = begin; v < end; ++v) {
        sni_influence *row = row_of(p, v);
        fade_thin(p, p->volume->points[p->volume->inner_count + v], row);
        if (row[0].limb != SN_NONE) {
            sni_influences_normalize(row, p->width);
        }
    }
}

static void normalize_rows(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const sni_parts *p = user;
    for (uint32_t v = begin; v < end; ++v) {
        if (row_of(p, v)[0].limb != SN_NONE) {
            sni_influences_normalize(row_of(p, v), p->width);
        }
    }
}

static void settle_rows(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const sni_parts *p = user;
    for (uint32_t v = begin; v < end; ++v) {
        sni_influence *row = row_of(p, v);
        sn_vec3 point = p->volume->points[p->volume->inner_count + v];
        sni_row_part_sides(p, point, row);
        sni_row_tidy(p, row);
    }
}

// Lines come by rising segment.
static sn_status index_lines(sni_parts *p, sn_error *error) {
    sn_status status = SN_OK;
    const sni_limbs *limbs = p->limbs;
    SNI_NEW(p->volume->context, p->first_lines, (size_t)limbs->segment_count + 1);
    for (uint32_t s = 0, i = 0; s <= limbs->segment_count; ++s) {
        while (i < limbs->line_count && limbs->lines[i].segment < s) {
            ++i;
        }
        p->first_lines[s] = i;
    }
cleanup:
    return status;
}

sn_status sni_rows_settle(sni_parts *p, const sn_progress *progress, sn_error *error) {
    SN_ASSERT(p->width <= SNI_ROW_LIMIT && p->influences <= p->width);
    sn_status status = SN_OK;
    uint32_t vertex_count = p->volume->node_count - p->volume->inner_count;
    SN_TRY(index_lines(p, error));
    sn_parallel_for(p->volume->context, vertex_count, grain, fade_rows, p);
    SN_TRY(sni_slopes_limit(p, error));
    sn_parallel_for(p->volume->context, vertex_count, grain, normalize_rows, p);
    SN_TRY(sni_ease_weights(p, progress, error));
    sn_parallel_for(p->volume->context, vertex_count, grain, settle_rows, p);
cleanup:
    sni_free(p->volume->context, p->first_lines);
    p->first_lines = NULL;
    return status;
}
