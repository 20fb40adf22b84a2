// SPDX-License-Identifier: Apache-2.0
//
// Places and directions that segments carry, for muscles between bones: kept in the coordinates of
// their segment, seen in every pose from a rigid frame (of the first origin's segment, its scale
// left out), so that a muscle far from the world's origin loses no digits.
#ifndef SINEW_MUSCLE_CARRIED_H
#define SINEW_MUSCLE_CARRIED_H

#include "muscle/muscle.h"

typedef struct sni_carried_place {
    uint32_t segment;
    sn_vec3 point;  // in the segment's frame
    sn_vec3 normal; // the same, as a plane's normal is: it stays perpendicular under any scale
} sni_carried_place;

typedef struct sni_rigid_frame {
    sn_quat rotation;
    sn_vec3 translation;
} sni_rigid_frame;

// The body of a job between bones, and the places of its pivots in a pose; NULL: as at rest.
static inline const sni_muscle_body *sni_job_body(const sni_muscle_job *job) {
    return job->inputs[0];
}

static inline const sni_muscle_pivot_place *sni_job_pivots(const sni_muscle_pose_job *job) {
    const sni_body_pose *pose = job->inputs[0];
    return pose != NULL ? pose->pivots : NULL;
}

// Takes an attachment into its segment's frame. Fails with SN_INVALID for a segment without size.
sn_status sni_carry_attachment(const sni_muscle_job *job, const sni_muscle_attachment *attachment,
                               sni_carried_place *carried, sn_error *error);

// A point and a direction of the world at rest, in the frame of a segment.
sn_status sni_carry_point(const sni_muscle_job *job, uint32_t segment, sn_vec3 world,
                          sn_vec3 *carried, sn_error *error);

// The rigid part of a segment's matrix.
sni_rigid_frame sni_rigid_frame_of(const sn_mat4 *world);

// What a segment carries, as seen from `frame`; directions and normals have length 1, or 0 where a
// segment has lost its size.
sn_vec3 sni_carried_point(const sni_rigid_frame *frame, const sn_mat4 *world, sn_vec3 point);
sn_vec3 sni_carried_direction(const sni_rigid_frame *frame, const sn_mat4 *world,
                              sn_vec3 direction);
sn_vec3 sni_carried_normal(const sni_rigid_frame *frame, const sn_mat4 *world, sn_vec3 normal);

// A segment turned about its origin half of the way back to how another segment would hold it, in
// whose frame it has the rotation `rest_turn` at rest.
sn_mat4 sni_halfway(const sn_mat4 *world, const sn_mat4 *other, sn_quat rest_turn);

// From the frame to the world.
sn_vec3 sni_rigid_frame_point(const sni_rigid_frame *frame, sn_vec3 point);

// Whether the segments of a pose are as many as the muscle knows, and its controls in range.
sn_status sni_carried_check_pose(const char *name, uint32_t segment_count,
                                 const sni_muscle_pose_job *job, sn_error *error);

// `a` without its part along the unit vector `axis`.
static inline sn_vec3 sni_across(sn_vec3 a, sn_vec3 axis) {
    return sn_vec3_add_scaled(a, -sn_vec3_dot(a, axis), axis);
}

// What sizes of a muscle are given in, as its parameter table says.
extern const char *const sni_size_choices[]; // ended by NULL
enum { SNI_SIZES_METRES, SNI_SIZES_LENGTH };

// How much wider a muscle's sections are than at rest, so that length times area stays (section 4.4
// of the paper). A muscle shorter than SNI_SHORTEST of its rest length counts as that long.
#define SNI_SHORTEST 0.05
double sni_section_scale(double rest_length, double length);

#endif
