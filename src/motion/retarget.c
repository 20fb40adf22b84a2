// SPDX-License-Identifier: Apache-2.0
//
// A clip recorded on one skeleton, played on another.
//
// The source is posed frame by frame; each paired segment of the target gets the turn that its
// source has made away from its stance, in the world (retarget_align.c has the equation); local
// rotations follow from the world's. The top of the rig gets the body's place, scaled by the
// lengths of the legs (retarget_carry.c). Where feet are held (retarget_plant.c), all frames are
// posed twice: once to see where the target's legs go, and once with the legs bent.
#include "motion/retarget_feet.h"

#include "motion/rig_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t desc_check = 0x736e7274;

sn_retarget_desc sn_retarget_desc_default(void) {
    return (sn_retarget_desc){
        .check = desc_check, .rest_frame = SN_NONE, .plant_feet = true, .spread_twist = true};
}

// What is made for a target segment; track numbers in the result, SN_NONE: none.
typedef struct output {
    uint32_t rotation, translation, scale;
} output;

// The moving parts: one frame of source and target.
typedef struct baker {
    sni_retarget r;
    sni_rig *rig; // the source's
    sni_player *player;
    sni_pose pose;        // of the source
    sn_transform *locals; // of the target
    sn_mat4 *worlds;
    sn_quat *rotations; // in the world, of the target
    sn_quat *turns;     // of the source segments, away from their stance
    sn_quat *source_rotations;
    sn_quat body_turn;  // of the target away from its stance
    sn_vec3 body_place; // of the target: where its `place` is
    output *outputs;
    sn_clip *result;
    sni_survey survey;
    sni_contacts contacts;
    sni_plant plant;
    uint32_t followed[SNI_FOLLOWED_COUNT][2]; // segments of the target
    sn_vec3 knees_ahead[2];                   // where knees point, in the frames of the thighs
    sn_quat leg_turns[2][2];                  // of thigh and shin in the world, per side
    bool legs_turn;                           // whether any of them is to be used
    sni_toe *toes; // of each target segment; NULL: toes are left as they are
} baker;

// ---------------------------------------------------------------------------------------------
// Setting up

static sn_status check_input(const sn_clip *clip, const sn_skeleton *skeleton,
                             const sn_retarget_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_retarget_desc_default");
    }
    if (!(desc->scale >= 0 && isfinite(desc->scale))) {
        return sni_fail(error, SN_INVALID, "the scale is %g, but must be 0 or more", desc->scale);
    }
    if (clip->skeleton.segment_count == 0) {
        return sni_fail(error, SN_INVALID,
                        "the clip \"%s\" does not say on which skeleton it was recorded",
                        clip->name);
    }
    if (desc->rest_frame != SN_NONE && desc->rest_frame >= clip->frame_count) {
        return sni_fail(error, SN_INVALID,
                        "the rest frame is %u, but the clip \"%s\" has the frames 0 to %u",
                        desc->rest_frame, clip->name, clip->frame_count - 1);
    }
    if (skeleton->segment_count == 0) {
        return sni_fail(error, SN_INVALID, "the skeleton has no segments");
    }
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (skeleton->segments[i].name == NULL) {
            return sni_fail(error, SN_INVALID, "segment %u has no name", i);
        }
    }
    return SN_OK;
}

// Whether the values of a track differ from each other by more than rounding.
static bool changes(const sn_track *track) {
    const double rounding = 1e-6; // what a float keeps
    size_t width = sn_track_width(track);
    size_t step = track->interpolation == SN_INTERPOLATION_CUBIC ? 3 * width : width;
    size_t first = step > width ? width : 0; // behind the in-tangent
    for (uint32_t k = 1; k < track->key_count; ++k) {
        for (size_t i = first; i < first + width; ++i) {
            double a = track->values[i], v = track->values[k * step + i];
            if (fabs(v - a) > rounding * (1 + fabs(a))) {
                return true;
            }
        }
    }
    return false;
}

static void find_moves(baker *b) {
    const sn_skeleton *skeleton = &b->r.clip->skeleton;
    for (uint32_t i = 0; i < b->player->track_count; ++i) {
        const sni_player_track *track = &b->player->tracks[i];
        if (track->ref.control == SN_NONE && changes(track->track)) {
            b->r.moves[track->ref.segment] = 1;
        }
    }
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t segment = skeleton->parents_first[i];
        uint32_t parent = skeleton->segments[segment].parent;
        b->r.moves[segment] |= parent != SN_NONE && b->r.moves[parent];
    }
}

static sn_status open_source(baker *b, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = b->r.context;
    const sn_skeleton *skeleton = &b->r.clip->skeleton;
    size_t count = skeleton->segment_count;
    uint32_t ignored;
    sni_rig_desc desc = {.skeleton = skeleton};
    SN_TRY(sni_rig_create(context, &desc, &b->rig, error));
    SN_TRY(sni_player_create(b->rig, b->r.clip, &ignored, &b->player, error));
    SNI_NEW(context, b->pose.locals, count);
    SNI_NEW(context, b->pose.worlds, count);
    SNI_NEW(context, b->pose.parameters, count * SN_JOINT_PARAMETER_COUNT);
    SNI_NEW(context, b->pose.controls, 0);
    SNI_NEW(context, b->turns, count);
    SNI_NEW(context, b->source_rotations, count);
    SNI_NEW_ZERO(context, b->r.moves, count);
    find_moves(b);
cleanup:
    return status;
}

