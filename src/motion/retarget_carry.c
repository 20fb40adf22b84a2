// SPDX-License-Identifier: Apache-2.0
//
// Who carries whom in the target.
//
// The body's place and turn go to the top of the rig rather than to the hips, so that what hangs
// beside the hips comes along: skirts, weapons, helpers of inverse kinematics. And a part of the
// body that does not hang on the part before it, as feet that hang on the root beside the pelvis
// do, is taken along by that part, as if it hung there.
#include "motion/retarget.h"

#include "motion/skeleton.h"

// The part that a part of the body hangs on.
static const sni_body_part parts_before[SNI_BODY_PART_COUNT] = {
    [SNI_BODY_SPINE] = SNI_BODY_HIPS,         [SNI_BODY_NECK] = SNI_BODY_SPINE,
    [SNI_BODY_HEAD] = SNI_BODY_NECK,          [SNI_BODY_CLAVICLE] = SNI_BODY_SPINE,
    [SNI_BODY_UPPER_ARM] = SNI_BODY_CLAVICLE, [SNI_BODY_FOREARM] = SNI_BODY_UPPER_ARM,
    [SNI_BODY_HAND] = SNI_BODY_FOREARM,       [SNI_BODY_THIGH] = SNI_BODY_HIPS,
    [SNI_BODY_SHIN] = SNI_BODY_THIGH,         [SNI_BODY_FOOT] = SNI_BODY_SHIN,
    [SNI_BODY_TOES] = SNI_BODY_FOOT,          [SNI_BODY_THUMB] = SNI_BODY_HAND,
    [SNI_BODY_INDEX] = SNI_BODY_HAND,         [SNI_BODY_MIDDLE] = SNI_BODY_HAND,
    [SNI_BODY_RING] = SNI_BODY_HAND,          [SNI_BODY_LITTLE] = SNI_BODY_HAND,
};

static uint32_t parent_of(const sni_retarget *r, uint32_t segment) {
    return r->target.skeleton->segments[segment].parent;
}

static sni_body_side side_of(sni_body_part part, sni_body_side side) {
    return part <= SNI_BODY_HEAD ? SNI_SIDE_NONE : side;
}

// Whether a segment of a part is above or below this one.
static bool is_in_line(const sni_retarget *r, sni_body_part part, sni_body_side side,
                       uint32_t segment) {
    const sni_body *body = &r->target.body;
    const uint32_t *members = body->members + body->first[part][side];
    for (uint32_t i = 0; i < body->count[part][side]; ++i) {
        if (sni_skeleton_carries(r->target.skeleton, members[i], segment) ||
            sni_skeleton_carries(r->target.skeleton, segment, members[i])) {
            return true;
        }
    }
    return false;
}

// The segment of a part that the clip moves; of several that hang on each other, the last.
static uint32_t moved_member(const sni_retarget *r, sni_body_part part, sni_body_side side) {
    const sni_body *body = &r->target.body;
    const uint32_t *members = body->members + body->first[part][side];
    uint32_t found = SN_NONE;
    for (uint32_t i = 0; i < body->count[part][side]; ++i) {
        found = r->links[members[i]].linked ? members[i] : found;
    }
    return found;
}

// The part before, or the nearest before that which the body has, where it is not above the
// segment.
static uint32_t find_carrier(const sni_retarget *r, uint32_t segment) {
    const sni_body *body = &r->target.body;
    sni_body_role role = body->roles[segment];
    sni_body_part part = parts_before[role.part];
    while (part != SNI_BODY_NONE && body->count[part][side_of(part, role.side)] == 0) {
        part = parts_before[part];
    }
    if (part == SNI_BODY_NONE || is_in_line(r, part, side_of(part, role.side), segment)) {
        return SN_NONE;
    }
    uint32_t parent = parent_of(r, segment);
    bool goes_on = parent != SN_NONE && body->roles[parent].part == role.part &&
                   body->roles[parent].side == role.side;
    return goes_on ? SN_NONE : moved_member(r, part, side_of(part, role.side));
}

// Whether the clip moves a segment otherwise than as a part of the body: a root with a motion of
// its own, above the hips.
static bool has_own_motion(const sni_retarget *r, uint32_t segment) {
    const sni_link *link = &r->links[segment];
    return link->linked && r->target.body.roles[segment].part == SNI_BODY_NONE &&
           (r->same_skeleton || (link->a != SN_NONE && r->moves[link->a]));
}

