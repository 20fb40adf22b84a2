// SPDX-License-Identifier: Apache-2.0
//
// Matching a shape: Gauss-Newton on the distances of all vertices, with bounds. Values u run from 0
// to 1 over the range of each parameter, r are the weighted distances of the skin from the shape
// and J their slopes, taken as differences. A round minimises
//
//     |r + J (v - u)|^2 + ridge |r at rest|^2 |v - rest|^2 / n,    0 <= v <= 1
//
// over v, then goes from u towards v by the largest of the shares 1, 1/2, 1/4 ... that lowers the
// same sum for the skin itself. Muscles bend the way that skin takes, so that a few rounds follow.
#include "eval/model.h"

#include "base/bounded.h"
#include "base/context.h"
#include "base/memory.h"
#include "sinew/eval.h"

#include <math.h>
#include <string.h>

static const uint32_t desc_check = 0x736e6d61;

// Differences are over this part of a range: wide enough that a solver which stops early does not
// show, and small beside what a value does in all.
static const double difference = 0.05;

// A round that gains less than this part of the sum is the last.
static const double least_gain = 1e-4;

enum { HALVINGS = 5, ROW_GRAIN = 1 };

sn_match_desc sn_match_desc_default(void) {
    return (sn_match_desc){.check = desc_check, .ridge = 1e-3, .rounds = 6};
}

typedef struct match {
    const sn_model *model;
    const sn_match_desc *desc;
    const sn_progress *progress;
    sn_frame *frame;
    uint32_t count;                 // of parameters
    size_t number;                  // of vertices x 3
    double all;                     // sum of weights
    float *rest;                    // of vertices x 3
    float *residuals;               // as many: roots of weights times what the skin is off by
    float *slopes;                  // count x number
    double *now, *tried, *standard; // values from 0 to 1
    double *low, *high;
    double *matrix, *right, *scratch;
    double rest_sum; // of squared residuals at rest
    uint32_t evaluations;
} match;

static sn_status check_desc(const sn_model *model, const sn_match_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "match: the desc does not come from its default");
    }
    if (desc->surface >= model->blueprint->surface_count ||
        sn_model_surface(model, desc->surface)->layer != SN_LAYER_SKIN) {
        return sni_fail(error, SN_INVALID, "match: surface %u is no skin", desc->surface);
    }
    if (desc->parameter_count == 0 || desc->parameter_count > 4096) {
        return sni_fail(error, SN_INVALID, "match: %u parameters, but 1 to 4096 can be found",
                        desc->parameter_count);
    }
    if (!(desc->ridge >= 0 && desc->ridge <= 1) || desc->rounds < 1 || desc->rounds > 100) {
        return sni_fail(error, SN_INVALID, "match: ridge %g and %u rounds, but 0 to 1 and 1 to 100",
                        desc->ridge, desc->rounds);
    }
    for (uint32_t i = 0; i < desc->parameter_count; ++i) {
        const sn_pose_parameter *p = &desc->parameters[i];
        if (!isfinite(p->low) || !isfinite(p->high) || p->low > p->high) {
            return sni_fail(error, SN_INVALID, "match: parameter %u has no finite range", i);
        }
    }
    return SN_OK;
}

static sn_status check_shape(match *m, sn_error *error) {
    const sn_match_desc *desc = m->desc;
    for (size_t i = 0; i < m->number; ++i) {
        if (!isfinite(desc->points[i])) {
            return sni_fail(error, SN_INVALID, "match: vertex %zu of the shape is at %g", i / 3,
                            desc->points[i]);
        }
    }
    m->all = 0;
    for (size_t v = 0; v < m->number / 3; ++v) {
        double weight = desc->weights != NULL ? desc->weights[v] : 1;
        if (!(weight >= 0) || !isfinite(weight)) {
            return sni_fail(error, SN_INVALID, "match: the weight of vertex %zu is %g", v, weight);
        }
        m->all += weight;
    }
    if (!(m->all > 0)) {
        return sni_fail(error, SN_INVALID, "match: no vertex counts");
    }
    return SN_OK;
}

static double value_at(const match *m, uint32_t i, double part) {
    const sn_pose_parameter *p = &m->desc->parameters[i];
    return part >= 1 ? p->high : p->low + part * (p->high - p->low);
}

static double part_of(const match *m, uint32_t i, double value) {
    const sn_pose_parameter *p = &m->desc->parameters[i];
    double part = p->high > p->low ? (value - p->low) / (p->high - p->low) : 0;
    return fmin(fmax(part, 0), 1);
}

static sn_status evaluate(match *m, const double *parts, const float **points, sn_error *error) {
    sn_status status = SN_OK;
    sn_frame_clear(m->frame);
    for (uint32_t i = 0; i < m->count; ++i) {
        SN_TRY(sn_frame_hold(m->frame, &m->desc->parameters[i], value_at(m, i, parts[i]), error));
    }
    SN_TRY(sn_frame_evaluate(m->frame, NULL, 0, error));
    *points = sn_frame_points(m->frame, m->desc->surface);
    ++m->evaluations;
cleanup:
    return status;
}

