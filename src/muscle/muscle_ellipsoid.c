// SPDX-License-Identifier: Apache-2.0
//
// The `ellipsoid` muscle: an ellipsoid whose poles are one origin and one insertion on bones
// (docs/cylinder.md), as the muscles of Wilhelms, Animals with Anatomy (1997), which Wilhelms and
// Van Gelder, Anatomically Based Modeling (1997), use beside cylinders.
//
// Its radii across are scaled by sqrt(rest length / present length), so that 4/3 pi a b c stays;
// the polyhedron is a linear image of that at rest, and keeps its volume exactly.
#include "muscle/carried.h"
#include "muscle/rings.h"

#include <math.h>
#include <string.h>

enum {
    ELLIPSOID_SLICES,
    ELLIPSOID_POINTS,
    ELLIPSOID_WIDTH,
    ELLIPSOID_THICKNESS,
    ELLIPSOID_SIZES,
    ELLIPSOID_PARAMETER_COUNT,
};

// The standard shape: width as a part of the length, thickness of the width.
static const double width_of_length = 0.25;
static const double thickness_of_width = 0.8;

static const sn_parameter parameters[ELLIPSOID_PARAMETER_COUNT] = {
    [ELLIPSOID_SLICES] = {.name = "slices",
                          .title = "Section count",
                          .help = "Number of sections between the two poles",
                          .unit = "",
                          .low = 1,
                          .standard = 8,
                          .high = 1024,
                          .whole = true,
                          .usual = 32},
    [ELLIPSOID_POINTS] = {.name = "points",
                          .title = "Points around",
                          .help = "Number of points around each section",
                          .unit = "",
                          .low = 3,
                          .standard = 8,
                          .high = 1024,
                          .whole = true,
                          .usual = 32},
    [ELLIPSOID_WIDTH] = {.name = "width",
                         .help = "Width in the middle; with 0 it is a quarter of the length",
                         .unit = "m",
                         .low = 0,
                         .standard = 0,
                         .high = 1000,
                         .usual = 0.3},
    [ELLIPSOID_THICKNESS] =
        {.name = "thickness",
         .help = "Thickness in the middle, towards the bones; with 0 it is 0.8 of the width",
         .unit = "m",
         .low = 0,
         .standard = 0,
         .high = 1000,
         .usual = 0.3},
    [ELLIPSOID_SIZES] = {.name = "sizes",
                         .help = "Whether width and thickness are given in metres, or as fractions "
                                 "of the muscle's length at rest",
                         .low = 0,
                         .standard = SNI_SIZES_METRES,
                         .high = 1,
                         .choices = sni_size_choices},
};

typedef struct ellipsoid {
    sni_rings rings;
    char *name;
    uint32_t segment_count;
    sni_carried_place places[2]; // origin, insertion
    double width, thickness;     // whole, at rest
    double rest_length, rest_volume;
    double *points; // control points at rest
    double *knots;  // of the patch of its rings
} ellipsoid;

static void ellipsoid_unbind(sn_context *context, void *bound) {
    ellipsoid *e = bound;
    if (e != NULL) {
        sni_free(context, e->name);
        sni_free(context, e->points);
        sni_free(context, e->knots);
        sni_free(context, e);
    }
}

static void store(const sni_rigid_frame *home, sn_vec3 p, double *numbers) {
    sn_vec3 world = sni_rigid_frame_point(home, p);
    memcpy(numbers, (double[3]){world.x, world.y, world.z}, 3 * sizeof *numbers);
}

