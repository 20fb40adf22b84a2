// SPDX-License-Identifier: Apache-2.0
//
// A pass of contact_solve.c that evens out how far vertices are moved,
//
//     u_i' = u_i + stride ((pull_i + sum of u_j) / (degree (1 + h_i)) - u_i),    x_i = b_i + u_i'
//
// over the vertices of the list alone, one behind the other, with x, y, z and nothing in four
// doubles. What a vertex has moved by is kept as x - b.
#include "skin/implicit/contact_internal.h"

#include "base/simd_f64.h"

void sni_contact_even_out(sn_context *context, const sni_contact_even *e, uint32_t begin,
                          uint32_t end) {
    (void)context;
    const sni_f64_row *moves = e->moves;
    const sni_f64x4 stride = sni_f64x4_set1(e->stride);
    for (uint32_t k = begin; k < end; ++k) {
        sni_f64x4 sum = sni_f64x4_load(e->pulls[k].v), u = sni_f64x4_load(moves[k].v);
        for (uint32_t n = e->starts[k]; n < e->starts[k + 1]; ++n) {
            sum = sni_f64x4_add(sum, sni_f64x4_load(moves[e->neighbors[n]].v));
        }
        sni_f64x4 to =
            e->starts[k + 1] > e->starts[k] ? sni_f64x4_mul(sum, sni_f64x4_set1(e->scales[k])) : u;
        sni_f64x4 by = sni_f64x4_add(u, sni_f64x4_mul(stride, sni_f64x4_sub(to, u)));
        sni_f64x4 before = sni_f64x4_load(e->before[k].v), x = sni_f64x4_add(before, by);
        double place[4];
        sni_f64x4_store(place, x);
        e->positions[e->places[k]] = (sn_vec3){place[0], place[1], place[2]};
        sni_f64x4_store(e->next[k].v, sni_f64x4_sub(x, before));
    }
}
