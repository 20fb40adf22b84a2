// SPDX-License-Identifier: Apache-2.0
#include "geometry/mend.h"

#include "geometry/triangle.h"
#include "geometry/weld.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What is added may be this part of the given area.
static const double most_cover = 0.15;
// Closing a loop takes the square of its length: a mesh with more open edges is not nearly closed.
enum { MOST_WAYS = 16384 };

// A side of a triangle. Sorted, the sides of an edge stand together.
typedef struct side {
    uint32_t low, high, triangle;
    int32_t way; // +1 from the lower to the higher vertex
} side;

// A way along an edge.
typedef struct way {
    uint32_t from, to;
} way;

typedef struct mender {
    sn_context *context;
    const sni_solid *solid;
    sni_mended *made;
    uint32_t *map;      // vertex_count: lowest vertex at the same place
    side *sides;        // 3 x triangle_count
    uint32_t *partners; // 3 x triangle_count: the triangle beyond a corner's side, SN_NONE: none
    bool *agrees;       // 3 x triangle_count: whether that one runs along the side the other way
    bool *flipped, *seen;
    uint32_t *queue; // triangles of a piece; then vertices of a way that is followed
    uint32_t way_count;
    way *ways;        // that are missing, by where they begin
    uint32_t *used;   // vertex_count: how many of the ways from there have been followed
    uint32_t *places; // vertex_count: in the way that is followed, SN_NONE where it is not on it
} mender;

static int compare_sides(const void *a, const void *b) {
    const side *l = a, *r = b;
    if (l->low != r->low) {
        return l->low < r->low ? -1 : 1;
    }
    if (l->high != r->high) {
        return l->high < r->high ? -1 : 1;
    }
    return (l->triangle > r->triangle) - (l->triangle < r->triangle);
}

static void list_sides(mender *m) {
    for (uint32_t c = 0; c < 3 * m->made->triangle_count; ++c) {
        uint32_t a = m->made->vertices[c];
        uint32_t b = m->made->vertices[c % 3 == 2 ? c - 2 : c + 1];
        m->sides[c] = (side){a < b ? a : b, a < b ? b : a, c / 3, a < b ? 1 : -1};
    }
    qsort(m->sides, 3 * (size_t)m->made->triangle_count, sizeof *m->sides, compare_sides);
}

static uint32_t edge_end(const mender *m, uint32_t begin) {
    uint32_t end = begin + 1, count = 3 * m->made->triangle_count;
    while (end < count && m->sides[end].low == m->sides[begin].low &&
           m->sides[end].high == m->sides[begin].high) {
        ++end;
    }
    return end;
}

static void add_partner(mender *m, const side *from, const side *to) {
    for (uint32_t k = 0; k < 3; ++k) {
        uint32_t slot = 3 * from->triangle + k;
        if (m->partners[slot] == SN_NONE) {
            m->partners[slot] = to->triangle;
            m->agrees[slot] = from->way != to->way;
            return;
        }
    }
}

// Triangles with an edge that is theirs alone can agree.
static void find_partners(mender *m) {
    uint32_t count = 3 * m->made->triangle_count;
    memset(m->partners, 0xff, count * sizeof *m->partners);
    for (uint32_t i = 0; i < count;) {
        uint32_t end = edge_end(m, i);
        if (end - i == 2) {
            add_partner(m, &m->sides[i], &m->sides[i + 1]);
            add_partner(m, &m->sides[i + 1], &m->sides[i]);
        }
        i = end;
    }
}

static sn_vec3 corner(const mender *m, uint32_t triangle, uint32_t k) {
    return sn_vec3_load(m->solid->positions + 3 * (size_t)m->made->vertices[3 * triangle + k]);
}

static void flip(mender *m, uint32_t triangle) {
    uint32_t *v = m->made->vertices + 3 * (size_t)triangle, swap = v[1];
    v[1] = v[2];
    v[2] = swap;
}

