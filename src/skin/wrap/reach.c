// SPDX-License-Identifier: Apache-2.0
//
// Three steps, each for what the one before leaves open. Whatever a way lets count wholly does so
// by the shortest way too, so that the result is that of the last step alone.
//
// 1. The trails that are known from the corners of an element before: from the corners of the new
//    one to those and on. Neighbours in the driver's order mostly share corners.
// 2. Trails in the order of the number of sides, within the ball that holds the elements in
// question:
//    not the shortest ways, but ways. They need no heap.
// 3. When some element of the same component is still in doubt (the other side of a fold),
//    Dijkstra's algorithm from each of the three corners, up to the longest way that can count.
#include "skin/wrap/reach.h"

#include <string.h>

sn_status sni_wrap_reach_init(const sni_wrap_surface *surface, sni_wrap_reach *scratch,
                              sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = surface->context;
    *scratch = (sni_wrap_reach){.stamp = 1, .trail_stamp = 1};
    SNI_NEW(context, scratch->distances, surface->place_count);
    SNI_NEW_ZERO(context, scratch->stamps, surface->place_count);
    SNI_NEW(context, scratch->trails, surface->place_count);
    SNI_NEW_ZERO(context, scratch->trail_stamps, surface->place_count);
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
    sni_free(context, scratch->trails);
    sni_free(context, scratch->trail_stamps);
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

// The next stamp; all stamps become old.
static void begin(const sni_wrap_surface *s, uint32_t *stamps, uint32_t *stamp) {
    if (++*stamp == 0) {
        memset(stamps, 0, s->place_count * sizeof *stamps);
        *stamp = 1;
    }
}

// The shortest ways from a place that are at most `length` long.
static void walk(const sni_wrap_surface *s, sni_wrap_reach *r, uint32_t from, double length) {
    begin(s, r->stamps, &r->stamp);
    r->heap_count = 0;
    offer(r, 0, from);
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

// The way to an element from where the walk began, infinite where it did not come.
static inline float way_to(const sni_wrap_surface *s, const sni_wrap_reach *r, uint32_t element) {
    const uint32_t *places = s->places + 3 * (size_t)element;
    float way = INFINITY;
    for (int i = 0; i < 3; ++i) {
        bool is_shorter = r->stamps[places[i]] == r->stamp && r->distances[places[i]] < way;
        way = is_shorter ? r->distances[places[i]] : way;
    }
    return way;
}

// ---------------------------------------------------------------------------------------------
// Trails

// The element that points are nearest to.
typedef struct start {
    uint32_t element;
    uint32_t places[3];
    sn_vec3 corners[3];
    double slope, edge; // an element counts wholly where way <= slope near + edge
} start;

static start start_at(const sni_wrap_surface *s, uint32_t element, double reach) {
    start from = {
        .element = element, .slope = reach - fmax(reach - 1, 0) / 2, .edge = s->mean_edge};
    for (int i = 0; i < 3; ++i) {
        from.places[i] = s->places[3 * (size_t)element + i];
        from.corners[i] = sni_wrap_place(s, from.places[i]);
    }
    return from;
}

static void shorten(sni_wrap_trail *trail, const sni_wrap_trail *before, float length) {
    for (int i = 0; i < 3; ++i) {
        float through = before->lengths[i] + length;
        trail->lengths[i] = through < trail->lengths[i] ? through : trail->lengths[i];
    }
}

static void begin_trails(const sni_wrap_surface *s, sni_wrap_reach *r, const start *from) {
    begin(s, r->trail_stamps, &r->trail_stamp);
    r->heap_count = 0;
    for (int i = 0; i < 3; ++i) {
        uint32_t place = from->places[i];
        if (r->trail_stamps[place] != r->trail_stamp) {
            r->trail_stamps[place] = r->trail_stamp;
            r->heap[r->heap_count++] = (sni_wrap_way){0, place};
        }
        for (int k = 0; k < 3; ++k) {
            r->trails[place].lengths[k] =
                (float)sn_vec3_distance(from->corners[i], from->corners[k]);
        }
    }
}

// Trails from the corners of an element that stay within `radius` of it. The heap serves as the
// queue.
static void stroll(const sni_wrap_surface *s, sni_wrap_reach *r, const start *from, double radius) {
    begin_trails(s, r, from);
    float radius2 = (float)(radius * radius), centre[3];
    sn_vec3_store(s->centres[from->element], centre);
    for (uint32_t next = 0; next < r->heap_count; ++next) {
        uint32_t place = r->heap[next].place;
        for (uint32_t i = s->neighbour_offsets[place]; i < s->neighbour_offsets[place + 1]; ++i) {
            uint32_t other = s->neighbours[i];
            if (r->trail_stamps[other] != r->trail_stamp) {
                const float *p = s->positions + 3 * (size_t)s->place_vertices[other];
                float x = p[0] - centre[0], y = p[1] - centre[1], z = p[2] - centre[2];
                if (x * x + y * y + z * z > radius2) {
                    continue;
                }
                r->trail_stamps[other] = r->trail_stamp;
                r->trails[other] = (sni_wrap_trail){{INFINITY, INFINITY, INFINITY}};
                r->heap[r->heap_count++] = (sni_wrap_way){0, other};
            }
            shorten(&r->trails[other], &r->trails[place], s->neighbour_lengths[i]);
        }
    }
}

// Whether an element counts wholly wherever the foot of a point lies, if it is at most `ways` from
// the corners. Along the direction u between the centroids the foot is at least
//
//     l(Q) = u.Q - max_j u.w_j <= near(Q, k)
//
// from the corners w_j of the element. This is linear in Q, as is the way: the corners decide. Ways
// count for more than rounding can make them shorter.
static bool counts_wholly(const sni_wrap_surface *s, const start *from, uint32_t element,
                          const float ways[3]) {
    sn_vec3 u = sn_vec3_normalize_or(sn_vec3_sub(s->centres[from->element], s->centres[element]),
                                     sn_vec3_make(0, 0, 0));
    double front = -INFINITY;
    for (int i = 0; i < 3; ++i) {
        sn_vec3 corner = sni_wrap_place(s, s->places[3 * (size_t)element + i]);
        front = fmax(front, sn_vec3_dot(u, corner));
    }
    bool is_near = true, is_shallow = true;
    for (int i = 0; i < 3; ++i) {
        double more = ways[i] * (1 + 1e-4) - from->edge * (1 - 1e-4);
        is_near = is_near && more <= 0;
        is_shallow = is_shallow && more <= from->slope * (sn_vec3_dot(u, from->corners[i]) - front);
    }
    return is_near || is_shallow;
}

// Whether all elements count wholly by ways that go from the corners to where the trails begin, and
// on along these.
static bool all_count(const sni_wrap_surface *s, const sni_wrap_reach *r, const start *from,
                      const uint32_t *elements, uint32_t count) {
    for (int i = 0; i < 3; ++i) {
        if (r->trail_stamps[from->places[i]] != r->trail_stamp) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        sni_wrap_trail on = {{INFINITY, INFINITY, INFINITY}};
        for (int k = 0; k < 3; ++k) {
            uint32_t place = s->places[3 * (size_t)elements[i] + k];
            if (r->trail_stamps[place] == r->trail_stamp) {
                shorten(&on, &r->trails[place], 0);
            }
        }
        float ways[3];
        for (int k = 0; k < 3; ++k) {
            const float *back = r->trails[from->places[k]].lengths;
            ways[k] = fminf(fminf(back[0] + on.lengths[0], back[1] + on.lengths[1]),
                            back[2] + on.lengths[2]);
        }
        if (!counts_wholly(s, from, elements[i], ways)) {
            return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------

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

// Whether an element counts for no foot: it is farther than the limit from all corners. A foot
// between them is no farther through the air than between the distances of the corners, and as far
// along the surface.
static bool counts_nowhere(const sni_wrap_surface *s, const start *from, double reach,
                           uint32_t element, const float ways[3]) {
    for (int i = 0; i < 3; ++i) {
        double near = INFINITY;
        for (int k = 0; k < 3; ++k) {
            sn_vec3 corner = sni_wrap_place(s, s->places[3 * (size_t)element + k]);
            near = fmin(near, sn_vec3_distance(from->corners[i], corner));
        }
        if (ways[i] < reach * near + 2 * from->edge) {
            return false;
        }
    }
    return true;
}

// The shortest ways to all elements. Those that count nowhere are left out, among them all that are
// not reached: ways are followed for longer than what can count at any corner. Returns how many are
// left.
static uint32_t measure_ways(const sni_wrap_surface *s, sni_wrap_reach *r, const start *from,
                             double reach, double length, uint32_t *elements, uint32_t count,
                             float *ways) {
    for (int i = 0; i < 3; ++i) {
        walk(s, r, from->places[i], length);
        for (uint32_t k = 0; k < count; ++k) {
            ways[3 * (size_t)k + i] = way_to(s, r, elements[k]);
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const float *own = ways + 3 * (size_t)i;
        bool is_reached = isfinite(own[0]) && isfinite(own[1]) && isfinite(own[2]);
        if (is_reached && !counts_nowhere(s, from, reach, elements[i], own)) {
            elements[kept] = elements[i];
            memmove(ways + 3 * (size_t)kept, own, 3 * sizeof *own);
            kept++;
        }
    }
    return kept;
}

bool sni_wrap_reach_filter(const sni_wrap_surface *surface, sni_wrap_reach *scratch,
                           uint32_t nearest, double reach, uint32_t *elements, uint32_t *count,
                           float *ways) {
    SN_ASSERT(nearest < surface->count);
    SN_ASSERT(*count == 0 || (elements != NULL && ways != NULL));
    const start from = start_at(surface, nearest, reach);
    if (all_count(surface, scratch, &from, elements, *count)) {
        return true;
    }
    double radius, size = surface->radii[nearest];
    *count = keep_component(surface, nearest, elements, *count, &radius);
    // A ball that holds the elements with their corners.
    stroll(surface, scratch, &from, radius + surface->mean_edge / 2);
    if (all_count(surface, scratch, &from, elements, *count)) {
        return true;
    }
    double length = reach * (radius + size) + 2 * surface->mean_edge + 2 * size;
    *count = measure_ways(surface, scratch, &from, reach, length, elements, *count, ways);
    for (uint32_t i = 0; i < *count; ++i) {
        if (!counts_wholly(surface, &from, elements[i], ways + 3 * (size_t)i)) {
            return false;
        }
    }
    return true;
}
