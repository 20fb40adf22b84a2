// SPDX-License-Identifier: Apache-2.0
//
// The muscles of a body whose parts are known, as a table: on which line through the body each one
// lies, in which direction from it, and what it moves.
//
//     bone       along an upper arm, forearm, thigh, shin or foot, and on along the next bone
//     mid-line   from the mid-line of the trunk to the shoulder, and on along the upper arm
//     trunk      from between the hips to between the shoulders
//     neck       from the neck's joint to the head's
//     shoulder   from the neck to the shoulder
//
// Directions are angles around the line: from where the joint at the bone's end bends to, or from
// the belly, towards the outside.
#include "fit/propose_drive.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

typedef enum plan_line {
    LINE_BONE,
    LINE_GIRDLE,  // along a bone; angles begin at its outside
    LINE_MIDLINE, // angles begin at the belly, a little towards the loins
    LINE_TRUNK,
    LINE_NECK,
    LINE_SHOULDER, // angles begin above and behind
} plan_line;

typedef enum plan_pull {
    PULL_FLEX,     // the joint at the bone's end
    PULL_EXTEND,   // likewise
    PULL_LIMB,     // the bone's own joint, from what it hangs on
    PULL_CHEST,    // likewise, from the chest
    PULL_SPINE,    // the spine
    PULL_NECK,     // the neck
    PULL_SHOULDER, // the clavicle, or the upper arm of a body without one
} plan_pull;

#define PART(part) (1u << SNI_BODY_##part)
#define TRUNK (PART(NONE) | PART(HIPS) | PART(SPINE) | PART(CLAVICLE))
#define ARM (PART(CLAVICLE) | PART(UPPER_ARM) | PART(FOREARM) | PART(HAND))
#define LEG (PART(HIPS) | PART(THIGH) | PART(SHIN) | PART(FOOT))

typedef struct muscle_plan {
    const char *name;
    sni_body_part part; // of the bone whose side it is on
    plan_line line;
    double turns[2]; // at its origin and insertion, degrees
    double half_angle;
    double range[2]; // of the line
    plan_pull pull;
    sni_strip_action action;
    uint32_t skin; // parts whose skin it lies on
} muscle_plan;

// Flexors shorten most while they work, extensors tense at their full length; and skin over an
// insertion beyond a joint is to stay there. Muscles of the trunk are broad and thin.
#define FLEXOR                                                                                     \
    { 1.4, 0.015, 0.8, 0.20 }
#define EXTENSOR                                                                                   \
    { 0.7, 0, 0.8, 0.20 }
#define GIRDLE                                                                                     \
    { 0.8, 0.015, 0.8, 0.20 }
#define BROAD                                                                                      \
    { 0.5, 0, 0.4, 0.20 }
#define FLAT                                                                                       \
    { 0.5, 0, 0.3, 0.10 }

