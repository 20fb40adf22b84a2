// SPDX-License-Identifier: Apache-2.0
#include "muscle/graph/surface.h"

#include <string.h>

// Products are added in pairs, so that none waits for all before it.
static inline void add_tie(const float *rows, const float *f, float a[4], float b[4]) {
    for (int lane = 0; lane < 4; ++lane) {
        const float *r = rows + lane;
        float path = (f[0] * r[0] + f[1] * r[4]) + (f[2] * r[8] + f[3] * r[12]);
        a[lane] += path + (f[4] * r[16] + f[5] * r[20]);
        b[lane] += f[6] * r[24] + f[7] * r[28];
    }
}

void sni_graph_find_surface(const sni_graph *g, const float *table, float *a, float *b) {
    SN_ASSERT(table != NULL && a != NULL && b != NULL);
    size_t count = g->mesh->vertex_count;
    for (size_t v = 0; v < count; ++v) {
        float sum_a[4] = {0, 0, 0, 0}, sum_b[4] = {0, 0, 0, 0};
        for (size_t i = g->tie_starts[v]; i < g->tie_starts[v + 1]; ++i) {
            add_tie(table + SNI_GRAPH_ROW_FLOATS * (size_t)g->tie_rings[i],
                    g->tie_factors + SNI_GRAPH_TIE_FLOATS * i, sum_a, sum_b);
        }
        memcpy(a + 3 * v, sum_a, 3 * sizeof *a);
        memcpy(b + 3 * v, sum_b, 3 * sizeof *b);
    }
}

typedef struct triple {
    float x, y, z;
} triple;

static inline triple load(const float *p) {
    return (triple){p[0], p[1], p[2]};
}

static inline triple minus(triple a, triple b) {
    return (triple){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline triple plus(triple a, triple b) {
    return (triple){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline triple cross(triple a, triple b) {
    return (triple){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double dot(triple a, triple b) {
    return (double)(a.x * b.x + a.y * b.y + a.z * b.z);
}

// p . ((q - p) x (r - p)) is six times the volume below a triangle; triangles are small against
// their distance, so that the product of the sides loses fewer digits. With sides u + f u' and
// v + f v' their product is a quadratic of f, and with p + f p' the volume is a cubic.
void sni_graph_find_volume(const sni_graph *g, const float *a, const float *b,
                           sni_graph_cubic *volume) {
    double sums[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < g->triangle_count; ++i) {
        const uint32_t *t = g->triangles + 3 * i;
        size_t p = 3 * (size_t)t[0], q = 3 * (size_t)t[1], r = 3 * (size_t)t[2];
        triple pa = load(a + p), pb = load(b + p);
        triple ua = minus(load(a + q), pa), ub = minus(load(b + q), pb);
        triple va = minus(load(a + r), pa), vb = minus(load(b + r), pb);
        triple n0 = cross(ua, va), n1 = plus(cross(ua, vb), cross(ub, va)), n2 = cross(ub, vb);
        sums[0] += dot(pa, n0);
        sums[1] += dot(pa, n1) + dot(pb, n0);
        sums[2] += dot(pa, n2) + dot(pb, n1);
        sums[3] += dot(pb, n2);
    }
    for (int k = 0; k < 4; ++k) {
        volume->c[k] = sums[k] / 6;
    }
}

void sni_graph_place_surface(const sni_graph *g, const float *a, const float *b, double factor,
                             sn_vec3 shift, float *surface) {
    const double moved[3] = {shift.x, shift.y, shift.z};
    const float *given = g->mesh->positions;
    float f = (float)factor;
    for (size_t v = 0; v < g->mesh->vertex_count; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            size_t i = 3 * v + k;
            float now = a[i] + f * b[i];
            double way = (double)now - (double)g->base[i];
            surface[i] = (float)((double)given[i] + (way + moved[k]));
        }
    }
}