static sn_status open_target(baker *b, const sn_skeleton *skeleton, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = b->r.context;
    SNI_NEW_ZERO(context, b->r.links, skeleton->segment_count);
    SNI_NEW(context, b->r.only_child, skeleton->segment_count);
    SNI_NEW(context, b->locals, skeleton->segment_count);
    SNI_NEW(context, b->worlds, skeleton->segment_count);
    SNI_NEW(context, b->rotations, skeleton->segment_count);
    SNI_NEW(context, b->outputs, skeleton->segment_count);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        b->outputs[i] = (output){SN_NONE, SN_NONE, SN_NONE};
    }
cleanup:
    return status;
}

// Where the head looks straight ahead is what the skeleton's own zero pose says: in the T-pose of
// CMU files the neck is stretched by turning the chin down 16 degrees, and measured from there
// every clip would look at the sky (head pitch over their frames: -12 to +17 degrees from the zero
// pose, -28 to +1 from the T-pose).
static void keep_heads_at_rest(const sni_stance *source, sn_transform *locals) {
    for (uint32_t i = 0; i < source->skeleton->segment_count; ++i) {
        sni_body_part part = source->body.roles[i].part;
        if (part == SNI_BODY_NECK || part == SNI_BODY_HEAD) {
            locals[i] = sni_segment_rest_local(&source->skeleton->segments[i]);
        }
    }
}

// Motion capture often begins with a T-pose, which is a better stance than the pose of all zeros:
// the zero pose of CMU files has spread legs.
static sn_status take_zero_or_t_pose(baker *b, sn_error *error) {
    sni_retarget *r = &b->r;
    sn_status status = sni_rig_pose(b->rig, b->player, 0, NULL, 0, &b->pose, error);
    if (status != SN_OK) {
        return status;
    }
    sni_stance_set(&r->source, b->pose.locals);
    if (sni_stance_is_t_pose(&r->source)) {
        keep_heads_at_rest(&r->source, b->pose.locals);
        sni_stance_set(&r->source, b->pose.locals);
        sni_stance_rotate(&r->source, r->turn);
        sni_stance_face(&r->source, &r->target);
        return SN_OK;
    }
    for (uint32_t i = 0; i < r->source.skeleton->segment_count; ++i) {
        b->pose.locals[i] = sni_segment_rest_local(&r->source.skeleton->segments[i]);
    }
    sni_stance_set(&r->source, b->pose.locals);
    sni_stance_rotate(&r->source, r->turn);
    return SN_OK;
}

static sn_status take_frame(baker *b, sn_error *error) {
    sni_retarget *r = &b->r;
    double time = r->rest_frame / r->clip->rate;
    sn_status status = sni_rig_pose(b->rig, b->player, time, NULL, 0, &b->pose, error);
    if (status == SN_OK) {
        sni_rest_relax(r, &b->survey, b->pose.locals);
        sni_stance_set(&r->source, b->pose.locals);
        sni_stance_rotate(&r->source, r->turn);
        sni_stance_face(&r->source, &r->target);
    }
    return status;
}

static void choose_rest(baker *b) {
    sni_retarget *r = &b->r;
    uint32_t frame;
    r->is_no_pose = !sni_rest_is_pose(r, &b->survey, &frame);
    r->rest_frame = r->desc->rest_frame != SN_NONE ? r->desc->rest_frame
                    : r->is_no_pose                ? frame
                                                   : SN_NONE;
}

// Lengths are those of the zero pose where that is one, since it may say where the floor is.
static sn_status take_stance(baker *b, sn_error *error) {
    sni_retarget *r = &b->r;
    sn_status status = SN_OK;
    if (r->same_skeleton) {
        sni_stance_rotate(&r->source, r->turn);
        sni_retarget_scale(r);
        return SN_OK;
    }
    SN_TRY(sni_survey_init(r, b->rig, b->player, &b->pose, &b->survey, error));
    choose_rest(b);
    if (r->rest_frame != SN_NONE) {
        r->turn = sni_rest_turn(r, &b->survey);
        SN_TRY(take_frame(b, error));
        sni_retarget_scale(r);
    } else {
        sni_retarget_turn(r);
        sni_stance_rotate(&r->source, r->turn);
        sni_retarget_scale(r);
        SN_TRY(take_zero_or_t_pose(b, error));
    }
cleanup:
    return status;
}

