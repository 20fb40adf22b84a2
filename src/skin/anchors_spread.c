// SPDX-License-Identifier: Apache-2.0
//
// Which components a point hangs on. The paper has the nearest alone: where two components part in
// a pose, neighbours go apart by as much from one edge to the next. Here the choice fades along the
// skin, so that a point near the border of two regions hangs on both. Springs to several virtual
// anchors, with the stiffness shared out among them, are one spring to the mean of the anchors:
//
//     sum_c w_c k/2 |p - a_c|^2 = k/2 |p - sum_c w_c a_c|^2 + what does not depend on p
//
// The share of component c falls with the way along the skin from the border of its region, g
// outside of it and -g inside:
//
//     f_c = 3 t^2 - 2 t^3,  t = (1 - g) / 2 kept within 0 and 1,      w_c = f_c / sum f
//
// Ways are measured in sizes of c or of the component whose region they lead through, whichever is
// less, times `blend`; the size of a component is the radius of the sphere that has its area. So
// the regions of fingers fade over less than those of ribs, and no share jumps to what is near in
// space but not along the skin. Borders follow the edges of the mesh: rounds of averaging make the
// shares as even as if they did not.
#include "skin/anchors_internal.h"

#include "base/rows.h"

#include <math.h>
#include <string.h>

// Rounds of averaging: borders of regions are uneven by an edge.
enum { AVERAGES = 6 };

// Points of a block: some hundred microseconds.
enum { TIE_GRAIN = 4096 };

// A share of a component at a point.
typedef struct share {
    uint32_t component;
    float value; // f
} share;

// What one thread needs to follow the ways from the border of a region.
typedef struct walker {
    double *ways;    // point_count: INFINITY for those not reached
    uint32_t *queue; // point_count: points whose way became shorter, in a ring
    uint32_t queue_begin, queue_count;
    bool *queued;      // point_count
    uint32_t *reached; // point_count: points that have a way
    uint32_t reached_count;
    double *averages; // of the points reached
    double *units;    // component_count: of lengths of ways through their regions
} walker;

// The points that a component has shares of, and how much.
typedef struct region_shares {
    uint32_t count;
    uint32_t *points;
    float *values;
    bool made; // false: memory ran out
} region_shares;

typedef struct spreader {
    sni_anchors *anchors;
    const sni_anchors_desc *desc;
    const double *sizes; // component_count
    uint32_t *offsets;   // point_count + 1: neighbours of each point
    uint32_t *neighbours;
    uint32_t *region_starts, *regions; // the points of each component
    walker *walkers;                   // of all threads
    uint32_t walker_count;
    region_shares *found;   // component_count
    uint32_t *share_starts; // point_count + 1
    share *shares;          // of each point, by rising component
} spreader;

static sn_vec3 point_of(const spreader *s, uint32_t point) {
    return sn_vec3_load(s->anchors->points + 3 * (size_t)point);
}

// The ends of all sides of triangles: inner edges are there twice, which does no harm.
static void list_neighbours(spreader *s) {
    const uint32_t *corners = s->desc->vertices;
    size_t count = 3 * (size_t)s->desc->triangle_count;
    for (size_t i = 0; i < count; ++i) {
        sni_rows_count(s->offsets, corners[i], 2);
    }
    sni_rows_begin(s->offsets, s->anchors->point_count);
    for (size_t i = 0; i < count; ++i) {
        size_t face = i / 3 * 3;
        s->neighbours[sni_rows_take(s->offsets, corners[i])] = corners[face + (i + 1) % 3];
        s->neighbours[sni_rows_take(s->offsets, corners[i])] = corners[face + (i + 2) % 3];
    }
    sni_rows_end(s->offsets, s->anchors->point_count);
}

// Begins a way at a point, or makes it shorter: the point is to hand that on.
static void reach(const spreader *s, walker *w, uint32_t point, double way) {
    if (!(way < 1 && way < w->ways[point])) {
        return;
    }
    if (w->ways[point] == INFINITY) {
        w->reached[w->reached_count++] = point;
    }
    w->ways[point] = way;
    if (!w->queued[point]) {
        uint32_t count = s->anchors->point_count, end = w->queue_begin + w->queue_count++;
        w->queue[end < count ? end : end - count] = point;
        w->queued[point] = true;
    }
}

