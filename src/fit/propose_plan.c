// SPDX-License-Identifier: Apache-2.0
//
// The muscles of a body whose parts are known, as a table: on which line through the body each one
// lies, in which direction from it, and what it moves.
//
//     bone       along an upper arm, forearm, thigh, shin or foot, and on along the next bone
//     mid-line   from the mid-line of the trunk to the shoulder, and on along the upper arm
//     back       likewise, from the mid-line at the loins
//     trunk      from between the hips to between the shoulders
//     neck       from the neck's joint to the head's
//     shoulder   from the neck to the shoulder
//     scapula    from the mid-line of the back to the shoulder
//
// Directions are angles around the line: from where the joint at the bone's end bends to, or from
// the belly, towards the outside.
#include "fit/propose_lay.h"
#include "fit/propose_parts.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

typedef enum plan_line {
    LINE_BONE,
    LINE_GIRDLE,  // along a bone; angles begin at its outside
    LINE_MIDLINE, // angles begin at the belly, a little towards the loins
    LINE_BACK,
    LINE_TRUNK,
    LINE_NECK,
    LINE_SHOULDER, // angles begin above and behind
    LINE_SCAPULA,
} plan_line;

typedef enum plan_pull {
    PULL_FLEX,     // the joint at the bone's end
    PULL_EXTEND,   // likewise
    PULL_LIMB,     // the bone's own joint, from what it hangs on
    PULL_CHEST,    // likewise, from the chest
    PULL_SPINE,    // the spine
    PULL_NECK,     // the neck
    PULL_SHOULDER, // the clavicle, or the upper arm of a body without one, from the neck
    PULL_SCAPULA,  // likewise, from the chest
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
    { 0.35, 0, 0.4, 0.20 }
#define FLAT                                                                                       \
    { 0.5, 0, 0.3, 0.10 }

static const muscle_plan plans[] = {
    {"gluteus",
     SNI_BODY_THIGH,
     LINE_BONE,
     {4, 42},
     50,
     {-0.24, 0.42},
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
    {"abductors",
     SNI_BODY_THIGH,
     LINE_BONE,
     {90, 104},
     30,
     {-0.2, 0.4},
     PULL_LIMB,
     BROAD,
     TRUNK | LEG},
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
     LINE_BACK,
     {0, 0},
     34,
     {0.1, 1.14},
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
     SNI_BODY_UPPER_ARM,
     LINE_SCAPULA,
     {0, 0},
     40,
     {0.08, 0.9},
     PULL_SCAPULA,
     FLAT,
     TRUNK | PART(NECK) | PART(UPPER_ARM)},
    {"upper_trapezius",
     SNI_BODY_NECK,
     LINE_SHOULDER,
     {0, 0},
     34,
     {0.1, 1.8},
     PULL_SHOULDER,
     BROAD,
     TRUNK | PART(NECK) | PART(HEAD) | PART(UPPER_ARM)},
};
enum { PLAN_COUNT = sizeof plans / sizeof *plans };

// How far joints go while a muscle that pulls them contracts fully, degrees.
static const double limb_turn = 60, spine_turn = 40, shoulder_turn = 20;

// The middle of a muscle of the chest is turned from the belly to the loins, by this tangent. Skin
// further away than this many lengths of the line is that of a narrow, deep trunk, on whose sides
// legs stand: there the muscle would lie between these.
static const double chest_slope = 0.3, deepest_trunk = 1.5;

// The line of a muscle of the back begins at this part of the trunk's height. From straight behind
// it is turned to the loins, by these tangents at its ends.
static const double back_begin = 0.3, back_slopes[2] = {0.2, 0.8};

// A muscle of the upper back is turned from straight behind to the neck by this tangent.
static const double scapula_slope = 0.25;

// The line over a shoulder begins at this part of the neck's length, and bends at this part of the
// way from the neck to the shoulder.
static const double shoulder_begin = 0.6, shoulder_bend = 0.3;

// Where on the upper arm muscles of chest and back are inserted.
// How far the tendon of a flexor goes on along the next bone, as a part of the way to its end; and
// how much further muscles may go, in lengths of the bone.
static const double chest_insertion = 0.2;
static const double flexor_tendon = 0.15, origin_reach = 0.2, insertion_reach = 0.35;

typedef struct planner {
    sni_proposal *job;
    sni_parts parts;
} planner;

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
        strip->from = sni_propose_joint(p->job, p->parts.neck);
        strip->to = sni_propose_joint(p->job, p->parts.head);
    }
    strip->beyond = sn_vec3_add(strip->to, sn_vec3_sub(strip->to, strip->from));
    set_sides(plan, a->ventral, lateral, strip);
    strip->outer = strip->sides[0];
}

