// SPDX-License-Identifier: Apache-2.0
//
// The closest point of a NURBS patch, by branch and bound over its cells (nurbs_cells.h) and
// Newton's method. With e = S - X,
//
//     f = S_u . e ,  g = S_v . e
//     [ S_u.S_u + e.S_uu    S_u.S_v + e.S_uv ] (du)     (f)
//     [ S_u.S_v + e.S_uv    S_v.S_v + e.S_vv ] (dv) = - (g)                              (F.2)
//
// (The NURBS Book, section 6.1). Where the matrix is not positive definite the terms with e are
// dropped (Gauss-Newton); steps are halved until |e| falls; a parameter at the end of its domain
// whose gradient points outwards is held there.
//
// The first start is the best middle of a cell. What it leads to bounds the distance from above:
// only cells whose boxes are nearer can hold a better place. Cells around the place found need no
// look where the distance is convex over them; every other one is a start of its own. A surface
// with edges between its spans is searched span by span.
#include "geometry/nurbs_cells.h"
#include "geometry/triangle.h"

enum {
    SPLIT = SNI_NURBS_SPLIT,
    ITERATIONS = 40,
    HALVINGS = 8,
    TURNS = 32, // directions that are tried at an edge that is one point
    TILES = 32, // in each direction of the tessellation that is searched when Newton fails
};

// Places that the ambiguity test takes for equally near, and how far apart they are at least.
static const double ambiguous_factor = 1.05, ambiguous_apart = 0.25;

// A place nearer by less than this part of the distance is not worth a search.
static const double worthwhile = 1e-9;

struct sni_nurbs_finder {
    sn_context *context;
    const sni_nurbs *nurbs;
    double size;            // diagonal of the box of all control points
    double low[2], high[2]; // domain
    sni_nurbs_cells cells;
    uint32_t span_count;
    double near; // parameter distance within which two places are one
    // Starts in each direction of a cell: surfaces that are rational or of a high degree may have
    // several minima in one.
    uint32_t starts;
    sn_vec3 corners[4];
};

static double size_of(const sni_nurbs *nurbs) {
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = sn_vec3_scale(low, -1);
    for (size_t i = 0; i < (size_t)nurbs->counts[0] * nurbs->counts[1]; ++i) {
        const double *p = nurbs->points + 3 * i;
        low = sn_vec3_min(low, (sn_vec3){p[0], p[1], p[2]});
        high = sn_vec3_max(high, (sn_vec3){p[0], p[1], p[2]});
    }
    return sn_vec3_distance(low, high);
}

sn_status sni_nurbs_finder_create(sn_context *context, const sni_nurbs *nurbs,
                                  sni_nurbs_finder **finder, sn_error *error) {
    SN_ASSERT(nurbs->points != NULL && nurbs->knots[0] != NULL && nurbs->knots[1] != NULL);
    sn_status status = SN_OK;
    sni_nurbs_finder *made = NULL;
    *finder = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->nurbs = nurbs;
    made->size = size_of(nurbs);
    SN_TRY(sni_nurbs_cells_init(context, nurbs, &made->cells, error));
    const uint32_t *counts = made->cells.counts;
    made->span_count = counts[0] * counts[1];
    made->near = 0.25 / (SPLIT * (double)(counts[0] > counts[1] ? counts[0] : counts[1]));
    made->starts = nurbs->weights != NULL ? 2 : 1;
    for (int d = 0; d < 2; ++d) {
        sni_nurbs_domain(nurbs, d, &made->low[d], &made->high[d]);
        made->starts = nurbs->degrees[d] > 3 ? 2 : made->starts;
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
        sni_nurbs_cells_deinit(finder->context, &finder->cells);
        sni_free(finder->context, finder);
    }
}

typedef struct place {
    double t[2]; // u, v
    double distance;
    bool converged;
    const sni_nurbs_cell *cell; // in whose middle it is, or NULL
} place;

// Where parameters may go: the domain, a span or a cell.
typedef struct bounds {
    double low[2], high[2];
    bool closed[2]; // low follows high
} bounds;

