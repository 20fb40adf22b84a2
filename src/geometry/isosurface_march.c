// SPDX-License-Identifier: Apache-2.0
//
// Marching tetrahedra, brick by brick on all threads:
//
//     bricks ──► which are active ──► crossings of their edges, counted ──► first numbers, summed
//     in the bricks' order ──► vertices and triangles, written where they belong
//
// An edge belongs to one of its two nodes and a node to one brick, so that a vertex is computed
// once and found again by (brick, node, direction): the brick's first vertex, plus the node's
// first, plus the crossings of the node's earlier directions.
#include "geometry/isosurface_internal.h"

#include "base/context.h"
#include "geometry/lattice.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// A brick is read with one node before it and two behind, as far as edges and cells lead.
enum {
    BEFORE = 1,
    SIDE = BEFORE + SNI_BRICK + 2,
    BLOCK = SIDE * SIDE * SIDE,
};

// Active bricks per block of a parallel loop, and between two looks at the progress.
enum { GRAIN = 16, ROUND = 1 << 12 };

// Diagonals that differ by less, in nodes, are alike: values of bricks are floats.
static const double equal_diagonals = 1e-6;

typedef struct block {
    double values[BLOCK];
    bool inside[BLOCK];
} block;

// The crossings of an active brick.
typedef struct brick_crossings {
    uint8_t directions[SNI_BRICK_NODES]; // a bit for each of a node's edges that is crossed
    uint16_t first[SNI_BRICK_NODES];     // number of the node's first vertex in the brick
} brick_crossings;

typedef enum brick_side {
    SIDE_OUTSIDE,
    SIDE_INSIDE,
    SIDE_MIXED,
} brick_side;

typedef struct march {
    sn_context *context;
    const sni_field *field;
    const sni_isosurface_desc *desc;
    sni_lattice lattice;
    sni_cut cuts[16];
    int32_t corner_offsets[SNI_LATTICE_CORNERS];       // within a block
    int32_t direction_offsets[SNI_LATTICE_DIRECTIONS]; // within a block
    uint32_t counts[3];
    uint32_t brick_count;
    uint8_t *sides;  // brick_count, of brick_side
    uint32_t *slots; // brick_count: place among the active bricks, SN_NONE when not active
    uint32_t active_count;
    uint32_t *active; // active_count, rising
    brick_crossings *crossings;
    uint32_t *vertex_counts, *triangle_counts; // active_count + 1; later the first of each
    atomic_uint leaves;                        // the lowest brick at the border with a node inside
    atomic_uint broken;                        // the lowest brick with a value that is not finite
    sni_isosurface *surface;
    uint64_t *near_nodes; // per vertex: the node it is snapped to
    block *blocks;        // one per worker
} march;

// ---------------------------------------------------------------------------------------------
// Blocks

static int32_t in_block(int x, int y, int z) {
    return ((z + BEFORE) * SIDE + (y + BEFORE)) * SIDE + (x + BEFORE);
}

static void brick_place(const march *m, uint32_t brick, uint32_t place[3]) {
    place[0] = brick % m->counts[0];
    place[1] = brick / m->counts[0] % m->counts[1];
    place[2] = brick / m->counts[0] / m->counts[1];
}

static bool is_inside(const march *m, double value) {
    return m->desc->inside_is_less ? value < m->desc->level : value > m->desc->level;
}

// What lies beyond the grid is outside.
static void cut_at_border(const march *m, const uint32_t place[3], block *b) {
    for (int axis = 0; axis < 3; ++axis) {
        bool low = place[axis] == 0, high = place[axis] + 1 == m->counts[axis];
        for (int i = 0; (low || high) && i < BLOCK; ++i) {
            const int local[3] = {i % SIDE - BEFORE, i / SIDE % SIDE - BEFORE,
                                  i / SIDE / SIDE - BEFORE};
            b->inside[i] =
                b->inside[i] && !(low && local[axis] < 0) && !(high && local[axis] >= SNI_BRICK);
        }
    }
}

