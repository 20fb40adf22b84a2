// SPDX-License-Identifier: Apache-2.0
//
// The making of a muscle from two curves on the skin (3.1).
//
//     curves       sampled at equal lengths to degree + patches points each (3.1), with normals of
//                  the skin, or of the quads between the curves (3.1.2)
//     across       points interpolated linearly, normals along the arc between them
//     refinement   every point moved along its normal n to the asked depth below the first skin hit
//
// The initial points p - n (tau_s + tau_m) of (3.2) only serve to find the skin above them. A grid
// point that starts outside the body (the chord between the curves passes above a hollow, or
// below a thin part) takes the skin that lies nearest to where the chord expects it.
#include "muscle/patch.h"

#include "base/context.h"

#include <math.h>

// Samples of each curve in the test whether they cross.
enum { CHECKS = 64 };

// A curve with its points at hand. A closed one ends with its first point again.
typedef struct curve {
    uint32_t count;
    sn_vec3 *points;
    sn_vec3 *normals;
    double *lengths; // normalised, 0 to 1
    double total;
    double offset; // where a closed curve begins
} curve;

static const char *name_of(const sni_muscle_job *job) {
    return job->name != NULL ? job->name : "muscle";
}

sn_vec3 sni_patch_slerp(sn_vec3 a, sn_vec3 b, double t) {
    if (t == 0 || t == 1) {
        return t == 0 ? a : b;
    }
    double sine = sn_vec3_length(sn_vec3_cross(a, b)), cosine = sn_vec3_dot(a, b);
    double angle = atan2(sine, cosine);
    if (sine > 1e-9) { // below, the two weights are 0 / 0
        return sn_vec3_add_scaled(sn_vec3_scale(a, sin((1 - t) * angle) / sine),
                                  sin(t * angle) / sine, b);
    }
    if (cosine > 0) {
        return sn_vec3_normalize_or(sn_vec3_lerp(a, b, t), a);
    }
    return sn_quat_rotate(sn_quat_from_axis_angle(sn_vec3_perpendicular(a), t * angle), a);
}

double sni_patch_profile(uint32_t i, uint32_t count_u, uint32_t j, uint32_t count_v, bool closed) {
    double u = 2.0 * i / (count_u - 1) - 1, v = 2.0 * j / (count_v - 1) - 1;
    return (1 - u * u) * (closed ? 1 : 1 - v * v); // (3.3)
}

// ---------------------------------------------------------------------------------------------
// Curves

static sn_vec3 normal_at(const sni_muscle_job *job, const sni_skin_place *place) {
    const uint32_t *v = job->triangles->vertices + 3 * (size_t)place->triangle;
    sn_vec3 sum = {0, 0, 0}, corners[3];
    for (int i = 0; i < 3; ++i) {
        sum = sn_vec3_add_scaled(sum, place->barycentric[i],
                                 sn_vec3_load(job->normals + 3 * (size_t)v[i]));
        corners[i] = sn_vec3_load(job->mesh->positions + 3 * (size_t)v[i]);
    }
    sn_vec3 face =
        sn_vec3_cross(sn_vec3_sub(corners[1], corners[0]), sn_vec3_sub(corners[2], corners[0]));
    return sn_vec3_normalize_or(sum, sn_vec3_normalize_or(face, sn_vec3_make(0, 1, 0)));
}

static sn_status make_curve(const sni_muscle_job *job, uint32_t index, bool closed, curve *made,
                            sn_error *error) {
    sn_status status = SN_OK;
    const sni_muscle_curve *from = &job->curves[index];
    uint32_t least = closed ? 3 : 2;
    if (from->count < least) {
        return sni_fail(error, SN_INVALID, "%s: curve %u has %u point%s, but %s needs %u",
                        name_of(job), index + 1, from->count, from->count == 1 ? "" : "s",
                        closed ? "a closed one" : "it", least);
    }
    made->count = from->count + closed;
    SNI_NEW(job->context, made->points, made->count);
    SNI_NEW(job->context, made->normals, made->count);
    SNI_NEW(job->context, made->lengths, made->count);
    for (uint32_t i = 0; i < made->count; ++i) {
        const sni_skin_place *place = &from->places[i % from->count];
        made->points[i] = sni_skin_place_point(job->mesh, job->triangles, place);
        made->normals[i] = normal_at(job, place);
        made->total += i > 0 ? sn_vec3_distance(made->points[i], made->points[i - 1]) : 0;
    }
    if (!(made->total > 0)) {
        SN_TRY(sni_fail(error, SN_INVALID, "%s: all %u points of curve %u are one", name_of(job),
                        from->count, index + 1));
    }
    sni_patch_lengths(made->points, made->count, made->lengths);
cleanup:
    return status;
}

