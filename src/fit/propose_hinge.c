// SPDX-License-Identifier: Apache-2.0
//
// Which way a joint bends. Limits tell it, where the joint has any: the rotation with the widest
// range, towards its farther end. Else anatomy does, where the bones are known, and the rest pose:
// elbows and knees of characters are modelled a little bent, and bend on in that direction.
#include "fit/propose.h"

#include <math.h>

// A joint that is straighter than this at rest does not tell. Where anatomy tells, a joint that is
// bent further refines it, if both agree by this cosine.
static const double least_bend = 3 * SN_PI / 180;
static const double clear_bend = 8 * SN_PI / 180, agreeing_cosine = 0.5;

// The angle of a bent joint where no limit says less, and the least ways from rest that a muscle is
// driven over.
static const double full_flexion = 140 * SN_PI / 180, least_flexion = 30 * SN_PI / 180;
static const double least_extension = 20 * SN_PI / 180;

// The cosine from which on a bending axis counts as an axis of the joint, and how far the second of
// three rotations may go: it is not told from its supplement beyond a right angle.
static const double aligned_cosine = 0.85, second_range = 80 * SN_PI / 180;

// A turn about an axis within this cosine of the bone is a twist. Less room is none, radians.
static const double twist_cosine = 0.7, least_room = 1e-3;

static sn_vec3 direction_of(const sni_bone *bone) {
    return sn_vec3_normalize_or(sn_vec3_sub(bone->to, bone->from), sn_vec3_make(0, 1, 0));
}

// The axis of a segment's rest frame in the skin's space.
static sn_vec3 frame_axis(const sni_proposal *job, uint32_t segment, int axis) {
    const double *m = job->bones.limbs.frames[segment].m + 4 * axis;
    return sn_vec3_normalize_or(sn_vec3_make(m[0], m[1], m[2]), sn_vec3_make(0, 0, 0));
}

static sn_vec3 level_with(sn_vec3 v, sn_vec3 along) {
    return sn_vec3_add_scaled(v, -sn_vec3_dot(v, along), along);
}

// How far an angle may go from rest, up and down; infinite without limits.
static void room_of(const sn_segment *segment, int parameter, double *up, double *down) {
    double rest = segment->rest_parameters[parameter];
    *up = segment->limits[parameter].high - rest;
    *down = rest - segment->limits[parameter].low;
}

static bool find_by_limits(const sni_proposal *job, sn_vec3 next, sni_hinge *hinge) {
    const sn_segment *segment = &job->skeleton->segments[hinge->segment];
    double widest = 0;
    for (int p = SN_JOINT_RX; p <= SN_JOINT_RZ; ++p) {
        double up, down;
        room_of(segment, p, &up, &down);
        // A turn about the bone itself is a twist.
        bool twists = fabs(sn_vec3_dot(frame_axis(job, hinge->segment, p), next)) > twist_cosine;
        if (isfinite(up + down) && !twists && up + down > widest && up != down) {
            widest = up + down;
            hinge->parameter = (sn_joint_parameter)p;
            hinge->sense = up > down ? 1 : -1;
            hinge->flexion = fmax(up, down);
            hinge->extension = fmin(up, down);
        }
    }
    if (widest > 0) {
        sn_vec3 axis = frame_axis(job, hinge->segment, (int)hinge->parameter);
        hinge->flexor = sn_vec3_scale(sn_vec3_cross(axis, next), hinge->sense);
        hinge->aligned = hinge->limited = true;
    }
    return widest > 0;
}

// Whether limits let a joint do no more than twist.
static bool is_fixed(const sni_proposal *job, uint32_t segment, sn_vec3 next) {
    for (int p = SN_JOINT_RX; p <= SN_JOINT_RZ; ++p) {
        double up, down;
        room_of(&job->skeleton->segments[segment], p, &up, &down);
        if (fabs(sn_vec3_dot(frame_axis(job, segment, p), next)) <= twist_cosine &&
            !(up + down < least_room)) {
            return false;
        }
    }
    return true;
}

// The rotation that comes second in the segment's order.
static int second_of(sn_rotation_order order) {
    static const int seconds[] = {SN_JOINT_RY, SN_JOINT_RZ, SN_JOINT_RX,
                                  SN_JOINT_RZ, SN_JOINT_RX, SN_JOINT_RY};
    return seconds[order];
}

