// SPDX-License-Identifier: Apache-2.0
//
// Evenly spread random numbers that depend on a pixel and a sample number alone.
//
// The sequence is the first two dimensions of Sobol's (1967), every power of two of whose points is
// stratified in both axes and in all elementary boxes. A pixel shifts its digits by its own random
// ones (Kollig and Keller, "Efficient Multidimensional Sampling", 2002), which keeps that property
// and costs next to nothing.
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
    x = __builtin_bswap32(x);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    return ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
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
    uint32_t x = reverse_bits(index) ^ seed;
    uint32_t y = sobol_second(index) ^ (seed * 0x9e3779b1u + 0x7f4a7c15u);
    *u = (x + 0.5) / 4294967296.0;
    *v = (y + 0.5) / 4294967296.0;
}

// Sine and cosine of |x| <= pi / 4 to 3e-7: a picture needs no more.
static void small_sine(double x, double *sine, double *cosine) {
    double s = x * x;
    *sine = x * (1 - s * (1.0 / 6 - s * (1.0 / 120 - s * (1.0 / 5040))));
    *cosine = 1 - s * (0.5 - s * (1.0 / 24 - s * (1.0 / 720 - s * (1.0 / 40320))));
}

// The square onto the disc in rings (Shirley and Chiu 1997), which keeps neighbours together.
void sni_sample_disc(double u, double v, double *x, double *y) {
    double a = 2 * u - 1, b = 2 * v - 1;
    double sine, cosine;
    if (fabs(a) > fabs(b)) {
        small_sine(SN_PI / 4 * (b / a), &sine, &cosine);
        *x = a * cosine;
        *y = a * sine;
    } else {
        small_sine(b != 0 ? SN_PI / 4 * (a / b) : 0, &sine, &cosine);
        *x = b * sine;
        *y = b * cosine;
    }
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
