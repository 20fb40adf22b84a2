// SPDX-License-Identifier: Apache-2.0
//
// Anchors on a body with other proportions: how the skin around each of them is stretched there.
#include "skin/anchors_parts.h"

#include <math.h>

// Points of a block: some hundred microseconds.
enum { FOLLOW_GRAIN = 4096 };

typedef struct follow_run {
    sni_anchors *anchors;
    const sni_anchors_desc *desc;
    const uint32_t *starts;
    const float *vertices;
    const sn_mat4 *maps; // component_count: of those that are rigid or affine
} follow_run;

static bool is_other_body(const sni_anchors_desc *desc) {
    for (uint32_t i = 0; i < desc->component_count; ++i) {
        if (desc->components[i].to_segment != NULL || desc->components[i].rest_points != NULL) {
            return true;
        }
    }
    return false;
}

static sn_mat4 from_columns(const sn_vec3 columns[3]) {
    sn_mat4 matrix = sn_mat4_identity();
    for (int k = 0; k < 3; ++k) {
        matrix.m[4 * k] = columns[k].x;
        matrix.m[4 * k + 1] = columns[k].y;
        matrix.m[4 * k + 2] = columns[k].z;
    }
    return matrix;
}

static sn_mat4 turned(const sn_vec3 now[3], const sn_vec3 rest[3], double scale) {
    sn_vec3 columns[3];
    for (int k = 0; k < 3; ++k) {
        sn_vec3 axis = {k == 0, k == 1, k == 2};
        columns[k] = sn_vec3_scale(sni_turn(now, rest, axis), scale);
    }
    return from_columns(columns);
}

static double triangle_area(const float *vertices, const uint32_t *corners) {
    sn_vec3 a = sn_vec3_load(vertices + 3 * (size_t)corners[0]);
    sn_vec3 ab = sn_vec3_sub(sn_vec3_load(vertices + 3 * (size_t)corners[1]), a);
    sn_vec3 ac = sn_vec3_sub(sn_vec3_load(vertices + 3 * (size_t)corners[2]), a);
    return sn_vec3_length(sn_vec3_cross(ab, ac));
}

// From one triangle to the other: turned and scaled evenly.
static sn_mat4 follow_triangle(const sni_deep_anchor *deep, const float *from, const float *to) {
    double before = triangle_area(from, deep->corners), now = triangle_area(to, deep->corners);
    sn_vec3 axes[3];
    sni_triangle_frame(to, deep->corners, axes);
    return turned(axes, deep->axes, before > 0 && now > 0 ? sqrt(now / before) : 1);
}

// From one cell to the other: J_now J_before^-1. A cell without volume only turns.
static sn_mat4 follow_cell(const sni_deep_anchor *deep, const float *from, const float *to) {
    sni_cell before = sni_load_cell(from, deep->corners), now = sni_load_cell(to, deep->corners);
    sn_vec3 columns[3];
    sni_cell_jacobian(&before, deep->q, columns);
    sn_mat4 start = from_columns(columns), inverse;
    sni_cell_jacobian(&now, deep->q, columns);
    sn_mat4 end = from_columns(columns);
    if (sn_mat4_invert(&start, &inverse)) {
        return sn_mat4_multiply(&end, &inverse);
    }
    sn_vec3 axes[3];
    sni_cell_frame(&now, deep->q, axes);
    return turned(axes, deep->axes, 1);
}

// The map of one tie; sets the scale of its deep anchor.
static sn_mat4 follow_tie(const follow_run *run, const sni_tie *tie) {
    if (tie->deep == SN_NONE) {
        return run->maps[tie->component];
    }
    sni_deep_anchor *deep = &run->anchors->deep_anchors[tie->deep];
    const float *from = run->vertices + 3 * (size_t)run->starts[tie->component];
    const float *to = run->desc->components[tie->component].rest_points;
    to = to != NULL ? to : from;
    sn_mat4 map =
        deep->corners[3] != SN_NONE ? follow_cell(deep, from, to) : follow_triangle(deep, from, to);
    double volume = fabs(sn_mat4_determinant(&map));
    deep->scale = volume > 0 ? cbrt(volume) : 1;
    return map;
}

static void follow_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const follow_run *run = user;
    sni_anchors *anchors = run->anchors;
    for (size_t i = begin; i < end; ++i) {
        double sum[9] = {0};
        for (uint32_t k = anchors->tie_starts[i]; k < anchors->tie_starts[i + 1]; ++k) {
            sn_mat4 map = follow_tie(run, &anchors->ties[k]);
            for (size_t n = 0; n < 9; ++n) {
                sum[n] += (double)anchors->ties[k].weight * map.m[4 * (n % 3) + n / 3];
            }
        }
        for (size_t n = 0; n < 9; ++n) {
            anchors->maps[9 * i + n] = (float)sum[n];
        }
    }
}

sn_status sni_anchors_follow(sni_anchors *anchors, const sni_anchors_desc *desc,
                             const uint32_t *starts, const float *vertices, sn_error *error) {
    sn_status status = SN_OK;
    sn_mat4 *maps = NULL;
    for (uint32_t i = 0; i < anchors->deep_count; ++i) {
        anchors->deep_anchors[i].scale = 1;
    }
    if (!is_other_body(desc)) {
        return SN_OK;
    }
    SNI_NEW(anchors->context, maps, anchors->component_count);
    SNI_NEW(anchors->context, anchors->maps, 9 * (size_t)anchors->point_count);
    for (uint32_t i = 0; i < anchors->component_count; ++i) {
        const sni_bound_component *bound = &anchors->components[i];
        const float *points = desc->components[i].rest_points;
        maps[i] = sn_mat4_identity();
        if (bound->kind == SNI_ANCHOR_RIGID) {
            maps[i] = sn_mat4_multiply(&desc->rest_worlds[bound->segment], &bound->to_segment);
        } else if (bound->kind == SNI_ANCHOR_AFFINE && points != NULL) {
            maps[i] = sni_fit_affine(bound, points);
        }
    }
    follow_run run = {anchors, desc, starts, vertices, maps};
    sn_parallel_for(anchors->context, anchors->point_count, FOLLOW_GRAIN, follow_block, &run);
cleanup:
    sni_free(anchors->context, maps);
    return status;
}
