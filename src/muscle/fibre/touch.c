// SPDX-License-Identifier: Apache-2.0
//
// The bones that a fibre muscle touches and the skin that it stays inside of, and how deep it lies
// in them at rest.
#include "muscle/fibre/fibre.h"

#include <math.h>

static const sni_touches_input *touches_of(const sni_muscle_job *job) {
    return sni_input_find(sni_muscle_fibre.inputs, job->inputs, &sni_input_touches);
}

void sni_fibre_touch_free(sn_context *context, sni_fibre *f) {
    for (uint32_t i = 0; i < f->bone_count; ++i) {
        if (f->touched[i].held != NULL) {
            sni_made_release(context, &f->touched[i].held->made);
        }
    }
    sni_free(context, f->touched);
    sni_free(context, f->bones);
    sni_free(context, f->bone_overlaps);
    if (f->around_made != NULL) {
        sni_made_release(context, f->around_made);
    }
    sni_free(context, f->around);
    sni_free(context, f->skin_overlaps);
}

static void take_bone(const sni_muscle_job *job, const sni_touched_bone *from,
                      sni_fibre_touched *touched, sni_fibre_bone *bone) {
    *touched = (sni_fibre_touched){
        .segment = from->segment,
        .to_segment = from->to_segment,
        .rest = from->segment != SN_NONE ? job->rest_worlds[from->segment] : sn_mat4_identity(),
        .held = from->grid};
    *bone = (sni_fibre_bone){.grid = from->grid != NULL ? from->grid->grid : NULL,
                             .ends = {from->ends[0], from->ends[1]},
                             .radius = from->radius};
    if (from->grid != NULL) {
        sni_made_hold(&from->grid->made);
    }
}

sni_fibre_body sni_fibre_rest_body(const sni_fibre *f, uint32_t number, double *radii) {
    sni_fibre_row row = sni_fibre_row_of(f, f->points, number);
    sni_fibre_axis axis;
    sni_fibre_body body = {.positions = row.particles, .radii = radii, .kept_overlap = 1};
    double support;
    sni_fibre_read(f, f->points, number, &axis, &body.section, &support);
    body.normals = axis.normals;
    body.starts = axis.starts;
    body.chain.particle_count = f->particle_count;
    for (uint32_t i = 0; i < f->particle_count; ++i) {
        radii[i] = body.section.width * sni_fibre_profile_at(&f->profile, 0, axis.starts[i], NULL);
    }
    return body;
}

// Gaps of all particles between the ends, where they are negative.
static void measure_overlaps(sni_fibre *f, const sni_fibre_bone_pose *poses, double *radii) {
    double *overlap = f->bone_overlaps;
    for (uint32_t k = 0; k < f->fibre_count; ++k) {
        sni_fibre_body body = sni_fibre_rest_body(f, k, radii);
        body.bone_count = f->bone_count;
        body.bones = f->bones;
        body.bone_poses = poses;
        for (uint32_t bone = 0; bone < f->bone_count; ++bone) {
            for (uint32_t i = 0; i < f->particle_count; ++i, ++overlap) {
                bool inner = i > 0 && i + 1 < f->particle_count;
                *overlap = inner ? fmin(0, sni_fibre_bone_gap(&body, i, bone)) : 0;
            }
        }
    }
}

static sn_status touch_bones(const sni_muscle_job *job, sni_fibre *f, sn_error *error) {
    const sni_touches_input *input = touches_of(job);
    uint32_t count = input != NULL ? input->bone_count : 0;
    sni_fibre_bone_pose *poses = NULL;
    double *radii = NULL;
    sn_status status = SN_OK;
    SNI_NEW(job->context, poses, count);
    SNI_NEW(job->context, radii, f->particle_count);
    SNI_NEW(job->context, f->touched, count);
    SNI_NEW(job->context, f->bones, count);
    SNI_NEW(job->context, f->bone_overlaps, (size_t)count * f->fibre_count * f->particle_count);
    for (uint32_t i = 0; i < count; ++i) {
        take_bone(job, &input->bones[i], &f->touched[i], &f->bones[i]);
        f->bone_count = i + 1;
        sn_mat4 world = sn_mat4_multiply(&f->touched[i].rest, &f->touched[i].to_segment);
        if (!sni_fibre_bone_place(&world, &world, &poses[i])) {
            SN_TRY(sni_fail(error, SN_INVALID, "%s: a bone that it touches has no size at rest",
                            f->name));
        }
    }
    measure_overlaps(f, poses, radii);
cleanup:
    sni_free(job->context, poses);
    sni_free(job->context, radii);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The skin

static void measure_inside(sni_fibre *f, const sni_fibre_inside *inside, double *radii) {
    const sni_fibre_skin skin = sni_fibre_inside_skin(inside);
    for (uint32_t k = 0; k < f->fibre_count; ++k) {
        size_t first = (size_t)k * f->particle_count;
        sni_fibre_body body = sni_fibre_rest_body(f, k, radii);
        body.skin = &skin;
        for (uint32_t i = 0; i < f->particle_count; ++i) {
            bool inner = i > 0 && i + 1 < f->particle_count;
            f->skin_overlaps[first + i] = inner ? fmin(0, sni_fibre_skin_gap(&body, i)) : 0;
        }
    }
}

static sn_status stay_inside(const sni_muscle_job *job, sni_fibre *f, sn_error *error) {
    const sni_inside_input *input =
        sni_input_find(sni_muscle_fibre.inputs, job->inputs, &sni_input_inside);
    uint32_t count = input != NULL ? input->part_count : 0;
    size_t particles = (size_t)f->fibre_count * f->particle_count;
    sni_fibre_part *parts = NULL;
    double *radii = NULL;
    const sni_part_pose still = {sn_quat_identity(), {0, 0, 0}};
    sn_status status = SN_OK;
    if (count == 0) {
        return SN_OK;
    }
    SNI_NEW(job->context, parts, count);
    SNI_NEW(job->context, radii, f->particle_count);
    SNI_NEW(job->context, f->around, count);
    SNI_NEW(job->context, f->skin_overlaps, particles);
    f->around_made = input->made;
    sni_made_hold(f->around_made);
    f->around_count = count;
    for (uint32_t i = 0; i < count; ++i) {
        const sni_inside_part *from = &input->parts[i];
        f->around[i] =
            (sni_fibre_around){from->segment, from->field, job->rest_worlds[from->segment]};
        parts[i] = (sni_fibre_part){from->field, still, still};
    }
    measure_inside(f, &(sni_fibre_inside){count, parts}, radii);
cleanup:
    sni_free(job->context, radii);
    sni_free(job->context, parts);
    return status;
}

sn_status sni_fibre_touch_all(const sni_muscle_job *job, sni_fibre *f, sn_error *error) {
    sn_status status = touch_bones(job, f, error);
    return status == SN_OK ? stay_inside(job, f, error) : status;
}

void sni_fibre_carried_transforms(const sni_fibre *f, const sn_mat4 *worlds,
                                  sn_transform *carried) {
    for (uint32_t i = 0; i < f->bone_count; ++i) {
        carried[i] = sn_transform_identity();
        if (f->touched[i].segment != SN_NONE) {
            sn_mat4_decompose(&worlds[f->touched[i].segment], &carried[i]);
        }
    }
    for (uint32_t i = 0; i < f->around_count; ++i) {
        sn_mat4_decompose(&worlds[f->around[i].segment], &carried[f->bone_count + i]);
    }
}