// Control points in the world, with the sections that the length asks for or, relaxed, with those
// at rest. -y is outwards, along the mean of the bones' normals.
static void shape(const ellipsoid *e, const sn_mat4 *worlds, bool relaxed, double *points) {
    sni_rigid_frame home = sni_rigid_frame_of(&worlds[e->places[0].segment]);
    sn_vec3 ends[2], outward = {0, 0, 0};
    for (int k = 0; k < 2; ++k) {
        const sn_mat4 *world = &worlds[e->places[k].segment];
        ends[k] = sni_carried_point(&home, world, e->places[k].point);
        outward = sn_vec3_add(outward, sni_carried_normal(&home, world, e->places[k].normal));
    }
    sn_vec3 way = sn_vec3_sub(ends[1], ends[0]), middle = sn_vec3_lerp(ends[0], ends[1], 0.5);
    sn_vec3 z = sn_vec3_normalize_or(way, sn_vec3_make(0, 0, 1));
    sn_vec3 across = sni_across(outward, z);
    bool has_side = sn_vec3_length(across) > 1e-6; // of a sum of two unit vectors
    sn_vec3 y = sn_vec3_scale(has_side ? across : sn_vec3_perpendicular(z), -1);
    y = sn_vec3_normalize_or(y, sn_vec3_perpendicular(z));
    sn_vec3 x = sn_vec3_cross(y, z);
    double scale = relaxed ? 1 : sni_section_scale(e->rest_length, sn_vec3_length(way));
    for (uint32_t i = 0; i < e->rings.slice_count; ++i) {
        double latitude = SN_PI * (i + 1) / (e->rings.slice_count + 1);
        sn_vec3 center = sn_vec3_add_scaled(middle, -cos(latitude) / 2, way);
        double size = scale * sin(latitude) / 2;
        for (uint32_t j = 0; j < e->rings.ring_count; ++j) {
            double angle = 2 * SN_PI * j / e->rings.ring_count;
            sn_vec3 p = sn_vec3_add_scaled(center, size * e->width * sin(angle), x);
            p = sn_vec3_add_scaled(p, -size * e->thickness * cos(angle), y);
            store(&home, p, points);
            points += 3;
        }
    }
    store(&home, ends[0], points);
    store(&home, ends[1], points + 3);
}

static sn_status design(const sni_muscle_job *job, ellipsoid *e, sn_error *error) {
    const sni_muscle_attachment *origin = sni_job_body(job)->origins,
                                *insertion = sni_job_body(job)->insertions;
    sn_status status = SN_OK;
    double area;
    e->rings = (sni_rings){.slice_count = (uint32_t)job->parameters[ELLIPSOID_SLICES],
                           .ring_count = (uint32_t)job->parameters[ELLIPSOID_POINTS],
                           .node_count = 2};
    e->segment_count = job->segment_count;
    SN_TRY(sni_carry_attachment(job, origin, &e->places[0], error));
    SN_TRY(sni_carry_attachment(job, insertion, &e->places[1], error));
    double length = sn_vec3_distance(origin->point, insertion->point);
    if (!(length > 0)) {
        SN_TRY(sni_fail(error, SN_INVALID,
                        "%s: it has no length: its origin and insertion are at the same place",
                        e->name));
    }
    double unit = job->parameters[ELLIPSOID_SIZES] == SNI_SIZES_LENGTH ? length : 1;
    double width = unit * job->parameters[ELLIPSOID_WIDTH];
    double thickness = unit * job->parameters[ELLIPSOID_THICKNESS];
    e->width = width > 0 ? width : width_of_length * length;
    e->thickness = thickness > 0 ? thickness : thickness_of_width * e->width;
    SNI_NEW(job->context, e->points, 3 * (size_t)sni_rings_point_count(&e->rings));
    e->rest_length = length;
    shape(e, job->rest_worlds, false, e->points);
    SN_TRY(sni_rings_knots_create(&e->rings, job->context, &e->knots, error));
    sni_rings_measure(&e->rings, e->points, &e->rest_volume, &area);
cleanup:
    return status;
}

static sn_status ellipsoid_bind(const sni_muscle_job *job, void **bound, sn_error *error) {
    sn_status status = SN_OK;
    ellipsoid *e = NULL;
    *bound = NULL;
    SN_TRY(sni_muscle_job_validate(&sni_muscle_ellipsoid, job, error));
    SNI_NEW_ZERO(job->context, e, 1);
    e->name = sni_string_copy(job->context, job->name != NULL ? job->name : "muscle");
    SN_TRY(e->name != NULL ? SN_OK : sni_fail_memory(error));
    SN_TRY(design(job, e, error));
    *bound = e;
    e = NULL;
cleanup:
    ellipsoid_unbind(job->context, e);
    return status;
}

static void ellipsoid_surface(const void *bound, sni_muscle_surface *surface) {
    const ellipsoid *e = bound;
    *surface = (sni_muscle_surface){.name = e->name,
                                    .slice_count = e->rings.slice_count,
                                    .ring_count = e->rings.ring_count,
                                    .point_count = sni_rings_point_count(&e->rings)};
    sni_rings_patch(&e->rings, e->points, e->knots, &surface->nurbs);
}