// Turns a piece so that its triangles agree with the first and, as a whole, face outwards. The
// volume of an open piece is measured about its middle.
static void turn_piece(mender *m, uint32_t first) {
    uint32_t count = 1;
    double volume = 0;
    sn_vec3 middle = {0, 0, 0};
    m->queue[0] = first;
    m->seen[first] = true;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t t = m->queue[i];
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t next = m->partners[3 * t + k];
            middle = sn_vec3_add(middle, corner(m, t, k));
            if (next != SN_NONE && !m->seen[next]) {
                m->seen[next] = true;
                m->flipped[next] = m->agrees[3 * t + k] ? m->flipped[t] : !m->flipped[t];
                m->queue[count++] = next;
            }
        }
    }
    middle = sn_vec3_scale(middle, 1.0 / (3.0 * count));
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t t = m->queue[i];
        sn_vec3 a = sn_vec3_sub(corner(m, t, 0), middle), b = sn_vec3_sub(corner(m, t, 1), middle);
        sn_vec3 c = sn_vec3_sub(corner(m, t, 2), middle);
        volume += (m->flipped[t] ? -1 : 1) * sn_vec3_dot(a, sn_vec3_cross(b, c));
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (m->flipped[m->queue[i]] != (volume < 0)) {
            flip(m, m->queue[i]);
        }
    }
}

static int32_t surplus_of(const mender *m, uint32_t begin, uint32_t end) {
    int32_t surplus = 0;
    for (uint32_t i = begin; i < end; ++i) {
        surplus += m->sides[i].way;
    }
    return surplus;
}

// --- Holes

static int compare_ways(const void *a, const void *b) {
    const way *l = a, *r = b;
    return l->from != r->from ? (l->from < r->from ? -1 : 1) : (l->to > r->to) - (l->to < r->to);
}

// The ways along edges that are missing: every vertex is left as often as it is entered.
static void list_missing(mender *m) {
    uint32_t count = 3 * m->made->triangle_count;
    for (uint32_t i = 0; i < count;) {
        uint32_t end = edge_end(m, i);
        int32_t surplus = surplus_of(m, i, end);
        uint32_t from = surplus > 0 ? m->sides[i].high : m->sides[i].low;
        uint32_t to = surplus > 0 ? m->sides[i].low : m->sides[i].high;
        for (int32_t k = abs(surplus); k > 0; --k) {
            m->ways[m->way_count++] = (way){from, to};
        }
        m->made->border_edges += surplus != 0;
        i = end;
    }
    qsort(m->ways, m->way_count, sizeof *m->ways, compare_ways);
}

