// SPDX-License-Identifier: Apache-2.0
//
// The Gaussian filter on bricks. Along each axis a node becomes
//
//     w0 a + sum over k = 1 .. r of wk (a[-k] + a[+k]),  wk ~ exp(-k^2 / (2 sigma^2)),  r = ceil(3
//     sigma)
//
// with the products added in this order and rounded once each, so that a mirrored grid gives
// mirrored bits. A brick that only sees bricks uniform with its own value stays uniform.
//
// The others are made in tiles of 1 x 4 x 8 bricks, each by itself and with nothing stored between
// the three passes but what a core keeps in its cache:
//
//     z planes of the tile, and r more on both sides
//       └ rows of the plane, and r more on both sides:  bricks ──► along x ──► along y ──► planes
//     planes ──► along z ──► bricks of the result
#include "geometry/density.h"

#include "base/context.h"
#include "base/simd.h"

#include <stdatomic.h>

enum {
    TILE_Y = 4, // bricks
    TILE_Z = 8,
    REACH_MOST = 38, // bricks on each side that a row of the filter reaches, see sigma_most
};

static const double sigma_most = 100;

uint32_t sni_density_radius(double sigma) {
    return (uint32_t)ceil(3 * sigma);
}

void sni_density_weights(double sigma, float *weights) {
    SN_ASSERT(sigma >= 0);
    uint32_t radius = sni_density_radius(sigma);
    double total = 1;
    for (uint32_t k = 1; k <= radius; ++k) {
        total += 2 * exp(-0.5 * k * k / (sigma * sigma));
    }
    weights[0] = (float)(1 / total);
    for (uint32_t k = 1; k <= radius; ++k) {
        weights[k] = (float)(exp(-0.5 * k * k / (sigma * sigma)) / total);
    }
}

typedef struct filter {
    const sni_bricks *from;
    sni_bricks *to;
    uint32_t radius;
    int32_t reach; // bricks on each side
    float weights[3 * 100 + 1];
    float *levels;        // per brick: its value where all that it sees is equal, else NaN
    float *levels_before; // the same before the pass along the present axis
    int axis;
    uint32_t tile_counts[3];
    float **scratch; // per worker
    atomic_bool out_of_memory;
} filter;

// ---------------------------------------------------------------------------------------------
// Which bricks stay uniform

static void take_levels(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    filter *f = user;
    for (uint32_t i = begin; i < end; ++i) {
        f->levels[i] = f->from->dense[i] != NULL ? NAN : f->from->uniform[i];
    }
}

// A brick keeps its level where all bricks within reach along the axis have the same.
static void spread_levels(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    filter *f = user;
    const uint32_t *counts = f->from->counts;
    const uint32_t strides[3] = {1, counts[0], counts[0] * counts[1]};
    int32_t count = (int32_t)counts[f->axis], stride = (int32_t)strides[f->axis];
    for (uint32_t i = begin; i < end; ++i) {
        int32_t place = (int32_t)(i / strides[f->axis] % counts[f->axis]);
        float level = f->levels_before[i];
        bool same = (place >= f->reach && place + f->reach < count) || level == f->from->outside;
        for (int32_t k = -f->reach; same && k <= f->reach; ++k) {
            same = place + k < 0 || place + k >= count ||
                   f->levels_before[(int64_t)i + (int64_t)k * stride] == level;
        }
        f->levels[i] = same ? level : NAN;
    }
}

static void find_levels(filter *f) {
    enum { GRAIN = 4096 };
    sn_context *context = f->from->context;
    uint32_t count = f->from->brick_count;
    sn_parallel_for(context, count, GRAIN, take_levels, f);
    for (f->axis = 0; f->axis < 3; ++f->axis) {
        float *before = f->levels;
        f->levels = f->levels_before;
        f->levels_before = before;
        sn_parallel_for(context, count, GRAIN, spread_levels, f);
    }
}

// ---------------------------------------------------------------------------------------------
// Kernels

// The sum of the eight nodes `step` numbers before a row and those as far behind it.
SNI_INLINE sni_f32xw pair_of(const float *from, ptrdiff_t step) {
    return sni_f32xw_add(sni_f32xw_load(from - step), sni_f32xw_load(from + step));
}