// Reads a brick's block; whether it has nodes on both sides.
static bool read_block(const march *m, uint32_t brick, block *b) {
    uint32_t place[3];
    brick_place(m, brick, place);
    int32_t begin[3];
    for (int axis = 0; axis < 3; ++axis) {
        begin[axis] = (int32_t)(place[axis] * SNI_BRICK) - BEFORE;
    }
    m->field->read(m->field->user, begin, (const int32_t[3]){SIDE, SIDE, SIDE}, b->values);
    double sign = m->desc->inside_is_less ? -1 : 1, level = sign * m->desc->level;
    for (int i = 0; i < BLOCK; ++i) {
        b->inside[i] = sign * b->values[i] > level;
    }
    cut_at_border(m, place, b);
    return memchr(b->inside, 1, sizeof b->inside) != NULL &&
           memchr(b->inside, 0, sizeof b->inside) != NULL;
}

// ---------------------------------------------------------------------------------------------
// Counting

static bool is_node(const march *m, int x, int y, int z) {
    return !m->lattice.centred || (((x ^ y) | (x ^ z)) & 1) == 0;
}

// The crossings of the edges that a brick's nodes own; returns how many.
static uint32_t find_crossings(const march *m, const block *b, brick_crossings *crossings) {
    uint32_t count = 0;
    for (int node = 0; node < SNI_BRICK_NODES; ++node) {
        int x = node % SNI_BRICK, y = node / SNI_BRICK % SNI_BRICK,
            z = node / SNI_BRICK / SNI_BRICK;
        unsigned bits = 0;
        crossings->first[node] = (uint16_t)count;
        if (is_node(m, x, y, z)) {
            const bool *inside = b->inside + in_block(x, y, z);
            for (int d = 0; d < SNI_LATTICE_DIRECTIONS; ++d) {
                bits |= (unsigned)(inside[0] != inside[m->direction_offsets[d]]) << d;
            }
        }
        crossings->directions[node] = (uint8_t)bits;
        count += (uint32_t)__builtin_popcount(bits);
    }
    return count;
}

// Which corners of the cell at a node are inside, a bit for each.
static unsigned cell_mask(const march *m, const bool *inside) {
    unsigned mask = 0;
    for (uint32_t c = 0; c < m->lattice.corner_count; ++c) {
        mask |= (unsigned)inside[m->corner_offsets[c]] << c;
    }
    return mask;
}

static bool is_cut(const march *m, unsigned mask) {
    return mask != 0 && mask != (1u << m->lattice.corner_count) - 1;
}

static unsigned tetrahedron_mask(const march *m, uint32_t tetrahedron, unsigned cell) {
    const uint8_t *t = m->lattice.tetrahedra[tetrahedron];
    return (cell >> t[0] & 1) | (cell >> t[1] & 1) << 1 | (cell >> t[2] & 1) << 2 |
           (cell >> t[3] & 1) << 3;
}

static uint32_t count_triangles(const march *m, const block *b) {
    uint32_t count = 0;
    for (int z = 0; z < SNI_BRICK; z += m->lattice.step) {
        for (int y = 0; y < SNI_BRICK; y += m->lattice.step) {
            for (int x = 0; x < SNI_BRICK; x += m->lattice.step) {
                unsigned cell = cell_mask(m, b->inside + in_block(x, y, z));
                for (uint32_t t = 0; is_cut(m, cell) && t < m->lattice.tetrahedron_count; ++t) {
                    count += m->cuts[tetrahedron_mask(m, t, cell)].triangle_count;
                }
            }
        }
    }
    return count;
}

// ---------------------------------------------------------------------------------------------
// Which bricks are active

static void find_sides(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    march *m = user;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t place[3];
        double low, high;
        brick_place(m, i, place);
        m->sides[i] = SIDE_MIXED;
        if (m->field->range != NULL && m->field->range(m->field->user, place, &low, &high) &&
            is_inside(m, low) == is_inside(m, high)) {
            m->sides[i] = is_inside(m, low) ? SIDE_INSIDE : SIDE_OUTSIDE;
        }
    }
}

