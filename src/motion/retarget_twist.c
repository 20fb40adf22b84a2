// SPDX-License-Identifier: Apache-2.0
//
// Twist spread over the segments of a limb.
//
// A clip turns an upper arm about its own length in one joint. Rigs whose upper arm is several
// segments, or has segments for twist beside it, expect each of them to take a share: blended skin
// collapses where neighbours differ by much of a turn.
//
// With T the turn of a limb away from the target's stance, P that of what carries it, and d the
// direction of its bone in the stance, the turn on its carrier is a swing across d after a twist
// about d,
//
//     P^-1 T = S D(a),    a = 2 atan2(v . d, w) for the unit quaternion (v, w),
//
// and likewise b is the twist of hand or foot on the forearm or shin. Of n segments in a line, one
// that begins at r of the limb's length and ends at s gets
//
//     T D'((s - 1) a)            in an upper arm or thigh: shoulders and hips twist,
//     T D'((r - 1) a + r b)      in a forearm or shin: elbows and knees do not,
//
// its twist D' about its own bone. So every joint stays where it was, the last segment of an upper
// arm or thigh turns as it did, and so do hand and foot, which have turns of their own.
//
// Nothing is remembered from frame to frame. Angles that are nearly half a turn are taken less
// and less, down to none at half a turn, where their sign is arbitrary; and so are those of limbs
// that point nearly opposite to their rest, where twist means nothing.
#include "motion/retarget.h"

#include "motion/skeleton.h"

#include <math.h>

// Twists are spread whole up to here, and not at all at half a turn. Arms and legs of people hardly
// get farther.
static const double whole_twist = 2 * SN_PI / 3;

// Cosines of half the swing between which a twist begins to count: swings of 169 and 145 degrees.
static const double least_cosine = 0.1, whole_cosine = 0.3;