static sn_status ellipsoid_pose(const void *bound, const sni_muscle_pose_job *job,
                                sn_error *error) {
    const ellipsoid *e = bound;
    sn_status status = sni_carried_check_pose(e->name, e->segment_count, job, error);
    if (status != SN_OK) {
        return status;
    }
    shape(e, job->worlds, false, job->contracted);
    shape(e, job->worlds, true, job->relaxed);
    if (!sni_rings_finite(&e->rings, job->contracted) ||
        !sni_rings_finite(&e->rings, job->relaxed)) {
        return sni_fail(error, SN_INVALID, "%s: its points are not finite in this pose", e->name);
    }
    return SN_OK;
}

static sn_status ellipsoid_emit_surface(const void *bound, sn_context *context, uint32_t steps,
                                        sn_mesh **mesh, sn_error *error) {
    const ellipsoid *e = bound;
    (void)steps; // it is as fine as its slices
    return sni_rings_mesh(&e->rings, context, e->name, e->points, mesh, error);
}

static void ellipsoid_emit_points(const void *bound, uint32_t steps, const double *points,
                                  float *positions) {
    const ellipsoid *e = bound;
    (void)steps;
    sni_rings_positions(&e->rings, points, positions);
}

static void ellipsoid_measure(const void *bound, const double *points,
                              sni_muscle_measure *measure) {
    const ellipsoid *e = bound;
    const double *now = points != NULL ? points : e->points;
    *measure = (sni_muscle_measure){.length = sni_rings_length(&e->rings, now),
                                    .thickness = e->thickness,
                                    .rest_length = e->rest_length,
                                    .rest_volume = e->rest_volume};
    sni_rings_measure(&e->rings, now, &measure->volume, &measure->area);
}

static sn_status ellipsoid_length(const void *bound, const sni_muscle_pose_job *job, double *length,
                                  sn_error *error) {
    const ellipsoid *e = bound;
    sn_status status = sni_carried_check_pose(e->name, e->segment_count, job, error);
    if (status == SN_OK) {
        const sn_mat4 *first = &job->worlds[e->places[0].segment];
        const sn_mat4 *last = &job->worlds[e->places[1].segment];
        sni_rigid_frame home = sni_rigid_frame_of(first);
        *length = sn_vec3_distance(sni_carried_point(&home, first, e->places[0].point),
                                   sni_carried_point(&home, last, e->places[1].point));
    }
    return status;
}

static sn_status ellipsoid_pull(const void *bound, const sni_muscle_pose_job *job,
                                sni_muscle_lines *lines, sn_error *error) {
    const ellipsoid *e = bound;
    sn_status status = sni_carried_check_pose(e->name, e->segment_count, job, error);
    if (status == SN_OK && !sni_muscle_lines_init(job->arena, 1, 2, lines)) {
        status = sni_fail_memory(error);
    }
    if (status == SN_OK) {
        sni_muscle_line *line = &lines->lines[0];
        for (int k = 0; k < 2; ++k) {
            uint32_t segment = e->places[k].segment;
            line->pulls[k].segment = segment;
            line->pulls[k].at = sn_mat4_point(&job->worlds[segment], e->places[k].point);
        }
        sni_muscle_line_add(line, &line->pulls[0], &line->pulls[1]);
    }
    return status;
}

static size_t ellipsoid_bytes(const void *bound) {
    const ellipsoid *e = bound;
    return sizeof *e + 3 * (size_t)sni_rings_point_count(&e->rings) * sizeof *e->points +
           sni_rings_knot_count(&e->rings) * sizeof *e->knots;
}

const sni_muscle_ops sni_muscle_ellipsoid = {
    .name = "ellipsoid",
    .help = "An ellipsoid between one origin and one insertion on bones, which thickens as the "
            "muscle shortens",
    .parameters = SNI_PARAMETERS(parameters),
    .is_followed = true,
    .inputs = {{&sni_input_ends, true}},
    .bind = ellipsoid_bind,
    .unbind = ellipsoid_unbind,
    .surface = ellipsoid_surface,
    .pose = ellipsoid_pose,
    .emit_surface = ellipsoid_emit_surface,
    .emit_points = ellipsoid_emit_points,
    .measure = ellipsoid_measure,
    .bytes = ellipsoid_bytes,
    .length = ellipsoid_length,
    .pull = ellipsoid_pull,
};