// The axis of the bending is along x flexor: turning about it moves `along` towards the flexor.
static void align(const sni_proposal *job, sn_vec3 along, sni_hinge *hinge) {
    const sn_segment *segment = &job->skeleton->segments[hinge->segment];
    sn_vec3 bending = sn_vec3_cross(along, hinge->flexor);
    for (int p = SN_JOINT_RX; p <= SN_JOINT_RZ; ++p) {
        double cosine = sn_vec3_dot(frame_axis(job, hinge->segment, p), bending);
        bool turns_far = fmax(hinge->flexion, hinge->extension) > second_range;
        if (fabs(cosine) > aligned_cosine && !(p == second_of(segment->order) && turns_far)) {
            double up, down;
            hinge->aligned = true;
            hinge->parameter = (sn_joint_parameter)p;
            hinge->sense = cosine > 0 ? 1 : -1;
            room_of(segment, p, &up, &down);
            hinge->flexion = fmin(hinge->flexion, hinge->sense > 0 ? up : down);
            hinge->extension = fmin(hinge->extension, hinge->sense > 0 ? down : up);
        }
    }
}

// Where a joint bends to that does not tell: as the one before it, else forward.
static sn_vec3 otherwise(const sni_proposal *job) {
    return sn_vec3_length(job->bends) > 0 ? job->bends : sn_vec3_make(0, 0, 1);
}

// A hand or a foot spreads into several bones: its direction is the mean of theirs.
static sn_vec3 direction_of_next(const sni_proposal *job, const sni_bone *bone) {
    const sni_limbs *limbs = &job->bones.limbs;
    sn_vec3 sum = {0, 0, 0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < limbs->line_count; ++i) {
        if (limbs->lines[i].segment == bone->last) {
            sum = sn_vec3_add(sum, sn_vec3_sub(limbs->lines[i].to, bone->from));
            ++count;
        }
    }
    return count > 1 ? sn_vec3_normalize_or(sum, direction_of(bone)) : direction_of(bone);
}

static double angle_between(sn_vec3 a, sn_vec3 b) {
    return atan2(sn_vec3_length(sn_vec3_cross(a, b)), sn_vec3_dot(a, b));
}

static void find_by_shape(const sni_proposal *job, sn_vec3 along, sn_vec3 next, sni_hinge *hinge) {
    double bend = angle_between(along, next);
    hinge->known = bend > least_bend;
    hinge->flexion = fmax(full_flexion - bend, least_flexion);
    hinge->extension = fmax(bend, least_extension);
    hinge->flexor = hinge->known ? level_with(next, along) : otherwise(job);
}

static void find_by_anatomy(const sni_hinge_hint *hint, sn_vec3 along, sn_vec3 next,
                            sni_hinge *hinge) {
    sn_vec3 bent = sn_vec3_normalize_or(level_with(next, along), sn_vec3_make(0, 0, 0));
    sn_vec3 told = sni_propose_level(hint->flexor, along);
    double bend = hint->bent_at_rest ? angle_between(along, next) : 0;
    double agreement = sn_vec3_dot(bent, told);
    hinge->flexor = bend > clear_bend && agreement > agreeing_cosine ? bent : told;
    double flexed = bend * agreement;
    hinge->flexion = fmax(hint->flexion - flexed, least_flexion);
    hinge->extension = fmax(hint->extension + flexed, least_extension);
}

void sni_hinge_find(const sni_proposal *job, const sni_bone *bone, const sni_bone *next,
                    const sni_hinge_hint *hint, sni_hinge *hinge) {
    SN_ASSERT(hinge != NULL && next != NULL);
    sn_vec3 along = direction_of(bone), next_along = direction_of_next(job, next);
    *hinge = (sni_hinge){.segment = next->first, .known = true, .sense = 1};
    hinge->fixed = is_fixed(job, next->first, next_along);
    if (find_by_limits(job, next_along, hinge)) {
        hinge->flexor = sni_propose_level(hinge->flexor, along);
        return;
    }
    if (hint != NULL) {
        find_by_anatomy(hint, along, next_along, hinge);
    } else {
        find_by_shape(job, along, next_along, hinge);
    }
    hinge->flexor = sni_propose_level(hinge->flexor, along);
    align(job, along, hinge);
}
