// SPDX-License-Identifier: Apache-2.0
//
// Distances from a point to the candidates are taken eight at a time, and those that are far along
// the driver fade (reach.h). The smallest influences f are dropped, and what is little above them
// is lowered, so that an element comes and goes without a jump:
//
//     u = f s((f - t) / (band t)),     s(y) = y^2 (3 - 2 y) for y from 0 to 1
//
// The threshold t follows the largest influence alone. If the driver were a plane of points,
// dropping what is below
//
//     t = f_max q^(local / (local - 2))                                  far above the plane
//     t = (q (local - 2) pi / local / sin(2 pi / local))^(local / (local - 2))         on it
//
// would lose the share q of all (candidates.c); between the two the bases are blended by f_max.
// The triangles of a mesh are fewer than the points of a plane, so that a threshold for more than
// the share `cut` mostly loses less than it. Where it would lose more, it is lowered to where lost
// + tail = cut (sum + tail). Influences and threshold depend continuously on the point, and so do
// the weights.
#include "skin/wrap/cut.h"

#include "geometry/triangle.h"

// The share q as part of `cut`, and the band in thresholds: the larger the one and the smaller the
// other, the fewer elements are kept. On an even driver one point in twelve loses more than `cut`
// with this share, and 19.7 elements are kept on average; 0.95 and a band of 0.5 keep 23.1.
static const double plane_share = 1.5, soft_band = 0.25;

// A threshold is lowered by a factor of 2^-LOWEST at most, until what is lost is within the
// tolerance (relative) below what may be, in at most so many rounds.
enum { LOWERING_ROUNDS = 40, LOWEST = 40 };
static const double lost_tolerance = 1e-4;

// The part of `cut` that may lie around a near set.
static const double rest_share = 0.5;

static double sum_lanes(sni_f32xw a) {
    float v[SNI_WIDTH];
    sni_f32xw_store(v, a);
    return (((double)v[0] + v[1]) + ((double)v[2] + v[3])) +
           (((double)v[4] + v[5]) + ((double)v[6] + v[7]));
}

// The point of the driver nearest to a point, as fades need it.
typedef struct foot {
    float point[3];   // as the point itself: in units, from the origin of the set
    float weights[3]; // of the corners of the nearest element
} foot;

static foot find_foot(const sni_wrap_search *search, const sni_wrap_set *from, sn_vec3 point) {
    const sni_wrap_surface *s = search->surface;
    uint32_t sorted[3];
    uint8_t places[3];
    double weights[3];
    foot f;
    sni_triangle_sort(s->positions, s->triangles->vertices + 3 * (size_t)from->nearest, sorted,
                      places);
    sni_triangle triangle = sni_triangle_load(s->positions, sorted);
    sni_triangle_closest(&triangle, point, weights);
    sn_vec3 p = sn_vec3_sub(sni_triangle_point(&triangle, weights), s->centres[from->origin]);
    sn_vec3_store(sn_vec3_scale(p, 1 / search->settings->unit), f.point);
    for (int i = 0; i < 3; ++i) {
        f.weights[places[i]] = (float)weights[i];
    }
    return f;
}

// How much of eight elements counts.
SNI_INLINE sni_f32xw fade_members(const sni_wrap_fade *fade, const float *members, const foot *f) {
    const float *ways = members + SNI_WRAP_GROUP;
    sni_f32xw near = sni_f32xw_sqrt(sni_wrap_distances(members, f->point));
    sni_f32xw way = sni_f32xw_mul(sni_f32xw_set1(f->weights[0]), sni_f32xw_load(ways));
    way =
        sni_f32xw_add_product(way, sni_f32xw_set1(f->weights[1]), sni_f32xw_load(ways + SNI_WIDTH));
    way = sni_f32xw_add_product(way, sni_f32xw_set1(f->weights[2]),
                                sni_f32xw_load(ways + 2 * SNI_WIDTH));
    return sni_wrap_fade_wide(fade, near, way);
}

