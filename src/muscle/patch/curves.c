// SPDX-License-Identifier: Apache-2.0
#include "muscle/patch/curves.h"

#include "geometry/edge.h"
#include "geometry/triangle.h"

#include <math.h>

// Samples of each curve in the tests of their course.
enum { CHECKS = 64 };

// Lines are parallel up to this sine of their angle.
static const double parallel = 1e-9;

// How far a line's arc may bow, as a part of its length: half of it over half a circle.
static const double bow = 0.5;

static sn_vec3 normal_at(const sni_muscle_job *job, const sni_skin_place *place) {
    const uint32_t *v = sni_patch_skin(job)->triangles->vertices + 3 * (size_t)place->triangle;
    sn_vec3 sum = {0, 0, 0}, corners[3];
    for (int i = 0; i < 3; ++i) {
        sum = sn_vec3_add_scaled(sum, place->barycentric[i],
                                 sn_vec3_load(sni_patch_skin(job)->normals + 3 * (size_t)v[i]));
        corners[i] = sn_vec3_load(sni_patch_skin(job)->mesh->positions + 3 * (size_t)v[i]);
    }
    sn_vec3 face = sni_triangle_vector(corners[0], corners[1], corners[2]);
    return sn_vec3_normalize_or(sum, sn_vec3_normalize_or(face, sn_vec3_make(0, 1, 0)));
}

// ---------------------------------------------------------------------------------------------
// Width

static double distance_to_line(sn_vec3 point, uint32_t count, const sn_vec3 *line) {
    double least = INFINITY, weight;
    for (uint32_t k = 0; k + 1 < count; ++k) {
        least = fmin(least, sni_edge_closest(line[k], line[k + 1], point, &weight));
    }
    return sqrt(least);
}

// The mean distance of the one from the other, over its length: of each edge the middle counts
// twice, its ends once.
static double mean_distance(uint32_t from_count, const sn_vec3 *from, uint32_t count,
                            const sn_vec3 *to) {
    double sum = 0, length = 0;
    for (uint32_t i = 0; i + 1 < from_count; ++i) {
        sn_vec3 a = from[i], b = from[i + 1];
        double part = sn_vec3_distance(a, b);
        sum += part *
               (distance_to_line(a, count, to) + distance_to_line(b, count, to) +
                2 * distance_to_line(sn_vec3_lerp(a, b, 0.5), count, to)) /
               4;
        length += part;
    }
    return length > 0 ? sum / length : 0;
}

double sni_patch_width(uint32_t first_count, const sn_vec3 *first, uint32_t second_count,
                       const sn_vec3 *second) {
    return (mean_distance(first_count, first, second_count, second) +
            mean_distance(second_count, second, first_count, first)) /
           2;
}

// ---------------------------------------------------------------------------------------------
// Points

static sn_status make_curve(const sni_muscle_job *job, uint32_t index, bool closed,
                            sni_patch_curve *made, sn_error *error) {
    sn_status status = SN_OK;
    const sni_muscle_curve *from = &sni_patch_skin(job)->curves[index];
    uint32_t least = closed ? 3 : 2;
    if (from->count < least) {
        return sni_fail(error, SN_INVALID, "%s: curve %u has %u point%s, but %s needs %u",
                        sni_patch_name(job), index + 1, from->count, from->count == 1 ? "" : "s",
                        closed ? "a closed one" : "it", least);
    }
    made->count = from->count + closed;
    SNI_NEW(job->context, made->points, made->count);
    SNI_NEW(job->context, made->normals, made->count);
    SNI_NEW(job->context, made->lengths, made->count);
    for (uint32_t i = 0; i < made->count; ++i) {
        const sni_skin_place *place = &from->places[i % from->count];
        made->points[i] =
            sni_skin_place_point(sni_patch_skin(job)->mesh, sni_patch_skin(job)->triangles, place);
        made->normals[i] = normal_at(job, place);
        made->total += i > 0 ? sn_vec3_distance(made->points[i], made->points[i - 1]) : 0;
    }
    if (!(made->total > 0)) {
        SN_TRY(sni_fail(error, SN_INVALID, "%s: all %u points of curve %u are one",
                        sni_patch_name(job), from->count, index + 1));
    }
    sni_patch_lengths(made->points, made->count, made->lengths);
cleanup:
    return status;
}

