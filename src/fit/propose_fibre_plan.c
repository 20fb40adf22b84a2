// SPDX-License-Identifier: Apache-2.0
//
// The muscles of a known body as fibres, as a table. A place is given by the line that it lies
// beside, how far along it, the direction from it in degrees, the depth from the line (0) to the
// skin (1), and the segment that carries it:
//
//     UPPER_ARM FOREARM THIGH SHIN FOOT   along a bone, 0 at its joint, 1 at the next one; 0
//     degrees
//                                         is where the joint at its end bends to (front of the arm,
//                                         palm, back of the thigh, front of the shin, back of the
//                                         foot), 90 the outside
//     ULNA                                along the forearm; 0 degrees is where the elbow bends to
//     TRUNK                               from between the hips to between the shoulders; 0 degrees
//                                         is the belly, 90 the side, 180 the back
//     NECK                                from the neck's joint to the head's, likewise
//     SHOULDER                            from the mid-line to the shoulder; 0 degrees is above, 90
//                                         the back
//
// Sizes are parts of the distance of the skin from these lines, so that they fit any body. Places
// follow the attachments of H. Gray, "Anatomy of the Human Body" (1918), as far as the joints of a
// rig have them.
#include "fit/propose_fibre.h"
#include "fit/propose_parts.h"

#include "base/context.h"

#include <math.h>

typedef enum place_line {
    ON_UPPER_ARM,
    ON_FOREARM,
    ON_THIGH,
    ON_SHIN,
    ON_FOOT,
    ON_ULNA,
    ON_TRUNK,
    ON_NECK,
    ON_SHOULDER,
} place_line;

typedef enum place_carrier {
    BY_BONE,     // the line's own
    BY_NEXT,     // the bone after it
    BY_GIRDLE,   // what the limb hangs on: clavicle, hips
    BY_SHOULDER, // the clavicle; the upper arm of a body without one
    BY_HIPS,
    BY_SPINE, // the part of the trunk that the place is in
    BY_CHEST,
    BY_NECK,
    BY_HEAD,
} place_carrier;

typedef struct place {
    place_line line;
    double along, turn, depth;
    place_carrier carrier;
} place;

typedef enum plan_move {
    MOVE_FLEX, // the joint at the end of the part's bone
    MOVE_EXTEND,
    MOVE_LIMB,     // the part's own joint
    MOVE_SHOULDER, // the clavicle; the upper arm of a body without one
    MOVE_SPINE,
    MOVE_NECK,
} plan_move;

typedef struct fibre_plan {
    const char *name;
    sni_body_part part; // that it moves, or that the joint it moves is at the end of
    plan_move move;
    uint32_t count;
    place places[SNI_FIBRE_SPOTS];
    uint32_t fibres; // 1; more: a bundle
    place seconds[2];
    double wide, thick; // half, as parts of the mean distance of the skin
    uint32_t rest[2], active[2];
    double stiffness;
} fibre_plan;

#define SPINDLE                                                                                    \
    {3, 3}, {                                                                                      \
        4, 7                                                                                       \
    }
#define EVEN                                                                                       \
    {3, 3}, {                                                                                      \
        4, 4                                                                                       \
    }
#define LONG                                                                                       \
    {4, 5}, {                                                                                      \
        5, 8                                                                                       \
    }
#define FAN                                                                                        \
    {3, 9}, {                                                                                      \
        4, 9                                                                                       \
    }
#define SHEET                                                                                      \
    {2, 3}, {                                                                                      \
        3, 4                                                                                       \
    }
#define BELT                                                                                       \
    {2, 2}, {                                                                                      \
        3, 3                                                                                       \
    }
#define CALF                                                                                       \
    {3, 6}, {                                                                                      \
        4, 8                                                                                       \
    }
#define ONE                                                                                        \
    1, {                                                                                           \
        {ON_TRUNK, 0, 0, 0, BY_CHEST}, {                                                           \
            ON_TRUNK, 0, 0, 0, BY_CHEST                                                            \
        }                                                                                          \
    }

