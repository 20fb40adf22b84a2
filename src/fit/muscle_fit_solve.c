// SPDX-License-Identifier: Apache-2.0
//
// Shortest ways and linear equations on the graph of a muscle's surface.
#include "fit/muscle_fit.h"

#include "base/simd.h"

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

// Right sides are solved side by side, each in a lane of its own: numbers of a vertex stand next to
// each other. What a lane gives does not depend on the others.
enum { WIDE = 4 };

// (shift M + scale L) x = b
typedef struct equations {
    const sni_fit_surface *surface;
    double shift, scale;
    double *diagonal;          // vertex_count
    double *r, *z, *p, *q, *x; // vertex_count x lanes
    const double *b;
} equations;

static void set_diagonal(const equations *e) {
    const sni_fit_surface *s = e->surface;
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        e->diagonal[i] = e->shift * s->masses[i];
    }
    for (uint32_t i = 0; i < 2 * (s->edge_count + s->link_count); ++i) {
        e->diagonal[s->edges[i]] += e->scale * s->weights[i / 2];
    }
}

// y = (shift M + scale L) x, and the products x . y.
SNI_INLINE void apply(const equations *e, int lanes, const double *x, double *restrict y,
                      double *products) {
    const sni_fit_surface *s = e->surface;
    double sums[WIDE] = {0};
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        double own[WIDE], row[WIDE], mass = e->shift * s->masses[i];
        for (int k = 0; k < lanes; ++k) {
            own[k] = x[(size_t)lanes * i + k];
            row[k] = mass * own[k];
        }
        for (uint32_t n = s->offsets[i]; n < s->offsets[i + 1]; ++n) {
            const double *other = x + (size_t)lanes * s->ends[n];
            double weight = e->scale * s->end_weights[n];
            for (int k = 0; k < lanes; ++k) {
                row[k] += weight * (own[k] - other[k]);
            }
        }
        for (int k = 0; k < lanes; ++k) {
            y[(size_t)lanes * i + k] = row[k];
            sums[k] += own[k] * row[k];
        }
    }
    memcpy(products, sums, (size_t)lanes * sizeof *sums);
}

// What x = 0 leaves, and what x leaves: b D^-1 b, r D^-1 r.
SNI_INLINE void begin_rounds(const equations *e, int lanes, double *whole, double *left) {
    apply(e, lanes, e->x, e->q, left);
    for (int k = 0; k < lanes; ++k) {
        whole[k] = left[k] = 0;
    }
    for (uint32_t i = 0; i < e->surface->vertex_count; ++i) {
        for (int k = 0; k < lanes; ++k) {
            size_t at = (size_t)lanes * i + k;
            e->r[at] = e->b[at] - e->q[at];
            e->z[at] = e->p[at] = e->r[at] / e->diagonal[i];
            whole[k] += e->b[at] * (e->b[at] / e->diagonal[i]);
            left[k] += e->r[at] * e->z[at];
        }
    }
}

// Moves x by `steps` along p; `left` is what that leaves.
SNI_INLINE void move(const equations *e, int lanes, const double *steps, double *left) {
    const double *restrict p = e->p, *restrict q = e->q, *restrict diagonal = e->diagonal;
    double *restrict x = e->x, *restrict r = e->r, *restrict z = e->z;
    double sums[WIDE] = {0};
    for (size_t i = 0; i < e->surface->vertex_count; ++i) {
        for (int k = 0; k < lanes; ++k) {
            size_t at = lanes * i + k;
            x[at] += steps[k] * p[at];
            r[at] -= steps[k] * q[at];
            z[at] = r[at] / diagonal[i];
            sums[k] += r[at] * z[at];
        }
    }
    memcpy(left, sums, (size_t)lanes * sizeof *sums);
}

// The next directions: p = z + turns p.
SNI_INLINE void turn(const equations *e, int lanes, const double *turns) {
    double *restrict p = e->p;
    const double *restrict z = e->z;
    for (size_t i = 0; i < e->surface->vertex_count; ++i) {
        for (int k = 0; k < lanes; ++k) {
            p[lanes * i + k] = z[lanes * i + k] + turns[k] * p[lanes * i + k];
        }
    }
}

// Conjugate gradients with the diagonal as preconditioner (Shewchuk 1994, B3). Lanes that are done
// stand still.
SNI_INLINE void run_rounds(const equations *e, int lanes, double tolerance) {
    static const uint32_t rounds_most = 3000;
    double limits[WIDE], left[WIDE], next[WIDE], steps[WIDE], turns[WIDE];
    bool runs[WIDE], any = false;
    begin_rounds(e, lanes, limits, left);
    for (int k = 0; k < lanes; ++k) {
        limits[k] *= tolerance * tolerance;
        runs[k] = left[k] > limits[k];
        any = any || runs[k];
    }
    for (uint32_t round = 0; round < rounds_most && any; ++round) {
        apply(e, lanes, e->p, e->q, steps);
        for (int k = 0; k < lanes; ++k) {
            double step = left[k] / steps[k];
            runs[k] = runs[k] && isfinite(step);
            steps[k] = runs[k] ? step : 0;
        }
        move(e, lanes, steps, next);
        any = false;
        for (int k = 0; k < lanes; ++k) {
            turns[k] = runs[k] ? next[k] / left[k] : 0;
            left[k] = next[k];
            runs[k] = runs[k] && left[k] > limits[k];
            any = any || runs[k];
        }
        turn(e, lanes, turns);
    }
}

static sn_status take_equations(equations *e, sni_arena *arena, const sni_fit_surface *surface,
                                int lanes, sn_error *error) {
    sn_status status = SN_OK;
    size_t count = (size_t)lanes * surface->vertex_count;
    e->surface = surface;
    SNI_FIT_TAKE(arena, e->diagonal, surface->vertex_count);
    SNI_FIT_TAKE(arena, e->r, count);
    SNI_FIT_TAKE(arena, e->z, count);
    SNI_FIT_TAKE(arena, e->p, count);
    SNI_FIT_TAKE(arena, e->q, count);
    set_diagonal(e);
cleanup:
    return status;
}

sn_status sni_fit_solve(const sni_fit_surface *surface, sni_arena *arena, double shift,
                        double scale, double tolerance, const double *b, double *x,
                        sn_error *error) {
    sn_status status = SN_OK;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    equations e = {.shift = shift, .scale = scale, .b = b, .x = x};
    SN_TRY(take_equations(&e, arena, surface, 1, error));
    run_rounds(&e, 1, tolerance);
cleanup:
    sni_arena_release(arena, mark);
    return status;
}

sn_status sni_fit_solve_vectors(const sni_fit_surface *surface, sni_arena *arena, double shift,
                                double scale, double tolerance, double *const b[3],
                                double *const x[3], sn_error *error) {
    sn_status status = SN_OK;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    equations e = {.shift = shift, .scale = scale};
    double *right;
    SNI_FIT_TAKE(arena, right, WIDE * (size_t)surface->vertex_count);
    SNI_FIT_TAKE(arena, e.x, WIDE * (size_t)surface->vertex_count);
    e.b = right;
    for (size_t i = 0; i < surface->vertex_count; ++i) {
        for (int k = 0; k < WIDE; ++k) {
            right[WIDE * i + k] = k < 3 ? b[k][i] : 0;
            e.x[WIDE * i + k] = k < 3 ? x[k][i] : 0;
        }
    }
    SN_TRY(take_equations(&e, arena, surface, WIDE, error));
    run_rounds(&e, WIDE, tolerance);
    for (size_t i = 0; i < surface->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            x[k][i] = e.x[WIDE * i + k];
        }
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