// When the feet of the source rest, which also tells where its ground is and how flat feet are.
static sn_status find_contacts(baker *b, sn_error *error) {
    sni_retarget *r = &b->r;
    if (r->same_skeleton || !(r->legs[0] > 0)) {
        return SN_OK;
    }
    bool with_toes = b->followed[SNI_FOLLOWED_TOES][0] != SN_NONE &&
                     b->followed[SNI_FOLLOWED_TOES][1] != SN_NONE;
    sn_status status = sni_contacts_init(r->context, &b->survey, r->turn, r->legs[0], with_toes,
                                         &b->contacts, error);
    if (status != SN_OK || b->contacts.frames == 0) {
        return status;
    }
    for (int side = 0; side < 2; ++side) {
        r->has_soles[side] =
            sni_contacts_sole(&b->survey, &b->contacts, r->turn, side, &r->soles[side]);
    }
    sni_retarget_ground(r, b->contacts.ankle_level);
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Tracks of the result

typedef struct track_kinds {
    bool translation, scale;
} track_kinds;

static track_kinds kinds_of(const sni_player *player, uint32_t source) {
    track_kinds kinds = {false, false};
    for (uint32_t i = 0; i < player->track_count; ++i) {
        const sni_player_track *track = &player->tracks[i];
        if (track->ref.segment != source || track->ref.control != SN_NONE) {
            continue;
        }
        sn_track_kind kind = track->track->kind;
        sn_joint_parameter p = track->ref.joint_parameter;
        bool parameter = kind == SN_TRACK_PARAMETER;
        kinds.translation |=
            kind == SN_TRACK_TRANSLATION || (parameter && p >= SN_JOINT_TX && p <= SN_JOINT_TZ);
        kinds.scale |= kind == SN_TRACK_SCALE || (parameter && p >= SN_JOINT_SX);
    }
    return kinds;
}

static sn_status add_track(baker *b, sn_track_kind kind, uint32_t segment, uint32_t *number,
                           sn_error *error) {
    sn_clip *clip = b->result;
    sn_track *track;
    sn_status status = sn_clip_add_track(clip, kind, b->r.target.skeleton->segments[segment].name,
                                         SN_INTERPOLATION_LINEAR, clip->frame_count, &track, error);
    if (status == SN_OK) {
        *number = clip->track_count - 1;
        for (uint32_t f = 0; f < clip->frame_count; ++f) {
            track->times[f] = f / clip->rate;
        }
    }
    return status;
}

static sn_status add_segment_tracks(baker *b, uint32_t segment, sn_error *error) {
    sn_status status = SN_OK;
    const sni_link *link = &b->r.links[segment];
    output *out = &b->outputs[segment];
    bool carried = b->r.carriers[segment] != SN_NONE;
    bool linked = link->linked;
    track_kinds kinds = {false, false};
    if (linked && link->one_to_one) {
        kinds = kinds_of(b->player, link->a);
    }
    bool toe = b->toes != NULL && b->toes[segment].length > 0;
    if (linked || carried || toe || sni_twist_is_shared(&b->r, segment)) {
        SN_TRY(add_track(b, SN_TRACK_ROTATION, segment, &out->rotation, error));
    }
    if (carried || (kinds.translation && segment != b->r.root_target)) {
        SN_TRY(add_track(b, SN_TRACK_TRANSLATION, segment, &out->translation, error));
    }
    if (kinds.scale) {
        SN_TRY(add_track(b, SN_TRACK_SCALE, segment, &out->scale, error));
    }
cleanup:
    return status;
}

static sn_status add_tracks(baker *b, sn_error *error) {
    sn_status status = SN_OK;
    const sni_retarget *r = &b->r;
    SN_TRY(sn_clip_create(r->context, r->clip->name, r->clip->rate, r->clip->frame_count,
                          &b->result, error));
    SN_TRY(sni_skeleton_copy(r->context, r->target.skeleton, &b->result->skeleton, error));
    for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
        SN_TRY(add_segment_tracks(b, i, error));
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// One frame

static void turn_source(baker *b) {
    const sni_retarget *r = &b->r;
    const sn_skeleton *skeleton = r->source.skeleton;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t segment = skeleton->parents_first[i];
        uint32_t parent = skeleton->segments[segment].parent;
        sn_quat above = parent != SN_NONE ? b->source_rotations[parent] : r->turn;
        b->source_rotations[segment] =
            sn_quat_multiply(above, sn_quat_normalize(b->pose.locals[segment].rotation));
        b->turns[segment] = sn_quat_multiply(b->source_rotations[segment],
                                             sn_quat_conjugate(r->source.rotations[segment]));
    }
}

static sn_quat turn_of(const baker *b, uint32_t source) {
    return source != SN_NONE ? b->turns[source] : sn_quat_identity();
}

static sn_quat linked_turn(const baker *b, const sni_link *link) {
    sn_quat a = turn_of(b, link->a);
    return link->blend == 0 ? a : sn_quat_slerp(a, turn_of(b, link->b), link->blend);
}

static sn_vec3 place_of(const sn_mat4 *world) {
    return sn_vec3_make(world->m[12], world->m[13], world->m[14]);
}

// Where a place of the source's world is in the target's.
static sn_vec3 across_worlds(const sni_retarget *r, sn_vec3 place) {
    return sn_vec3_add_scaled(r->shift, r->scale, sn_quat_rotate(r->turn, place));
}

static void move_body(baker *b) {
    const sni_retarget *r = &b->r;
    const sni_link *link = &r->links[r->root_target];
    sn_vec3 place = sn_vec3_lerp(place_of(&b->pose.worlds[r->anchors[0]]),
                                 place_of(&b->pose.worlds[r->anchors[1]]), 0.5);
    b->body_turn = sn_quat_multiply(linked_turn(b, link), link->align);
    b->body_place = across_worlds(r, place);
}

// The turn of a carrier away from its stance, and where it takes a joint along.
static sn_quat carrier_turn(const baker *b, uint32_t carrier) {
    return carrier == SNI_CARRIED_BY_BODY
               ? b->body_turn
               : sn_quat_multiply(b->rotations[carrier],
                                  sn_quat_conjugate(b->r.target.rotations[carrier]));
}

static sn_vec3 carried_place(const baker *b, uint32_t carrier, uint32_t segment) {
    const sni_retarget *r = &b->r;
    bool body = carrier == SNI_CARRIED_BY_BODY;
    sn_vec3 from = body ? r->place : r->target.positions[carrier];
    sn_vec3 to = body ? b->body_place : place_of(&b->worlds[carrier]);
    sn_vec3 way = sn_vec3_sub(r->target.positions[segment], from);
    return sn_vec3_add(to, sn_quat_rotate(carrier_turn(b, carrier), way));
}

// Whether a segment hangs on the target as its source does on the source.
static bool hangs_alike(const sni_retarget *r, uint32_t segment) {
    uint32_t a = r->source.skeleton->segments[r->links[segment].a].parent;
    uint32_t b = r->target.skeleton->segments[segment].parent;
    return a != SN_NONE && b != SN_NONE && r->links[b].linked && r->links[b].a == a;
}

static double bone_length(const sni_stance *stance, uint32_t segment) {
    uint32_t parent = stance->skeleton->segments[segment].parent;
    return parent != SN_NONE
               ? sn_vec3_distance(stance->positions[segment], stance->positions[parent])
               : 0;
}

// The nearest segment above whose source is above this one's, or SN_NONE.
static uint32_t pair_above(const sni_retarget *r, uint32_t segment) {
    const sn_segment *segments = r->target.skeleton->segments;
    uint32_t source = r->links[segment].a;
    uint32_t above = segments[segment].parent;
    while (above != SN_NONE &&
           !(r->links[above].linked && r->links[above].a != SN_NONE &&
             r->links[above].a != source &&
             sni_skeleton_carries(r->source.skeleton, r->links[above].a, source))) {
        above = segments[above].parent;
    }
    return above;
}

// What a joint has moved in the world since the stance, beyond what a segment above has taken it
// along; SN_NONE: all of it.
static sn_vec3 moved_beyond(const baker *b, uint32_t source, uint32_t above) {
    const sni_retarget *r = &b->r;
    sn_vec3 now = place_of(&b->pose.worlds[source]), then = place_of(&r->source.worlds[source]);
    sn_mat4 inverse;
    if (above != SN_NONE && sn_mat4_invert(&r->source.worlds[above], &inverse)) {
        then = sn_mat4_point(&b->pose.worlds[above], sn_mat4_point(&inverse, then));
    }
    return sn_quat_rotate(r->turn, sn_vec3_sub(now, then));
}

// Where a joint of its own motion is. On a body that is the same it is where it was; else what it
// has moved in its parent since the stance, in proportion to the bone's length. Where the parents
// are no pair, what it has moved on the nearest pair above them, or in the world.
static sn_vec3 moved_place(const baker *b, uint32_t segment, uint32_t parent) {
    const sni_retarget *r = &b->r;
    uint32_t source = r->links[segment].a;
    if (r->same_skeleton) {
        return across_worlds(r, place_of(&b->pose.worlds[source]));
    }
    sn_vec3 rest = sni_segment_rest_local(&r->target.skeleton->segments[segment]).translation;
    if (!hangs_alike(r, segment)) {
        uint32_t pair = pair_above(r, segment);
        sn_vec3 moved = moved_beyond(b, source, pair != SN_NONE ? r->links[pair].a : SN_NONE);
        sn_vec3 place = pair != SN_NONE ? sn_mat4_point(&b->worlds[parent], rest)
                                        : r->target.positions[segment];
        return sn_vec3_add_scaled(place, r->scale, moved);
    }
    uint32_t above = r->source.skeleton->segments[source].parent;
    sn_vec3 moved =
        sn_vec3_sub(b->pose.locals[source].translation, r->source.locals[source].translation);
    moved = sn_quat_rotate(r->turn, sn_mat4_direction(&b->pose.worlds[above], moved));
    double from = bone_length(&r->source, source), to = bone_length(&r->target, segment);
    return sn_vec3_add_scaled(sn_mat4_point(&b->worlds[parent], rest),
                              from > 0 && to > 0 ? to / from : r->scale, moved);
}

static sn_vec3 in_parent(const baker *b, uint32_t parent, sn_vec3 place) {
    sn_mat4 inverse;
    return parent == SN_NONE || !sn_mat4_invert(&b->worlds[parent], &inverse)
               ? place
               : sn_mat4_point(&inverse, place);
}

static sn_vec3 carried_scale(const baker *b, uint32_t source, sn_vec3 rest) {
    sn_vec3 from = sni_segment_rest_local(&b->r.source.skeleton->segments[source]).scale;
    sn_vec3 now = b->pose.locals[source].scale;
    return sn_vec3_make(from.x != 0 ? rest.x * now.x / from.x : rest.x,
                        from.y != 0 ? rest.y * now.y / from.y : rest.y,
                        from.z != 0 ? rest.z * now.z / from.z : rest.z);
}

// The turn of a segment, with that of the leg if it belongs to one that is bent.
static sn_quat bend_leg(const baker *b, uint32_t segment, sn_quat turn) {
    sni_body_role role = b->r.target.body.roles[segment];
    bool thigh = role.part == SNI_BODY_THIGH, shin = role.part == SNI_BODY_SHIN;
    if (!b->legs_turn || !(thigh || shin) || role.side == SNI_SIDE_NONE) {
        return turn;
    }
    return sn_quat_multiply(b->leg_turns[role.side - SNI_SIDE_LEFT][shin], turn);
}

// Turns toes up that would be in the ground.
static void lift_toes(const baker *b, uint32_t segment, uint32_t parent, sn_quat above,
                      sn_transform *local) {
    const sni_toe *toe = b->toes != NULL ? &b->toes[segment] : NULL;
    if (toe == NULL || !(toe->length > 0) || parent == SN_NONE) {
        return;
    }
    sn_vec3 ball = sn_mat4_point(&b->worlds[parent], local->translation);
    sn_quat world = sn_quat_multiply(above, sn_quat_normalize(local->rotation));
    sn_quat lifted = sni_toe_lift(toe, b->r.target.rotations[segment], ball, world);
    local->rotation = sn_quat_normalize(sn_quat_multiply(sn_quat_conjugate(above), lifted));
}

// The turn of a paired segment away from the target's stance, its twist not yet shared.
static sn_quat paired_turn(const baker *b, uint32_t segment) {
    const sni_link *link = &b->r.links[segment];
    sn_quat turn = sn_quat_multiply(linked_turn(b, link), link->align);
    return bend_leg(b, segment, turn);
}

// The turn of a segment that shares the twist of its limb. What carries the limb is posed.
static sn_quat shared_turn(const baker *b, const sni_twist *twist) {
    const sni_retarget *r = &b->r;
    uint32_t parent = r->target.skeleton->segments[twist->head].parent;
    uint32_t carrier = r->carriers[twist->head] != SN_NONE ? r->carriers[twist->head] : parent;
    sn_quat above = carrier != SN_NONE ? carrier_turn(b, carrier) : sn_quat_identity();
    sn_quat limb = paired_turn(b, twist->head);
    sn_quat end = twist->end != SN_NONE ? paired_turn(b, twist->end) : limb;
    return sni_twist_turn(twist, above, limb, end);
}

// The local transform of a segment whose parent and carrier are posed.
static sn_transform pose_segment(const baker *b, uint32_t segment, uint32_t parent, sn_quat above) {
    const sni_retarget *r = &b->r;
    const sni_link *link = &r->links[segment];
    uint32_t carrier = r->carriers[segment];
    sn_transform local = sni_segment_rest_local(&r->target.skeleton->segments[segment]);
    bool shared = sni_twist_is_shared(r, segment);
    if (shared || link->linked || carrier != SN_NONE) {
        sn_quat turn = shared         ? shared_turn(b, &r->twists[segment])
                       : link->linked ? paired_turn(b, segment)
                                      : carrier_turn(b, carrier);
        sn_quat world = sn_quat_multiply(turn, r->target.rotations[segment]);
        local.rotation = sn_quat_normalize(sn_quat_multiply(sn_quat_conjugate(above), world));
    }
    if (carrier != SN_NONE) {
        local.translation = in_parent(b, parent, carried_place(b, carrier, segment));
    } else if (b->outputs[segment].translation != SN_NONE) {
        local.translation = in_parent(b, parent, moved_place(b, segment, parent));
    }
    if (b->outputs[segment].scale != SN_NONE) {
        local.scale = carried_scale(b, link->a, local.scale);
    }
    lift_toes(b, segment, parent, above, &local);
    return local;
}

static void pose_target(baker *b, sn_vec3 moved) {
    const sn_skeleton *skeleton = b->r.target.skeleton;
    move_body(b);
    b->body_place = sn_vec3_add(b->body_place, moved);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t segment = b->r.order[i];
        uint32_t parent = skeleton->segments[segment].parent;
        sn_quat above = parent != SN_NONE ? b->rotations[parent] : sn_quat_identity();
        sn_transform local = pose_segment(b, segment, parent, above);
        sn_mat4 matrix = sn_mat4_from_transform(&local);
        b->rotations[segment] = sn_quat_multiply(above, sn_quat_normalize(local.rotation));
        b->locals[segment] = local;
        b->worlds[segment] =
            parent != SN_NONE ? sn_mat4_multiply(&b->worlds[parent], &matrix) : matrix;
    }
}