// clang-format off
static const fibre_plan plans[] = {
    // --- arm
    {"biceps", SNI_BODY_UPPER_ARM, MOVE_FLEX, 3,
     {{ON_UPPER_ARM, 0.0, 15, 0.55, BY_GIRDLE}, {ON_UPPER_ARM, 0.6, 6, 0.55, BY_BONE},
      {ON_ULNA, 0.14, 0, 0.5, BY_BONE}},
     ONE, 0.42, 0.36, SPINDLE, 0.4},
    {"brachialis", SNI_BODY_UPPER_ARM, MOVE_FLEX, 2,
     {{ON_UPPER_ARM, 0.42, 40, 0.34, BY_BONE}, {ON_ULNA, 0.09, 8, 0.4, BY_BONE}},
     ONE, 0.36, 0.24, SPINDLE, 0.5},
    {"triceps_long", SNI_BODY_UPPER_ARM, MOVE_EXTEND, 3,
     {{ON_UPPER_ARM, 0.02, -160, 0.5, BY_GIRDLE}, {ON_UPPER_ARM, 0.86, 180, 0.6, BY_BONE},
      {ON_ULNA, 0.0, 180, 0.7, BY_BONE}},
     ONE, 0.34, 0.3, LONG, 0.4},
    {"triceps_lateral", SNI_BODY_UPPER_ARM, MOVE_EXTEND, 3,
     {{ON_UPPER_ARM, 0.16, 140, 0.48, BY_BONE}, {ON_UPPER_ARM, 0.86, 172, 0.6, BY_BONE},
      {ON_ULNA, 0.0, 180, 0.7, BY_BONE}},
     ONE, 0.34, 0.3, SPINDLE, 0.4},
    {"forearm_flexors", SNI_BODY_FOREARM, MOVE_FLEX, 3,
     {{ON_FOREARM, -0.02, -45, 0.5, BY_GIRDLE}, {ON_FOREARM, 0.3, -20, 0.55, BY_BONE},
      {ON_FOREARM, 1.0, 0, 0.55, BY_NEXT}},
     ONE, 0.5, 0.36, CALF, 0.5},
    {"forearm_extensors", SNI_BODY_FOREARM, MOVE_EXTEND, 3,
     {{ON_FOREARM, -0.02, 135, 0.5, BY_GIRDLE}, {ON_FOREARM, 0.3, 160, 0.55, BY_BONE},
      {ON_FOREARM, 1.0, 180, 0.55, BY_NEXT}},
     ONE, 0.48, 0.34, CALF, 0.5},
    {"brachioradialis", SNI_BODY_UPPER_ARM, MOVE_FLEX, 2,
     {{ON_UPPER_ARM, 0.76, 62, 0.5, BY_BONE}, {ON_ULNA, 0.85, 45, 0.5, BY_BONE}},
     ONE, 0.28, 0.24, LONG, 0.4},
    // --- shoulder
    {"deltoid_front", SNI_BODY_UPPER_ARM, MOVE_LIMB, 3,
     {{ON_UPPER_ARM, -0.14, 50, 0.72, BY_GIRDLE}, {ON_UPPER_ARM, 0.14, 52, 0.76, BY_BONE},
      {ON_UPPER_ARM, 0.46, 66, 0.42, BY_BONE}},
     ONE, 0.34, 0.2, EVEN, 0.4},
    {"deltoid_middle", SNI_BODY_UPPER_ARM, MOVE_LIMB, 3,
     {{ON_UPPER_ARM, -0.12, 92, 0.78, BY_GIRDLE}, {ON_UPPER_ARM, 0.14, 90, 0.78, BY_BONE},
      {ON_UPPER_ARM, 0.48, 90, 0.44, BY_BONE}},
     ONE, 0.36, 0.2, EVEN, 0.4},
    {"deltoid_back", SNI_BODY_UPPER_ARM, MOVE_LIMB, 3,
     {{ON_UPPER_ARM, -0.14, 135, 0.72, BY_GIRDLE}, {ON_UPPER_ARM, 0.14, 130, 0.76, BY_BONE},
      {ON_UPPER_ARM, 0.46, 114, 0.42, BY_BONE}},
     ONE, 0.34, 0.2, EVEN, 0.4},
    {"pectoral", SNI_BODY_UPPER_ARM, MOVE_LIMB, 3,
     {{ON_TRUNK, 0.94, 12, 0.8, BY_CHEST}, {ON_TRUNK, 0.86, 60, 0.8, BY_CHEST},
      {ON_UPPER_ARM, 0.12, 40, 0.5, BY_BONE}},
     4, {{ON_TRUNK, 0.66, 12, 0.84, BY_CHEST}, {ON_UPPER_ARM, 0.18, 20, 0.45, BY_BONE}},
     0.16, 0.08, FAN, 0.4},
    {"latissimus", SNI_BODY_UPPER_ARM, MOVE_LIMB, 3,
     {{ON_TRUNK, 0.7, 160, 0.84, BY_CHEST}, {ON_TRUNK, 0.66, 110, 0.84, BY_CHEST},
      {ON_UPPER_ARM, 0.08, -130, 0.42, BY_BONE}},
     4, {{ON_TRUNK, 0.24, 156, 0.8, BY_HIPS}, {ON_UPPER_ARM, 0.14, -115, 0.42, BY_BONE}},
     0.18, 0.06, SHEET, 0.4},
    {"trapezius_upper", SNI_BODY_NECK, MOVE_SHOULDER, 3,
     {{ON_NECK, 0.8, 158, 0.74, BY_HEAD}, {ON_SHOULDER, 0.34, 28, 0.72, BY_CHEST},
      {ON_SHOULDER, 0.92, 30, 0.7, BY_SHOULDER}},
     ONE, 0.26, 0.14, EVEN, 0.4},
    {"trapezius_middle", SNI_BODY_NECK, MOVE_SHOULDER, 2,
     {{ON_TRUNK, 0.98, 170, 0.86, BY_CHEST}, {ON_SHOULDER, 0.86, 62, 0.78, BY_SHOULDER}},
     ONE, 0.28, 0.1, EVEN, 0.4},
    {"trapezius_lower", SNI_BODY_NECK, MOVE_SHOULDER, 2,
     {{ON_TRUNK, 0.58, 168, 0.88, BY_CHEST}, {ON_SHOULDER, 0.62, 80, 0.84, BY_SHOULDER}},
     ONE, 0.26, 0.09, {3, 4}, {4, 6}, 0.4},
    {"rhomboids", SNI_BODY_NECK, MOVE_SHOULDER, 2,
     {{ON_TRUNK, 0.97, 174, 0.72, BY_CHEST}, {ON_TRUNK, 0.78, 140, 0.72, BY_SHOULDER}},
     ONE, 0.22, 0.08, EVEN, 0.4},
    // --- trunk
    {"rectus_abdominis", SNI_BODY_SPINE, MOVE_SPINE, 3,
     {{ON_TRUNK, -0.02, 12, 0.8, BY_HIPS}, {ON_TRUNK, 0.28, 17, 0.88, BY_SPINE},
      {ON_TRUNK, 0.64, 17, 0.87, BY_CHEST}},
     ONE, 0.25, 0.09, BELT, 0.5},
    {"oblique", SNI_BODY_SPINE, MOVE_SPINE, 3,
     {{ON_TRUNK, 0.1, 50, 0.84, BY_HIPS}, {ON_TRUNK, 0.42, 68, 0.82, BY_SPINE},
      {ON_TRUNK, 0.66, 82, 0.84, BY_CHEST}},
     ONE, 0.28, 0.08, BELT, 0.5},
    {"erector", SNI_BODY_SPINE, MOVE_SPINE, 3,
     {{ON_TRUNK, 0.06, 166, 0.66, BY_HIPS}, {ON_TRUNK, 0.4, 152, 0.7, BY_SPINE},
      {ON_TRUNK, 0.9, 160, 0.7, BY_CHEST}},
     ONE, 0.24, 0.18, {2, 3}, {3, 4}, 0.5},
    // --- neck
    {"sternomastoid", SNI_BODY_NECK, MOVE_NECK, 2,
     {{ON_TRUNK, 1.0, 9, 0.66, BY_CHEST}, {ON_NECK, 0.95, 112, 0.76, BY_HEAD}},
     ONE, 0.17, 0.12, EVEN, 0.4},
    {"splenius", SNI_BODY_NECK, MOVE_NECK, 2,
     {{ON_TRUNK, 1.0, 174, 0.74, BY_CHEST}, {ON_NECK, 0.95, 155, 0.66, BY_HEAD}},
     ONE, 0.17, 0.12, EVEN, 0.4},
    // --- hip
    {"gluteus_maximus", SNI_BODY_THIGH, MOVE_LIMB, 3,
     {{ON_TRUNK, 0.1, 156, 0.84, BY_HIPS}, {ON_THIGH, 0.0, 22, 0.66, BY_HIPS},
      {ON_THIGH, 0.3, 66, 0.6, BY_BONE}},
     3, {{ON_TRUNK, -0.1, 166, 0.82, BY_HIPS}, {ON_THIGH, 0.14, 54, 0.66, BY_BONE}},
     0.34, 0.26, EVEN, 0.3},
    {"gluteus_medius", SNI_BODY_THIGH, MOVE_LIMB, 2,
     {{ON_TRUNK, 0.26, 104, 0.8, BY_HIPS}, {ON_THIGH, 0.06, 88, 0.74, BY_BONE}},
     ONE, 0.22, 0.12, EVEN, 0.4},
    {"tensor_fasciae", SNI_BODY_THIGH, MOVE_LIMB, 2,
     {{ON_TRUNK, 0.2, 64, 0.84, BY_HIPS}, {ON_THIGH, 0.3, 104, 0.82, BY_BONE}},
     ONE, 0.16, 0.12, EVEN, 0.4},
    {"adductors", SNI_BODY_THIGH, MOVE_LIMB, 2,
     {{ON_TRUNK, -0.1, 42, 0.5, BY_HIPS}, {ON_THIGH, 0.62, -84, 0.4, BY_BONE}},
     ONE, 0.32, 0.28, {3, 4}, {4, 6}, 0.3},
    // --- thigh
    {"rectus_femoris", SNI_BODY_THIGH, MOVE_EXTEND, 3,
     {{ON_THIGH, -0.02, 172, 0.66, BY_GIRDLE}, {ON_THIGH, 0.9, 180, 0.7, BY_BONE},
      {ON_SHIN, 0.1, 0, 0.78, BY_BONE}},
     ONE, 0.3, 0.22, {3, 4}, {4, 6}, 0.4},
    {"vastus_lateralis", SNI_BODY_THIGH, MOVE_EXTEND, 3,
     {{ON_THIGH, 0.08, 112, 0.6, BY_BONE}, {ON_THIGH, 0.92, 150, 0.68, BY_BONE},
      {ON_SHIN, 0.08, 12, 0.76, BY_BONE}},
     ONE, 0.36, 0.26, {3, 3}, {4, 5}, 0.4},
    {"vastus_medialis", SNI_BODY_THIGH, MOVE_EXTEND, 3,
     {{ON_THIGH, 0.3, -140, 0.5, BY_BONE}, {ON_THIGH, 0.92, -146, 0.68, BY_BONE},
      {ON_SHIN, 0.08, -12, 0.76, BY_BONE}},
     ONE, 0.32, 0.26, {4, 3}, {7, 4}, 0.4},
    {"biceps_femoris", SNI_BODY_THIGH, MOVE_FLEX, 3,
     {{ON_THIGH, 0.0, 8, 0.62, BY_GIRDLE}, {ON_THIGH, 0.84, 38, 0.64, BY_BONE},
      {ON_SHIN, 0.1, 138, 0.62, BY_BONE}},
     ONE, 0.3, 0.26, LONG, 0.3},
    {"semitendinosus", SNI_BODY_THIGH, MOVE_FLEX, 3,
     {{ON_THIGH, 0.0, -10, 0.62, BY_GIRDLE}, {ON_THIGH, 0.84, -38, 0.64, BY_BONE},
      {ON_SHIN, 0.12, -138, 0.62, BY_BONE}},
     ONE, 0.3, 0.26, LONG, 0.3},
    {"sartorius", SNI_BODY_THIGH, MOVE_LIMB, 4,
     {{ON_TRUNK, 0.12, 58, 0.84, BY_HIPS}, {ON_THIGH, 0.3, -160, 0.84, BY_BONE},
      {ON_THIGH, 0.8, -84, 0.84, BY_BONE}, {ON_SHIN, 0.1, -50, 0.76, BY_BONE}},
     ONE, 0.13, 0.08, BELT, 0.4},
    // --- shin
    {"gastrocnemius_lateral", SNI_BODY_SHIN, MOVE_EXTEND, 3,
     {{ON_THIGH, 0.95, 24, 0.6, BY_BONE}, {ON_SHIN, 0.28, 155, 0.66, BY_BONE},
      {ON_SHIN, 1.0, 178, 0.72, BY_NEXT}},
     ONE, 0.36, 0.3, CALF, 0.3},
    {"gastrocnemius_medial", SNI_BODY_SHIN, MOVE_EXTEND, 3,
     {{ON_THIGH, 0.95, -24, 0.6, BY_BONE}, {ON_SHIN, 0.3, -150, 0.66, BY_BONE},
      {ON_SHIN, 1.0, -178, 0.72, BY_NEXT}},
     ONE, 0.38, 0.32, CALF, 0.3},
    {"soleus", SNI_BODY_SHIN, MOVE_EXTEND, 2,
     {{ON_SHIN, 0.14, 178, 0.4, BY_BONE}, {ON_SHIN, 1.0, 180, 0.68, BY_NEXT}},
     ONE, 0.5, 0.2, {3, 5}, {4, 7}, 0.4},
    {"tibialis", SNI_BODY_SHIN, MOVE_FLEX, 3,
     {{ON_SHIN, 0.1, 36, 0.64, BY_BONE}, {ON_SHIN, 0.92, 0, 0.6, BY_BONE},
      {ON_FOOT, 0.35, -25, 0.5, BY_BONE}},
     ONE, 0.28, 0.24, CALF, 0.5},
};
// clang-format on
enum { PLAN_COUNT = sizeof plans / sizeof *plans };

