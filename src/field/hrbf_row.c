// SPDX-License-Identifier: Apache-2.0
//
// Rows of points, four at a time: what sni_hrbf_at computes, with its bits, since each lane adds up
// the same terms in the same order.
#include "field/hrbf.h"

#include "base/simd_f64.h"

// Sums over centres at four points.
typedef struct sums {
    sni_f64x4 distance, x, y, z;
} sums;

static sni_f64x4 add_product(sni_f64x4 to, sni_f64x4 a, sni_f64x4 b) {
    return sni_f64x4_add(to, sni_f64x4_mul(a, b));
}

static sni_f64x4 dot(sni_f64x4 ax, sni_f64x4 ay, sni_f64x4 az, sni_f64x4 bx, sni_f64x4 by,
                     sni_f64x4 bz) {
    return add_product(add_product(sni_f64x4_mul(ax, bx), ay, by), az, bz);
}

static void add_center(const sni_hrbf_center *center, sni_f64x4 x, sni_f64x4 y, sni_f64x4 z,
                       sums *s) {
    const sni_f64x4 zero = sni_f64x4_set1(0), one = sni_f64x4_set1(1), three = sni_f64x4_set1(3);
    sni_f64x4 dx = sni_f64x4_sub(x, sni_f64x4_set1(center->point.x));
    sni_f64x4 dy = sni_f64x4_sub(y, sni_f64x4_set1(center->point.y));
    sni_f64x4 dz = sni_f64x4_sub(z, sni_f64x4_set1(center->point.z));
    sni_f64x4 bx = sni_f64x4_set1(center->b.x), by = sni_f64x4_set1(center->b.y),
              bz = sni_f64x4_set1(center->b.z);
    sni_f64x4 r = sni_f64x4_sqrt(dot(dx, dy, dz, dx, dy, dz));
    sni_f64x4 along = dot(bx, by, bz, dx, dy, dz);
    sni_f64x4 ar = sni_f64x4_mul(sni_f64x4_set1(center->a), r);
    sni_f64x4 term = add_product(sni_f64x4_mul(ar, r), three, along);
    s->distance = add_product(s->distance, r, term);
    // On the centre itself everything that is added is 0, if only the quotient is a number.
    sni_f64x4 divisor = sni_f64x4_choose(sni_f64x4_less(zero, r), one, r);
    sni_f64x4 scale = sni_f64x4_add(ar, sni_f64x4_div(along, divisor));
    s->x = add_product(add_product(s->x, scale, dx), r, bx);
    s->y = add_product(add_product(s->y, scale, dy), r, by);
    s->z = add_product(add_product(s->z, scale, dz), r, bz);
}

static void store(const sni_hrbf *hrbf, sn_vec3 at, const double sum[4], float *node) {
    sn_vec3 gradient = sn_vec3_add_scaled(hrbf->g, 3, sn_vec3_make(sum[1], sum[2], sum[3]));
    node[0] = (float)(sum[0] + (hrbf->g0 + sn_vec3_dot(hrbf->g, sn_vec3_sub(at, hrbf->origin))));
    sn_vec3_store(gradient, node + 1);
}

void sni_hrbf_row(sn_context *context, const sni_hrbf *hrbf, sn_vec3 first, double spacing,
                  uint32_t count, float *nodes) {
    (void)context;
    sni_f64x4 y = sni_f64x4_set1(first.y), z = sni_f64x4_set1(first.z);
    for (uint32_t begin = 0; begin < count; begin += SNI_F64_WIDTH) {
        double xs[SNI_F64_WIDTH], lanes[4][SNI_F64_WIDTH];
        for (uint32_t i = 0; i < SNI_F64_WIDTH; ++i) {
            xs[i] = first.x + spacing * (begin + i);
        }
        sums s = {sni_f64x4_set1(0), sni_f64x4_set1(0), sni_f64x4_set1(0), sni_f64x4_set1(0)};
        sni_f64x4 x = sni_f64x4_load(xs);
        for (uint32_t k = 0; k < hrbf->center_count; ++k) {
            add_center(&hrbf->centers[k], x, y, z, &s);
        }
        sni_f64x4_store(lanes[0], s.distance);
        sni_f64x4_store(lanes[1], s.x);
        sni_f64x4_store(lanes[2], s.y);
        sni_f64x4_store(lanes[3], s.z);
        for (uint32_t i = 0; i < SNI_F64_WIDTH && begin + i < count; ++i) {
            const double sum[4] = {lanes[0][i], lanes[1][i], lanes[2][i], lanes[3][i]};
            store(hrbf, sn_vec3_make(xs[i], first.y, first.z), sum,
                  nodes + 4 * (begin + (size_t)i));
        }
    }
}
