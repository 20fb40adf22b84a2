// SPDX-License-Identifier: Apache-2.0
//
// Three steps, each for what the one before leaves open. Whatever a way lets count wholly does so
// by the shortest way too, so that the result is that of the last step alone.
//
// 1. The trails that are known from an element before: from the corners of the new one to where
//    they begin and on. They begin at the corners of a pair, so that the second of two triangles
//    that share their candidates finds its own.
// 2. Trails in the order of the number of sides, within the ball that holds the elements in
//    question: not the shortest ways, but ways. They need no heap.
// 3. When some element of the same component is still in doubt (the other side of a fold),
//    Dijkstra's algorithm from each of the three corners, up to the longest way that can count.
//
// In the first two most elements count by far: eight at a time in float show that, and only what
// is left in doubt is looked at in double.
#include "skin/wrap/reach.h"

#include "base/simd_f32x4.h"
#include "skin/wrap/distance.h"

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
    // For eight elements at a time, in float.
    bool is_plain;       // squares of edges are far from the ends of the range
    float offsets[3][3]; // corners from the first one
    float sum[3];        // their sum
    float size2;         // the largest of their squared lengths
} start;

// An edge is the mean of at most 2^34: triangles are not so much larger that their coordinates
// would leave the range of floats.
static const double least_plain = 1e-12, most_plain = 1e12;

static start start_at(const sni_wrap_surface *s, uint32_t element, double reach) {
    start from = {.element = element,
                  .slope = reach - fmax(reach - 1, 0) / 2,
                  .edge = s->mean_edge,
                  .is_plain = s->mean_edge > least_plain && s->mean_edge < most_plain};
    for (int i = 0; i < 3; ++i) {
        from.places[i] = s->places[3 * (size_t)element + i];
        from.corners[i] = sni_wrap_place(s, from.places[i]);
        sn_vec3 offset = sn_vec3_sub(from.corners[i], from.corners[0]);
        sn_vec3_store(offset, from.offsets[i]);
        from.size2 = fmaxf(from.size2, (float)sn_vec3_dot(offset, offset));
        for (int k = 0; k < 3; ++k) {
            from.sum[k] += from.offsets[i][k];
        }
    }
    return from;
}

static void shorten(sni_wrap_trail *trail, const sni_wrap_trail *before, float length) {
    sni_f32x4 through = sni_f32x4_add(sni_f32x4_load(before->lengths), sni_f32x4_set1(length));
    sni_f32x4_store(trail->lengths, sni_f32x4_min(through, sni_f32x4_load(trail->lengths)));
}

// Adds an origin of trails: a corner at a place that is none yet. To the origins before it `near`
// has a side, in other cases a way leads along two sides.
static void add_origin(const sni_wrap_surface *s, sni_wrap_reach *r, uint32_t place,
                       const uint32_t near[3]) {
    uint32_t number = r->heap_count;
    if (r->trail_stamps[place] == r->trail_stamp || number == SNI_WRAP_ORIGINS) {
        return;
    }
    sni_wrap_trail *own = &r->trails[place];
    *own = (sni_wrap_trail){{INFINITY, INFINITY, INFINITY, INFINITY}};
    for (int i = 0; i < 3; ++i) {
        if (r->trail_stamps[near[i]] == r->trail_stamp) {
            double side = sn_vec3_distance(sni_wrap_place(s, place), sni_wrap_place(s, near[i]));
            shorten(own, &r->trails[near[i]], (float)side);
        }
    }
    own->lengths[number] = 0;
    r->trail_stamps[place] = r->trail_stamp;
    r->heap[r->heap_count++] = (sni_wrap_way){0, place};
    for (uint32_t i = 0; i < number; ++i) {
        r->trails[r->heap[i].place].lengths[number] = own->lengths[i];
    }
}

