// SPDX-License-Identifier: Apache-2.0
//
// The `cylinder` muscle: elliptical slices between two origins and two insertions on bones, which
// keep their volume as the muscle's length changes (docs/cylinder.md), after Wilhelms and Van
// Gelder, Anatomically Based Modeling (1997), section 4.
#include "muscle/cylinder/cylinder.h"

#include "base/context.h"

static const char *const volume_choices[] = {"sections", "exact", NULL};
static const char *const order_choices[] = {"outward", "given", NULL};

static const sn_parameter parameters[SNI_CYLINDER_PARAMETER_COUNT] = {
    [SNI_CYLINDER_SLICES] =
        {.name = "slices",
         .title = "Section count",
         .help = "Number of sections from the origins to the insertions, both included",
         .unit = "",
         .low = 3,
         .standard = 8,
         .high = 1024,
         .whole = true,
         .usual = 32},
    [SNI_CYLINDER_POINTS] = {.name = "points",
                             .title = "Points around",
                             .help = "Number of points around each section",
                             .unit = "",
                             .low = 3,
                             .standard = 8,
                             .high = 1024,
                             .whole = true,
                             .usual = 32},
    [SNI_CYLINDER_WIDTH] =
        {.name = "width",
         .help = "Width of the belly; with 0 it comes from the widths of the ends and the length",
         .unit = "m",
         .low = 0,
         .standard = 0,
         .high = 1000,
         .usual = 0.3},
    [SNI_CYLINDER_THICKNESS] = {.name = "thickness",
                                .help = "Thickness of the belly; with 0 it is 0.6 of the width",
                                .unit = "m",
                                .low = 0,
                                .standard = 0,
                                .high = 1000,
                                .usual = 0.3},
    [SNI_CYLINDER_VOLUME] =
        {.name = "volume",
         .help = "Whether each section is scaled by the length of the muscle alone, or so that the "
                 "whole muscle keeps exactly the volume that it has at rest",
         .low = 0,
         .standard = 0,
         .high = 1,
         .choices = volume_choices},
    [SNI_CYLINDER_ORDER] =
        {.name = "order",
         .help = "Whether the two attachments of an end are put into the order in which the muscle "
                 "stands away from the bones, or stay in the order given",
         .low = 0,
         .standard = 0,
         .high = 1,
         .choices = order_choices},
    [SNI_CYLINDER_SIZES] = {.name = "sizes",
                            .help =
                                "Whether the width, the thickness and the moves of sections are "
                                "given in metres, or as fractions of the muscle's length at rest",
                            .low = 0,
                            .standard = SNI_SIZES_METRES,
                            .high = 1,
                            .choices = sni_size_choices},
    [SNI_CYLINDER_LIFT] = {.name = "lift",
                           .help = "How far inner sections are lifted away from the bones so that "
                                   "the muscle lies on them; with 0 it thickens to both sides",
                           .unit = "",
                           .low = 0,
                           .standard = 1,
                           .high = 1},
};

static void cylinder_unbind(sn_context *context, void *bound) {
    sni_cylinder_destroy(context, bound);
}

static sn_status cylinder_bind(const sni_muscle_job *job, void **bound, sn_error *error) {
    sni_cylinder *c = NULL;
    sn_status status = sni_cylinder_create(job, &c, error);
    *bound = c;
    return status;
}

static void cylinder_surface(const void *bound, sni_muscle_surface *surface) {
    const sni_cylinder *c = bound;
    *surface = (sni_muscle_surface){.name = c->name,
                                    .slice_count = c->rings.slice_count,
                                    .ring_count = c->rings.ring_count,
                                    .point_count = sni_rings_point_count(&c->rings)};
    sni_rings_patch(&c->rings, c->points, c->knots, &surface->nurbs);
}

static void report_volume(const sni_cylinder *c, const sni_muscle_pose_job *job) {
    double volume, area;
    if (job->news != NULL) {
        *job->news = true;
        return;
    }
    sni_rings_measure(&c->rings, job->contracted, &volume, &area);
    sni_log(job->context, SN_LOG_WARNING, "muscle",
            "%s: no scale of its sections keeps its volume: %.4g of %.4g m3, at %.3g of its rest "
            "length",
            c->name, volume, c->rest_volume,
            sni_rings_length(&c->rings, job->contracted) / c->rest_length);
}

