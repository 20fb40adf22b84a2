// SPDX-License-Identifier: Apache-2.0
//
// A muscle contracts when it makes its movement: the angle of a joint or the distance between its
// ends tells how far. Before it is proposed the movement is tried through its whole range:
//
//     ends     fixed to the bones: the origin o stays, the insertion i goes to p + R (i - p). The
//              contraction that the driver makes of their distance must grow all the way.
//     curves   their points go as linear blending moves the skin, p + w (R (p - p0) + p0 - p), with
//              the weight w of what the joint p0 carries. Their length must fall all the way, or
//              that of the chord between their two ends: in deep creases skin folds up.
#include "fit/propose_drive.h"

#include "motion/skeleton.h"
#include "muscle/patch/patch.h"

#include <math.h>
#include <string.h>

// Steps of the movement that is tried. Its range where the joint has none to that side, and the
// least one.
enum { STEPS = 8, FINE_STEPS = 24 };
static const double trial_angle = 20 * SN_PI / 180, least_range = 10 * SN_PI / 180;

// The least part of its length that a muscle must lose, by its curves and between its ends.
static const double least_curve_loss = 0.004, least_end_loss = 0.015;

// Rises of less than this part count as none.
static const double slack = 1e-4;

// A muscle begins to work this part below its length at rest, so that rounding does not move it
// there.
static const double rest_slack = 1e-6;

// Full contraction is not further from rest than this part of the distance at rest.
static const double shortest = 0.4;

static sn_vec3 middle_of(const sn_layout_muscle *muscle, bool at_end) {
    sn_vec3 ends[2];
    for (uint32_t k = 0; k < 2; ++k) {
        ends[k] = muscle->curves[k][at_end ? muscle->curve_counts[k] - 1 : 0];
    }
    return sn_vec3_lerp(ends[0], ends[1], 0.5);
}

// Where it is fixed to what it moves. The tendon of a hinge passes the joint as far away as the
// muscle ends from it, also where the skin that it lies on does not reach to the joint.
static sn_vec3 insertion_of(const sni_proposal *job, const sni_pull *pull,
                            const sn_layout_muscle *muscle) {
    sn_vec3 end = middle_of(muscle, true);
    if (sn_vec3_length(pull->side) > 0) {
        sn_vec3 joint = sni_propose_joint(job, pull->joint);
        double away = fmax(sn_vec3_dot(sn_vec3_sub(end, joint), pull->side), 0);
        end = sn_vec3_add_scaled(joint, away, pull->side);
    }
    return sn_vec3_lerp(end, pull->beyond, pull->tendon);
}

// The ends of its line of action: [0] stays, the joint carries [1].
static void find_line(const sni_proposal *job, const sni_pull *pull, const sn_layout_muscle *muscle,
                      sn_vec3 ends[2]) {
    ends[pull->moves_origin] = middle_of(muscle, false);
    ends[!pull->moves_origin] = insertion_of(job, pull, muscle);
}

static sn_vec3 turn(sn_vec3 pivot, sn_quat rotation, sn_vec3 point) {
    return sn_vec3_add(pivot, sn_quat_rotate(rotation, sn_vec3_sub(point, pivot)));
}

// The axis that the joint turns about. A muscle turns a ball joint so that its moving end i, seen
// from the pivot p, comes towards its resting end o: about (i - p) x (o - i).
static sn_vec3 axis_of(const sni_proposal *job, const sni_pull *pull, const sn_vec3 ends[2]) {
    if (sn_vec3_length(pull->axis) > 0) {
        return sn_vec3_normalize_or(pull->axis, sn_vec3_make(0, 0, 0));
    }
    sn_vec3 arm = sn_vec3_sub(ends[1], sni_propose_joint(job, pull->joint));
    sn_vec3 way = sn_vec3_sub(ends[0], ends[1]);
    return sn_vec3_normalize_or(sn_vec3_cross(arm, way), sn_vec3_make(0, 0, 0));
}