sni_patch_sample sni_patch_curve_sample(const sni_patch_curve *c, bool closed, double t) {
    t += c->offset;
    t -= t > 1 ? 1 : 0;
    uint32_t start = sni_patch_start(c->lengths, c->count, t);
    sni_patch_sample sample = {
        .from = start, .to = start + 1, .fraction = sni_patch_fraction(c->lengths, start, t)};
    if (closed && sample.to == c->count - 1) {
        sample.to = 0;
    }
    return sample;
}

sn_vec3 sni_patch_curve_point(const sni_patch_curve *c, sni_patch_sample s) {
    return sn_vec3_lerp(c->points[s.from], c->points[s.to], s.fraction);
}

// The centre of a closed curve and its mean distance from there.
static sn_vec3 ring_center(const sni_patch_curve *c, double *radius) {
    sn_vec3 center = {0, 0, 0};
    uint32_t count = c->count - 1;
    for (uint32_t i = 0; i < count; ++i) {
        center = sn_vec3_add_scaled(center, 1.0 / count, c->points[i]);
    }
    *radius = 0;
    for (uint32_t i = 0; i < count; ++i) {
        *radius += sn_vec3_distance(c->points[i], center) / count;
    }
    return center;
}

// The second closed curve begins where it is closest to the beginning of the first one, both
// brought to the same centre and size.
static void align_ring(const sni_patch_curve *first, sni_patch_curve *second) {
    double radii[2], best = INFINITY;
    sn_vec3 from = ring_center(first, &radii[0]), center = ring_center(second, &radii[1]);
    double scale = radii[0] > 0 ? radii[1] / radii[0] : 1;
    sn_vec3 start = sn_vec3_add_scaled(center, scale, sn_vec3_sub(first->points[0], from));
    for (uint32_t i = 0; i + 1 < second->count; ++i) {
        double t;
        double distance2 = sni_edge_closest(second->points[i], second->points[i + 1], start, &t);
        if (distance2 < best) {
            best = distance2;
            second->offset = second->lengths[i] + t * (second->lengths[i + 1] - second->lengths[i]);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Curves that cannot bound a muscle

typedef struct checks {
    sn_vec3 a[CHECKS], b[CHECKS];
    double widest;
} checks;

static void take_checks(const sni_patch_curve curves[2], bool closed, checks *c) {
    c->widest = 0;
    for (int k = 0; k < CHECKS; ++k) {
        double t = (double)k / (closed ? CHECKS : CHECKS - 1);
        c->a[k] = sni_patch_curve_point(&curves[0], sni_patch_curve_sample(&curves[0], closed, t));
        c->b[k] = sni_patch_curve_point(&curves[1], sni_patch_curve_sample(&curves[1], closed, t));
        c->widest = fmax(c->widest, sn_vec3_distance(c->a[k], c->b[k]));
    }
}

static bool run_opposite(const checks *c, bool closed) {
    const int last = CHECKS - 1;
    if (!closed) {
        double straight =
            sn_vec3_distance(c->a[0], c->b[0]) + sn_vec3_distance(c->a[last], c->b[last]);
        double crosswise =
            sn_vec3_distance(c->a[0], c->b[last]) + sn_vec3_distance(c->a[last], c->b[0]);
        double agreement =
            sn_vec3_dot(sn_vec3_sub(c->a[last], c->a[0]), sn_vec3_sub(c->b[last], c->b[0]));
        return crosswise < straight && agreement < 0;
    }
    sn_vec3 areas[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < CHECKS; ++k) {
        int next = (k + 1) % CHECKS;
        sn_vec3 from_a = sn_vec3_sub(c->a[k], c->a[0]), from_b = sn_vec3_sub(c->b[k], c->b[0]);
        areas[0] = sn_vec3_add(areas[0], sn_vec3_cross(from_a, sn_vec3_sub(c->a[next], c->a[0])));
        areas[1] = sn_vec3_add(areas[1], sn_vec3_cross(from_b, sn_vec3_sub(c->b[next], c->b[0])));
    }
    return sn_vec3_dot(areas[0], areas[1]) < 0;
}

// Where line i of curve a and line j of curve b cross, seen along the skin's normal there. Both lie
// on the skin with their ends, so that one may pass above the other by as much as their arcs can
// bow; lines on opposite sides of a body do not meet. s and t are lengths along the lines, 0 to 1.
static bool lines_cross(const sni_patch_curve *a, uint32_t i, const sni_patch_curve *b, uint32_t j,
                        double *s, double *t) {
    sn_vec3 na = sn_vec3_add(a->normals[i], a->normals[i + 1]);
    sn_vec3 nb = sn_vec3_add(b->normals[j], b->normals[j + 1]);
    if (sn_vec3_dot(na, nb) <= 0) {
        return false;
    }
    sn_vec3 n = sn_vec3_normalize_or(sn_vec3_add(na, nb), na);
    sn_vec3 da = sn_vec3_sub(a->points[i + 1], a->points[i]);
    sn_vec3 db = sn_vec3_sub(b->points[j + 1], b->points[j]);
    sn_vec3 between = sn_vec3_sub(b->points[j], a->points[i]);
    double lengths = sn_vec3_length(da) + sn_vec3_length(db);
    double determinant = sn_vec3_dot(sn_vec3_cross(da, db), n);
    if (fabs(determinant) <= parallel * sn_vec3_length(da) * sn_vec3_length(db)) {
        return false;
    }
    *s = sn_vec3_dot(sn_vec3_cross(between, db), n) / determinant;
    *t = sn_vec3_dot(sn_vec3_cross(between, da), n) / determinant;
    sn_vec3 gap = sn_vec3_sub(sn_vec3_add_scaled(between, *t, db), sn_vec3_scale(da, *s));
    return *s >= 0 && *s <= 1 && *t >= 0 && *t <= 1 && sn_vec3_length(gap) <= bow * lengths;
}

// Whether a place at `t` of line i is an end of an open curve.
static bool is_end(const sni_patch_curve *c, uint32_t i, double t) {
    double length = c->lengths[i] + t * (c->lengths[i + 1] - c->lengths[i]);
    return length < 1e-6 || length > 1 - 1e-6;
}

// Curves may meet in their ends, where muscles taper, but nowhere else.
static bool find_crossing(const sni_patch_curve curves[2], bool closed, sn_vec3 *where) {
    const sni_patch_curve *a = &curves[0], *b = &curves[1];
    for (uint32_t i = 0; i + 1 < a->count; ++i) {
        for (uint32_t j = 0; j + 1 < b->count; ++j) {
            double s, t;
            if (lines_cross(a, i, b, j, &s, &t) &&
                (closed || !(is_end(a, i, s) && is_end(b, j, t)))) {
                *where = sn_vec3_lerp(a->points[i], a->points[i + 1], s);
                return true;
            }
        }
    }
    return false;
}

static sn_status check_curves(const sni_muscle_job *job, const sni_patch_curve curves[2],
                              bool closed, sn_error *error) {
    checks c;
    take_checks(curves, closed, &c);
    double length = fmax(curves[0].total, curves[1].total);
    if (c.widest <= 1e-6 * length) {
        return sni_fail(error, SN_INVALID, "%s: its two curves coincide", sni_patch_name(job));
    }
    if (run_opposite(&c, closed)) {
        return sni_fail(error, SN_INVALID,
                        "%s: its curves run in opposite directions; both must go from origin to "
                        "insertion",
                        sni_patch_name(job));
    }
    sn_vec3 where;
    if (find_crossing(curves, closed, &where)) {
        return sni_fail(error, SN_INVALID, "%s: its two curves cross at (%.4g, %.4g, %.4g)",
                        sni_patch_name(job), where.x, where.y, where.z);
    }
    return SN_OK;
}

sn_status sni_patch_curves_make(const sni_muscle_job *job, bool closed, sni_patch_curve curves[2],
                                sn_error *error) {
    for (uint32_t k = 0; k < 2; ++k) {
        sn_status status = make_curve(job, k, closed, &curves[k], error);
        if (status != SN_OK) {
            return status;
        }
    }
    if (closed) {
        align_ring(&curves[0], &curves[1]);
    }
    return check_curves(job, curves, closed, error);
}

void sni_patch_curves_free(sn_context *context, sni_patch_curve curves[2]) {
    for (uint32_t k = 0; k < 2; ++k) {
        sni_free(context, curves[k].points);
        sni_free(context, curves[k].normals);
        sni_free(context, curves[k].lengths);
    }
}