// How far joints turn, degrees.
static const double limb_turn = 60, spine_turn = 40, shoulder_turn = 20;

typedef struct planner {
    sni_proposal *job;
    sni_parts parts;
} planner;

// ---------------------------------------------------------------------------------------------
// Places

static const sni_body_part line_parts[] = {
    [ON_UPPER_ARM] = SNI_BODY_UPPER_ARM, [ON_FOREARM] = SNI_BODY_FOREARM,
    [ON_THIGH] = SNI_BODY_THIGH,         [ON_SHIN] = SNI_BODY_SHIN,
    [ON_FOOT] = SNI_BODY_FOOT,           [ON_ULNA] = SNI_BODY_FOREARM,
    [ON_TRUNK] = SNI_BODY_SPINE,         [ON_NECK] = SNI_BODY_NECK,
    [ON_SHOULDER] = SNI_BODY_UPPER_ARM};

static bool is_limb(place_line line) {
    return line < ON_TRUNK;
}

static uint32_t clavicle_of(const planner *p, sni_body_side side) {
    uint32_t clavicle = sni_body_last(&p->job->body, SNI_BODY_CLAVICLE, side);
    const sni_part_bone *arm = &p->parts.bones[SNI_BODY_UPPER_ARM][side];
    return clavicle != SN_NONE ? clavicle : arm->found ? arm->bone.first : SN_NONE;
}