// How much of each point of the curves the joint carries.
static void find_shares(const sni_proposal *job, const sni_pull *pull,
                        const sn_layout_muscle *muscle, double shares[2][SNI_STRIP_POINTS]) {
    const sni_propose_skin *skin = sni_strip_skin(job, muscle);
    for (uint32_t i = 0; i < job->skeleton->segment_count; ++i) {
        job->carried[i] = sni_skeleton_carries(job->skeleton, pull->joint, i);
    }
    for (int k = 0; k < 2; ++k) {
        for (uint32_t i = 0; i < muscle->curve_counts[k]; ++i) {
            sn_closest closest;
            sn_accel_find_closest(skin->probe.accel, muscle->curves[k][i], INFINITY, &closest);
            shares[k][i] =
                sni_propose_skin_share(skin, job->carried, closest.triangle, closest.barycentric);
        }
    }
}

// The curves when the joint has turned.
typedef struct turned_curves {
    double length; // of both together
    double chord;  // between the mean of their first points and the mean of their last ones
} turned_curves;

static turned_curves turn_curves(const sn_layout_muscle *muscle, double shares[2][SNI_STRIP_POINTS],
                                 sn_vec3 pivot, sn_quat rotation) {
    turned_curves turned = {0};
    sn_vec3 ends[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 2; ++k) {
        uint32_t count = muscle->curve_counts[k];
        sn_vec3 before = {0, 0, 0};
        for (uint32_t i = 0; i < count; ++i) {
            sn_vec3 p = muscle->curves[k][i];
            p = sn_vec3_lerp(p, turn(pivot, rotation, p), shares[k][i]);
            turned.length += i > 0 ? sn_vec3_distance(before, p) : 0;
            before = p;
            if (i == 0 || i + 1 == count) {
                ends[i > 0] = sn_vec3_add_scaled(ends[i > 0], 0.5, p);
            }
        }
    }
    turned.chord = sn_vec3_distance(ends[0], ends[1]);
    return turned;
}

// Lengths at equal steps from rest to full contraction.
typedef struct trial {
    double curves[STEPS + 1], chords[STEPS + 1], ends[STEPS + 1];
} trial;

static double distance_at(const sn_vec3 ends[2], sn_vec3 pivot, sn_vec3 axis, double angle) {
    sn_quat rotation = sn_quat_from_axis_angle(axis, angle);
    return sn_vec3_distance(ends[0], turn(pivot, rotation, ends[1]));
}

// How far the joint turns. A ball joint goes on while the muscle pulls: as long as its ends come
// nearer to each other.
static double range_of(const sni_pull *pull, const sn_vec3 ends[2], sn_vec3 pivot, sn_vec3 axis) {
    double angle = pull->angle > 0 ? pull->angle : trial_angle;
    if (sn_vec3_length(pull->axis) > 0) {
        return angle;
    }
    int last = 0;
    for (int k = 1; k <= FINE_STEPS; ++k) {
        if (distance_at(ends, pivot, axis, angle * k / FINE_STEPS) >
            distance_at(ends, pivot, axis, angle * (k - 1) / FINE_STEPS)) {
            break;
        }
        last = k;
    }
    return fmax(angle * last / FINE_STEPS, fmin(angle, least_range));
}

static void run_trial(const sni_proposal *job, const sni_pull *pull, const sn_layout_muscle *muscle,
                      trial *t) {
    double shares[2][SNI_STRIP_POINTS];
    sn_vec3 ends[2], pivot = sni_propose_joint(job, pull->joint);
    find_line(job, pull, muscle, ends);
    find_shares(job, pull, muscle, shares);
    sn_vec3 axis = axis_of(job, pull, ends);
    double angle = range_of(pull, ends, pivot, axis);
    for (int k = 0; k <= STEPS; ++k) {
        sn_quat rotation = sn_quat_from_axis_angle(axis, angle * k / STEPS);
        turned_curves turned = turn_curves(muscle, shares, pivot, rotation);
        t->curves[k] = turned.length;
        t->chords[k] = turned.chord;
        t->ends[k] = distance_at(ends, pivot, axis, angle * k / STEPS);
    }
}

// The distance of full contraction: that at the end of the movement.
static double full_distance(const trial *t) {
    return fmax(t->ends[STEPS], shortest * t->ends[0]);
}