static double edge_way(const spreader *s, const walker *w, uint32_t a, uint32_t b) {
    const uint32_t *owners = s->anchors->owners;
    double unit = (w->units[owners[a]] + w->units[owners[b]]) / 2;
    return sn_vec3_distance(point_of(s, a), point_of(s, b)) / unit;
}

static bool is_inside(const spreader *s, uint32_t component, uint32_t point) {
    return s->anchors->owners[point] == component;
}

// The border of a region runs through the middles of edges.
static void begin_ways(const spreader *s, walker *w, uint32_t component) {
    for (uint32_t i = s->region_starts[component]; i < s->region_starts[component + 1]; ++i) {
        uint32_t a = s->regions[i];
        for (uint32_t k = s->offsets[a]; k < s->offsets[a + 1]; ++k) {
            uint32_t b = s->neighbours[k];
            if (!is_inside(s, component, b)) {
                double way = edge_way(s, w, a, b) / 2;
                reach(s, w, a, way);
                reach(s, w, b, way);
            }
        }
    }
}

// The shortest ways from the border on either side of it. A point that is nearer to the border
// needs none from one that is further.
static void find_ways(const spreader *s, walker *w, uint32_t component) {
    while (w->queue_count > 0) {
        uint32_t a = w->queue[w->queue_begin];
        w->queue_begin = w->queue_begin + 1 == s->anchors->point_count ? 0 : w->queue_begin + 1;
        w->queue_count--;
        w->queued[a] = false;
        bool inside = is_inside(s, component, a);
        for (uint32_t k = s->offsets[a]; k < s->offsets[a + 1]; ++k) {
            uint32_t b = s->neighbours[k];
            if (w->ways[a] < w->ways[b] && is_inside(s, component, b) == inside) {
                reach(s, w, b, w->ways[a] + edge_way(s, w, a, b));
            }
        }
    }
}

// From ways to shares, in their place.
static void fade(const spreader *s, walker *w, uint32_t component) {
    for (uint32_t i = 0; i < w->reached_count; ++i) {
        uint32_t v = w->reached[i];
        double way = is_inside(s, component, v) ? -w->ways[v] : w->ways[v], t = (1 - way) / 2;
        w->ways[v] = t * t * (3 - 2 * t);
    }
}

static double share_of(const spreader *s, const walker *w, uint32_t component, uint32_t point) {
    return w->ways[point] != INFINITY ? w->ways[point] : is_inside(s, component, point);
}

static void average(const spreader *s, walker *w, uint32_t component) {
    for (uint32_t i = 0; i < w->reached_count; ++i) {
        uint32_t v = w->reached[i], first = s->offsets[v], end = s->offsets[v + 1];
        double sum = 0;
        for (uint32_t k = first; k < end; ++k) {
            sum += share_of(s, w, component, s->neighbours[k]);
        }
        w->averages[i] = (w->ways[v] + sum / (end - first)) / 2;
    }
    for (uint32_t i = 0; i < w->reached_count; ++i) {
        w->ways[w->reached[i]] = w->averages[i];
    }
}

// Keeps the shares of the points reached, and forgets the ways to them.
static void keep_shares(const spreader *s, walker *w, region_shares *found) {
    sn_context *context = s->anchors->context;
    *found = (region_shares){
        .count = w->reached_count,
        .points = sni_copy(context, w->reached, w->reached_count, sizeof *found->points),
        .values = sni_alloc(context, w->reached_count, sizeof *found->values)};
    found->made = found->points != NULL && found->values != NULL;
    for (uint32_t i = 0; i < w->reached_count; ++i) {
        if (found->made) {
            found->values[i] = (float)w->ways[w->reached[i]];
        }
        w->ways[w->reached[i]] = INFINITY;
    }
}

