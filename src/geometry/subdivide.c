// SPDX-License-Identifier: Apache-2.0
//
// Modified butterfly subdivision (Zorin, Schroeder and Sweldens, Interpolating Subdivision for
// Meshes with Arbitrary Topology, 1996). For an edge (p, q) with apexes b1, b2 and wings c1..c4,
// the vertices beyond the other four edges of its two triangles, and d1, d2 straight beyond p and
// q:
//
//     (1/2 - w)(p + q) + (1/8 + 2w)(b1 + b2) - (1/16 + w)(c1 + .. + c4) + w (d1 + d2)        (A.1)
//     3/4 e + sum_j s_j e_j, e_j the ring of e from the other end on                         (A.2)
//     9/16 (p + q) - 1/16 (p' + q'), p' and q' the next vertices along a border or crease    (A.3)
//
// (A.1) where both ends have six neighbours, (A.2) about an end e that has not, the mean of both
// where neither has. Borders and creases are alike, "features". Near them we depart from the paper,
// which has four more stencils: an edge with one end on a feature takes (A.2) about its other end,
// one with both takes (A.1), and a wing beyond a feature is completed to a parallelogram,
// c = p + b - q. So every stencil still reproduces linear functions, and a feature's curve depends
// on nothing but itself.
#include "geometry/subdivide.h"

#include "sinew/geometry.h"

// A vertex with this many triangles around it is regular.
enum { REGULAR = 6 };

typedef struct divider {
    const sni_subdivide_desc *desc;
    sn_context *context;
    sn_topology *topology;
    uint32_t *corner_edges;   // #T x 3: the edge from each corner to the next
    uint32_t *twins;          // #T x 3: the corner that runs along the same edge; SN_NONE
    uint8_t *features;        // #E: whether the edge is a border or crease
    uint32_t *feature_counts; // #V: features at a vertex
    uint32_t *feature_ends;   // #V x 2: the other ends of the first two
    uint32_t *new_vertices;   // #E: number of the vertex that splits the edge, SN_NONE
    uint32_t *slots;          // #V: place in the row that is being made, SN_NONE
    uint32_t row_begin;
    uint32_t weight_count;
    uint32_t weight_capacities[2]; // of sources and weights
    bool out_of_memory;
    sni_subdivision *result;
} divider;

