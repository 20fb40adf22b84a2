// SPDX-License-Identifier: Apache-2.0
//
// Cells of a NURBS patch. The control points of the Bézier patch over [a, b] within a knot span are
// values of the polar form (Ramshaw, Blossoming, 1987): point r of degree p is that of p - r
// arguments a and r arguments b, computed by the recursion of de Boor. As a matrix it acts on the
// p + 1 control points of the span; its entries are not negative.
#include "geometry/nurbs_cells.h"

#include <string.h>

enum { ORDER = SNI_NURBS_DEGREE + 1, SPLIT = SNI_NURBS_SPLIT };

typedef double matrix[ORDER][ORDER];

// The control points of a Bézier patch, v fastest.
typedef struct net {
    uint32_t degrees[2];
    sn_vec3 points[ORDER * ORDER];
} net;

static uint32_t last_knot(const sni_nurbs *nurbs, int d) {
    return nurbs->counts[d] + (nurbs->closed[d] ? nurbs->degrees[d] : 0);
}

static uint32_t count_spans(const sni_nurbs *nurbs, int d) {
    uint32_t count = 0;
    for (uint32_t k = nurbs->degrees[d]; k < last_knot(nurbs, d); ++k) {
        count += nurbs->knots[d][k] < nurbs->knots[d][k + 1];
    }
    return count;
}

// The next span at or behind knot `k` that is not empty.
static uint32_t skip_empty(const double *knots, uint32_t k) {
    while (knots[k] == knots[k + 1]) {
        ++k;
    }
    return k;
}

static void fill_ends(const sni_nurbs *nurbs, int d, uint32_t count, double *ends) {
    uint32_t k = nurbs->degrees[d];
    for (uint32_t i = 0; i < count; ++i, ++k) {
        k = skip_empty(nurbs->knots[d], k);
        ends[i] = nurbs->knots[d][k];
        ends[i + 1] = nurbs->knots[d][k + 1];
    }
}

// One row of the matrix: the polar form of span k, with r arguments b and the others a, as factors
// of the control points k - p to k.
static void blossom(const double *knots, uint32_t k, int p, double a, double b, int r,
                    double *factors) {
    matrix rows = {{0}};
    for (int i = 0; i <= p; ++i) {
        rows[i][i] = 1;
    }
    for (int level = 1; level <= p; ++level) {
        double t = level <= r ? b : a;
        for (int i = p; i >= level; --i) {
            double low = knots[(int)k - p + i], high = knots[(int)k + 1 + i - level];
            double alpha = (t - low) / (high - low);
            for (int c = 0; c <= p; ++c) {
                rows[i][c] = (1 - alpha) * rows[i - 1][c] + alpha * rows[i][c];
            }
        }
    }
    memcpy(factors, rows[p], sizeof rows[p]);
}

