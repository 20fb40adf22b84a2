// SPDX-License-Identifier: Apache-2.0
#include "muscle/carried.h"

#include <math.h>

const char *const sni_size_choices[] = {"metres", "length", NULL};

static sn_vec3 column(const sn_mat4 *a, int index) {
    return sn_vec3_make(a->m[4 * index], a->m[4 * index + 1], a->m[4 * index + 2]);
}

sn_status sni_carry_point(const sni_muscle_job *job, uint32_t segment, sn_vec3 world,
                          sn_vec3 *carried, sn_error *error) {
    SN_ASSERT(segment < job->segment_count);
    sn_mat4 inverse;
    if (!sn_mat4_invert(&job->rest_worlds[segment], &inverse)) {
        return sni_fail(error, SN_INVALID, "%s: segment %u has no size at rest",
                        job->name != NULL ? job->name : "muscle", segment);
    }
    *carried = sn_mat4_point(&inverse, world);
    return SN_OK;
}

sn_status sni_carry_attachment(const sni_muscle_job *job, const sni_muscle_attachment *attachment,
                               sni_carried_place *carried, sn_error *error) {
    const sn_mat4 *rest = &job->rest_worlds[attachment->segment];
    sn_vec3 n = sn_vec3_normalize_or(attachment->normal, sn_vec3_make(0, 0, 0));
    carried->segment = attachment->segment;
    carried->normal = sn_vec3_make(sn_vec3_dot(column(rest, 0), n), sn_vec3_dot(column(rest, 1), n),
                                   sn_vec3_dot(column(rest, 2), n));
    return sni_carry_point(job, attachment->segment, attachment->point, &carried->point, error);
}

sni_rigid_frame sni_rigid_frame_of(const sn_mat4 *world) {
    sn_transform parts;
    sn_mat4_decompose(world, &parts);
    return (sni_rigid_frame){.rotation = parts.rotation, .translation = parts.translation};
}

sn_vec3 sni_carried_point(const sni_rigid_frame *frame, const sn_mat4 *world, sn_vec3 point) {
    sn_vec3 p = sn_vec3_sub(sn_mat4_point(world, point), frame->translation);
    return sn_quat_rotate(sn_quat_conjugate(frame->rotation), p);
}

sn_vec3 sni_carried_direction(const sni_rigid_frame *frame, const sn_mat4 *world,
                              sn_vec3 direction) {
    sn_vec3 d = sn_vec3_normalize_or(sn_mat4_direction(world, direction), sn_vec3_make(0, 0, 0));
    return sn_quat_rotate(sn_quat_conjugate(frame->rotation), d);
}

// A normal goes with the inverse transpose of the matrix, which is its cofactors over its
// determinant.
sn_vec3 sni_carried_normal(const sni_rigid_frame *frame, const sn_mat4 *world, sn_vec3 normal) {
    sn_vec3 a = column(world, 0), b = column(world, 1), c = column(world, 2);
    sn_vec3 bc = sn_vec3_cross(b, c);
    sn_vec3 n = sn_vec3_scale(bc, normal.x);
    n = sn_vec3_add_scaled(n, normal.y, sn_vec3_cross(c, a));
    n = sn_vec3_add_scaled(n, normal.z, sn_vec3_cross(a, b));
    n = sn_vec3_normalize_or(n, sn_vec3_make(0, 0, 0));
    n = sn_vec3_dot(a, bc) < 0 ? sn_vec3_scale(n, -1) : n;
    return sn_quat_rotate(sn_quat_conjugate(frame->rotation), n);
}

sn_mat4 sni_halfway(const sn_mat4 *world, const sn_mat4 *other, sn_quat rest_turn) {
    SN_ASSERT(world != NULL && other != NULL);
    sn_quat now = sn_mat4_rotation(world);
    sn_quat held = sn_quat_multiply(sn_mat4_rotation(other), rest_turn);
    sn_quat back = sn_quat_multiply(held, sn_quat_conjugate(now));
    sn_quat half = sn_quat_slerp(sn_quat_identity(), back, 0.5);
    sn_mat4 turned = *world;
    for (int k = 0; k < 3; ++k) {
        sn_vec3 axis = sn_quat_rotate(half, column(world, k));
        turned.m[4 * k] = axis.x;
        turned.m[4 * k + 1] = axis.y;
        turned.m[4 * k + 2] = axis.z;
    }
    return turned;
}

sn_vec3 sni_rigid_frame_point(const sni_rigid_frame *frame, sn_vec3 point) {
    return sn_vec3_add(sn_quat_rotate(frame->rotation, point), frame->translation);
}

sn_status sni_carried_check_pose(const char *name, uint32_t segment_count,
                                 const sni_muscle_pose_job *job, sn_error *error) {
    if (job->segment_count != segment_count || job->worlds == NULL) {
        return sni_fail(error, SN_INVALID, "%s: %u segments, but it was bound to %u", name,
                        job->worlds != NULL ? job->segment_count : 0, segment_count);
    }
    return SN_OK;
}

double sni_section_scale(double rest_length, double length) {
    return sqrt(rest_length / fmax(length, SNI_SHORTEST * rest_length));
}