// Whether a segment carries pairs beside the root: in a skeleton that is no body they need not
// belong to what moves the root.
static bool carries_others(const sni_retarget *r, uint32_t segment) {
    if (r->target.body.roles[r->root_target].part == SNI_BODY_HIPS) {
        return false;
    }
    for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
        if (r->links[i].linked && sni_skeleton_carries(r->target.skeleton, segment, i) &&
            !sni_skeleton_carries(r->target.skeleton, r->root_target, i)) {
            return true;
        }
    }
    return false;
}

// The highest segment above the hips under which nothing has a motion of its own. Where parts of
// the body lie between it and the hips (a spine that carries the pelvis), these turn about their
// joints, and the hips need a place of their own.
static void carry_body(sni_retarget *r) {
    uint32_t top = r->root_target, up = parent_of(r, top);
    bool turned = false;
    for (; up != SN_NONE && !has_own_motion(r, up) && !carries_others(r, up);
         up = parent_of(r, up)) {
        top = up;
    }
    for (uint32_t i = r->root_target; i != top;) {
        i = parent_of(r, i);
        bool part = r->target.body.roles[i].part != SNI_BODY_NONE;
        r->links[i].linked = r->links[i].linked && part;
        turned |= r->links[i].linked;
    }
    r->carriers[top] = SNI_CARRIED_BY_BODY;
    if (turned) {
        r->carriers[r->root_target] = SNI_CARRIED_BY_BODY;
    }
}

typedef struct sorter {
    sni_retarget *r;
    uint8_t *states; // 0: not seen, 1: waits for what is before it, 2: in the order
    uint32_t *stack;
    uint32_t placed;
    bool circular;
} sorter;

// Which of the two that must be placed before a segment is not yet; SN_NONE when both are.
static uint32_t next_needed(sorter *s, uint32_t segment) {
    uint32_t needed[2] = {parent_of(s->r, segment), s->r->carriers[segment]};
    for (int i = 0; i < 2; ++i) {
        if (needed[i] < SNI_CARRIED_BY_BODY && s->states[needed[i]] < 2) {
            s->circular |= s->states[needed[i]] == 1;
            return needed[i];
        }
    }
    return SN_NONE;
}

static void place_with_needed(sorter *s, uint32_t segment) {
    uint32_t depth = 0;
    s->stack[depth++] = segment;
    while (depth > 0) {
        uint32_t top = s->stack[depth - 1];
        s->states[top] = 1;
        uint32_t needed = next_needed(s, top);
        if (s->circular) {
            return;
        }
        if (needed != SN_NONE) {
            s->stack[depth++] = needed;
        } else {
            s->states[top] = 2;
            s->r->order[s->placed++] = top;
            depth--;
        }
    }
}

// Segments that carry each other in a circle are left to their parents.
static void carry_by_parents(sni_retarget *r) {
    const sn_skeleton *skeleton = r->target.skeleton;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        r->order[i] = skeleton->parents_first[i];
        r->carriers[i] = r->carriers[i] == SNI_CARRIED_BY_BODY ? SNI_CARRIED_BY_BODY : SN_NONE;
    }
}

sn_status sni_retarget_carry(sni_retarget *r, sn_error *error) {
    sn_status status = SN_OK;
    const sn_skeleton *skeleton = r->target.skeleton;
    sorter s = {.r = r};
    SNI_NEW(r->context, r->carriers, skeleton->segment_count);
    SNI_NEW(r->context, r->order, skeleton->segment_count);
    SNI_NEW_ZERO(r->context, s.states, skeleton->segment_count);
    SNI_NEW(r->context, s.stack, skeleton->segment_count);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        r->carriers[i] = r->same_skeleton ? SN_NONE : find_carrier(r, i);
    }
    carry_body(r);
    for (uint32_t i = 0; i < skeleton->segment_count && !s.circular; ++i) {
        if (s.states[skeleton->parents_first[i]] == 0) {
            place_with_needed(&s, skeleton->parents_first[i]);
        }
    }
    if (s.circular) {
        carry_by_parents(r);
    }
cleanup:
    sni_free(r->context, s.states);
    sni_free(r->context, s.stack);
    return status;
}