static double root_weight(const match *m, size_t vertex) {
    return m->desc->weights != NULL ? sqrt(m->desc->weights[vertex]) : 1;
}

// Writes the residuals of points, and returns the sum of their squares.
static double take_residuals(const match *m, const float *points, float *residuals) {
    double sum = 0;
    for (size_t v = 0; v < m->number / 3; ++v) {
        double root = root_weight(m, v);
        for (size_t k = 3 * v; k < 3 * v + 3; ++k) {
            residuals[k] = (float)(root * ((double)points[k] - m->desc->points[k]));
            sum += (double)residuals[k] * residuals[k];
        }
    }
    return sum;
}

// How far values are from those at rest, in the unit of squared residuals.
static double ridge_sum(const match *m, const double *parts) {
    double sum = 0;
    for (uint32_t i = 0; i < m->count; ++i) {
        sum += (parts[i] - m->standard[i]) * (parts[i] - m->standard[i]);
    }
    return m->desc->ridge * m->rest_sum / m->count * sum;
}

// The slopes of all parameters around the values now.
static sn_status take_slopes(match *m, uint32_t round, sn_error *error) {
    sn_status status = SN_OK;
    memcpy(m->tried, m->now, m->count * sizeof *m->tried);
    for (uint32_t i = 0; i < m->count; ++i) {
        double by = m->now[i] + difference <= 1 ? difference : -difference;
        float *slopes = m->slopes + i * m->number;
        SN_TRY(sni_progress(m->progress, "matching",
                            (round + (double)i / m->count) / m->desc->rounds, error));
        m->tried[i] = m->now[i] + by;
        const float *points;
        SN_TRY(evaluate(m, m->tried, &points, error));
        m->tried[i] = m->now[i];
        for (size_t k = 0; k < m->number; ++k) {
            double moved = root_weight(m, k / 3) * ((double)points[k] - m->desc->points[k]);
            slopes[k] = (float)((moved - m->residuals[k]) / by);
        }
    }
cleanup:
    return status;
}

// Entries of J^T J and J^T (J u - r), one row of the upper triangle each.
static void sum_rows(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const match *m = user;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        const float *a = m->slopes + i * m->number;
        double right = 0;
        for (uint32_t j = i; j < m->count; ++j) {
            const float *b = m->slopes + j * m->number;
            double sum = 0;
            for (size_t k = 0; k < m->number; ++k) {
                sum += (double)a[k] * b[k];
            }
            m->matrix[(size_t)i * m->count + j] = sum;
        }
        for (size_t k = 0; k < m->number; ++k) {
            right -= (double)a[k] * m->residuals[k];
        }
        m->right[i] = right;
    }
}

// The values that are best if the skin goes straight on.
static void solve(match *m) {
    double ridge = m->desc->ridge * m->rest_sum / m->count, largest = 0;
    sn_parallel_for(m->model->context, m->count, ROW_GRAIN, sum_rows, m);
    for (uint32_t i = 0; i < m->count; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            m->matrix[(size_t)i * m->count + j] = m->matrix[(size_t)j * m->count + i];
        }
        largest = fmax(largest, m->matrix[(size_t)i * m->count + i]);
    }
    for (uint32_t i = 0; i < m->count; ++i) {
        for (uint32_t j = 0; j < m->count; ++j) {
            m->right[i] += m->matrix[(size_t)i * m->count + j] * m->now[j];
        }
    }
    // Parameters that move nothing, or two that move the same, must not make it singular.
    double least = fmax(largest, m->rest_sum) * 1e-9;
    for (uint32_t i = 0; i < m->count; ++i) {
        m->matrix[(size_t)i * m->count + i] += ridge + least;
        m->right[i] += ridge * m->standard[i] + least * m->now[i];
    }
    memcpy(m->tried, m->now, m->count * sizeof *m->tried);
    sni_bounded_minimum(m->count, m->matrix, m->right, m->low, m->high, m->tried, m->scratch);
}

// Goes towards the values tried, as far as that helps; `sum` is what is to be lowered. `gained`
// says how much was.
static sn_status go(match *m, double *sum, double *gained, sn_error *error) {
    double *between = m->scratch;
    sn_status status = SN_OK;
    *gained = 0;
    for (int halving = 0; halving < HALVINGS; ++halving) {
        double share = ldexp(1, -halving);
        const float *points;
        for (uint32_t i = 0; i < m->count; ++i) {
            between[i] = m->now[i] + share * (m->tried[i] - m->now[i]);
        }
        SN_TRY(evaluate(m, between, &points, error));
        double found = take_residuals(m, points, m->residuals) + ridge_sum(m, between);
        if (found < *sum) {
            *gained = *sum - found;
            *sum = found;
            memcpy(m->now, between, m->count * sizeof *m->now);
            return SN_OK;
        }
    }
cleanup:
    return status;
}

