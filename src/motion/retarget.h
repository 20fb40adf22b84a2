// SPDX-License-Identifier: Apache-2.0
//
// What the parts of retargeting share: poses that count as rest (retarget_stance.c), whether both
// skeletons are one body (retarget_same.c), who is paired with whom (retarget_pair.c), how rest
// poses are aligned (retarget_align.c) and lengths scaled (retarget_scale.c), who carries whom
// (retarget_carry.c), how limbs share their twist (retarget_twist.c), what the clip does with its
// feet (retarget_feet.h), and the motion itself (retarget.c).
#ifndef SINEW_MOTION_RETARGET_H
#define SINEW_MOTION_RETARGET_H

#include "motion/body.h"
#include "motion/rig.h"

// A skeleton in the pose that counts as its rest. Index: segment. Lengths are the world's: scales
// of all segments above are in them.
typedef struct sni_stance {
    const sn_skeleton *skeleton;
    sni_body body;
    sn_transform *locals;
    sn_mat4 *worlds;    // of `locals`: without the turns of sni_stance_rotate
    sn_quat *rotations; // in the world
    sn_vec3 *positions; // of the joints, in the world
} sni_stance;

// What moves a segment of the target: the turn of source `a` away from its stance, or the turn
// between those of `a` and `b`. SN_NONE as `a` of a blend stands for no turn.
typedef struct sni_link {
    bool linked;
    bool one_to_one; // paired by map or by equal names: other movement is taken over as well
    bool left_out;   // the caller says that nothing moves it
    bool edited;     // the caller has changed the pair
    sn_paired_by by; // how the pair was found
    uint32_t a, b;
    double blend;  // 0: a, 1: b
    sn_quat align; // brings the target's stance to the source's
} sni_link;

// The share that a segment has of the twist of its limb.
typedef struct sni_twist {
    uint32_t head; // segment that is moved with the whole limb; SN_NONE: there is no twist to share
    uint32_t end;  // hand or foot whose twist is shared as well, SN_NONE: none
    sn_vec3 limb;  // direction of the limb in the stance, about which twist is measured
    sn_vec3 bone;  // direction of the segment, about which it is turned
    double own;    // how much of the limb's twist it has beyond the whole: -1 to 0
    double of_end; // how much of the twist of hand or foot: 0 to 1
} sni_twist;

// The carrier of a segment that goes where the body as a whole goes.
#define SNI_CARRIED_BY_BODY (SN_NONE - 1)

typedef struct sni_retarget {
    sn_context *context;
    const sn_clip *clip;
    const sn_retarget_desc *desc;
    sni_stance source, target;
    bool same_skeleton; // both are one body, its bones equally long but for one factor
    bool same_rest;     // also their rest frames are the same
    double same_scale;  // that factor, target over source
    uint8_t *moves;     // of each source segment: whether the clip moves it or a segment above it
    sni_link *links;    // of each target segment
    uint32_t linked_count;
    sn_quat *aligns;      // of each target segment, where both are one body: what is exact
    uint32_t *only_child; // of each target segment: its one child that is linked, or SN_NONE
    uint32_t *carriers;   // of each target segment: the segment, not above it, whose motion takes
                          // it along; SNI_CARRIED_BY_BODY; SN_NONE: its parent does
    uint32_t *order;      // target segments: parents and carriers before what they carry
    sni_twist *twists;    // of each target segment; NULL: no twist is shared
    uint32_t root_source, root_target; // the pair that carries the body's place
    sn_quat turn;                      // from the source's world to the target's
    double scale;
    sn_vec3 shift;       // target place = scale * source place + shift
    uint32_t anchors[2]; // source segments whose mean joint is the place: thighs, or the root twice
    sn_vec3 place;       // the same place in the target's stance
    uint32_t rest_frame; // of the clip, that counts as rest; SN_NONE: its zero pose or a T-pose
    bool is_no_pose;     // its zero pose is none
    double legs[2];      // lengths of thigh and shin, of source and target; 0: not known
    bool has_soles[2];   // of the source, left and right: whether `soles` are known
    sn_vec3 soles[2];    // away from the ground, in the frames of its feet
} sni_retarget;

// ---------------------------------------------------------------------------------------------
// Stances

