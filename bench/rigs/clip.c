// SPDX-License-Identifier: Apache-2.0
//
// A clip on the skeleton that it was recorded on, and when its feet stand.
#include "bench/rigs/rigs.h"

#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Poses are looked at about this often.
static const double poses_per_second = 30;

// A foot stands where it is slower than this and within that of the ground, in lengths of the leg:
// about 0.2 m/s and 3 cm of a man. The ground is where the lowest tenth of slow feet ends.
static const double standing_speed = 0.25, standing_height = 0.035, lowest_part = 0.1;

// A joint that moves farther than this to the next pose, in lengths of the leg, and several times
// as far as to the one after that, says that a T-pose was put before the take.
static const double jump = 0.2, sudden = 3;

// The first frames of a step are shorter than this: a foot must stand for as many poses.
static const uint32_t least_poses = 3;

// How much the clip itself changes the lengths of bones below the hips. `lengths` are those at
// rest.
static double largest_stretch(const snb_rig_clip *c, const sn_mat4 *worlds, const double *lengths) {
    const sn_skeleton *skeleton = &c->clip->skeleton;
    double most = 0;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (snb_is_below(skeleton, i, c->marks.segments[SNB_MARK_HIPS][0])) {
            most = fmax(most, fabs(snb_bone_length(skeleton, worlds, i) - lengths[i]));
        }
    }
    return most;
}

static sn_status take_poses(snb_rig_clip *c, sni_rig *rig, sni_player *player, sn_error *error) {
    sn_status status = SN_OK;
    const sn_skeleton *skeleton = &c->clip->skeleton;
    size_t count = skeleton->segment_count;
    sni_pose pose = {0};
    double *lengths = NULL;
    SNI_NEW(c->context, pose.locals, count);
    SNI_NEW(c->context, pose.worlds, count);
    SNI_NEW(c->context, pose.parameters, count * SN_JOINT_PARAMETER_COUNT);
    SNI_NEW(c->context, pose.controls, 0);
    SNI_NEW(c->context, lengths, count);
    SN_TRY(sni_rig_pose(rig, NULL, 0, NULL, 0, &pose, error));
    for (uint32_t i = 0; i < count; ++i) {
        lengths[i] = snb_bone_length(skeleton, pose.worlds, i);
    }
    snb_pose_take(&c->marks, pose.worlds, &c->poses[0]);
    c->rest_angle = snb_pose_leg_angle(&c->poses[0]);
    for (uint32_t i = 0; i < c->count; ++i) {
        SN_TRY(sni_rig_pose(rig, player, i * c->step / c->clip->rate, NULL, 0, &pose, error));
        snb_pose_take(&c->marks, pose.worlds, &c->poses[i]);
        c->stretch = fmax(c->stretch, largest_stretch(c, pose.worlds, lengths));
    }
cleanup:
    sni_free(c->context, pose.locals);
    sni_free(c->context, pose.worlds);
    sni_free(c->context, pose.parameters);
    sni_free(c->context, pose.controls);
    sni_free(c->context, lengths);
    return status;
}

static sn_status pose_clip(snb_rig_clip *c, sn_error *error) {
    sn_status status = SN_OK;
    sni_rig *rig = NULL;
    sni_player *player = NULL;
    uint32_t ignored;
    SN_TRY(
        sni_rig_create(c->context, &(sni_rig_desc){.skeleton = &c->clip->skeleton}, &rig, error));
    SN_TRY(sni_player_create(rig, c->clip, &ignored, &player, error));
    SN_TRY(take_poses(c, rig, player, error));
cleanup:
    sni_player_destroy(player);
    sni_rig_destroy(rig);
    return status;
}

// Some files have z up: their trunks stand along z and never along y.
static void turn_up(snb_rig_clip *c) {
    const double upright = 0.8;
    double along_y = 0, along_z = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        sn_vec3 trunk =
            sn_vec3_sub(c->poses[i].at[SNB_MARK_HEAD][0], c->poses[i].at[SNB_MARK_HIPS][0]);
        trunk = sn_vec3_normalize_or(trunk, trunk);
        along_y = fmax(along_y, trunk.y);
        along_z = fmax(along_z, trunk.z);
    }
    c->z_up = along_y < upright && along_z > along_y;
    for (uint32_t i = 0; c->z_up && i < c->count; ++i) {
        for (int mark = 0; mark < 2 * SNB_MARK_COUNT; ++mark) {
            sn_vec3 *at = &c->poses[i].at[mark / 2][mark % 2];
            *at = sn_vec3_make(at->x, at->z, -at->y);
        }
    }
}