// The mean cosine of ways, and the largest distance.
static void measure_ways(const match *m, const float *points, sn_match_report *report) {
    double farthest = 0, cosines = 0, weights = 0;
    for (size_t v = 0; v < m->number / 3; ++v) {
        sn_vec3 rest = sn_vec3_load(m->rest + 3 * v), goal = sn_vec3_load(m->desc->points + 3 * v);
        if (root_weight(m, v) > 0) {
            farthest = fmax(farthest, sn_vec3_distance(goal, rest));
            report->largest =
                fmax(report->largest, sn_vec3_distance(goal, sn_vec3_load(points + 3 * v)));
        }
    }
    for (size_t v = 0; v < m->number / 3; ++v) {
        sn_vec3 rest = sn_vec3_load(m->rest + 3 * v);
        sn_vec3 should = sn_vec3_sub(sn_vec3_load(m->desc->points + 3 * v), rest);
        sn_vec3 went = sn_vec3_sub(sn_vec3_load(points + 3 * v), rest);
        double weight = root_weight(m, v) * root_weight(m, v);
        double lengths = sn_vec3_length(should) * sn_vec3_length(went);
        if (weight > 0 && farthest > 0 && sn_vec3_length(should) >= 0.1 * farthest) {
            cosines += weight * (lengths > 0 ? sn_vec3_dot(should, went) / lengths : 0);
            weights += weight;
        }
    }
    report->cosine = weights > 0 ? cosines / weights : 1;
}

static sn_status allocate(match *m, sn_error *error) {
    sn_context *context = m->model->context;
    sn_status status = SN_OK;
    size_t count = m->count;
    SNI_NEW(context, m->rest, m->number);
    SNI_NEW(context, m->residuals, m->number);
    SNI_NEW(context, m->slopes, count * m->number);
    SNI_NEW(context, m->now, 3 * count);
    SNI_NEW(context, m->low, 2 * count);
    SNI_NEW(context, m->matrix, count * count);
    SNI_NEW(context, m->right, count);
    SNI_NEW(context, m->scratch, sni_bounded_scratch(m->count));
    m->tried = m->now + count;
    m->standard = m->now + 2 * count;
    m->high = m->low + count;
cleanup:
    return status;
}

static void deallocate(match *m) {
    sn_context *context = m->model->context;
    sni_free(context, m->rest);
    sni_free(context, m->residuals);
    sni_free(context, m->slopes);
    sni_free(context, m->now);
    sni_free(context, m->low);
    sni_free(context, m->matrix);
    sni_free(context, m->right);
    sni_free(context, m->scratch);
    sn_frame_destroy(m->frame);
}

// Values to begin with and bounds, from 0 to 1; the skin and its distance at rest.
static sn_status begin(match *m, const double *values, sn_error *error) {
    const float *points;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < m->count; ++i) {
        const sn_pose_parameter *p = &m->desc->parameters[i];
        m->low[i] = 0;
        m->high[i] = p->high > p->low ? 1 : 0;
        m->now[i] = part_of(m, i, values[i]);
        m->standard[i] = part_of(m, i, p->standard);
    }
    SN_TRY(sn_frame_create_unevaluated(m->model, &m->frame, error));
    SN_TRY(sn_frame_select(m->frame, &m->desc->surface, 1, error));
    SN_TRY(evaluate(m, m->standard, &points, error));
    memcpy(m->rest, points, m->number * sizeof *m->rest);
    m->rest_sum = take_residuals(m, points, m->residuals);
cleanup:
    return status;
}

static sn_status run_rounds(match *m, sn_match_report *report, sn_error *error) {
    const float *points;
    double gained = INFINITY;
    sn_status status = SN_OK;
    SN_TRY(evaluate(m, m->now, &points, error));
    double sum = take_residuals(m, points, m->residuals) + ridge_sum(m, m->now);
    for (uint32_t round = 0; round < m->desc->rounds && gained > least_gain * sum; ++round) {
        SN_TRY(take_slopes(m, round, error));
        solve(m);
        SN_TRY(go(m, &sum, &gained, error));
        ++report->rounds;
    }
    SN_TRY(evaluate(m, m->now, &points, error));
    double left = take_residuals(m, points, m->residuals);
    report->before = sqrt(m->rest_sum / m->all);
    report->after = sqrt(left / m->all);
    report->residual = m->rest_sum > 0 ? sqrt(left / m->rest_sum) : 0;
    report->evaluations = m->evaluations;
    measure_ways(m, points, report);
cleanup:
    return status;
}

sn_status sn_match_shape(const sn_model *model, const sn_match_desc *desc,
                         const sn_progress *progress, double *values, sn_match_report *report,
                         sn_error *error) {
    match m = {.model = model, .desc = desc, .progress = progress};
    sn_match_report made = {0};
    sn_status status = SN_OK;
    SN_TRY(check_desc(model, desc, error));
    m.count = desc->parameter_count;
    m.number = 3 * (size_t)sn_model_surface(model, desc->surface)->mesh->vertex_count;
    SN_TRY(check_shape(&m, error));
    SN_TRY(allocate(&m, error));
    SN_TRY(begin(&m, values, error));
    SN_TRY(run_rounds(&m, &made, error));
    for (uint32_t i = 0; i < m.count; ++i) {
        values[i] = value_at(&m, i, m.now[i]);
    }
    if (report != NULL) {
        *report = made;
    }
cleanup:
    deallocate(&m);
    return status;
}
