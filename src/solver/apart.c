// SPDX-License-Identifier: Apache-2.0
//
// Pairs of near particles are found through a grid of cells as wide as the distance, hashed into
// buckets (Teschner et al. 2003), made anew in every step: the result then depends on nothing but
// the positions. A sheet whose particles stand closer than 1.4 times the distance has no hole that
// one of them could slip through.
#include "solver/apart.h"

#include "base/rows.h"
#include "solver/points.h"

#include <math.h>
#include <string.h>

// Cells farther out than this are one: numbers stay whole numbers.
static const double farthest_cell = 1 << 30;

bool sni_apart_grid_init(uint32_t particle_count, sni_arena *arena, sni_apart_grid *grid) {
    SN_ASSERT(grid != NULL);
    grid->bucket_count = 1;
    while (grid->bucket_count < particle_count && grid->bucket_count < (uint32_t)1 << 31) {
        grid->bucket_count *= 2;
    }
    grid->cells = sni_arena_alloc(arena, 3 * (size_t)particle_count, sizeof *grid->cells);
    grid->starts = sni_arena_alloc(arena, (size_t)grid->bucket_count + 1, sizeof *grid->starts);
    grid->members = sni_arena_alloc(arena, particle_count, sizeof *grid->members);
    return grid->cells != NULL && grid->starts != NULL && grid->members != NULL;
}

static uint32_t bucket_of(const sni_apart_grid *grid, const int32_t cell[3]) {
    uint32_t hash = (uint32_t)cell[0] * 73856093u ^ (uint32_t)cell[1] * 19349663u ^
                    (uint32_t)cell[2] * 83492791u;
    return hash & (grid->bucket_count - 1);
}

static void fill_grid(const sni_apart *apart, const sni_apart_grid *grid, const double *positions) {
    memset(grid->starts, 0, ((size_t)grid->bucket_count + 1) * sizeof *grid->starts);
    for (size_t i = 0; i < 3 * (size_t)apart->particle_count; ++i) {
        double cell = floor(positions[i] / apart->distance);
        grid->cells[i] = (int32_t)fmax(-farthest_cell, fmin(farthest_cell, cell));
    }
    for (uint32_t i = 0; i < apart->particle_count; ++i) {
        sni_rows_count(grid->starts, bucket_of(grid, grid->cells + 3 * (size_t)i), 1);
    }
    sni_rows_begin(grid->starts, grid->bucket_count);
    for (uint32_t i = 0; i < apart->particle_count; ++i) {
        uint32_t bucket = bucket_of(grid, grid->cells + 3 * (size_t)i);
        grid->members[sni_rows_take(grid->starts, bucket)] = i;
    }
    sni_rows_end(grid->starts, grid->bucket_count);
}

// Moves a from b by `way`, each by its share of the inverse masses.
static void move_apart(const sni_apart *apart, uint32_t a, uint32_t b, sn_vec3 way,
                       double *points) {
    double wa = apart->inverse_masses[a], wb = apart->inverse_masses[b];
    sni_point_move(points, a, wa / (wa + wb), way);
    sni_point_move(points, b, -wb / (wa + wb), way);
}

static void solve_pair(const sni_apart *apart, uint32_t a, uint32_t b, double *positions,
                       double *before) {
    sn_vec3 between = sn_vec3_sub(sni_point(positions, a), sni_point(positions, b));
    double length = sn_vec3_length(between), depth = apart->distance - length;
    if (!(depth > 0 && length > 0 && apart->inverse_masses[a] + apart->inverse_masses[b] > 0) ||
        sn_vec3_distance(sni_point(apart->rest, a), sni_point(apart->rest, b)) < apart->distance) {
        return;
    }
    sn_vec3 normal = sn_vec3_scale(between, 1 / length);
    sn_vec3 was = sn_vec3_sub(sni_point(before, a), sni_point(before, b));
    double old = fmin(depth, fmax(0, apart->distance - sn_vec3_length(was)));
    move_apart(apart, a, b, sn_vec3_scale(normal, depth), positions);
    move_apart(apart, a, b, sn_vec3_scale(normal, old), before);
    // Coulomb's friction on the way along each other, as in xpbd.c.
    sn_vec3 way = sn_vec3_sub(between, was);
    sn_vec3 along = sn_vec3_add_scaled(way, -sn_vec3_dot(way, normal), normal);
    double slide = sn_vec3_length(along), most = apart->friction * (depth - old);
    if (slide > 0 && most > 0) {
        double share = slide <= most ? 1 : most / slide;
        move_apart(apart, a, b, sn_vec3_scale(along, -share), positions);
    }
}

// Particle `a` with those of a cell that have higher numbers.
static void solve_cell(const sni_apart *apart, const sni_apart_grid *grid, uint32_t a,
                       const int32_t cell[3], double *positions, double *before) {
    uint32_t bucket = bucket_of(grid, cell);
    for (uint32_t i = grid->starts[bucket]; i < grid->starts[bucket + 1]; ++i) {
        uint32_t b = grid->members[i];
        if (b > a && memcmp(grid->cells + 3 * (size_t)b, cell, 3 * sizeof *cell) == 0) {
            solve_pair(apart, a, b, positions, before);
        }
    }
}

void sni_apart_solve(const sni_apart *apart, const sni_apart_grid *grid, double *positions,
                     double *before) {
    SN_ASSERT(apart->distance > 0);
    SN_ASSERT(grid->bucket_count > 0 && (grid->bucket_count & (grid->bucket_count - 1)) == 0);
    fill_grid(apart, grid, positions);
    for (uint32_t a = 0; a < apart->particle_count; ++a) {
        const int32_t *own = grid->cells + 3 * (size_t)a;
        for (int k = 0; k < 27; ++k) {
            const int32_t cell[3] = {own[0] + k % 3 - 1, own[1] + k / 3 % 3 - 1,
                                     own[2] + k / 9 - 1};
            solve_cell(apart, grid, a, cell, positions, before);
        }
    }
}
