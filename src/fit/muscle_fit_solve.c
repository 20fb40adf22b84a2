// SPDX-License-Identifier: Apache-2.0
//
// Shortest ways and linear equations on the graph of a muscle's surface.
#include "fit/muscle_fit.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Shortest ways (Dijkstra 1959)

// A binary heap of vertices by rising distance, each at most once.
typedef struct heap {
    const double *distances;
    uint32_t count;
    uint32_t *vertices;
    uint32_t *slots; // of every vertex; SN_NONE: not in it
} heap;

static bool is_before(const heap *h, uint32_t a, uint32_t b) {
    return h->distances[a] < h->distances[b] || (h->distances[a] == h->distances[b] && a < b);
}

static void put(heap *h, uint32_t slot, uint32_t vertex) {
    h->vertices[slot] = vertex;
    h->slots[vertex] = slot;
}

static void raise_up(heap *h, uint32_t vertex) {
    uint32_t slot = h->slots[vertex];
    while (slot > 0 && is_before(h, vertex, h->vertices[(slot - 1) / 2])) {
        put(h, slot, h->vertices[(slot - 1) / 2]);
        slot = (slot - 1) / 2;
    }
    put(h, slot, vertex);
}

static void push_or_raise(heap *h, uint32_t vertex) {
    if (h->slots[vertex] == SN_NONE) {
        put(h, h->count++, vertex);
    }
    raise_up(h, vertex);
}

static uint32_t pop(heap *h) {
    uint32_t top = h->vertices[0], last = h->vertices[--h->count], slot = 0;
    h->slots[top] = SN_NONE;
    if (h->count == 0) {
        return top;
    }
    for (uint32_t child; (child = 2 * slot + 1) < h->count; slot = child) {
        if (child + 1 < h->count && is_before(h, h->vertices[child + 1], h->vertices[child])) {
            ++child;
        }
        if (!is_before(h, h->vertices[child], last)) {
            break;
        }
        put(h, slot, h->vertices[child]);
    }
    put(h, slot, last);
    return top;
}

sn_status sni_fit_distances(const sni_fit_surface *surface, sni_arena *arena, const uint32_t *seeds,
                            uint32_t seed_count, double *distances, sn_error *error) {
    sn_status status = SN_OK;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    heap h = {.distances = distances};
    SNI_FIT_TAKE(arena, h.vertices, surface->vertex_count);
    SNI_FIT_TAKE(arena, h.slots, surface->vertex_count);
    for (uint32_t i = 0; i < surface->vertex_count; ++i) {
        distances[i] = INFINITY;
        h.slots[i] = SN_NONE;
    }
    for (uint32_t i = 0; i < seed_count; ++i) {
        distances[seeds[i]] = 0;
        push_or_raise(&h, seeds[i]);
    }
    while (h.count > 0) {
        uint32_t v = pop(&h);
        for (uint32_t n = surface->offsets[v]; n < surface->offsets[v + 1]; ++n) {
            const uint32_t *edge = surface->edges + 2 * (size_t)surface->neighbors[n];
            uint32_t other = edge[0] == v ? edge[1] : edge[0];
            double d = distances[v] + sn_vec3_distance(surface->points[v], surface->points[other]);
            if (d < distances[other]) {
                distances[other] = d;
                push_or_raise(&h, other);
            }
        }
    }
cleanup:
    sni_arena_release(arena, mark);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Equations

static double dot(const double *a, const double *b, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// y = (shift M + scale L) x
static void apply(const sni_fit_surface *s, double shift, double scale, const double *x,
                  double *y) {
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        y[i] = shift * s->masses[i] * x[i];
    }
    for (uint32_t e = 0; e < s->edge_count + s->link_count; ++e) {
        uint32_t a = s->edges[2 * (size_t)e], b = s->edges[2 * (size_t)e + 1];
        double flow = scale * s->weights[e] * (x[a] - x[b]);
        y[a] += flow;
        y[b] -= flow;
    }
}

// Conjugate gradients with the diagonal as preconditioner (Shewchuk 1994, B3).
sn_status sni_fit_solve(const sni_fit_surface *surface, sni_arena *arena, double shift,
                        double scale, double tolerance, const double *b, double *x,
                        sn_error *error) {
    static const uint32_t rounds_most = 3000;
    sn_status status = SN_OK;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    uint32_t count = surface->vertex_count;
    double *diagonal, *r, *z, *p, *q;
    SNI_FIT_TAKE(arena, diagonal, count);
    SNI_FIT_TAKE(arena, r, count);
    SNI_FIT_TAKE(arena, z, count);
    SNI_FIT_TAKE(arena, p, count);
    SNI_FIT_TAKE(arena, q, count);
    for (uint32_t i = 0; i < count; ++i) {
        diagonal[i] = shift * surface->masses[i];
    }
    for (uint32_t i = 0; i < 2 * (surface->edge_count + surface->link_count); ++i) {
        diagonal[surface->edges[i]] += scale * surface->weights[i / 2];
    }
    apply(surface, shift, scale, x, q);
    for (uint32_t i = 0; i < count; ++i) {
        r[i] = b[i] - q[i];
        z[i] = b[i] / diagonal[i];
    }
    double limit = tolerance * tolerance * dot(b, z, count);
    for (uint32_t i = 0; i < count; ++i) {
        z[i] = r[i] / diagonal[i];
    }
    memcpy(p, z, sizeof *p * count);
    double rz = dot(r, z, count);
    for (uint32_t round = 0; round < rounds_most && rz > limit; ++round) {
        apply(surface, shift, scale, p, q);
        double step = rz / dot(p, q, count);
        if (!isfinite(step)) {
            break;
        }
        for (uint32_t i = 0; i < count; ++i) {
            x[i] += step * p[i];
            r[i] -= step * q[i];
            z[i] = r[i] / diagonal[i];
        }
        double next = dot(r, z, count);
        for (uint32_t i = 0; i < count; ++i) {
            p[i] = z[i] + next / rz * p[i];
        }
        rz = next;
    }
cleanup:
    sni_arena_release(arena, mark);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Eigenvectors

// Jacobi's rotations: each makes one element of the pair (p, q) zero.
static void rotate_pair(double a[3][3], double v[3][3], int p, int q) {
    if (a[p][q] == 0) {
        return;
    }
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; ++k) {
        double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 3; ++k) {
        double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
        x = v[k][p], y = v[k][q];
        v[k][p] = c * x - s * y;
        v[k][q] = s * x + c * y;
    }
}

void sni_fit_eigen(const double matrix[6], double values[3], sn_vec3 vectors[3]) {
    double a[3][3] = {{matrix[0], matrix[3], matrix[4]},
                      {matrix[3], matrix[1], matrix[5]},
                      {matrix[4], matrix[5], matrix[2]}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < 30; ++sweep) {
        rotate_pair(a, v, 0, 1);
        rotate_pair(a, v, 0, 2);
        rotate_pair(a, v, 1, 2);
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2 - i; ++j) {
            if (a[order[j]][order[j]] < a[order[j + 1]][order[j + 1]]) {
                int swap = order[j];
                order[j] = order[j + 1];
                order[j + 1] = swap;
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        values[i] = a[order[i]][order[i]];
        vectors[i] = sn_vec3_make(v[0][order[i]], v[1][order[i]], v[2][order[i]]);
    }
    vectors[2] = sn_vec3_cross(vectors[0], vectors[1]);
}