static void store_vec3(sn_clip *clip, uint32_t track, uint32_t frame, sn_vec3 v) {
    if (track != SN_NONE) {
        double *values = clip->tracks[track].values + 3 * (size_t)frame;
        values[0] = v.x;
        values[1] = v.y;
        values[2] = v.z;
    }
}

// Of q and -q the one nearer to the frame before, so that keys can be blended by number as well.
static void store_quat(sn_clip *clip, uint32_t track, uint32_t frame, sn_quat q) {
    if (track == SN_NONE) {
        return;
    }
    double *values = clip->tracks[track].values + 4 * (size_t)frame;
    if (frame > 0) {
        const double *v = values - 4;
        q = sn_quat_dot(q, (sn_quat){v[0], v[1], v[2], v[3]}) < 0 ? sn_quat_scale(q, -1) : q;
    }
    values[0] = q.x;
    values[1] = q.y;
    values[2] = q.z;
    values[3] = q.w;
}

// ---------------------------------------------------------------------------------------------
// Legs that are held

static sn_vec3 followed_place(const baker *b, sni_followed joint, int side) {
    uint32_t segment = b->followed[joint][side];
    return segment != SN_NONE ? place_of(&b->worlds[segment]) : sn_vec3_make(0, 0, 0);
}

// Whether the target has legs that can be held: those of a body that stands on them.
static bool can_plant(const baker *b) {
    const sni_retarget *r = &b->r;
    const double standing_cosine = 0.5; // a dog has 0
    bool can = r->desc->plant_feet && !r->same_skeleton && b->contacts.kinds[0] != NULL &&
               sni_stance_leg_cosine(&r->target) > standing_cosine;
    for (int i = SNI_FOLLOWED_THIGH; i <= SNI_FOLLOWED_SHIN && can; ++i) {
        can = r->links[b->followed[i][0]].linked && r->links[b->followed[i][1]].linked;
    }
    return can;
}

