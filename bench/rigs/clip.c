// SPDX-License-Identifier: Apache-2.0
//
// A clip on the skeleton that it was recorded on, and when its feet stand.
#include "bench/rigs/rigs.h"

#include <math.h>
#include <string.h>

// Poses are looked at about this often.
static const double poses_per_second = 30;

// A foot stands where it is slower than this and no higher than that over its lowest place, in
// lengths of the leg: about 0.2 m/s and 5 cm of a man.
static const double standing_speed = 0.25, standing_height = 0.06;

// A joint that moves farther than this to the next pose, in lengths of the leg, and several times
// as far as to the one after that, says that a T-pose was put before the take.
static const double jump = 0.2, sudden = 3;

// The first frames of a step are shorter than this: a foot must stand for as many poses.
static const uint32_t least_poses = 3;

static sn_status take_poses(snb_rig_clip *c, sni_rig *rig, sni_player *player, sn_error *error) {
    sn_status status = SN_OK;
    const sn_skeleton *skeleton = &c->clip->skeleton;
    size_t count = skeleton->segment_count;
    sni_pose pose = {0};
    SNI_NEW(c->context, pose.locals, count);
    SNI_NEW(c->context, pose.worlds, count);
    SNI_NEW(c->context, pose.parameters, count * SN_JOINT_PARAMETER_COUNT);
    SNI_NEW(c->context, pose.controls, 0);
    SN_TRY(sni_rig_pose(rig, NULL, 0, NULL, 0, &pose, error));
    snb_pose_take(&c->marks, pose.worlds, &c->poses[0]);
    c->rest_angle = snb_pose_leg_angle(&c->poses[0]);
    for (uint32_t i = 0; i < c->count; ++i) {
        SN_TRY(sni_rig_pose(rig, player, i * c->step / c->clip->rate, NULL, 0, &pose, error));
        snb_pose_take(&c->marks, pose.worlds, &c->poses[i]);
    }
cleanup:
    sni_free(c->context, pose.locals);
    sni_free(c->context, pose.worlds);
    sni_free(c->context, pose.parameters);
    sni_free(c->context, pose.controls);
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

// How much the clip itself changes the lengths of limbs.
static double largest_stretch(const snb_rig_clip *c) {
    double most = 0;
    for (uint32_t i = c->first; i < c->count; ++i) {
        for (int mark = SNB_MARK_UPPER_ARM; mark < SNB_MARK_TOES; ++mark) {
            for (int side = 0; side < 2 && mark != SNB_MARK_HAND; ++side) {
                const snb_pose *now = &c->poses[i], *then = &c->poses[c->first];
                double change = sn_vec3_distance(now->at[mark][side], now->at[mark + 1][side]) -
                                sn_vec3_distance(then->at[mark][side], then->at[mark + 1][side]);
                most = fmax(most, fabs(change));
            }
        }
    }
    return most / c->leg;
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

static double lowest(const snb_rig_clip *c, snb_mark mark) {
    double least = INFINITY;
    for (uint32_t i = c->first; i < c->count; ++i) {
        for (int side = 0; side < 2; ++side) {
            least = fmin(least, c->poses[i].at[mark][side].y);
        }
    }
    return least;
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

static void find_standing(snb_rig_clip *c) {
    snb_mark mark = snb_standing_mark(&c->marks, &c->marks);
    double floor = lowest(c, mark);
    for (int side = 0; side < 2; ++side) {
        for (uint32_t i = c->first; i < c->count; ++i) {
            double height = c->poses[i].at[mark][side].y - floor;
            c->planted[2 * i + side] = speed(c, mark, side, i) < standing_speed * c->leg &&
                                       height < standing_height * c->leg;
        }
        drop_short(c, side);
    }
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
    made->first = made->count > 3 && begins_elsewhere(made);
    made->stretch = largest_stretch(made);
    find_standing(made);
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
