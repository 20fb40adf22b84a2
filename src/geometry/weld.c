// SPDX-License-Identifier: Apache-2.0
//
// Points are put into cubic cells with a diagonal of the tolerance: points of one cell always join,
// so that crowds cost nothing. Pairs are then only looked for between cells that are at most two
// apart, and only among the points of each that come near enough to the other's box. Groups are a
// union-find forest whose roots are lowest numbers, and the outcome does not depend on the order.
#include "geometry/weld.h"

#include "base/groups.h"
#include "geometry/finite.h"
#include "sinew/vector.h"

#include <float.h>
#include <string.h>

// How far apart two cells may be whose points are within the tolerance: ceil(sqrt(3)).
enum { REACH = 2 };

// Cells per side of the blocks that tell whether a neighbourhood is empty.
enum { BLOCK = 8 };

typedef struct cell {
    double key[3]; // whole numbers, or the coordinates themselves for tolerance 0
    uint32_t first;
    sn_vec3 low, high; // box around its points
} cell;

// A block that has cells.
typedef struct crowd {
    uint32_t cell; // one of them
    uint32_t count;
} crowd;

typedef struct welder {
    const float *positions;
    uint32_t count;
    double tolerance;
    double cell_size; // 0: cells are places
    uint32_t *map;    // union-find forest
    cell *cells;      // count
    uint32_t cell_count;
    uint32_t *next;  // count: next point of the same cell
    uint32_t *table; // hash of cells, SN_NONE where empty
    crowd *crowds;   // hash of blocks, as large
    size_t table_mask;
} welder;