// Whether a foot rests at any time.
static bool has_contact(const baker *b) {
    for (uint32_t f = 0; f < b->r.clip->frame_count; ++f) {
        if (b->contacts.kinds[0][f] != SNI_CONTACT_NONE ||
            b->contacts.kinds[1][f] != SNI_CONTACT_NONE) {
            return true;
        }
    }
    return false;
}

// Whether both ankles come down to one height again and again, as in a walk on the spot, where feet
// touch the ground but do not rest: what never touches the ground does not say where it is.
static bool treads(const baker *b) {
    const double close = 0.08 * b->r.legs[0], share = 0.08;
    const uint32_t count = b->r.clip->frame_count, least = 8;
    double lows[2] = {INFINITY, INFINITY}, near[2] = {0};
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t f = 0; f < 2 * count; ++f) {
            sn_vec3 ankle = b->survey.places[f / 2][SNI_FOLLOWED_FOOT][f % 2];
            double y = sn_quat_rotate(b->r.turn, ankle).y;
            lows[f % 2] = pass == 0 ? fmin(lows[f % 2], y) : lows[f % 2];
            near[f % 2] += pass == 1 && y < lows[f % 2] + close;
        }
    }
    return count >= least && fabs(lows[0] - lows[1]) < close && near[0] > share * count &&
           near[1] > share * count;
}

