// SPDX-License-Identifier: Apache-2.0
//
// One frame of a clip on another skeleton: turns of the source, then the target, parents first.
#include "motion/retarget_internal.h"

#include <math.h>

void sni_bake_turn_source(sni_baker *b) {
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

static sn_quat turn_of(const sni_baker *b, uint32_t source) {
    return source != SN_NONE ? b->turns[source] : sn_quat_identity();
}

static sn_quat linked_turn(const sni_baker *b, const sni_link *link) {
    sn_quat a = turn_of(b, link->a);
    return link->blend == 0 ? a : sn_quat_slerp(a, turn_of(b, link->b), link->blend);
}

// Where a place of the source's world is in the target's.
static sn_vec3 across_worlds(const sni_retarget *r, sn_vec3 place) {
    return sn_vec3_add_scaled(r->shift, r->scale, sn_quat_rotate(r->turn, place));
}

static void move_body(sni_baker *b) {
    const sni_retarget *r = &b->r;
    const sni_link *link = &r->links[r->root_target];
    sn_vec3 place = sn_vec3_lerp(sni_place_of(&b->pose.worlds[r->anchors[0]]),
                                 sni_place_of(&b->pose.worlds[r->anchors[1]]), 0.5);
    b->body_turn = sn_quat_multiply(linked_turn(b, link), link->align);
    b->body_place = across_worlds(r, place);
}

// The turn of a carrier away from its stance, and where it takes a joint along.
static sn_quat carrier_turn(const sni_baker *b, uint32_t carrier) {
    return carrier == SNI_CARRIED_BY_BODY
               ? b->body_turn
               : sn_quat_multiply(b->rotations[carrier],
                                  sn_quat_conjugate(b->r.target.rotations[carrier]));
}

static sn_vec3 carried_place(const sni_baker *b, uint32_t carrier, uint32_t segment) {
    const sni_retarget *r = &b->r;
    bool body = carrier == SNI_CARRIED_BY_BODY;
    sn_vec3 from = body ? r->place : r->target.positions[carrier];
    sn_vec3 to = body ? b->body_place : sni_place_of(&b->worlds[carrier]);
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
static sn_vec3 moved_beyond(const sni_baker *b, uint32_t source, uint32_t above) {
    const sni_retarget *r = &b->r;
    sn_vec3 now = sni_place_of(&b->pose.worlds[source]),
            then = sni_place_of(&r->source.worlds[source]);
    sn_mat4 inverse;
    if (above != SN_NONE && sn_mat4_invert(&r->source.worlds[above], &inverse)) {
        then = sn_mat4_point(&b->pose.worlds[above], sn_mat4_point(&inverse, then));
    }
    return sn_quat_rotate(r->turn, sn_vec3_sub(now, then));
}

// Where a joint of its own motion is. On a body that is the same it is where it was; else what it
// has moved in its parent since the stance, in proportion to the bone's length. Where the parents
// are no pair, what it has moved on the nearest pair above them, or in the world.
static sn_vec3 moved_place(const sni_baker *b, uint32_t segment, uint32_t parent) {
    const sni_retarget *r = &b->r;
    uint32_t source = r->links[segment].a;
    if (r->same_skeleton) {
        return across_worlds(r, sni_place_of(&b->pose.worlds[source]));
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

static sn_vec3 in_parent(const sni_baker *b, uint32_t parent, sn_vec3 place) {
    sn_mat4 inverse;
    return parent == SN_NONE || !sn_mat4_invert(&b->worlds[parent], &inverse)
               ? place
               : sn_mat4_point(&inverse, place);
}

static sn_vec3 carried_scale(const sni_baker *b, uint32_t source, sn_vec3 rest) {
    sn_vec3 from = sni_segment_rest_local(&b->r.source.skeleton->segments[source]).scale;
    sn_vec3 now = b->pose.locals[source].scale;
    return sn_vec3_make(from.x != 0 ? rest.x * now.x / from.x : rest.x,
                        from.y != 0 ? rest.y * now.y / from.y : rest.y,
                        from.z != 0 ? rest.z * now.z / from.z : rest.z);
}

// The turn of a segment, with that of the leg if it belongs to one that is bent.
static sn_quat bend_leg(const sni_baker *b, uint32_t segment, sn_quat turn) {
    sni_body_role role = b->r.target.body.roles[segment];
    bool thigh = role.part == SNI_BODY_THIGH, shin = role.part == SNI_BODY_SHIN;
    if (!b->legs_turn || !(thigh || shin) || role.side == SNI_SIDE_NONE) {
        return turn;
    }
    return sn_quat_multiply(b->leg_turns[role.side - SNI_SIDE_LEFT][shin], turn);
}

// Turns toes up, and feet without toes flat, that would be in the ground.
static void lift_foot(const sni_baker *b, uint32_t segment, uint32_t parent, sn_quat above,
                      sn_transform *local) {
    if (b->toes == NULL || parent == SN_NONE) {
        return;
    }
    const sni_toe *toe = &b->toes[segment];
    const sni_sole *sole = sni_bake_stiff_sole(b, segment);
    if (sole == NULL && !(toe->length > 0)) {
        return;
    }
    sn_quat stance = b->r.target.rotations[segment];
    sn_vec3 joint = sn_mat4_point(&b->worlds[parent], local->translation);
    sn_quat world = sn_quat_multiply(above, sn_quat_normalize(local->rotation));
    if (sole != NULL && b->feet_keep_turn) {
        world = b->rotations[segment]; // of the pose before
    } else if (sole != NULL) {
        sn_quat turn = sn_quat_multiply(world, sn_quat_conjugate(stance));
        world = sn_quat_multiply(sni_sole_untilt(sole, joint.y, turn), stance);
    } else {
        world = sni_toe_lift(toe, stance, joint, world);
    }
    local->rotation = sn_quat_normalize(sn_quat_multiply(sn_quat_conjugate(above), world));
}

// The turn of a paired segment away from the target's stance, its twist not yet shared.
static sn_quat paired_turn(const sni_baker *b, uint32_t segment) {
    const sni_link *link = &b->r.links[segment];
    sn_quat turn = sn_quat_multiply(linked_turn(b, link), link->align);
    return bend_leg(b, segment, turn);
}

// The turn of a segment that shares the twist of its limb. What carries the limb is posed.
static sn_quat shared_turn(const sni_baker *b, const sni_twist *twist) {
    const sni_retarget *r = &b->r;
    uint32_t parent = r->target.skeleton->segments[twist->head].parent;
    uint32_t carrier = r->carriers[twist->head] != SN_NONE ? r->carriers[twist->head] : parent;
    sn_quat above = carrier != SN_NONE ? carrier_turn(b, carrier) : sn_quat_identity();
    sn_quat limb = paired_turn(b, twist->head);
    sn_quat end = twist->end != SN_NONE ? paired_turn(b, twist->end) : limb;
    return sni_twist_turn(twist, above, limb, end);
}

// The local transform of a segment whose parent and carrier are posed.
static sn_transform pose_segment(const sni_baker *b, uint32_t segment, uint32_t parent,
                                 sn_quat above) {
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
    lift_foot(b, segment, parent, above, &local);
    return local;
}

void sni_bake_pose_target(sni_baker *b, sn_vec3 moved) {
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
