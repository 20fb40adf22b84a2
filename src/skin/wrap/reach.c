// SPDX-License-Identifier: Apache-2.0
//
// Three steps, each for what the one before leaves open; whatever a way admits is admitted, so that
// the result is that of the last alone.
//
// 1. The ways of the element before, from the new one back to where they begin and on. Neighbours
//    in the driver's order are mostly neighbours in space.
// 2. Ways in the order of the number of sides, within the ball that holds the elements in question:
//    not the shortest, but ways. They need no heap.
// 3. When some element of the same component is still left out (the other side of a fold),
//    Dijkstra's algorithm looks at all ways up to the longest allowed length.
#include "skin/wrap/reach.h"

#include <string.h>

sn_status sni_wrap_reach_init(const sni_wrap_surface *surface, sni_wrap_reach *scratch,
                              sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = surface->context;
    *scratch = (sni_wrap_reach){.stamp = 1};
    SNI_NEW(context, scratch->distances, surface->place_count);
    SNI_NEW_ZERO(context, scratch->stamps, surface->place_count);
    SNI_NEW(context, scratch->heap,
            (size_t)surface->neighbour_offsets[surface->place_count] + surface->place_count + 3);
    return SN_OK;
cleanup:
    sni_wrap_reach_deinit(context, scratch);
    return status;
}

void sni_wrap_reach_deinit(sn_context *context, sni_wrap_reach *scratch) {
    sni_free(context, scratch->distances);
    sni_free(context, scratch->stamps);
    sni_free(context, scratch->heap);
    *scratch = (sni_wrap_reach){0};
}

static void push(sni_wrap_reach *r, float distance, uint32_t place) {
    uint32_t i = r->heap_count++;
    while (i > 0 && r->heap[(i - 1) / 2].distance > distance) {
        r->heap[i] = r->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    r->heap[i] = (sni_wrap_way){distance, place};
}

static sni_wrap_way pop(sni_wrap_reach *r) {
    sni_wrap_way top = r->heap[0], last = r->heap[--r->heap_count];
    uint32_t i = 0;
    for (uint32_t child = 1; child < r->heap_count; child = 2 * i + 1) {
        child += child + 1 < r->heap_count && r->heap[child + 1].distance < r->heap[child].distance;
        if (!(r->heap[child].distance < last.distance)) {
            break;
        }
        r->heap[i] = r->heap[child];
        i = child;
    }
    r->heap[i] = last;
    return top;
}

// Takes a way to a place when it is shorter than what is known.
static void offer(sni_wrap_reach *r, float distance, uint32_t place) {
    if (r->stamps[place] != r->stamp || distance < r->distances[place]) {
        r->stamps[place] = r->stamp;
        r->distances[place] = distance;
        push(r, distance, place);
    }
}

static void begin(const sni_wrap_surface *s, sni_wrap_reach *r, uint32_t nearest) {
    r->heap_count = 0;
    if (++r->stamp == 0) {
        memset(r->stamps, 0, s->place_count * sizeof *r->stamps);
        r->stamp = 1;
    }
    for (int i = 0; i < 3; ++i) {
        uint32_t place = s->places[3 * (size_t)nearest + i];
        double distance = sn_vec3_distance(s->centres[nearest], sni_wrap_place(s, place));
        offer(r, (float)distance, place);
    }
}

// Ways from `nearest` with the fewest sides that stay within `radius` of it. The heap serves as the
// queue.
static void stroll(const sni_wrap_surface *s, sni_wrap_reach *r, uint32_t nearest, double radius) {
    begin(s, r, nearest);
    float radius2 = (float)(radius * radius), centre[3];
    sn_vec3_store(s->centres[nearest], centre);
    for (uint32_t next = 0; next < r->heap_count; ++next) {
        sni_wrap_way way = r->heap[next];
        for (uint32_t i = s->neighbour_offsets[way.place]; i < s->neighbour_offsets[way.place + 1];
             ++i) {
            uint32_t other = s->neighbours[i];
            if (r->stamps[other] == r->stamp) {
                continue;
            }
            const float *p = s->positions + 3 * (size_t)s->place_vertices[other];
            float x = p[0] - centre[0], y = p[1] - centre[1], z = p[2] - centre[2];
            if (x * x + y * y + z * z <= radius2) {
                r->stamps[other] = r->stamp;
                r->distances[other] = way.distance + s->neighbour_lengths[i];
                r->heap[r->heap_count++] = (sni_wrap_way){r->distances[other], other};
            }
        }
    }
}

// The shortest ways from `nearest` that are at most `length` long.
static void walk(const sni_wrap_surface *s, sni_wrap_reach *r, uint32_t nearest, double length) {
    begin(s, r, nearest);
    while (r->heap_count > 0) {
        sni_wrap_way way = pop(r);
        if (way.distance > r->distances[way.place]) {
            continue;
        }
        for (uint32_t i = s->neighbour_offsets[way.place]; i < s->neighbour_offsets[way.place + 1];
             ++i) {
            float distance = way.distance + s->neighbour_lengths[i];
            if (distance <= length) {
                offer(r, distance, s->neighbours[i]);
            }
        }
    }
}

// The way to the centroid of an element from where the ways begin, infinite where none is known.
static inline float way_to(const sni_wrap_surface *s, const sni_wrap_reach *r, uint32_t element) {
    const uint32_t *places = s->places + 3 * (size_t)element;
    const float *rests = s->corner_distances + 3 * (size_t)element;
    float way = INFINITY;
    for (int i = 0; i < 3; ++i) {
        if (r->stamps[places[i]] == r->stamp) {
            float through = r->distances[places[i]] + rests[i];
            way = through < way ? through : way;
        }
    }
    return way;
}

// Without roots: g <= reach c + edge, for a way g.
static inline bool is_admitted(const sni_wrap_surface *s, uint32_t nearest, double reach,
                               uint32_t element, double way) {
    double more = way - s->mean_edge;
    sn_vec3 straight = sn_vec3_sub(s->centres[element], s->centres[nearest]);
    return more <= 0 || more * more <= reach * reach * sn_vec3_dot(straight, straight) ||
           element == nearest;
}

static uint32_t component_of(const sni_wrap_surface *s, uint32_t element) {
    return s->components[s->places[3 * (size_t)element]];
}

// Leaves out other components; returns how many remain, and the largest distance of a centroid.
static uint32_t keep_component(const sni_wrap_surface *s, uint32_t nearest, uint32_t *elements,
                               uint32_t count, double *radius) {
    uint32_t kept = 0;
    double farthest2 = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (component_of(s, elements[i]) == component_of(s, nearest)) {
            sn_vec3 way = sn_vec3_sub(s->centres[elements[i]], s->centres[nearest]);
            double straight2 = sn_vec3_dot(way, way);
            farthest2 = straight2 > farthest2 ? straight2 : farthest2;
            elements[kept++] = elements[i];
        }
    }
    *radius = sqrt(farthest2);
    return kept;
}