static sn_status open_toes(baker *b, sn_error *error) {
    bool knows = can_plant(b) && (has_contact(b) || treads(b));
    return knows ? sni_toes_init(&b->r, &b->toes, error) : SN_OK;
}

// The segment that turns as the whole thigh does: the last, where several share its twist.
static uint32_t knee_carrier(const baker *b, int side) {
    const sn_segment *segments = b->r.target.skeleton->segments;
    uint32_t thigh = b->followed[SNI_FOLLOWED_THIGH][side];
    uint32_t last = segments[b->followed[SNI_FOLLOWED_SHIN][side]].parent;
    if (!sni_twist_is_shared(&b->r, thigh)) {
        return thigh;
    }
    while (last != thigh && b->r.target.body.roles[last].part != SNI_BODY_THIGH) {
        last = segments[last].parent;
    }
    return last;
}

// Knees point to where the trunk faces at rest.
static void find_knees(baker *b) {
    const sni_stance *target = &b->r.target;
    sn_vec3 left = {1, 0, 0}, up = {0, 1, 0};
    (void)sni_stance_axes(target, &left, &up);
    for (int side = 0; side < 2; ++side) {
        sn_quat thigh = target->rotations[knee_carrier(b, side)];
        b->knees_ahead[side] = sn_quat_rotate(sn_quat_conjugate(thigh), sn_vec3_cross(left, up));
    }
}

static void measure_rest_heights(baker *b) {
    const sni_stance *target = &b->r.target;
    static const sni_followed joints[2] = {SNI_FOLLOWED_FOOT, SNI_FOLLOWED_TOES};
    // What the ground was found to be: the mean of both ankles stands where it does at rest.
    double mean = 0;
    for (int side = 0; side < 2; ++side) {
        mean += 0.5 * target->positions[b->followed[SNI_FOLLOWED_FOOT][side]].y;
    }
    bool found = b->contacts.frames > 0;
    double ground = found ? b->r.shift.y + b->r.scale * b->contacts.ankle_level : mean;
    for (int i = 0; i < 2; ++i) {
        for (int side = 0; side < 2; ++side) {
            uint32_t segment = b->followed[joints[i]][side];
            double height = segment != SN_NONE ? target->positions[segment].y : mean;
            b->plant.rest_heights[i][side] = height - mean + ground;
        }
    }
}