// The segment of the trunk whose joint is the last one below a height; the hips' below all.
static uint32_t spine_at(const planner *p, double along) {
    const sni_anatomy *a = &p->job->anatomy;
    sn_vec3 way = sn_vec3_sub(a->chest, a->pelvis);
    double square = fmax(sn_vec3_dot(way, way), 1e-300);
    uint32_t best = p->parts.hips;
    double highest = -INFINITY;
    for (uint32_t s = p->parts.chest; s != SN_NONE && s != p->parts.hips;
         s = p->job->bones.limbs.parents[s]) {
        sn_vec3 joint = sni_propose_joint(p->job, s);
        double height = sn_vec3_dot(sn_vec3_sub(joint, a->pelvis), way) / square;
        if (height <= along && height > highest) {
            highest = height;
            best = s;
        }
    }
    return best;
}

static uint32_t carrier_of(const planner *p, const place *at, sni_body_side side) {
    const sni_part_bone *h = &p->parts.bones[line_parts[at->line]][side];
    switch (at->carrier) {
    case BY_BONE: return h->bone.first;
    case BY_NEXT: return h->has_next ? h->next.first : SN_NONE;
    case BY_GIRDLE: return p->job->bones.limbs.parents[h->bone.first];
    case BY_SHOULDER: return clavicle_of(p, side);
    case BY_HIPS: return p->parts.hips;
    case BY_SPINE: return spine_at(p, at->along);
    case BY_CHEST: return p->parts.chest;
    case BY_NECK: return p->parts.neck;
    default: return p->parts.head;
    }
}

