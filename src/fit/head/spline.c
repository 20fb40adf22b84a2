// SPDX-License-Identifier: Apache-2.0
#include "fit/head/spline.h"

#include "base/dense.h"

#include <string.h>

enum { GRAIN = 64 };

static const double same_point = 1e-9;

static double kernel_at(const sni_spline *s, double r) {
    if (s->kernel == SNI_SPLINE_BENDING) {
        return sqrt(r * r + s->reach * s->reach);
    }
    double t = r / s->reach, u = 1 - t;
    return t < 1 ? u * u * u * u * (4 * t + 1) : 0;
}

// Copies centers that differ, with their offsets.
static uint32_t copy_centers(uint32_t count, const sn_vec3 *centers, const sn_vec3 *offsets,
                             const double *softness, sn_vec3 *kept, double *right, double *soft) {
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < count; ++i) {
        low = sn_vec3_min(low, centers[i]);
        high = sn_vec3_max(high, centers[i]);
    }
    double least = same_point * (count > 0 ? sn_vec3_distance(low, high) : 0);
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; ++i) {
        bool is_new = true;
        for (uint32_t k = 0; k < made && is_new; ++k) {
            is_new = sn_vec3_distance(kept[k], centers[i]) > least;
        }
        if (is_new) {
            kept[made] = centers[i];
            soft[made] = softness != NULL ? softness[i] : 0;
            right[3 * (size_t)made] = offsets[i].x;
            right[3 * (size_t)made + 1] = offsets[i].y;
            right[3 * (size_t)made++ + 2] = offsets[i].z;
        }
    }
    return made;
}

// How many rows the affine part has: 4, or 1 where all centers lie near a plane, so that nothing
// says what happens across it.
static uint32_t affine_rows(const sni_spline *s) {
    if (s->kernel != SNI_SPLINE_BENDING) {
        return 0;
    }
    // The largest tetrahedron that a simple search finds, against the extent.
    double size = 0, area = 0, volume = 0;
    uint32_t a = 0, b = 0, c = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        double d = sn_vec3_distance(s->centers[i], s->centers[a]);
        b = d > size ? i : b;
        size = fmax(size, d);
    }
    sn_vec3 ab = sn_vec3_sub(s->centers[b], s->centers[a]);
    for (uint32_t i = 0; i < s->count; ++i) {
        double d = sn_vec3_length(sn_vec3_cross(ab, sn_vec3_sub(s->centers[i], s->centers[a])));
        c = d > area ? i : c;
        area = fmax(area, d);
    }
    sn_vec3 normal = sn_vec3_cross(ab, sn_vec3_sub(s->centers[c], s->centers[a]));
    for (uint32_t i = 0; i < s->count; ++i) {
        double d = fabs(sn_vec3_dot(normal, sn_vec3_sub(s->centers[i], s->centers[a])));
        volume = fmax(volume, d);
    }
    return volume > 1e-6 * size * size * size ? 4 : 1;
}

static void fill_matrix(const sni_spline *s, uint32_t affine, const double *soft, double *matrix) {
    uint32_t size = s->count + affine;
    for (uint32_t i = 0; i < s->count; ++i) {
        double *row = matrix + (size_t)i * size;
        for (uint32_t k = 0; k < s->count; ++k) {
            row[k] = kernel_at(s, sn_vec3_distance(s->centers[i], s->centers[k]));
        }
        row[i] += soft[i];
        sn_vec3 p = sn_vec3_sub(s->centers[i], s->origin);
        const double terms[4] = {1, p.x, p.y, p.z};
        for (uint32_t k = 0; k < affine; ++k) {
            row[s->count + k] = terms[k];
            matrix[(size_t)(s->count + k) * size + i] = terms[k];
        }
    }
}

sn_status sni_spline_create(sn_context *context, sni_spline_kernel kernel, double reach,
                            uint32_t count, const sn_vec3 *centers, const sn_vec3 *offsets,
                            const double *softness, sni_spline **spline, sn_error *error) {
    sn_status status = SN_OK;
    double *matrix = NULL, *right = NULL, *soft = NULL;
    sni_spline *s = NULL;
    *spline = NULL;
    SNI_NEW_ZERO(context, s, 1);
    *s = (sni_spline){.context = context, .kernel = kernel, .reach = reach};
    SNI_NEW(context, s->centers, count);
    SNI_NEW_ZERO(context, right, 3 * ((size_t)count + 4));
    SNI_NEW(context, soft, count);
    s->count = copy_centers(count, centers, offsets, softness, s->centers, right, soft);
    for (uint32_t i = 0; i < s->count; ++i) {
        s->origin = sn_vec3_add_scaled(s->origin, 1.0 / s->count, s->centers[i]);
    }
    uint32_t affine = s->count > 0 ? affine_rows(s) : 0, size = s->count + affine;
    SNI_NEW_ZERO(context, s->weights, (size_t)s->count + 4);
    SNI_NEW_ZERO(context, matrix, (size_t)size * size);
    fill_matrix(s, affine, soft, matrix);
    if (!sni_dense_solve_columns(matrix, size, right, 3)) {
        SN_TRY(sni_fail(error, SN_INVALID, "%u points do not determine a smooth motion", count));
    }
    for (uint32_t i = 0; i < size; ++i) {
        const double *r = right + 3 * (size_t)i;
        s->weights[i] = sn_vec3_make(r[0], r[1], r[2]);
    }
    *spline = s;
    s = NULL;
cleanup:
    sni_free(context, matrix);
    sni_free(context, right);
    sni_free(context, soft);
    sni_spline_destroy(s);
    return status;
}

void sni_spline_destroy(sni_spline *s) {
    if (s != NULL) {
        sni_free(s->context, s->centers);
        sni_free(s->context, s->weights);
        sni_free(s->context, s);
    }
}

sn_vec3 sni_spline_at(const sni_spline *s, sn_vec3 point) {
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < s->count; ++i) {
        double value = kernel_at(s, sn_vec3_distance(s->centers[i], point));
        sum = sn_vec3_add_scaled(sum, value, s->weights[i]);
    }
    if (s->kernel == SNI_SPLINE_BENDING) {
        sn_vec3 p = sn_vec3_sub(point, s->origin);
        const sn_vec3 *affine = s->weights + s->count;
        sum = sn_vec3_add(sum, affine[0]);
        sum = sn_vec3_add_scaled(sum, p.x, affine[1]);
        sum = sn_vec3_add_scaled(sum, p.y, affine[2]);
        sum = sn_vec3_add_scaled(sum, p.z, affine[3]);
    }
    return sum;
}

typedef struct move_job {
    const sni_spline *spline;
    sn_vec3 *points;
} move_job;

static void move_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const move_job *job = user;
    for (uint32_t i = begin; i < end; ++i) {
        job->points[i] = sn_vec3_add(job->points[i], sni_spline_at(job->spline, job->points[i]));
    }
}

void sni_spline_move(const sni_spline *spline, sn_vec3 *points, uint32_t count) {
    move_job job = {spline, points};
    sn_parallel_for(spline->context, count, GRAIN, move_block, &job);
}