// The way from one element to another through a corner that they share.
static float way_across(const sni_wrap_surface *s, uint32_t from, uint32_t to) {
    float way = INFINITY;
    for (size_t i = 3 * (size_t)from; i < 3 * (size_t)from + 3; ++i) {
        for (size_t k = 3 * (size_t)to; k < 3 * (size_t)to + 3; ++k) {
            float through = s->corner_distances[i] + s->corner_distances[k];
            way = s->places[i] == s->places[k] && through < way ? through : way;
        }
    }
    return way;
}

// Whether all elements are admitted by ways that go `before` from `nearest` to where the known ways
// begin, and on along these. A way counts for more than rounding can make it shorter, so that
// whatever is admitted here is so by the shortest way too.
static bool all_admitted(const sni_wrap_surface *s, const sni_wrap_reach *r, uint32_t nearest,
                         double reach, double before, const uint32_t *elements, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        double way = (before + way_to(s, r, elements[i])) * (1 + 1e-4);
        if (!is_admitted(s, nearest, reach, elements[i], way) &&
            !is_admitted(s, nearest, reach, elements[i], way_across(s, nearest, elements[i]))) {
            return false;
        }
    }
    return true;
}

uint32_t sni_wrap_reach_filter(const sni_wrap_surface *surface, sni_wrap_reach *scratch,
                               uint32_t nearest, double reach, uint32_t *elements, uint32_t count) {
    SN_ASSERT(nearest < surface->count);
    SN_ASSERT(count == 0 || elements != NULL);
    float back = way_to(surface, scratch, nearest);
    if (all_admitted(surface, scratch, nearest, reach, back, elements, count)) {
        return count;
    }
    double radius;
    count = keep_component(surface, nearest, elements, count, &radius);
    // The longest way that can be allowed, and a ball that holds the elements with their corners.
    double length = reach * radius + surface->mean_edge;
    stroll(surface, scratch, nearest, radius + surface->mean_edge / 2);
    if (all_admitted(surface, scratch, nearest, reach, 0, elements, count)) {
        return count;
    }
    walk(surface, scratch, nearest, length);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (is_admitted(surface, nearest, reach, elements[i],
                        way_to(surface, scratch, elements[i]))) {
            elements[kept++] = elements[i];
        }
    }
    return kept;
}
