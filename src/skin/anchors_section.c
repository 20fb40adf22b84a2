// SPDX-License-Identifier: Apache-2.0
//
// Anchors on components with slices: from the cell nearest to a point towards the one whose slices
// the point lies between. Many points go on at once, a cell each time.
#include "skin/anchors_internal.h"

#include "geometry/trilinear_wide.h"

#include <math.h>
#include <string.h>

// Parameters across a muscle: skin lies outside of it, up to seven times as far from the axis as a
// thin end's surface. Between planar slices the map is affine in them, so that they may be large.
static const double across_low = -3, across_high = 4;
// Along it: beyond that another segment is the right one, but at its ends.
static const double along_low = -0.25, along_high = 1.25, end_low = -0.25, end_high = 1.25;
// What a cell's map must keep of its volume within the cell.
static const double least_volume = 0.3;
// The vertices of the cell between a slice and the next: four of each ring, a quarter apart. A
// mirrored muscle's rings run the other way, which exchanges the second and the last of them.
static void cell_corners(const sni_component *component, uint32_t slice, uint32_t corners[8]) {
    uint32_t count = component->ring_count, quarter = (count + 2) / 4;
    const uint32_t ring[4] = {0, quarter, count - quarter, count / 2}; // (s, t) = 00, 10, 01, 11
    for (uint32_t k = 0; k < 8; ++k) {
        corners[k] = (slice + k / 4) * count + ring[k % 4];
    }
}

// How far a parameter lies outside 0 to 1.
static double outside(double u) {
    return u < 0 ? -u : u > 1 ? u - 1 : 0;
}

static double cell_volume(const sni_cell *cell, const double q[3]) {
    sn_vec3 columns[3];
    sni_cell_jacobian(cell, q, columns);
    return sn_vec3_dot(columns[0], sn_vec3_cross(columns[1], columns[2]));
}

// The straight way from the closest parameters within a cell to others.
typedef struct way_out {
    sni_wide_cell cell; // the same in all lanes
    double within[3], to[3];
    double full; // volume of the map where it begins
} way_out;

// Where the map has lost most of its volume, of four places on the way, as bits.
static uint32_t find_folds(const way_out *w, const double parts[SNI_F64_WIDTH]) {
    sni_f64x4 there[3], part = sni_f64x4_load(parts);
    for (int k = 0; k < 3; ++k) {
        sni_f64x4 whole = sni_f64x4_set1(w->to[k] - w->within[k]);
        there[k] = sni_f64x4_add(sni_f64x4_set1(w->within[k]), sni_f64x4_mul(part, whole));
    }
    sni_f64x4 volume = sni_f64x4_mul(sni_wide_volume(&w->cell, there), sni_f64x4_set1(w->full));
    return sni_f64x4_signs(
        sni_f64x4_less(volume, sni_f64x4_set1(least_volume * w->full * w->full)));
}

// The part of the way up to which the map keeps its volume; 1: all of it.
static double find_kept_part(const way_out *w) {
    enum { STEPS = 8, HALVINGS = 20 };
    double low = 0, high = 0;
    for (int step = 1; step <= STEPS && high == 0; step += SNI_F64_WIDTH) {
        const double parts[SNI_F64_WIDTH] = {(double)step / STEPS, (step + 1.0) / STEPS,
                                             (step + 2.0) / STEPS, (step + 3.0) / STEPS};
        uint32_t folds = find_folds(w, parts);
        int first = folds != 0 ? __builtin_ctz(folds) : SNI_F64_WIDTH;
        high = folds != 0 ? parts[first] : 0;
        low = first > 0 ? parts[first - 1] : low;
    }
    // Two halvings at once: the middle, and the middles of both halves.
    for (int i = 0; i < HALVINGS && high > 0; i += 2) {
        double middle = (low + high) / 2;
        const double parts[SNI_F64_WIDTH] = {middle, (low + middle) / 2, (middle + high) / 2, 0};
        uint32_t folds = find_folds(w, parts);
        bool before = folds & 1; // the map folds in the first half
        bool again = before ? folds >> 1 & 1 : folds >> 2 & 1;
        double second = before ? parts[1] : parts[2];
        low = again ? (before ? low : middle) : second;
        high = again ? second : (before ? middle : high);
    }
    return high > 0 ? low : 1;
}

