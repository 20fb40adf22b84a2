// SPDX-License-Identifier: Apache-2.0
//
// Distances from a point to the candidates are taken eight at a time; the smallest influences are
// dropped as long as dropped + tail <= cut (sum + tail).
#include "skin/wrap/cut.h"

#include <float.h>

// Influences are cut at one of so many steps below the largest, four to each power of two.
enum { STEP_COUNT = 128 };

// The part of `cut` that may lie around a near set.
static const double rest_share = 0.5;

static double sum_lanes(sni_f32xw a) {
    float v[SNI_WIDTH];
    sni_f32xw_store(v, a);
    return (((double)v[0] + v[1]) + ((double)v[2] + v[3])) +
           (((double)v[4] + v[5]) + ((double)v[6] + v[7]));
}

// The influences of all candidates, 0 in places beyond the last; returns the largest.
static float compute_influences(sni_wrap_cut *w, const sni_wrap_set *from,
                                const sni_influence_form *form, const float point[3]) {
    const sni_influence_form local = *form;
    uint32_t group_count = sni_wrap_group_count(from);
    sni_f32xw most = sni_f32xw_set1(0);
    for (uint32_t group = 0; group < group_count; ++group) {
        sni_f32xw x = sni_wrap_distances(from->groups + (size_t)group * SNI_WRAP_GROUP, point);
        x = sni_influence_wide(&local, x);
        sni_f32xw_store(w->influences + (size_t)group * SNI_WIDTH, x);
        most = sni_f32xw_max(most, x);
    }
    for (uint32_t i = from->count; i < group_count * SNI_WIDTH; ++i) {
        w->influences[i] = 0;
    }
    float lanes[SNI_WIDTH], largest = 0;
    sni_f32xw_store(lanes, most);
    for (int i = 0; i < SNI_WIDTH; ++i) {
        largest = lanes[i] > largest ? lanes[i] : largest;
    }
    return largest;
}

// The sum of influences below `least`.
static double sum_below(const sni_wrap_cut *w, const sni_wrap_set *from, float least) {
    const sni_f32xw zero = sni_f32xw_set1(0), bound = sni_f32xw_set1(least);
    uint32_t group_count = sni_wrap_group_count(from);
    sni_f32xw sum = zero;
    for (uint32_t group = 0; group < group_count; ++group) {
        sni_f32xw x = sni_f32xw_load(w->influences + (size_t)group * SNI_WIDTH);
        sum = sni_f32xw_add(sum, sni_f32xw_choose(sni_f32xw_sub(x, bound), zero, x));
    }
    return sum_lanes(sum);
}

// Step `step` below the largest influence: four steps to a power of two.
static float step_below(float largest, int step) {
    static const float quarters[4] = {1, 0.840896415f, 0.707106781f, 0.594603558f};
    return largest * quarters[step % 4] / (float)(1u << step / 4);
}

// The largest step that can be dropped up to: all below it and the tail are at most the share `cut`
// of all. Returns the least positive number when nothing can. The search starts at the step of the
// point before.
static float least_to_keep(sni_wrap_cut *w, const sni_wrap_set *from, double cut, float largest,
                           double tail, double all) {
    // Sums in float may be off in the seventh digit.
    double may_lose = (cut * all - tail) * (1 - 1e-5);
    int kept = 0, dropped = STEP_COUNT; // `dropped` can be, `kept` is too much
    for (int step = w->step, jump = 1; dropped - kept > 1; jump *= 2) {
        if (sum_below(w, from, step_below(largest, step)) <= may_lose) {
            dropped = step;
            step -= jump;
        } else {
            kept = step;
            step += jump;
        }
        step = step > kept && step < dropped ? step : (kept + dropped) / 2;
    }
    w->step = dropped < STEP_COUNT ? dropped : STEP_COUNT - 1;
    return dropped < STEP_COUNT ? step_below(largest, dropped) : FLT_TRUE_MIN;
}

static void keep_from(sni_wrap_cut *w, const sni_wrap_set *from, float least) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < from->count; ++i) {
        w->kept[count] = (sni_wrap_share){w->influences[i], from->elements[i]};
        count += w->influences[i] >= least;
    }
    w->kept_count = count;
}

// Whether a has less influence than b; of equals the higher element.
static bool is_less(sni_wrap_share a, sni_wrap_share b) {
    return a.influence < b.influence || (a.influence == b.influence && a.element > b.element);
}