static double smooth_step(double x, double from, double to) {
    double t = fmin(fmax((x - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

double sni_twist_angle(sn_quat turn, sn_vec3 axis) {
    double along = turn.x * axis.x + turn.y * axis.y + turn.z * axis.z;
    double sign = turn.w < 0 ? -1 : 1; // q and -q are one turn
    double angle = 2 * atan2(sign * along, sign * turn.w);
    double sure = smooth_step(hypot(along, turn.w), least_cosine, whole_cosine);
    return angle * sure * smooth_step(-fabs(angle), -SN_PI, -whole_twist);
}

// ---------------------------------------------------------------------------------------------
// Which segments share a twist

typedef struct limb_kind {
    sni_body_part part, end; // `end` is what hangs at it
    bool turns_end;          // whether the twist of what hangs at it is spread over it
} limb_kind;

static const limb_kind limbs[] = {
    {SNI_BODY_UPPER_ARM, SNI_BODY_FOREARM, false},
    {SNI_BODY_FOREARM, SNI_BODY_HAND, true},
    {SNI_BODY_THIGH, SNI_BODY_SHIN, false},
    {SNI_BODY_SHIN, SNI_BODY_FOOT, true},
};

// One limb of the target.
typedef struct limb_case {
    sni_retarget *r;
    const limb_kind *limb;
    sni_body_side side;
    uint32_t head, end; // first segments of the limb and of what hangs at it
    sn_vec3 way;        // from the joint of one to that of the other
    uint32_t count;     // segments of the limb
} limb_case;

static uint32_t parent_of(const limb_case *c, uint32_t segment) {
    return c->r->target.skeleton->segments[segment].parent;
}

static bool is_of_limb(const limb_case *c, uint32_t segment) {
    sni_body_role role = c->r->target.body.roles[segment];
    return role.part == c->limb->part && role.side == c->side;
}

// How far along the limb a joint is: 0 to 1.
static double place_along(const limb_case *c, uint32_t segment) {
    const sn_vec3 *at = c->r->target.positions;
    double along = sn_vec3_dot(sn_vec3_sub(at[segment], at[c->head]), c->way);
    return fmin(fmax(along / sn_vec3_dot(c->way, c->way), 0), 1);
}

// Whether the clip says how a segment turns.
static bool is_told(const sni_retarget *r, uint32_t segment) {
    return r->links[segment].linked;
}

// Whether the limb is one line whose first segment alone is moved. Counts its segments.
static bool find_line(limb_case *c) {
    const sni_retarget *r = c->r;
    c->head = sni_body_first(&r->target.body, c->limb->part, c->side);
    c->end = sni_body_first(&r->target.body, c->limb->end, c->side);
    if (c->head == SN_NONE || c->end == SN_NONE || !r->links[c->head].linked ||
        !sni_skeleton_carries(r->target.skeleton, c->head, c->end)) {
        return false;
    }
    c->way = sn_vec3_sub(r->target.positions[c->end], r->target.positions[c->head]);
    c->count = 1;
    for (uint32_t i = parent_of(c, c->end); i != c->head; i = parent_of(c, i)) {
        bool member = is_of_limb(c, i);
        if (member && is_told(r, i)) {
            return false;
        }
        c->count += member;
    }
    return sn_vec3_length(c->way) > 0;
}

// Whether hand or foot has a turn of its own, whose twist is spread as well.
static bool turns_end(const limb_case *c) {
    return c->limb->turns_end && c->r->links[c->end].linked;
}

static void add_twist(const limb_case *c, uint32_t segment, sn_vec3 bone, double own,
                      double of_end) {
    double length = sn_vec3_length(bone);
    if (length > 0) {
        bool turned = turns_end(c);
        c->r->twists[segment] =
            (sni_twist){.head = c->head,
                        .end = turned ? c->end : SN_NONE,
                        .limb = sn_vec3_scale(c->way, 1 / sn_vec3_length(c->way)),
                        .bone = sn_vec3_scale(bone, 1 / length),
                        .own = own - 1,
                        .of_end = turned ? of_end : 0};
    }
}

// Segments in a line, from the last to the first.
static void spread_line(const limb_case *c) {
    const sn_vec3 *at = c->r->target.positions;
    uint32_t next = c->end;
    for (uint32_t i = parent_of(c, c->end); c->count > 1; i = parent_of(c, i)) {
        if (is_of_limb(c, i)) {
            double begins = place_along(c, i), ends = next == c->end ? 1 : place_along(c, next);
            add_twist(c, i, sn_vec3_sub(at[next], at[i]), turns_end(c) ? begins : ends, begins);
            next = i;
        }
        if (i == c->head) {
            return;
        }
    }
}

// Whether a segment for twist hangs on the limb, with nothing else between.
static bool hangs_beside(const limb_case *c, uint32_t segment) {
    const sni_body *body = &c->r->target.body;
    if (!body->helps_twist[segment] || is_told(c->r, segment)) {
        return false;
    }
    while (segment != SN_NONE && body->helps_twist[segment]) {
        segment = parent_of(c, segment);
    }
    return segment != SN_NONE && is_of_limb(c, segment);
}

// Segments beside the limb. That of a single segment has its twist already at the elbow or knee:
// what lies beside a forearm has only to go along with the hand.
static void spread_beside(const limb_case *c) {
    for (uint32_t i = 0; i < c->r->target.skeleton->segment_count; ++i) {
        if (hangs_beside(c, i)) {
            double place = place_along(c, i);
            bool whole = c->limb->turns_end && c->count == 1;
            add_twist(c, i, c->way, whole ? 1 : place, place);
        }
    }
}

sn_status sni_retarget_twists(sni_retarget *r, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = r->target.skeleton->segment_count;
    if (r->same_skeleton || !r->desc->spread_twist) {
        return SN_OK;
    }
    SNI_NEW(r->context, r->twists, count);
    for (uint32_t i = 0; i < count; ++i) {
        r->twists[i] = (sni_twist){.head = SN_NONE, .end = SN_NONE};
    }
    for (size_t i = 0; i < sizeof limbs / sizeof *limbs; ++i) {
        for (int side = SNI_SIDE_LEFT; side <= SNI_SIDE_RIGHT; ++side) {
            limb_case c = {.r = r, .limb = &limbs[i], .side = (sni_body_side)side};
            if (find_line(&c)) {
                spread_line(&c);
                spread_beside(&c);
            }
        }
    }
cleanup:
    return status;
}

bool sni_twist_is_shared(const sni_retarget *r, uint32_t segment) {
    return r->twists != NULL && r->twists[segment].head != SN_NONE;
}

sn_quat sni_twist_turn(const sni_twist *twist, sn_quat carrier, sn_quat limb, sn_quat end) {
    sn_quat on_carrier = sn_quat_multiply(sn_quat_conjugate(carrier), limb);
    sn_quat on_limb = sn_quat_multiply(sn_quat_conjugate(limb), end);
    double angle = twist->own * sni_twist_angle(on_carrier, twist->limb) +
                   twist->of_end * sni_twist_angle(on_limb, twist->limb);
    return sn_quat_multiply(limb, sn_quat_from_axis_angle(twist->bone, angle));
}