// A distance beyond that of full contraction adds nothing.
static bool ends_approach(const trial *t) {
    double full = full_distance(t), rest = t->ends[0];
    bool falls = full < (1 - least_end_loss) * rest;
    for (int k = 1; k <= STEPS; ++k) {
        falls = falls && fmax(t->ends[k], full) <= fmax(t->ends[k - 1], full) + slack * rest;
    }
    return falls;
}

static bool falls(const double lengths[STEPS + 1]) {
    bool is_less = lengths[STEPS] < (1 - least_curve_loss) * lengths[0];
    for (int k = 1; k <= STEPS; ++k) {
        is_less = is_less && lengths[k] <= lengths[k - 1] + slack * lengths[0];
    }
    return is_less;
}

static bool has_angle(const sni_pull *pull) {
    return pull->hinge != NULL && pull->hinge->aligned;
}

sni_shortening sni_propose_try(const sni_proposal *job, const sni_pull *pull,
                               const sn_layout_muscle *muscle) {
    SN_ASSERT(pull->joint != SN_NONE && pull->origin != SN_NONE && pull->insertion != SN_NONE);
    trial t;
    run_trial(job, pull, muscle, &t);
    bool ends = ends_approach(&t), curves = falls(t.curves) || falls(t.chords);
    if (curves && (ends || has_angle(pull))) {
        return SNI_SHORTENS_CURVES;
    }
    return ends ? SNI_SHORTENS_ENDS : SNI_SHORTENS_NOT;
}

// The frame that drivers measure distances in: that of the segment nearest to both ends that
// carries both.
static sn_mat4 measuring_frame(const sni_proposal *job, const sni_pull *pull) {
    uint32_t s = pull->origin;
    while (s != SN_NONE && !sni_skeleton_carries(job->skeleton, s, pull->insertion)) {
        s = job->skeleton->segments[s].parent;
    }
    return s != SN_NONE ? job->rest_worlds[s] : sn_mat4_identity();
}

// The distance between the ends drives it: that of the skeleton's rest pose, which may have another
// scale than the skin and stand a little differently, so that it does nothing there.
static void drive_by_distance(const sni_proposal *job, const sni_pull *pull,
                              sn_layout_muscle *muscle) {
    trial t;
    sn_mat4 frame = measuring_frame(job, pull), to_frame = sn_mat4_identity();
    sn_mat4_invert(&frame, &to_frame);
    uint32_t segments[2] = {pull->origin, pull->insertion};
    sn_vec3 points[2] = {middle_of(muscle, false), insertion_of(job, pull, muscle)};
    for (int i = 0; i < 2; ++i) {
        sn_mat4 to_local = sn_mat4_identity();
        sn_mat4_invert(&job->bones.limbs.frames[segments[i]], &to_local);
        muscle->driver_segments[i] = sni_propose_segment_name(job, segments[i]);
        muscle->driver_points[i] = sn_mat4_point(&to_local, points[i]);
        points[i] = sn_mat4_point(&job->rest_worlds[segments[i]], muscle->driver_points[i]);
        points[i] = sn_mat4_point(&to_frame, points[i]);
    }
    run_trial(job, pull, muscle, &t);
    double rest = sn_vec3_distance(points[0], points[1]);
    muscle->driver = SN_LAYOUT_DISTANCE;
    muscle->driver_curve[0][0] = rest * full_distance(&t) / t.ends[0];
    muscle->driver_curve[0][1] = 1;
    muscle->driver_curve[1][0] = rest * (1 - rest_slack);
    muscle->driver_curve[1][1] = 0;
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

void sni_propose_drive(const sni_proposal *job, const sni_pull *pull, sni_shortening shortening,
                       sn_layout_muscle *muscle) {
    bool by_ends = shortening == SNI_SHORTENS_ENDS && pull->angle > 0;
    if (!has_angle(pull) || (by_ends && !pull->hinge->limited)) {
        drive_by_distance(job, pull, muscle);
    } else if (pull->angle > 0) { // else limits let it not move that way
        drive_by_angle(job, pull, muscle);
    }
}

// As the document would.
sn_status sni_propose_make(const sni_proposal *job, const sn_layout_muscle *muscle,
                           const char **against, sn_error *error) {
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
        *against = sni_layout_text(job->layout, "%s", why.message);
        status = *against != NULL ? SN_OK : sni_fail_memory(error);
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