sn_status sni_stance_init(sn_context *context, const sn_skeleton *skeleton, sni_stance *stance,
                          sn_error *error);
void sni_stance_deinit(sn_context *context, sni_stance *stance);

// Takes the stance from local transforms, or from the skeleton's rest.
void sni_stance_set(sni_stance *stance, const sn_transform *locals);
void sni_stance_set_rest(sni_stance *stance);

// Turns a stance as a whole; and so that it faces where another one faces, seen from above.
void sni_stance_rotate(sni_stance *stance, sn_quat turn);
void sni_stance_face(sni_stance *stance, const sni_stance *other);

// The segment whose joint begins a part, SN_NONE where there is none.
uint32_t sni_stance_first(const sni_stance *stance, sni_body_part part, sni_body_side side);

// The body's axes in a stance: x to its left, y up along the trunk. False where its parts do not
// tell.
bool sni_stance_axes(const sni_stance *stance, sn_vec3 *left, sn_vec3 *up);

// From the first joint of one part to that of another; false when one is missing or they coincide.
bool sni_stance_direction(const sni_stance *stance, sni_body_part from, sni_body_part to,
                          sni_body_side side, sn_vec3 *direction);

// Whether arms stand out to the sides and legs down.
bool sni_stance_is_t_pose(const sni_stance *stance);

// The smaller cosine between a leg and down along the trunk: 1 when standing, about 0 of a sitting
// man and of a dog, below 0 with legs beside the trunk. NAN where legs or trunk are not known.
double sni_stance_leg_cosine(const sni_stance *stance);

// ---------------------------------------------------------------------------------------------
// The steps

// Whether both skeletons are one body, told by names and lengths; `aligns`, `same_scale` and `turn`
// where they are.
sn_status sni_retarget_same(sni_retarget *r, sn_error *error);

// Who moves whom. Where nothing is paired, that is an error of the second call only.
sn_status sni_retarget_pair(sni_retarget *r, sn_error *error);
sn_status sni_retarget_check_pairs(const sni_retarget *r, sn_error *error);

// Whether the source has enough fingers for those of the target to move by them.
bool sni_retarget_has_fingers(const sni_body *body, sni_body_side side);

// Marks the source segments that move something: `used` has one byte for each.
void sni_retarget_mark_used(const sni_retarget *r, uint8_t *used);

// What was paired, as data (pairing.c).
sn_status sni_retarget_pairing(const sni_retarget *r, sn_pairing **pairing, sn_error *error);

// Who carries whom in the target, and in which order its segments are posed.
sn_status sni_retarget_carry(sni_retarget *r, sn_error *error);

// The turn from the source's world to the target's.
void sni_retarget_turn(sni_retarget *r);
void sni_retarget_align(sni_retarget *r);
void sni_retarget_scale(sni_retarget *r);

// Which segments of the target share the twist of their limbs.
sn_status sni_retarget_twists(sni_retarget *r, sn_error *error);
bool sni_twist_is_shared(const sni_retarget *r, uint32_t segment);

// The turn of a segment that shares, by those of what carries the limb, of the whole limb and of
// hand or foot (any where it has none of them), all away from the stance.
sn_quat sni_twist_turn(const sni_twist *twist, sn_quat carrier, sn_quat limb, sn_quat end);

// The part of a turn that is about a unit axis, -pi to pi; less near half a turn and near a swing
// of half a turn, where it fades out.
double sni_twist_angle(sn_quat turn, sn_vec3 axis);

// Puts feet that rest `ankle_level` over the source's zero onto the target's ground.
void sni_retarget_ground(sni_retarget *r, double ankle_level);

// The direction away from the floor under a foot.
sn_vec3 sni_stance_foot_up(const sni_stance *stance, sni_body_side side);

// The rotation that takes the axes x and y to these.
sn_quat sni_quat_of_axes(sn_vec3 x, sn_vec3 y);

// After a parent's alignment, the smallest turn that makes the directions equal.
sn_quat sni_align_direction(sn_quat parent, sn_vec3 target, sn_vec3 source);

// The angle from one vector to another as seen along `axis`; false where one lies along it.
bool sni_angle_about(sn_vec3 axis, sn_vec3 from, sn_vec3 to, double *angle);

#endif