// Slices that are not parallel meet outside the muscle, and beyond that the map is turned inside
// out: a little change of the muscle throws such points far away. On the straight way from the
// closest parameters within the cell, stops where the map has lost most of its volume. Whether it
// did.
static bool stop_before_fold(const sni_cell *cell, double q[3]) {
    way_out w = {.cell = sni_wide_cell_of(cell), .to = {q[0], q[1], q[2]}};
    bool is_within = true;
    for (int k = 0; k < 3; ++k) {
        w.within[k] = fmin(fmax(q[k], 0), 1);
        is_within = is_within && w.within[k] == q[k];
    }
    if (is_within) {
        return false;
    }
    w.full = cell_volume(cell, w.within);
    double part = find_kept_part(&w);
    for (int k = 0; k < 3 && part < 1; ++k) {
        q[k] = w.within[k] + part * (q[k] - w.within[k]);
    }
    return part < 1;
}

static void begin_job(const sni_section_walk *w, uint32_t slice, sni_cell_job *job) {
    bool last = slice + 2 == w->component->slice_count;
    uint32_t corners[8];
    cell_corners(w->component, slice, corners);
    *job = (sni_cell_job){.cell = sni_load_cell(w->vertices, corners),
                          .point = w->at,
                          .low = {across_low, across_low, slice == 0 ? end_low : along_low},
                          .high = {across_high, across_high, last ? end_high : along_high}};
}

// Goes to the next cell where the point lies less far outside of it. There the walk ends if the
// point is between the slices or the way back.
static void go_on(sni_section_walk *w, const sni_inverse *found) {
    double u = found->q[2];
    int way = u > 1 ? 1 : u < 0 ? -1 : 0;
    bool first = w->way == 0;
    uint32_t slice = w->next;
    w->next = SN_NONE;
    if (!first && outside(u) >= outside(w->best.q[2])) {
        return;
    }
    w->best = *found;
    w->slice = slice;
    if (way != 0 && (first || way == w->way)) {
        bool has_next = way > 0 ? slice + 2 < w->component->slice_count : slice > 0;
        w->next = !has_next ? SN_NONE : way > 0 ? slice + 1 : slice - 1;
    }
    w->way = way;
}

static void end_walk(const sni_section_walk *w) {
    sni_deep_anchor *deep = w->deep;
    cell_corners(w->component, w->slice, deep->corners);
    sni_cell cell = sni_load_cell(w->vertices, deep->corners);
    memcpy(deep->q, w->best.q, sizeof deep->q);
    bool folds = stop_before_fold(&cell, deep->q);
    deep->found = folds ? SNI_INVERSE_CLOSEST : w->best.kind;
    deep->residual = folds ? sn_vec3_sub(w->at, sni_cell_point(&cell, deep->q)) : w->best.residual;
    sni_cell_frame(&cell, deep->q, deep->axes);
}

void sni_section_walks_run(sni_section_walks *walks) {
    sni_cell_job jobs[SNI_SECTION_WALKS];
    sni_inverse found[SNI_SECTION_WALKS];
    uint32_t going[SNI_SECTION_WALKS];
    for (;;) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < walks->count; ++i) {
            if (walks->list[i].next != SN_NONE) {
                going[count] = i;
                begin_job(&walks->list[i], walks->list[i].next, &jobs[count++]);
            }
        }
        if (count == 0) {
            break;
        }
        sni_cell_invert_all(jobs, count, found);
        for (uint32_t i = 0; i < count; ++i) {
            go_on(&walks->list[going[i]], &found[i]);
        }
    }
    for (uint32_t i = 0; i < walks->count; ++i) {
        end_walk(&walks->list[i]);
    }
    walks->count = 0;
}

void sni_section_walks_add(sni_section_walks *walks, sni_section_walk walk) {
    SN_ASSERT(walks->count < SNI_SECTION_WALKS && walk.component->slice_count >= 2);
    walks->list[walks->count++] = walk;
    if (walks->count == SNI_SECTION_WALKS) {
        sni_section_walks_run(walks);
    }
}
