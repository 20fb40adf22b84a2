// SPDX-License-Identifier: Apache-2.0
#include "geometry/bricks.h"

#include "base/context.h"
#include "base/simd.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static sn_status check_grid(const sni_grid *grid, sn_error *error) {
    if (!sn_vec3_is_finite(grid->origin) || !(grid->spacing > 0) || !isfinite(grid->spacing)) {
        return sni_fail(error, SN_INVALID,
                        "a grid at (%g, %g, %g) with a spacing of %g is not possible",
                        grid->origin.x, grid->origin.y, grid->origin.z, grid->spacing);
    }
    uint64_t bricks = 1;
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t nodes = grid->dimensions[axis];
        if (nodes == 0) {
            return sni_fail(error, SN_INVALID, "a grid of %u x %u x %u nodes", grid->dimensions[0],
                            grid->dimensions[1], grid->dimensions[2]);
        }
        bricks *= (nodes - 1) / SNI_BRICK + 1;
        if (nodes > (uint32_t)INT32_MAX / 2 || bricks > INT32_MAX) {
            return sni_fail(error, SN_LIMIT, "a grid of %u x %u x %u nodes is too large",
                            grid->dimensions[0], grid->dimensions[1], grid->dimensions[2]);
        }
    }
    return SN_OK;
}

sn_status sni_bricks_create(sn_context *context, const sni_grid *grid, uint32_t chunk_count,
                            sni_bricks **bricks, sn_error *error) {
    sn_status status = SN_OK;
    sni_bricks *made = NULL;
    *bricks = NULL;
    SN_TRY(check_grid(grid, error));
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->grid = *grid;
    made->brick_count = 1;
    for (int axis = 0; axis < 3; ++axis) {
        made->counts[axis] = (grid->dimensions[axis] - 1) / SNI_BRICK + 1;
        made->brick_count *= made->counts[axis];
    }
    made->chunk_count = chunk_count > 0 ? chunk_count : made->brick_count;
    SNI_NEW_ZERO(context, made->uniform, made->brick_count);
    SNI_NEW_ZERO(context, made->dense, made->brick_count);
    SNI_NEW_ZERO(context, made->chunks, made->chunk_count);
    *bricks = made;
    return SN_OK;
cleanup:
    sni_bricks_destroy(made);
    return status;
}

void sni_bricks_destroy(sni_bricks *bricks) {
    if (bricks == NULL) {
        return;
    }
    sn_context *context = bricks->context;
    for (uint32_t i = 0; bricks->chunks != NULL && i < bricks->chunk_count; ++i) {
        sni_free(context, bricks->chunks[i]);
    }
    sni_free(context, bricks->chunks);
    sni_free(context, bricks->uniform);
    sni_free(context, bricks->dense);
    sni_free(context, bricks);
}

size_t sni_bricks_bytes(const sni_bricks *bricks) {
    size_t bytes = bricks->brick_count * (sizeof *bricks->uniform + sizeof *bricks->dense);
    for (uint32_t i = 0; i < bricks->brick_count; ++i) {
        bytes += bricks->dense[i] != NULL ? SNI_BRICK_NODES * sizeof(float) : 0;
    }
    return bytes;
}

// ---------------------------------------------------------------------------------------------
// Reading

// Floor of a node's number over the brick's side.
static int32_t brick_of(int32_t node) {
    return node >= 0 ? node / SNI_BRICK : -((SNI_BRICK - 1 - node) / SNI_BRICK);
}

// Rows of `width` nodes. Called with constants for the usual widths, which makes it twice as fast.
SNI_INLINE void copy_rows(const float *from, int32_t width, const int32_t part[3], ptrdiff_t row,
                          ptrdiff_t plane, double *to) {
    for (int32_t z = 0; z < part[2]; ++z) {
        for (int32_t y = 0; y < part[1]; ++y) {
            for (int32_t x = 0; x < width; ++x) {
                to[z * plane + y * row + x] = from[(z * SNI_BRICK + y) * SNI_BRICK + x];
            }
        }
    }
}

static void copy_part(const float *from, const int32_t part[3], ptrdiff_t row, ptrdiff_t plane,
                      double *to) {
    switch (part[0]) {
    case 1: copy_rows(from, 1, part, row, plane, to); break;
    case 2: copy_rows(from, 2, part, row, plane, to); break;
    case 4: copy_rows(from, 4, part, row, plane, to); break;
    case SNI_BRICK: copy_rows(from, SNI_BRICK, part, row, plane, to); break;
    default: copy_rows(from, part[0], part, row, plane, to); break;
    }
}

