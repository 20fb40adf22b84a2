// SPDX-License-Identifier: Apache-2.0
//
// Dijkstra's algorithm in two steps. The first stays within the ball that holds the elements in
// question; a way found there is a way, so what it admits is admitted. Only when it leaves some
// element of the same component out (the other side of a fold) the second looks at all ways up to
// the longest allowed length. On a smooth driver the first step is all there is.
#include "skin/wrap_reach.h"

#include <string.h>

sn_status sni_wrap_reach_init(const sni_wrap_surface *surface, sni_wrap_reach *scratch,
                              sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = surface->context;
    *scratch = (sni_wrap_reach){0};
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

// The ways from `nearest` that are at most `length` long and stay within `radius` of it.
static void walk(const sni_wrap_surface *s, sni_wrap_reach *r, uint32_t nearest, double length,
                 double radius) {
    begin(s, r, nearest);
    double radius2 = radius * radius;
    while (r->heap_count > 0) {
        sni_wrap_way way = pop(r);
        if (way.distance > r->distances[way.place]) {
            continue;
        }
        for (uint32_t i = s->neighbour_offsets[way.place]; i < s->neighbour_offsets[way.place + 1];
             ++i) {
            uint32_t other = s->neighbours[i];
            float distance = way.distance + s->neighbour_lengths[i];
            if (distance > length ||
                (r->stamps[other] == r->stamp && distance >= r->distances[other])) {
                continue;
            }
            sn_vec3 offset = sn_vec3_sub(sni_wrap_place(s, other), s->centres[nearest]);
            if (sn_vec3_dot(offset, offset) <= radius2) {
                offer(r, distance, other);
            }
        }
    }
}

static bool is_admitted(const sni_wrap_surface *s, const sni_wrap_reach *r, uint32_t nearest,
                        double reach, uint32_t element) {
    double least = INFINITY;
    for (int i = 0; i < 3; ++i) {
        uint32_t place = s->places[3 * (size_t)element + i];
        if (r->stamps[place] == r->stamp) {
            double rest = sn_vec3_distance(sni_wrap_place(s, place), s->centres[element]);
            least = fmin(least, r->distances[place] + rest);
        }
    }
    double straight = sn_vec3_distance(s->centres[nearest], s->centres[element]);
    return element == nearest || least <= reach * straight + s->mean_edge;
}

static uint32_t component_of(const sni_wrap_surface *s, uint32_t element) {
    return s->components[s->places[3 * (size_t)element]];
}

// Leaves out other components; returns how many remain, and the largest distance of a centroid.
static uint32_t keep_component(const sni_wrap_surface *s, uint32_t nearest, uint32_t *elements,
                               uint32_t count, double *radius) {
    uint32_t kept = 0;
    *radius = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (component_of(s, elements[i]) == component_of(s, nearest)) {
            double straight = sn_vec3_distance(s->centres[elements[i]], s->centres[nearest]);
            *radius = fmax(*radius, straight);
            elements[kept++] = elements[i];
        }
    }
    return kept;
}

uint32_t sni_wrap_reach_filter(const sni_wrap_surface *surface, sni_wrap_reach *scratch,
                               uint32_t nearest, double reach, uint32_t *elements, uint32_t count) {
    double radius;
    count = keep_component(surface, nearest, elements, count, &radius);
    // The longest way that can be allowed, and a ball that holds the elements with their corners.
    double length = reach * radius + surface->mean_edge;
    walk(surface, scratch, nearest, length, radius + surface->mean_edge);
    uint32_t admitted = 0;
    while (admitted < count && is_admitted(surface, scratch, nearest, reach, elements[admitted])) {
        ++admitted;
    }
    if (admitted == count) {
        return count;
    }
    walk(surface, scratch, nearest, length, INFINITY);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (is_admitted(surface, scratch, nearest, reach, elements[i])) {
            elements[kept++] = elements[i];
        }
    }
    return kept;
}
