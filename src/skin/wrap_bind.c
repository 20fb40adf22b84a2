// SPDX-License-Identifier: Apache-2.0
//
// Influence of element k on point P, equation 1 with lengths in units (as printed, it would depend
// on whether the user models in metres or millimetres):
//
//     f(d_k) = 1 / (1 + (d_k / unit)^local),   u_k = f(d_k) / sum_j f(d_j)
//
// over the elements j that count (wrap_reach.h). Of these a point keeps the largest, so that at
// most the share `cut` of the sum is lost:
//
// 1. Points are sorted by their nearest element n and by the class of their distance to it, d <= D.
//    What follows is worked out once for all points of one n and D.
// 2. Elements within R of n are collected; all others are at least R - D away from P, and a tree of
//    boxes bounds the sum of their influences from above, the tail. R grows until the tail is a
//    small part of what may be lost (or the limit on elements makes it irrelevant).
// 3. For each point, distances to the collected elements, eight at a time; the smallest influences
//    are dropped as long as dropped + tail <= cut (sum + tail).
#include "skin/wrap_bind.h"

#include "base/context.h"
#include "geometry/triangle.h"
#include "skin/wrap_distance.h"
#include "skin/wrap_reach.h"

#include <stdatomic.h>
#include <string.h>

// Points of a block, and points between two reports of progress: some hundredths of a second.
enum { BIND_GRAIN = 1024, BIND_STEP = 32 * BIND_GRAIN };

// The part of `cut` that the tail may take.
static const double tail_share = 0.75;

// Distance classes: D = 1/4, 1/2, 1, 2 ... mean edges.
enum { CLASS_COUNT = 64 };
static const double first_class = 0.25;

// First radius, in mean edges beyond D, and how it grows.
static const double first_radius = 2.0, radius_growth = 1.2;

// Beyond this 1 + x is x in float: influences of far points are taken relative to the nearest, so
// that they do not vanish.
static const double far_power = 1e12;

// What a point keeps at the standard settings.
static const uint32_t usual_elements = 20;

// Influences are cut at one of so many steps below the largest, four to each power of two.
enum { STEP_COUNT = 128 };

// How influences of one point are computed from x = (d / unit)^2: 1 / (one + (scale x)^(local/2)).
typedef struct influence_form {
    float one, scale;
    int half;     // whole part of local / 2
    bool is_odd;  // local is odd
    bool is_free; // local is not a whole number
    double local;
    double reference; // 1 / sqrt(scale)
} influence_form;

typedef struct candidate {
    float influence;
    uint32_t element;
} candidate;

// Scratch of one thread.
typedef struct bind_worker {
    bool is_ready;
    sni_wrap_reach reach;
    uint32_t nearest, class; // what the following is for; SN_NONE: nothing
    uint32_t candidate_count, candidate_capacity;
    uint32_t *candidates;
    double tail;         // in the scale of `form`
    influence_form form; // of influences at D
    uint32_t group_capacity;
    float *groups;
    uint32_t influence_capacity;
    float *influences;
    uint32_t kept_count, kept_capacity;
    candidate *kept;
    int step; // of the point before
    // Sums over the driver's vertices (extended).
    uint32_t vertex_count;
    uint32_t *vertices;
    float *vertex_sums; // 0 between points
} bind_worker;

typedef struct bind_run {
    const sni_wrap_surface *surface;
    const sni_wrap_settings *settings;
    sni_wrap_shape *shapes; // of the triangles
    const float *points;
    uint32_t *nearest; // of the points
    float *distances;  // of the points from their nearest
    uint32_t *order;   // points by nearest and class
    uint32_t driver_vertices;
    bind_worker *workers;
    sni_wrap_rows *rows;
    sni_wrap_report *reports; // of the blocks
    uint32_t first;           // of the present step
    atomic_bool out_of_memory;
} bind_run;

// ---------------------------------------------------------------------------------------------
// Influence

// x^local; by multiplying where local is a whole number, which is faster than pow.
static double power_of(double x, double local) {
    if (local != floor(local)) {
        return pow(x, local);
    }
    double power = 1;
    for (uint32_t left = (uint32_t)local; left > 0; left >>= 1, x *= x) {
        power = left & 1 ? power * x : power;
    }
    return power;
}

