// SPDX-License-Identifier: Apache-2.0
//
// The closest point of a NURBS patch, by Newton's method from several starts. With e = S - X,
//
//     f = S_u . e ,  g = S_v . e
//     [ S_u.S_u + e.S_uu    S_u.S_v + e.S_uv ] (du)     (f)
//     [ S_u.S_v + e.S_uv    S_v.S_v + e.S_vv ] (dv) = - (g)                              (F.2)
//
// (The NURBS Book, section 6.1). Where the matrix is not positive definite the terms with e are
// dropped (Gauss-Newton); steps are halved until |e| falls; a parameter at the end of its domain
// whose gradient points outwards is held there. Starts are the best of 4 x 4 samples in three
// different spans, and the corners are tested as well. A span whose box of control points is
// further away than the best place so far cannot hold a better one.
#include "geometry/nurbs.h"
#include "geometry/triangle.h"

#include <math.h>

enum {
    SAMPLES = 4, // in each direction of a span
    STARTS = 3,
    ITERATIONS = 20,
    HALVINGS = 8,
    TILES = 32, // in each direction of the tessellation that is searched when Newton fails
};

// Places that the ambiguity test takes for equally near, and how far apart they are at least.
static const double ambiguous_factor = 1.05, ambiguous_apart = 0.25;

typedef struct span {
    sn_vec3 low, high; // box of its control points, and so of itself
    sn_vec3 samples[SAMPLES * SAMPLES];
    double u[2], v[2];
} span;

struct sni_nurbs_finder {
    sn_context *context;
    const sni_nurbs *nurbs;
    double size;            // diagonal of the box of all control points
    double low[2], high[2]; // domain
    uint32_t span_count;
    span *spans;
    sn_vec3 corners[4];
};

static uint32_t count_spans(const sni_nurbs *nurbs, int d) {
    const double *knots = nurbs->knots[d];
    uint32_t first = nurbs->degrees[d], count = 0;
    uint32_t last = nurbs->counts[d] + (nurbs->closed[d] ? nurbs->degrees[d] : 0);
    for (uint32_t k = first; k < last; ++k) {
        count += knots[k] < knots[k + 1];
    }
    return count;
}

// The next non-empty span at or behind knot `k`.
static uint32_t skip_empty(const double *knots, uint32_t k) {
    while (knots[k] == knots[k + 1]) {
        ++k;
    }
    return k;
}

// Samples reach almost to the borders of their span, where the closest places of far points lie.
static double sample_at(const double ends[2], int i) {
    double t = 0.02 + 0.96 * i / (SAMPLES - 1);
    return ends[0] + t * (ends[1] - ends[0]);
}

static void fill_span(const sni_nurbs *nurbs, span *s) {
    sni_nurbs_basis bu, bv;
    sni_nurbs_basis_at(nurbs, 0, (s->u[0] + s->u[1]) / 2, 0, &bu);
    sni_nurbs_basis_at(nurbs, 1, (s->v[0] + s->v[1]) / 2, 0, &bv);
    s->low = sn_vec3_make(INFINITY, INFINITY, INFINITY);
    s->high = sn_vec3_scale(s->low, -1);
    for (uint32_t i = 0; i <= nurbs->degrees[0]; ++i) {
        for (uint32_t j = 0; j <= nurbs->degrees[1]; ++j) {
            const double *p = nurbs->points + 3 * (size_t)sni_nurbs_index(nurbs, &bu, i, &bv, j);
            s->low = sn_vec3_min(s->low, (sn_vec3){p[0], p[1], p[2]});
            s->high = sn_vec3_max(s->high, (sn_vec3){p[0], p[1], p[2]});
        }
    }
    for (int i = 0; i < SAMPLES * SAMPLES; ++i) {
        s->samples[i] =
            sni_nurbs_point(nurbs, sample_at(s->u, i / SAMPLES), sample_at(s->v, i % SAMPLES));
    }
}

static void fill_spans(sni_nurbs_finder *finder, uint32_t count_u, uint32_t count_v) {
    const sni_nurbs *nurbs = finder->nurbs;
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = sn_vec3_scale(low, -1);
    span *s = finder->spans;
    uint32_t ku = nurbs->degrees[0];
    for (uint32_t i = 0; i < count_u; ++i, ++ku) {
        ku = skip_empty(nurbs->knots[0], ku);
        uint32_t kv = nurbs->degrees[1];
        for (uint32_t j = 0; j < count_v; ++j, ++kv, ++s) {
            kv = skip_empty(nurbs->knots[1], kv);
            *s = (span){.u = {nurbs->knots[0][ku], nurbs->knots[0][ku + 1]},
                        .v = {nurbs->knots[1][kv], nurbs->knots[1][kv + 1]}};
            fill_span(nurbs, s);
            low = sn_vec3_min(low, s->low);
            high = sn_vec3_max(high, s->high);
        }
    }
    finder->size = sn_vec3_distance(low, high);
}

