// SPDX-License-Identifier: Apache-2.0
//
// Slices of a cylinder muscle from ellipses that are given in the world at rest.
//
// An ellipse is kept in the frame of its slice on the path at rest: where its centre is beside the
// path, and its two axes. At rest the slices are the given ones; in motion they go along with the
// path, whose frames turn with the bones. Their lift at rest is part of where they are; what the
// muscle swells beyond its rest lifts them, as it does others.
#include "muscle/cylinder/cylinder.h"

#include <math.h>

// The cosine of the angle between the axes of an ellipse may be this large: numbers in documents
// are rounded.
static const double perpendicular = 1e-3;

static sn_status check_section(const sni_muscle_job *job, uint32_t index, sn_error *error) {
    const sni_muscle_section *section = &sni_job_body(job)->sections[index];
    const sn_vec3 *c = &section->center, *w = &section->wide, *t = &section->thick;
    double wide = sn_vec3_length(*w), thick = sn_vec3_length(*t);
    if (!sn_vec3_is_finite(*c) || !isfinite(wide) || !isfinite(thick) || !(wide > 0) ||
        !(thick > 0)) {
        return sni_fail(error, SN_INVALID,
                        "%s: section %u has its center at (%g, %g, %g) and the half axes (%g, %g, "
                        "%g) and (%g, %g, %g), but axes must be longer than zero",
                        job->name, index, c->x, c->y, c->z, w->x, w->y, w->z, t->x, t->y, t->z);
    }
    double cosine = sn_vec3_dot(*w, *t) / (wide * thick);
    return fabs(cosine) <= perpendicular
               ? SN_OK
               : sni_fail(error, SN_INVALID,
                          "%s: the axes of section %u, (%g, %g, %g) and (%g, %g, %g), are not "
                          "perpendicular: %.4g degrees apart",
                          job->name, index, w->x, w->y, w->z, t->x, t->y, t->z,
                          acos(fmin(fmax(cosine, -1), 1)) * 180 / SN_PI);
}

static sn_status check_sections(const sni_muscle_job *job, uint32_t slice_count, sn_error *error) {
    const sni_muscle_body *body = sni_job_body(job);
    if (body->section_count != slice_count) {
        return sni_fail(error, SN_INVALID, "%s: it has %u slices, but %u sections", job->name,
                        slice_count, body->section_count);
    }
    if (body->shape_count > 0 || job->parameters[SNI_CYLINDER_WIDTH] > 0 ||
        job->parameters[SNI_CYLINDER_THICKNESS] > 0) {
        return sni_fail(error, SN_INVALID,
                        "%s: it has sections, which leave no use for width, thickness and shape",
                        job->name);
    }
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < slice_count && status == SN_OK; ++i) {
        status = check_section(job, i, error);
    }
    return status;
}

static sn_vec3 to_frame(const sni_slice_frame *frame, sn_vec3 v) {
    return sn_vec3_make(sn_vec3_dot(v, frame->x), sn_vec3_dot(v, frame->y),
                        sn_vec3_dot(v, frame->z));
}

// The way of the given centres at a slice.
static sn_vec3 way_at(const sni_muscle_body *body, uint32_t slice) {
    uint32_t last = body->section_count - 1;
    uint32_t before = slice > 0 ? slice - 1 : 0, after = slice < last ? slice + 1 : last;
    return sn_vec3_sub(body->sections[after].center, body->sections[before].center);
}

static void take_section(const sni_muscle_body *body, uint32_t index, const sni_cylinder_path *path,
                         sni_cylinder_slice *slice) {
    const sni_muscle_section *section = &body->sections[index];
    const sni_slice_frame *frame = &path->frames[index];
    sn_mat4 world = sn_mat4_identity();
    sn_vec3 wide = section->wide;
    // Rings turn counterclockwise about the way: x cross y along it, with y = -thick.
    if (sn_vec3_dot(sn_vec3_cross(section->thick, wide), way_at(body, index)) < 0) {
        wide = sn_vec3_scale(wide, -1);
    }
    sn_vec3 center = sni_carried_point(&path->home, &world, section->center);
    sn_vec3 x = sni_carried_direction(&path->home, &world, wide);
    sn_vec3 outward = sni_carried_direction(&path->home, &world, section->thick);
    *slice = (sni_cylinder_slice){.width = 2 * sn_vec3_length(wide),
                                  .thickness = 2 * sn_vec3_length(section->thick),
                                  .move = to_frame(frame, sn_vec3_sub(center, frame->origin)),
                                  .x = to_frame(frame, x),
                                  .outward = to_frame(frame, outward)};
    slice->y = sn_vec3_scale(slice->outward, -1);
}

sn_status sni_cylinder_take_sections(const sni_muscle_job *job, const sni_cylinder_path *path,
                                     sni_cylinder *c, sn_error *error) {
    sn_status status = check_sections(job, c->rings.slice_count, error);
    if (status != SN_OK) {
        return status;
    }
    for (uint32_t i = 0; i < c->rings.slice_count; ++i) {
        take_section(sni_job_body(job), i, path, &c->slices[i]);
    }
    sni_cylinder_keep_lifts(c, path);
    return SN_OK;
}
