// SPDX-License-Identifier: Apache-2.0
//
// From triangles to springs, and from springs to the order in which rounds read them.
#include "solver/membrane_parts.h"

#include "sinew/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bits of a coordinate on the space-filling curve.
enum { CURVE_BITS = 16 };
// Vertices that are sorted by their number of neighbours among themselves: large enough that few
// slices mix numbers, small enough that they stay near each other.
enum { WINDOW = 256 };
// 1 / r of an edge without rest length: far above any in use, and its product with a length is
// finite.
static const float no_length = 1e18f;

static sn_vec3 point_of(const sni_membrane_desc *desc, uint32_t vertex) {
    return sn_vec3_load(desc->positions + 3 * (size_t)vertex);
}

static double triangle_area(const sni_membrane_desc *desc, const uint32_t *corners) {
    sn_vec3 a = point_of(desc, corners[0]);
    sn_vec3 ab = sn_vec3_sub(point_of(desc, corners[1]), a);
    sn_vec3 ac = sn_vec3_sub(point_of(desc, corners[2]), a);
    return sn_vec3_length(sn_vec3_cross(ab, ac)) / 2;
}

// One side of a triangle, seen from one of its ends.
typedef struct half_edge {
    uint32_t neighbour;
    double area;
} half_edge;

static void count_sides(const sni_membrane_desc *desc, uint32_t *offsets) {
    for (size_t i = 0; i < 3 * (size_t)desc->triangle_count; ++i) {
        offsets[desc->vertices[i] + 1] += 2;
    }
    for (uint32_t v = 0; v < desc->vertex_count; ++v) {
        offsets[v + 1] += offsets[v];
    }
}

// Fills the sides of each vertex, and its area. `ends` are the offsets behind those filled so far.
static void fill_sides(const sni_membrane_desc *desc, uint32_t *ends, half_edge *sides,
                       double *areas) {
    for (uint32_t t = 0; t < desc->triangle_count; ++t) {
        const uint32_t *corners = desc->vertices + 3 * (size_t)t;
        double area = triangle_area(desc, corners);
        for (int k = 0; k < 3; ++k) {
            uint32_t v = corners[k];
            areas[v] += area;
            sides[ends[v]++] = (half_edge){corners[(k + 1) % 3], area};
            sides[ends[v]++] = (half_edge){corners[(k + 2) % 3], area};
        }
    }
}

// By rising neighbour; there are few.
static void sort_sides(half_edge *sides, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        half_edge side = sides[i];
        uint32_t k = i;
        for (; k > 0 && sides[k - 1].neighbour > side.neighbour; --k) {
            sides[k] = sides[k - 1];
        }
        sides[k] = side;
    }
}

static int compare_sides(const void *a, const void *b) {
    const half_edge *first = a, *second = b;
    return first->neighbour != second->neighbour
               ? (first->neighbour < second->neighbour ? -1 : 1)
               : (first->area > second->area) - (first->area < second->area);
}

// Equation 1 for an edge whose triangles have this area together.
static double edge_stiffness(double area, double length, double factor) {
    double stiffness = area / (length * length);
    return factor * (stiffness < SNI_MEMBRANE_STIFFEST ? stiffness : SNI_MEMBRANE_STIFFEST);
}

// The length of an edge as the maps of its ends make it, in the mean.
static double mapped_length(const sni_membrane_desc *desc, uint32_t v, uint32_t w) {
    sn_vec3 edge = sn_vec3_sub(point_of(desc, w), point_of(desc, v));
    double sum = 0;
    for (int end = 0; end < 2; ++end) {
        const float *map = desc->maps + 9 * (size_t)(end == 0 ? v : w);
        sn_vec3 mapped = {sn_vec3_dot(sn_vec3_load(map), edge),
                          sn_vec3_dot(sn_vec3_load(map + 3), edge),
                          sn_vec3_dot(sn_vec3_load(map + 6), edge)};
        sum += sn_vec3_length(mapped);
    }
    return sum / 2;
}

// Joins the sides of a vertex that are one edge; returns the number of springs behind them.
static uint32_t join_sides(const sni_membrane_desc *desc, uint32_t v, half_edge *sides,
                           uint32_t side_count, uint32_t spring, sni_membrane_springs *springs) {
    // Sorting by insertion is for the usual handful.
    if (side_count <= 64) {
        sort_sides(sides, side_count);
    } else {
        qsort(sides, side_count, sizeof *sides, compare_sides);
    }
    for (uint32_t i = 0; i < side_count;) {
        uint32_t w = sides[i].neighbour;
        double area = 0;
        for (; i < side_count && sides[i].neighbour == w; ++i) {
            area += sides[i].area;
        }
        if (w == v) {
            continue;
        }
        double length = sn_vec3_distance(point_of(desc, v), point_of(desc, w));
        double factor = desc->elasticity != NULL
                            ? ((double)desc->elasticity[v] + (double)desc->elasticity[w]) / 2
                            : 1;
        springs->neighbours[spring] = w;
        springs->lengths[spring] = length;
        springs->rests[spring] =
            desc->rest * (desc->maps != NULL ? mapped_length(desc, v, w) : length);
        springs->stiffness[spring] =
            length > 0 ? edge_stiffness(area, length, factor) : factor * SNI_MEMBRANE_STIFFEST;
        spring++;
    }
    return spring;
}