// Eight nodes at `from`, the others `stride` numbers apart.
SNI_INLINE void filter_eight(const filter *f, const float *from, ptrdiff_t stride, float *to) {
    sni_f32xw sum = sni_f32xw_mul(sni_f32xw_set1(f->weights[0]), sni_f32xw_load(from));
    for (ptrdiff_t k = 1; k <= (ptrdiff_t)f->radius; ++k) {
        sum = sni_f32xw_add_product(sum, sni_f32xw_set1(f->weights[k]), pair_of(from, k * stride));
    }
    sni_f32xw_store(to, sum);
}

// ROWS rows of eight nodes, one behind the other: they share the reading of each weight. SNI_BRICK
// is a multiple of ROWS.
enum { ROWS = 4 };

SNI_INLINE void filter_rows(const filter *f, const float *from, ptrdiff_t stride, float *to) {
    const float *a = from, *b = a + SNI_BRICK, *c = b + SNI_BRICK, *d = c + SNI_BRICK;
    sni_f32xw weight = sni_f32xw_set1(f->weights[0]);
    sni_f32xw sum_a = sni_f32xw_mul(weight, sni_f32xw_load(a));
    sni_f32xw sum_b = sni_f32xw_mul(weight, sni_f32xw_load(b));
    sni_f32xw sum_c = sni_f32xw_mul(weight, sni_f32xw_load(c));
    sni_f32xw sum_d = sni_f32xw_mul(weight, sni_f32xw_load(d));
    for (ptrdiff_t k = 1; k <= (ptrdiff_t)f->radius; ++k) {
        weight = sni_f32xw_set1(f->weights[k]);
        sum_a = sni_f32xw_add_product(sum_a, weight, pair_of(a, k * stride));
        sum_b = sni_f32xw_add_product(sum_b, weight, pair_of(b, k * stride));
        sum_c = sni_f32xw_add_product(sum_c, weight, pair_of(c, k * stride));
        sum_d = sni_f32xw_add_product(sum_d, weight, pair_of(d, k * stride));
    }
    sni_f32xw_store(to, sum_a);
    sni_f32xw_store(to + SNI_BRICK, sum_b);
    sni_f32xw_store(to + 2 * SNI_BRICK, sum_c);
    sni_f32xw_store(to + 3 * SNI_BRICK, sum_d);
}