// Why a place cannot be; NULL where it can.
static const char *what_is_missing(const planner *p, const place *at, sni_body_side side) {
    const sni_part_bone *h = &p->parts.bones[line_parts[at->line]][side];
    if ((is_limb(at->line) || at->line == ON_SHOULDER) && !h->found) {
        return "the skeleton has no such bone, or the skin does not follow it";
    }
    if (is_limb(at->line) && at->line != ON_FOOT &&
        h->bone.length < p->job->smallest * p->job->skins.size) {
        return "the bone is too short";
    }
    if (at->line == ON_NECK && (p->parts.neck == SN_NONE || p->parts.head == SN_NONE)) {
        return "the skeleton has no neck between head and chest";
    }
    return carrier_of(p, at, side) == SN_NONE ? "the skeleton has nothing that could carry its ends"
                                              : NULL;
}

// The direction at an angle from `fore` towards `outer`, at right angles to `along`.
static sn_vec3 direction_at(sn_vec3 along, sn_vec3 fore, sn_vec3 outer, double degrees) {
    fore = sni_propose_level(fore, along);
    sn_vec3 across = sn_vec3_cross(along, fore);
    double sense = sn_vec3_dot(across, outer) < 0 ? -1 : 1, angle = degrees * SN_PI / 180;
    return sn_vec3_add_scaled(sn_vec3_scale(fore, cos(angle)), sense * sin(angle), across);
}