// The cell of the parameters `t`, or its span (SPLIT cells wide).
static bounds bounds_around(const sni_nurbs_finder *finder, const double t[2], uint32_t wide) {
    bounds b;
    for (int d = 0; d < 2; ++d) {
        uint32_t cell = sni_nurbs_cell_at(&finder->cells, d, t[d]), first = cell / wide * wide;
        const double *ends = finder->cells.ends[d] + first / SPLIT;
        double width = (ends[1] - ends[0]) / SPLIT;
        b.low[d] = ends[0] + first % SPLIT * width;
        // At the very end of a span the derivatives would be those of the next one.
        b.high[d] = fmin(b.low[d] + wide * width, ends[1] - 1e-13 * width);
        b.closed[d] = false;
    }
    return b;
}

// The whole domain, but only the span of `t` if the surface has edges between its spans.
static bounds widest_bounds(const sni_nurbs_finder *finder, const double t[2]) {
    if (!finder->cells.smooth) {
        return bounds_around(finder, t, SPLIT);
    }
    bounds b;
    for (int d = 0; d < 2; ++d) {
        b.low[d] = finder->low[d];
        b.high[d] = finder->high[d];
        b.closed[d] = finder->nurbs->closed[d];
    }
    return b;
}

static double keep_within(const sni_nurbs_finder *finder, const bounds *b, int d, double t) {
    if (b->closed[d]) {
        return sni_nurbs_clamp(finder->nurbs, d, t);
    }
    return t < b->low[d] ? b->low[d] : t > b->high[d] ? b->high[d] : t;
}

// The larger of the two parameter distances, as a fraction of the domain.
static double parameter_distance(const sni_nurbs_finder *finder, const double a[2],
                                 const double b[2]) {
    double largest = 0;
    for (int d = 0; d < 2; ++d) {
        double apart = fabs(a[d] - b[d]) / (finder->high[d] - finder->low[d]);
        apart = finder->nurbs->closed[d] && apart > 0.5 ? 1 - apart : apart;
        largest = apart > largest ? apart : largest;
    }
    return largest;
}

// ---------------------------------------------------------------------------------------------
// Starts

// The best middle of the cells of a span, if it is better than `best`. Returns the least distance
// of their boxes, those that are further than the middle left out.
static double try_span(const sni_nurbs_span *span, sn_vec3 x, place *best) {
    double least = INFINITY;
    for (int k = 0; k < SPLIT * SPLIT; ++k) {
        const sni_nurbs_cell *cell = &span->cells[k];
        double bound = sni_oriented_box_distance(&cell->box, x);
        if (bound >= best->distance) {
            continue;
        }
        least = bound < least ? bound : least;
        double distance = sn_vec3_distance(cell->jet.s, x);
        if (distance < best->distance) {
            *best = (place){.t = {cell->t[0], cell->t[1]}, .distance = distance, .cell = cell};
        }
    }
    return least;
}

// The best middle of all cells. False when none of their boxes lies within the radius.
static bool find_start(const sni_nurbs_finder *finder, sn_vec3 x, double radius, place *best) {
    const sni_nurbs_span *nearest = NULL;
    double least = INFINITY;
    for (uint32_t s = 0; s < finder->span_count; ++s) {
        double distance = sni_oriented_box_distance(&finder->cells.spans[s].box, x);
        if (distance < least) {
            least = distance;
            nearest = &finder->cells.spans[s];
        }
    }
    *best = (place){.distance = INFINITY};
    if (nearest == NULL || least > radius) {
        return false;
    }
    least = try_span(nearest, x, best);
    for (uint32_t s = 0; s < finder->span_count; ++s) {
        const sni_nurbs_span *span = &finder->cells.spans[s];
        if (span != nearest && sni_oriented_box_distance(&span->box, x) < best->distance) {
            double bound = try_span(span, x, best);
            least = bound < least ? bound : least;
        }
    }
    return least <= radius;
}

// ---------------------------------------------------------------------------------------------
// Newton