// The shares of components around the borders of their regions.
static void spread_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const spreader *s = user;
    walker *w = &s->walkers[worker];
    for (uint32_t c = begin; c < end; ++c) {
        w->reached_count = 0;
        for (uint32_t i = 0; i < s->anchors->component_count; ++i) {
            w->units[i] = s->desc->blend * fmin(s->sizes[c], s->sizes[i]);
        }
        if (s->sizes[c] > 0) {
            begin_ways(s, w, c);
        }
        find_ways(s, w, c);
        fade(s, w, c);
        for (uint32_t i = 0; i < AVERAGES; ++i) {
            average(s, w, c);
        }
        keep_shares(s, w, &s->found[c]);
    }
}

static sn_status make_walkers(spreader *s, sn_error *error) {
    sn_context *context = s->anchors->context;
    uint32_t count = s->anchors->point_count;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(context, s->walkers, sn_context_thread_count(context));
    s->walker_count = sn_context_thread_count(context);
    for (uint32_t i = 0; i < s->walker_count; ++i) {
        walker *w = &s->walkers[i];
        SNI_NEW(context, w->ways, count);
        SNI_NEW(context, w->queue, count);
        SNI_NEW_ZERO(context, w->queued, count);
        SNI_NEW(context, w->reached, count);
        SNI_NEW(context, w->averages, count);
        SNI_NEW(context, w->units, s->anchors->component_count);
        for (uint32_t v = 0; v < count; ++v) {
            w->ways[v] = INFINITY;
        }
    }
cleanup:
    return status;
}

// From the points of components to the components of points.
static sn_status sort_shares(spreader *s, sn_error *error) {
    sni_anchors *anchors = s->anchors;
    sn_status status = SN_OK;
    for (uint32_t c = 0; c < anchors->component_count; ++c) {
        SN_TRY(s->found[c].made ? SN_OK : sni_fail_memory(error));
        for (uint32_t i = 0; i < s->found[c].count; ++i) {
            sni_rows_count(s->share_starts, s->found[c].points[i], 1);
        }
    }
    SNI_NEW(anchors->context, s->shares, sni_rows_begin(s->share_starts, anchors->point_count));
    for (uint32_t c = 0; c < anchors->component_count; ++c) {
        for (uint32_t i = 0; i < s->found[c].count; ++i) {
            uint32_t at = sni_rows_take(s->share_starts, s->found[c].points[i]);
            s->shares[at] = (share){c, s->found[c].values[i]};
        }
    }
    sni_rows_end(s->share_starts, anchors->point_count);
cleanup:
    return status;
}

static sn_status spread_all(spreader *s, sn_error *error) {
    sni_anchors *anchors = s->anchors;
    sn_context *context = anchors->context;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(context, s->offsets, (size_t)anchors->point_count + 1);
    SNI_NEW(context, s->neighbours, 6 * (size_t)s->desc->triangle_count);
    list_neighbours(s);
    SNI_NEW(context, s->region_starts, (size_t)anchors->component_count + 1);
    SNI_NEW(context, s->regions, anchors->point_count);
    sni_rows_from_keys(anchors->owners, anchors->point_count, 1, anchors->component_count,
                       s->region_starts, s->regions);
    SN_TRY(make_walkers(s, error));
    SNI_NEW_ZERO(context, s->found, anchors->component_count);
    sn_parallel_for(context, anchors->component_count, 1, spread_block, s);
    SN_TRY(sort_shares(s, error));
cleanup:
    return status;
}

// Puts a share among those kept, by falling value. Returns the value of the one that has no room.
static float keep(share *kept, uint32_t *count, share now) {
    enum { ROOM = SNI_MOST_TIES - 1 };
    share out = {.value = 0};
    uint32_t at = *count;
    while (at > 0 && kept[at - 1].value < now.value) {
        at--;
    }
    if (at == ROOM) {
        return now.value;
    }
    if (*count == ROOM) {
        out = kept[--*count];
    }
    memmove(kept + at + 1, kept + at, (*count - at) * sizeof *kept);
    kept[at] = now;
    ++*count;
    return out.value;
}