// Bends a leg of the posed target so that its ankle comes to `goal`.
static void turn_leg(baker *b, int side, sn_vec3 goal, double most, double strength) {
    sn_vec3 hip = followed_place(b, SNI_FOLLOWED_THIGH, side);
    sn_vec3 knee = followed_place(b, SNI_FOLLOWED_SHIN, side);
    sn_vec3 ankle = followed_place(b, SNI_FOLLOWED_FOOT, side);
    sn_quat thigh = b->rotations[knee_carrier(b, side)], turns[2];
    sni_leg_bend(hip, knee, ankle, goal, sn_quat_rotate(thigh, b->knees_ahead[side]), most, turns);
    for (int i = 0; i < 2; ++i) {
        sn_quat turn =
            strength < 1 ? sn_quat_slerp(sn_quat_identity(), turns[i], strength) : turns[i];
        b->leg_turns[side][i] = sn_quat_normalize(sn_quat_multiply(turn, b->leg_turns[side][i]));
    }
}

// Raises a foot whose ball is lower than it stands: captured ankles may rest while their feet are
// pitched, and the feet of the target may be longer. It goes on where it stops, so nothing jumps.
static void lift_soles(baker *b, sn_vec3 moved) {
    bool lifted = false;
    for (int side = 0; side < 2; ++side) {
        uint32_t toes = b->followed[SNI_FOLLOWED_TOES][side];
        if (toes == SN_NONE || !(b->toes[toes].length > 0)) {
            continue;
        }
        double below = b->plant.rest_heights[1][side] - place_of(&b->worlds[toes]).y;
        below = b->r.legs[1] * sni_sole_lift(below / b->r.legs[1]);
        if (below > 0) {
            sn_vec3 ankle = followed_place(b, SNI_FOLLOWED_FOOT, side);
            double most = sni_leg_most(followed_place(b, SNI_FOLLOWED_THIGH, side),
                                       followed_place(b, SNI_FOLLOWED_SHIN, side), ankle);
            ankle.y += below;
            turn_leg(b, side, ankle, most, 1);
            lifted = true;
        }
    }
    if (lifted) {
        b->legs_turn = true;
        pose_target(b, moved);
    }
}

// Poses the target with its legs bent. A second time where joints of the legs move on their own, so
// that the first one is not exact.
static void pose_planted(baker *b, uint32_t frame) {
    const int rounds = 2;
    const sni_leg_plan *legs = b->plant.legs[frame];
    double sink = b->plant.sink[frame];
    sn_vec3 moved = sn_vec3_add_scaled(b->plant.body[frame], -sink, sn_vec3_make(0, 1, 0));
    bool same = sink == 0;
    for (int side = 0; side < 2; ++side) {
        same &= sn_vec3_length(legs[side].shift) == 0;
        b->leg_turns[side][0] = b->leg_turns[side][1] = sn_quat_identity();
    }
    pose_target(b, moved);
    for (int i = 0; i < rounds && !same; ++i) {
        for (int side = 0; side < 2; ++side) {
            const sn_vec3 *at[] = {&b->plant.places[frame][SNI_FOLLOWED_THIGH][side],
                                   &b->plant.places[frame][SNI_FOLLOWED_SHIN][side],
                                   &b->plant.places[frame][SNI_FOLLOWED_FOOT][side]};
            sn_vec3 goal = sn_vec3_add(*at[2], legs[side].shift);
            bool moves = sink > 0 || sn_vec3_length(legs[side].shift) > 0;
            if (moves && (i == 0 || legs[side].strength == 1)) {
                turn_leg(b, side, goal, sni_leg_most(*at[0], *at[1], *at[2]), legs[side].strength);
            }
        }
        b->legs_turn = true;
        pose_target(b, moved);
    }
    if (b->toes != NULL) {
        lift_soles(b, moved);
    }
    b->legs_turn = false;
}

static sn_status pose_frame(baker *b, uint32_t frame, sn_error *error) {
    double time = frame / b->r.clip->rate;
    sn_status status = sni_rig_pose(b->rig, b->player, time, NULL, 0, &b->pose, error);
    if (status == SN_OK) {
        turn_source(b);
    }
    return status;
}

// Sees where the target's legs go and plans how they are held.
static sn_status plan_feet(baker *b, sn_error *error) {
    sn_status status = SN_OK;
    const sni_retarget *r = &b->r;
    uint32_t count = r->clip->frame_count;
    const sn_vec3 still = {0, 0, 0};
    if (!can_plant(b)) {
        return SN_OK;
    }
    SN_TRY(sni_plant_init(r->context, count, &b->plant, error));
    for (uint32_t f = 0; f < count; ++f) {
        SN_TRY(pose_frame(b, f, error));
        pose_target(b, still);
        for (int i = 0; i < SNI_FOLLOWED_COUNT; ++i) {
            b->plant.places[f][i][0] = followed_place(b, (sni_followed)i, 0);
            b->plant.places[f][i][1] = followed_place(b, (sni_followed)i, 1);
        }
    }
    find_knees(b);
    measure_rest_heights(b);
    b->plant.leg = r->legs[1];
    SN_TRY(sni_plant_make(r->context, &b->contacts, count, r->clip->rate, &b->plant, error));
cleanup:
    return status;
}