// Which parameters may move: not those at an end of their domain whose descent points outwards,
// nor those along which the surface does not extend (a degenerate edge).
static void find_free(const sni_nurbs_finder *finder, const bounds *b, const place *p,
                      const double gradient[2], const sn_vec3 tangents[2], bool is_free[2]) {
    for (int d = 0; d < 2; ++d) {
        bool outwards =
            (p->t[d] <= b->low[d] && gradient[d] > 0) || (p->t[d] >= b->high[d] && gradient[d] < 0);
        double width = finder->high[d] - finder->low[d];
        is_free[d] = !(outwards && !b->closed[d]) &&
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
static bool backtrack(const sni_nurbs_finder *finder, const bounds *b, sn_vec3 x,
                      const double step[2], place *p, sni_nurbs_jet *jet) {
    double factor = 1;
    for (int i = 0; i <= HALVINGS; ++i, factor /= 2) {
        double u = keep_within(finder, b, 0, p->t[0] + factor * step[0]);
        double v = keep_within(finder, b, 1, p->t[1] + factor * step[1]);
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

// At an edge that is one point the parameter along it is free to choose: takes the one whose way
// off the edge comes down fastest. False when none does, or the place is not at such an edge.
static bool turn_at_pole(const sni_nurbs_finder *finder, const bounds *b, sn_vec3 x, place *p,
                         sni_nurbs_jet *jet) {
    const sn_vec3 tangents[2] = {jet->su, jet->sv};
    bool turned = false;
    for (int d = 0; d < 2 && !turned; ++d) {
        double width = finder->high[d] - finder->low[d];
        bool at_end = p->t[1 - d] <= b->low[1 - d] || p->t[1 - d] >= b->high[1 - d];
        if (!at_end || sn_vec3_length(tangents[d]) * width > 1e-9 * finder->size) {
            continue;
        }
        double best = -1e-9, inwards = p->t[1 - d] <= b->low[1 - d] ? 1 : -1;
        for (int k = 0; k <= TURNS; ++k) {
            double t[2] = {p->t[0], p->t[1]};
            sni_nurbs_jet trial;
            t[d] = b->low[d] + (b->high[d] - b->low[d]) * k / TURNS;
            sni_nurbs_derivatives(finder->nurbs, t[0], t[1], &trial);
            sn_vec3 e = sn_vec3_sub(trial.s, x), off = d == 0 ? trial.sv : trial.su;
            double scale = sn_vec3_length(off) * sn_vec3_length(e);
            double slope = scale > 0 ? inwards * sn_vec3_dot(e, off) / scale : 0;
            if (slope < best) {
                best = slope;
                p->t[d] = t[d];
                *jet = trial;
                turned = true;
            }
        }
    }
    return turned;
}

// Goes down to a minimum within bounds. With `known` it stops, not converged, where it comes within
// the parameter distance `near` of that place.
static void refine(const sni_nurbs_finder *finder, const bounds *b, sn_vec3 x, const place *known,
                   double near, place *p) {
    bool turned = false;
    sni_nurbs_jet jet;
    if (p->cell != NULL) {
        jet = p->cell->jet;
    } else {
        sni_nurbs_derivatives(finder->nurbs, p->t[0], p->t[1], &jet);
    }
    p->cell = NULL;
    p->distance = sn_vec3_distance(jet.s, x);
    p->converged = false;
    for (int i = 0; i < ITERATIONS && !p->converged; ++i) {
        if (known != NULL && parameter_distance(finder, p->t, known->t) < near) {
            return;
        }
        sn_vec3 e = sn_vec3_sub(jet.s, x);
        double gradient[2] = {sn_vec3_dot(jet.su, e), sn_vec3_dot(jet.sv, e)};
        sn_vec3 tangents[2] = {jet.su, jet.sv};
        bool is_free[2];
        find_free(finder, b, p, gradient, tangents, is_free);
        if (is_stationary(finder, gradient, tangents, is_free, p->distance, 1e-9)) {
            p->converged = turned || !turn_at_pole(finder, b, x, p, &jet);
            turned = true;
            continue;
        }
        double step[2];
        newton_step(&jet, e, gradient, is_free, step);
        sn_vec3 move = sn_vec3_add_scaled(sn_vec3_scale(jet.su, step[0]), step[1], jet.sv);
        if (sn_vec3_length(move) < 1e-12 * finder->size) {
            p->converged = true;
            return;
        }
        if (!backtrack(finder, b, x, step, p, &jet)) {
            // As near as rounding allows, or stuck at a bound that the gradient step may leave.
            p->converged = is_stationary(finder, gradient, tangents, is_free, p->distance, 1e-6);
            double descent[2];
            for (int d = 0; d < 2; ++d) {
                double square = sn_vec3_dot(tangents[d], tangents[d]);
                descent[d] = is_free[d] ? -gradient[d] / square : 0;
            }
            if (!p->converged && !backtrack(finder, b, x, descent, p, &jet)) {
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

// ---------------------------------------------------------------------------------------------
// Other places

static bool lies_in(const bounds *b, const double t[2]) {
    return t[0] >= b->low[0] && t[0] <= b->high[0] && t[1] >= b->low[1] && t[1] <= b->high[1];
}

// Looks into one cell. It stays there, or a long first step might leave the place that it holds.
static void search_cell(const sni_nurbs_finder *finder, sn_vec3 x, const sni_nurbs_cell *cell,
                        place *best) {
    const place *known = finder->cells.smooth ? best : NULL;
    bounds whole = bounds_around(finder, cell->t, 1);
    uint32_t starts = finder->starts;
    for (uint32_t k = 0; k < starts * starts; ++k) {
        const uint32_t at[2] = {k / starts, k % starts};
        bounds b = whole;
        place p = {.cell = starts == 1 ? cell : NULL};
        for (int d = 0; d < 2; ++d) {
            double width = (whole.high[d] - whole.low[d]) / starts;
            b.low[d] = whole.low[d] + at[d] * width;
            b.high[d] = b.low[d] + width;
            p.t[d] = starts == 1 ? cell->t[d] : b.low[d] + width / 2;
        }
        refine(finder, &b, x, known, finder->near / starts, &p);
        if (p.distance < best->distance * (1 - worthwhile)) {
            *best = p;
            b = widest_bounds(finder, p.t);
            refine(finder, &b, x, NULL, 0, best);
        }
    }
}

// Looks into every cell that may hold a better place; `done` is one that needs no look.
static void search_cells(const sni_nurbs_finder *finder, sn_vec3 x, const sni_nurbs_cell *done,
                         place *best) {
    for (uint32_t s = 0; s < finder->span_count; ++s) {
        const sni_nurbs_span *span = &finder->cells.spans[s];
        double worth = best->distance * (1 - worthwhile);
        if (sni_oriented_box_distance(&span->box, x) >= worth) {
            continue;
        }
        for (int k = 0; k < SPLIT * SPLIT; ++k) {
            const sni_nurbs_cell *cell = &span->cells[k];
            if (cell != done && sni_oriented_box_distance(&cell->box, x) < worth) {
                search_cell(finder, x, cell, best);
                worth = best->distance * (1 - worthwhile);
            }
        }
    }
}

// Whether another minimum, far from the best place, is almost as near: the one that the best cell
// far away leads to.
static bool is_ambiguous(const sni_nurbs_finder *finder, sn_vec3 x, const place *best) {
    double limit = best->distance * ambiguous_factor;
    place other = {.distance = INFINITY};
    for (uint32_t s = 0; s < finder->span_count; ++s) {
        const sni_nurbs_span *span = &finder->cells.spans[s];
        for (int k = 0; k < SPLIT * SPLIT && sni_oriented_box_distance(&span->box, x) <= limit;
             ++k) {
            const sni_nurbs_cell *cell = &span->cells[k];
            double distance = sn_vec3_distance(cell->jet.s, x);
            if (distance < other.distance &&
                parameter_distance(finder, cell->t, best->t) > ambiguous_apart &&
                sni_oriented_box_distance(&cell->box, x) <= limit) {
                other = (place){.t = {cell->t[0], cell->t[1]}, .distance = distance, .cell = cell};
            }
        }
    }
    if (other.distance == INFINITY) {
        return false;
    }
    bounds b = widest_bounds(finder, other.t);
    refine(finder, &b, x, best, ambiguous_apart, &other);
    return other.distance <= limit &&
           parameter_distance(finder, other.t, best->t) > ambiguous_apart;
}

void sni_nurbs_find_closest(const sni_nurbs_finder *finder, sn_vec3 point, double radius,
                            sni_nurbs_closest *closest) {
    place best;
    *closest = (sni_nurbs_closest){.distance = INFINITY};
    if (!sn_vec3_is_finite(point) || !find_start(finder, point, radius, &best)) {
        return;
    }
    const sni_nurbs_cell *start = best.cell;
    bounds cell = bounds_around(finder, best.t, 1), b = widest_bounds(finder, best.t);
    refine(finder, &b, point, NULL, 0, &best);
    bool converged = best.converged, stayed = converged && lies_in(&cell, best.t);
    test_corners(finder, point, &best);
    search_cells(finder, point, stayed && finder->starts == 1 ? start : NULL, &best);
    if (!converged && !best.converged) {
        search_tiles(finder, point, &best);
    }
    closest->found = best.distance <= radius;
    closest->ambiguous = closest->found && is_ambiguous(finder, point, &best);
    closest->u = best.t[0];
    closest->v = best.t[1];
    closest->distance = best.distance;
    closest->point = sni_nurbs_point(finder->nurbs, best.t[0], best.t[1]);
}
