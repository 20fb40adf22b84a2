// SPDX-License-Identifier: Apache-2.0
//
// Shortest ways and linear equations on the graph of a muscle's surface.
#include "fit/muscle/fit.h"

#include "base/simd_f64.h"

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
    SN_ASSERT(seed_count == 0 || seeds != NULL);
    SN_ASSERT(surface->vertex_count == 0 || distances != NULL);
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

// Right sides are solved side by side, each in a lane of its own. What a lane gives does not depend
// on the others.
typedef sni_f64x4 wide;
enum { LANES = SNI_F64_WIDTH };

// (shift M + scale L) x = b
typedef struct equations {
    const sni_fit_surface *surface;
    double shift, scale;
    double *diagonal;              // vertex_count
    double *b, *x, *r, *z, *p, *q; // vertex_count x LANES
} equations;

SNI_INLINE wide at(const double *numbers, size_t vertex) {
    return sni_f64x4_load(numbers + LANES * vertex);
}

SNI_INLINE void put_at(double *numbers, size_t vertex, wide value) {
    sni_f64x4_store(numbers + LANES * vertex, value);
}

SNI_INLINE wide add_product(wide sum, wide a, wide b) {
    return sni_f64x4_add(sum, sni_f64x4_mul(a, b));
}

static void set_diagonal(const equations *e) {
    const sni_fit_surface *s = e->surface;
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        e->diagonal[i] = e->shift * s->masses[i];
    }
    for (uint32_t i = 0; i < 2 * (s->edge_count + s->link_count); ++i) {
        e->diagonal[s->edges[i]] += e->scale * s->weights[i / 2];
    }
}

// y = (shift M + scale L) x; returns x . y
static wide apply(const equations *e, const double *x, double *y) {
    const sni_fit_surface *s = e->surface;
    wide sums = sni_f64x4_set1(0);
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        wide own = at(x, i);
        wide row = sni_f64x4_mul(sni_f64x4_set1(e->shift * s->masses[i]), own);
        for (uint32_t n = s->offsets[i]; n < s->offsets[i + 1]; ++n) {
            wide weight = sni_f64x4_set1(e->scale * s->end_weights[n]);
            row = add_product(row, weight, sni_f64x4_sub(own, at(x, s->ends[n])));
        }
        put_at(y, i, row);
        sums = add_product(sums, own, row);
    }
    return sums;
}

// What x = 0 leaves, and what x leaves: b D^-1 b, r D^-1 r.
static void begin_rounds(const equations *e, double *whole, double *left) {
    wide of_b = sni_f64x4_set1(0), of_r = of_b;
    apply(e, e->x, e->q);
    for (size_t i = 0; i < e->surface->vertex_count; ++i) {
        wide diagonal = sni_f64x4_set1(e->diagonal[i]), b = at(e->b, i);
        wide r = sni_f64x4_sub(b, at(e->q, i)), z = sni_f64x4_div(r, diagonal);
        put_at(e->r, i, r);
        put_at(e->z, i, z);
        put_at(e->p, i, z);
        of_b = add_product(of_b, b, sni_f64x4_div(b, diagonal));
        of_r = add_product(of_r, r, z);
    }
    sni_f64x4_store(whole, of_b);
    sni_f64x4_store(left, of_r);
}

// Moves x by `steps` along p; returns what that leaves.
static wide move(const equations *e, wide steps) {
    wide left = sni_f64x4_set1(0);
    for (size_t i = 0; i < e->surface->vertex_count; ++i) {
        wide r = sni_f64x4_sub(at(e->r, i), sni_f64x4_mul(steps, at(e->q, i)));
        wide z = sni_f64x4_div(r, sni_f64x4_set1(e->diagonal[i]));
        put_at(e->x, i, add_product(at(e->x, i), steps, at(e->p, i)));
        put_at(e->r, i, r);
        put_at(e->z, i, z);
        left = add_product(left, r, z);
    }
    return left;
}

// Conjugate gradients with the diagonal as preconditioner (Shewchuk 1994, B3). Lanes that are done
// stand still.
static void run_rounds(const equations *e, double tolerance) {
    static const uint32_t rounds_most = 3000;
    double limits[LANES], left[LANES], next[LANES], steps[LANES], turns[LANES];
    bool runs[LANES], any = false;
    begin_rounds(e, limits, left);
    for (int k = 0; k < LANES; ++k) {
        limits[k] *= tolerance * tolerance;
        runs[k] = left[k] > limits[k];
        any = any || runs[k];
    }
    for (uint32_t round = 0; round < rounds_most && any; ++round) {
        sni_f64x4_store(steps, apply(e, e->p, e->q));
        for (int k = 0; k < LANES; ++k) {
            double step = left[k] / steps[k];
            runs[k] = runs[k] && isfinite(step);
            steps[k] = runs[k] ? step : 0;
        }
        sni_f64x4_store(next, move(e, sni_f64x4_load(steps)));
        any = false;
        for (int k = 0; k < LANES; ++k) {
            turns[k] = runs[k] ? next[k] / left[k] : 0;
            left[k] = next[k];
            runs[k] = runs[k] && left[k] > limits[k];
            any = any || runs[k];
        }
        for (size_t i = 0; i < e->surface->vertex_count; ++i) {
            put_at(e->p, i, add_product(at(e->z, i), sni_f64x4_load(turns), at(e->p, i)));
        }
    }
}

// Up to LANES right sides.
static sn_status solve(const sni_fit_surface *surface, sni_arena *arena, double shift, double scale,
                       double tolerance, int count, const double *const *b, double *const *x,
                       sn_error *error) {
    sn_status status = SN_OK;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    equations e = {.surface = surface, .shift = shift, .scale = scale};
    double **const arrays[] = {&e.b, &e.x, &e.r, &e.z, &e.p, &e.q};
    SNI_FIT_TAKE(arena, e.diagonal, surface->vertex_count);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        SNI_FIT_TAKE(arena, *arrays[i], LANES * (size_t)surface->vertex_count);
    }
    for (size_t i = 0; i < surface->vertex_count; ++i) {
        for (int k = 0; k < LANES; ++k) {
            e.b[LANES * i + k] = k < count ? b[k][i] : 0;
            e.x[LANES * i + k] = k < count ? x[k][i] : 0;
        }
    }
    set_diagonal(&e);
    run_rounds(&e, tolerance);
    for (size_t i = 0; i < surface->vertex_count; ++i) {
        for (int k = 0; k < count; ++k) {
            x[k][i] = e.x[LANES * i + k];
        }
    }
cleanup:
    sni_arena_release(arena, mark);
    return status;
}

sn_status sni_fit_solve(const sni_fit_surface *surface, sni_arena *arena, double shift,
                        double scale, double tolerance, const double *b, double *x,
                        sn_error *error) {
    SN_ASSERT(b != NULL && x != NULL && tolerance > 0);
    return solve(surface, arena, shift, scale, tolerance, 1, &b, &x, error);
}

sn_status sni_fit_solve_vectors(const sni_fit_surface *surface, sni_arena *arena, double shift,
                                double scale, double tolerance, double *const b[3],
                                double *const x[3], sn_error *error) {
    const double *const right[3] = {b[0], b[1], b[2]};
    return solve(surface, arena, shift, scale, tolerance, 3, right, x, error);
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