double sni_wrap_influence(const sni_wrap_settings *settings, double distance) {
    return 1 / (1 + power_of(distance / settings->unit, settings->local));
}

static influence_form form_of(const sni_wrap_settings *settings, double distance) {
    double local = settings->local, x = distance / settings->unit;
    bool is_far = power_of(x, local) > far_power;
    return (influence_form){
        .one = is_far ? 0 : 1,
        .scale = is_far ? (float)(1 / (x * x)) : 1,
        .half = (int)(local / 2),
        .is_odd = fmod(local, 2) == 1,
        .is_free = local != floor(local),
        .local = local,
        .reference = is_far ? x : 1,
    };
}

SNI_INLINE sni_f32xw wide_influence(const influence_form *form, sni_f32xw x) {
    x = sni_f32xw_mul(x, sni_f32xw_set1(form->scale));
    sni_f32xw power = sni_f32xw_set1(1);
    if (form->is_free) {
        float lanes[SNI_WIDTH];
        sni_f32xw_store(lanes, x);
        for (int i = 0; i < SNI_WIDTH; ++i) {
            lanes[i] = (float)pow(lanes[i], form->local / 2);
        }
        power = sni_f32xw_load(lanes);
    } else {
        power = form->is_odd ? sni_f32xw_sqrt(x) : power;
        for (int i = 0; i < form->half; ++i) {
            power = sni_f32xw_mul(power, x);
        }
    }
    return sni_f32xw_div(sni_f32xw_set1(1), sni_f32xw_add(sni_f32xw_set1(form->one), power));
}

// The influence at a distance in units, in the scale of a form.
static double form_influence(const influence_form *form, double distance) {
    return 1 / (form->one + power_of(distance / form->reference, form->local));
}

// ---------------------------------------------------------------------------------------------
// Nearest elements

static uint32_t class_of(const sni_wrap_surface *surface, float distance) {
    uint32_t class = 0;
    double bound = first_class * surface->mean_edge;
    while (distance > bound && class + 1 < CLASS_COUNT) {
        bound *= 2;
        ++class;
    }
    return class;
}

static double class_bound(const sni_wrap_surface *surface, uint32_t class) {
    return ldexp(first_class * surface->mean_edge, (int)class);
}

// The closest point of the point before is a bound for the next, which shortens the search.
static void find_nearest(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    bind_run *run = user;
    sn_closest closest = {.triangle = SN_NONE};
    for (uint32_t i = run->first + begin; i < run->first + end; ++i) {
        sn_vec3 point = sn_vec3_load(run->points + 3 * (size_t)i);
        double radius = INFINITY;
        if (closest.triangle != SN_NONE) {
            radius = sn_vec3_distance(point, closest.point) * (1 + 1e-9);
        }
        sn_accel_find_closest(run->surface->accel, point, radius, &closest);
        if (closest.triangle == SN_NONE) {
            sn_accel_find_closest(run->surface->accel, point, INFINITY, &closest);
        }
        run->nearest[i] = closest.triangle;
        run->distances[i] = (float)closest.distance;
    }
}

// Counting sort of `from` into `to` by keys below `key_count`, stable. `offsets`: key_count + 1.
static void sort_by(const uint32_t *keys, uint32_t key_count, const uint32_t *from, uint32_t *to,
                    uint32_t count, uint32_t *offsets) {
    memset(offsets, 0, ((size_t)key_count + 1) * sizeof *offsets);
    for (uint32_t i = 0; i < count; ++i) {
        offsets[keys[i] + 1]++;
    }
    for (uint32_t i = 0; i < key_count; ++i) {
        offsets[i + 1] += offsets[i];
    }
    for (uint32_t i = 0; i < count; ++i) {
        to[offsets[keys[from[i]]]++] = from[i];
    }
}