static void sift_down(sni_wrap_share *heap, uint32_t count, uint32_t i) {
    sni_wrap_share item = heap[i];
    for (uint32_t child = 2 * i + 1; child < count; child = 2 * i + 1) {
        child += child + 1 < count && is_less(heap[child + 1], heap[child]);
        if (!is_less(heap[child], item)) {
            break;
        }
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = item;
}

// Keeps the `limit` largest: a heap with the least of them on top.
static void keep_largest(sni_wrap_cut *w, uint32_t limit) {
    if (w->kept_count <= limit) {
        return;
    }
    for (uint32_t i = limit / 2; i-- > 0;) {
        sift_down(w->kept, limit, i);
    }
    for (uint32_t i = limit; i < w->kept_count; ++i) {
        if (is_less(w->kept[0], w->kept[i])) {
            w->kept[0] = w->kept[i];
            sift_down(w->kept, limit, 0);
        }
    }
    w->kept_count = limit;
}

static void note_loss(sni_wrap_report *report, const sni_wrap_cut *w, double cut, double total) {
    double kept = 0;
    for (uint32_t i = 0; i < w->kept_count; ++i) {
        kept += w->kept[i].influence;
    }
    // Sums in float: what is below their rounding is no loss.
    double loss = fmax(1 - kept / total, 0);
    report->limited += loss > cut * (1 + 1e-3) + 1e-6;
    report->largest_loss = fmax(report->largest_loss, loss);
    report->elements += w->kept_count;
    report->widest = w->kept_count > report->widest ? w->kept_count : report->widest;
}

// The tail in the scale of a point: a far one counts relative to its own distance.
static double tail_for(const sni_wrap_set *from, const sni_influence_form *form) {
    if (from->form.one == 1 || from->tail == 0) {
        return from->tail;
    }
    if (form->one == 0) {
        return from->tail * sni_wrap_power(form->reference / from->form.reference, form->local);
    }
    return from->tail / sni_wrap_power(from->form.reference, form->local);
}

static bool make_room(sn_context *context, sni_wrap_cut *w, const sni_wrap_set *from) {
    uint32_t places = sni_wrap_group_count(from) * SNI_WIDTH;
    return sni_grow(context, &w->influences, &w->influence_capacity, places,
                    sizeof *w->influences) &&
           sni_grow(context, &w->kept, &w->kept_capacity, from->count + 1, sizeof *w->kept);
}

// The tail of a point, with what lies in lumps. Their distances are made smaller by more than they
// can be off.
static double bound_rest(const sni_wrap_set *from, const sni_influence_form *form,
                         const float point[3]) {
    const sni_influence_form local = *form;
    const sni_f32xw smaller = sni_f32xw_set1(1 - 2e-5f);
    sni_f32xw sum = sni_f32xw_set1(0);
    for (uint32_t group = 0; group < sni_wrap_lump_group_count(from); ++group) {
        const float *lumps = from->lumps + (size_t)group * SNI_WRAP_LUMPS;
        sni_f32xw x = sni_f32xw_mul(sni_wrap_box_distances(lumps, point), smaller);
        x = sni_influence_wide(&local, x);
        sum = sni_f32xw_add_product(sum, x, sni_f32xw_load(lumps + 6 * SNI_WIDTH));
    }
    return tail_for(from, form) + sum_lanes(sum);
}

// Chooses among the elements of a set. Of a near one `is_enough` tells whether what lies around it
// is small; if not, nothing is chosen. NULL for a wide one.
static bool cut_set(const sni_wrap_search *search, const sni_wrap_set *from, sn_vec3 point,
                    double distance, sni_wrap_cut *cut, sni_wrap_report *report, bool *is_enough) {
    const sni_wrap_settings *settings = search->settings;
    if (!make_room(search->surface->context, cut, from)) {
        return false;
    }
    sn_vec3 p = sn_vec3_sub(point, search->surface->centres[from->origin]);
    float local[3];
    sn_vec3_store(sn_vec3_scale(p, 1 / settings->unit), local);
    // Only points of far classes can be far.
    sni_influence_form form =
        from->form.one == 1 ? from->form : sni_influence_form_at(settings, distance);
    float largest = compute_influences(cut, from, &form, local);
    double tail = bound_rest(from, &form, local);
    double all = sum_below(cut, from, INFINITY) + tail;
    if (is_enough != NULL) {
        *is_enough = tail <= rest_share * settings->cut * all;
        if (!*is_enough) {
            return true;
        }
    }
    keep_from(cut, from, least_to_keep(cut, from, settings->cut, largest, tail, all));
    if (settings->elements > 0) {
        keep_largest(cut, settings->elements);
    }
    note_loss(report, cut, settings->cut, all);
    return true;
}

bool sni_wrap_cut_point(const sni_wrap_search *search, sni_wrap_candidates *candidates,
                        uint32_t nearest, uint32_t class, sn_vec3 point, double distance,
                        sni_wrap_cut *cut, sni_wrap_report *report) {
    bool is_enough = false;
    if (search->has_near && class < SNI_WRAP_CLASSES &&
        (!sni_wrap_prepare_near(search, candidates, nearest, class) ||
         !cut_set(search, &candidates->near, point, distance, cut, report, &is_enough))) {
        return false;
    }
    return is_enough || (sni_wrap_prepare_wide(search, candidates, nearest, class) &&
                         cut_set(search, &candidates->wide, point, distance, cut, report, NULL));
}

void sni_wrap_cut_init(sni_wrap_cut *cut) {
    *cut = (sni_wrap_cut){.step = STEP_COUNT / 4};
}

void sni_wrap_cut_deinit(sn_context *context, sni_wrap_cut *cut) {
    sni_free(context, cut->influences);
    sni_free(context, cut->kept);
}