// The same for equal nodes.
static float filter_constant(const filter *f, float value) {
    float sum = f->weights[0] * value;
    for (uint32_t k = 1; k <= f->radius; ++k) {
        sum = fmaf(f->weights[k], value + value, sum);
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------
// Tiles

// The bricks of a tile that are to be made, lowest and behind the highest, and its scratch.
typedef struct tile {
    uint32_t bx;
    int32_t by[2], bz[2];
    int32_t rows;  // of nodes along y in each plane
    float *line;   // nodes along x that a row of a brick sees
    float *plane;  // rows filtered along x, with the margin
    float *planes; // planes filtered along x and y, with the margin
} tile;

// The row of bricks along x around a brick; NULL where a brick is uniform.
typedef struct brick_line {
    const float *dense[2 * REACH_MOST + 1];
    float uniform[2 * REACH_MOST + 1];
    bool constant; // all nodes of the line are equal
} brick_line;

static brick_line read_line(const filter *f, int32_t bx, int32_t by, int32_t bz) {
    brick_line line = {.constant = true};
    const sni_bricks *b = f->from;
    bool inside = by >= 0 && (uint32_t)by < b->counts[1] && bz >= 0 && (uint32_t)bz < b->counts[2];
    for (int32_t i = 0; i <= 2 * f->reach; ++i) {
        int32_t x = bx - f->reach + i;
        line.dense[i] = NULL;
        line.uniform[i] = b->outside;
        if (inside && x >= 0 && (uint32_t)x < b->counts[0]) {
            uint32_t index = sni_bricks_index(b, (uint32_t)x, (uint32_t)by, (uint32_t)bz);
            line.dense[i] = b->dense[index];
            line.uniform[i] = b->uniform[index];
        }
        line.constant &= line.dense[i] == NULL && line.uniform[i] == line.uniform[0];
    }
    return line;
}

// One row of eight nodes along x.
static void filter_row(const filter *f, const brick_line *bricks, int32_t row, float *line,
                       float *to) {
    for (int32_t i = 0; i <= 2 * f->reach; ++i) {
        sni_f32xw nodes = bricks->dense[i] != NULL
                              ? sni_f32xw_load(bricks->dense[i] + row * SNI_BRICK)
                              : sni_f32xw_set1(bricks->uniform[i]);
        sni_f32xw_store(line + i * SNI_BRICK, nodes);
    }
    filter_eight(f, line + f->reach * SNI_BRICK, 1, to);
}

static int32_t floor_brick(int32_t node) {
    return (node - (node < 0 ? SNI_BRICK - 1 : 0)) / SNI_BRICK;
}

// The rows of a plane along x: into t->plane, from `radius` rows before the tile.
static void filter_plane_x(const filter *f, const tile *t, int32_t z) {
    int32_t begin = t->by[0] * SNI_BRICK - (int32_t)f->radius;
    int32_t end = t->by[1] * SNI_BRICK + (int32_t)f->radius;
    float *to = t->plane;
    for (int32_t y = begin; y < end;) {
        int32_t by = floor_brick(y), bz = floor_brick(z);
        brick_line bricks = read_line(f, (int32_t)t->bx, by, bz);
        float constant = bricks.constant ? filter_constant(f, bricks.uniform[0]) : 0;
        for (; y < end && floor_brick(y) == by; ++y, to += SNI_BRICK) {
            if (bricks.constant) {
                sni_f32xw_store(to, sni_f32xw_set1(constant));
            } else {
                int32_t row = (z - bz * SNI_BRICK) * SNI_BRICK + (y - by * SNI_BRICK);
                filter_row(f, &bricks, row, t->line, to);
            }
        }
    }
}

static void filter_planes(const filter *f, const tile *t) {
    int32_t begin = t->bz[0] * SNI_BRICK - (int32_t)f->radius;
    int32_t end = t->bz[1] * SNI_BRICK + (int32_t)f->radius;
    float *to = t->planes;
    for (int32_t z = begin; z < end; ++z) {
        filter_plane_x(f, t, z);
        const float *from = t->plane + f->radius * SNI_BRICK;
        for (int32_t row = 0; row < t->rows; row += ROWS) {
            filter_rows(f, from, SNI_BRICK, to);
            from += ROWS * SNI_BRICK;
            to += ROWS * SNI_BRICK;
        }
    }
}

// Along z: one brick of the result.
static void filter_brick_z(const filter *f, const tile *t, int32_t by, int32_t bz, float *values) {
    ptrdiff_t plane = (ptrdiff_t)t->rows * SNI_BRICK;
    const float *from = t->planes + plane * ((bz - t->bz[0]) * SNI_BRICK + (int32_t)f->radius) +
                        (ptrdiff_t)(by - t->by[0]) * SNI_BRICK * SNI_BRICK;
    for (int z = 0; z < SNI_BRICK; ++z, from += plane) {
        for (int y = 0; y < SNI_BRICK; y += ROWS, values += ROWS * SNI_BRICK) {
            filter_rows(f, from + y * SNI_BRICK, plane, values);
        }
    }
}

// Finds which bricks of a tile are to be made and gives the others their level.
static uint32_t plan_tile(filter *f, uint32_t number, tile *t) {
    const uint32_t *counts = f->to->counts;
    uint32_t ty = number / f->tile_counts[0] % f->tile_counts[1] * TILE_Y;
    uint32_t tz = number / f->tile_counts[0] / f->tile_counts[1] * TILE_Z, made = 0;
    t->bx = number % f->tile_counts[0];
    t->by[0] = t->bz[0] = INT32_MAX;
    t->by[1] = t->bz[1] = 0;
    for (uint32_t bz = tz; bz < tz + TILE_Z && bz < counts[2]; ++bz) {
        for (uint32_t by = ty; by < ty + TILE_Y && by < counts[1]; ++by) {
            uint32_t brick = sni_bricks_index(f->to, t->bx, by, bz);
            if (!isnan(f->levels[brick])) {
                float along_y = filter_constant(f, filter_constant(f, f->levels[brick]));
                f->to->uniform[brick] = filter_constant(f, along_y);
                continue;
            }
            ++made;
            t->by[0] = (int32_t)by < t->by[0] ? (int32_t)by : t->by[0];
            t->by[1] = (int32_t)by >= t->by[1] ? (int32_t)by + 1 : t->by[1];
            t->bz[0] = (int32_t)bz < t->bz[0] ? (int32_t)bz : t->bz[0];
            t->bz[1] = (int32_t)bz >= t->bz[1] ? (int32_t)bz + 1 : t->bz[1];
        }
    }
    return made;
}

static void filter_tile(filter *f, uint32_t number, float *scratch) {
    tile t;
    uint32_t made = plan_tile(f, number, &t);
    if (made == 0) {
        return;
    }
    float *values = sni_alloc(f->to->context, made, SNI_BRICK_NODES * sizeof *values);
    if (values == NULL) {
        atomic_store(&f->out_of_memory, true);
        return;
    }
    f->to->chunks[number] = values;
    t.rows = (t.by[1] - t.by[0]) * SNI_BRICK;
    t.line = scratch;
    t.plane = t.line + (2 * f->reach + 1) * SNI_BRICK;
    t.planes = t.plane + (TILE_Y * SNI_BRICK + 2 * f->radius) * SNI_BRICK;
    filter_planes(f, &t);
    for (int32_t bz = t.bz[0]; bz < t.bz[1]; ++bz) {
        for (int32_t by = t.by[0]; by < t.by[1]; ++by) {
            uint32_t brick = sni_bricks_index(f->to, t.bx, (uint32_t)by, (uint32_t)bz);
            if (isnan(f->levels[brick])) {
                filter_brick_z(f, &t, by, bz, values);
                f->to->dense[brick] = values;
                values += SNI_BRICK_NODES;
            }
        }
    }
}

static void filter_tiles(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    filter *f = user;
    for (uint32_t i = begin; i < end; ++i) {
        filter_tile(f, i, f->scratch[worker]);
    }
}

// ---------------------------------------------------------------------------------------------

static sn_status make_scratch(filter *f, sn_context *context, sn_error *error) {
    sn_status status = SN_OK;
    size_t size = (size_t)(2 * f->reach + 1) * SNI_BRICK +
                  (TILE_Y * SNI_BRICK + 2 * (size_t)f->radius) * SNI_BRICK +
                  (TILE_Z * SNI_BRICK + 2 * (size_t)f->radius) * TILE_Y * SNI_BRICK * SNI_BRICK;
    uint32_t workers = sn_context_thread_count(context);
    SNI_NEW_ZERO(context, f->scratch, workers);
    for (uint32_t i = 0; i < workers; ++i) {
        SNI_NEW(context, f->scratch[i], size);
    }
    SNI_NEW(context, f->levels, f->from->brick_count);
    SNI_NEW(context, f->levels_before, f->from->brick_count);
cleanup:
    return status;
}

static void filter_deinit(filter *f, sn_context *context) {
    for (uint32_t i = 0; f->scratch != NULL && i < sn_context_thread_count(context); ++i) {
        sni_free(context, f->scratch[i]);
    }
    sni_free(context, f->scratch);
    sni_free(context, f->levels);
    sni_free(context, f->levels_before);
    sni_bricks_destroy(f->to);
}

static uint32_t count_tiles(filter *f) {
    const uint32_t *counts = f->from->counts;
    f->tile_counts[0] = counts[0];
    f->tile_counts[1] = (counts[1] + TILE_Y - 1) / TILE_Y;
    f->tile_counts[2] = (counts[2] + TILE_Z - 1) / TILE_Z;
    return f->tile_counts[0] * f->tile_counts[1] * f->tile_counts[2];
}

sn_status sni_density_filter(const sni_bricks *bricks, double sigma, const sn_progress *progress,
                             sni_bricks **filtered, sn_error *error) {
    SN_ASSERT(bricks->brick_count == bricks->counts[0] * bricks->counts[1] * bricks->counts[2]);
    enum { ROUND = 256 };
    sn_status status = SN_OK;
    sn_context *context = bricks->context;
    filter f = {.from = bricks};
    *filtered = NULL;
    if (!(sigma >= 0) || !isfinite(sigma)) {
        return sni_fail(error, SN_INVALID, "the width of the filter is %g, but must be 0 or more",
                        sigma);
    }
    if (sigma > sigma_most) {
        return sni_fail(error, SN_LIMIT, "the width of the filter is %g nodes, at most %g", sigma,
                        sigma_most);
    }
    f.radius = sni_density_radius(sigma);
    f.reach = (int32_t)((f.radius + SNI_BRICK - 1) / SNI_BRICK);
    sni_density_weights(sigma, f.weights);
    uint32_t tile_count = count_tiles(&f);
    SN_TRY(sni_bricks_create(context, &bricks->grid, tile_count, &f.to, error));
    SN_TRY(make_scratch(&f, context, error));
    f.to->outside = filter_constant(&f, filter_constant(&f, filter_constant(&f, bricks->outside)));
    find_levels(&f);
    SN_TRY(sni_parallel_rounds(context, tile_count, 1, ROUND, filter_tiles, &f, progress,
                               "filtering", error));
    if (atomic_load(&f.out_of_memory)) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    *filtered = f.to;
    f.to = NULL;
cleanup:
    filter_deinit(&f, context);
    return status;
}
