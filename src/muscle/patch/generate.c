// SPDX-License-Identifier: Apache-2.0
//
// The making of a muscle from two curves on the skin (3.1).
//
//     curves       sampled to degree + patches points each (3.1), at the Greville abscissae of the
//                  surface, with normals of the skin, or of the quads between the curves (3.1.2)
//     across       points interpolated linearly, normals along the arc between them
//     refinement   every point moved along its normal n to the asked depth below the first skin hit
//                  (refine.c)
//
// The initial points p - n (tau_s + tau_m) of (3.2) only serve to find the skin above them. A grid
// point that starts outside the body (the chord between the curves passes above a hollow, or
// below a thin part) takes the skin that lies nearest to where the chord expects it.
#include "muscle/patch/curves.h"

#include <math.h>

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

double sni_patch_profile(double u, double v, bool closed) {
    double across = 2 * u - 1, along = 2 * v - 1;
    return (1 - across * across) * (closed ? 1 : 1 - along * along); // (3.3)
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
static sn_status make_columns(const sni_muscle_job *job, const sni_patch_curve curves[2],
                              sni_patch_grid *grid, sn_vec3 *points, sn_vec3 *normals,
                              sn_error *error) {
    uint32_t count = grid->count_v;
    for (uint32_t k = 0; k < 2 * count; ++k) {
        const sni_patch_curve *c = &curves[k / count];
        sni_patch_sample s = sni_patch_curve_sample(c, grid->closed, grid->places_v[k % count]);
        grid->samples[k] = s;
        points[k] = sni_patch_curve_point(c, s);
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
    static const sni_vary_input even = {0};
    const sni_vary_input *vary = job->inputs[SNI_PATCH_VARY];
    const double *parameters = job->parameters;
    vary = vary != NULL ? vary : &even;
    for (uint32_t i = 0; i < grid->count_u; ++i) {
        for (uint32_t j = 0; j < grid->count_v; ++j) {
            size_t k = (size_t)i * grid->count_v + j;
            double u = grid->places_u[i], v = grid->places_v[j];
            double thickness = parameters[SNI_PATCH_MUSCLE_THICKNESS] *
                               interpolate(&vary->thickness, u, v, grid->closed);
            grid->thickness[k] = thickness;
            grid->bulge_factors[k] = interpolate(&vary->bulge, u, v, grid->closed);
            grid->bulge[k] = parameters[SNI_PATCH_BULGE] * grid->bulge_factors[k];
            grid->contraction[k] = interpolate(&vary->contraction, u, v, grid->closed);
            grid->normals[k] = sni_patch_slerp(normals[j], normals[grid->count_v + j], u);
            sn_vec3 p = sn_vec3_lerp(points[j], points[grid->count_v + j], u);
            if (sni_patch_inner(job) == NULL ||
                !sni_patch_inner_depth(job, p, grid->normals[k], &depths[k])) {
                depths[k] = parameters[SNI_PATCH_SKIN_THICKNESS] + thickness;
            }
            grid->points[k] = sn_vec3_add_scaled(p, -depths[k], grid->normals[k]);
        }
    }
}

static double cell_side(sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_vec3 d, sn_vec3 normal) {
    return sn_vec3_dot(sn_vec3_cross(sn_vec3_sub(c, a), sn_vec3_sub(b, d)), normal);
}

// Counts the cells that are turned over: normals that come closer to each other have crossed, as
// the skin is curved more strongly than the muscle is deep. `points` are those under the curves.
static uint32_t count_folded(const sni_patch_grid *grid, const sn_vec3 *points) {
    const uint32_t count = grid->count_v;
    double side = 0;
    uint32_t folded = 0;
    for (uint32_t j = 0; j + 1 < count; ++j) {
        const sn_vec3 *other = points + count;
        sn_vec3 normal =
            sn_vec3_add(grid->normals[j], grid->normals[sni_patch_count(grid) - count + j]);
        side += cell_side(points[j], points[j + 1], other[j + 1], other[j], normal);
    }
    for (uint32_t i = 0; i + 1 < grid->count_u; ++i) {
        for (uint32_t j = 0; j + 1 < count; ++j) {
            size_t k = (size_t)i * count + j;
            const sn_vec3 *p = grid->points + k, *other = p + count;
            sn_vec3 normal = sn_vec3_add(grid->normals[k], grid->normals[k + count]);
            folded += side * cell_side(p[0], p[1], other[1], other[0], normal) < 0;
        }
    }
    return folded;
}

// Thickness (3.4). On an inner surface it ends where the skin's own thickness begins.
static void apply_profile(const sni_muscle_job *job, sni_patch_grid *grid, const double *depths) {
    double skin = job->parameters[SNI_PATCH_SKIN_THICKNESS];
    for (uint32_t i = 0; i < grid->count_u; ++i) {
        for (uint32_t j = 0; j < grid->count_v; ++j) {
            size_t k = (size_t)i * grid->count_v + j;
            double room = sni_patch_inner(job) != NULL ? fmax(depths[k] - skin, 0) : INFINITY;
            grid->thickness[k] =
                fmin(grid->thickness[k], room) *
                sni_patch_profile(grid->places_u[i], grid->places_v[j], grid->closed);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Rings

static sn_vec3 mean_of(const sn_vec3 *points, size_t count) {
    sn_vec3 mean = {0, 0, 0};
    for (size_t k = 0; k < count; ++k) {
        mean = sn_vec3_add_scaled(mean, 1.0 / (double)count, points[k]);
    }
    return mean;
}

static double mean_distance(const sn_vec3 *points, uint32_t count, sn_vec3 from) {
    double sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        sum += sn_vec3_distance(points[k], from);
    }
    return sum / count;
}

// The mean length of the lines across.
static double mean_width(const sni_patch_grid *grid) {
    double sum = 0;
    for (size_t k = grid->count_v; k < sni_patch_count(grid); ++k) {
        sum += sn_vec3_distance(grid->points[k], grid->points[k - grid->count_v]);
    }
    return sum / grid->count_v;
}

static void measure_spokes(sni_patch_grid *grid, sn_vec3 *spoke) {
    uint32_t count = grid->count_u + 1;
    for (uint32_t j = 0; j < grid->count_v; ++j) {
        spoke[0] = grid->center;
        for (uint32_t n = 0; n < grid->count_u; ++n) {
            uint32_t i = grid->inner_last ? grid->count_u - 1 - n : n;
            spoke[n + 1] = grid->points[(size_t)i * grid->count_v + j];
        }
        sni_patch_lengths(spoke, count, grid->spoke_lengths + (size_t)j * count);
    }
}

// The centre of a ring: given, or the middle of its inner curve, brought to its depth below the
// skin where there is some; and whether the ring lies around it like a disc, so that the way to the
// centre leads through its points. The width of a belt does not lead there. The muscle may say
// otherwise.
static sn_status find_center(const sni_muscle_job *job, sni_patch_grid *grid, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = grid->count_v;
    const sn_vec3 *first = grid->points, *last = grid->points + (size_t)(grid->count_u - 1) * count;
    sn_vec3 *spoke = NULL;
    grid->center = sni_patch_skin(job)->center != NULL ? *sni_patch_skin(job)->center
                                                       : mean_of(first, sni_patch_count(grid));
    double radii[2] = {mean_distance(first, count, grid->center),
                       mean_distance(last, count, grid->center)};
    grid->inner_last = radii[1] < radii[0];
    int way = (int)job->parameters[SNI_PATCH_WAY];
    grid->spokes = way == SNI_PATCH_WAY_AUTO ? fabs(radii[1] - radii[0]) > mean_width(grid) / 2
                                             : way == SNI_PATCH_WAY_SKIN;
    grid->center_normal =
        sn_vec3_normalize_or(mean_of(grid->normals, sni_patch_count(grid)), grid->normals[0]);
    if (!grid->spokes) {
        return SN_OK;
    }
    if (sni_patch_skin(job)->center == NULL) {
        const sn_vec3 *inner = grid->inner_last ? last : first;
        double depth =
            job->parameters[SNI_PATCH_SKIN_THICKNESS] + job->parameters[SNI_PATCH_MUSCLE_THICKNESS];
        grid->center = mean_of(inner, count);
        double radius = mean_distance(inner, count, grid->center);
        sni_patch_lift(job, grid->center_normal, depth, radius / 2, &grid->center);
    }
    SNI_NEW(job->context, spoke, (size_t)grid->count_u + 1);
    measure_spokes(grid, spoke);
cleanup:
    sni_free(job->context, spoke);
    return status;
}

static sn_status finish(const sni_muscle_job *job, sni_patch_grid *grid, const double *depths,
                        sn_error *error) {
    apply_profile(job, grid, depths);
    for (uint32_t i = 0; i < grid->count_u; ++i) {
        size_t first = (size_t)i * grid->count_v;
        sni_patch_lengths(grid->points + first, grid->count_v, grid->lengths + first);
    }
    return grid->closed ? find_center(job, grid, error) : SN_OK;
}

static sn_status check_numbers(const sni_muscle_job *job, sn_error *error) {
    const double *parameters = job->parameters;
    if (sni_patch_skin(job)->curve_count != 2) {
        return sni_fail(error, SN_INVALID, "%s: %u curve%s, but it takes two", sni_patch_name(job),
                        sni_patch_skin(job)->curve_count,
                        sni_patch_skin(job)->curve_count == 1 ? "" : "s");
    }
    // One that is not given is not a number yet, and will be greater than 0.
    if (parameters[SNI_PATCH_SKIN_THICKNESS] + parameters[SNI_PATCH_MUSCLE_THICKNESS] <= 0) {
        return sni_fail(error, SN_INVALID, "%s: %s and %s are both 0", sni_patch_name(job),
                        sni_patch_key(SNI_PATCH_SKIN_THICKNESS),
                        sni_patch_key(SNI_PATCH_MUSCLE_THICKNESS));
    }
    double around = parameters[SNI_PATCH_DEGREE] + parameters[SNI_PATCH_PATCHES_V];
    if (parameters[SNI_PATCH_CURVES] == SNI_PATCH_CLOSED && around < 3) {
        return sni_fail(error, SN_INVALID,
                        "%s: a ring of %g points around (%s + %s), but it needs 3",
                        sni_patch_name(job), around, sni_patch_key(SNI_PATCH_DEGREE),
                        sni_patch_key(SNI_PATCH_PATCHES_V));
    }
    return SN_OK;
}

static sn_status allocate(const sni_muscle_job *job, sni_patch_grid *grid, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = job->context;
    size_t drawn =
        (size_t)sni_patch_skin(job)->curves[0].count + sni_patch_skin(job)->curves[1].count;
    size_t count = sni_patch_count(grid);
    SNI_NEW(context, grid->places_u, grid->count_u);
    SNI_NEW(context, grid->places_v, grid->count_v);
    SNI_NEW(context, grid->points, count);
    SNI_NEW(context, grid->normals, count);
    SNI_NEW(context, grid->thickness, count);
    SNI_NEW(context, grid->bulge, count);
    SNI_NEW(context, grid->bulge_factors, count);
    SNI_NEW(context, grid->contraction, count);
    SNI_NEW(context, grid->lengths, count);
    if (grid->closed) {
        SNI_NEW(context, grid->spoke_lengths, ((size_t)grid->count_u + 1) * grid->count_v);
    }
    SNI_NEW(context, grid->samples, 2 * (size_t)grid->count_v);
    SNI_NEW(context, grid->traces, count + drawn);
cleanup:
    return status;
}

// Lengths that are not given follow from the width.
static void take_sizes(const sni_patch_curve curves[2], const double *given, double *values) {
    double width =
        sni_patch_width(curves[0].count, curves[0].points, curves[1].count, curves[1].points);
    for (uint32_t i = 0; i < SNI_PATCH_PARAMETER_COUNT; ++i) {
        values[i] = isnan(given[i]) ? sni_patch_part_of_width(i) * width : given[i];
    }
}

static sn_status make_grid(const sni_muscle_job *job, const sni_patch_curve curves[2],
                           sni_patch_grid *grid, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 *points = NULL, *normals = NULL;
    double *depths = NULL;
    SN_TRY(allocate(job, grid, error));
    uint32_t degree = (uint32_t)job->parameters[SNI_PATCH_DEGREE];
    sni_patch_places(degree, grid->count_u, false, grid->places_u);
    sni_patch_places(degree, grid->count_v, grid->closed, grid->places_v);
    SNI_NEW(job->context, points, 2 * (size_t)grid->count_v);
    SNI_NEW(job->context, normals, 2 * (size_t)grid->count_v);
    SNI_NEW(job->context, depths, sni_patch_count(grid));
    SN_TRY(make_columns(job, curves, grid, points, normals, error));
    fill_grid(job, grid, points, normals, depths);
    SN_TRY(sni_patch_refine(job, grid, depths, error));
    grid->folded = count_folded(grid, points);
    SN_TRY(finish(job, grid, depths, error));
cleanup:
    sni_free(job->context, points);
    sni_free(job->context, normals);
    sni_free(job->context, depths);
    return status;
}

sn_status sni_patch_generate(const sni_muscle_job *job, sni_patch_grid *grid, sn_error *error) {
    sn_status status = SN_OK;
    const double *parameters = job->parameters;
    double values[SNI_PATCH_PARAMETER_COUNT];
    sni_muscle_job sized = *job;
    sni_patch_curve curves[2] = {{0}};
    *grid = (sni_patch_grid){.closed = parameters[SNI_PATCH_CURVES] == SNI_PATCH_CLOSED};
    SN_TRY(check_numbers(job, error));
    // Points = degree + patches (3.1).
    grid->count_u = (uint32_t)(parameters[SNI_PATCH_DEGREE] + parameters[SNI_PATCH_PATCHES_U]);
    grid->count_v = (uint32_t)(parameters[SNI_PATCH_DEGREE] + parameters[SNI_PATCH_PATCHES_V]);
    SN_TRY(sni_patch_curves_make(job, grid->closed, curves, error));
    take_sizes(curves, parameters, values);
    sized.parameters = values;
    SN_TRY(make_grid(&sized, curves, grid, error));
cleanup:
    sni_patch_curves_free(job->context, curves);
    if (status != SN_OK) {
        sni_patch_grid_deinit(job->context, grid);
    }
    return status;
}

void sni_patch_grid_deinit(sn_context *context, sni_patch_grid *grid) {
    sni_free(context, grid->places_u);
    sni_free(context, grid->places_v);
    sni_free(context, grid->points);
    sni_free(context, grid->normals);
    sni_free(context, grid->thickness);
    sni_free(context, grid->bulge);
    sni_free(context, grid->bulge_factors);
    sni_free(context, grid->contraction);
    sni_free(context, grid->lengths);
    sni_free(context, grid->spoke_lengths);
    sni_free(context, grid->samples);
    sni_free(context, grid->traces);
    *grid = (sni_patch_grid){0};
}