static sn_status sort_points(bind_run *run, uint32_t count, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = run->surface->context;
    uint32_t *classes = NULL, *numbers = NULL, *by_class = NULL, *offsets = NULL;
    uint32_t triangles = run->surface->count;
    SNI_NEW(context, classes, count);
    SNI_NEW(context, numbers, count);
    SNI_NEW(context, by_class, count);
    SNI_NEW(context, offsets, (triangles > CLASS_COUNT ? (size_t)triangles : CLASS_COUNT) + 1);
    uint32_t highest = 0;
    for (uint32_t i = 0; i < count; ++i) {
        numbers[i] = i;
        classes[i] = class_of(run->surface, run->distances[i]);
        highest = classes[i] > highest ? classes[i] : highest;
    }
    if (highest > 0) {
        sort_by(classes, CLASS_COUNT, numbers, by_class, count, offsets);
    }
    sort_by(run->nearest, triangles, highest > 0 ? by_class : numbers, run->order, count, offsets);
cleanup:
    sni_free(context, classes);
    sni_free(context, numbers);
    sni_free(context, by_class);
    sni_free(context, offsets);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Candidates of a nearest element and a distance class

static sn_status worker_init(bind_run *run, bind_worker *w, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = run->surface->context;
    *w = (bind_worker){.is_ready = true, .nearest = SN_NONE, .step = STEP_COUNT / 4};
    if (run->settings->reach > 0) {
        SN_TRY(sni_wrap_reach_init(run->surface, &w->reach, error));
    }
    if (run->settings->extended) {
        SNI_NEW(context, w->vertices, run->driver_vertices);
        SNI_NEW_ZERO(context, w->vertex_sums, run->driver_vertices);
    }
cleanup:
    return status;
}

static void worker_deinit(sn_context *context, bind_worker *w) {
    sni_wrap_reach_deinit(context, &w->reach);
    sni_free(context, w->candidates);
    sni_free(context, w->groups);
    sni_free(context, w->influences);
    sni_free(context, w->kept);
    sni_free(context, w->vertices);
    sni_free(context, w->vertex_sums);
}

typedef struct collection {
    const bind_run *run;
    bind_worker *worker;
    influence_form form; // of influences in the tail
    uint32_t nearest;
    sn_vec3 low, high;  // box of the nearest element
    double within;      // R
    double most, least; // points are at most D and at least D/2 (0 in the first class) away
    double budget;      // what the tail may be
} collection;

// How far an interval lies outside of eight others.
SNI_INLINE sni_f32xw outside(const float *low, const float *high, double own_low, double own_high) {
    sni_f32xw below = sni_f32xw_sub(sni_f32xw_load(low), sni_f32xw_set1((float)own_high));
    sni_f32xw above = sni_f32xw_sub(sni_f32xw_set1((float)own_low), sni_f32xw_load(high));
    return sni_f32xw_max(sni_f32xw_max(below, above), sni_f32xw_set1(0));
}

// For each child of a node: a lower bound of its distance from the nearest element, and an
// upper bound of its triangles' influence on points of the class. Both in float, the first made
// smaller by more than it can be off.
static void bound_children(const collection *c, uint32_t number, float distances[SNI_TREE_WIDTH],
                           float tails[SNI_TREE_WIDTH]) {
    const sni_wrap_surface *s = c->run->surface;
    const sni_tree_node *node = &s->tree.nodes[number];
    sni_f32xw x = outside(node->sides[SNI_LOW_X], node->sides[SNI_HIGH_X], c->low.x, c->high.x);
    sni_f32xw y = outside(node->sides[SNI_LOW_Y], node->sides[SNI_HIGH_Y], c->low.y, c->high.y);
    sni_f32xw z = outside(node->sides[SNI_LOW_Z], node->sides[SNI_HIGH_Z], c->low.z, c->high.z);
    sni_f32xw d = sni_f32xw_mul(x, x);
    d = sni_f32xw_sqrt(sni_f32xw_add_product(sni_f32xw_add_product(d, y, y), z, z));
    d = sni_f32xw_mul(d, sni_f32xw_set1(1 - 1e-5f));
    sni_f32xw_store(distances, d);
    d = sni_f32xw_sub(d, sni_f32xw_set1((float)c->most));
    d = sni_f32xw_max(d, sni_f32xw_set1((float)c->least));
    d = sni_f32xw_mul(d, sni_f32xw_set1((float)(1 / c->run->settings->unit)));
    sni_f32xw counts = sni_f32xw_load(s->lane_triangles + (size_t)number * SNI_TREE_WIDTH);
    sni_f32xw_store(tails, sni_f32xw_mul(counts, wide_influence(&c->form, sni_f32xw_mul(d, d))));
}

// Collects elements within `within`, and bounds the influence of all others. A box beyond it is
// opened while what it may add is not small. False when memory runs out.
static bool collect(const collection *c) {
    const sni_wrap_surface *s = c->run->surface;
    bind_worker *w = c->worker;
    uint32_t stack[SNI_TREE_DEPTH * SNI_TREE_WIDTH];
    uint32_t stack_count = 1;
    stack[0] = 0;
    w->candidate_count = 0;
    w->tail = 0;
    while (stack_count > 0) {
        uint32_t number = stack[--stack_count];
        const sni_tree_node *node = &s->tree.nodes[number];
        float distances[SNI_TREE_WIDTH], tails[SNI_TREE_WIDTH];
        bound_children(c, number, distances, tails);
        if (w->candidate_count + SNI_TREE_WIDTH > w->candidate_capacity &&
            !sni_grow(s->context, &w->candidates, &w->candidate_capacity,
                      w->candidate_count + SNI_TREE_WIDTH, sizeof *w->candidates)) {
            return false;
        }
        for (uint32_t i = 0; i < node->child_count; ++i) {
            bool is_near = distances[i] <= c->within;
            if (node->is_leaf[i] && is_near) {
                w->candidates[w->candidate_count++] = s->tree.slots[node->children[i]].triangle;
            } else if (node->is_leaf[i] || (!is_near && tails[i] <= c->budget / 16)) {
                w->tail += tails[i];
            } else {
                stack[stack_count++] = node->children[i];
            }
        }
    }
    return true;
}

// Whether the limit on elements is surely filled by elements nearer than all that were left out.
static bool limit_is_filled(const collection *c) {
    const bind_worker *w = c->worker;
    const sni_wrap_surface *s = c->run->surface;
    uint32_t limit = c->run->settings->elements, filled = 0;
    for (uint32_t i = 0; i < w->candidate_count; ++i) {
        double straight = sn_vec3_distance(s->centres[w->candidates[i]], s->centres[c->nearest]);
        filled += straight + s->radii[c->nearest] + 2 * c->most <= c->within;
    }
    return limit > 0 && filled >= limit;
}

static void keep_reached(const bind_run *run, bind_worker *w, uint32_t nearest) {
    if (run->settings->reach > 0) {
        w->candidate_count =
            sni_wrap_reach_filter(run->surface, &w->reach, nearest, run->settings->reach,
                                  w->candidates, w->candidate_count);
    }
}

static void box_of(const sni_wrap_surface *s, uint32_t triangle, sn_vec3 *low, sn_vec3 *high) {
    const uint32_t *v = s->triangles->vertices + 3 * (size_t)triangle;
    *low = *high = sn_vec3_load(s->positions + 3 * (size_t)v[0]);
    for (int i = 1; i < 3; ++i) {
        sn_vec3 corner = sn_vec3_load(s->positions + 3 * (size_t)v[i]);
        *low = sn_vec3_min(*low, corner);
        *high = sn_vec3_max(*high, corner);
    }
}

static bool choose_candidates(const bind_run *run, bind_worker *w, uint32_t nearest,
                              uint32_t class) {
    const sni_wrap_surface *s = run->surface;
    double most = class_bound(s, class);
    collection c = {
        .run = run,
        .worker = w,
        .form = w->form,
        .nearest = nearest,
        .within = most + first_radius * s->mean_edge,
        .most = most,
        .least = class > 0 ? most / 2 : 0,
        .budget =
            tail_share * run->settings->cut * form_influence(&w->form, most / run->settings->unit),
    };
    box_of(s, nearest, &c.low, &c.high);
    for (;;) {
        if (!collect(&c)) {
            return false;
        }
        bool is_all = w->candidate_count == s->count;
        if (is_all || w->tail <= c.budget) {
            keep_reached(run, w, nearest);
            return true;
        }
        if (run->settings->elements > 0 && w->candidate_count >= run->settings->elements &&
            c.within > 2 * most) {
            keep_reached(run, w, nearest);
            if (limit_is_filled(&c)) {
                return true;
            }
        }
        c.within *= radius_growth;
    }
}

// Lays the candidates out for the kernel, relative to the nearest element and in units. Places
// beyond the last repeat it.
static bool lay_out(const bind_run *run, bind_worker *w, uint32_t nearest) {
    const sni_wrap_surface *s = run->surface;
    uint32_t group_count = (w->candidate_count + SNI_WIDTH - 1) / SNI_WIDTH;
    if (!sni_grow(s->context, &w->groups, &w->group_capacity, group_count,
                  SNI_WRAP_GROUP * sizeof *w->groups) ||
        !sni_grow(s->context, &w->influences, &w->influence_capacity, group_count * SNI_WIDTH,
                  sizeof *w->influences) ||
        !sni_grow(s->context, &w->kept, &w->kept_capacity, w->candidate_count + 1,
                  sizeof *w->kept)) {
        return false;
    }
    double scale = 1 / run->settings->unit;
    for (uint32_t group = 0; group < group_count; ++group) {
        const sni_wrap_shape *shapes[SNI_WIDTH];
        float corners[3][SNI_WIDTH];
        for (uint32_t i = 0; i < SNI_WIDTH; ++i) {
            uint32_t place = group * SNI_WIDTH + i;
            place = place < w->candidate_count ? place : w->candidate_count - 1;
            uint32_t element = w->candidates[place];
            uint32_t vertex = s->triangles->vertices[3 * (size_t)element];
            sn_vec3 corner = sn_vec3_load(s->positions + 3 * (size_t)vertex);
            corner = sn_vec3_scale(sn_vec3_sub(corner, s->centres[nearest]), scale);
            shapes[i] = &run->shapes[element];
            corners[0][i] = (float)corner.x;
            corners[1][i] = (float)corner.y;
            corners[2][i] = (float)corner.z;
        }
        sni_wrap_group_store(shapes, corners, w->groups + (size_t)group * SNI_WRAP_GROUP);
    }
    return true;
}

static bool prepare(const bind_run *run, bind_worker *w, uint32_t nearest, uint32_t class) {
    if (w->nearest == nearest && w->class == class) {
        return true;
    }
    w->nearest = SN_NONE;
    w->form = form_of(run->settings, class_bound(run->surface, class));
    if (!choose_candidates(run, w, nearest, class) || !lay_out(run, w, nearest)) {
        return false;
    }
    w->nearest = nearest;
    w->class = class;
    return true;
}

// ---------------------------------------------------------------------------------------------
// One point

static uint32_t group_count_of(const bind_worker *w) {
    return (w->candidate_count + SNI_WIDTH - 1) / SNI_WIDTH;
}

// The influences of all candidates, 0 in places beyond the last; returns the largest.
static float compute_influences(const bind_worker *w, const influence_form *form,
                                const float point[3]) {
    const influence_form local = *form;
    uint32_t group_count = group_count_of(w);
    sni_f32xw most = sni_f32xw_set1(0);
    for (uint32_t group = 0; group < group_count; ++group) {
        sni_f32xw x = sni_wrap_distances(w->groups + (size_t)group * SNI_WRAP_GROUP, point);
        x = wide_influence(&local, x);
        sni_f32xw_store(w->influences + (size_t)group * SNI_WIDTH, x);
        most = sni_f32xw_max(most, x);
    }
    for (uint32_t i = w->candidate_count; i < group_count * SNI_WIDTH; ++i) {
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
static double sum_below(const bind_worker *w, float least) {
    const sni_f32xw zero = sni_f32xw_set1(0), bound = sni_f32xw_set1(least);
    uint32_t group_count = group_count_of(w);
    sni_f32xw sum = zero;
    for (uint32_t group = 0; group < group_count; ++group) {
        sni_f32xw x = sni_f32xw_load(w->influences + (size_t)group * SNI_WIDTH);
        sum = sni_f32xw_add(sum, sni_f32xw_choose(sni_f32xw_sub(x, bound), zero, x));
    }
    float lanes[SNI_WIDTH];
    double all = 0;
    sni_f32xw_store(lanes, sum);
    for (int i = 0; i < SNI_WIDTH; ++i) {
        all += lanes[i];
    }
    return all;
}

// Step `step` below the largest influence: four steps to a power of two.
static float step_below(float largest, int step) {
    static const float quarters[4] = {1, 0.840896415f, 0.707106781f, 0.594603558f};
    return largest * quarters[step % 4] / (float)(1u << step / 4);
}

// The largest step that can be dropped up to: all below it and the tail are at most the share `cut`
// of all. Returns 0 when nothing can. The search starts at the step of the point before.
static float least_to_keep(bind_worker *w, double cut, float largest, double tail, double all) {
    // Sums in float may be off in the seventh digit.
    double may_lose = (cut * all - tail) * (1 - 1e-5);
    int kept = 0, dropped = STEP_COUNT; // `dropped` can be, `kept` is too much
    for (int step = w->step, jump = 1; dropped - kept > 1; jump *= 2) {
        if (sum_below(w, step_below(largest, step)) <= may_lose) {
            dropped = step;
            step -= jump;
        } else {
            kept = step;
            step += jump;
        }
        step = step > kept && step < dropped ? step : (kept + dropped) / 2;
    }
    w->step = dropped < STEP_COUNT ? dropped : STEP_COUNT - 1;
    return dropped < STEP_COUNT ? step_below(largest, dropped) : 0;
}

static void keep_from(bind_worker *w, float least) {
    const sni_f32xw bound = sni_f32xw_set1(least);
    uint32_t group_count = group_count_of(w), count = 0;
    for (uint32_t group = 0; group < group_count; ++group) {
        const float *influences = w->influences + (size_t)group * SNI_WIDTH;
        uint32_t lanes = ~sni_f32xw_signs(sni_f32xw_sub(sni_f32xw_load(influences), bound)) & 0xff;
        for (; lanes != 0; lanes &= lanes - 1) {
            uint32_t i = group * SNI_WIDTH + (uint32_t)__builtin_ctz(lanes);
            if (i < w->candidate_count) {
                w->kept[count++] = (candidate){w->influences[i], w->candidates[i]};
            }
        }
    }
    w->kept_count = count;
}

// Whether a has less influence than b; of equals the higher element.
static bool is_less(candidate a, candidate b) {
    return a.influence < b.influence || (a.influence == b.influence && a.element > b.element);
}

static void sift_down(candidate *heap, uint32_t count, uint32_t i) {
    candidate item = heap[i];
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
static void keep_largest(bind_worker *w, uint32_t limit) {
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

static void note_loss(sni_wrap_report *report, const bind_worker *w, double cut, double total) {
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
static double tail_for(const bind_worker *w, const influence_form *form) {
    if (w->form.one == 1 || w->tail == 0) {
        return w->tail;
    }
    if (form->one == 0) {
        return w->tail * power_of(form->reference / w->form.reference, form->local);
    }
    return w->tail / power_of(w->form.reference, form->local);
}

// Chooses the elements of a point into `kept`.
static void register_point(const bind_run *run, bind_worker *w, uint32_t point,
                           sni_wrap_report *report) {
    const sni_wrap_settings *settings = run->settings;
    double scale = 1 / settings->unit;
    sn_vec3 p = sn_vec3_sub(sn_vec3_load(run->points + 3 * (size_t)point),
                            run->surface->centres[w->nearest]);
    float local[3];
    sn_vec3_store(sn_vec3_scale(p, scale), local);
    // Only points of far classes can be far.
    influence_form form = w->form.one == 1 ? w->form : form_of(settings, run->distances[point]);
    float largest = compute_influences(w, &form, local);
    double tail = tail_for(w, &form);
    double all = sum_below(w, INFINITY) + tail;
    keep_from(w, least_to_keep(w, settings->cut, largest, tail, all));
    if (settings->elements > 0) {
        keep_largest(w, settings->elements);
    }
    note_loss(report, w, settings->cut, all);
}

// ---------------------------------------------------------------------------------------------
// Rows

static bool make_room(sn_context *context, sni_wrap_block *block, uint32_t more) {
    uint32_t needed = block->count + more;
    if (needed <= block->element_capacity && needed <= block->value_capacity) {
        return true;
    }
    return sni_grow(context, &block->elements, &block->element_capacity, needed,
                    sizeof *block->elements) &&
           sni_grow(context, &block->values, &block->value_capacity, needed, sizeof *block->values);
}

static bool write_triangles(const bind_run *run, const bind_worker *w, sni_wrap_block *block) {
    if (!make_room(run->surface->context, block, w->kept_count)) {
        return false;
    }
    uint32_t *elements = block->elements + block->count, count = 0;
    float *values = block->values + block->count;
    for (uint32_t i = 0; i < w->kept_count; ++i) {
        elements[count] = w->kept[i].element;
        values[count] = w->kept[i].influence;
        count += w->kept[i].influence > 0;
    }
    block->count += count;
    return true;
}

// Adds an element's influence to its vertices by the barycentric coordinates of the closest point.
static void spread(const bind_run *run, bind_worker *w, candidate kept, sn_vec3 point) {
    const sni_wrap_surface *s = run->surface;
    uint32_t sorted[3];
    double weights[3];
    sni_triangle_sort(s->positions, s->triangles->vertices + 3 * (size_t)kept.element, sorted,
                      NULL);
    sni_triangle triangle = sni_triangle_load(s->positions, sorted);
    sni_triangle_closest(&triangle, point, weights);
    for (int i = 0; i < 3; ++i) {
        float share = (float)(kept.influence * weights[i]);
        if (share > 0) {
            if (w->vertex_sums[sorted[i]] == 0) {
                w->vertices[w->vertex_count++] = sorted[i];
            }
            w->vertex_sums[sorted[i]] += share;
        }
    }
}

// Section 4.2: P_k^def is the mean of the three corners' maps, so that elements can be summed up by
// vertex: one map for each vertex serves all triangles around it.
static bool write_vertices(const bind_run *run, bind_worker *w, uint32_t point,
                           sni_wrap_block *block) {
    sn_vec3 p = sn_vec3_load(run->points + 3 * (size_t)point);
    w->vertex_count = 0;
    for (uint32_t i = 0; i < w->kept_count; ++i) {
        spread(run, w, w->kept[i], p);
    }
    if (!make_room(run->surface->context, block, w->vertex_count)) {
        return false;
    }
    for (uint32_t i = 0; i < w->vertex_count; ++i) {
        block->elements[block->count] = w->vertices[i];
        block->values[block->count++] = w->vertex_sums[w->vertices[i]];
        w->vertex_sums[w->vertices[i]] = 0;
    }
    return true;
}

static bool fill_block(bind_run *run, bind_worker *w, uint32_t begin, uint32_t end,
                       sni_wrap_block *block, sni_wrap_report *report) {
    if (!make_room(run->surface->context, block, (end - begin) * usual_elements)) {
        return false;
    }
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t point = run->order[i], before = block->count;
        uint32_t class = class_of(run->surface, run->distances[point]);
        if (!prepare(run, w, run->nearest[point], class)) {
            return false;
        }
        register_point(run, w, point, report);
        if (!(run->settings->extended ? write_vertices(run, w, point, block)
                                      : write_triangles(run, w, block))) {
            return false;
        }
        run->rows->rows[point].count = block->count - before;
    }
    return true;
}

static void register_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    bind_run *run = user;
    bind_worker *w = &run->workers[worker];
    begin += run->first;
    end += run->first;
    sni_wrap_block *block = &run->rows->blocks[begin / BIND_GRAIN];
    if (atomic_load(&run->out_of_memory) || (!w->is_ready && worker_init(run, w, NULL) != SN_OK) ||
        !fill_block(run, w, begin, end, block, &run->reports[begin / BIND_GRAIN])) {
        atomic_store(&run->out_of_memory, true);
        return;
    }
    size_t offset = 0;
    for (uint32_t i = begin; i < end; ++i) {
        sni_blend_row *row = &run->rows->rows[run->order[i]];
        row->elements = block->elements + offset;
        row->values = block->values + offset;
        offset += row->count;
    }
}

static void make_shapes(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    bind_run *run = user;
    const sni_wrap_surface *s = run->surface;
    for (uint32_t t = begin; t < end; ++t) {
        const uint32_t *v = s->triangles->vertices + 3 * (size_t)t;
        run->shapes[t] =
            sni_wrap_shape_make(sn_vec3_load(s->positions + 3 * (size_t)v[0]),
                                sn_vec3_load(s->positions + 3 * (size_t)v[1]),
                                sn_vec3_load(s->positions + 3 * (size_t)v[2]), run->settings->unit);
    }
}

// Runs `fn` over all points, step by step.
static sn_status run_steps(bind_run *run, uint32_t count, sn_block_fn *fn, const char *step,
                           double from, double to, const sn_progress *progress, sn_error *error) {
    for (run->first = 0; run->first < count;) {
        double fraction = from + (to - from) * run->first / count;
        sn_status status = sni_progress(progress, step, fraction, error);
        if (status != SN_OK) {
            return status;
        }
        uint32_t size = count - run->first < BIND_STEP ? count - run->first : BIND_STEP;
        sn_parallel_for(run->surface->context, size, BIND_GRAIN, fn, run);
        if (atomic_load(&run->out_of_memory)) {
            return sni_fail_memory(error);
        }
        run->first += size;
    }
    return SN_OK;
}

static sn_status run_init(bind_run *run, uint32_t count, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = run->surface->context;
    sni_wrap_rows *rows = run->rows;
    rows->block_count = count / BIND_GRAIN + (count % BIND_GRAIN != 0);
    SNI_NEW(context, run->nearest, count);
    SNI_NEW(context, run->distances, count);
    SNI_NEW(context, run->order, count);
    SNI_NEW(context, run->shapes, run->surface->count);
    SNI_NEW_ZERO(context, run->workers, sn_context_thread_count(context));
    SNI_NEW_ZERO(context, run->reports, rows->block_count);
    SNI_NEW_ZERO(context, rows->rows, count);
    SNI_NEW_ZERO(context, rows->blocks, rows->block_count);
cleanup:
    return status;
}

static void run_deinit(bind_run *run) {
    sn_context *context = run->surface->context;
    for (uint32_t i = 0; run->workers != NULL && i < sn_context_thread_count(context); ++i) {
        worker_deinit(context, &run->workers[i]);
    }
    sni_free(context, run->workers);
    sni_free(context, run->nearest);
    sni_free(context, run->distances);
    sni_free(context, run->order);
    sni_free(context, run->shapes);
    sni_free(context, run->reports);
}

static sni_wrap_report sum_reports(const sni_wrap_report *reports, uint32_t count) {
    sni_wrap_report sum = {0};
    for (uint32_t i = 0; i < count; ++i) {
        sum.elements += reports[i].elements;
        sum.widest = reports[i].widest > sum.widest ? reports[i].widest : sum.widest;
        sum.largest_loss = fmax(sum.largest_loss, reports[i].largest_loss);
        sum.limited += reports[i].limited;
    }
    return sum;
}

sn_status sni_wrap_register(const sni_wrap_surface *surface, const sni_wrap_settings *settings,
                            uint32_t count, const float *points, const sn_progress *progress,
                            sni_wrap_rows *rows, sni_wrap_report *report, sn_error *error) {
    sn_status status = SN_OK;
    bind_run run = {.surface = surface,
                    .settings = settings,
                    .points = points,
                    .driver_vertices = surface->vertex_count,
                    .rows = rows};
    *rows = (sni_wrap_rows){0};
    SN_TRY(run_init(&run, count, error));
    sn_parallel_for(surface->context, surface->count, BIND_GRAIN, make_shapes, &run);
    SN_TRY(run_steps(&run, count, find_nearest, "wrapping", 0, 0.4, progress, error));
    SN_TRY(sort_points(&run, count, error));
    SN_TRY(run_steps(&run, count, register_block, "wrapping", 0.4, 1, progress, error));
    SN_TRY(sni_progress(progress, "wrapping", 1, error));
    *report = sum_reports(run.reports, rows->block_count);
cleanup:
    run_deinit(&run);
    if (status != SN_OK) {
        sni_wrap_rows_deinit(surface->context, rows);
    }
    return status;
}

void sni_wrap_rows_deinit(sn_context *context, sni_wrap_rows *rows) {
    for (uint32_t i = 0; rows->blocks != NULL && i < rows->block_count; ++i) {
        sni_free(context, rows->blocks[i].elements);
        sni_free(context, rows->blocks[i].values);
    }
    sni_free(context, rows->blocks);
    sni_free(context, rows->rows);
    *rows = (sni_wrap_rows){0};
}