static const muscle_plan plans[] = {
    {"gluteus",
     SNI_BODY_THIGH,
     LINE_BONE,
     {27, 27},
     50,
     {-0.22, 0.42},
     PULL_LIMB,
     GIRDLE,
     TRUNK | PART(THIGH)},
    {"quadriceps",
     SNI_BODY_THIGH,
     LINE_BONE,
     {180, 180},
     46,
     {0.14, 1.05},
     PULL_EXTEND,
     EXTENSOR,
     LEG},
    {"hamstrings", SNI_BODY_THIGH, LINE_BONE, {0, 0}, 46, {0.14, 0.96}, PULL_FLEX, FLEXOR, LEG},
    {"adductors", SNI_BODY_THIGH, LINE_BONE, {-90, -90}, 26, {0.10, 0.66}, PULL_LIMB, BROAD, LEG},
    {"calf", SNI_BODY_SHIN, LINE_BONE, {180, 180}, 46, {0.06, 0.98}, PULL_EXTEND, EXTENSOR, LEG},
    {"tibialis", SNI_BODY_SHIN, LINE_BONE, {0, 0}, 40, {0.14, 0.96}, PULL_FLEX, FLEXOR, LEG},
    {"toe_extensors",
     SNI_BODY_FOOT,
     LINE_BONE,
     {0, 0},
     36,
     {0.16, 0.98},
     PULL_FLEX,
     FLAT,
     PART(FOOT) | PART(TOES) | PART(SHIN)},
    {"toe_flexors",
     SNI_BODY_FOOT,
     LINE_BONE,
     {180, 180},
     34,
     {0.10, 1.02},
     PULL_EXTEND,
     FLAT,
     PART(FOOT) | PART(TOES)},
    {"deltoid",
     SNI_BODY_UPPER_ARM,
     LINE_GIRDLE,
     {0, 0},
     50,
     {-0.22, 0.42},
     PULL_LIMB,
     GIRDLE,
     TRUNK | PART(UPPER_ARM)},
    {"pectoral",
     SNI_BODY_UPPER_ARM,
     LINE_MIDLINE,
     {0, 0},
     36,
     {0.15, 1.12},
     PULL_CHEST,
     BROAD,
     TRUNK | PART(UPPER_ARM)},
    {"latissimus",
     SNI_BODY_UPPER_ARM,
     LINE_TRUNK,
     {158, 104},
     24,
     {0.22, 0.88},
     PULL_CHEST,
     FLAT,
     TRUNK | PART(UPPER_ARM)},
    {"biceps", SNI_BODY_UPPER_ARM, LINE_BONE, {0, 0}, 46, {0.14, 0.96}, PULL_FLEX, FLEXOR, ARM},
    {"triceps",
     SNI_BODY_UPPER_ARM,
     LINE_BONE,
     {180, 180},
     46,
     {0.14, 1.05},
     PULL_EXTEND,
     EXTENSOR,
     ARM},
    {"wrist_flexors",
     SNI_BODY_FOREARM,
     LINE_BONE,
     {0, 0},
     46,
     {0.08, 0.96},
     PULL_FLEX,
     FLEXOR,
     ARM},
    {"wrist_extensors",
     SNI_BODY_FOREARM,
     LINE_BONE,
     {180, 180},
     46,
     {0.08, 1.02},
     PULL_EXTEND,
     EXTENSOR,
     ARM},
    {"rectus", SNI_BODY_SPINE, LINE_TRUNK, {17, 17}, 15, {0.06, 0.74}, PULL_SPINE, FLAT, TRUNK},
    {"oblique", SNI_BODY_SPINE, LINE_TRUNK, {62, 62}, 26, {0.14, 0.62}, PULL_SPINE, FLAT, TRUNK},
    {"erector", SNI_BODY_SPINE, LINE_TRUNK, {164, 164}, 13, {0.10, 0.94}, PULL_SPINE, FLAT, TRUNK},
    {"sternomastoid",
     SNI_BODY_NECK,
     LINE_NECK,
     {14, 96},
     18,
     {-0.2, 1},
     PULL_NECK,
     BROAD,
     TRUNK | PART(NECK) | PART(HEAD)},
    {"trapezius",
     SNI_BODY_NECK,
     LINE_SHOULDER,
     {0, 0},
     34,
     {0.04, 0.94},
     PULL_SHOULDER,
     BROAD,
     TRUNK | PART(NECK) | PART(UPPER_ARM)},
};
enum { PLAN_COUNT = sizeof plans / sizeof *plans };

// How far joints go while a muscle that pulls them contracts fully, degrees.
static const double limb_turn = 60, spine_turn = 40, shoulder_turn = 20;

// The middle of a muscle of the chest is turned from the belly to the loins, by this tangent. Skin
// further away than this many lengths of the line is that of a narrow, deep trunk, on whose sides
// legs stand: there the muscle would lie between these.
static const double chest_slope = 0.3, deepest_trunk = 1.5;

// A bone of an arm or a leg, its joint and the directions around it.
typedef struct host {
    bool found, has_next;
    sni_bone bone, next;
    sn_vec3 along, outer; // unit, at right angles
    sni_hinge hinge;
} host;

typedef struct planner {
    sni_proposal *job;
    host hosts[SNI_BODY_PART_COUNT][SNI_SIDE_COUNT];
    uint32_t hips, chest, spine, neck, head; // segments; spine: the joint nearest to the waist
} planner;

