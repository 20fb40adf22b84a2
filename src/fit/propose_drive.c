// SPDX-License-Identifier: Apache-2.0
//
// A muscle contracts when it makes its movement: the angle of a joint or the distance between its
// ends tells how far. Before it is proposed the movement is tried on the skin, as linear blending
// carries it: the muscle must shorten.
#include "fit/propose_drive.h"

#include "motion/skeleton.h"
#include "muscle/patch/patch.h"

#include <math.h>
#include <string.h>

// How far the joint turns in the trial, at most, and the least part of its length that a muscle
// must lose then.
static const double trial_angle = 30 * SN_PI / 180, least_shortening = 1e-3;

// Full contraction is not nearer to rest than this part of the distance at rest.
static const double longest = 0.98, shortest = 0.4;

static sn_vec3 middle_of(const sn_layout_muscle *muscle, bool at_end) {
    sn_vec3 ends[2];
    for (uint32_t k = 0; k < 2; ++k) {
        ends[k] = muscle->curves[k][at_end ? muscle->curve_counts[k] - 1 : 0];
    }
    return sn_vec3_lerp(ends[0], ends[1], 0.5);
}

static sn_vec3 turn(sn_vec3 pivot, sn_quat rotation, sn_vec3 point) {
    return sn_vec3_add(pivot, sn_quat_rotate(rotation, sn_vec3_sub(point, pivot)));
}

// The axis that the joint turns about. A muscle turns a ball joint so that its insertion i, seen
// from the pivot p, comes towards its origin o: about (i - p) x (o - i).
static sn_vec3 axis_of(const sni_proposal *job, const sni_pull *pull,
                       const sn_layout_muscle *muscle) {
    if (sn_vec3_length(pull->axis) > 0) {
        return pull->axis;
    }
    sn_vec3 o = middle_of(muscle, false), i = middle_of(muscle, true);
    sn_vec3 arm = sn_vec3_sub(i, sni_propose_joint(job, pull->joint));
    return sn_vec3_normalize_or(sn_vec3_cross(arm, sn_vec3_sub(o, i)), sn_vec3_make(0, 0, 0));
}

// The length of both curves when the joint has turned.
static double length_turned(const sni_proposal *job, const sni_pull *pull, sn_vec3 axis,
                            double angle, const sn_layout_muscle *muscle) {
    const sni_propose_skin *skin = sni_strip_skin(job, muscle);
    sn_vec3 pivot = sni_propose_joint(job, pull->joint);
    sn_quat rotation = sn_quat_from_axis_angle(axis, angle);
    double length = 0;
    for (int k = 0; k < 2; ++k) {
        sn_vec3 before = {0, 0, 0};
        for (uint32_t i = 0; i < muscle->curve_counts[k]; ++i) {
            sn_closest closest;
            sn_vec3 p = muscle->curves[k][i];
            sn_accel_find_closest(skin->probe.accel, p, INFINITY, &closest);
            double share = sni_propose_skin_share(skin, job->skins.marks, closest.triangle,
                                                  closest.barycentric);
            p = sn_vec3_lerp(p, turn(pivot, rotation, p), share);
            length += i > 0 ? sn_vec3_distance(before, p) : 0;
            before = p;
        }
    }
    return length;
}

// Marks the segments that the joint carries.
static void mark_carried(const sni_proposal *job, uint32_t joint) {
    for (uint32_t i = 0; i < job->skeleton->segment_count; ++i) {
        job->skins.marks[i] = sni_skeleton_carries(job->skeleton, joint, i);
    }
}

static bool shortens(const sni_proposal *job, const sni_pull *pull, sn_vec3 axis,
                     const sn_layout_muscle *muscle) {
    double angle = fmin(pull->angle > 0 ? pull->angle : trial_angle, trial_angle);
    mark_carried(job, pull->joint);
    double rest = length_turned(job, pull, axis, 0, muscle);
    return length_turned(job, pull, axis, angle, muscle) < (1 - least_shortening) * rest;
}

// The distance between the ends drives it: fully contracted where the joint has turned by the whole
// angle. False where the ends do not come nearer to each other.
static bool drive_by_distance(const sni_proposal *job, const sni_pull *pull, sn_vec3 axis,
                              sn_layout_muscle *muscle) {
    uint32_t segments[2] = {pull->origin, pull->insertion};
    sn_vec3 points[2] = {middle_of(muscle, false), middle_of(muscle, true)};
    for (int i = 0; i < 2; ++i) {
        sn_mat4 to_local;
        if (!sn_mat4_invert(&job->bones.limbs.frames[segments[i]], &to_local)) {
            return false;
        }
        muscle->driver_segments[i] = sni_propose_segment_name(job, segments[i]);
        muscle->driver_points[i] = sn_mat4_point(&to_local, points[i]);
    }
    sn_quat rotation = sn_quat_from_axis_angle(axis, pull->angle);
    sn_vec3 end = turn(sni_propose_joint(job, pull->joint), rotation, points[1]);
    double rest = sn_vec3_distance(points[0], points[1]);
    double part = sn_vec3_distance(points[0], end) / (rest > 0 ? rest : 1);
    muscle->driver = SN_LAYOUT_DISTANCE;
    muscle->driver_curve[0][0] = fmax(part, shortest) * rest * job->world_scale;
    muscle->driver_curve[0][1] = 1;
    muscle->driver_curve[1][0] = rest * job->world_scale;
    muscle->driver_curve[1][1] = 0;
    return part < longest;
}