static void free_curve(sn_context *context, curve *c) {
    sni_free(context, c->points);
    sni_free(context, c->normals);
    sni_free(context, c->lengths);
}

static sni_patch_sample sample_curve(const curve *c, bool closed, double t) {
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

static sn_vec3 sample_point(const curve *c, sni_patch_sample s) {
    return sn_vec3_lerp(c->points[s.from], c->points[s.to], s.fraction);
}

// The centre of a closed curve and its mean distance from there.
static sn_vec3 ring_center(const curve *c, double *radius) {
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
static void align_ring(const curve *first, curve *second) {
    double radii[2], best = INFINITY;
    sn_vec3 from = ring_center(first, &radii[0]), center = ring_center(second, &radii[1]);
    double scale = radii[0] > 0 ? radii[1] / radii[0] : 1;
    sn_vec3 start = sn_vec3_add_scaled(center, scale, sn_vec3_sub(first->points[0], from));
    for (uint32_t i = 0; i + 1 < second->count; ++i) {
        sn_vec3 a = second->points[i], edge = sn_vec3_sub(second->points[i + 1], a);
        double square = sn_vec3_dot(edge, edge);
        double t = square > 0 ? sn_vec3_dot(sn_vec3_sub(start, a), edge) / square : 0;
        t = fmin(fmax(t, 0), 1);
        double distance = sn_vec3_distance(sn_vec3_add_scaled(a, t, edge), start);
        if (distance < best) {
            best = distance;
            second->offset = second->lengths[i] + t * (second->lengths[i + 1] - second->lengths[i]);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Curves that cannot bound a muscle

typedef struct checks {
    sn_vec3 a[CHECKS], b[CHECKS], normals[CHECKS];
    double widest, narrowest;
} checks;

static void take_checks(const curve curves[2], bool closed, checks *c) {
    c->widest = 0;
    c->narrowest = INFINITY;
    for (int k = 0; k < CHECKS; ++k) {
        double t = (double)k / (closed ? CHECKS : CHECKS - 1);
        sni_patch_sample a = sample_curve(&curves[0], closed, t);
        c->a[k] = sample_point(&curves[0], a);
        c->b[k] = sample_point(&curves[1], sample_curve(&curves[1], closed, t));
        c->normals[k] = curves[0].normals[a.from];
        double width = sn_vec3_distance(c->a[k], c->b[k]);
        c->widest = fmax(c->widest, width);
        c->narrowest = fmin(c->narrowest, width);
    }
}

// The distance between segments a0 a1 and b0 b1, as the least over their ends and the closest
// points of their lines where these lie within both.
static double segment_distance(sn_vec3 a0, sn_vec3 a1, sn_vec3 b0, sn_vec3 b1) {
    sn_vec3 d1 = sn_vec3_sub(a1, a0), d2 = sn_vec3_sub(b1, b0), r = sn_vec3_sub(a0, b0);
    double a = sn_vec3_dot(d1, d1), e = sn_vec3_dot(d2, d2), f = sn_vec3_dot(d2, r);
    double b = sn_vec3_dot(d1, d2), c = sn_vec3_dot(d1, r), determinant = a * e - b * b;
    double s = determinant > 0 ? fmin(fmax((b * f - c * e) / determinant, 0), 1) : 0;
    double t = e > 0 ? fmin(fmax((b * s + f) / e, 0), 1) : 0;
    s = a > 0 ? fmin(fmax((b * t - c) / a, 0), 1) : 0;
    return sn_vec3_distance(sn_vec3_add_scaled(a0, s, d1), sn_vec3_add_scaled(b0, t, d2));
}

static double nearest_approach(const checks *c) {
    double nearest = INFINITY;
    for (int i = 0; i + 1 < CHECKS; ++i) {
        for (int j = 0; j + 1 < CHECKS; ++j) {
            double distance = segment_distance(c->a[i], c->a[i + 1], c->b[j], c->b[j + 1]);
            nearest = fmin(nearest, distance);
        }
    }
    return nearest;
}

// Whether the second curve lies on both sides of the first. Where the way across is almost along
// the curve or along the normal (on the far side of a limb) sides say nothing.
static bool lies_on_both_sides(const checks *c) {
    bool sides[2] = {false, false};
    for (int k = 0; k < CHECKS; ++k) {
        int next = k + 1 < CHECKS ? k + 1 : k, last = k + 1 < CHECKS ? k : k - 1;
        sn_vec3 along = sn_vec3_sub(c->a[next], c->a[last]), across = sn_vec3_sub(c->b[k], c->a[k]);
        double side = sn_vec3_dot(sn_vec3_cross(along, across), c->normals[k]);
        double scale = sn_vec3_length(along) * sn_vec3_length(across);
        if (fabs(side) > 0.1 * scale && sn_vec3_length(across) > 1e-6 * c->widest) {
            sides[side > 0] = true;
        }
    }
    return sides[0] && sides[1];
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

static sn_status check_curves(const sni_muscle_job *job, const curve curves[2], bool closed,
                              sn_error *error) {
    checks c;
    take_checks(curves, closed, &c);
    double length = fmax(curves[0].total, curves[1].total);
    if (c.widest <= 1e-6 * length) {
        return sni_fail(error, SN_INVALID, "%s: its two curves coincide", name_of(job));
    }
    if (run_opposite(&c, closed)) {
        return sni_fail(error, SN_INVALID,
                        "%s: its curves run in opposite directions; both must go from origin to "
                        "insertion",
                        name_of(job));
    }
    double nearest = nearest_approach(&c);
    if (lies_on_both_sides(&c) && nearest < 0.05 * c.widest) {
        return sni_fail(error, SN_INVALID, "%s: its two curves cross", name_of(job));
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// The grid

// The normal of a point of a 2 x n grid on the skin: the mean of the quads that meet there (3.1.2).
static void curve_normals(const sn_vec3 *columns[2], uint32_t count, bool closed, sn_vec3 *quads,
                          sn_vec3 *normals) {
    uint32_t quad_count = closed ? count : count - 1;
    double agreement = 0;
    for (uint32_t j = 0; j < quad_count; ++j) {
        uint32_t next = (j + 1) % count;
        quads[j] = sn_vec3_cross(sn_vec3_sub(columns[1][next], columns[0][j]),
                                 sn_vec3_sub(columns[0][next], columns[1][j]));
        agreement += sn_vec3_dot(quads[j], normals[j]) + sn_vec3_dot(quads[j], normals[count + j]);
    }
    for (uint32_t j = 0; j < count; ++j) {
        uint32_t before = j > 0 ? j - 1 : closed ? quad_count - 1 : 0;
        uint32_t behind = j < quad_count ? j : quad_count - 1;
        sn_vec3 sum = sn_vec3_add(sn_vec3_normalize_or(quads[before], (sn_vec3){0, 0, 0}),
                                  sn_vec3_normalize_or(quads[behind], (sn_vec3){0, 0, 0}));
        sum = agreement < 0 ? sn_vec3_scale(sum, -1) : sum;
        normals[j] = sn_vec3_normalize_or(sum, normals[j]);
        normals[count + j] = sn_vec3_normalize_or(sum, normals[count + j]);
    }
}

// The first and the last column, on the skin, with their normals.
static sn_status make_columns(const sni_muscle_job *job, const curve curves[2],
                              sni_patch_grid *grid, sn_vec3 *points, sn_vec3 *normals,
                              sn_error *error) {
    uint32_t count = grid->count_v;
    for (uint32_t k = 0; k < 2 * count; ++k) {
        const curve *c = &curves[k / count];
        double t = (double)(k % count) / (grid->closed ? count : count - 1);
        sni_patch_sample s = sample_curve(c, grid->closed, t);
        grid->samples[k] = s;
        points[k] = sample_point(c, s);
        normals[k] = sni_patch_slerp(c->normals[s.from], c->normals[s.to], s.fraction);
    }
    if (job->parameters[SNI_PATCH_NORMALS] == SNI_PATCH_CURVE_NORMALS) {
        sn_vec3 *quads = sni_alloc(job->context, count, sizeof *quads);
        if (quads == NULL) {
            return sni_fail_memory(error);
        }
        curve_normals((const sn_vec3 *[2]){points, points + count}, count, grid->closed, quads,
                      normals);
        sni_free(job->context, quads);
    }
    return SN_OK;
}

// Shepard's interpolation with inverse squared distances; around a ring the shorter way counts.
static double interpolate(const sni_muscle_values *values, double u, double v, bool closed) {
    double sum = 0, weights = 0;
    for (uint32_t k = 0; k < values->count; ++k) {
        const sni_muscle_value *value = &values->values[k];
        double du = value->u - u, dv = fabs(value->v - v);
        dv = closed ? fmin(dv, 1 - dv) : dv;
        double square = du * du + dv * dv;
        if (square < 1e-24) {
            return value->factor;
        }
        sum += value->factor / square;
        weights += 1 / square;
    }
    return values->count > 0 ? sum / weights : 1;
}

// Interpolates across and displaces to the asked depth (3.2). `depths` is the depth of each point.
static void fill_grid(const sni_muscle_job *job, sni_patch_grid *grid, const sn_vec3 *points,
                      const sn_vec3 *normals, double *depths) {
    const double *parameters = job->parameters;
    for (uint32_t i = 0; i < grid->count_u; ++i) {
        for (uint32_t j = 0; j < grid->count_v; ++j) {
            size_t k = (size_t)i * grid->count_v + j;
            double u = (double)i / (grid->count_u - 1);
            double v = (double)j / (grid->closed ? grid->count_v : grid->count_v - 1);
            double thickness = parameters[SNI_PATCH_MUSCLE_THICKNESS] *
                               interpolate(&job->thickness, u, v, grid->closed);
            depths[k] = parameters[SNI_PATCH_SKIN_THICKNESS] + thickness;
            grid->thickness[k] = thickness * sni_patch_profile(i, grid->count_u, j, grid->count_v,
                                                               grid->closed); // (3.4)
            grid->bulge[k] =
                parameters[SNI_PATCH_BULGE] * interpolate(&job->bulge, u, v, grid->closed);
            grid->contraction[k] = interpolate(&job->contraction, u, v, grid->closed);
            grid->normals[k] = sni_patch_slerp(normals[j], normals[grid->count_v + j], u);
            sn_vec3 p = sn_vec3_lerp(points[j], points[grid->count_v + j], u);
            grid->points[k] = sn_vec3_add_scaled(p, -depths[k], grid->normals[k]);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Refinement

typedef struct probe {
    const sni_muscle_job *job;
    sn_vec3 point, normal;
    double depth;
} probe;

static bool faces_along(const probe *p, uint32_t triangle) {
    const uint32_t *v = p->job->triangles->vertices + 3 * (size_t)triangle;
    sn_vec3 corners[3];
    for (int i = 0; i < 3; ++i) {
        corners[i] = sn_vec3_load(p->job->mesh->positions + 3 * (size_t)v[i]);
    }
    sn_vec3 face =
        sn_vec3_cross(sn_vec3_sub(corners[1], corners[0]), sn_vec3_sub(corners[2], corners[0]));
    return sn_vec3_dot(face, p->normal) > 0;
}

// The first place above the point where the normal leaves the body.
static bool find_exit_above(const probe *p, sn_hit *hit) {
    double near = 0;
    for (int tries = 0; tries < 16; ++tries) {
        sn_accel_cast(p->job->accel, p->point, p->normal, near, INFINITY, hit);
        if (hit->triangle == SN_NONE || faces_along(p, hit->triangle)) {
            return hit->triangle != SN_NONE;
        }
        near = hit->distance + 1e-6 * p->depth;
    }
    return false;
}

// The skin above a grid point. Within the body it is the first hit, whichever way it faces: where
// two lips lie on each other the hit may be told to belong to the wrong one.
static bool find_skin(const probe *p, sn_hit *hit) {
    sn_hit below;
    sn_accel_cast(p->job->accel, p->point, p->normal, 0, INFINITY, hit);
    if (hit->triangle != SN_NONE && faces_along(p, hit->triangle)) {
        return true;
    }
    sn_accel_cast(p->job->accel, p->point, sn_vec3_scale(p->normal, -1), 0, INFINITY, &below);
    bool outside = below.triangle != SN_NONE && faces_along(p, below.triangle);
    bool inside = below.triangle != SN_NONE && !outside;
    if (inside && hit->triangle != SN_NONE) {
        return true;
    }
    sn_hit exit;
    bool above = find_exit_above(p, &exit);
    if (outside && (!above || below.distance + p->depth < fabs(exit.distance - p->depth))) {
        *hit = below;
    } else if (above) {
        *hit = exit;
    }
    return hit->triangle != SN_NONE;
}

// How far the body extends below the skin along the normal; infinity for an open sheet.
static double local_thickness(const probe *p, const sn_hit *hit) {
    sn_hit bottom;
    sn_accel_cast(p->job->accel, hit->point, sn_vec3_scale(p->normal, -1), 1e-4 * p->depth,
                  INFINITY, &bottom);
    return bottom.triangle != SN_NONE ? bottom.distance : INFINITY;
}

static void add_trace(const sni_muscle_job *job, uint32_t triangle, sn_vec3 point,
                      sni_patch_grid *grid) {
    const uint32_t *v = job->triangles->vertices + 3 * (size_t)triangle;
    grid->traces[grid->trace_count++] =
        (sni_muscle_trace){.vertices = {v[0], v[1], v[2]}, .point = point};
}

static void add_curve_traces(const sni_muscle_job *job, sni_patch_grid *grid) {
    for (uint32_t c = 0; c < job->curve_count; ++c) {
        for (uint32_t i = 0; i < job->curves[c].count; ++i) {
            const sni_skin_place *place = &job->curves[c].places[i];
            add_trace(job, place->triangle, sni_skin_place_point(job->mesh, job->triangles, place),
                      grid);
        }
    }
}

// Half the longest diagonal of the grid's cells: how far places within a cell are from its corners.
static double cell_radius(const sni_patch_grid *grid) {
    double largest = 0;
    for (uint32_t i = 0; i + 1 < grid->count_u; ++i) {
        for (uint32_t j = 0; j < grid->count_v - !grid->closed; ++j) {
            const sn_vec3 *a = grid->points + (size_t)i * grid->count_v;
            const sn_vec3 *b = a + grid->count_v;
            uint32_t next = (j + 1) % grid->count_v;
            largest = fmax(largest, sn_vec3_distance(a[j], b[next]));
            largest = fmax(largest, sn_vec3_distance(a[next], b[j]));
        }
    }
    return largest / 2;
}

// How far the grid points without a trace are from those with one, at most, looking along rows and
// columns; the whole grid's size where there is none.
static double largest_gap(const sni_patch_grid *grid, const bool *traced) {
    double largest = 0;
    for (size_t k = 0; k < sni_patch_count(grid); ++k) {
        size_t row = k / grid->count_v * grid->count_v, column = k % grid->count_v;
        double nearest = INFINITY, furthest = 0;
        for (uint32_t n = 0; !traced[k] && n < grid->count_u + grid->count_v; ++n) {
            size_t other =
                n < grid->count_v ? row + n : (size_t)(n - grid->count_v) * grid->count_v + column;
            double distance = sn_vec3_distance(grid->points[k], grid->points[other]);
            nearest = traced[other] ? fmin(nearest, distance) : nearest;
            furthest = fmax(furthest, distance);
        }
        largest = fmax(largest, traced[k] ? 0 : fmin(nearest, furthest));
    }
    return largest;
}

// What refinement met on its way.
typedef struct findings {
    bool *traced; // for each point
    size_t through;
    double thickest, deepest;
} findings;

static void refine_point(const sni_muscle_job *job, sni_patch_grid *grid, size_t k, double depth,
                         findings *f) {
    probe p = {job, grid->points[k], grid->normals[k], depth};
    sn_hit hit;
    f->traced[k] = false;
    if (!find_skin(&p, &hit)) {
        ++grid->without_hit;
        return;
    }
    grid->points[k] = sn_vec3_add_scaled(hit.point, -depth, p.normal);
    f->traced[k] = faces_along(&p, hit.triangle);
    if (f->traced[k]) {
        add_trace(job, hit.triangle, hit.point, grid);
    }
    double thickness = local_thickness(&p, &hit);
    grid->too_deep += depth > thickness / 2;
    f->through += depth >= thickness;
    f->thickest = fmax(f->thickest, thickness);
    f->deepest = fmax(f->deepest, depth);
}

static sn_status refine(const sni_muscle_job *job, sni_patch_grid *grid, const double *depths,
                        sn_error *error) {
    size_t count = sni_patch_count(grid);
    findings f = {.traced = sni_alloc(job->context, count, sizeof *f.traced)};
    if (f.traced == NULL) {
        return sni_fail_memory(error);
    }
    add_curve_traces(job, grid);
    for (size_t k = 0; k < count; ++k) {
        refine_point(job, grid, k, depths[k], &f);
    }
    grid->trace_spacing = cell_radius(grid) + largest_gap(grid, f.traced);
    sni_free(job->context, f.traced);
    if (grid->without_hit == count) {
        return sni_fail(error, SN_INVALID, "%s: there is no skin between its curves", name_of(job));
    }
    if (f.through == count - grid->without_hit) {
        return sni_fail(error, SN_INVALID,
                        "%s: its depth of %g (skin_thickness + muscle_thickness) is greater than "
                        "the body is thick, %g at most",
                        name_of(job), f.deepest, f.thickest);
    }
    return SN_OK;
}

static void report(const sni_muscle_job *job, const sni_patch_grid *grid) {
    if (grid->without_hit > 0) {
        sni_log(job->context, SN_LOG_WARNING, "muscle",
                "%s: %u of %zu grid points have no skin above them", name_of(job),
                grid->without_hit, sni_patch_count(grid));
    }
    if (grid->too_deep > 0) {
        sni_log(job->context, SN_LOG_WARNING, "muscle",
                "%s: %u of %zu grid points are deeper than half the body's thickness", name_of(job),
                grid->too_deep, sni_patch_count(grid));
    }
}

// The centre of a ring's contraction (given, or the centroid), and the lengths of a column.
static void finish(const sni_muscle_job *job, sni_patch_grid *grid) {
    size_t count = sni_patch_count(grid);
    grid->center = sn_vec3_make(0, 0, 0);
    for (size_t k = 0; k < count; ++k) {
        grid->center = sn_vec3_add_scaled(grid->center, 1.0 / (double)count, grid->points[k]);
    }
    grid->center = job->center != NULL ? *job->center : grid->center;
    for (uint32_t i = 0; i < grid->count_u; ++i) {
        size_t first = (size_t)i * grid->count_v;
        sni_patch_lengths(grid->points + first, grid->count_v, grid->lengths + first);
    }
}

static sn_status check_numbers(const sni_muscle_job *job, sn_error *error) {
    const double *parameters = job->parameters;
    for (int i = SNI_PATCH_DEGREE; i <= SNI_PATCH_PATCHES_V; ++i) {
        if (parameters[i] != floor(parameters[i])) {
            return sni_fail(error, SN_INVALID, "%s: %s is %g, but must be a whole number",
                            name_of(job), sni_muscle_patch.parameters[i].name, parameters[i]);
        }
    }
    if (job->curve_count != 2) {
        return sni_fail(error, SN_INVALID, "%s: %u curve%s, but it takes two", name_of(job),
                        job->curve_count, job->curve_count == 1 ? "" : "s");
    }
    if (!(parameters[SNI_PATCH_SKIN_THICKNESS] + parameters[SNI_PATCH_MUSCLE_THICKNESS] > 0)) {
        return sni_fail(error, SN_INVALID, "%s: skin_thickness and muscle_thickness are both 0",
                        name_of(job));
    }
    double around = parameters[SNI_PATCH_DEGREE] + parameters[SNI_PATCH_PATCHES_V];
    if (parameters[SNI_PATCH_CURVES] == SNI_PATCH_CLOSED && around < 3) {
        return sni_fail(error, SN_INVALID,
                        "%s: a ring of %g points around (degree + patches_v), but it needs 3",
                        name_of(job), around);
    }
    return SN_OK;
}

static sn_status allocate(const sni_muscle_job *job, sni_patch_grid *grid, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = job->context;
    size_t drawn = (size_t)job->curves[0].count + job->curves[1].count;
    size_t count = sni_patch_count(grid);
    SNI_NEW(context, grid->points, count);
    SNI_NEW(context, grid->normals, count);
    SNI_NEW(context, grid->thickness, count);
    SNI_NEW(context, grid->bulge, count);
    SNI_NEW(context, grid->contraction, count);
    SNI_NEW(context, grid->lengths, count);
    SNI_NEW(context, grid->samples, 2 * (size_t)grid->count_v);
    SNI_NEW(context, grid->traces, count + drawn);
cleanup:
    return status;
}

sn_status sni_patch_generate(const sni_muscle_job *job, sni_patch_grid *grid, sn_error *error) {
    sn_status status = SN_OK;
    const double *parameters = job->parameters;
    curve curves[2] = {{0}};
    sn_vec3 *points = NULL, *normals = NULL;
    double *depths = NULL;
    *grid = (sni_patch_grid){.closed = parameters[SNI_PATCH_CURVES] == SNI_PATCH_CLOSED};
    SN_TRY(check_numbers(job, error));
    // Points = degree + patches (3.1).
    grid->count_u = (uint32_t)(parameters[SNI_PATCH_DEGREE] + parameters[SNI_PATCH_PATCHES_U]);
    grid->count_v = (uint32_t)(parameters[SNI_PATCH_DEGREE] + parameters[SNI_PATCH_PATCHES_V]);
    SN_TRY(allocate(job, grid, error));
    SNI_NEW(job->context, points, 2 * (size_t)grid->count_v);
    SNI_NEW(job->context, normals, 2 * (size_t)grid->count_v);
    SNI_NEW(job->context, depths, sni_patch_count(grid));
    for (uint32_t k = 0; k < 2; ++k) {
        SN_TRY(make_curve(job, k, grid->closed, &curves[k], error));
    }
    if (grid->closed) {
        align_ring(&curves[0], &curves[1]);
    }
    SN_TRY(check_curves(job, curves, grid->closed, error));
    SN_TRY(make_columns(job, curves, grid, points, normals, error));
    fill_grid(job, grid, points, normals, depths);
    SN_TRY(refine(job, grid, depths, error));
    finish(job, grid);
    report(job, grid);
cleanup:
    sni_free(job->context, points);
    sni_free(job->context, normals);
    sni_free(job->context, depths);
    free_curve(job->context, &curves[0]);
    free_curve(job->context, &curves[1]);
    if (status != SN_OK) {
        sni_patch_grid_deinit(job->context, grid);
    }
    return status;
}

void sni_patch_grid_deinit(sn_context *context, sni_patch_grid *grid) {
    sni_free(context, grid->points);
    sni_free(context, grid->normals);
    sni_free(context, grid->thickness);
    sni_free(context, grid->bulge);
    sni_free(context, grid->contraction);
    sni_free(context, grid->lengths);
    sni_free(context, grid->samples);
    sni_free(context, grid->traces);
    *grid = (sni_patch_grid){0};
}