static uint64_t mix(uint64_t h) {
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

static uint64_t hash_key(const double key[3]) {
    uint64_t h = 0;
    for (int axis = 0; axis < 3; ++axis) {
        uint64_t bits;
        memcpy(&bits, &key[axis], sizeof bits);
        h = mix(h ^ bits);
    }
    return h;
}

// The cell's number, SN_NONE when there is none; `*slot` is where it stands or would stand.
static uint32_t find_cell(const welder *w, const double key[3], size_t *slot) {
    size_t place = hash_key(key) & w->table_mask;
    for (; w->table[place] != SN_NONE; place = (place + 1) & w->table_mask) {
        const double *other = w->cells[w->table[place]].key;
        if (key[0] == other[0] && key[1] == other[1] && key[2] == other[2]) {
            break;
        }
    }
    *slot = place;
    return w->table[place];
}

// Where the block of the cell (i, j, k) stands or would stand.
static crowd *find_crowd(const welder *w, double i, double j, double k) {
    const double block[3] = {floor(i / BLOCK), floor(j / BLOCK), floor(k / BLOCK)};
    size_t place = hash_key(block) & w->table_mask;
    for (; w->crowds[place].count > 0; place = (place + 1) & w->table_mask) {
        const double *key = w->cells[w->crowds[place].cell].key;
        if (floor(key[0] / BLOCK) == block[0] && floor(key[1] / BLOCK) == block[1] &&
            floor(key[2] / BLOCK) == block[2]) {
            break;
        }
    }
    return &w->crowds[place];
}

// Whether a cell is the only one in all blocks that its neighbours lie in. This is so nearly
// everywhere where the tolerance is small against the distances of points.
static bool is_alone(const welder *w, const double key[3]) {
    uint64_t cells = 0;
    double block[3][2];
    int counts[3];
    for (int axis = 0; axis < 3; ++axis) {
        block[axis][0] = key[axis] - REACH;
        block[axis][1] = key[axis] + REACH;
        counts[axis] = floor(block[axis][0] / BLOCK) == floor(block[axis][1] / BLOCK) ? 1 : 2;
    }
    for (int k = 0; k < counts[2]; ++k) {
        for (int j = 0; j < counts[1]; ++j) {
            for (int i = 0; i < counts[0]; ++i) {
                cells += find_crowd(w, block[0][i], block[1][j], block[2][k])->count;
            }
        }
    }
    return cells == 1;
}

static void add_point(welder *w, uint32_t i) {
    sn_vec3 point = sn_vec3_load(w->positions + 3 * (size_t)i);
    double key[3] = {point.x, point.y, point.z};
    for (int axis = 0; axis < 3; ++axis) {
        // Adding 0 turns -0 into 0: both are one place.
        key[axis] = w->cell_size > 0 ? floor(key[axis] / w->cell_size) + 0.0 : key[axis] + 0.0;
    }
    size_t slot;
    uint32_t number = find_cell(w, key, &slot);
    if (number == SN_NONE) {
        number = w->cell_count++;
        w->table[slot] = number;
        w->cells[number] = (cell){{key[0], key[1], key[2]}, SN_NONE, point, point};
        crowd *block = find_crowd(w, key[0], key[1], key[2]);
        block->cell = number;
        block->count += 1;
    }
    cell *home = &w->cells[number];
    w->next[i] = home->first;
    if (home->first != SN_NONE) {
        sni_group_join(w->map, i, home->first);
    }
    home->first = i;
    home->low = sn_vec3_min(home->low, point);
    home->high = sn_vec3_max(home->high, point);
}

static double box_distance(sn_vec3 point, const cell *box) {
    return sn_vec3_distance(point, sn_vec3_max(box->low, sn_vec3_min(point, box->high)));
}

// Whether a point of cell `b` lies within the tolerance of `point`.
static bool reaches(const welder *w, sn_vec3 point, const cell *b) {
    for (uint32_t j = b->first; j != SN_NONE; j = w->next[j]) {
        if (sn_vec3_distance(point, sn_vec3_load(w->positions + 3 * (size_t)j)) <= w->tolerance) {
            return true;
        }
    }
    return false;
}

static void join_cells(welder *w, const cell *a, const cell *b) {
    if (sni_group_root(w->map, a->first) == sni_group_root(w->map, b->first)) {
        return;
    }
    for (uint32_t i = a->first; i != SN_NONE; i = w->next[i]) {
        sn_vec3 point = sn_vec3_load(w->positions + 3 * (size_t)i);
        if (box_distance(point, b) <= w->tolerance && reaches(w, point, b)) {
            sni_group_join(w->map, a->first, b->first);
            return;
        }
    }
}

// Each pair of cells is met from one of its sides.
static void join_neighbours(welder *w, uint32_t number) {
    const cell *a = &w->cells[number];
    size_t slot;
    if (is_alone(w, a->key)) {
        return;
    }
    for (int k = -REACH; k <= REACH; ++k) {
        for (int j = -REACH; j <= REACH; ++j) {
            for (int i = -REACH; i <= REACH; ++i) {
                if (25 * k + 5 * j + i <= 0) {
                    continue;
                }
                double key[3] = {a->key[0] + i, a->key[1] + j, a->key[2] + k};
                uint32_t other = find_cell(w, key, &slot);
                if (other != SN_NONE && other != number) {
                    join_cells(w, a, &w->cells[other]);
                }
            }
        }
    }
}

static sn_status check_input(const float *positions, uint32_t count, double tolerance,
                             sn_error *error) {
    if (!(tolerance >= 0 && isfinite(tolerance))) {
        return sni_fail(error, SN_INVALID, "the tolerance is %g, but must be 0 or more", tolerance);
    }
    size_t bad = sni_find_not_finite(positions, 3 * (size_t)count);
    if (bad < 3 * (size_t)count) {
        return sni_fail(error, SN_INVALID, "point %zu is not finite", bad / 3);
    }
    return SN_OK;
}

static sn_status welder_init(sn_context *context, welder *w, sn_error *error) {
    sn_status status = SN_OK;
    size_t table_size = 16;
    while (table_size < 2 * (size_t)w->count) {
        table_size *= 2;
    }
    w->table_mask = table_size - 1;
    SNI_NEW(context, w->cells, w->count);
    SNI_NEW(context, w->next, w->count);
    SNI_NEW(context, w->table, table_size);
    SNI_NEW_ZERO(context, w->crowds, table_size);
    memset(w->table, 0xff, table_size * sizeof *w->table);
cleanup:
    return status;
}

static uint32_t flatten(uint32_t *map, uint32_t count) {
    uint32_t groups = 0;
    for (uint32_t i = 0; i < count; ++i) {
        map[i] = sni_group_root(map, i);
        groups += map[i] == i;
    }
    return groups;
}

sn_status sni_weld_points(sn_context *context, const float *positions, uint32_t count,
                          double tolerance, uint32_t *map, uint32_t *group_count, sn_error *error) {
    SN_ASSERT(count == 0 || (positions != NULL && map != NULL));
    sn_status status = SN_OK;
    welder w = {.positions = positions, .count = count, .tolerance = tolerance, .map = map};
    // Different floats are at least FLT_TRUE_MIN apart. A little less than the exact size keeps
    // rounded distances within a cell below the tolerance.
    w.cell_size = tolerance >= FLT_TRUE_MIN ? tolerance / sqrt(3) * (1 - 1e-12) : 0;
    SN_TRY(check_input(positions, count, tolerance, error));
    SN_TRY(welder_init(context, &w, error));
    for (uint32_t i = 0; i < count; ++i) {
        map[i] = i;
        add_point(&w, i);
    }
    for (uint32_t i = 0; w.cell_size > 0 && i < w.cell_count; ++i) {
        join_neighbours(&w, i);
    }
    uint32_t groups = flatten(map, count);
    if (group_count != NULL) {
        *group_count = groups;
    }
cleanup:
    sni_free(context, w.cells);
    sni_free(context, w.next);
    sni_free(context, w.table);
    sni_free(context, w.crowds);
    return status;
}

uint32_t sni_weld_triangles(const uint32_t *map, const uint32_t *vertices, uint32_t triangle_count,
                            uint32_t *welded, uint32_t *origins) {
    SN_ASSERT(triangle_count == 0 || (map != NULL && vertices != NULL && welded != NULL));
    uint32_t kept = 0;
    for (uint32_t t = 0; t < triangle_count; ++t) {
        const uint32_t *old = vertices + 3 * (size_t)t;
        uint32_t a = map[old[0]], b = map[old[1]], c = map[old[2]];
        if (a == b || b == c || c == a) {
            continue;
        }
        uint32_t *triangle = welded + 3 * (size_t)kept;
        triangle[0] = a;
        triangle[1] = b;
        triangle[2] = c;
        if (origins != NULL) {
            origins[kept] = t;
        }
        ++kept;
    }
    return kept;
}