// The angle of the hinge drives it, against the parameter's sense where the sense is negative.
static void drive_by_angle(const sni_proposal *job, const sni_pull *pull,
                           sn_layout_muscle *muscle) {
    static const char *const suffixes[] = {"rx", "ry", "rz"};
    const sni_hinge *hinge = pull->hinge;
    const sn_segment *segment = &job->skeleton->segments[hinge->segment];
    double start = segment->rest_parameters[hinge->parameter] * 180 / SN_PI;
    double degrees = round(pull->hinge_angle * hinge->sense * 180 / SN_PI);
    bool rises = degrees > 0;
    muscle->driver = SN_LAYOUT_ANGLE;
    muscle->driver_parameter =
        sni_layout_text(job->layout, "%s.%s_deg", segment->name, suffixes[hinge->parameter]);
    muscle->driver_curve[rises][0] = start + degrees;
    muscle->driver_curve[rises][1] = 1;
    muscle->driver_curve[!rises][0] = start;
    muscle->driver_curve[!rises][1] = 0;
}

// Makes the muscle as the document would. `text` is what stands against it, or NULL.
static sn_status try_making(const sni_proposal *job, const sn_layout_muscle *muscle,
                            const char **text, sn_error *error) {
    const sni_propose_skin *skin = sni_strip_skin(job, muscle);
    sn_context *context = job->context;
    double parameters[SNI_PATCH_PARAMETER_COUNT];
    sni_skin_place *places = NULL;
    sn_status status = SN_OK;
    uint32_t count = muscle->curve_counts[0];
    sni_muscle_curve curves[2];
    SNI_NEW(context, places, 2 * (size_t)count);
    for (int k = 0; k < 2; ++k) {
        for (uint32_t i = 0; i < count; ++i) {
            sni_skin_place_find(skin->probe.accel, muscle->curves[k][i], INFINITY,
                                &places[k * count + i]);
        }
        curves[k] = (sni_muscle_curve){count, places + k * (size_t)count};
    }
    sni_parameters_defaults(&sni_muscle_patch.parameters, parameters);
    parameters[SNI_PATCH_SKIN_THICKNESS] = muscle->top_depth;
    parameters[SNI_PATCH_MUSCLE_THICKNESS] = muscle->half_thickness;
    sni_drawn_input drawn = {
        skin->probe.mesh, skin->probe.triangles, skin->probe.accel, skin->normals, 2,
        curves,           .segment = SN_NONE};
    sni_muscle_job making = {context, muscle->name, parameters,
                             .inputs = {[SNI_PATCH_DRAWN] = &drawn}};
    sni_patch_grid grid;
    sn_error why = {0};
    sn_status made = sni_patch_generate(&making, &grid, &why);
    if (made == SN_OK) {
        sni_patch_grid_deinit(context, &grid);
    } else if (made == SN_INVALID) {
        *text = sni_layout_text(job->layout, "%s", why.message);
    } else {
        status = made;
        if (error != NULL) {
            *error = why;
        }
    }
cleanup:
    sni_free(context, places);
    return status;
}

sn_status sni_propose_drive(const sni_proposal *job, const sni_pull *pull, sn_layout_muscle *muscle,
                            const char **against, sn_error *error) {
    SN_ASSERT(pull->joint != SN_NONE && pull->origin != SN_NONE && pull->insertion != SN_NONE);
    sn_vec3 axis = axis_of(job, pull, muscle);
    const char *joint = job->skeleton->segments[pull->joint].name;
    bool by_angle = pull->hinge != NULL && pull->hinge->aligned;
    bool moves = shortens(job, pull, axis, muscle);
    if (by_angle && fabs(pull->hinge_angle) > 0) {
        drive_by_angle(job, pull, muscle);
    } else if (!by_angle) {
        moves = drive_by_distance(job, pull, axis, muscle) && moves;
    }
    if (!moves) {
        *against = sni_layout_text(job->layout, "it would not shorten when %s moves", joint);
        return *against != NULL ? SN_OK : sni_fail_memory(error);
    }
    return try_making(job, muscle, against, error);
}
