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

// A share of a component at a point.
typedef struct share {
    uint32_t component;
    float value;   // f
    uint32_t next; // share of the same point, or SN_NONE
} share;

typedef struct spreader {
    sni_anchors *anchors;
    const sni_anchors_desc *desc;
    const double *sizes; // component_count
    uint32_t *offsets;   // point_count + 1: neighbours of each point
    uint32_t *neighbours;
    double *ways;    // point_count: INFINITY for those not reached
    uint32_t *queue; // point_count: points whose way became shorter, in a ring
    uint32_t queue_begin, queue_count;
    bool *queued;      // point_count
    uint32_t *reached; // point_count: points that have a way
    uint32_t reached_count;
    double *averages; // of the points reached
    uint32_t *first;  // point_count: its shares
    share *shares;
    uint32_t share_count, share_capacity;
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

static bool add_share(spreader *s, uint32_t point, uint32_t component, double value) {
    if (!sni_grow(s->anchors->context, &s->shares, &s->share_capacity, s->share_count + 1,
                  sizeof *s->shares)) {
        return false;
    }
    s->shares[s->share_count] = (share){component, (float)value, s->first[point]};
    s->first[point] = s->share_count++;
    return true;
}

static double length_unit(const spreader *s, uint32_t component, uint32_t point) {
    uint32_t owner = s->anchors->owners[point];
    return s->desc->blend * fmin(s->sizes[component], s->sizes[owner]);
}

// Begins a way at a point, or makes it shorter: the point is to hand that on.
static void reach(spreader *s, uint32_t point, double way) {
    if (!(way < 1 && way < s->ways[point])) {
        return;
    }
    if (s->ways[point] == INFINITY) {
        s->reached[s->reached_count++] = point;
    }
    s->ways[point] = way;
    if (!s->queued[point]) {
        uint32_t count = s->anchors->point_count, end = s->queue_begin + s->queue_count++;
        s->queue[end < count ? end : end - count] = point;
        s->queued[point] = true;
    }
}

static double edge_way(const spreader *s, uint32_t component, uint32_t v, uint32_t w) {
    double unit = (length_unit(s, component, v) + length_unit(s, component, w)) / 2;
    return sn_vec3_distance(point_of(s, v), point_of(s, w)) / unit;
}

static bool is_inside(const spreader *s, uint32_t component, uint32_t point) {
    return s->anchors->owners[point] == component;
}

// The border of a region runs through the middles of edges.
static void begin_ways(spreader *s, uint32_t component, const uint32_t *region, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t v = region[i];
        for (uint32_t k = s->offsets[v]; k < s->offsets[v + 1]; ++k) {
            uint32_t w = s->neighbours[k];
            if (!is_inside(s, component, w)) {
                double way = edge_way(s, component, v, w) / 2;
                reach(s, v, way);
                reach(s, w, way);
            }
        }
    }
}

// The shortest ways from the border on either side of it.
static void find_ways(spreader *s, uint32_t component) {
    while (s->queue_count > 0) {
        uint32_t v = s->queue[s->queue_begin];
        s->queue_begin = s->queue_begin + 1 == s->anchors->point_count ? 0 : s->queue_begin + 1;
        s->queue_count--;
        s->queued[v] = false;
        for (uint32_t k = s->offsets[v]; k < s->offsets[v + 1]; ++k) {
            uint32_t w = s->neighbours[k];
            if (is_inside(s, component, v) == is_inside(s, component, w)) {
                reach(s, w, s->ways[v] + edge_way(s, component, v, w));
            }
        }
    }
}

// From ways to shares, in their place.
static void fade(spreader *s, uint32_t component) {
    for (uint32_t i = 0; i < s->reached_count; ++i) {
        uint32_t v = s->reached[i];
        double way = is_inside(s, component, v) ? -s->ways[v] : s->ways[v], t = (1 - way) / 2;
        s->ways[v] = t * t * (3 - 2 * t);
    }
}

static double share_of(const spreader *s, uint32_t component, uint32_t point) {
    return s->ways[point] != INFINITY ? s->ways[point] : is_inside(s, component, point);
}

static void average(spreader *s, uint32_t component) {
    for (uint32_t i = 0; i < s->reached_count; ++i) {
        uint32_t v = s->reached[i], first = s->offsets[v], end = s->offsets[v + 1];
        double sum = 0;
        for (uint32_t k = first; k < end; ++k) {
            sum += share_of(s, component, s->neighbours[k]);
        }
        s->averages[i] = (s->ways[v] + sum / (end - first)) / 2;
    }
    for (uint32_t i = 0; i < s->reached_count; ++i) {
        s->ways[s->reached[i]] = s->averages[i];
    }
}