// Whether a brick and all around it lie on one side, as far as is known without looking at nodes.
static bool lies_on_one_side(const march *m, uint32_t brick) {
    uint32_t place[3];
    brick_place(m, brick, place);
    uint8_t side = m->sides[brick];
    bool same = side != SIDE_MIXED;
    for (int n = 0; same && n < 27; ++n) {
        const int way[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        uint32_t p[3];
        bool within = true;
        for (int axis = 0; axis < 3; ++axis) {
            p[axis] = place[axis] + (uint32_t)way[axis];
            within = within && p[axis] < m->counts[axis];
        }
        same = within ? m->sides[(p[2] * m->counts[1] + p[1]) * m->counts[0] + p[0]] == side
                      : side == SIDE_OUTSIDE;
    }
    return same;
}

static void lower(atomic_uint *lowest, uint32_t value) {
    unsigned old = atomic_load(lowest);
    while (value < old && !atomic_compare_exchange_weak(lowest, &old, value)) {
    }
}

// The first node of a brick that is inside and so near to the border that its cells are not all
// there, or SN_NONE.
static uint32_t find_leaving(const march *m, const block *b, const uint32_t place[3]) {
    for (uint32_t node = 0; node < SNI_BRICK_NODES; ++node) {
        const uint32_t local[3] = {node % SNI_BRICK, node / SNI_BRICK % SNI_BRICK,
                                   node / SNI_BRICK / SNI_BRICK};
        if (!b->inside[in_block((int)local[0], (int)local[1], (int)local[2])]) {
            continue;
        }
        for (int axis = 0; axis < 3; ++axis) {
            uint32_t at = place[axis] * SNI_BRICK + local[axis];
            uint32_t reach = (uint32_t)m->lattice.reach;
            if (at < reach || at + reach >= m->counts[axis] * SNI_BRICK) {
                return node;
            }
        }
    }
    return SN_NONE;
}

static bool is_at_border(const march *m, const uint32_t place[3]) {
    bool at_border = false;
    for (int axis = 0; axis < 3; ++axis) {
        at_border = at_border || place[axis] == 0 || place[axis] + 1 == m->counts[axis];
    }
    return at_border;
}

static bool has_broken_value(const block *b) {
    double sum = 0;
    for (int i = 0; i < BLOCK; ++i) {
        sum += b->values[i] * 0;
    }
    return !(sum == 0);
}

static void find_active(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    march *m = user;
    block *b = &m->blocks[worker];
    brick_crossings crossings;
    for (uint32_t i = begin; i < end; ++i) {
        m->slots[i] = SN_NONE;
        if (lies_on_one_side(m, i) || !read_block(m, i, b)) {
            continue;
        }
        uint32_t place[3];
        brick_place(m, i, place);
        if (is_at_border(m, place) && find_leaving(m, b, place) != SN_NONE) {
            lower(&m->leaves, i);
        }
        if (has_broken_value(b)) {
            lower(&m->broken, i);
        }
        if (find_crossings(m, b, &crossings) > 0 || count_triangles(m, b) > 0) {
            m->slots[i] = 0;
        }
    }
}

static sn_vec3 node_point(const march *m, uint32_t brick, uint32_t node) {
    uint32_t place[3];
    brick_place(m, brick, place);
    sn_vec3 at = {place[0] * SNI_BRICK + node % SNI_BRICK,
                  place[1] * SNI_BRICK + node / SNI_BRICK % SNI_BRICK,
                  place[2] * SNI_BRICK + node / SNI_BRICK / SNI_BRICK};
    return sn_vec3_add_scaled(m->field->grid.origin, m->field->grid.spacing, at);
}

static sn_status check_active(march *m, sn_error *error) {
    uint32_t leaves = atomic_load(&m->leaves), broken = atomic_load(&m->broken);
    if (broken != SN_NONE) {
        sn_vec3 p = node_point(m, broken, 0);
        return sni_fail(error, SN_INVALID,
                        "the field has a value that is not finite, in the 8 nodes from (%g, %g, "
                        "%g) on",
                        p.x, p.y, p.z);
    }
    if (leaves != SN_NONE) {
        uint32_t place[3];
        brick_place(m, leaves, place);
        read_block(m, leaves, m->blocks);
        sn_vec3 p = node_point(m, leaves, find_leaving(m, m->blocks, place));
        return sni_fail(error, SN_INVALID, "the surface leaves the grid at (%g, %g, %g)", p.x, p.y,
                        p.z);
    }
    if (m->active_count == 0) {
        return sni_fail(error, SN_INVALID,
                        "the field has no surface at the level %g: it is %s "
                        "everywhere",
                        m->desc->level, m->desc->inside_is_less ? "not less" : "not greater");
    }
    return SN_OK;
}

static sn_status list_active(march *m, const sn_progress *progress, sn_error *error) {
    enum { LIST_ROUND = 1 << 16 }; // most bricks are far from the surface
    sn_status status = SN_OK;
    sn_context *context = m->context;
    SNI_NEW(context, m->sides, m->brick_count);
    SNI_NEW(context, m->slots, m->brick_count);
    sn_parallel_for(context, m->brick_count, 1024, find_sides, m);
    SN_TRY(sni_parallel_rounds(context, m->brick_count, GRAIN, LIST_ROUND, find_active, m, progress,
                               "finding the surface", error));
    for (uint32_t i = 0; i < m->brick_count; ++i) {
        m->slots[i] = m->slots[i] != SN_NONE ? m->active_count++ : SN_NONE;
    }
    SN_TRY(check_active(m, error));
    SNI_NEW(context, m->active, m->active_count);
    for (uint32_t i = 0; i < m->brick_count; ++i) {
        if (m->slots[i] != SN_NONE) {
            m->active[m->slots[i]] = i;
        }
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Numbers

static void count_bricks(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    march *m = user;
    block *b = &m->blocks[worker];
    for (uint32_t i = begin; i < end; ++i) {
        read_block(m, m->active[i], b);
        m->vertex_counts[i] = find_crossings(m, b, &m->crossings[i]);
        m->triangle_counts[i] = count_triangles(m, b);
    }
}

// Turns counts into the first number of each, and the whole at the end; false when it is too much.
static bool sum_counts(uint32_t *counts, uint32_t count) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t own = counts[i];
        counts[i] = (uint32_t)total;
        total += own;
    }
    counts[count] = (uint32_t)total;
    return total < UINT32_MAX / 3;
}

static sn_status number_surface(march *m, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = m->context;
    uint32_t count = m->active_count;
    SNI_NEW(context, m->crossings, count);
    SNI_NEW(context, m->vertex_counts, (size_t)count + 1);
    SNI_NEW(context, m->triangle_counts, (size_t)count + 1);
    SN_TRY(sni_parallel_rounds(context, count, GRAIN, ROUND, count_bricks, m, progress,
                               "counting triangles", error));
    if (!sum_counts(m->vertex_counts, count) || !sum_counts(m->triangle_counts, count)) {
        status = sni_fail(error, SN_LIMIT, "the surface has too many triangles");
        goto cleanup;
    }
    sni_isosurface *s = m->surface;
    s->vertex_count = m->vertex_counts[count];
    s->triangle_count = m->triangle_counts[count];
    SNI_NEW(context, s->points, s->vertex_count);
    SNI_NEW(context, s->vertices, 3 * (size_t)s->triangle_count);
    if (m->desc->snap > 0) {
        SNI_NEW(context, m->near_nodes, s->vertex_count);
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Vertices and triangles

// The number of a node over the whole grid, with room for what lies beside it.
static uint64_t node_number(const march *m, const int64_t at[3]) {
    uint64_t width = (uint64_t)m->counts[0] * SNI_BRICK + 2 * SIDE;
    uint64_t height = (uint64_t)m->counts[1] * SNI_BRICK + 2 * SIDE;
    return ((uint64_t)(at[2] + SIDE) * height + (uint64_t)(at[1] + SIDE)) * width +
           (uint64_t)(at[0] + SIDE);
}

// The part of an edge, from its owner on, at which it is crossed: (level - a) / (b - a).
static double crossing_part(const march *m, const block *b, int32_t at, int direction) {
    double a = b->values[at], other = b->values[at + m->direction_offsets[direction]];
    return fmin(fmax((m->desc->level - a) / (other - a), 0), 1);
}

// The crossing of an edge of the owner at `node`.
static void write_vertex(march *m, const block *b, const int64_t node[3], int32_t at, int direction,
                         uint32_t vertex) {
    const int8_t *way = m->lattice.directions[direction];
    double t = crossing_part(m, b, at, direction);
    sn_vec3 place = {(double)node[0] + t * way[0], (double)node[1] + t * way[1],
                     (double)node[2] + t * way[2]};
    const sni_grid *grid = &m->field->grid;
    m->surface->points[vertex] = sn_vec3_add_scaled(grid->origin, grid->spacing, place);
    if (m->near_nodes == NULL) {
        return;
    }
    m->near_nodes[vertex] = UINT64_MAX;
    if (t < m->desc->snap || t > 1 - m->desc->snap) {
        int64_t near[3];
        for (int axis = 0; axis < 3; ++axis) {
            near[axis] = node[axis] + (t > 0.5 ? way[axis] : 0);
        }
        m->near_nodes[vertex] = node_number(m, near);
    }
}

static void write_vertices(march *m, uint32_t slot, const block *b) {
    uint32_t place[3], vertex = m->vertex_counts[slot];
    brick_place(m, m->active[slot], place);
    for (int i = 0; i < SNI_BRICK_NODES; ++i) {
        int x = i % SNI_BRICK, y = i / SNI_BRICK % SNI_BRICK, z = i / SNI_BRICK / SNI_BRICK;
        const int64_t node[3] = {(int64_t)place[0] * SNI_BRICK + x,
                                 (int64_t)place[1] * SNI_BRICK + y,
                                 (int64_t)place[2] * SNI_BRICK + z};
        for (unsigned bits = m->crossings[slot].directions[i]; bits != 0; bits &= bits - 1) {
            write_vertex(m, b, node, in_block(x, y, z), __builtin_ctz(bits), vertex++);
        }
    }
}

// The slots of a brick and of those next to it in the positive directions: bit 0 x, 1 y, 2 z.
typedef struct neighbours {
    uint32_t slots[8];
} neighbours;

static neighbours find_neighbours(const march *m, uint32_t brick) {
    neighbours n;
    uint32_t place[3];
    brick_place(m, brick, place);
    for (uint32_t i = 0; i < 8; ++i) {
        const uint32_t x = place[0] + (i & 1), y = place[1] + (i >> 1 & 1), z = place[2] + (i >> 2);
        bool within = x < m->counts[0] && y < m->counts[1] && z < m->counts[2];
        n.slots[i] = within ? m->slots[(z * m->counts[1] + y) * m->counts[0] + x] : SN_NONE;
    }
    return n;
}

static uint32_t vertex_of(const march *m, const neighbours *n, const int cell[3], uint32_t t,
                          uint32_t edge) {
    const int8_t *corner = m->lattice.corners[m->lattice.edges[t][edge].corner];
    uint32_t x = (uint32_t)(cell[0] + corner[0]), y = (uint32_t)(cell[1] + corner[1]);
    uint32_t z = (uint32_t)(cell[2] + corner[2]);
    uint32_t slot = n->slots[x / SNI_BRICK | y / SNI_BRICK << 1 | z / SNI_BRICK << 2];
    uint32_t node = (z % SNI_BRICK * SNI_BRICK + y % SNI_BRICK) * SNI_BRICK + x % SNI_BRICK;
    const brick_crossings *crossings = &m->crossings[slot];
    unsigned before =
        crossings->directions[node] & ((1u << m->lattice.edges[t][edge].direction) - 1);
    return m->vertex_counts[slot] + crossings->first[node] + (uint32_t)__builtin_popcount(before);
}

// Where an edge of a tetrahedron is crossed, in nodes from the cell's first one (at `first`).
static sn_vec3 crossing_in_cell(const march *m, const block *b, int32_t first, uint32_t t,
                                uint32_t edge) {
    uint32_t owner = m->lattice.edges[t][edge].corner;
    int direction = m->lattice.edges[t][edge].direction;
    const int8_t *corner = m->lattice.corners[owner], *way = m->lattice.directions[direction];
    double part = crossing_part(m, b, first + m->corner_offsets[owner], direction);
    return sn_vec3_make(corner[0] + part * way[0], corner[1] + part * way[1],
                        corner[2] + part * way[2]);
}

// Whether the four corners of a cut are divided from the second to the fourth: the shorter
// diagonal, so that a mirrored field has mirrored triangles.
static bool is_divided_other_way(const march *m, const block *b, int32_t first, uint32_t t,
                                 const uint8_t corners[4]) {
    sn_vec3 p[4];
    for (int k = 0; k < 4; ++k) {
        p[k] = crossing_in_cell(m, b, first, t, corners[k]);
    }
    return sn_vec3_distance(p[1], p[3]) < sn_vec3_distance(p[0], p[2]) - equal_diagonals;
}

static uint32_t *write_cell(const march *m, const block *b, const neighbours *n, const int cell[3],
                            unsigned mask, uint32_t *to) {
    static const uint8_t divisions[2][6] = {{0, 1, 2, 0, 2, 3}, {1, 2, 3, 1, 3, 0}};
    int32_t first = in_block(cell[0], cell[1], cell[2]);
    for (uint32_t t = 0; t < m->lattice.tetrahedron_count; ++t) {
        const sni_cut *cut = &m->cuts[tetrahedron_mask(m, t, mask)];
        bool other = m->lattice.centred && cut->triangle_count == 2 &&
                     is_divided_other_way(m, b, first, t, cut->edges);
        for (uint32_t i = 0; i < 3u * cut->triangle_count; ++i) {
            *to++ = vertex_of(m, n, cell, t, cut->edges[divisions[other][i]]);
        }
    }
    return to;
}

static void write_triangles(march *m, uint32_t slot, const block *b) {
    neighbours n = find_neighbours(m, m->active[slot]);
    uint32_t *to = m->surface->vertices + 3 * (size_t)m->triangle_counts[slot];
    int cell[3];
    for (cell[2] = 0; cell[2] < SNI_BRICK; cell[2] += m->lattice.step) {
        for (cell[1] = 0; cell[1] < SNI_BRICK; cell[1] += m->lattice.step) {
            for (cell[0] = 0; cell[0] < SNI_BRICK; cell[0] += m->lattice.step) {
                unsigned mask = cell_mask(m, b->inside + in_block(cell[0], cell[1], cell[2]));
                if (is_cut(m, mask)) {
                    to = write_cell(m, b, &n, cell, mask, to);
                }
            }
        }
    }
}

static void write_bricks(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    march *m = user;
    block *b = &m->blocks[worker];
    for (uint32_t slot = begin; slot < end; ++slot) {
        read_block(m, m->active[slot], b);
        write_vertices(m, slot, b);
        write_triangles(m, slot, b);
    }
}

// ---------------------------------------------------------------------------------------------

static sn_status march_init(march *m, sn_error *error) {
    sn_status status = SN_OK;
    uint64_t count = 1;
    sni_lattice_init(&m->lattice, m->desc->lattice);
    sni_lattice_cuts(m->cuts);
    for (uint32_t c = 0; c < m->lattice.corner_count; ++c) {
        const int8_t *p = m->lattice.corners[c];
        m->corner_offsets[c] = (p[2] * SIDE + p[1]) * SIDE + p[0];
    }
    for (int d = 0; d < SNI_LATTICE_DIRECTIONS; ++d) {
        const int8_t *p = m->lattice.directions[d];
        m->direction_offsets[d] = (p[2] * SIDE + p[1]) * SIDE + p[0];
    }
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t nodes = m->field->grid.dimensions[axis];
        m->counts[axis] = nodes / SNI_BRICK + (nodes % SNI_BRICK != 0);
        count *= m->counts[axis];
        if (count == 0 || count > INT32_MAX || nodes > (uint32_t)INT32_MAX / 2) {
            return sni_fail(error, count == 0 ? SN_INVALID : SN_LIMIT,
                            "the field's grid has %u x %u x %u nodes", m->field->grid.dimensions[0],
                            m->field->grid.dimensions[1], m->field->grid.dimensions[2]);
        }
    }
    m->brick_count = (uint32_t)count;
    atomic_init(&m->leaves, SN_NONE);
    atomic_init(&m->broken, SN_NONE);
    SNI_NEW(m->context, m->blocks, sn_context_thread_count(m->context));
cleanup:
    return status;
}

static void march_deinit(march *m) {
    sni_free(m->context, m->sides);
    sni_free(m->context, m->slots);
    sni_free(m->context, m->active);
    sni_free(m->context, m->crossings);
    sni_free(m->context, m->vertex_counts);
    sni_free(m->context, m->triangle_counts);
    sni_free(m->context, m->near_nodes);
    sni_free(m->context, m->blocks);
}

sn_status sni_isosurface_march(sni_isosurface *surface, const sni_field *field,
                               const sni_isosurface_desc *desc, const sn_progress *progress,
                               sn_error *error) {
    SN_ASSERT(field->read != NULL);
    SN_ASSERT(surface->vertex_count == 0 && surface->triangle_count == 0);
    sn_status status = SN_OK;
    sn_context *context = surface->context;
    march m = {.context = context, .field = field, .desc = desc, .surface = surface};
    SN_TRY(march_init(&m, error));
    SN_TRY(list_active(&m, progress, error));
    SN_TRY(number_surface(&m, progress, error));
    SN_TRY(sni_parallel_rounds(context, m.active_count, GRAIN, ROUND, write_bricks, &m, progress,
                               "cutting tetrahedra", error));
    if (m.near_nodes != NULL) {
        SN_TRY(sni_isosurface_snap(surface, m.near_nodes, error));
    }
cleanup:
    march_deinit(&m);
    return status;
}