static sni_fibre_spot spot_of(const planner *p, const place *at, sni_body_side side) {
    const sni_anatomy *a = &p->job->anatomy;
    const sni_part_bone *h = &p->parts.bones[line_parts[at->line]][side];
    sn_vec3 from = a->pelvis, to = a->chest, fore = a->ventral;
    sn_vec3 outer = sn_vec3_scale(a->left, side == SNI_SIDE_LEFT ? 1 : -1);
    const sni_part_bone *arm = &p->parts.bones[SNI_BODY_UPPER_ARM][side];
    const sni_part_bone *leg = &p->parts.bones[SNI_BODY_THIGH][side];
    if (arm->found || leg->found) { // names may call left what is right
        outer = sni_anatomy_outwards(a, arm->found ? arm->bone.from : leg->bone.from);
    }
    if (is_limb(at->line)) {
        from = h->bone.from;
        to = h->bone.to;
        fore = h->hinge.flexor;
        outer = h->outer;
        if (at->line == ON_ULNA) {
            fore = arm->hinge.flexor;
            outer = arm->outer;
        }
    } else if (at->line == ON_SHOULDER) {
        double away = sn_vec3_dot(sn_vec3_sub(h->bone.from, a->middle), a->left);
        to = h->bone.from;
        from = sn_vec3_add_scaled(to, -away, a->left);
        fore = a->cranial;
        outer = sn_vec3_scale(a->ventral, -1);
    } else if (at->line == ON_NECK) {
        from = sni_propose_joint(p->job, p->parts.neck);
        to = sni_propose_joint(p->job, p->parts.head);
    }
    sn_vec3 along = sn_vec3_normalize_or(sn_vec3_sub(to, from), a->cranial);
    return (sni_fibre_spot){.line = sn_vec3_lerp(from, to, at->along),
                            .out = direction_at(along, fore, outer, at->turn),
                            .depth = at->depth,
                            .segment = carrier_of(p, at, side)};
}

// The skin of head and hands, of the other side, and of tails and the like does not count.
static void mark_skin(const sni_proposal *job, sni_body_side side) {
    for (uint32_t i = 0; i < job->skeleton->segment_count; ++i) {
        sni_body_role region = job->anatomy.regions[i];
        bool is_here = region.side == SNI_SIDE_NONE || region.side == side;
        job->skins.marks[i] = is_here && region.part != SNI_BODY_PART_COUNT;
    }
}

