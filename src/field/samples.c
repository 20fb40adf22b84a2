// SPDX-License-Identifier: Apache-2.0
//
// Dart throwing: places drawn evenly by area, of which each is kept that is far enough from those
// kept before (R. L. Cook, "Stochastic Sampling in Computer Graphics", 1986).
#include "field/samples.h"

// M. E. O'Neill's PCG32 (2014): the same numbers on every machine.
typedef struct generator {
    uint64_t state, stream;
} generator;

static uint32_t next_u32(generator *g) {
    uint64_t old = g->state;
    g->state = old * 6364136223846793005u + g->stream;
    uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27), turn = (uint32_t)(old >> 59);
    return (mixed >> turn) | (mixed << ((32 - turn) & 31));
}

static generator generator_of(uint32_t seed) {
    generator g = {0, ((uint64_t)seed << 1) | 1};
    next_u32(&g);
    g.state += 0x853c49e6748fea9bu;
    next_u32(&g);
    return g;
}

static double next_unit(generator *g) {
    return next_u32(g) * 0x1p-32;
}

static sn_vec3 corner(const float *values, uint32_t vertex) {
    return sn_vec3_load(values + 3 * (size_t)vertex);
}

static double area_of(const sni_sampled_surface *surface, uint32_t triangle) {
    const uint32_t *v = surface->vertices + 3 * (size_t)triangle;
    sn_vec3 a = corner(surface->positions, v[0]);
    sn_vec3 ab = sn_vec3_sub(corner(surface->positions, v[1]), a);
    sn_vec3 ac = sn_vec3_sub(corner(surface->positions, v[2]), a);
    return sn_vec3_length(sn_vec3_cross(ab, ac)) / 2;
}

// The first triangle up to which the areas, summed up, exceed `target`.
static uint32_t triangle_at(const double *areas, uint32_t count, double target) {
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (areas[middle] > target) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static sni_hrbf_sample draw(const sni_sampled_surface *surface, const double *areas, generator *g) {
    uint32_t count = surface->triangle_count;
    uint32_t triangle = triangle_at(areas, count, next_unit(g) * areas[count - 1]);
    const uint32_t *v = surface->vertices + 3 * (size_t)triangle;
    double root = sqrt(next_unit(g)), other = next_unit(g);
    double weights[3] = {1 - root, root * (1 - other), root * other};
    sni_hrbf_sample sample = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 3; ++k) {
        sample.point =
            sn_vec3_add_scaled(sample.point, weights[k], corner(surface->positions, v[k]));
        sample.normal =
            sn_vec3_add_scaled(sample.normal, weights[k], corner(surface->normals, v[k]));
    }
    sample.normal = sn_vec3_normalize_or(sample.normal, sn_vec3_make(0, 0, 0));
    return sample;
}

static bool is_far(const sni_hrbf_sample *kept, uint32_t count, sni_hrbf_sample sample,
                   double distance) {
    // Opposite sides of a thin part may be near, but never in one place.
    static const double least = 0.05;
    for (uint32_t i = 0; i < count; ++i) {
        double apart = sn_vec3_distance(kept[i].point, sample.point);
        bool same_side = sn_vec3_dot(kept[i].normal, sample.normal) >= 0;
        if (apart < (same_side ? distance : least * distance)) {
            return false;
        }
    }
    return true;
}

static uint32_t throw_darts(const sni_sampled_surface *surface, const double *areas, uint32_t count,
                            double distance, uint32_t seed, sni_hrbf_sample *samples) {
    generator g = generator_of(seed);
    uint32_t kept = 0, most = 2 * count;
    for (uint32_t i = 0; i < 20 * count && kept < most; ++i) {
        sni_hrbf_sample sample = draw(surface, areas, &g);
        bool has_normal = sn_vec3_length(sample.normal) > 0;
        if (has_normal && is_far(samples, kept, sample, distance)) {
            samples[kept++] = sample;
        }
    }
    return kept;
}

uint32_t sni_sample_surface(const sni_sampled_surface *surface, uint32_t count, uint32_t seed,
                            double *areas, sni_hrbf_sample *samples) {
    enum { TRIES = 6 };
    double area = 0;
    for (uint32_t i = 0; i < surface->triangle_count; ++i) {
        area += area_of(surface, i);
        areas[i] = area;
    }
    if (!(area > 0) || count == 0) {
        return 0;
    }
    // Triangles of this side would tile the area with `count` corners; darts reach 0.7 of it.
    double distance = 0.7 * sqrt(2 * area / (sqrt(3) * count));
    uint32_t kept = 0;
    for (int k = 0; k < TRIES; ++k) {
        kept = throw_darts(surface, areas, count, distance, seed, samples);
        if (kept >= 0.8 * count && kept <= 1.2 * count) {
            break;
        }
        distance *= sqrt((double)kept / count);
    }
    return kept;
}