sn_status sni_nurbs_finder_create(sn_context *context, const sni_nurbs *nurbs,
                                  sni_nurbs_finder **finder, sn_error *error) {
    sn_status status = SN_OK;
    sni_nurbs_finder *made = NULL;
    *finder = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->nurbs = nurbs;
    uint32_t count_u = count_spans(nurbs, 0), count_v = count_spans(nurbs, 1);
    size_t count = (size_t)count_u * count_v;
    if (count > UINT32_MAX) {
        SN_TRY(sni_fail(error, SN_LIMIT, "%u x %u spans", count_u, count_v));
    }
    SNI_NEW(context, made->spans, count);
    made->span_count = (uint32_t)count;
    fill_spans(made, count_u, count_v);
    for (int d = 0; d < 2; ++d) {
        sni_nurbs_domain(nurbs, d, &made->low[d], &made->high[d]);
    }
    for (int i = 0; i < 4; ++i) {
        made->corners[i] = sni_nurbs_point(nurbs, i & 1 ? made->high[0] : made->low[0],
                                           i & 2 ? made->high[1] : made->low[1]);
    }
    *finder = made;
    return SN_OK;
cleanup:
    sni_nurbs_finder_destroy(made);
    return status;
}

void sni_nurbs_finder_destroy(sni_nurbs_finder *finder) {
    if (finder != NULL) {
        sni_free(finder->context, finder->spans);
        sni_free(finder->context, finder);
    }
}

static double box_distance(const span *s, sn_vec3 p) {
    double x = fmax(fmax(s->low.x - p.x, p.x - s->high.x), 0);
    double y = fmax(fmax(s->low.y - p.y, p.y - s->high.y), 0);
    double z = fmax(fmax(s->low.z - p.z, p.z - s->high.z), 0);
    return sqrt(x * x + y * y + z * z);
}

typedef struct place {
    double t[2]; // u, v
    double distance;
    const span *span;
    bool converged;
} place;

// Keeps the best samples of different spans, by rising distance; of equals the first stays first.
static void keep_start(place starts[STARTS], place candidate) {
    int i = STARTS;
    while (i > 0 && candidate.distance < starts[i - 1].distance) {
        --i;
    }
    for (int j = STARTS - 1; j > i; --j) {
        starts[j] = starts[j - 1];
    }
    if (i < STARTS) {
        starts[i] = candidate;
    }
}

static void find_starts(const sni_nurbs_finder *finder, sn_vec3 x, double radius,
                        place starts[STARTS]) {
    for (uint32_t k = 0; k < finder->span_count; ++k) {
        const span *s = &finder->spans[k];
        double bound = fmin(starts[STARTS - 1].distance, starts[0].distance * ambiguous_factor);
        double box = box_distance(s, x);
        if (box > radius || box > bound) {
            continue;
        }
        double square = INFINITY;
        int best_sample = 0;
        for (int i = 0; i < SAMPLES * SAMPLES; ++i) {
            sn_vec3 e = sn_vec3_sub(s->samples[i], x);
            if (sn_vec3_dot(e, e) < square) {
                square = sn_vec3_dot(e, e);
                best_sample = i;
            }
        }
        place best = {.distance = sqrt(square), .span = s};
        best.t[0] = sample_at(s->u, best_sample / SAMPLES);
        best.t[1] = sample_at(s->v, best_sample % SAMPLES);
        keep_start(starts, best);
    }
}

// Which parameters may move: not those at an end of their domain whose descent points outwards,
// nor those along which the surface does not extend (a degenerate edge).
static void find_free(const sni_nurbs_finder *finder, const place *p, const double gradient[2],
                      const sn_vec3 tangents[2], bool is_free[2]) {
    for (int d = 0; d < 2; ++d) {
        bool outwards = (p->t[d] <= finder->low[d] && gradient[d] > 0) ||
                        (p->t[d] >= finder->high[d] && gradient[d] < 0);
        double width = finder->high[d] - finder->low[d];
        is_free[d] = !(outwards && !finder->nurbs->closed[d]) &&
                     sn_vec3_length(tangents[d]) * width > 1e-14 * finder->size;
    }
}