// The influences of all candidates, 0 in places beyond the last; returns the largest. `f` is NULL
// where none fades.
static float compute_influences(const sni_wrap_search *search, sni_wrap_cut *w,
                                const sni_wrap_set *from, const sni_influence_form *form,
                                const float point[3], const foot *f) {
    const sni_influence_form local = *form;
    const sni_wrap_settings *settings = search->settings;
    const sni_wrap_fade fade =
        sni_wrap_fade_make(settings->reach, search->surface->mean_edge / settings->unit);
    uint32_t group_count = sni_wrap_group_count(from);
    sni_f32xw most = sni_f32xw_set1(0);
    for (uint32_t group = 0; group < group_count; ++group) {
        const float *members = from->groups + (size_t)group * SNI_WRAP_MEMBERS;
        sni_f32xw x = sni_influence_wide(&local, sni_wrap_distances(members, point));
        x = f != NULL ? sni_f32xw_mul(x, fade_members(&fade, members, f)) : x;
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

static double sum_influences(const sni_wrap_cut *w, const sni_wrap_set *from) {
    sni_f32xw sum = sni_f32xw_set1(0);
    for (uint32_t group = 0; group < sni_wrap_group_count(from); ++group) {
        sum = sni_f32xw_add(sum, sni_f32xw_load(w->influences + (size_t)group * SNI_WIDTH));
    }
    return sum_lanes(sum);
}

// What is left of influences, given 1 / threshold.
SNI_INLINE sni_f32xw lower(sni_f32xw influences, sni_f32xw inverse) {
    sni_f32xw above = sni_f32xw_sub(sni_f32xw_mul(influences, inverse), sni_f32xw_set1(1));
    above = sni_f32xw_mul(above, sni_f32xw_set1((float)(1 / soft_band)));
    return sni_f32xw_mul(influences, sni_wrap_smooth(above));
}

// Lowers the influences by a threshold, into `lowered`, and returns what that loses.
static double lower_all(sni_wrap_cut *w, const sni_wrap_set *from, float threshold) {
    const sni_f32xw inverse = sni_f32xw_set1(1 / threshold);
    const float *influences = w->influences;
    float *lowered = w->lowered;
    sni_f32xw sum = sni_f32xw_set1(0);
    uint32_t place_count = sni_wrap_group_count(from) * SNI_WIDTH;
    for (uint32_t first = 0; first < place_count; first += SNI_WIDTH) {
        sni_f32xw x = sni_f32xw_load(influences + first), y = lower(x, inverse);
        sni_f32xw_store(lowered + first, y);
        sum = sni_f32xw_add(sum, sni_f32xw_sub(x, y));
    }
    return sum_lanes(sum);
}

// The threshold on a plane, relative to the largest influence.
static double plane_threshold(const sni_wrap_search *search, const sni_influence_form *form,
                              float largest) {
    const double local = search->settings->local;
    double growth = 1 + search->plane_growth * largest * form->one;
    // At the standard setting twice the exponent is 3, for which pow is not needed.
    return sqrt(
        sni_wrap_power(plane_share * search->settings->cut * growth, 2 * local / (local - 2)));
}

// One side of the search for a threshold: the logarithm of its factor, and that of what it loses
// relative to what may be lost.
typedef struct lowering {
    double factor, excess;
} lowering;

// Beyond a threshold that loses too much, before one is known that does not: where the slope of
// both logarithms on a plane, (local - 2) / local, leads, but at least twice as far as before.
static double step_beyond(lowering above, double step, double local) {
    return fmin(above.factor + fmax(1.02 * above.excess * local / (local - 2), 2 * step), LOWEST);
}

// Between both sides: where the line through them meets 0; in every third round half way, since
// what is lost goes down in steps where triangles are few.
static double step_between(lowering above, lowering below, int round) {
    bool is_half = round % 3 == 2 || isinf(below.excess);
    double share = is_half ? 0.5 : above.excess / (above.excess - below.excess);
    return above.factor + (below.factor - above.factor) * share;
}

// Lowers the influences until at most `may_lose` is lost, by false position between the threshold
// `highest`, which loses `most`, and almost nothing. A side that stays twice counts half
// (Illinois). False where even the lowest loses too much.
static bool lower_further(sni_wrap_cut *w, const sni_wrap_set *from, double local, double highest,
                          double most, double may_lose) {
    lowering above = {0, log2(most / may_lose)}, below = {LOWEST, -INFINITY};
    double step = 1e-3;
    bool is_found = false, was_above = true;
    for (int i = 0; i < LOWERING_ROUNDS && above.factor < below.factor; ++i) {
        lowering middle = {.factor = is_found ? step_between(above, below, i)
                                              : step_beyond(above, step, local)};
        middle.excess =
            log2(lower_all(w, from, (float)(highest * exp2(-middle.factor))) / may_lose);
        bool is_above = middle.excess > 0;
        if (!is_above && middle.excess > -lost_tolerance) {
            return true;
        }
        if (is_above) {
            step = middle.factor - above.factor;
            above = middle;
            below.excess = was_above ? below.excess / 2 : below.excess;
        } else {
            below = middle;
            above.excess = was_above ? above.excess : above.excess / 2;
        }
        is_found = is_found || !is_above;
        was_above = is_above;
    }
    if (is_found) {
        lower_all(w, from, (float)(highest * exp2(-below.factor)));
    }
    return is_found;
}

// Lowers the influences of a point, into `lowered`. False where nothing can be dropped. `tail` and
// `all`: what lies around the candidates, and the sum with it.
static bool lower_to_cut(const sni_wrap_search *search, sni_wrap_cut *w, const sni_wrap_set *from,
                         const sni_influence_form *form, float largest, double tail, double all) {
    const sni_wrap_settings *settings = search->settings;
    // Sums in float may be off in the seventh digit of all.
    double may_lose = (settings->cut * all - tail) * (1 - 1e-4);
    // Influences that fall more slowly have no finite sum over a plane: none of them is small.
    if (may_lose <= 0 || settings->local <= 2) {
        return false;
    }
    double highest = largest * plane_threshold(search, form, largest);
    double lost = lower_all(w, from, (float)highest);
    return lost <= may_lose || lower_further(w, from, settings->local, highest, lost, may_lose);
}

// Keeps what has influence. Places beyond the last have none.
static void keep_positive(sni_wrap_cut *w, const sni_wrap_set *from, const float *influences) {
    const uint32_t *elements = from->elements;
    sni_wrap_share *kept = w->kept;
    uint32_t count = 0, place_count = sni_wrap_group_count(from) * SNI_WIDTH;
    for (uint32_t first = 0; first < place_count; first += SNI_WIDTH) {
        sni_f32xw x = sni_f32xw_load(influences + first);
        uint32_t lanes = sni_f32xw_signs(sni_f32xw_sub(sni_f32xw_set1(0), x));
        for (; lanes != 0; lanes &= lanes - 1) {
            uint32_t i = first + (uint32_t)__builtin_ctz(lanes);
            kept[count++] = (sni_wrap_share){influences[i], elements[i]};
        }
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

// Two sums, since each waits for its last addition.
static double sum_kept(const sni_wrap_cut *w) {
    const sni_wrap_share *kept = w->kept;
    double even = 0, odd = 0;
    uint32_t i = 0;
    for (; i + 1 < w->kept_count; i += 2) {
        even += kept[i].influence;
        odd += kept[i + 1].influence;
    }
    return even + (i < w->kept_count ? odd + kept[i].influence : odd);
}

static void note_loss(sni_wrap_report *report, const sni_wrap_cut *w, double cut, double total) {
    double kept = sum_kept(w);
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
    if (places <= w->influence_capacity && from->count < w->kept_capacity) {
        return true;
    }
    uint32_t lowered_capacity = w->influence_capacity;
    return sni_grow(context, &w->lowered, &lowered_capacity, places, sizeof *w->lowered) &&
           sni_grow(context, &w->influences, &w->influence_capacity, places,
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
    foot f;
    if (from->has_ways) {
        f = find_foot(search, from, point);
    }
    float largest = compute_influences(search, cut, from, &form, local, from->has_ways ? &f : NULL);
    double tail = bound_rest(from, &form, local);
    double all = sum_influences(cut, from) + tail;
    if (is_enough != NULL) {
        *is_enough = tail <= rest_share * settings->cut * all;
        if (!*is_enough) {
            return true;
        }
    }
    bool is_lowered = lower_to_cut(search, cut, from, &form, largest, tail, all);
    keep_positive(cut, from, is_lowered ? cut->lowered : cut->influences);
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

void sni_wrap_cut_deinit(sn_context *context, sni_wrap_cut *cut) {
    sni_free(context, cut->influences);
    sni_free(context, cut->lowered);
    sni_free(context, cut->kept);
}