// The shares of a component around the border of its region.
static bool spread(spreader *s, uint32_t component, const uint32_t *region, uint32_t count) {
    bool added = true;
    s->reached_count = 0;
    if (s->sizes[component] > 0) {
        begin_ways(s, component, region, count);
    }
    find_ways(s, component);
    fade(s, component);
    for (uint32_t i = 0; i < AVERAGES; ++i) {
        average(s, component);
    }
    for (uint32_t i = 0; i < s->reached_count && added; ++i) {
        added = add_share(s, s->reached[i], component, s->ways[s->reached[i]]);
    }
    for (uint32_t i = 0; i < s->reached_count; ++i) {
        s->ways[s->reached[i]] = INFINITY;
    }
    return added;
}

static sn_status spread_all(spreader *s, sn_error *error) {
    sni_anchors *anchors = s->anchors;
    uint32_t *starts = NULL, *points = NULL; // the points of each region
    sn_status status = SN_OK;
    SNI_NEW(anchors->context, starts, (size_t)anchors->component_count + 1);
    SNI_NEW(anchors->context, points, anchors->point_count);
    sni_rows_from_keys(anchors->owners, anchors->point_count, 1, anchors->component_count, starts,
                       points);
    for (uint32_t c = 0; c < anchors->component_count; ++c) {
        bool made = spread(s, c, points + starts[c], starts[c + 1] - starts[c]);
        SN_TRY(made ? SN_OK : sni_fail_memory(error));
    }
cleanup:
    sni_free(anchors->context, starts);
    sni_free(anchors->context, points);
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
    for (uint32_t i = s->first[point]; i != SN_NONE; i = s->shares[i].next) {
        if (s->shares[i].component == owner) {
            own = s->shares[i].value;
        } else {
            left = fmaxf(left, keep(kept, &count, s->shares[i]));
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

static sn_status make_ties(const spreader *s, sn_error *error) {
    sni_anchors *anchors = s->anchors;
    sni_tie ties[SNI_MOST_TIES];
    sn_status status = SN_OK;
    anchors->tie_starts[0] = 0;
    for (uint32_t v = 0; v < anchors->point_count; ++v) {
        anchors->tie_starts[v + 1] = anchors->tie_starts[v] + take_ties(s, v, ties);
    }
    SNI_NEW(anchors->context, anchors->ties, anchors->tie_starts[anchors->point_count]);
    for (uint32_t v = 0; v < anchors->point_count; ++v) {
        uint32_t count = take_ties(s, v, ties);
        memcpy(anchors->ties + anchors->tie_starts[v], ties, count * sizeof *ties);
    }
cleanup:
    return status;
}

sn_status sni_anchors_spread(sni_anchors *anchors, const sni_anchors_desc *desc,
                             const double *sizes, sn_error *error) {
    SN_ASSERT(anchors->point_count == desc->point_count);
    SN_ASSERT(desc->blend >= 0);
    sn_context *context = anchors->context;
    uint32_t count = anchors->point_count;
    spreader s = {.anchors = anchors, .desc = desc, .sizes = sizes};
    sn_status status = SN_OK;
    bool spreads = desc->blend > 0 && desc->triangle_count > 0;
    SNI_NEW(context, anchors->tie_starts, (size_t)count + 1);
    SNI_NEW(context, s.first, count);
    memset(s.first, 0xff, count * sizeof *s.first); // SN_NONE
    if (spreads) {
        SNI_NEW_ZERO(context, s.offsets, (size_t)count + 1);
        SNI_NEW(context, s.neighbours, 6 * (size_t)desc->triangle_count);
        SNI_NEW(context, s.ways, count);
        SNI_NEW(context, s.queue, count);
        SNI_NEW_ZERO(context, s.queued, count);
        SNI_NEW(context, s.reached, count);
        SNI_NEW(context, s.averages, count);
        for (uint32_t v = 0; v < count; ++v) {
            s.ways[v] = INFINITY;
        }
        list_neighbours(&s);
        SN_TRY(spread_all(&s, error));
    }
    SN_TRY(make_ties(&s, error));
cleanup:
    sni_free(context, s.offsets);
    sni_free(context, s.neighbours);
    sni_free(context, s.ways);
    sni_free(context, s.queue);
    sni_free(context, s.queued);
    sni_free(context, s.reached);
    sni_free(context, s.averages);
    sni_free(context, s.first);
    sni_free(context, s.shares);
    return status;
}