// The step of (F.2) in the free parameters.
static void newton_step(const sni_nurbs_jet *jet, sn_vec3 e, const double gradient[2],
                        const bool is_free[2], double step[2]) {
    double uu = sn_vec3_dot(jet->su, jet->su), uv = sn_vec3_dot(jet->su, jet->sv);
    double vv = sn_vec3_dot(jet->sv, jet->sv);
    double a = uu + sn_vec3_dot(e, jet->suu), b = uv + sn_vec3_dot(e, jet->suv);
    double c = vv + sn_vec3_dot(e, jet->svv);
    step[0] = step[1] = 0;
    if (is_free[0] && is_free[1]) {
        if (!(a * c - b * b > 0 && a + c > 0)) {
            a = uu + 1e-9 * (uu + vv);
            b = uv;
            c = vv + 1e-9 * (uu + vv);
        }
        double determinant = a * c - b * b;
        step[0] = (b * gradient[1] - c * gradient[0]) / determinant;
        step[1] = (b * gradient[0] - a * gradient[1]) / determinant;
    } else if (is_free[0]) {
        step[0] = -gradient[0] / (a > 0 ? a : uu);
    } else if (is_free[1]) {
        step[1] = -gradient[1] / (c > 0 ? c : vv);
    }
}

static bool is_stationary(const sni_nurbs_finder *finder, const double gradient[2],
                          const sn_vec3 tangents[2], const bool is_free[2], double distance,
                          double tolerance) {
    if (distance < 1e-9 * finder->size) {
        return true;
    }
    for (int d = 0; d < 2; ++d) {
        double scale = sn_vec3_length(tangents[d]) * distance;
        if (is_free[d] && fabs(gradient[d]) >= tolerance * scale) {
            return false;
        }
    }
    return true;
}

// Halves the step until the distance falls; `jet` is then that of the new place. False when it does
// not.
static bool backtrack(const sni_nurbs_finder *finder, sn_vec3 x, const double step[2], place *p,
                      sni_nurbs_jet *jet) {
    double factor = 1;
    for (int i = 0; i <= HALVINGS; ++i, factor /= 2) {
        double u = sni_nurbs_clamp(finder->nurbs, 0, p->t[0] + factor * step[0]);
        double v = sni_nurbs_clamp(finder->nurbs, 1, p->t[1] + factor * step[1]);
        sni_nurbs_jet trial;
        sni_nurbs_derivatives(finder->nurbs, u, v, &trial);
        double distance = sn_vec3_distance(trial.s, x);
        if (distance < p->distance) {
            p->t[0] = u;
            p->t[1] = v;
            p->distance = distance;
            *jet = trial;
            return true;
        }
    }
    return false;
}

static void refine(const sni_nurbs_finder *finder, sn_vec3 x, place *p) {
    sni_nurbs_jet jet;
    sni_nurbs_derivatives(finder->nurbs, p->t[0], p->t[1], &jet);
    p->distance = sn_vec3_distance(jet.s, x);
    p->converged = false;
    for (int i = 0; i < ITERATIONS && !p->converged; ++i) {
        sn_vec3 e = sn_vec3_sub(jet.s, x);
        double gradient[2] = {sn_vec3_dot(jet.su, e), sn_vec3_dot(jet.sv, e)};
        sn_vec3 tangents[2] = {jet.su, jet.sv};
        bool is_free[2];
        find_free(finder, p, gradient, tangents, is_free);
        if (is_stationary(finder, gradient, tangents, is_free, p->distance, 1e-9)) {
            p->converged = true;
            return;
        }
        double step[2];
        newton_step(&jet, e, gradient, is_free, step);
        sn_vec3 move = sn_vec3_add_scaled(sn_vec3_scale(jet.su, step[0]), step[1], jet.sv);
        if (sn_vec3_length(move) < 1e-12 * finder->size) {
            p->converged = true;
            return;
        }
        if (!backtrack(finder, x, step, p, &jet)) {
            // As near as rounding allows, or stuck at a bound that the gradient step may leave.
            p->converged = is_stationary(finder, gradient, tangents, is_free, p->distance, 1e-6);
            double descent[2];
            for (int d = 0; d < 2; ++d) {
                double square = sn_vec3_dot(tangents[d], tangents[d]);
                descent[d] = is_free[d] ? -gradient[d] / square : 0;
            }
            if (!p->converged && !backtrack(finder, x, descent, p, &jet)) {
                return;
            }
        }
    }
}