// ---------------------------------------------------------------------------------------------
// Bones and their joints

static sni_body_part part_after(sni_body_part part) {
    switch (part) {
    case SNI_BODY_UPPER_ARM: return SNI_BODY_FOREARM;
    case SNI_BODY_FOREARM: return SNI_BODY_HAND;
    case SNI_BODY_HAND: return SNI_BODY_MIDDLE;
    case SNI_BODY_THIGH: return SNI_BODY_SHIN;
    case SNI_BODY_SHIN: return SNI_BODY_FOOT;
    case SNI_BODY_FOOT: return SNI_BODY_TOES;
    default: return SNI_BODY_NONE;
    }
}

// The end of the line that limbs have for a segment that nothing known follows.
static sn_vec3 end_of(const sni_proposal *job, uint32_t segment) {
    const sni_limbs *limbs = &job->bones.limbs;
    for (uint32_t i = 0; i < limbs->line_count; ++i) {
        if (limbs->lines[i].segment == segment) {
            return limbs->lines[i].to;
        }
    }
    return sni_propose_joint(job, segment);
}

static bool find_bone(const sni_proposal *job, sni_body_part part, sni_body_side side,
                      sni_bone *bone) {
    uint32_t first = sni_body_first(&job->body, part, side);
    uint32_t next = sni_body_first(&job->body, part_after(part), side);
    if (part == SNI_BODY_NONE || first == SN_NONE) {
        return false;
    }
    *bone = (sni_bone){.first = first, .last = sni_body_last(&job->body, part, side)};
    bone->from = sni_propose_joint(job, first);
    bool follows = next != SN_NONE && part_after(part) != SNI_BODY_NONE;
    bone->to = follows ? sni_propose_joint(job, next) : end_of(job, bone->last);
    bone->length = sn_vec3_distance(bone->from, bone->to);
    return true;
}

// Where the palm of a hand faces: at right angles to the fingers and to the way from the little
// finger to the thumb. Without fingers it faces down when the arm is spread, and to the body when
// it hangs down; a paw faces back.
static sn_vec3 palm_of(const sni_proposal *job, sni_body_side side, const sni_bone *forearm) {
    const sni_anatomy *a = &job->anatomy;
    const sni_body *body = &job->body;
    uint32_t hand = sni_body_first(body, SNI_BODY_HAND, side);
    uint32_t thumb = sni_body_first(body, SNI_BODY_INDEX, side);
    uint32_t little = sni_body_first(body, SNI_BODY_LITTLE, side);
    sn_vec3 along = sn_vec3_normalize_or(sn_vec3_sub(forearm->to, forearm->from), a->cranial);
    sn_vec3 outwards = sni_anatomy_outwards(a, forearm->from);
    double sense = sn_vec3_dot(outwards, a->left);
    if (thumb == SN_NONE || little == SN_NONE) {
        thumb = sni_body_last(body, SNI_BODY_THUMB, side);
        little = hand;
    }
    if (thumb != SN_NONE && little != SN_NONE) {
        sn_vec3 across = sn_vec3_sub(sni_propose_joint(job, thumb), sni_propose_joint(job, little));
        sn_vec3 palm = sn_vec3_cross(along, across);
        if (sn_vec3_length(palm) > 0.2 * sn_vec3_length(across)) {
            return sn_vec3_scale(palm, sense);
        }
    }
    sn_vec3 palm = sn_vec3_scale(sn_vec3_cross(along, a->ventral), sense);
    return sn_vec3_add_scaled(palm, fabs(sn_vec3_dot(along, a->ventral)),
                              sn_vec3_cross(a->left, along));
}

