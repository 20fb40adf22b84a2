// SPDX-License-Identifier: Apache-2.0
#include "fit/head/eyes.h"

#include "base/dense.h"
#include "base/order.h"

#include <stdlib.h>

// Eyeballs of adults have a radius of 12 mm; those of drawn heads more or less, metres.
static const double least_radius = 0.008, most_radius = 0.018;

// How far around the expected middle points count, and how far the found one may be away.
static const double search = 0.022, most_shift = 0.014;

// Points of a ball lie within this part of its radius on it, in the mean.
static const double roundness = 0.06;

// Lids are this thick, metres.
static const double lid = 0.001;

enum { LEAST_POINTS = 40, TRIMS = 4 };

// Least squares of |p|^2 = 2 p . c + k, with k = r^2 - |c|^2, about the points' mean.
static bool fit_all(uint32_t count, const sn_vec3 *points, sni_ball *ball) {
    sn_vec3 mean = {0, 0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        mean = sn_vec3_add_scaled(mean, 1.0 / count, points[i]);
    }
    double matrix[16] = {0}, right[4] = {0};
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 p = sn_vec3_sub(points[i], mean);
        const double row[4] = {2 * p.x, 2 * p.y, 2 * p.z, 1};
        for (int r = 0; r < 4; ++r) {
            for (int c = 0; c < 4; ++c) {
                matrix[4 * r + c] += row[r] * row[c];
            }
            right[r] += row[r] * sn_vec3_dot(p, p);
        }
    }
    if (!sni_dense_solve(matrix, 4, right)) {
        return false;
    }
    sn_vec3 center = {right[0], right[1], right[2]};
    double square = right[3] + sn_vec3_dot(center, center);
    *ball = (sni_ball){sn_vec3_add(center, mean), square > 0 ? sqrt(square) : 0};
    return square > 0 && sn_vec3_is_finite(ball->center);
}

static double off_ball(const sni_ball *ball, sn_vec3 point) {
    return fabs(sn_vec3_distance(point, ball->center) - ball->radius);
}

// Keeps the three quarters of the points that lie nearest to the ball; returns their number.
static uint32_t keep_near(uint32_t count, const sn_vec3 *points, const sni_ball *ball,
                          double *distances, sn_vec3 *kept) {
    for (uint32_t i = 0; i < count; ++i) {
        distances[i] = off_ball(ball, points[i]);
    }
    qsort(distances, count, sizeof *distances, sni_compare_doubles);
    double limit = distances[3 * (size_t)count / 4];
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (off_ball(ball, points[i]) <= limit) {
            kept[made++] = points[i];
        }
    }
    return made;
}

sn_status sni_ball_fit(sn_context *context, uint32_t count, const sn_vec3 *points, sni_ball *ball,
                       double *off, bool *fitted, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 *kept = NULL;
    double *distances = NULL;
    SNI_NEW(context, kept, count);
    SNI_NEW(context, distances, count);
    *off = 0;
    *fitted = count >= LEAST_POINTS && fit_all(count, points, ball);
    for (int round = 0; round < TRIMS && *fitted; ++round) {
        uint32_t made = keep_near(count, points, ball, distances, kept);
        *fitted = fit_all(made, kept, ball);
        *off = 0;
        for (uint32_t i = 0; i < made; ++i) {
            *off += off_ball(ball, kept[i]) / made;
        }
    }
cleanup:
    sni_free(context, kept);
    sni_free(context, distances);
    return status;
}

sn_status sni_find_eye(const sni_head_surface *skin, sni_ball *ball, bool *found, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 *points = NULL;
    uint32_t count = 0;
    *found = false;
    SNI_NEW(skin->context, points, skin->vertex_count);
    for (uint32_t v = 0; v < skin->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(skin->positions + 3 * (size_t)v);
        if (!skin->is_outer[v] && sn_vec3_distance(p, ball->center) < search) {
            points[count++] = p;
        }
    }
    sni_ball fitted = *ball;
    double off;
    bool is_ball;
    SN_TRY(sni_ball_fit(skin->context, count, points, &fitted, &off, &is_ball, error));
    if (is_ball && fitted.radius > least_radius && fitted.radius < most_radius &&
        off < roundness * fitted.radius &&
        sn_vec3_distance(fitted.center, ball->center) < most_shift) {
        *ball = fitted;
        *found = true;
    }
cleanup:
    sni_free(skin->context, points);
    return status;
}

// Whether the skin ends somewhere before the ball.
static bool has_opening(const sni_head_surface *skin, sn_vec3 back, const sni_ball *ball) {
    for (uint32_t t = 0; t < skin->triangle_count; ++t) {
        if (skin->border_edges[t] != 0) {
            sn_vec3 p = sn_vec3_load(skin->positions + 3 * (size_t)skin->vertices[3 * (size_t)t]);
            sn_vec3 to = sn_vec3_sub(p, ball->center);
            if (sn_vec3_length(to) < 1.6 * ball->radius && sn_vec3_dot(to, back) < 0) {
                return true;
            }
        }
    }
    return false;
}

void sni_hide_eye(const sni_head_surface *skin, sn_vec3 back, sni_ball *ball) {
    enum { STEPS = 80 };
    const double step = 0.00025;
    if (has_opening(skin, back, ball)) {
        return;
    }
    for (int i = 0; i < STEPS; ++i) {
        // A ball lies behind the skin where its middle does by more than its radius.
        sni_skin_place place;
        double depth = sni_head_surface_depth(skin, ball->center, &place);
        if (depth >= ball->radius + lid) {
            break;
        }
        ball->center = sn_vec3_add_scaled(ball->center, step, back);
    }
}