static double way_between(const snb_rig_clip *c, uint32_t a, uint32_t b) {
    double most = 0;
    for (int mark = 0; mark < SNB_MARK_COUNT; ++mark) {
        for (int side = 0; side < 2; ++side) {
            most = fmax(most,
                        sn_vec3_distance(c->poses[a].at[mark][side], c->poses[b].at[mark][side]));
        }
    }
    return most;
}

static bool begins_elsewhere(const snb_rig_clip *c) {
    double way = way_between(c, 0, 1);
    return way > jump * c->leg && way > sudden * way_between(c, 1, 2);
}

// ---------------------------------------------------------------------------------------------
// Standing feet

static double speed(const snb_rig_clip *c, snb_mark mark, int side, uint32_t i) {
    uint32_t before = i > c->first ? i - 1 : i, after = i + 1 < c->count ? i + 1 : i;
    double way = sn_vec3_distance(c->poses[after].at[mark][side], c->poses[before].at[mark][side]);
    return after > before ? way * c->clip->rate / ((after - before) * c->step) : 0;
}

static bool is_slow(const snb_rig_clip *c, snb_mark mark, int side, uint32_t i) {
    return speed(c, mark, side, i) < standing_speed * c->leg;
}

// `heights` is scratch for both feet of all poses.
static double find_ground(const snb_rig_clip *c, snb_mark mark, double *heights) {
    uint32_t count = 0;
    for (uint32_t i = c->first; i < c->count; ++i) {
        for (int side = 0; side < 2; ++side) {
            if (is_slow(c, mark, side, i)) {
                heights[count++] = c->poses[i].at[mark][side].y;
            }
        }
    }
    qsort(heights, count, sizeof *heights, sni_compare_doubles);
    return count > 0 ? heights[(uint32_t)(lowest_part * (count - 1))] : 0;
}

static void drop_short(snb_rig_clip *c, int side) {
    uint32_t begin = c->first;
    for (uint32_t i = c->first; i <= c->count; ++i) {
        if (i == c->count || !c->planted[2 * i + side]) {
            for (uint32_t k = begin; i - begin < least_poses && k < i && c->count > least_poses;
                 ++k) {
                c->planted[2 * k + side] = 0;
            }
            begin = i + 1;
        }
    }
}

// A clip of one or two poses does not tell what stands.
static sn_status find_standing(snb_rig_clip *c, sn_error *error) {
    snb_mark mark = snb_standing_mark(&c->marks, &c->marks);
    double *heights = sni_alloc(c->context, 2 * (size_t)c->count, sizeof *heights);
    if (heights == NULL) {
        return sni_fail_memory(error);
    }
    double ground = find_ground(c, mark, heights);
    for (int side = 0; side < 2 && c->count >= least_poses; ++side) {
        for (uint32_t i = c->first; i < c->count; ++i) {
            double height = fabs(c->poses[i].at[mark][side].y - ground);
            c->planted[2 * i + side] =
                is_slow(c, mark, side, i) && height < standing_height * c->leg;
        }
        drop_short(c, side);
    }
    sni_free(c->context, heights);
    return SN_OK;
}

sn_status snb_rig_clip_open(sn_context *context, const sn_clip *clip, const char *file,
                            const char *name, snb_rig_clip *made, sn_error *error) {
    sn_status status = SN_OK;
    *made = (snb_rig_clip){.context = context, .clip = clip};
    snprintf(made->name, sizeof made->name, "%s", name);
    snprintf(made->file, sizeof made->file, "%s", file);
    made->step = (uint32_t)fmax(1, floor(clip->rate / poses_per_second + 0.5));
    made->count = (clip->frame_count - 1) / made->step + 1;
    SN_TRY(snb_marks_find(context, &clip->skeleton, &made->marks, error));
    SNI_NEW(context, made->poses, made->count);
    SNI_NEW_ZERO(context, made->planted, 2 * (size_t)made->count);
    SN_TRY(pose_clip(made, error));
    turn_up(made);
    made->leg = snb_pose_leg(&made->poses[0]);
    made->stretch = made->leg > 0 ? made->stretch / made->leg : 0;
    made->first = made->count > 3 && begins_elsewhere(made);
    SN_TRY(find_standing(made, error));
    return SN_OK;
cleanup:
    snb_rig_clip_close(made);
    return status;
}

void snb_rig_clip_close(snb_rig_clip *clip) {
    sni_free(clip->context, clip->poses);
    sni_free(clip->context, clip->planted);
    clip->poses = NULL;
    clip->planted = NULL;
}

bool snb_rig_clip_is_persons(const snb_rig_clip *clip) {
    double sum = 0;
    for (uint32_t i = 0; i < clip->count; ++i) {
        sum += snb_pose_leg_angle(&clip->poses[i]);
    }
    return snb_marks_stand(&clip->marks) &&
           (clip->rest_angle < snb_four_legs || sum < snb_four_legs * clip->count);
}
