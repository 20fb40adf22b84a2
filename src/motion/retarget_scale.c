// SPDX-License-Identifier: Apache-2.0
//
// The size of the target's motion, and where its ground is.
//
// Limbs keep their directions, so that a leg of the target gets shorter in a squat by the factor of
// the lengths of thigh and shin. The body's place is scaled by the same factor; ankles then move as
// those of the source, times that factor, and all that is left is how high they stand over the
// ground, which differs from rig to rig: that is added.
#include "motion/retarget.h"

#include <math.h>

static uint32_t first_of(const sni_stance *stance, sni_body_part part, sni_body_side side) {
    return sni_stance_first(stance, part, side);
}

// The body's place is the middle between the thighs: that is anatomy, where the joint of the hips
// lies about it is taste, and a bow would lift or sink the feet by the difference.

typedef struct body_height {
    sn_vec3 place;
    double above; // height of the place over the lowest joint of a foot, legs straight down
    double floor; // height of that joint in the stance
    double leg;   // thigh and shin; 0: not known
    double ankle; // height of the ankles in the stance
} body_height;

static double lowest_joint(const sni_stance *stance, bool feet_only) {
    double lowest = INFINITY;
    for (uint32_t i = 0; i < stance->skeleton->segment_count; ++i) {
        sni_body_part part = stance->body.roles[i].part;
        if (!feet_only || part == SNI_BODY_FOOT || part == SNI_BODY_TOES) {
            lowest = fmin(lowest, stance->positions[i].y);
        }
    }
    return lowest;
}

static double joint_distance(const sni_stance *stance, sni_body_part a, sni_body_part b,
                             sni_body_side side) {
    uint32_t from = first_of(stance, a, side), to = first_of(stance, b, side);
    return from == SN_NONE || to == SN_NONE
               ? NAN
               : sn_vec3_distance(stance->positions[from], stance->positions[to]);
}

// Thigh and shin: in a stance legs may be spread. NAN where a part is missing.
static double leg_length(const sni_stance *stance, sni_body_side side) {
    return joint_distance(stance, SNI_BODY_THIGH, SNI_BODY_SHIN, side) +
           joint_distance(stance, SNI_BODY_SHIN, SNI_BODY_FOOT, side);
}

// The ankle over the lowest joint of the toes.
static double sole_height(const sni_stance *stance, sni_body_side side) {
    uint32_t foot = first_of(stance, SNI_BODY_FOOT, side);
    const sni_body *body = &stance->body;
    double sole = 0;
    for (uint32_t i = 0; foot != SN_NONE && i < body->count[SNI_BODY_TOES][side]; ++i) {
        uint32_t toe = body->members[body->first[SNI_BODY_TOES][side] + i];
        sn_vec3 way = sn_vec3_sub(stance->positions[foot], stance->positions[toe]);
        sole = fmax(sole, sn_vec3_dot(way, sni_stance_foot_up(stance, side)));
    }
    return sole;
}

static double mean_of_sides(double (*measure)(const sni_stance *, sni_body_side),
                            const sni_stance *stance) {
    return 0.5 * (measure(stance, SNI_SIDE_LEFT) + measure(stance, SNI_SIDE_RIGHT));
}

static double ankle_height(const sni_stance *stance, sni_body_side side) {
    uint32_t foot = first_of(stance, SNI_BODY_FOOT, side);
    return foot != SN_NONE ? stance->positions[foot].y : NAN;
}

static body_height measure_legs(const sni_stance *stance) {
    uint32_t left = first_of(stance, SNI_BODY_THIGH, SNI_SIDE_LEFT);
    uint32_t right = first_of(stance, SNI_BODY_THIGH, SNI_SIDE_RIGHT);
    if (left == SN_NONE || right == SN_NONE) {
        return (body_height){.above = NAN};
    }
    double leg = mean_of_sides(leg_length, stance);
    return (body_height){.place =
                             sn_vec3_lerp(stance->positions[left], stance->positions[right], 0.5),
                         .above = leg + mean_of_sides(sole_height, stance),
                         .floor = lowest_joint(stance, true),
                         .leg = leg,
                         .ankle = mean_of_sides(ankle_height, stance)};
}

static body_height measure_root(const sni_stance *stance, uint32_t root) {
    body_height height = {.place = stance->positions[root], .floor = lowest_joint(stance, false)};
    height.above = height.leg = height.place.y - height.floor;
    return height;
}

// BVH files have their hips at the origin: such a stance does not say where the floor is.
static bool stands_on_floor(body_height height) {
    return fabs(height.floor) <= 0.25 * height.above;
}

// One body moves as it did, only larger or smaller.
static void scale_same(sni_retarget *r) {
    r->anchors[0] = r->anchors[1] = r->root_source;
    r->place = r->target.positions[r->root_target];
    r->scale = r->desc->scale > 0 ? r->desc->scale : r->same_scale;
    r->shift = sn_vec3_make(0, 0, 0);
}

void sni_retarget_scale(sni_retarget *r) {
    body_height s = measure_legs(&r->source), t = measure_legs(&r->target);
    if (r->same_skeleton) {
        scale_same(r);
        return;
    }
    bool by_legs =
        s.above > 0 && t.above > 0 && r->target.body.roles[r->root_target].part == SNI_BODY_HIPS;
    if (!by_legs) {
        s = measure_root(&r->source, r->root_source);
        t = measure_root(&r->target, r->root_target);
    }
    for (int i = 0; i < 2; ++i) {
        sni_body_side side = i == 0 ? SNI_SIDE_LEFT : SNI_SIDE_RIGHT;
        r->anchors[i] = by_legs ? first_of(&r->source, SNI_BODY_THIGH, side) : r->root_source;
    }
    r->place = t.place;
    bool measured = s.above > 0 && t.above > 0;
    r->legs[0] = by_legs ? s.leg : 0;
    r->legs[1] = by_legs ? t.leg : 0;
    r->scale = r->desc->scale > 0 ? r->desc->scale : measured ? t.leg / s.leg : 1;
    // Where both stand, feet that touch the floor do so again; else floors are taken to be at 0 and
    // the lowest joints to be on them.
    bool both = stands_on_floor(s) && stands_on_floor(t);
    double lift = both ? t.floor - r->scale * s.floor : 0;
    lift += by_legs ? t.above - r->scale * s.above : 0;
    // An ordinary frame may be anywhere: the source's origin is below the target then.
    bool at_origin = r->rest_frame != SN_NONE;
    r->shift = sn_vec3_make(t.place.x - (at_origin ? 0 : r->scale * s.place.x), lift,
                            t.place.z - (at_origin ? 0 : r->scale * s.place.z));
}

void sni_retarget_ground(sni_retarget *r, double ankle_level) {
    body_height t = measure_legs(&r->target);
    double ankle = stands_on_floor(t) ? t.ankle : t.ankle - t.floor;
    r->shift.y = ankle - r->scale * ankle_level;
}