static uint32_t after(uint32_t corner) {
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static uint32_t before(uint32_t corner) {
    return corner % 3 == 0 ? corner + 2 : corner - 1;
}

// ---------------------------------------------------------------------------------------------
// Input

static sn_status check_desc(const sni_subdivide_desc *desc, sn_error *error) {
    if (desc->triangle_count > (SN_NONE - 1) / 12) {
        return sni_fail(error, SN_LIMIT, "%u triangles are too many", desc->triangle_count);
    }
    for (uint32_t t = 0; t < desc->triangle_count; ++t) {
        const uint32_t *triangle = desc->vertices + 3 * (size_t)t;
        for (int i = 0; i < 3; ++i) {
            if (triangle[i] >= desc->vertex_count) {
                return sni_fail(error, SN_INVALID, "triangle %u uses vertex %u, but there are %u",
                                t, triangle[i], desc->vertex_count);
            }
            if (triangle[i] == triangle[(i + 1) % 3]) {
                return sni_fail(error, SN_INVALID, "triangle %u uses vertex %u twice", t,
                                triangle[i]);
            }
        }
    }
    return SN_OK;
}

static sn_status find_topology(divider *d, sn_error *error) {
    const sni_subdivide_desc *desc = d->desc;
    sn_status status = SN_OK;
    uint32_t *offsets = NULL;
    SNI_NEW(d->context, offsets, (size_t)desc->triangle_count + 1);
    for (uint32_t t = 0; t <= desc->triangle_count; ++t) {
        offsets[t] = 3 * t;
    }
    // Borrows the arrays; topology needs neither positions nor anything else.
    sn_mesh mesh = {
        .context = d->context,
        .vertex_count = desc->vertex_count,
        .face_count = desc->triangle_count,
        .corner_count = 3 * desc->triangle_count,
        .face_offsets = offsets,
        .corners = (uint32_t *)desc->vertices,
    };
    SN_TRY(sn_topology_create(&mesh, &d->topology, error));
cleanup:
    sni_free(d->context, offsets);
    return status;
}

static void pair_corners(divider *d) {
    const sn_topology *topology = d->topology;
    for (uint32_t e = 0; e < topology->edge_count; ++e) {
        uint32_t begin = topology->edge_face_offsets[e], end = topology->edge_face_offsets[e + 1];
        for (uint32_t i = begin; i < end; ++i) {
            uint32_t corner = topology->edge_corners[i];
            d->corner_edges[corner] = e;
            d->twins[corner] =
                end - begin == 2 ? topology->edge_corners[begin + end - 1 - i] : SN_NONE;
        }
    }
}

// The number of an edge, SN_NONE when its vertices are not joined. Edges are sorted.
static uint32_t find_edge(const sn_topology *topology, uint32_t a, uint32_t b) {
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    uint32_t begin = 0, end = topology->edge_count;
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        const uint32_t *edge = topology->edges + 2 * (size_t)middle;
        if (edge[0] < low || (edge[0] == low && edge[1] < high)) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    const uint32_t *edge = topology->edges + 2 * (size_t)begin;
    bool found = begin < topology->edge_count && edge[0] == low && edge[1] == high;
    return found ? begin : SN_NONE;
}

static void add_feature(divider *d, uint32_t edge) {
    if (d->features[edge]) {
        return;
    }
    d->features[edge] = 1;
    const uint32_t *ends = d->topology->edges + 2 * (size_t)edge;
    for (int i = 0; i < 2; ++i) {
        uint32_t count = d->feature_counts[ends[i]]++;
        if (count < 2) {
            d->feature_ends[2 * (size_t)ends[i] + count] = ends[1 - i];
        }
    }
}

static sn_status find_features(divider *d, sn_error *error) {
    const sni_subdivide_desc *desc = d->desc;
    for (uint32_t e = 0; e < d->topology->edge_count; ++e) {
        const uint32_t *range = d->topology->edge_face_offsets + e;
        if (range[1] - range[0] != 2) {
            add_feature(d, e);
        }
    }
    for (uint32_t i = 0; i < desc->crease_count; ++i) {
        uint32_t a = desc->creases[2 * (size_t)i], b = desc->creases[2 * (size_t)i + 1];
        uint32_t edge = find_edge(d->topology, a, b);
        if (edge == SN_NONE) {
            return sni_fail(error, SN_INVALID,
                            "crease %u joins vertices %u and %u, which no edge "
                            "does",
                            i, a, b);
        }
        add_feature(d, edge);
    }
    return SN_OK;
}

// Corners of the fan that a corner belongs to, walked both ways.
static uint32_t count_fan(const divider *d, uint32_t corner) {
    uint32_t count = 1;
    uint32_t c = d->twins[before(corner)];
    for (; c != SN_NONE && c != corner; c = d->twins[before(c)]) {
        ++count;
    }
    if (c == corner) {
        return count;
    }
    for (c = d->twins[corner]; c != SN_NONE; c = d->twins[after(c)]) {
        ++count;
    }
    return count;
}

static uint32_t triangles_at(const divider *d, uint32_t vertex) {
    const uint32_t *range = d->topology->vertex_face_offsets + vertex;
    return range[1] - range[0];
}

static sn_status check_edges(const divider *d, sn_error *error) {
    const sn_topology *topology = d->topology;
    const uint32_t *vertices = d->desc->vertices;
    for (uint32_t e = 0; e < topology->edge_count; ++e) {
        uint32_t begin = topology->edge_face_offsets[e];
        uint32_t count = topology->edge_face_offsets[e + 1] - begin;
        const uint32_t *edge = topology->edges + 2 * (size_t)e;
        if (count > 2) {
            return sni_fail(error, SN_INVALID, "edge %u-%u has %u triangles, but may have two",
                            edge[0], edge[1], count);
        }
        const uint32_t *corners = topology->edge_corners + begin;
        if (count == 2 && vertices[corners[0]] == vertices[corners[1]]) {
            return sni_fail(error, SN_INVALID,
                            "triangles %u and %u run along edge %u-%u in the same direction",
                            corners[0] / 3, corners[1] / 3, edge[0], edge[1]);
        }
    }
    return SN_OK;
}

// (A.1) to (A.3) need surfaces: two triangles at an edge that agree, one fan around a vertex.
static sn_status check_manifold(const divider *d, sn_error *error) {
    sn_status status = check_edges(d, error);
    if (status != SN_OK) {
        return status;
    }
    for (uint32_t c = 0; c < 3 * d->desc->triangle_count; ++c) {
        uint32_t vertex = d->desc->vertices[c];
        // The first triangle of a vertex stands for it.
        uint32_t first = d->topology->vertex_faces[d->topology->vertex_face_offsets[vertex]];
        if (first == c / 3 && count_fan(d, c) != triangles_at(d, vertex)) {
            return sni_fail(error, SN_INVALID, "two fans of triangles meet in vertex %u", vertex);
        }
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Stencils

static void add_weight(divider *d, uint32_t vertex, double weight) {
    sni_subdivision *result = d->result;
    if (d->slots[vertex] == SN_NONE) {
        uint32_t slot = d->weight_count;
        if (slot == SN_NONE - 1 ||
            !sni_grow(d->context, &result->sources, &d->weight_capacities[0], slot + 1,
                      sizeof *result->sources) ||
            !sni_grow(d->context, &result->weights, &d->weight_capacities[1], slot + 1,
                      sizeof *result->weights)) {
            d->out_of_memory = true;
            return;
        }
        d->slots[vertex] = slot;
        result->sources[slot] = vertex;
        result->weights[slot] = 0;
        d->weight_count += 1;
    }
    result->weights[d->slots[vertex]] += weight;
}

// Closes the row, without the vertices that count nothing.
static void end_row(divider *d) {
    sni_subdivision *result = d->result;
    uint32_t kept = d->row_begin;
    for (uint32_t i = d->row_begin; i < d->weight_count; ++i) {
        d->slots[result->sources[i]] = SN_NONE;
        if (result->weights[i] != 0) {
            result->sources[kept] = result->sources[i];
            result->weights[kept++] = result->weights[i];
        }
    }
    d->weight_count = d->row_begin = kept;
}

// s_j of equation A.2 for a vertex with n neighbours.
static double ring_weight(uint32_t n, uint32_t j) {
    if (n == 3) {
        return j == 0 ? 5.0 / 12 : -1.0 / 12;
    }
    if (n == 4) {
        return j == 0 ? 3.0 / 8 : j == 2 ? -1.0 / 8 : 0;
    }
    double angle = 2 * SN_PI * j / n;
    return (0.25 + cos(angle) + 0.5 * cos(2 * angle)) / n;
}

// (A.2) about the vertex that `corner` stands at; the edge runs from there to the next corner.
static void add_ring(divider *d, uint32_t corner, double factor) {
    const uint32_t *vertices = d->desc->vertices;
    uint32_t n = triangles_at(d, vertices[corner]);
    add_weight(d, vertices[corner], 0.75 * factor);
    uint32_t c = corner;
    for (uint32_t j = 0; j < n; ++j) {
        add_weight(d, vertices[after(c)], ring_weight(n, j) * factor);
        c = d->twins[before(c)];
    }
}

// The vertex beyond the edge from `corner` to the next one, or what completes the parallelogram.
static void add_wing(divider *d, uint32_t corner, double weight) {
    const uint32_t *vertices = d->desc->vertices;
    if (!d->features[d->corner_edges[corner]]) {
        add_weight(d, vertices[before(d->twins[corner])], weight);
        return;
    }
    add_weight(d, vertices[corner], weight);
    add_weight(d, vertices[after(corner)], weight);
    add_weight(d, vertices[before(corner)], -weight);
}

// The vertex straight beyond the one that `corner` stands at, a regular one: three steps around it.
static uint32_t vertex_beyond(const divider *d, uint32_t corner) {
    for (int i = 0; i < REGULAR / 2; ++i) {
        corner = d->twins[before(corner)];
    }
    return d->desc->vertices[after(corner)];
}

// (A.1)
static void add_butterfly(divider *d, uint32_t corner, double w) {
    const uint32_t *vertices = d->desc->vertices;
    const uint32_t sides[2] = {corner, d->twins[corner]};
    for (int i = 0; i < 2; ++i) {
        add_weight(d, vertices[sides[i]], 0.5 - w);
        add_weight(d, vertices[before(sides[i])], 0.125 + 2 * w);
        add_wing(d, after(sides[i]), -0.0625 - w);
        add_wing(d, before(sides[i]), -0.0625 - w);
        if (w != 0) {
            add_weight(d, vertex_beyond(d, sides[i]), w);
        }
    }
}

// (A.3), one end: the next vertex along the feature, or the other end reflected in a corner.
static void add_feature_end(divider *d, uint32_t p, uint32_t q) {
    bool corner = (d->desc->sharp != NULL && d->desc->sharp[p] != 0) || d->feature_counts[p] != 2;
    add_weight(d, p, 9.0 / 16);
    if (corner) {
        add_weight(d, p, -2.0 / 16);
        add_weight(d, q, 1.0 / 16);
        return;
    }
    const uint32_t *ends = d->feature_ends + 2 * (size_t)p;
    add_weight(d, ends[0] == q ? ends[1] : ends[0], -1.0 / 16);
}

static void add_inner_edge(divider *d, uint32_t corner) {
    const uint32_t *vertices = d->desc->vertices;
    uint32_t twin = d->twins[corner];
    bool p_feature = d->feature_counts[vertices[corner]] > 0;
    bool q_feature = d->feature_counts[vertices[twin]] > 0;
    if (p_feature || q_feature) {
        if (p_feature && q_feature) {
            add_butterfly(d, corner, 0);
        } else {
            add_ring(d, p_feature ? twin : corner, 1);
        }
        return;
    }
    bool p_regular = triangles_at(d, vertices[corner]) == REGULAR;
    bool q_regular = triangles_at(d, vertices[twin]) == REGULAR;
    if (p_regular && q_regular) {
        add_butterfly(d, corner, d->desc->tension);
        return;
    }
    double factor = p_regular || q_regular ? 1 : 0.5;
    if (!p_regular) {
        add_ring(d, corner, factor);
    }
    if (!q_regular) {
        add_ring(d, twin, factor);
    }
}

static void add_row(divider *d, uint32_t edge) {
    const uint32_t *ends = d->topology->edges + 2 * (size_t)edge;
    if (d->desc->scheme == SNI_SUBDIVIDE_MIDPOINT) {
        add_weight(d, ends[0], 0.5);
        add_weight(d, ends[1], 0.5);
    } else if (d->features[edge]) {
        add_feature_end(d, ends[0], ends[1]);
        add_feature_end(d, ends[1], ends[0]);
    } else {
        add_inner_edge(d, d->topology->edge_corners[d->topology->edge_face_offsets[edge]]);
    }
    end_row(d);
}

// ---------------------------------------------------------------------------------------------
// Splitting

static void number_new_vertices(divider *d) {
    const sni_subdivide_desc *desc = d->desc;
    for (uint32_t e = 0; e < d->topology->edge_count; ++e) {
        d->new_vertices[e] = SN_NONE;
    }
    for (uint32_t c = 0; c < 3 * desc->triangle_count; ++c) {
        if (desc->selected == NULL || desc->selected[c / 3] != 0) {
            d->new_vertices[d->corner_edges[c]] = 0;
        }
    }
    for (uint32_t e = 0; e < d->topology->edge_count; ++e) {
        if (d->new_vertices[e] != SN_NONE) {
            d->new_vertices[e] = desc->vertex_count + d->result->new_count++;
        }
    }
}

static uint32_t count_splits(const divider *d, uint32_t triangle) {
    uint32_t count = 0;
    for (uint32_t c = 3 * triangle; c < 3 * triangle + 3; ++c) {
        count += d->new_vertices[d->corner_edges[c]] != SN_NONE;
    }
    return count;
}

static void add_triangle(sni_subdivision *result, uint32_t origin, uint32_t a, uint32_t b,
                         uint32_t c) {
    uint32_t *triangle = result->vertices + 3 * (size_t)result->triangle_count;
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
    result->triangle_origins[result->triangle_count++] = origin;
}

// Splits a triangle along its new vertices. It is turned so that one split edge comes first, two
// leave out the second edge. The quad that is left of a triangle with two is cut from the lower old
// vertex, whatever its shape, so that posed and rest state agree.
static void split_triangle(divider *d, uint32_t t) {
    uint32_t count = count_splits(d, t), corner = 3 * t;
    for (; count == 1 && d->new_vertices[d->corner_edges[corner]] == SN_NONE; ++corner) {
    }
    for (; count == 2 && d->new_vertices[d->corner_edges[after(corner)]] != SN_NONE; ++corner) {
    }
    uint32_t a = d->desc->vertices[corner], b = d->desc->vertices[after(corner)];
    uint32_t c = d->desc->vertices[before(corner)];
    uint32_t ab = d->new_vertices[d->corner_edges[corner]];
    uint32_t bc = d->new_vertices[d->corner_edges[after(corner)]];
    uint32_t ca = d->new_vertices[d->corner_edges[before(corner)]];
    sni_subdivision *result = d->result;
    if (count == 0) {
        add_triangle(result, t, a, b, c);
    } else if (count == 1) {
        add_triangle(result, t, a, ab, c);
        add_triangle(result, t, ab, b, c);
    } else if (count == 2) {
        add_triangle(result, t, a, ab, ca);
        add_triangle(result, t, ab, b, b < c ? ca : c);
        add_triangle(result, t, b < c ? b : ab, c, ca);
    } else {
        add_triangle(result, t, a, ab, ca);
        add_triangle(result, t, ab, b, bc);
        add_triangle(result, t, ca, bc, c);
        add_triangle(result, t, ab, bc, ca);
    }
}

static sn_status make_triangles(divider *d, sn_error *error) {
    sn_status status = SN_OK;
    size_t count = 0;
    for (uint32_t t = 0; t < d->desc->triangle_count; ++t) {
        count += count_splits(d, t) + 1;
    }
    SNI_NEW(d->context, d->result->vertices, 3 * count);
    SNI_NEW(d->context, d->result->triangle_origins, count);
    for (uint32_t t = 0; t < d->desc->triangle_count; ++t) {
        split_triangle(d, t);
    }
cleanup:
    return status;
}

static sn_status make_stencils(divider *d, sn_error *error) {
    sn_status status = SN_OK;
    sni_subdivision *result = d->result;
    SNI_NEW(d->context, result->edges, 2 * (size_t)result->new_count);
    SNI_NEW(d->context, result->offsets, (size_t)result->new_count + 1);
    result->offsets[0] = 0;
    for (uint32_t e = 0; e < d->topology->edge_count; ++e) {
        if (d->new_vertices[e] == SN_NONE) {
            continue;
        }
        uint32_t row = d->new_vertices[e] - result->old_count;
        result->edges[2 * (size_t)row] = d->topology->edges[2 * (size_t)e];
        result->edges[2 * (size_t)row + 1] = d->topology->edges[2 * (size_t)e + 1];
        add_row(d, e);
        result->offsets[row + 1] = d->weight_count;
        if (d->out_of_memory) {
            status = sni_fail_memory(error);
            goto cleanup;
        }
    }
cleanup:
    return status;
}

static sn_status divider_init(divider *d, sn_error *error) {
    sn_status status = SN_OK;
    const sni_subdivide_desc *desc = d->desc;
    SN_TRY(find_topology(d, error));
    SNI_NEW(d->context, d->corner_edges, 3 * (size_t)desc->triangle_count);
    SNI_NEW(d->context, d->twins, 3 * (size_t)desc->triangle_count);
    SNI_NEW_ZERO(d->context, d->features, d->topology->edge_count);
    SNI_NEW_ZERO(d->context, d->feature_counts, desc->vertex_count);
    SNI_NEW(d->context, d->feature_ends, 2 * (size_t)desc->vertex_count);
    SNI_NEW(d->context, d->new_vertices, d->topology->edge_count);
    SNI_NEW(d->context, d->slots, desc->vertex_count);
    for (uint32_t v = 0; v < desc->vertex_count; ++v) {
        d->slots[v] = SN_NONE;
    }
    pair_corners(d);
    SN_TRY(find_features(d, error));
cleanup:
    return status;
}

static void divider_deinit(divider *d) {
    sn_topology_destroy(d->topology);
    sni_free(d->context, d->corner_edges);
    sni_free(d->context, d->twins);
    sni_free(d->context, d->features);
    sni_free(d->context, d->feature_counts);
    sni_free(d->context, d->feature_ends);
    sni_free(d->context, d->new_vertices);
    sni_free(d->context, d->slots);
}

sn_status sni_subdivide(sn_context *context, const sni_subdivide_desc *desc,
                        sni_subdivision **subdivision, sn_error *error) {
    SN_ASSERT(desc->triangle_count == 0 || desc->vertices != NULL);
    SN_ASSERT(desc->crease_count == 0 || desc->creases != NULL);
    sn_status status = SN_OK;
    divider d = {.desc = desc, .context = context};
    *subdivision = NULL;
    SN_TRY(check_desc(desc, error));
    SN_TRY(divider_init(&d, error));
    if (desc->scheme == SNI_SUBDIVIDE_BUTTERFLY) {
        SN_TRY(check_manifold(&d, error));
    }
    SNI_NEW_ZERO(context, d.result, 1);
    d.result->context = context;
    d.result->old_count = desc->vertex_count;
    number_new_vertices(&d);
    SN_TRY(make_triangles(&d, error));
    SN_TRY(make_stencils(&d, error));
    *subdivision = d.result;
cleanup:
    if (status != SN_OK) {
        sni_subdivision_destroy(d.result);
    }
    divider_deinit(&d);
    return status;
}

void sni_subdivision_destroy(sni_subdivision *subdivision) {
    if (subdivision == NULL) {
        return;
    }
    sn_context *context = subdivision->context;
    sni_free(context, subdivision->edges);
    sni_free(context, subdivision->offsets);
    sni_free(context, subdivision->sources);
    sni_free(context, subdivision->weights);
    sni_free(context, subdivision->vertices);
    sni_free(context, subdivision->triangle_origins);
    sni_free(context, subdivision);
}

void sni_subdivision_apply(const sni_subdivision *subdivision, const float *old_values,
                           uint32_t width, float *new_values) {
    SN_ASSERT(width > 0);
    SN_ASSERT(subdivision->new_count == 0 || (old_values != NULL && new_values != NULL));
    for (uint32_t row = 0; row < subdivision->new_count; ++row) {
        for (uint32_t k = 0; k < width; ++k) {
            double sum = 0;
            for (uint32_t i = subdivision->offsets[row]; i < subdivision->offsets[row + 1]; ++i) {
                size_t place = (size_t)subdivision->sources[i] * width + k;
                sum += subdivision->weights[i] * (double)old_values[place];
            }
            new_values[(size_t)row * width + k] = (float)sum;
        }
    }
}
