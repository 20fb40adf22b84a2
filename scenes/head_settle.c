// SPDX-License-Identifier: Apache-2.0
//
// What has to hold between parts of the head's skin at rest: lids lie on the eyeball and not in it,
// the lips meet and do not cross, and every quad is convex.
#include "scenes/head_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Lids

void scn_head_clear_eyes(scn_head_surface *surface) {
    // Behind the lids quads are large, and their middles lie deeper than their corners.
    const double gap = 0.15, behind = 0.9;
    scn_head_eye eye = scn_head_eyeball();
    for (uint32_t i = 0; i < surface->vertex_count; ++i) {
        double *v = surface->values[i], side = v[SCN_HEAD_X] < 0 ? -1 : 1;
        sn_vec3 p = {side * v[SCN_HEAD_X], v[SCN_HEAD_Y], v[SCN_HEAD_Z]};
        sn_vec3 out = sn_vec3_sub(p, eye.center);
        double away = sn_vec3_length(out), least = scn_head_eye_height(out) + gap;
        least += behind * scn_smooth_step(0.3, 0.8, v[SCN_HEAD_EYE]);
        if (away < least && away > 0) {
            p = sn_vec3_add_scaled(eye.center, least / away, out);
            v[SCN_HEAD_X] = side * p.x;
            v[SCN_HEAD_Y] = p.y;
            v[SCN_HEAD_Z] = p.z;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Lips

// The height of the line in which the lips meet.
static double seam_height(double x) {
    return -33.6 - 1.3 * (x / 25) * (x / 25);
}

// Half of the gap that is left between the lips, so that no rounding makes them cross.
static const double half_gap = 0.06;

void scn_head_part_lips(scn_head_surface *surface) {
    for (uint32_t i = 0; i < surface->vertex_count; ++i) {
        double *v = surface->values[i], seam = seam_height(v[SCN_HEAD_X]);
        if (v[SCN_HEAD_LIP] < 0.6 || v[SCN_HEAD_Z] < 94) {
            continue;
        }
        if (v[SCN_HEAD_LOWER] < 0.49) {
            v[SCN_HEAD_Y] = fmax(v[SCN_HEAD_Y], seam + half_gap);
        } else if (v[SCN_HEAD_LOWER] > 0.51) {
            v[SCN_HEAD_Y] = fmin(v[SCN_HEAD_Y], seam - half_gap);
        } else {
            v[SCN_HEAD_Y] = seam;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Quads

// The smallest sine of the angles of a quad, about its mean normal.
static double least_angle(const scn_head_surface *surface, const uint32_t *c) {
    sn_vec3 p[4], sides[4];
    for (int i = 0; i < 4; ++i) {
        p[i] = scn_head_position(surface, c[i]);
    }
    sn_vec3 normal = sn_vec3_cross(sn_vec3_sub(p[2], p[0]), sn_vec3_sub(p[3], p[1]));
    normal = sn_vec3_normalize_or(normal, sn_vec3_make(0, 0, 0));
    for (int i = 0; i < 4; ++i) {
        sides[i] = sn_vec3_normalize_or(sn_vec3_sub(p[(i + 1) % 4], p[i]), normal);
    }
    double least = 1;
    for (int i = 0; i < 4; ++i) {
        least = fmin(least, sn_vec3_dot(sn_vec3_cross(sides[i], sides[(i + 1) % 4]), normal));
    }
    return least;
}

// Draws the corners of narrow quads towards the means of their neighbours, until every angle is
// wide enough or the rounds are over.
bool scn_head_open_quads(scn_head_surface *surface) {
    enum { ROUNDS = 40 };
    const double narrow = 0.12, step = 0.3;
    double(*sums)[4] = malloc(surface->vertex_count * sizeof *sums);
    uint8_t *chosen = malloc(surface->vertex_count);
    bool found = true;
    for (int round = 0; sums != NULL && chosen != NULL && found && round < ROUNDS; ++round) {
        found = false;
        memset(sums, 0, surface->vertex_count * sizeof *sums);
        memset(chosen, 0, surface->vertex_count);
        for (uint32_t q = 0; q < surface->quad_count; ++q) {
            const uint32_t *c = surface->quads[q].corners;
            bool is_narrow = least_angle(surface, c) < narrow;
            found = found || is_narrow;
            for (int i = 0; i < 4; ++i) {
                const double *a = surface->values[c[(i + 1) % 4]];
                const double *b = surface->values[c[(i + 3) % 4]];
                for (int k = 0; k < 3; ++k) {
                    sums[c[i]][k] += a[k] + b[k];
                }
                sums[c[i]][3] += 2;
                chosen[c[i]] = chosen[c[i]] || is_narrow;
            }
        }
        for (uint32_t i = 0; i < surface->vertex_count; ++i) {
            for (int k = 0; k < 3 && chosen[i]; ++k) {
                double *v = &surface->values[i][k];
                *v += step * (sums[i][k] / sums[i][3] - *v);
            }
        }
    }
    bool ok = sums != NULL && chosen != NULL;
    free(sums);
    free(chosen);
    return ok;
}