static void set_midline(const planner *p, const muscle_plan *plan, const sni_part_bone *arm,
                        sni_strip *strip) {
    const sni_anatomy *a = &p->job->anatomy;
    double away = sn_vec3_dot(sn_vec3_sub(arm->bone.from, a->middle), a->left);
    strip->from = sn_vec3_add_scaled(arm->bone.from, -away, a->left);
    strip->to = arm->bone.from;
    strip->beyond = arm->bone.to;
    set_sides(plan, sn_vec3_add_scaled(a->ventral, -chest_slope, a->cranial), arm->outer, strip);
    strip->outer = strip->sides[0];
    strip->farthest = deepest_trunk * fabs(away);
}

// Behind the loins it lies on the back, at the arm below and behind it.
static void set_back(const planner *p, const sni_part_bone *arm, sni_strip *strip) {
    const sni_anatomy *a = &p->job->anatomy;
    sn_vec3 dorsal = sn_vec3_scale(a->ventral, -1);
    strip->from = sn_vec3_lerp(a->pelvis, a->chest, back_begin);
    strip->to = arm->bone.from;
    strip->beyond = arm->bone.to;
    sn_vec3 along = sn_vec3_normalize_or(sn_vec3_sub(strip->to, strip->from), a->cranial);
    for (int k = 0; k < 2; ++k) {
        sn_vec3 side = sn_vec3_add_scaled(dorsal, -back_slopes[k], a->cranial);
        strip->sides[k] = sni_propose_level(side, along);
    }
    strip->outer = strip->sides[0];
}

// Behind the shoulder, a little above.
static void set_scapula(const planner *p, const sni_part_bone *arm, sni_strip *strip) {
    const sni_anatomy *a = &p->job->anatomy;
    double away = sn_vec3_dot(sn_vec3_sub(arm->bone.from, a->middle), a->left);
    strip->from = sn_vec3_add_scaled(arm->bone.from, -away, a->left);
    strip->to = arm->bone.from;
    strip->beyond = arm->bone.to;
    sn_vec3 along = sn_vec3_normalize_or(sn_vec3_sub(strip->to, strip->from), a->left);
    sn_vec3 side = sn_vec3_sub(sn_vec3_scale(a->cranial, scapula_slope), a->ventral);
    strip->sides[0] = strip->sides[1] = strip->outer = sni_propose_level(side, along);
    strip->farthest = deepest_trunk * fabs(away);
}

// Down the neck and then out to the shoulder, since a straight line would leave the body between
// them.
static void set_shoulder(const planner *p, const muscle_plan *plan, const sni_part_bone *arm,
                         sni_strip *strip) {
    const sni_anatomy *a = &p->job->anatomy;
    sn_vec3 neck = sni_propose_joint(p->job, p->parts.neck);
    strip->from = sn_vec3_lerp(neck, sni_propose_joint(p->job, p->parts.head), shoulder_begin);
    strip->to = sn_vec3_lerp(neck, arm->bone.from, shoulder_bend);
    strip->beyond = arm->bone.from;
    set_sides(plan, sn_vec3_add_scaled(a->cranial, -0.7, a->ventral), arm->outer, strip);
    strip->outer = strip->sides[0];
}

static void set_bone_line(const muscle_plan *plan, const sni_part_bone *h, sni_strip *strip) {
    strip->from = h->bone.from;
    strip->to = h->bone.to;
    strip->beyond = h->has_next ? h->next.to : h->bone.to;
    set_sides(plan, plan->line == LINE_GIRDLE ? h->outer : h->hinge.flexor, h->outer, strip);
    strip->outer = plan->turns[0] < 0 ? strip->sides[0] : h->outer; // inside stays inside
}

