// SPDX-License-Identifier: Apache-2.0
//
// Contraction and bulge (3.2, 3.3), sphincters (3.5).
//
// The grid is carried by the pose first; its points then slide along the polylines between them
// (3.13), by fractions that are those of the rest state. So a contracted point lies on its posed
// polyline, and never deeper. Thickness is laid on with the normal of the place where a point has
// come to (interpolated as the point is) and carried as a vector, so that it turns and scales with
// the pose. A contraction of 0 takes each point as it is: relaxed and contracted muscle then have
// the same bits.
#include "muscle/patch/patch.h"

#include <math.h>

static const double least_length = 0.01; // (3.11)

void sni_patch_lengths(const sn_vec3 *points, uint32_t count, double *lengths) {
    SN_ASSERT(count == 0 || (points != NULL && lengths != NULL));
    double sum = 0;
    lengths[0] = 0;
    for (uint32_t j = 1; j < count; ++j) {
        sum += sn_vec3_distance(points[j], points[j - 1]);
        lengths[j] = sum;
    }
    for (uint32_t j = 1; j < count; ++j) {
        lengths[j] = sum > 0 ? lengths[j] / sum : (double)j / (count - 1);
    }
}

void sni_patch_shorten(const double *lengths, uint32_t count, double contraction,
                       const double *factors, double *shortened) {
    SN_ASSERT(count > 0 && lengths != NULL);
    shortened[0] = 0;
    for (uint32_t j = 1; j < count; ++j) {
        if (factors == NULL) {
            shortened[j] = fmax(least_length, 1 - contraction) * lengths[j];
            continue;
        }
        double local = contraction * (factors[j] + factors[j - 1]) / 2;
        double step = fmax(least_length, 1 - local) * (lengths[j] - lengths[j - 1]);
        shortened[j] = fmin(shortened[j - 1] + step, lengths[j]);
    }
}