// The nearest place of a tessellation, for the case that no start converged.
static void search_tiles(const sni_nurbs_finder *finder, sn_vec3 x, place *best) {
    double width = (finder->high[0] - finder->low[0]) / TILES;
    double height = (finder->high[1] - finder->low[1]) / TILES;
    for (int k = 0; k < 2 * TILES * TILES; ++k) {
        double u = finder->low[0] + k / 2 / TILES * width;
        double v = finder->low[1] + k / 2 % TILES * height;
        double us[3] = {u, u + width, k & 1 ? u : u + width};
        double vs[3] = {v, k & 1 ? v + height : v, v + height};
        sni_triangle t = {sni_nurbs_point(finder->nurbs, us[0], vs[0]),
                          sni_nurbs_point(finder->nurbs, us[1], vs[1]),
                          sni_nurbs_point(finder->nurbs, us[2], vs[2])};
        double weights[3];
        sni_triangle_closest(&t, x, weights);
        place p = {.converged = true};
        for (int i = 0; i < 3; ++i) {
            p.t[0] += weights[i] * us[i];
            p.t[1] += weights[i] * vs[i];
        }
        p.distance = sn_vec3_distance(sni_nurbs_point(finder->nurbs, p.t[0], p.t[1]), x);
        if (p.distance < best->distance) {
            *best = p;
        }
    }
}

static void test_corners(const sni_nurbs_finder *finder, sn_vec3 x, place *best) {
    for (int i = 0; i < 4; ++i) {
        double distance = sn_vec3_distance(finder->corners[i], x);
        if (distance < best->distance) {
            *best = (place){.t = {i & 1 ? finder->high[0] : finder->low[0],
                                  i & 2 ? finder->high[1] : finder->low[1]},
                            .distance = distance,
                            .converged = true};
        }
    }
}

// The larger of the two parameter distances, as a fraction of the domain.
static double parameter_distance(const sni_nurbs_finder *finder, const place *a, const place *b) {
    double largest = 0;
    for (int d = 0; d < 2; ++d) {
        double width = finder->high[d] - finder->low[d];
        double apart = fabs(a->t[d] - b->t[d]) / width;
        largest = fmax(largest, finder->nurbs->closed[d] ? fmin(apart, 1 - apart) : apart);
    }
    return largest;
}

// Whether a start lies so near to a place found from another start, within three quarters of a
// span, that it would almost always lead there again. Skipping it halves the time of a search.
static bool is_known(const sni_nurbs_finder *finder, const place *start, const place *found) {
    const double widths[2] = {start->span->u[1] - start->span->u[0],
                              start->span->v[1] - start->span->v[0]};
    for (int d = 0; d < 2; ++d) {
        double apart = fabs(start->t[d] - found->t[d]);
        if (finder->nurbs->closed[d]) {
            apart = fmin(apart, finder->high[d] - finder->low[d] - apart);
        }
        if (apart > 0.75 * widths[d]) {
            return false;
        }
    }
    return found->converged;
}

void sni_nurbs_find_closest(const sni_nurbs_finder *finder, sn_vec3 point, double radius,
                            sni_nurbs_closest *closest) {
    *closest = (sni_nurbs_closest){.distance = INFINITY};
    place starts[STARTS];
    for (int i = 0; i < STARTS; ++i) {
        starts[i] = (place){.distance = INFINITY};
    }
    if (!sn_vec3_is_finite(point)) {
        return;
    }
    find_starts(finder, point, radius, starts);
    place best = {.distance = INFINITY};
    bool converged = false;
    for (int i = 0; i < STARTS && starts[i].span != NULL; ++i) {
        bool known = best.span != NULL && is_known(finder, &starts[i], &best);
        if (known || box_distance(starts[i].span, point) > best.distance * ambiguous_factor) {
            starts[i].distance = INFINITY;
            continue;
        }
        refine(finder, point, &starts[i]);
        converged |= starts[i].converged;
        if (starts[i].distance < best.distance) {
            best = starts[i];
        }
    }
    if (best.span == NULL) {
        return;
    }
    test_corners(finder, point, &best);
    if (!converged) {
        search_tiles(finder, point, &best);
    }
    for (int i = 0; i < STARTS && starts[i].span != NULL; ++i) {
        closest->ambiguous |= starts[i].distance <= best.distance * ambiguous_factor &&
                              parameter_distance(finder, &starts[i], &best) > ambiguous_apart;
    }
    closest->found = best.distance <= radius;
    closest->u = best.t[0];
    closest->v = best.t[1];
    closest->distance = best.distance;
    closest->point = sni_nurbs_point(finder->nurbs, best.t[0], best.t[1]);
}