static sn_status pose_points(const sni_cylinder *c, const sni_muscle_pose_job *job,
                             sn_error *error) {
    sni_cylinder_path path;
    sn_status status = sni_cylinder_place(c, job, sni_job_pivots(job), &path, error);
    if (status != SN_OK) {
        return status;
    }
    // Relaxed, its sections on the path of the pose are as large as at rest.
    sni_cylinder_write(c, &path, 1, job->contracted);
    sni_cylinder_write(c, &path, 1 / path.scale, job->relaxed);
    if (!sni_rings_finite(&c->rings, job->contracted) ||
        !sni_rings_finite(&c->rings, job->relaxed)) {
        return sni_fail(error, SN_INVALID, "%s: its points are not finite in this pose", c->name);
    }
    if (!path.kept) {
        report_volume(c, job);
    }
    return SN_OK;
}

static sn_status cylinder_pose(const void *bound, const sni_muscle_pose_job *job, sn_error *error) {
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    sn_status status = pose_points(bound, job, error);
    sni_arena_release(job->arena, mark);
    return status;
}

static sn_status cylinder_emit_surface(const void *bound, sn_context *context, uint32_t steps,
                                       sn_mesh **mesh, sn_error *error) {
    const sni_cylinder *c = bound;
    (void)steps; // it is as fine as its slices
    return sni_rings_mesh(&c->rings, context, c->name, c->points, mesh, error);
}

static void cylinder_emit_points(const void *bound, uint32_t steps, const double *points,
                                 float *positions) {
    const sni_cylinder *c = bound;
    (void)steps;
    sni_rings_positions(&c->rings, points, positions);
}

static void cylinder_measure(const void *bound, const double *points, sni_muscle_measure *measure) {
    const sni_cylinder *c = bound;
    const double *now = points != NULL ? points : c->points;
    *measure = (sni_muscle_measure){.length = sni_rings_length(&c->rings, now),
                                    .rest_length = c->rest_length,
                                    .rest_volume = c->rest_volume};
    sni_rings_measure(&c->rings, now, &measure->volume, &measure->area);
    for (uint32_t i = 0; i < c->rings.slice_count; ++i) {
        double thickness = c->slices[i].thickness;
        measure->thickness = thickness > measure->thickness ? thickness : measure->thickness;
    }
}

static sn_status cylinder_length(const void *bound, const sni_muscle_pose_job *job, double *length,
                                 sn_error *error) {
    return sni_cylinder_length(bound, job, sni_job_pivots(job), length, error);
}

static sn_status cylinder_pull(const void *bound, const sni_muscle_pose_job *job,
                               sni_muscle_lines *lines, sn_error *error) {
    return sni_muscle_lines_init(job->arena, 1, sni_cylinder_pull_count(bound), lines)
               ? sni_cylinder_pull(bound, job, sni_job_pivots(job), &lines->lines[0], error)
               : sni_fail_memory(error);
}

static size_t cylinder_bytes(const void *bound) {
    const sni_cylinder *c = bound;
    return sizeof *c + c->node_count * sizeof *c->nodes + c->wrap_count * sizeof *c->wraps +
           c->rings.slice_count * sizeof *c->slices +
           2 * (size_t)c->rings.ring_count * sizeof *c->circle +
           3 * (size_t)sni_rings_point_count(&c->rings) * sizeof *c->points +
           sni_rings_knot_count(&c->rings) * sizeof *c->knots;
}

const sni_muscle_ops sni_muscle_cylinder = {
    .name = "cylinder",
    .help = "Elliptical slices between two origins and two insertions on bones, which thicken as "
            "the muscle shortens",
    .parameters = SNI_PARAMETERS(parameters),
    .is_followed = true,
    .inputs = {{&sni_input_body, true}},
    .bind = cylinder_bind,
    .unbind = cylinder_unbind,
    .surface = cylinder_surface,
    .pose = cylinder_pose,
    .emit_surface = cylinder_emit_surface,
    .emit_points = cylinder_emit_points,
    .measure = cylinder_measure,
    .bytes = cylinder_bytes,
    .length = cylinder_length,
    .pull = cylinder_pull,
};