// Where the joint at the end of a bone bends to. The front of a limb that hangs down from the body,
// or lies under it, is at right angles to it and to the axis from left to right.
static sni_hinge_hint hint_of(const sni_proposal *job, sni_body_part part, sni_body_side side,
                              const host *h) {
    static const double degree = SN_PI / 180;
    const sni_anatomy *a = &job->anatomy;
    sn_vec3 front = sn_vec3_cross(h->along, a->left);
    double spread = fabs(sn_vec3_dot(h->along, a->left));
    switch (part) {
    case SNI_BODY_UPPER_ARM: // an arm that is spread bends to the belly
        return (sni_hinge_hint){sn_vec3_add_scaled(front, spread, a->ventral), true, 140 * degree,
                                0};
    case SNI_BODY_FOREARM:
        return (sni_hinge_hint){palm_of(job, side, &h->bone), false, 75 * degree, 60 * degree};
    case SNI_BODY_THIGH: return (sni_hinge_hint){sn_vec3_scale(front, -1), true, 140 * degree, 0};
    case SNI_BODY_SHIN: return (sni_hinge_hint){front, false, 30 * degree, 45 * degree};
    default: return (sni_hinge_hint){front, false, 45 * degree, 30 * degree};
    }
}

// Away from the body: sideways; above, where an arm is spread.
static sn_vec3 outer_of(const sni_proposal *job, const host *h) {
    const sni_anatomy *a = &job->anatomy;
    sn_vec3 outwards = sni_anatomy_outwards(a, h->bone.from);
    double spread = fmin(fmax(sn_vec3_dot(h->along, outwards), 0), 1);
    return sni_propose_level(sn_vec3_lerp(outwards, a->cranial, spread), h->along);
}

static void find_host(planner *p, sni_body_part part, sni_body_side side) {
    const sni_proposal *job = p->job;
    host *h = &p->hosts[part][side];
    h->found = find_bone(job, part, side, &h->bone);
    if (!h->found) {
        return;
    }
    sn_vec3 way = sn_vec3_sub(h->bone.to, h->bone.from);
    h->along = sn_vec3_normalize_or(way, sn_vec3_scale(job->anatomy.cranial, -1));
    h->outer = outer_of(job, h);
    h->has_next = find_bone(job, part_after(part), side, &h->next);
    sni_hinge_hint hint = hint_of(job, part, side, h);
    h->hinge.flexor = sni_propose_level(hint.flexor, h->along);
    if (h->has_next) {
        sni_hinge_find(job, &h->bone, &h->next, &hint, &h->hinge);
    }
}