// The greatest shares of a point, its own first, as parts of 1. What the greatest one left out has
// is taken from the others, so that none comes or goes at once along the skin.
static uint32_t take_ties(const spreader *s, uint32_t point, sni_tie *ties) {
    share kept[SNI_MOST_TIES - 1];
    uint32_t count = 0, owner = s->anchors->owners[point], made = 1;
    float left = 0, own = 1;
    for (uint32_t i = s->share_starts[point + 1]; i > s->share_starts[point]; --i) {
        if (s->shares[i - 1].component == owner) {
            own = s->shares[i - 1].value;
        } else {
            left = fmaxf(left, keep(kept, &count, s->shares[i - 1]));
        }
    }
    float sum = own, rest = 1;
    for (uint32_t i = 0; i < count; ++i) {
        if (kept[i].value > left) {
            ties[made] = (sni_tie){kept[i].component, SN_NONE, kept[i].value - left};
            sum += ties[made++].weight;
        }
    }
    for (uint32_t i = 1; i < made; ++i) {
        ties[i].weight /= sum;
        rest -= ties[i].weight;
    }
    ties[0] = (sni_tie){owner, SN_NONE, rest};
    return made;
}

static void count_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const spreader *s = user;
    sni_tie ties[SNI_MOST_TIES];
    for (uint32_t v = begin; v < end; ++v) {
        s->anchors->tie_starts[v + 1] = take_ties(s, v, ties);
    }
}

static void tie_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const spreader *s = user;
    sni_tie ties[SNI_MOST_TIES];
    for (uint32_t v = begin; v < end; ++v) {
        uint32_t count = take_ties(s, v, ties);
        memcpy(s->anchors->ties + s->anchors->tie_starts[v], ties, count * sizeof *ties);
    }
}

static sn_status make_ties(spreader *s, sn_error *error) {
    sni_anchors *anchors = s->anchors;
    uint32_t count = anchors->point_count;
    sn_status status = SN_OK;
    anchors->tie_starts[0] = 0;
    sn_parallel_for(anchors->context, count, TIE_GRAIN, count_block, s);
    SNI_NEW(anchors->context, anchors->ties, sni_rows_begin(anchors->tie_starts, count));
    sn_parallel_for(anchors->context, count, TIE_GRAIN, tie_block, s);
cleanup:
    return status;
}

static void free_spreader(sn_context *context, spreader *s) {
    for (uint32_t i = 0; i < s->walker_count; ++i) {
        sni_free(context, s->walkers[i].ways);
        sni_free(context, s->walkers[i].queue);
        sni_free(context, s->walkers[i].queued);
        sni_free(context, s->walkers[i].reached);
        sni_free(context, s->walkers[i].averages);
        sni_free(context, s->walkers[i].units);
    }
    for (uint32_t i = 0; s->found != NULL && i < s->anchors->component_count; ++i) {
        sni_free(context, s->found[i].points);
        sni_free(context, s->found[i].values);
    }
    sni_free(context, s->offsets);
    sni_free(context, s->neighbours);
    sni_free(context, s->region_starts);
    sni_free(context, s->regions);
    sni_free(context, s->walkers);
    sni_free(context, s->found);
    sni_free(context, s->share_starts);
    sni_free(context, s->shares);
}

sn_status sni_anchors_spread(sni_anchors *anchors, const sni_anchors_desc *desc,
                             const double *sizes, sn_error *error) {
    SN_ASSERT(anchors->point_count == desc->point_count);
    SN_ASSERT(desc->blend >= 0);
    sn_context *context = anchors->context;
    size_t count = anchors->point_count;
    spreader s = {.anchors = anchors, .desc = desc, .sizes = sizes};
    sn_status status = SN_OK;
    SNI_NEW(context, anchors->tie_starts, count + 1);
    SNI_NEW_ZERO(context, s.share_starts, count + 1);
    if (desc->blend > 0 && desc->triangle_count > 0) {
        SN_TRY(spread_all(&s, error));
    }
    SN_TRY(make_ties(&s, error));
cleanup:
    free_spreader(context, &s);
    return status;
}