// The control points of the Bézier patch that two matrices cut out; `first` are the span's first
// control points.
static void cut(const sni_nurbs *nurbs, const uint32_t first[2], matrix mu, matrix mv, net *n) {
    sni_nurbs_basis u = {.first = first[0]}, v = {.first = first[1]};
    uint32_t p = nurbs->degrees[0], q = nurbs->degrees[1];
    memcpy(n->degrees, nurbs->degrees, sizeof n->degrees);
    for (uint32_t r = 0; r <= p; ++r) {
        sn_vec3 row[ORDER];
        double weights[ORDER];
        for (uint32_t j = 0; j <= q; ++j) {
            row[j] = sn_vec3_make(0, 0, 0);
            weights[j] = 0;
            for (uint32_t i = 0; i <= p; ++i) {
                uint32_t index = sni_nurbs_index(nurbs, &u, i, &v, j);
                const double *point = nurbs->points + 3 * (size_t)index;
                double w = mu[r][i] * (nurbs->weights != NULL ? nurbs->weights[index] : 1);
                row[j] = sn_vec3_add_scaled(row[j], w, (sn_vec3){point[0], point[1], point[2]});
                weights[j] += w;
            }
        }
        for (uint32_t s = 0; s <= q; ++s) {
            sn_vec3 sum = {0, 0, 0};
            double weight = 0;
            for (uint32_t j = 0; j <= q; ++j) {
                sum = sn_vec3_add_scaled(sum, mv[s][j], row[j]);
                weight += mv[s][j] * weights[j];
            }
            n->points[r * (q + 1) + s] = sn_vec3_scale(sum, 1 / weight);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Boxes

// Along u, across, and the normal; those of space where the corners span no parallelogram.
static void choose_axes(const net *n, sn_vec3 axes[3]) {
    uint32_t p = n->degrees[0], q = n->degrees[1];
    const sn_vec3 *c = n->points;
    sn_vec3 a = c[0], b = c[q], d = c[p * (q + 1)], e = c[p * (q + 1) + q];
    sn_vec3 u = sn_vec3_sub(sn_vec3_add(d, e), sn_vec3_add(a, b));
    sn_vec3 v = sn_vec3_sub(sn_vec3_add(b, e), sn_vec3_add(a, d));
    sn_vec3 normal = sn_vec3_cross(u, v);
    double size = sn_vec3_length(u) * sn_vec3_length(v);
    axes[0] = sn_vec3_make(1, 0, 0);
    axes[1] = sn_vec3_make(0, 1, 0);
    axes[2] = sn_vec3_make(0, 0, 1);
    if (sn_vec3_length(normal) > 1e-6 * size) { // below, rounding would turn the axes
        axes[0] = sn_vec3_scale(u, 1 / sn_vec3_length(u));
        axes[2] = sn_vec3_scale(normal, 1 / sn_vec3_length(normal));
        axes[1] = sn_vec3_cross(axes[2], axes[0]);
    }
}

static void enclose(const net *n, double slack, sni_oriented_box *box) {
    uint32_t count = (n->degrees[0] + 1) * (n->degrees[1] + 1);
    choose_axes(n, box->axes);
    box->center = sn_vec3_make(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < count; ++i) {
            double along = sn_vec3_dot(n->points[i], box->axes[k]);
            low = fmin(low, along);
            high = fmax(high, along);
        }
        box->half[k] = (high - low) / 2 + slack;
        box->center = sn_vec3_add_scaled(box->center, (low + high) / 2, box->axes[k]);
    }
}

// Whether first derivatives are continuous in both directions.
static bool is_smooth(const sni_nurbs *nurbs) {
    for (int d = 0; d < 2; ++d) {
        uint32_t p = nurbs->degrees[d];
        const double *knots = nurbs->knots[d];
        if (p < 2) {
            return false;
        }
        for (uint32_t k = p + 1; k < last_knot(nurbs, d); ++k) {
            if (knots[k] == knots[k + p - 1]) {
                return false;
            }
        }
        // Where a closed direction begins, too.
        if (nurbs->closed[d] && knots[1] == knots[p]) {
            return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// Cells

static void fill_span(const sni_nurbs *nurbs, const uint32_t knots[2], const double ends[2][2],
                      double slack, sni_nurbs_span *span) {
    matrix parts[2][SPLIT], whole[2];
    const uint32_t first[2] = {knots[0] - nurbs->degrees[0], knots[1] - nurbs->degrees[1]};
    net n;
    for (int d = 0; d < 2; ++d) {
        int p = (int)nurbs->degrees[d];
        double step = (ends[d][1] - ends[d][0]) / SPLIT;
        for (int r = 0; r <= p; ++r) {
            blossom(nurbs->knots[d], knots[d], p, ends[d][0], ends[d][1], r, whole[d][r]);
            for (int s = 0; s < SPLIT; ++s) {
                double a = ends[d][0] + s * step, b = ends[d][0] + (s + 1) * step;
                blossom(nurbs->knots[d], knots[d], p, a, b, r, parts[d][s][r]);
            }
        }
    }
    cut(nurbs, first, whole[0], whole[1], &n);
    enclose(&n, slack, &span->box);
    for (int k = 0; k < SPLIT * SPLIT; ++k) {
        sni_nurbs_cell *cell = &span->cells[k];
        cut(nurbs, first, parts[0][k / SPLIT], parts[1][k % SPLIT], &n);
        enclose(&n, slack, &cell->box);
        cell->t[0] = ends[0][0] + (k / SPLIT + 0.5) / SPLIT * (ends[0][1] - ends[0][0]);
        cell->t[1] = ends[1][0] + (k % SPLIT + 0.5) / SPLIT * (ends[1][1] - ends[1][0]);
        sni_nurbs_derivatives(nurbs, cell->t[0], cell->t[1], &cell->jet);
    }
}

static double size_of(const sni_nurbs *nurbs) {
    double size = 0;
    for (size_t i = 0; i < 3 * (size_t)nurbs->counts[0] * nurbs->counts[1]; ++i) {
        size = fmax(size, fabs(nurbs->points[i]));
    }
    return size;
}

static void fill_spans(const sni_nurbs *nurbs, sni_nurbs_cells *cells) {
    double slack = 1e-14 * size_of(nurbs); // of rounding
    uint32_t knots[2] = {nurbs->degrees[0], 0};
    for (uint32_t i = 0; i < cells->counts[0]; ++i, ++knots[0]) {
        knots[0] = skip_empty(nurbs->knots[0], knots[0]);
        knots[1] = nurbs->degrees[1];
        for (uint32_t j = 0; j < cells->counts[1]; ++j, ++knots[1]) {
            knots[1] = skip_empty(nurbs->knots[1], knots[1]);
            const double ends[2][2] = {{cells->ends[0][i], cells->ends[0][i + 1]},
                                       {cells->ends[1][j], cells->ends[1][j + 1]}};
            fill_span(nurbs, knots, ends, slack, &cells->spans[(size_t)i * cells->counts[1] + j]);
        }
    }
}

sn_status sni_nurbs_cells_init(sn_context *context, const sni_nurbs *nurbs, sni_nurbs_cells *cells,
                               sn_error *error) {
    SN_ASSERT(nurbs->points != NULL);
    sn_status status = SN_OK;
    *cells = (sni_nurbs_cells){.counts = {count_spans(nurbs, 0), count_spans(nurbs, 1)}};
    size_t count = (size_t)cells->counts[0] * cells->counts[1];
    if (count > UINT32_MAX / (SPLIT * SPLIT)) {
        SN_TRY(sni_fail(error, SN_LIMIT, "%u x %u spans are too many", cells->counts[0],
                        cells->counts[1]));
    }
    for (int d = 0; d < 2; ++d) {
        SNI_NEW(context, cells->ends[d], (size_t)cells->counts[d] + 1);
        fill_ends(nurbs, d, cells->counts[d], cells->ends[d]);
    }
    SNI_NEW(context, cells->spans, count);
    cells->smooth = is_smooth(nurbs);
    fill_spans(nurbs, cells);
cleanup:
    if (status != SN_OK) {
        sni_nurbs_cells_deinit(context, cells);
    }
    return status;
}

void sni_nurbs_cells_deinit(sn_context *context, sni_nurbs_cells *cells) {
    sni_free(context, cells->ends[0]);
    sni_free(context, cells->ends[1]);
    sni_free(context, cells->spans);
    *cells = (sni_nurbs_cells){0};
}

uint32_t sni_nurbs_cell_at(const sni_nurbs_cells *cells, int direction, double t) {
    const double *ends = cells->ends[direction];
    uint32_t low = 0, high = cells->counts[direction];
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (t < ends[middle]) {
            high = middle;
        } else {
            low = middle;
        }
    }
    double part = (t - ends[low]) / (ends[low + 1] - ends[low]) * SPLIT;
    return low * SPLIT + (uint32_t)fmin(fmax(part, 0), SPLIT - 1);
}