static void find_hosts(planner *p) {
    static const sni_body_part parts[] = {SNI_BODY_UPPER_ARM, SNI_BODY_FOREARM, SNI_BODY_THIGH,
                                          SNI_BODY_SHIN, SNI_BODY_FOOT};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        host *sides = p->hosts[parts[i]];
        find_host(p, parts[i], SNI_SIDE_LEFT);
        find_host(p, parts[i], SNI_SIDE_RIGHT);
        // Both sides are driven alike, also where their joints are rolled differently.
        if (sides[SNI_SIDE_LEFT].has_next && sides[SNI_SIDE_RIGHT].has_next) {
            bool aligned =
                sides[SNI_SIDE_LEFT].hinge.aligned && sides[SNI_SIDE_RIGHT].hinge.aligned;
            sides[SNI_SIDE_LEFT].hinge.aligned = sides[SNI_SIDE_RIGHT].hinge.aligned = aligned;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// The trunk

// The next limb above a segment of either side; SN_NONE.
static uint32_t above(const sni_proposal *job, sni_body_part part) {
    for (int side = SNI_SIDE_LEFT; side <= SNI_SIDE_RIGHT; ++side) {
        uint32_t segment = sni_body_first(&job->body, part, (sni_body_side)side);
        if (segment != SN_NONE) {
            return job->bones.limbs.parents[segment];
        }
    }
    return SN_NONE;
}

static void find_trunk(planner *p) {
    const sni_proposal *job = p->job;
    const sni_body *body = &job->body;
    sn_vec3 waist = sn_vec3_lerp(job->anatomy.pelvis, job->anatomy.chest, 0.4);
    double nearest = INFINITY;
    p->hips = sni_body_first(body, SNI_BODY_HIPS, SNI_SIDE_NONE);
    p->hips = p->hips != SN_NONE ? p->hips : above(job, SNI_BODY_THIGH);
    p->chest = sni_body_last(body, SNI_BODY_SPINE, SNI_SIDE_NONE);
    p->chest = p->chest != SN_NONE ? p->chest : above(job, SNI_BODY_CLAVICLE);
    p->chest = p->chest != SN_NONE ? p->chest : above(job, SNI_BODY_UPPER_ARM);
    p->spine = p->chest != p->hips ? p->chest : SN_NONE;
    p->neck = sni_body_first(body, SNI_BODY_NECK, SNI_SIDE_NONE);
    p->head = sni_body_first(body, SNI_BODY_HEAD, SNI_SIDE_NONE);
    for (uint32_t i = 0; i < body->count[SNI_BODY_SPINE][SNI_SIDE_NONE]; ++i) {
        uint32_t s = body->members[body->first[SNI_BODY_SPINE][SNI_SIDE_NONE] + i];
        double distance = sn_vec3_distance(sni_propose_joint(job, s), waist);
        if (s != p->hips && distance < nearest) {
            nearest = distance;
            p->spine = s;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Strips

// The direction at an angle from `fore` towards `outer`, at right angles to `along`.
static sn_vec3 direction_at(sn_vec3 along, sn_vec3 fore, sn_vec3 outer, double degrees) {
    sn_vec3 across = sn_vec3_cross(along, fore);
    double sense = sn_vec3_dot(across, outer) < 0 ? -1 : 1, angle = degrees * SN_PI / 180;
    return sn_vec3_add_scaled(sn_vec3_scale(fore, cos(angle)), sense * sin(angle), across);
}

static void set_sides(const muscle_plan *plan, sn_vec3 fore, sn_vec3 outer, sni_strip *strip) {
    sn_vec3 along = sn_vec3_normalize_or(sn_vec3_sub(strip->to, strip->from), outer);
    fore = sni_propose_level(fore, along);
    for (int k = 0; k < 2; ++k) {
        strip->sides[k] = direction_at(along, fore, outer, plan->turns[k]);
    }
}

// The line of a muscle from one place of the mid-line to another, on one side.
static void set_trunk_line(const planner *p, const muscle_plan *plan, sn_vec3 lateral,
                           sni_strip *strip) {
    const sni_anatomy *a = &p->job->anatomy;
    if (plan->line == LINE_TRUNK) {
        strip->from = a->pelvis;
        strip->to = a->chest;
    } else {
        strip->from = sni_propose_joint(p->job, p->neck);
        strip->to = sni_propose_joint(p->job, p->head);
    }
    strip->beyond = sn_vec3_add(strip->to, sn_vec3_sub(strip->to, strip->from));
    set_sides(plan, a->ventral, lateral, strip);
    strip->outer = strip->sides[0];
}

static void set_midline(const planner *p, const muscle_plan *plan, const host *h,
                        sni_strip *strip) {
    const sni_anatomy *a = &p->job->anatomy;
    double away = sn_vec3_dot(sn_vec3_sub(h->bone.from, a->middle), a->left);
    strip->from = sn_vec3_add_scaled(h->bone.from, -away, a->left);
    strip->to = h->bone.from;
    strip->beyond = h->bone.to;
    set_sides(plan, sn_vec3_add_scaled(a->ventral, -chest_slope, a->cranial), h->outer, strip);
    strip->outer = strip->sides[0];
    strip->farthest = deepest_trunk * fabs(away);
}

static void set_shoulder(const planner *p, const muscle_plan *plan, const host *h,
                         sni_strip *strip) {
    const sni_anatomy *a = &p->job->anatomy;
    sn_vec3 neck = sni_propose_joint(p->job, p->neck);
    strip->from = sn_vec3_lerp(neck, sni_propose_joint(p->job, p->head), 0.75);
    strip->to = h->bone.from;
    strip->beyond = h->bone.to;
    set_sides(plan, sn_vec3_add_scaled(a->cranial, -0.7, a->ventral), h->outer, strip);
    strip->outer = strip->sides[0];
}

static void set_bone_line(const muscle_plan *plan, const host *h, sni_strip *strip) {
    strip->from = h->bone.from;
    strip->to = h->bone.to;
    strip->beyond = h->has_next ? h->next.to : h->bone.to;
    set_sides(plan, plan->line == LINE_GIRDLE ? h->outer : h->hinge.flexor, h->outer, strip);
    strip->outer = h->outer;
}

static sni_strip strip_of(const planner *p, const muscle_plan *plan, sni_body_side side) {
    const host *arm = &p->hosts[SNI_BODY_UPPER_ARM][side], *leg = &p->hosts[SNI_BODY_THIGH][side];
    sni_strip strip = {.range = {plan->range[0], plan->range[1]},
                       .half_angle = plan->half_angle * SN_PI / 180,
                       .farthest = INFINITY};
    sn_vec3 limb = arm->found ? arm->bone.from : leg->bone.from;
    switch (plan->line) {
    case LINE_BONE:
    case LINE_GIRDLE: set_bone_line(plan, &p->hosts[plan->part][side], &strip); break;
    case LINE_MIDLINE: set_midline(p, plan, arm, &strip); break;
    case LINE_SHOULDER: set_shoulder(p, plan, arm, &strip); break;
    default: set_trunk_line(p, plan, sni_anatomy_outwards(&p->job->anatomy, limb), &strip); break;
    }
    return strip;
}

// ---------------------------------------------------------------------------------------------
// What they move

static sni_pull pull_hinge(const host *h, bool flexes) {
    sn_vec3 side = sn_vec3_scale(h->hinge.flexor, flexes ? 1 : -1);
    double angle = flexes ? h->hinge.flexion : h->hinge.extension;
    return (sni_pull){.origin = h->bone.first,
                      .insertion = h->next.first,
                      .joint = h->next.first,
                      .axis = sn_vec3_cross(h->along, side),
                      .angle = angle,
                      .hinge = &h->hinge,
                      .hinge_angle = flexes ? angle : -angle};
}

static sni_pull pull_of(const planner *p, const muscle_plan *plan, sni_body_side side) {
    const host *h = &p->hosts[plan->part][side], *arm = &p->hosts[SNI_BODY_UPPER_ARM][side];
    uint32_t clavicle = sni_body_first(&p->job->body, SNI_BODY_CLAVICLE, side);
    uint32_t bone = h->bone.first;
    sni_pull pull = {.angle = limb_turn * SN_PI / 180};
    switch (plan->pull) {
    case PULL_FLEX: return pull_hinge(h, true);
    case PULL_EXTEND: return pull_hinge(h, false);
    case PULL_LIMB:
        pull.origin = p->job->bones.limbs.parents[bone];
        pull.insertion = pull.joint = bone;
        break;
    case PULL_CHEST:
        pull.origin = p->chest;
        pull.insertion = pull.joint = bone;
        break;
    case PULL_SPINE:
        pull = (sni_pull){p->hips, p->chest, p->spine, .angle = spine_turn * SN_PI / 180};
        break;
    case PULL_NECK:
        pull = (sni_pull){p->chest, p->head, p->neck, .angle = spine_turn * SN_PI / 180};
        break;
    case PULL_SHOULDER:
        pull.origin = p->neck;
        pull.insertion = pull.joint = clavicle != SN_NONE ? clavicle : arm->bone.first;
        pull.angle = clavicle != SN_NONE ? shoulder_turn * SN_PI / 180 : pull.angle;
        break;
    }
    return pull;
}

// ---------------------------------------------------------------------------------------------
// Muscles

// Why a muscle cannot be where the body lacks what it moves; NULL where nothing is missing.
static const char *what_is_missing(const planner *p, const muscle_plan *plan, sni_body_side side) {
    const host *h = &p->hosts[plan->part][side], *arm = &p->hosts[SNI_BODY_UPPER_ARM][side];
    bool by_hinge = plan->pull == PULL_FLEX || plan->pull == PULL_EXTEND;
    bool is_limb = plan->part >= SNI_BODY_UPPER_ARM && plan->part < SNI_BODY_FOOT;
    if (plan->part >= SNI_BODY_UPPER_ARM && !h->found) {
        return "the body has no such bone";
    }
    if (is_limb && h->bone.length < p->job->smallest * p->job->skins.size) {
        return "too short";
    }
    if (by_hinge && !h->has_next) {
        return "no joint follows the bone";
    }
    if (plan->part == SNI_BODY_NECK && (p->neck == SN_NONE || p->head == SN_NONE || !arm->found)) {
        return "the body has no neck between head and shoulders";
    }
    if (plan->pull == PULL_SPINE && (p->spine == SN_NONE || p->hips == SN_NONE)) {
        return "the trunk has no joint";
    }
    if (plan->pull == PULL_CHEST && p->chest == SN_NONE) {
        return "the body has no trunk";
    }
    if (plan->pull == PULL_LIMB && p->job->bones.limbs.parents[h->bone.first] == SN_NONE) {
        return "the limb hangs on nothing";
    }
    return NULL;
}

static void mark_skin(const planner *p, const muscle_plan *plan, sni_body_side side) {
    const sni_proposal *job = p->job;
    for (uint32_t i = 0; i < job->skeleton->segment_count; ++i) {
        sni_body_role region = job->anatomy.regions[i];
        bool is_here = region.side == SNI_SIDE_NONE || region.side == side;
        job->skins.marks[i] = is_here && (plan->skin >> region.part & 1) != 0;
    }
}

// Whether two lines mirror each other.
static bool mirrors(const sni_proposal *job, const sni_strip *a, const sni_strip *b) {
    double slack = 0.01 * job->skins.size;
    return job->bones.has_plane &&
           sn_vec3_distance(sni_bones_mirror(&job->bones, a->from), b->from) < slack &&
           sn_vec3_distance(sni_bones_mirror(&job->bones, a->to), b->to) < slack;
}

// Lays one muscle; `other` is the same one of the left side, or SN_NONE. Sets `made`.
static sn_status lay(planner *p, const muscle_plan *plan, sni_body_side side, uint32_t other,
                     uint32_t *made, sn_error *error) {
    sni_proposal *job = p->job;
    sn_layout_muscle muscle = {.group = "muscle"};
    const char *against = what_is_missing(p, plan, side);
    sn_status status = SN_OK;
    *made = SN_NONE;
    muscle.name =
        sni_layout_text(job->layout, "%s_%c", plan->name, side == SNI_SIDE_LEFT ? 'L' : 'R');
    if (against == NULL) {
        sni_strip strip = strip_of(p, plan, side), left = strip_of(p, plan, SNI_SIDE_LEFT);
        sni_pull pull = pull_of(p, plan, side);
        bool found = false;
        mark_skin(p, plan, side);
        if (other != SN_NONE && mirrors(job, &left, &strip)) {
            SN_TRY(sni_strip_mirror(job, &job->layout->muscles[other], &muscle, &found, error));
        }
        if (!found) {
            SN_TRY(sni_strip_cast(job, &strip, &plan->action, &muscle, &found, error));
        }
        against = found ? NULL : "rays from the bone meet too little skin of that part";
        if (found) {
            SN_TRY(sni_propose_drive(job, &pull, &muscle, &against, error));
        }
    }
    if (against != NULL) {
        return sni_layout_skip(job->layout, muscle.name, against, error);
    }
    *made = job->layout->muscle_count;
    status = sni_layout_add(job->layout, &muscle, error);
cleanup:
    return status;
}

sn_status sni_propose_known(sni_proposal *job, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    planner p = {.job = job};
    if (!job->anatomy.known) {
        return SN_OK;
    }
    find_hosts(&p);
    find_trunk(&p);
    for (uint32_t i = 0; i < PLAN_COUNT; ++i) {
        uint32_t left, right;
        SN_TRY(sni_progress(progress, "proposing muscles", 0.5 * i / PLAN_COUNT, error));
        SN_TRY(lay(&p, &plans[i], SNI_SIDE_LEFT, SN_NONE, &left, error));
        SN_TRY(lay(&p, &plans[i], SNI_SIDE_RIGHT, left, &right, error));
    }
cleanup:
    return status;
}
