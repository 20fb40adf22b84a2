// SPDX-License-Identifier: Apache-2.0
//
// The factor of the sections with which a surface keeps its volume, and what is done where none
// does.
#include "muscle/cover.h"

#include "geometry/triangle.h"

#include <math.h>
#include <string.h>

// The volume is kept this well, relative to that at rest: a hundredth of what can be seen.
static const double volume_tolerance = 1e-4;
// The factor is looked for within half and twice, in at most so many steps.
static const double factor_range = 2;
enum { MOST_STEPS = 12 };

bool sni_cover_is_kept(double excess) {
    return fabs(excess) <= volume_tolerance;
}

double sni_cover_excess(const sni_cover *cover, const float *points) {
    return sni_cover_volume(cover, points) / cover->volume - 1;
}

static double within_range(double factor) {
    return fmin(fmax(factor, 1 / factor_range), factor_range);
}

typedef struct search {
    const sni_cover *cover;
    const float *one, *two;
    float *points;
} search;

static double excess_at(const search *s, double factor) {
    size_t count = 3 * (size_t)s->cover->vertex_count;
    float more = (float)(factor - 1);
    for (size_t i = 0; i < count; ++i) {
        s->points[i] = s->one[i] + more * (s->two[i] - s->one[i]);
    }
    return sni_cover_excess(s->cover, s->points);
}

// The secant method from 1 on, with the slope at rest for its first step.
bool sni_cover_keep_volume(const sni_cover *cover, double slope, const float *one, const float *two,
                           float *points, double *factor, double *excess) {
    SN_ASSERT(one != NULL && two != NULL && points != NULL);
    search s = {cover, one, two, points};
    double before = 1, at_before = *excess, best = 1, at_best = *excess;
    double now = within_range(1 - at_before / slope), last = 0;
    for (int step = 0; step < MOST_STEPS && now != before && isfinite(now); ++step) {
        double at_now = excess_at(&s, now);
        last = now;
        if (fabs(at_now) < fabs(at_best)) {
            best = now;
            at_best = at_now;
        }
        if (sni_cover_is_kept(at_now) || at_now == at_before) {
            break;
        }
        double next = within_range(now - at_now * (now - before) / (at_now - at_before));
        before = now;
        at_before = at_now;
        now = next;
    }
    if (last != best) {
        excess_at(&s, best);
    }
    *factor = best;
    *excess = at_best;
    return sni_cover_is_kept(at_best);
}

// Unit normals of the vertices, of the triangles around by their areas; gives the whole area.
static double find_normals(const sni_cover *cover, const float *points, float *normals) {
    double area = 0;
    memset(normals, 0, 3 * (size_t)cover->vertex_count * sizeof *normals);
    for (size_t i = 0; i < cover->triangle_count; ++i) {
        const uint32_t *v = cover->triangles + 3 * i;
        sn_vec3 corners[3];
        sni_triangle_corners(points, v, corners);
        sn_vec3 n = sni_triangle_vector(corners[0], corners[1], corners[2]);
        area += sn_vec3_length(n) / 2;
        for (int k = 0; k < 3; ++k) {
            float *sum = normals + 3 * (size_t)v[k];
            sn_vec3_store(sn_vec3_add(sn_vec3_load(sum), n), sum);
        }
    }
    for (size_t i = 0; i < cover->vertex_count; ++i) {
        sn_vec3 n = sn_vec3_load(normals + 3 * i), none = {0, 0, 0};
        sn_vec3_store(sn_vec3_normalize_or(n, none), normals + 3 * i);
    }
    return area;
}

// The volume grows by area times way at first; the secant method from there.
bool sni_cover_push(const sni_cover *cover, float *from, float *normals, float *points,
                    double *excess) {
    SN_ASSERT(from != NULL && normals != NULL && points != NULL);
    size_t count = 3 * (size_t)cover->vertex_count;
    memcpy(from, points, count * sizeof *from);
    double area = find_normals(cover, from, normals);
    double before = 0, at_before = *excess, now = -*excess * cover->volume / area;
    for (int step = 0; step < MOST_STEPS && now != before && isfinite(now); ++step) {
        for (size_t i = 0; i < count; ++i) {
            points[i] = from[i] + (float)now * normals[i];
        }
        *excess = sni_cover_excess(cover, points);
        if (sni_cover_is_kept(*excess)) {
            return true;
        }
        double next = now - *excess * (now - before) / (*excess - at_before);
        before = now;
        at_before = *excess;
        now = next;
    }
    return false;
}