static void fill_part(double value, const int32_t part[3], ptrdiff_t row, ptrdiff_t plane,
                      double *to) {
    for (int32_t z = 0; z < part[2]; ++z) {
        for (int32_t y = 0; y < part[1]; ++y) {
            for (int32_t x = 0; x < part[0]; ++x) {
                to[z * plane + y * row + x] = value;
            }
        }
    }
}

// The part of a box that lies in one brick (which may be beyond the grid).
static void read_part(const sni_bricks *bricks, const int32_t brick[3], const int32_t begin[3],
                      const int32_t size[3], double *values) {
    int32_t low[3], high[3];
    bool inside = true;
    for (int axis = 0; axis < 3; ++axis) {
        int32_t first = brick[axis] * SNI_BRICK, end = begin[axis] + size[axis];
        low[axis] = begin[axis] > first ? begin[axis] : first;
        high[axis] = end < first + SNI_BRICK ? end : first + SNI_BRICK;
        inside = inside && brick[axis] >= 0 && (uint32_t)brick[axis] < bricks->counts[axis];
    }
    ptrdiff_t row = size[0], plane = row * size[1];
    double *to =
        values + (low[2] - begin[2]) * plane + (low[1] - begin[1]) * row + (low[0] - begin[0]);
    const int32_t part[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
    uint32_t index = inside ? sni_bricks_index(bricks, (uint32_t)brick[0], (uint32_t)brick[1],
                                               (uint32_t)brick[2])
                            : 0;
    if (inside && bricks->dense[index] != NULL) {
        const float *from = bricks->dense[index] +
                            ((low[2] & 7) * SNI_BRICK + (low[1] & 7)) * SNI_BRICK + (low[0] & 7);
        copy_part(from, part, row, plane, to);
    } else {
        fill_part(inside ? bricks->uniform[index] : bricks->outside, part, row, plane, to);
    }
}

void sni_bricks_read(const sni_bricks *bricks, const int32_t begin[3], const int32_t size[3],
                     double *values) {
    int32_t last[3], brick[3];
    for (int axis = 0; axis < 3; ++axis) {
        last[axis] = brick_of(begin[axis] + size[axis] - 1);
    }
    for (brick[2] = brick_of(begin[2]); brick[2] <= last[2]; ++brick[2]) {
        for (brick[1] = brick_of(begin[1]); brick[1] <= last[1]; ++brick[1]) {
            for (brick[0] = brick_of(begin[0]); brick[0] <= last[0]; ++brick[0]) {
                read_part(bricks, brick, begin, size, values);
            }
        }
    }
}

bool sni_bricks_range(const sni_bricks *bricks, uint32_t brick, double *low, double *high) {
    SN_ASSERT(brick < bricks->brick_count);
    const float *dense = bricks->dense[brick];
    *low = *high = bricks->uniform[brick];
    if (dense == NULL) {
        return isfinite(*low);
    }
    sni_f32xw zero = sni_f32xw_set1(0), broken = zero;
    sni_f32xw least = sni_f32xw_load(dense), most = least;
    for (int i = 0; i < SNI_BRICK_NODES; i += SNI_WIDTH) {
        sni_f32xw values = sni_f32xw_load(dense + i);
        least = sni_f32xw_min(values, least);
        most = sni_f32xw_max(values, most);
        // 0 times what is not finite is not a number, and stays so.
        broken = sni_f32xw_add(broken, sni_f32xw_mul(values, zero));
    }
    float lows[SNI_WIDTH], highs[SNI_WIDTH], sums[SNI_WIDTH], sum = 0;
    sni_f32xw_store(lows, least);
    sni_f32xw_store(highs, most);
    sni_f32xw_store(sums, broken);
    *low = lows[0];
    *high = highs[0];
    for (int i = 0; i < SNI_WIDTH; ++i) {
        *low = lows[i] < *low ? lows[i] : *low;
        *high = highs[i] > *high ? highs[i] : *high;
        sum += sums[i];
    }
    return sum == 0;
}

// ---------------------------------------------------------------------------------------------
// Sampling