uint32_t sni_patch_start(const double *lengths, uint32_t count, double length) {
    uint32_t low = 0, high = count - 2;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (length <= lengths[middle + 1]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

double sni_patch_fraction(const double *lengths, uint32_t start, double length) {
    double step = lengths[start + 1] - lengths[start];
    return step > 0 ? fmin(fmax((length - lengths[start]) / step, 0), 1) : 0;
}

// The mean of two matrices, of those at the two curves for a grid point.
static sn_mat4 mix_matrices(const sn_mat4 *a, const sn_mat4 *b, double t) {
    sn_mat4 mixed;
    for (int i = 0; i < 16; ++i) {
        mixed.m[i] = a->m[i] + t * (b->m[i] - a->m[i]);
    }
    return mixed;
}

// The matrix M - I of grid point (i, j).
static sn_mat4 matrix_of(const sni_patch_grid *grid, const sn_mat4 *matrices, uint32_t i,
                         uint32_t j) {
    return mix_matrices(&matrices[j], &matrices[grid->count_v + j], grid->places_u[i]);
}

static sn_vec3 carry_point(const sn_mat4 *difference, sn_vec3 p) {
    return sn_vec3_add(p, sn_mat4_point(difference, p));
}

static sn_vec3 carry_vector(const sn_mat4 *difference, sn_vec3 v) {
    return sn_vec3_add(v, sn_mat4_direction(difference, v));
}

static void store(sn_vec3 p, double *values) {
    values[0] = p.x;
    values[1] = p.y;
    values[2] = p.z;
}

// x_ij = tau_m f(i, j) g(c, b) (3.15), at the contraction of the point itself.
static double bulged(const sni_patch_grid *grid, size_t index, double contraction, double tension) {
    double local = fmin(contraction * grid->contraction[index], 1);
    return grid->thickness[index] * sni_patch_bulge(local, tension, grid->bulge[index]);
}

bool sni_patch_line_init(sni_patch_line *line, const sni_patch_grid *grid, sni_arena *arena) {
    size_t most = grid->count_v > grid->count_u + 1 ? grid->count_v : grid->count_u + 1;
    *line = (sni_patch_line){.points = sni_arena_alloc(arena, most, sizeof *line->points),
                             .normals = sni_arena_alloc(arena, most, sizeof *line->normals),
                             .matrices = sni_arena_alloc(arena, most, sizeof *line->matrices),
                             .factors = sni_arena_alloc(arena, most, sizeof *line->factors),
                             .shortened = sni_arena_alloc(arena, most, sizeof *line->shortened)};
    return line->points != NULL && line->normals != NULL && line->matrices != NULL &&
           line->factors != NULL && line->shortened != NULL;
}

static void set_line_point(sni_patch_line *line, uint32_t at, const sn_mat4 *matrix, sn_vec3 point,
                           sn_vec3 normal, double factor) {
    line->matrices[at] = *matrix;
    line->points[at] = carry_point(matrix, point);
    line->normals[at] = normal;
    line->factors[at] = factor;
}

static void take_grid_point(sni_patch_line *line, uint32_t at, const sni_patch_grid *grid,
                            const sn_mat4 *matrices, uint32_t i, uint32_t j) {
    size_t k = (size_t)i * grid->count_v + j;
    sn_mat4 m = matrix_of(grid, matrices, i, j);
    set_line_point(line, at, &m, grid->points[k], grid->normals[k], grid->contraction[k]);
}

// The surface's point q = p' + n x (3.5) above the line's point `at`, shortened; where it was when
// `still`.
static void slide(const sni_patch_line *line, uint32_t at, bool still, double x, double *values) {
    uint32_t start = sni_patch_start(line->lengths, line->count, line->shortened[at]);
    double t = sni_patch_fraction(line->lengths, start, line->shortened[at]);
    if (still) {
        start = at < line->count - 1 ? at : at - 1;
        t = at - start;
    }
    sn_vec3 p = t == 1 ? line->points[start + 1]
                       : sn_vec3_lerp(line->points[start], line->points[start + 1], t);
    sn_vec3 n = sni_patch_slerp(line->normals[start], line->normals[start + 1], t);
    sn_mat4 m = mix_matrices(&line->matrices[start], &line->matrices[start + 1], t);
    store(sn_vec3_add_scaled(p, x, carry_vector(&m, n)), values);
}

static void contract_column(const sni_patch_grid *grid, uint32_t i, const sn_mat4 *matrices,
                            double contraction, double tension, sni_patch_line *line,
                            double *points) {
    const size_t first = (size_t)i * grid->count_v;
    line->count = grid->count_v;
    line->lengths = grid->lengths + first;
    for (uint32_t j = 0; j < grid->count_v; ++j) {
        take_grid_point(line, j, grid, matrices, i, j);
    }
    sni_patch_shorten(line->lengths, line->count, contraction, line->factors, line->shortened);
    for (uint32_t j = 0; j < grid->count_v; ++j) {
        slide(line, j, contraction == 0, bulged(grid, first + j, contraction, tension),
              points + 3 * (first + j));
    }
}

// The mean of all matrices, which carries the centre of a ring.
static sn_mat4 mean_matrix(const sni_patch_grid *grid, const sn_mat4 *matrices) {
    sn_mat4 mean = {{0}};
    for (uint32_t k = 0; k < 2 * grid->count_v; ++k) {
        for (int e = 0; e < 16; ++e) {
            mean.m[e] += matrices[k].m[e] / (2 * grid->count_v);
        }
    }
    return mean;
}

// A spoke of a ring is a line that begins in the centre: on a flat ring its points come closer to
// the centre by the same factor (3.5), elsewhere they follow the ring's own shape on their way.
static void contract_spoke(const sni_patch_grid *grid, uint32_t j, const sn_mat4 *matrices,
                           const sn_mat4 *mean, double contraction, double tension,
                           sni_patch_line *line, double *points) {
    line->count = grid->count_u + 1;
    line->lengths = grid->spoke_lengths + (size_t)j * line->count;
    for (uint32_t n = 0; n < grid->count_u; ++n) {
        take_grid_point(line, n + 1, grid, matrices, grid->inner_last ? grid->count_u - 1 - n : n,
                        j);
    }
    set_line_point(line, 0, mean, grid->center, grid->center_normal, line->factors[1]);
    sni_patch_shorten(line->lengths, line->count, contraction, line->factors, line->shortened);
    for (uint32_t n = 0; n < grid->count_u; ++n) {
        uint32_t i = grid->inner_last ? grid->count_u - 1 - n : n;
        size_t k = (size_t)i * grid->count_v + j;
        slide(line, n + 1, contraction == 0, bulged(grid, k, contraction, tension), points + 3 * k);
    }
}

// All points of a belt move straight towards the centre (3.5).
static void contract_belt(const sni_patch_grid *grid, const sn_mat4 *matrices, const sn_mat4 *mean,
                          double contraction, double tension, double *points) {
    sn_vec3 center = carry_point(mean, grid->center);
    for (uint32_t i = 0; i < grid->count_u; ++i) {
        for (uint32_t j = 0; j < grid->count_v; ++j) {
            size_t k = (size_t)i * grid->count_v + j;
            sn_mat4 m = matrix_of(grid, matrices, i, j);
            sn_vec3 posed = carry_point(&m, grid->points[k]);
            double away = fmax(least_length, 1 - contraction * grid->contraction[k]);
            sn_vec3 p = away == 1 ? posed : sn_vec3_lerp(center, posed, away);
            double x = bulged(grid, k, contraction, tension);
            store(sn_vec3_add_scaled(p, x, carry_vector(&m, grid->normals[k])), points + 3 * k);
        }
    }
}

void sni_patch_contract(const sni_patch_grid *grid, const sn_mat4 *matrices, double contraction,
                        double tension, sni_patch_line *line, double *points) {
    SN_ASSERT(points != NULL);
    if (!grid->closed) {
        for (uint32_t i = 0; i < grid->count_u; ++i) {
            contract_column(grid, i, matrices, contraction, tension, line, points);
        }
        return;
    }
    sn_mat4 mean = mean_matrix(grid, matrices);
    if (!grid->spokes) {
        contract_belt(grid, matrices, &mean, contraction, tension, points);
        return;
    }
    for (uint32_t j = 0; j < grid->count_v; ++j) {
        contract_spoke(grid, j, matrices, &mean, contraction, tension, line, points);
    }
}
