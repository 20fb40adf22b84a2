// SPDX-License-Identifier: Apache-2.0
//
// Skeletons inside the library: building them, and forward kinematics.
#ifndef SINEW_MOTION_SKELETON_H
#define SINEW_MOTION_SKELETON_H

#include "base/memory.h"
#include "base/text.h"
#include "sinew/motion.h"

// A skeleton of `count` unnamed root segments with identity rest frames, no limits.
sn_status sni_skeleton_init(sn_context *context, uint32_t count, sn_skeleton *skeleton,
                            sn_error *error);
void sni_skeleton_deinit(sn_context *context, sn_skeleton *skeleton);
sn_status sni_skeleton_copy(sn_context *context, const sn_skeleton *source, sn_skeleton *copy,
                            sn_error *error);

// Fills parents_first. Fails with SN_INVALID, naming the segments, for a cycle or a bad parent.
sn_status sni_skeleton_sort(sn_context *context, sn_skeleton *skeleton, sn_error *error);

// Whether parents_first has every segment once, behind its parent. True where memory runs out.
bool sni_skeleton_is_valid(sn_context *context, const sn_skeleton *skeleton);

// The segment's number, SN_NONE when there is none of that name.
uint32_t sni_skeleton_find(const sn_skeleton *skeleton, const char *name);

// Whether one segment carries another, or is it.
bool sni_skeleton_carries(const sn_skeleton *skeleton, uint32_t above, uint32_t segment);

// An index of the segments' names, for more than a few lookups.
sn_status sni_skeleton_index(sn_context *context, const sn_skeleton *skeleton,
                             sni_name_index *index, sn_error *error);

// The local transform for joint parameters, and the rest pose's.
sn_transform sni_segment_local(const sn_segment *segment,
                               const double parameters[SN_JOINT_PARAMETER_COUNT]);
sn_transform sni_segment_rest_local(const sn_segment *segment);

// Whether two rest frames are the same, as far as a float tells.
bool sni_rest_is_same(const sn_transform *a, const sn_transform *b);

// The joint parameters that give a local transform (rotations in the segment's order).
void sni_segment_parameters(const sn_segment *segment, const sn_transform *local,
                            double parameters[SN_JOINT_PARAMETER_COUNT]);

// The nearest value that a limit allows.
static inline double sni_limit_clamp(sn_limit limit, double value) {
    return value < limit.low ? limit.low : value > limit.high ? limit.high : value;
}

// Of all ways to write a rotation as rx ry rz, takes the one that lies least outside the limits.
void sni_segment_choose_angles(const sn_segment *segment, double angles[3]);

// Likewise the one that is nearest to other angles, such as those of the frame before.
void sni_segment_near_angles(const sn_segment *segment, const double near[3], double angles[3]);

// World matrices of all segments from their local transforms.
void sni_skeleton_world(const sn_skeleton *skeleton, const sn_transform *locals, sn_mat4 *worlds);

// Those of the rest pose; free them with sni_free.
sn_status sni_skeleton_rest_worlds(sn_context *context, const sn_skeleton *skeleton,
                                   sn_mat4 **worlds, sn_error *error);

#endif
