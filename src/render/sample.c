// SPDX-License-Identifier: Apache-2.0
//
// Evenly spread random numbers that depend on a pixel and a sample number alone.
//
// The sequence is the first two dimensions of Sobol's (1967), Owen-scrambled and shuffled by a hash
// (Burley, "Practical Hash-based Owen Scrambling", JCGT 2020; the hash after Laine and Karras,
// 2011). Every power of two of its points is stratified in both axes and in all elementary boxes.
#include "render/sample.h"

#include <math.h>

// Finaliser of MurmurHash3 (Appleby) over a combination of both.
uint32_t sni_hash(uint32_t a, uint32_t b) {
    uint32_t h = a * 0x9e3779b9u ^ (b + 0x7f4a7c15u + (a << 6) + (a >> 2));
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

static uint32_t reverse_bits(uint32_t x) {
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
    return (x >> 16) | (x << 16);
}

// Burley 2020, listing 1: each bit is flipped by a hash of the bits below it.
static uint32_t permute_upwards(uint32_t x, uint32_t seed) {
    x ^= x * 0x3d20adeau;
    x += seed;
    x *= (seed >> 16) | 1;
    x ^= x * 0x05526c56u;
    x ^= x * 0x53a22864u;
    return x;
}

static uint32_t scramble(uint32_t x, uint32_t seed) {
    return reverse_bits(permute_upwards(reverse_bits(x), seed));
}

// Sobol's second dimension: the direction numbers are the rows of Pascal's triangle modulo 2.
static uint32_t sobol_second(uint32_t index) {
    uint32_t result = 0;
    uint32_t direction = 0x80000000u;
    for (; index != 0; index >>= 1) {
        if (index & 1) {
            result ^= direction;
        }
        direction ^= direction >> 1;
    }
    return result;
}

void sni_sample_square(uint32_t index, uint32_t seed, double *u, double *v) {
    index = scramble(index, sni_hash(seed, 0));
    uint32_t x = scramble(reverse_bits(index), sni_hash(seed, 1));
    uint32_t y = scramble(sobol_second(index), sni_hash(seed, 2));
    *u = (x + 0.5) / 4294967296.0;
    *v = (y + 0.5) / 4294967296.0;
}

// The square onto the disc in rings (Shirley and Chiu 1997), which keeps neighbours together.
void sni_sample_disc(double u, double v, double *x, double *y) {
    double a = 2 * u - 1, b = 2 * v - 1;
    double radius = 0, angle = 0;
    if (fabs(a) > fabs(b)) {
        radius = a;
        angle = SN_PI / 4 * (b / a);
    } else if (b != 0) {
        radius = b;
        angle = SN_PI / 2 - SN_PI / 4 * (a / b);
    }
    *x = radius * cos(angle);
    *y = radius * sin(angle);
}

sn_vec3 sni_sample_cosine(sn_vec3 normal, double u, double v) {
    double x, y;
    sni_sample_disc(u, v, &x, &y);
    double z = sqrt(fmax(0, 1 - x * x - y * y));
    sn_vec3 side = sn_vec3_perpendicular(normal);
    sn_vec3 other = sn_vec3_cross(normal, side);
    sn_vec3 direction = sn_vec3_scale(normal, z);
    direction = sn_vec3_add_scaled(direction, x, side);
    return sn_vec3_add_scaled(direction, y, other);
}
