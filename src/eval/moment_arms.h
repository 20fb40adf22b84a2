// SPDX-License-Identifier: Apache-2.0
//
// Moment arms inside the library: what its two files share.
//
//     moment_pairs.c  coordinates of a model, and which muscles each of them may lengthen
//     moment_arms.c   the moment arms in a pose
#ifndef SINEW_EVAL_MOMENT_ARMS_H
#define SINEW_EVAL_MOMENT_ARMS_H

#include "eval/frame.h"

typedef struct sni_moment_coordinate {
    sni_parameter_ref ref;
    double step;      // in the unit of its name
    double low, high; // the same; infinite where it is free
    double per_unit;  // inner units (radians, metres, one) in one of its name
    uint32_t first_pair, pair_count;
} sni_moment_coordinate;

// What one thread poses the rig in.
typedef struct sni_moment_worker {
    sni_pose pose;
    sni_override *overrides; // room for all that the frame holds and one more
    uint32_t override_room;
    sni_arena arena;
} sni_moment_worker;

struct sn_moment_arms {
    const sn_model *model;
    sn_context *context;
    uint32_t coordinate_count;
    sn_coordinate *coordinates; // names are the arms' own
    sni_moment_coordinate *details;
    uint32_t pair_count;
    sn_moment_pair *pairs; // by coordinate, then by muscle
    double (*lengths)[4];  // pair_count: of the muscle where the coordinate is moved a little
    sn_moment_arm *found;  // pair_count
    bool *failed;          // coordinate_count
    double *parameters;    // segment_count x SN_JOINT_PARAMETER_COUNT: without synergies' share
    double *controls;      // control_count: the same
    uint32_t worker_count;
    sni_moment_worker *workers;
};

// Finds coordinates, those of `names` alone where there are any, and pairs.
sn_status sni_moment_pairs_find(sn_moment_arms *arms, const char *const *names, uint32_t name_count,
                                sn_error *error);

#endif