// The corners of the element come first: all other places then have finite ways from them.
static void begin_trails(const sni_wrap_surface *s, sni_wrap_reach *r, const start *from) {
    begin(s, r->trail_stamps, &r->trail_stamp);
    r->heap_count = 0;
    uint32_t first = sni_wrap_first_of_pair(s, from->element);
    uint32_t last = sni_wrap_last_of_pair(s, first);
    const uint32_t *others = s->places + 3 * (size_t)(from->element == first ? last : first);
    for (int i = 0; i < 3; ++i) {
        add_origin(s, r, from->places[i], from->places);
    }
    for (int i = 0; i < 3; ++i) {
        add_origin(s, r, others[i], others);
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
                r->trails[other] = (sni_wrap_trail){{INFINITY, INFINITY, INFINITY, INFINITY}};
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

// The shortest trails to eight elements.
static void find_trails(const sni_wrap_surface *s, const sni_wrap_reach *r,
                        const uint32_t elements[SNI_WIDTH], sni_wrap_trail trails[SNI_WIDTH]) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        const uint32_t *places = s->places + 3 * (size_t)elements[i];
        sni_f32x4 least = sni_f32x4_set1(INFINITY);
        for (int k = 0; k < 3; ++k) {
            if (r->trail_stamps[places[k]] == r->trail_stamp) {
                least = sni_f32x4_min(least, sni_f32x4_load(r->trails[places[k]].lengths));
            }
        }
        sni_f32x4_store(trails[i].lengths, least);
    }
}

// The ways to eight elements from each corner: to where the trails begin, and on along these.
static void find_ways(const sni_wrap_reach *r, const start *from,
                      const sni_wrap_trail trails[SNI_WIDTH], float ways[3][SNI_WIDTH]) {
    const sni_rows rows = {trails[0].lengths, trails[1].lengths, trails[2].lengths,
                           trails[3].lengths, trails[4].lengths, trails[5].lengths,
                           trails[6].lengths, trails[7].lengths};
    sni_f32xw4 on = sni_f32xw_transpose4(rows, 0);
    for (int k = 0; k < 3; ++k) {
        const float *back = r->trails[from->places[k]].lengths;
        sni_f32xw a = sni_f32xw_min(sni_f32xw_add(sni_f32xw_set1(back[0]), on.x),
                                    sni_f32xw_add(sni_f32xw_set1(back[1]), on.y));
        sni_f32xw b = sni_f32xw_min(sni_f32xw_add(sni_f32xw_set1(back[2]), on.z),
                                    sni_f32xw_add(sni_f32xw_set1(back[3]), on.w));
        sni_f32xw_store(ways[k], sni_f32xw_min(a, b));
    }
}

// The corners of eight elements from the first corner of the element that points are nearest to.
// Differences of floats are off by one rounding of themselves.
static void find_corners(const sni_wrap_surface *s, const start *from,
                         const uint32_t elements[SNI_WIDTH], sni_wide3 corners[3]) {
    const float *rows[SNI_WIDTH];
    for (int i = 0; i < SNI_WIDTH; ++i) {
        rows[i] = s->corners + (size_t)SNI_WRAP_CORNERS * elements[i];
    }
    const sni_rows eight = {rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7]};
    sni_f32xw4 a = sni_f32xw_transpose4(eight, 0), b = sni_f32xw_transpose4(eight, 4);
    sni_f32xw4 c = sni_f32xw_transpose4(eight, 8);
    const sni_wide3 zero = {sni_f32xw_set1((float)from->corners[0].x),
                            sni_f32xw_set1((float)from->corners[0].y),
                            sni_f32xw_set1((float)from->corners[0].z)};
    corners[0] = sni_wide3_sub((sni_wide3){a.x, a.y, a.z}, zero);
    corners[1] = sni_wide3_sub((sni_wide3){a.w, b.x, b.y}, zero);
    corners[2] = sni_wide3_sub((sni_wide3){b.z, b.w, c.x}, zero);
}