static sni_strip strip_of(const planner *p, const muscle_plan *plan, sni_body_side side) {
    const sni_part_bone *arm = &p->parts.bones[SNI_BODY_UPPER_ARM][side];
    const sni_part_bone *leg = &p->parts.bones[SNI_BODY_THIGH][side];
    sni_strip strip = {.range = {plan->range[0], plan->range[1]},
                       .half_angle = plan->half_angle * SN_PI / 180,
                       .farthest = INFINITY};
    sn_vec3 limb = arm->found ? arm->bone.from : leg->bone.from;
    switch (plan->line) {
    case LINE_BONE:
    case LINE_GIRDLE: set_bone_line(plan, &p->parts.bones[plan->part][side], &strip); break;
    case LINE_MIDLINE: set_midline(p, plan, arm, &strip); break;
    case LINE_SCAPULA: set_scapula(p, arm, &strip); break;
    case LINE_BACK: set_back(p, arm, &strip); break;
    case LINE_SHOULDER: set_shoulder(p, plan, arm, &strip); break;
    default: set_trunk_line(p, plan, sni_anatomy_outwards(&p->job->anatomy, limb), &strip); break;
    }
    return strip;
}

// ---------------------------------------------------------------------------------------------
// What they move

// A flexor reaches on along the bone that it bends; an extensor ends on the far side of the joint,
// on the knee-cap, the elbow or the heel.
static sni_pull pull_hinge(const sni_part_bone *h, bool flexes) {
    sn_vec3 side = sn_vec3_scale(h->hinge.flexor, flexes ? 1 : -1);
    double angle = flexes ? h->hinge.flexion : h->hinge.extension;
    return (sni_pull){.origin = h->bone.first,
                      .insertion = h->next.first,
                      .joint = h->next.first,
                      .axis = sn_vec3_cross(h->along, side),
                      .angle = angle,
                      .side = side,
                      .tendon = flexes && h->bone.role.part != SNI_BODY_FOOT ? flexor_tendon : 0,
                      .beyond = h->next.to,
                      .hinge = &h->hinge,
                      .hinge_angle = flexes ? angle : -angle};
}

static sni_pull pull_spine(const sni_parts *parts) {
    return (sni_pull){.origin = parts->hips,
                      .insertion = parts->chest,
                      .joint = parts->spine.joint,
                      .moves_origin = parts->spine.carries_pelvis,
                      .angle = spine_turn * SN_PI / 180};
}