static uint32_t first_way(const mender *m, uint32_t from) {
    uint32_t low = 0, high = m->way_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->ways[middle].from < from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static double gap(const mender *m, uint32_t a, uint32_t b) {
    return sn_vec3_distance(sn_vec3_load(m->solid->positions + 3 * (size_t)a),
                            sn_vec3_load(m->solid->positions + 3 * (size_t)b));
}

// Closes a loop by cutting off the corner whose neighbours are nearest to each other, again and
// again: across a slit, not along it.
static void close_loop(mender *m, uint32_t *loop, uint32_t count) {
    while (count >= 3) {
        uint32_t best = 0;
        double nearest = INFINITY;
        for (uint32_t i = 0; i < count && count > 3; ++i) {
            double across = gap(m, loop[(i + count - 1) % count], loop[(i + 1) % count]);
            if (across < nearest) {
                nearest = across;
                best = i;
            }
        }
        uint32_t *v = m->made->vertices + 3 * (size_t)m->made->triangle_count++;
        v[0] = loop[(best + count - 1) % count];
        v[1] = loop[best];
        v[2] = loop[(best + 1) % count];
        --count;
        memmove(loop + best, loop + best + 1, (count - best) * sizeof *loop);
    }
}

// Follows missing ways, and closes a loop wherever they come back to a vertex.
static void close_loops(mender *m) {
    uint32_t *stack = m->queue;
    for (uint32_t start = 0; start < m->way_count; ++start) {
        uint32_t depth = 1, v = m->ways[start].from;
        stack[0] = v;
        m->places[v] = 0;
        for (;;) {
            uint32_t next = first_way(m, v) + m->used[v];
            if (next >= m->way_count || m->ways[next].from != v) {
                break;
            }
            ++m->used[v];
            v = m->ways[next].to;
            if (m->places[v] == SN_NONE) {
                m->places[v] = depth;
                stack[depth++] = v;
                continue;
            }
            uint32_t first = m->places[v];
            for (uint32_t i = first + 1; i < depth; ++i) {
                m->places[stack[i]] = SN_NONE;
            }
            close_loop(m, stack + first, depth - first);
            depth = first + 1;
            stack[first] = v;
        }
        for (uint32_t i = 0; i < depth; ++i) {
            m->places[stack[i]] = SN_NONE;
        }
    }
}

static double area_of(const mender *m, uint32_t first, uint32_t end) {
    double area = 0;
    for (uint32_t t = first; t < end; ++t) {
        area += sni_triangle_area(corner(m, t, 0), corner(m, t, 1), corner(m, t, 2));
    }
    return area;
}

static void close_holes(mender *m) {
    uint32_t given = m->made->triangle_count;
    list_missing(m);
    if (m->way_count > MOST_WAYS) {
        m->made->cover = INFINITY;
        return;
    }
    close_loops(m);
    double area = area_of(m, 0, given);
    m->made->cover = area > 0 ? area_of(m, given, m->made->triangle_count) / area : INFINITY;
}

static sn_status copy_welded(mender *m, sn_error *error) {
    const sni_solid *solid = m->solid;
    sn_status status = SN_OK;
    SNI_NEW(m->context, m->map, solid->vertex_count);
    SN_TRY(
        sni_weld_points(m->context, solid->positions, solid->vertex_count, 0, m->map, NULL, error));
    // At most three ways are missing for each triangle, and loops need fewer triangles than ways.
    SNI_NEW(m->context, m->made->vertices, 12 * (size_t)solid->triangle_count);
    m->made->triangle_count =
        sni_weld_triangles(m->map, solid->vertices, solid->triangle_count, m->made->vertices, NULL);
cleanup:
    return status;
}

static sn_status make_room(mender *m, sn_error *error) {
    size_t triangles = m->solid->triangle_count;
    sn_status status = SN_OK;
    SNI_NEW(m->context, m->sides, 3 * triangles);
    SNI_NEW(m->context, m->partners, 3 * triangles);
    SNI_NEW_ZERO(m->context, m->agrees, 3 * triangles);
    SNI_NEW_ZERO(m->context, m->flipped, triangles);
    SNI_NEW_ZERO(m->context, m->seen, triangles);
    SNI_NEW(m->context, m->queue, 3 * triangles + 1);
    SNI_NEW(m->context, m->ways, 3 * triangles);
    SNI_NEW_ZERO(m->context, m->used, m->solid->vertex_count);
    SNI_NEW(m->context, m->places, m->solid->vertex_count);
    memset(m->places, 0xff, m->solid->vertex_count * sizeof *m->places);
cleanup:
    return status;
}

sn_status sni_mend_solid(sn_context *context, const sni_solid *solid, sni_mended *mended,
                         sn_error *error) {
    SN_ASSERT(solid->positions != NULL && solid->vertices != NULL);
    mender m = {.context = context, .solid = solid, .made = mended};
    sn_status status = SN_OK;
    *mended = (sni_mended){0};
    for (size_t c = 0; c < 3 * (size_t)solid->triangle_count; ++c) {
        if (solid->vertices[c] >= solid->vertex_count) {
            return sni_fail(error, SN_INVALID, "triangle %zu names vertex %u of %u", c / 3,
                            solid->vertices[c], solid->vertex_count);
        }
    }
    SN_TRY(copy_welded(&m, error));
    SN_TRY(make_room(&m, error));
    list_sides(&m);
    find_partners(&m);
    for (uint32_t t = 0; t < mended->triangle_count; ++t) {
        if (!m.seen[t]) {
            turn_piece(&m, t);
        }
    }
    list_sides(&m);
    close_holes(&m);
    if (mended->cover == INFINITY) {
        status =
            sni_fail(error, SN_INVALID, "the mesh is open along %u edges", mended->border_edges);
    } else if (!(mended->cover <= most_cover)) {
        status = sni_fail(error, SN_INVALID,
                          "the mesh is open along %u edges: what closes it would be %.0f %% of its "
                          "area",
                          mended->border_edges, 100 * mended->cover);
    }
cleanup:
    sni_free(context, m.map);
    sni_free(context, m.sides);
    sni_free(context, m.partners);
    sni_free(context, m.agrees);
    sni_free(context, m.flipped);
    sni_free(context, m.seen);
    sni_free(context, m.queue);
    sni_free(context, m.ways);
    sni_free(context, m.used);
    sni_free(context, m.places);
    return status;
}

void sni_mended_deinit(sn_context *context, sni_mended *mended) {
    sni_free(context, mended->vertices);
    *mended = (sni_mended){0};
}