// Which of eight elements do not surely count wholly, lane 0 lowest. As counts_wholly, in float and
// with the direction v = 3 (centroid of `from` - centroid of the element) as it is:
//
//     more_i |v| <= slope (v.v_i - max_j v.w_j)
//
// Margins are larger than roundings: of ways and edge relative to them, of products v.w relative to
// |v| |w|. Directions whose squares leave the range of floats show nothing.
static uint32_t find_doubtful(const sni_wrap_surface *s, const start *from,
                              const uint32_t elements[SNI_WIDTH], float ways[3][SNI_WIDTH]) {
    const sni_f32xw slope = sni_f32xw_set1((float)from->slope);
    const sni_f32xw more_way = sni_f32xw_set1(1 + 2e-4f);
    const sni_f32xw less_edge = sni_f32xw_set1((float)from->edge * (1 - 2e-4f));
    sni_wide3 w[3], v = {sni_f32xw_set1(from->sum[0]), sni_f32xw_set1(from->sum[1]),
                         sni_f32xw_set1(from->sum[2])};
    find_corners(s, from, elements, w);
    sni_f32xw size2 = sni_f32xw_set1(from->size2);
    for (int i = 0; i < 3; ++i) {
        v = sni_wide3_sub(v, w[i]);
        size2 = sni_f32xw_max(size2, sni_wide3_dot(w[i], w[i]));
    }
    sni_f32xw front = sni_f32xw_max(sni_f32xw_max(sni_wide3_dot(v, w[0]), sni_wide3_dot(v, w[1])),
                                    sni_wide3_dot(v, w[2]));
    sni_f32xw length2 = sni_wide3_dot(v, v), length = sni_f32xw_sqrt(length2);
    front = sni_f32xw_add_product(front, sni_f32xw_mul(length, sni_f32xw_set1(1e-5f)),
                                  sni_f32xw_sqrt(size2));
    sni_f32xw most = sni_f32xw_set1(-INFINITY), room = sni_f32xw_set1(INFINITY);
    for (int i = 0; i < 3; ++i) {
        const float *c = from->offsets[i];
        sni_wide3 corner = {sni_f32xw_set1(c[0]), sni_f32xw_set1(c[1]), sni_f32xw_set1(c[2])};
        sni_f32xw more = sni_f32xw_mul(sni_f32xw_load(ways[i]), more_way);
        more = sni_f32xw_sub(more, less_edge);
        sni_f32xw ahead = sni_f32xw_sub(sni_wide3_dot(v, corner), front);
        ahead = sni_f32xw_sub(sni_f32xw_mul(slope, ahead), sni_f32xw_mul(more, length));
        most = sni_f32xw_max(more, most);
        room = sni_f32xw_min(ahead, room);
    }
    sni_f32xw is_plain = sni_f32xw_min(sni_f32xw_sub(length2, sni_f32xw_set1(1e-30f)),
                                       sni_f32xw_sub(sni_f32xw_set1(1e30f), length2));
    room = sni_f32xw_choose(is_plain, room, sni_f32xw_set1(-1));
    return sni_f32xw_signs(sni_f32xw_max(room, sni_f32xw_sub(sni_f32xw_set1(0), most)));
}

// Whether those of eight elements count wholly that are not beyond the first `count`.
static bool eight_count(const sni_wrap_surface *s, const sni_wrap_reach *r, const start *from,
                        const uint32_t elements[SNI_WIDTH], uint32_t count) {
    sni_wrap_trail trails[SNI_WIDTH];
    float ways[3][SNI_WIDTH];
    find_trails(s, r, elements, trails);
    find_ways(r, from, trails, ways);
    uint32_t doubtful = from->is_plain ? find_doubtful(s, from, elements, ways) : UINT32_MAX;
    for (uint32_t i = 0; i < count; ++i) {
        const float own[3] = {ways[0][i], ways[1][i], ways[2][i]};
        if ((doubtful >> i & 1) != 0 && !counts_wholly(s, from, elements[i], own)) {
            return false;
        }
    }
    return true;
}

// Whether all elements count wholly by the trails that are known.
static bool all_count(const sni_wrap_surface *s, const sni_wrap_reach *r, const start *from,
                      const uint32_t *elements, uint32_t count) {
    for (int i = 0; i < 3; ++i) {
        if (r->trail_stamps[from->places[i]] != r->trail_stamp) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i += SNI_WIDTH) {
        uint32_t eight[SNI_WIDTH], left = count - i < SNI_WIDTH ? count - i : SNI_WIDTH;
        for (uint32_t k = 0; k < SNI_WIDTH; ++k) {
            eight[k] = elements[i + (k < left ? k : 0)];
        }
        if (!eight_count(s, r, from, eight, left)) {
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
