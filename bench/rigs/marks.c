// SPDX-License-Identifier: Apache-2.0
//
// Joints that all bodies have.
#include "bench/rigs/rigs.h"

#include <math.h>
#include <string.h>

static const struct {
    sni_body_part part;
    bool sided;
} parts[SNB_MARK_COUNT] = {
    {SNI_BODY_HIPS, false},   {SNI_BODY_HEAD, false}, {SNI_BODY_UPPER_ARM, true},
    {SNI_BODY_FOREARM, true}, {SNI_BODY_HAND, true},  {SNI_BODY_THIGH, true},
    {SNI_BODY_SHIN, true},    {SNI_BODY_FOOT, true},  {SNI_BODY_TOES, true},
};

sn_status snb_marks_find(sn_context *context, const sn_skeleton *skeleton, snb_marks *marks,
                         sn_error *error) {
    sni_body body;
    sn_status status = sni_body_init(context, skeleton, &body, error);
    if (status != SN_OK) {
        return status;
    }
    for (int mark = 0; mark < SNB_MARK_COUNT; ++mark) {
        for (int side = 0; side < 2; ++side) {
            sni_body_side where = parts[mark].sided ? SNI_SIDE_LEFT + side : SNI_SIDE_NONE;
            marks->segments[mark][side] = sni_body_first(&body, parts[mark].part, where);
        }
    }
    for (int side = 0; side < 2; ++side) {
        uint32_t *head = &marks->segments[SNB_MARK_HEAD][side];
        *head = *head == SN_NONE ? sni_body_first(&body, SNI_BODY_NECK, SNI_SIDE_NONE) : *head;
    }
    sni_body_deinit(context, &body);
    return SN_OK;
}

bool snb_marks_stand(const snb_marks *marks) {
    static const snb_mark needed[] = {SNB_MARK_HIPS, SNB_MARK_HEAD, SNB_MARK_THIGH, SNB_MARK_SHIN,
                                      SNB_MARK_FOOT};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; ++i) {
        for (int side = 0; side < 2; ++side) {
            if (marks->segments[needed[i]][side] == SN_NONE) {
                return false;
            }
        }
    }
    return true;
}

void snb_pose_take(const snb_marks *marks, const sn_mat4 *worlds, snb_pose *pose) {
    for (int mark = 0; mark < SNB_MARK_COUNT; ++mark) {
        for (int side = 0; side < 2; ++side) {
            uint32_t segment = marks->segments[mark][side];
            const double *m = segment != SN_NONE ? worlds[segment].m : NULL;
            pose->at[mark][side] =
                m != NULL ? sn_vec3_make(m[12], m[13], m[14]) : sn_vec3_make(0, 0, 0);
        }
    }
}

const double snb_four_legs = 50;

double snb_degrees_between(sn_vec3 a, sn_vec3 b) {
    return 180 / SN_PI * atan2(sn_vec3_length(sn_vec3_cross(a, b)), sn_vec3_dot(a, b));
}

static sn_vec3 trunk_of(const snb_pose *pose) {
    return sn_vec3_sub(pose->at[SNB_MARK_HEAD][0], pose->at[SNB_MARK_HIPS][0]);
}

double snb_pose_tilt(const snb_pose *pose) {
    return snb_degrees_between(trunk_of(pose), sn_vec3_make(0, 1, 0));
}

double snb_pose_leg_angle(const snb_pose *pose) {
    double most = 0;
    for (int side = 0; side < 2; ++side) {
        sn_vec3 up = sn_vec3_sub(pose->at[SNB_MARK_THIGH][side], pose->at[SNB_MARK_FOOT][side]);
        most = fmax(most, snb_degrees_between(trunk_of(pose), up));
    }
    return most;
}

double snb_pose_leg(const snb_pose *pose) {
    double length = 0;
    for (int side = 0; side < 2; ++side) {
        length +=
            0.5 * sn_vec3_distance(pose->at[SNB_MARK_THIGH][side], pose->at[SNB_MARK_SHIN][side]);
        length +=
            0.5 * sn_vec3_distance(pose->at[SNB_MARK_SHIN][side], pose->at[SNB_MARK_FOOT][side]);
    }
    return length;
}

snb_mark snb_standing_mark(const snb_marks *a, const snb_marks *b) {
    for (int side = 0; side < 2; ++side) {
        if (a->segments[SNB_MARK_TOES][side] == SN_NONE ||
            b->segments[SNB_MARK_TOES][side] == SN_NONE) {
            return SNB_MARK_FOOT;
        }
    }
    return SNB_MARK_TOES;
}

bool snb_is_below(const sn_skeleton *skeleton, uint32_t segment, uint32_t above) {
    for (uint32_t i = skeleton->segments[segment].parent; i != SN_NONE;) {
        if (i == above) {
            return true;
        }
        i = skeleton->segments[i].parent;
    }
    return false;
}

double snb_bone_length(const sn_skeleton *skeleton, const sn_mat4 *worlds, uint32_t segment) {
    uint32_t parent = skeleton->segments[segment].parent;
    if (parent == SN_NONE) {
        return 0;
    }
    const double *u = worlds[segment].m, *v = worlds[parent].m;
    return sn_vec3_distance(sn_vec3_make(u[12], u[13], u[14]), sn_vec3_make(v[12], v[13], v[14]));
}

const char *snb_short_name(const char *name) {
    const char *slash = strrchr(name, '/');
    return slash != NULL ? slash + 1 : name;
}
