// SPDX-License-Identifier: Apache-2.0
#include "geometry/mend.h"

#include "geometry/weld.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Fans may be this part of the given area.
static const double most_cover = 0.15;

// A side of a triangle. Sorted, the sides of an edge stand together.
typedef struct side {
    uint32_t low, high, triangle;
    int32_t way; // +1 from the lower to the higher vertex
} side;

typedef struct mender {
    sn_context *context;
    const sni_solid *solid;
    sni_mended *made;
    uint32_t *map;      // vertex_count: lowest vertex at the same place
    side *sides;        // 3 x triangle_count
    uint32_t *partners; // 3 x triangle_count: the triangle beyond a corner's side, SN_NONE: none
    bool *agrees;       // 3 x triangle_count: whether that one runs along the side the other way
    bool *flipped, *seen;
    uint32_t *queue;   // triangles
    uint32_t *loops;   // vertex_count: union of the vertices of loops
    uint32_t *middles; // vertex_count: vertex in the middle of a loop, by its root
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
    return sn_vec3_load(m->made->positions + 3 * (size_t)m->made->vertices[3 * triangle + k]);
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

static uint32_t root_of(uint32_t *loops, uint32_t v) {
    while (loops[v] != v) {
        loops[v] = loops[loops[v]];
        v = loops[v];
    }
    return v;
}

static int32_t surplus_of(const mender *m, uint32_t begin, uint32_t end) {
    int32_t surplus = 0;
    for (uint32_t i = begin; i < end; ++i) {
        surplus += m->sides[i].way;
    }
    return surplus;
}

// Joins the vertices of edges with a surplus into loops.
static void find_loops(mender *m) {
    uint32_t count = 3 * m->made->triangle_count;
    for (uint32_t v = 0; v < m->solid->vertex_count; ++v) {
        m->loops[v] = v;
        m->middles[v] = SN_NONE;
    }
    for (uint32_t i = 0; i < count;) {
        uint32_t end = edge_end(m, i);
        int32_t surplus = surplus_of(m, i, end);
        if (surplus != 0) {
            uint32_t a = root_of(m->loops, m->sides[i].low);
            uint32_t b = root_of(m->loops, m->sides[i].high);
            m->loops[a > b ? a : b] = a > b ? b : a;
            ++m->made->border_edges;
        }
        i = end;
    }
}

// A vertex in the middle of the edges of each loop.
static void add_middles(mender *m) {
    uint32_t count = 3 * m->made->triangle_count;
    for (uint32_t i = 0; i < count; i = edge_end(m, i)) {
        if (surplus_of(m, i, edge_end(m, i)) == 0) {
            continue;
        }
        uint32_t root = root_of(m->loops, m->sides[i].low);
        if (m->middles[root] != SN_NONE) {
            continue;
        }
        sn_vec3 sum = {0, 0, 0};
        double edges = 0;
        for (uint32_t k = i; k < count; k = edge_end(m, k)) {
            if (surplus_of(m, k, edge_end(m, k)) != 0 &&
                root_of(m->loops, m->sides[k].low) == root) {
                const float *p = m->made->positions;
                sum = sn_vec3_add(sum, sn_vec3_load(p + 3 * (size_t)m->sides[k].low));
                sum = sn_vec3_add(sum, sn_vec3_load(p + 3 * (size_t)m->sides[k].high));
                edges += 2;
            }
        }
        m->middles[root] = m->made->vertex_count;
        sn_vec3_store(sn_vec3_scale(sum, 1 / edges),
                      m->made->positions + 3 * (size_t)m->made->vertex_count++);
    }
}

static double area_of(const mender *m, uint32_t triangle) {
    sn_vec3 a = corner(m, triangle, 0);
    return sn_vec3_length(sn_vec3_cross(sn_vec3_sub(corner(m, triangle, 1), a),
                                        sn_vec3_sub(corner(m, triangle, 2), a))) /
           2;
}

// Triangles that pass the edges of loops the way that is missing.
static void add_fans(mender *m) {
    uint32_t given = m->made->triangle_count, count = 3 * given, made = given;
    double area = 0, fans = 0;
    for (uint32_t i = 0; i < count;) {
        uint32_t end = edge_end(m, i);
        int32_t surplus = surplus_of(m, i, end);
        uint32_t from = surplus > 0 ? m->sides[i].high : m->sides[i].low;
        uint32_t to = surplus > 0 ? m->sides[i].low : m->sides[i].high;
        for (int32_t k = abs(surplus); k > 0; --k) {
            uint32_t *v = m->made->vertices + 3 * (size_t)made;
            v[0] = from;
            v[1] = to;
            v[2] = m->middles[root_of(m->loops, from)];
            fans += area_of(m, made++);
        }
        i = end;
    }
    for (uint32_t t = 0; t < given; ++t) {
        area += area_of(m, t);
    }
    m->made->triangle_count = made;
    m->made->cover = area > 0 ? fans / area : INFINITY;
}

static sn_status copy_welded(mender *m, sn_error *error) {
    const sni_solid *solid = m->solid;
    sn_status status = SN_OK;
    SNI_NEW(m->context, m->map, solid->vertex_count);
    SN_TRY(
        sni_weld_points(m->context, solid->positions, solid->vertex_count, 0, m->map, NULL, error));
    // Every loop has at least two edges, and as many vertices: there are no more middles.
    SNI_NEW(m->context, m->made->positions, 6 * (size_t)solid->vertex_count);
    SNI_NEW(m->context, m->made->vertices, 12 * (size_t)solid->triangle_count);
    memcpy(m->made->positions, solid->positions,
           3 * (size_t)solid->vertex_count * sizeof *solid->positions);
    m->made->vertex_count = solid->vertex_count;
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
    SNI_NEW(m->context, m->queue, triangles);
    SNI_NEW(m->context, m->loops, m->solid->vertex_count);
    SNI_NEW(m->context, m->middles, m->solid->vertex_count);
cleanup:
    return status;
}

sn_status sni_mend_solid(sn_context *context, const sni_solid *solid, sni_mended *mended,
                         sn_error *error) {
    mender m = {.context = context, .solid = solid, .made = mended};
    sn_status status = SN_OK;
    *mended = (sni_mended){0};
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
    find_loops(&m);
    add_middles(&m);
    add_fans(&m);
    if (!(mended->cover <= most_cover)) {
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
    sni_free(context, m.loops);
    sni_free(context, m.middles);
    return status;
}

void sni_mended_deinit(sn_context *context, sni_mended *mended) {
    sni_free(context, mended->positions);
    sni_free(context, mended->vertices);
    *mended = (sni_mended){0};
}