static sni_pull pull_of(const planner *p, const muscle_plan *plan, sni_body_side side) {
    const sni_part_bone *h = &p->parts.bones[plan->part][side];
    const sni_part_bone *arm = &p->parts.bones[SNI_BODY_UPPER_ARM][side];
    uint32_t clavicle = sni_body_first(&p->job->body, SNI_BODY_CLAVICLE, side);
    uint32_t bone = h->bone.first;
    sni_pull pull = {.angle = limb_turn * SN_PI / 180};
    switch (plan->pull) {
    case PULL_FLEX: return pull_hinge(h, true);
    case PULL_EXTEND: return pull_hinge(h, false);
    case PULL_SPINE: return pull_spine(&p->parts);
    case PULL_LIMB:
        pull.origin = p->job->bones.limbs.parents[bone];
        pull.insertion = pull.joint = bone;
        break;
    case PULL_CHEST: // on the bone, wherever the skin of the trunk ends
        pull.origin = p->parts.chest;
        pull.insertion = pull.joint = bone;
        pull.beyond = sn_vec3_lerp(h->bone.from, h->bone.to, chest_insertion);
        pull.tendon = 1;
        break;
    case PULL_NECK:
        pull = (sni_pull){.origin = p->parts.chest,
                          .insertion = p->parts.head,
                          .joint = p->parts.neck,
                          .angle = spine_turn * SN_PI / 180};
        break;
    case PULL_SHOULDER:
    case PULL_SCAPULA:
        pull.origin = plan->pull == PULL_SHOULDER ? p->parts.neck : p->parts.chest;
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
    const sni_part_bone *h = &p->parts.bones[plan->part][side];
    const sni_part_bone *arm = &p->parts.bones[SNI_BODY_UPPER_ARM][side];
    bool by_hinge = plan->pull == PULL_FLEX || plan->pull == PULL_EXTEND;
    bool is_limb = plan->part >= SNI_BODY_UPPER_ARM && plan->part < SNI_BODY_FOOT;
    if (plan->part >= SNI_BODY_UPPER_ARM && !h->found) {
        return "the skeleton has no such bone, or the skin does not follow it";
    }
    if (is_limb && h->bone.length < p->job->smallest * p->job->skins.size) {
        return "the bone is too short";
    }
    if (by_hinge && !h->has_next) {
        return "no joint follows the bone";
    }
    if (by_hinge && h->hinge.fixed) {
        return "the limits of the joint do not let it bend";
    }
    if (plan->part == SNI_BODY_NECK &&
        (p->parts.neck == SN_NONE || p->parts.head == SN_NONE || p->parts.chest == SN_NONE)) {
        return "the skeleton has no neck between head and chest";
    }
    if (plan->part == SNI_BODY_NECK && plan->pull == PULL_SHOULDER && !arm->found) {
        return "the skeleton has no arm on that side";
    }
    if (plan->pull == PULL_SPINE && p->parts.spine.joint == SN_NONE) {
        return "no joint bends the trunk";
    }
    if ((plan->pull == PULL_CHEST || plan->pull == PULL_SCAPULA) && p->parts.chest == SN_NONE) {
        return "the skeleton has no chest";
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

// How much further its ends may lie than the table says. What turns a limb on the trunk may begin
// further inwards, and what moves the next bone may end further down on it.
static void set_reach(const muscle_plan *plan, double reach[2]) {
    bool by_hinge = plan->pull == PULL_FLEX || plan->pull == PULL_EXTEND;
    reach[0] = plan->pull == PULL_LIMB ? origin_reach : 0;
    reach[1] = by_hinge ? insertion_reach : 0;
}

// Lays one muscle; `other` is the same one of the other side, or SN_NONE. Sets `made`.
static sn_status lay(planner *p, const muscle_plan *plan, sni_body_side side, uint32_t other,
                     uint32_t *made, sn_error *error) {
    sni_proposal *job = p->job;
    const char *against = what_is_missing(p, plan, side);
    const char *name =
        sni_layout_text(job->layout, "%s_%c", plan->name, side == SNI_SIDE_LEFT ? 'L' : 'R');
    *made = SN_NONE;
    if (against != NULL) {
        return sni_layout_skip(job->layout, name, against, error);
    }
    sni_muscle_idea idea = {.name = name,
                            .strip = strip_of(p, plan, side),
                            .action = plan->action,
                            .pull = pull_of(p, plan, side),
                            .other = SN_NONE};
    set_reach(plan, idea.reach);
    if (other != SN_NONE) {
        sni_strip beside =
            strip_of(p, plan, side == SNI_SIDE_LEFT ? SNI_SIDE_RIGHT : SNI_SIDE_LEFT);
        idea.other = mirrors(job, &beside, &idea.strip) ? other : SN_NONE;
    }
    mark_skin(p, plan, side);
    return sni_propose_lay(job, &idea, made, error);
}

// Lays a muscle of both sides. What cannot be made by itself on the left may be the mirror image of
// the right one.
static sn_status lay_pair(planner *p, const muscle_plan *plan, sn_error *error) {
    sn_muscle_layout *layout = p->job->layout;
    uint32_t left, right, skip = layout->skip_count;
    sn_status status = lay(p, plan, SNI_SIDE_LEFT, SN_NONE, &left, error);
    status = status == SN_OK ? lay(p, plan, SNI_SIDE_RIGHT, left, &right, error) : status;
    if (status == SN_OK && left == SN_NONE && right != SN_NONE) {
        layout->skip_count = skip; // the left one is noted again if it still cannot be
        status = lay(p, plan, SNI_SIDE_LEFT, right, &left, error);
    }
    return status;
}

sn_status sni_propose_known(sni_proposal *job, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    planner p = {.job = job};
    if (!job->anatomy.known) {
        return SN_OK;
    }
    sni_parts_init(job, &p.parts);
    for (uint32_t i = 0; i < PLAN_COUNT; ++i) {
        SN_TRY(sni_progress(progress, "proposing muscles", 0.5 * i / PLAN_COUNT, error));
        SN_TRY(lay_pair(&p, &plans[i], error));
    }
cleanup:
    return status;
}