static sn_status bake(baker *b, sn_error *error) {
    const sni_retarget *r = &b->r;
    const sn_vec3 still = {0, 0, 0};
    for (uint32_t f = 0; f < r->clip->frame_count; ++f) {
        sn_status status = pose_frame(b, f, error);
        if (status != SN_OK) {
            return status;
        }
        if (b->plant.moves || b->toes != NULL) {
            pose_planted(b, f);
        } else {
            pose_target(b, still);
        }
        for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
            store_quat(b->result, b->outputs[i].rotation, f, b->locals[i].rotation);
            store_vec3(b->result, b->outputs[i].translation, f, b->locals[i].translation);
            store_vec3(b->result, b->outputs[i].scale, f, b->locals[i].scale);
        }
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------

static sn_status fill_report(const baker *b, sn_retarget_report *report, sn_error *error) {
    sn_status status = SN_OK;
    const sni_retarget *r = &b->r;
    uint8_t *used = NULL;
    sn_retarget_report made = {.scale = r->scale,
                               .rest_frame = r->rest_frame,
                               .zero_is_no_pose = r->is_no_pose,
                               .plant_count = b->plant.count,
                               .slide = b->plant.slid};
    SNI_NEW_ZERO(r->context, used, r->source.skeleton->segment_count);
    sni_retarget_mark_used(r, used);
    for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
        made.matched += r->links[i].linked;
    }
    for (uint32_t i = 0; i < r->source.skeleton->segment_count; ++i) {
        made.unmatched_source += !used[i];
    }
    *report = made;
cleanup:
    sni_free(r->context, used);
    return status;
}

static void close_baker(baker *b) {
    sn_context *context = b->r.context;
    sni_player_destroy(b->player);
    sni_rig_destroy(b->rig);
    sni_stance_deinit(context, &b->r.source);
    sni_stance_deinit(context, &b->r.target);
    sni_survey_deinit(context, &b->survey);
    sni_contacts_deinit(context, &b->contacts);
    sni_plant_deinit(context, &b->plant);
    void *arrays[] = {b->pose.locals,   b->pose.worlds,  b->pose.parameters,
                      b->pose.controls, b->turns,        b->source_rotations,
                      b->r.links,       b->r.only_child, b->locals,
                      b->worlds,        b->rotations,    b->outputs,
                      b->r.moves,       b->r.aligns,     b->r.carriers,
                      b->r.order,       b->r.twists,     b->toes};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sni_free(context, arrays[i]);
    }
    sn_clip_destroy(b->result);
}

// Who moves whom, and who carries whom.
static sn_status pair(baker *b, const sn_skeleton *skeleton, sn_error *error) {
    sni_retarget *r = &b->r;
    sn_status status = SN_OK;
    SN_TRY(check_input(r->clip, skeleton, r->desc, error));
    SN_TRY(open_source(b, error));
    SN_TRY(open_target(b, skeleton, error));
    SN_TRY(sni_stance_init(r->context, &r->clip->skeleton, &r->source, error));
    SN_TRY(sni_stance_init(r->context, skeleton, &r->target, error));
    SN_TRY(sni_retarget_same(r, error));
    SN_TRY(sni_retarget_pair(r, error));
    SN_TRY(r->linked_count > 0 ? sni_retarget_carry(r, error) : SN_OK);
cleanup:
    return status;
}

sn_status sn_clip_pair(const sn_clip *clip, const sn_skeleton *skeleton,
                       const sn_retarget_desc *desc, sn_pairing **pairing, sn_error *error) {
    baker b = {.r = {.context = clip->context, .clip = clip, .desc = desc, .rest_frame = SN_NONE}};
    *pairing = NULL;
    sn_status status = pair(&b, skeleton, error);
    if (status == SN_OK) {
        status = sni_retarget_pairing(&b.r, pairing, error);
    }
    close_baker(&b);
    return status;
}

sn_status sn_clip_retarget(const sn_clip *clip, const sn_skeleton *skeleton,
                           const sn_retarget_desc *desc, sn_clip **result,
                           sn_retarget_report *report, sn_error *error) {
    sn_status status = SN_OK;
    baker b = {.r = {.context = clip->context, .clip = clip, .desc = desc, .rest_frame = SN_NONE}};
    *result = NULL;
    SN_TRY(pair(&b, skeleton, error));
    SN_TRY(sni_retarget_check_pairs(&b.r, error));
    SN_TRY(take_stance(&b, error));
    sni_followed_segments(&b.r.target, b.followed);
    sni_followed_balls(&b.r.target, b.followed);
    SN_TRY(find_contacts(&b, error));
    sni_retarget_align(&b.r);
    SN_TRY(sni_retarget_twists(&b.r, error));
    SN_TRY(open_toes(&b, error));
    SN_TRY(add_tracks(&b, error));
    SN_TRY(plan_feet(&b, error));
    SN_TRY(bake(&b, error));
    if (report != NULL) {
        SN_TRY(fill_report(&b, report, error));
    }
    *result = b.result;
    b.result = NULL;
cleanup:
    close_baker(&b);
    return status;
}