sn_status sni_membrane_springs_make(sn_context *context, const sni_membrane_desc *desc,
                                    sni_membrane_springs *springs, sn_error *error) {
    uint32_t count = desc->vertex_count;
    size_t side_count = 6 * (size_t)desc->triangle_count;
    uint32_t *starts = NULL, *ends = NULL;
    half_edge *sides = NULL;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(context, starts, (size_t)count + 1);
    SNI_NEW(context, ends, (size_t)count + 1);
    SNI_NEW(context, sides, side_count);
    SNI_NEW_ZERO(context, springs->areas, count);
    SNI_NEW(context, springs->offsets, (size_t)count + 1);
    SNI_NEW(context, springs->neighbours, side_count);
    SNI_NEW(context, springs->lengths, side_count);
    SNI_NEW(context, springs->rests, side_count);
    SNI_NEW(context, springs->stiffness, side_count);
    count_sides(desc, starts);
    memcpy(ends, starts, ((size_t)count + 1) * sizeof *ends);
    fill_sides(desc, ends, sides, springs->areas);
    double sum = 0;
    uint32_t made = 0;
    for (uint32_t v = 0; v < count; ++v) {
        springs->offsets[v] = made;
        made = join_sides(desc, v, sides + starts[v], starts[v + 1] - starts[v], made, springs);
        for (uint32_t i = springs->offsets[v]; i < made; ++i) {
            sum += springs->lengths[i];
        }
    }
    springs->offsets[count] = made;
    springs->mean_edge = made > 0 ? sum / made : 0;
cleanup:
    sni_free(context, starts);
    sni_free(context, ends);
    sni_free(context, sides);
    return status;
}

void sni_membrane_springs_free(sn_context *context, sni_membrane_springs *springs) {
    sni_free(context, springs->offsets);
    sni_free(context, springs->neighbours);
    sni_free(context, springs->stiffness);
    sni_free(context, springs->lengths);
    sni_free(context, springs->rests);
    sni_free(context, springs->areas);
}

// A vertex and where it lies on the curve.
typedef struct curve_key {
    uint64_t key;
    uint32_t vertex;
} curve_key;

static int compare_keys(const void *a, const void *b) {
    const curve_key *first = a, *second = b;
    if (first->key != second->key) {
        return first->key < second->key ? -1 : 1;
    }
    return first->vertex < second->vertex ? -1 : 1;
}

// Bits 0, 1, 2, ... go to 0, 3, 6, ...
static uint64_t spread_bits(uint32_t value) {
    uint64_t spread = 0;
    for (int bit = 0; bit < CURVE_BITS; ++bit) {
        spread |= (uint64_t)(value >> bit & 1) << (3 * bit);
    }
    return spread;
}

// Morton's curve through the cube around all vertices.
static void make_keys(const sni_membrane_desc *desc, curve_key *keys) {
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t v = 0; v < desc->vertex_count; ++v) {
        low = sn_vec3_min(low, point_of(desc, v));
        high = sn_vec3_max(high, point_of(desc, v));
    }
    double side = fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
    double scale = side > 0 ? ((1 << CURVE_BITS) - 1) / side : 0;
    for (uint32_t v = 0; v < desc->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_scale(sn_vec3_sub(point_of(desc, v), low), scale);
        keys[v] = (curve_key){spread_bits((uint32_t)p.x) | spread_bits((uint32_t)p.y) << 1 |
                                  spread_bits((uint32_t)p.z) << 2,
                              v};
    }
    qsort(keys, desc->vertex_count, sizeof *keys, compare_keys);
}

static uint32_t degree_of(const sni_membrane_springs *springs, uint32_t vertex) {
    return springs->offsets[vertex + 1] - springs->offsets[vertex];
}

// Sorts a window by falling number of neighbours, keeping the order of equals.
static void sort_window(const sni_membrane_springs *springs, uint32_t *order, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        uint32_t vertex = order[i], degree = degree_of(springs, vertex), k = i;
        for (; k > 0 && degree_of(springs, order[k - 1]) < degree; --k) {
            order[k] = order[k - 1];
        }
        order[k] = vertex;
    }
}