// ---------------------------------------------------------------------------------------------
// Movements

static sni_fibre_move move_of(const planner *p, const fibre_plan *plan, sni_body_side side) {
    static const double degree = SN_PI / 180;
    const sni_part_bone *h = &p->parts.bones[plan->part][side];
    sni_fibre_move move = {.joint = SN_NONE};
    switch (plan->move) {
    case MOVE_FLEX:
    case MOVE_EXTEND:
        if (h->found && h->has_next && !h->hinge.fixed) {
            double sense = plan->move == MOVE_FLEX ? 1 : -1;
            move.joint = h->next.first;
            move.axis = sn_vec3_scale(sn_vec3_cross(h->along, h->hinge.flexor), sense);
            move.angle = plan->move == MOVE_FLEX ? h->hinge.flexion : h->hinge.extension;
        }
        break;
    case MOVE_LIMB:
        move.joint = h->found ? h->bone.first : SN_NONE;
        move.angle = limb_turn * degree;
        break;
    case MOVE_SHOULDER:
        move.joint = clavicle_of(p, side);
        move.angle = shoulder_turn * degree;
        break;
    case MOVE_SPINE:
        move.joint = p->parts.spine.joint;
        move.angle = spine_turn * degree;
        break;
    case MOVE_NECK:
        move.joint = p->parts.neck;
        move.angle = spine_turn * degree;
        break;
    }
    return move;
}

// ---------------------------------------------------------------------------------------------
// Muscles

// Fills in the idea of one side; `against` is why it cannot be, or NULL.
static void think(const planner *p, const fibre_plan *plan, sni_body_side side,
                  sni_fibre_idea *idea, const char **against) {
    *idea = (sni_fibre_idea){.count = plan->count,
                             .fibres = plan->fibres,
                             .wide = plan->wide,
                             .thick = plan->thick,
                             .rest = {plan->rest[0], plan->rest[1]},
                             .active = {plan->active[0], plan->active[1]},
                             .stiffness = plan->stiffness,
                             .move = move_of(p, plan, side)};
    idea->name =
        sni_layout_text(p->job->layout, "%s_%c", plan->name, side == SNI_SIDE_LEFT ? 'L' : 'R');
    *against = NULL;
    for (uint32_t i = 0; i < plan->count && *against == NULL; ++i) {
        *against = what_is_missing(p, &plan->places[i], side);
    }
    for (uint32_t i = 0; i < 2 && plan->fibres > 1 && *against == NULL; ++i) {
        *against = what_is_missing(p, &plan->seconds[i], side);
    }
    if (*against == NULL && idea->move.joint == SN_NONE) {
        *against = "no joint moves that it could";
    }
    if (*against != NULL) {
        return;
    }
    for (uint32_t i = 0; i < plan->count; ++i) {
        idea->spots[i] = spot_of(p, &plan->places[i], side);
    }
    for (uint32_t i = 0; i < 2 && plan->fibres > 1; ++i) {
        idea->seconds[i] = spot_of(p, &plan->seconds[i], side);
    }
    mark_skin(p->job, side);
    if (!sni_fibre_cast(p->job, idea)) {
        *against = "too little skin of that part of the body lies where it would be";
    }
}

static sn_status lay_pair(planner *p, const fibre_plan *plan, sn_error *error) {
    sn_status status = SN_OK;
    sni_fibre_idea ideas[2];
    const char *against[2];
    for (int i = 0; i < 2; ++i) {
        think(p, plan, i == 0 ? SNI_SIDE_LEFT : SNI_SIDE_RIGHT, &ideas[i], &against[i]);
        if (against[i] != NULL) {
            SN_TRY(sni_layout_skip(p->job->layout, ideas[i].name, against[i], error));
        }
    }
    SN_TRY(sni_fibre_lay_pair(p->job, against[0] == NULL ? &ideas[0] : NULL,
                              against[1] == NULL ? &ideas[1] : NULL, error));
cleanup:
    return status;
}

sn_status sni_propose_known_fibres(sni_proposal *job, const sn_progress *progress,
                                   sn_error *error) {
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