static void make_order(const sni_membrane_springs *springs, const curve_key *keys, uint32_t count,
                       uint32_t place_count, uint32_t *order) {
    for (uint32_t i = 0; i < place_count; ++i) {
        order[i] = i < count ? keys[i].vertex : SN_NONE;
    }
    for (uint32_t begin = 0; begin < count; begin += WINDOW) {
        sort_window(springs, order + begin, count - begin < WINDOW ? count - begin : WINDOW);
    }
}

// The first row of each slice.
static sn_status count_rows(sni_membrane *m, const sni_membrane_springs *springs, sn_error *error) {
    uint64_t row = 0;
    for (uint32_t s = 0; s < m->slice_count; ++s) {
        uint32_t most = 0;
        for (uint32_t i = 0; i < SNI_WIDTH; ++i) {
            uint32_t v = m->order[SNI_WIDTH * s + i];
            uint32_t degree = v != SN_NONE ? degree_of(springs, v) : 0;
            most = degree > most ? degree : most;
        }
        m->starts[s] = (uint32_t)row;
        row += most;
        if (row > UINT32_MAX / SNI_WIDTH) {
            return sni_fail(error, SN_LIMIT, "membrane: too many edges");
        }
    }
    m->starts[m->slice_count] = (uint32_t)row;
    return SN_OK;
}

// The springs of the vertex at a place; returns the sum of their stiffnesses, as floats have them.
static double fill_springs(sni_membrane *m, const sni_membrane_springs *springs,
                           const uint32_t *places, uint32_t place) {
    uint32_t slice = place / SNI_WIDTH, lane = place % SNI_WIDTH, v = m->order[place];
    uint32_t first = v != SN_NONE ? springs->offsets[v] : 0;
    uint32_t degree = v != SN_NONE ? degree_of(springs, v) : 0;
    double sum = 0;
    for (uint32_t row = m->starts[slice]; row < m->starts[slice + 1]; ++row) {
        size_t at = SNI_WIDTH * (size_t)row + lane;
        uint32_t spring = first + row - m->starts[slice];
        bool used = row - m->starts[slice] < degree;
        double length = used ? springs->rests[spring] : 0;
        m->neighbours[at] = 4 * (used ? places[springs->neighbours[spring]] : place);
        m->stiffness[at] = used ? (float)springs->stiffness[spring] : 0;
        m->inverse_rest[at] = length * no_length > 1 ? (float)(1 / length) : no_length;
        sum += (double)m->stiffness[at];
    }
    return sum;
}

// Equation 2 for all vertices, and the sums D.
static void fill_totals(sni_membrane *m, const sni_membrane_desc *desc,
                        const sni_membrane_springs *springs, const uint32_t *places) {
    double unit = desc->unit > 0 ? desc->unit : springs->mean_edge;
    double scale = unit > 0 ? desc->anchor / (3 * unit * unit) : 0;
    double anchors = 0;
    m->total = 0;
    for (uint32_t place = 0; place < SNI_WIDTH * m->slice_count; ++place) {
        uint32_t v = m->order[place];
        double total = fill_springs(m, springs, places, place);
        m->anchor[place] = v != SN_NONE ? (float)(scale * springs->areas[v]) : 0;
        total += (double)m->anchor[place];
        anchors += (double)m->anchor[place];
        m->inverse_total[place] = total > 0 ? (float)(1 / total) : 0;
        m->total += total;
    }
    m->anchor_share = m->total > 0 ? anchors / m->total : 0;
}

sn_status sni_membrane_lay_out(sni_membrane *m, const sni_membrane_desc *desc,
                               const sni_membrane_springs *springs, sn_error *error) {
    uint32_t count = desc->vertex_count;
    sn_status status = SN_OK;
    curve_key *keys = NULL;
    uint32_t *places = NULL;
    m->slice_count = count / SNI_WIDTH + (count % SNI_WIDTH != 0);
    size_t place_count = SNI_WIDTH * (size_t)m->slice_count;
    SNI_NEW(m->context, keys, count);
    SNI_NEW(m->context, places, count);
    SNI_NEW(m->context, m->order, place_count);
    SNI_NEW(m->context, m->starts, (size_t)m->slice_count + 1);
    SNI_NEW(m->context, m->anchor, place_count);
    SNI_NEW(m->context, m->inverse_total, place_count);
    make_keys(desc, keys);
    make_order(springs, keys, count, (uint32_t)place_count, m->order);
    for (uint32_t i = 0; i < count; ++i) {
        places[m->order[i]] = i;
    }
    SN_TRY(count_rows(m, springs, error));
    size_t spring_count = SNI_WIDTH * (size_t)m->starts[m->slice_count];
    SNI_NEW(m->context, m->neighbours, spring_count);
    SNI_NEW(m->context, m->stiffness, spring_count);
    SNI_NEW(m->context, m->inverse_rest, spring_count);
    fill_totals(m, desc, springs, places);
cleanup:
    sni_free(m->context, keys);
    sni_free(m->context, places);
    return status;
}
