// SPDX-License-Identifier: Apache-2.0
//
// The parts of a body by shape alone, for skeletons whose names say nothing ("joint12").
//
// Long branches that hang side by side on one segment, do not fork again and mirror each other are
// pairs of limbs. Of all choices of two pairs as legs and arms that one is taken in which the legs
// point away from the arms' shoulders and the arms reach out most; where no pair points away from
// another, as in a quadruped, there is no body. Joints of a limb: of all three joints in a row
// those that make two long bones of like length are hip, knee and ankle, or shoulder, elbow and
// wrist. The spine is what lies between the pairs, the head what rises above the arms, and
//
//     left = up x front,    up from legs to arms, front from heels to toes.
#include "motion/body.h"
#include "motion/skeleton.h"

#include <math.h>

// Limbs are at least this long, as a part of the skeleton's largest extent.
static const double least_branch = 0.22;

// Either bone of a limb is at least this long, as a part of the same.
static const double least_bone = 0.03;

// Limbs that mirror each other differ by less, as a part of their length.
static const double mirror_slack = 0.3;

// Legs point away from the shoulders: the least cosine.
static const double least_down = 0.8;

// The joint of the head is at most this far above the shoulders, as a part of the extent: 0.05 to
// 0.11 in rigs that were measured, and 0.17 to 0.19 for segments at the top of the skull.
static const double most_head = 0.14;

// Steps that count, such as those that show where a body looks, are at least this long, as a part
// of the extent.
static const double least_step = 0.01;

// Longer limbs, and more of them, are not those of a body.
#define CHAIN_MOST 64
#define LIMBS_MOST 32

typedef struct shape {
    const sn_skeleton *skeleton;
    sni_body_role *roles;
    sn_vec3 *places;      // of the joints
    double *reaches;      // longest way from a joint to an end
    uint32_t *main_child; // over which it goes, SN_NONE at ends
    uint32_t *children;   // how many
    uint8_t *forks;       // 2: two long branches hang on it; 1: such a segment is below it
    uint8_t *marks;
    double extent;
} shape;

typedef struct limb {
    uint32_t chain[CHAIN_MOST];
    uint32_t count;
    uint32_t joints[3]; // in `chain`
    double length;      // of both bones
} limb;

typedef struct limb_pair {
    const limb *limbs[2];
    uint32_t fork;
    sn_vec3 across; // from the second to the first, length 1
} limb_pair;

static uint32_t parent_of(const shape *s, uint32_t segment) {
    return s->skeleton->segments[segment].parent;
}

static sn_vec3 joint(const shape *s, const limb *l, int which) {
    return s->places[l->chain[l->joints[which]]];
}

// The sum of one joint of both limbs, halved.
static sn_vec3 middle(const shape *s, const limb_pair *pair, int which) {
    return sn_vec3_lerp(joint(s, pair->limbs[0], which), joint(s, pair->limbs[1], which), 0.5);
}

// ---------------------------------------------------------------------------------------------
// Branches

static void measure(shape *s, const sn_mat4 *worlds) {
    uint32_t count = s->skeleton->segment_count;
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < count; ++i) {
        s->places[i] = sn_vec3_make(worlds[i].m[12], worlds[i].m[13], worlds[i].m[14]);
        s->main_child[i] = SN_NONE;
        low = sn_vec3_min(low, s->places[i]);
        high = sn_vec3_max(high, s->places[i]);
    }
    sn_vec3 size = sn_vec3_sub(high, low);
    s->extent = fmax(size.x, fmax(size.y, size.z));
}

static double branch_length(const shape *s, uint32_t segment) {
    uint32_t parent = parent_of(s, segment);
    return s->reaches[segment] + sn_vec3_distance(s->places[segment], s->places[parent]);
}

// From the ends inwards. Children come from behind: of equals the first one is taken.
static void find_branches(shape *s) {
    for (uint32_t i = s->skeleton->segment_count; i-- > 0;) {
        uint32_t segment = s->skeleton->parents_first[i], parent = parent_of(s, segment);
        s->forks[segment] = s->marks[segment] >= 2 ? 2 : s->forks[segment];
        if (parent == SN_NONE) {
            continue;
        }
        double length = branch_length(s, segment);
        s->children[parent]++;
        if (s->main_child[parent] == SN_NONE || length >= s->reaches[parent]) {
            s->main_child[parent] = segment;
            s->reaches[parent] = length;
        }
        s->marks[parent] += length >= least_branch * s->extent && s->marks[parent] < 2;
        s->forks[parent] = s->forks[segment] > 0 ? 1 : s->forks[parent];
    }
}

// How well three joints are those of a limb: long bones of like length, and a bend behind them.
static double rate_joints(const shape *s, const limb *l, uint32_t a, uint32_t b, uint32_t c) {
    sn_vec3 upper = sn_vec3_sub(s->places[l->chain[b]], s->places[l->chain[a]]);
    sn_vec3 lower = sn_vec3_sub(s->places[l->chain[c]], s->places[l->chain[b]]);
    double x = sn_vec3_length(upper), y = sn_vec3_length(lower);
    if (!(x > least_bone * s->extent && y > least_bone * s->extent)) {
        return 0;
    }
    double uneven = log(x / y), bend = 0;
    if (c + 1 < l->count) {
        sn_vec3 next = sn_vec3_sub(s->places[l->chain[c + 1]], s->places[l->chain[c]]);
        sn_vec3 zero = {0, 0, 0};
        bend = 1 - sn_vec3_dot(sn_vec3_normalize_or(next, zero), sn_vec3_scale(lower, 1 / y));
    }
    // Fingers or toes hang on the end; a limb's last joint is rather a tip.
    uint32_t fan = s->children[l->chain[c]];
    double end = fan == 0 ? 0.75 : fan == 1 ? 1 : fan == 2 ? 1.5 : 2;
    return (x + y) * exp(-5 * uneven * uneven) * (1 + 0.5 * fmin(bend, 1)) * end;
}

static bool find_joints(const shape *s, limb *l, uint32_t first) {
    double best = 0;
    for (uint32_t a = first; a < l->count; ++a) {
        for (uint32_t b = a + 1; b < l->count; ++b) {
            for (uint32_t c = b + 1; c < l->count; ++c) {
                double rate = rate_joints(s, l, a, b, c);
                if (rate > best) {
                    best = rate;
                    l->joints[0] = a;
                    l->joints[1] = b;
                    l->joints[2] = c;
                }
            }
        }
    }
    l->length = best > 0 ? sn_vec3_distance(joint(s, l, 0), joint(s, l, 1)) +
                               sn_vec3_distance(joint(s, l, 1), joint(s, l, 2))
                         : 0;
    return best > 0;
}

// Returns false where the branch is too long for a limb.
static bool follow_limb(const shape *s, uint32_t top, limb *l) {
    l->count = 0;
    for (uint32_t i = top; i != SN_NONE; i = s->main_child[i]) {
        if (l->count == CHAIN_MOST) {
            return false;
        }
        l->chain[l->count++] = i;
    }
    return true;
}

// How many segments at the beginning stand where those of another limb on the same fork stand, such
// as both halves of a pelvis: these are no joints of a limb.
static uint32_t count_shared(const shape *s, const limb *a, const limb *b) {
    uint32_t shared = 0;
    if (a == b || parent_of(s, a->chain[0]) != parent_of(s, b->chain[0])) {
        return 0;
    }
    while (shared < a->count && shared < b->count &&
           sn_vec3_distance(s->places[a->chain[shared]], s->places[b->chain[shared]]) <
               least_step * s->extent) {
        ++shared;
    }
    return shared;
}

// Returns how many limbs have joints; they stay in order.
static uint32_t keep_jointed(const shape *s, limb *limbs, uint32_t count) {
    uint32_t firsts[LIMBS_MOST] = {0}, kept = 0;
    for (uint32_t i = 0; i < count * count; ++i) {
        uint32_t shared = count_shared(s, &limbs[i / count], &limbs[i % count]);
        firsts[i / count] = shared > firsts[i / count] ? shared : firsts[i / count];
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (find_joints(s, &limbs[i], firsts[i])) {
            limbs[kept++] = limbs[i];
        }
    }
    return kept;
}

// More limbs than a body can have: none are taken.
static uint32_t find_limbs(const shape *s, limb limbs[LIMBS_MOST]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->skeleton->segment_count; ++i) {
        uint32_t segment = s->skeleton->parents_first[i], parent = parent_of(s, segment);
        if (parent == SN_NONE || s->forks[parent] != 2 || s->forks[segment] != 0 ||
            branch_length(s, segment) < least_branch * s->extent) {
            continue;
        }
        if (count == LIMBS_MOST) {
            return 0;
        }
        count += follow_limb(s, segment, &limbs[count]);
    }
    return keep_jointed(s, limbs, count);
}

// ---------------------------------------------------------------------------------------------
// Pairs

static bool are_pair(const shape *s, const limb *a, const limb *b, limb_pair *pair) {
    double length = fmax(a->length, b->length);
    sn_vec3 sum = {0, 0, 0}, zero = {0, 0, 0}, apart[3];
    for (int i = 0; i < 3; ++i) {
        apart[i] = sn_vec3_sub(joint(s, a, i), joint(s, b, i));
        sum = sn_vec3_add(sum, apart[i]);
    }
    *pair = (limb_pair){{a, b}, parent_of(s, a->chain[0]), sn_vec3_normalize_or(sum, zero)};
    bool alike = parent_of(s, b->chain[0]) == pair->fork &&
                 fabs(a->length - b->length) <= mirror_slack * length && sn_vec3_length(sum) > 0;
    for (int i = 0; i < 3 && alike; ++i) {
        double along = sn_vec3_dot(apart[i], pair->across);
        sn_vec3 aside = sn_vec3_add_scaled(apart[i], -along, pair->across);
        alike = along > 0 && sn_vec3_length(aside) <= mirror_slack * length;
    }
    return alike;
}

static sn_vec3 direction(const shape *s, const limb *l) {
    sn_vec3 zero = {0, 0, 0};
    return sn_vec3_normalize_or(sn_vec3_sub(joint(s, l, 2), joint(s, l, 0)), zero);
}

// 0 where the pairs cannot be legs and arms.
static double rate_body(const shape *s, const limb_pair *legs, const limb_pair *arms) {
    sn_vec3 up = sn_vec3_sub(middle(s, arms, 0), middle(s, legs, 0)), zero = {0, 0, 0};
    double height = sn_vec3_length(up);
    for (int i = 0; i < 4; ++i) {
        if (legs->limbs[i / 2] == arms->limbs[i % 2]) {
            return 0;
        }
    }
    up = sn_vec3_normalize_or(up, zero);
    double down = -0.5 * sn_vec3_dot(up, sn_vec3_add(direction(s, legs->limbs[0]),
                                                     direction(s, legs->limbs[1])));
    double out = 0.5 * sn_vec3_dot(arms->across, sn_vec3_sub(direction(s, arms->limbs[0]),
                                                             direction(s, arms->limbs[1])));
    bool level = fabs(sn_vec3_dot(up, legs->across)) < 0.5 &&
                 fabs(sn_vec3_dot(up, arms->across)) < 0.5 &&
                 fabs(sn_vec3_dot(legs->across, arms->across)) > 0.8;
    if (down < least_down || height < 3 * least_bone * s->extent || !level) {
        return 0;
    }
    return legs->limbs[0]->length * down + arms->limbs[0]->length * (0.3 + fmax(out, 0));
}

static bool find_pairs(const shape *s, const limb *limbs, uint32_t count, limb_pair *legs,
                       limb_pair *arms) {
    limb_pair pairs[LIMBS_MOST * LIMBS_MOST / 2];
    uint32_t pair_count = 0;
    double best = 0;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = i + 1; k < count; ++k) {
            pair_count += are_pair(s, &limbs[i], &limbs[k], &pairs[pair_count]);
        }
    }
    for (uint32_t i = 0; i < pair_count; ++i) {
        for (uint32_t k = 0; k < pair_count; ++k) {
            double rate = i != k ? rate_body(s, &pairs[i], &pairs[k]) : 0;
            if (rate > best) {
                best = rate;
                *legs = pairs[i];
                *arms = pairs[k];
            }
        }
    }
    return best > 0;
}

// ---------------------------------------------------------------------------------------------
// Roles

static void set_role(shape *s, uint32_t segment, sni_body_part part, sni_body_side side) {
    s->roles[segment] = (sni_body_role){part, side};
}

// Where feet point, else knees, else away from elbows, else where sinew's bodies look.
static sn_vec3 find_front(const shape *s, const limb_pair *legs, const limb_pair *arms,
                          sn_vec3 up) {
    sn_vec3 steps[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 2; ++i) {
        const limb *leg = legs->limbs[i], *arm = arms->limbs[i];
        uint32_t toes = leg->joints[2] + 1;
        if (toes < leg->count) {
            sn_vec3 step = sn_vec3_sub(s->places[leg->chain[toes]], joint(s, leg, 2));
            steps[0] = sn_vec3_add(steps[0], step);
        }
        sn_vec3 knee = sn_vec3_lerp(joint(s, leg, 0), joint(s, leg, 2), 0.5);
        sn_vec3 elbow = sn_vec3_lerp(joint(s, arm, 0), joint(s, arm, 2), 0.5);
        steps[1] = sn_vec3_add(steps[1], sn_vec3_sub(joint(s, leg, 1), knee));
        steps[2] = sn_vec3_add(steps[2], sn_vec3_sub(elbow, joint(s, arm, 1)));
    }
    for (int i = 0; i < 3; ++i) {
        sn_vec3 step = sn_vec3_add_scaled(steps[i], -sn_vec3_dot(steps[i], up), up);
        step = sn_vec3_add_scaled(step, -sn_vec3_dot(step, legs->across), legs->across);
        if (sn_vec3_length(step) >= least_step * s->extent) {
            return step;
        }
    }
    return sn_vec3_make(0, 0, 1);
}

static void name_limb(shape *s, const limb *l, sni_body_side side, const sni_body_part parts[5]) {
    for (uint32_t i = 0; i < l->count; ++i) {
        uint32_t part = i < l->joints[0]        ? 0
                        : i < l->joints[1]      ? 1
                        : i < l->joints[2]      ? 2
                        : i == l->joints[2]     ? 3
                        : i == l->joints[2] + 1 ? 4
                                                : 5;
        if (part < 5) {
            set_role(s, l->chain[i], parts[part], side);
        }
    }
}

static void name_pair(shape *s, const limb_pair *pair, sn_vec3 left, const sni_body_part *parts) {
    bool first_is_left = sn_vec3_dot(pair->across, left) > 0;
    name_limb(s, pair->limbs[0], first_is_left ? SNI_SIDE_LEFT : SNI_SIDE_RIGHT, parts);
    name_limb(s, pair->limbs[1], first_is_left ? SNI_SIDE_RIGHT : SNI_SIDE_LEFT, parts);
}

// The hips carry both pairs; the spine leads from them to the fork of the arms.
static void name_trunk(shape *s, uint32_t leg_fork, uint32_t arm_fork) {
    for (uint32_t i = 0; i < s->skeleton->segment_count; ++i) {
        s->marks[i] = 0;
    }
    for (uint32_t i = leg_fork; i != SN_NONE; i = parent_of(s, i)) {
        s->marks[i] = 1;
    }
    uint32_t segment = arm_fork;
    for (; segment != SN_NONE && !s->marks[segment]; segment = parent_of(s, segment)) {
        set_role(s, segment, SNI_BODY_SPINE, SNI_SIDE_NONE);
    }
    if (segment != SN_NONE) {
        set_role(s, segment, SNI_BODY_HIPS, SNI_SIDE_NONE);
    }
}

// The segment that is highest of all that hang on the arms' fork, its limbs aside.
static uint32_t find_top(shape *s, const limb_pair *arms, sn_vec3 up, double least) {
    uint32_t top = SN_NONE;
    for (uint32_t i = 0; i < s->skeleton->segment_count; ++i) {
        uint32_t segment = s->skeleton->parents_first[i], parent = parent_of(s, segment);
        s->marks[segment] = segment == arms->fork || (parent != SN_NONE && s->marks[parent]);
        if (segment == arms->limbs[0]->chain[0] || segment == arms->limbs[1]->chain[0]) {
            s->marks[segment] = 0;
        }
        double height = sn_vec3_dot(s->places[segment], up);
        if (s->marks[segment] && segment != arms->fork && height > least) {
            top = segment;
            least = height;
        }
    }
    return top;
}

// Of the way up from the arms' fork the head is the first segment on which several others hang
// (eyes, jaw, hair), else the last one below the top of the skull.
static void name_head(shape *s, const limb_pair *arms, sn_vec3 up) {
    uint32_t chain[CHAIN_MOST], count = 0, head;
    double shoulders = sn_vec3_dot(middle(s, arms, 0), up);
    uint32_t top = find_top(s, arms, up, shoulders);
    for (uint32_t i = top; i != SN_NONE && i != arms->fork; i = parent_of(s, i)) {
        if (count == CHAIN_MOST) {
            return;
        }
        chain[count++] = i;
    }
    if (count == 0) {
        return;
    }
    for (head = count - 1; head > 0 && s->children[chain[head]] < 2; --head) {
        double height = sn_vec3_dot(s->places[chain[head - 1]], up);
        if (height - shoulders > most_head * s->extent) {
            break;
        }
    }
    for (uint32_t i = count - 1; i > head; --i) {
        set_role(s, chain[i], SNI_BODY_NECK, SNI_SIDE_NONE);
    }
    set_role(s, chain[head], SNI_BODY_HEAD, SNI_SIDE_NONE);
}

static void name_parts(shape *s, const limb_pair *legs, const limb_pair *arms) {
    static const sni_body_part leg_parts[5] = {SNI_BODY_NONE, SNI_BODY_THIGH, SNI_BODY_SHIN,
                                               SNI_BODY_FOOT, SNI_BODY_TOES};
    static const sni_body_part arm_parts[5] = {SNI_BODY_CLAVICLE, SNI_BODY_UPPER_ARM,
                                               SNI_BODY_FOREARM, SNI_BODY_HAND, SNI_BODY_NONE};
    sn_vec3 up = sn_vec3_sub(middle(s, arms, 0), middle(s, legs, 0));
    up = sn_vec3_normalize_or(up, sn_vec3_make(0, 1, 0));
    sn_vec3 left = sn_vec3_cross(up, find_front(s, legs, arms, up));
    name_pair(s, legs, left, leg_parts);
    name_pair(s, arms, left, arm_parts);
    name_trunk(s, legs->fork, arms->fork);
    name_head(s, arms, up);
}

sn_status sni_body_shape(sn_context *context, const sn_skeleton *skeleton, sni_body_role *roles,
                         sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = skeleton->segment_count;
    shape s = {.skeleton = skeleton, .roles = roles};
    sn_mat4 *worlds = NULL;
    limb *limbs = NULL;
    limb_pair legs, arms;
    for (uint32_t i = 0; i < count; ++i) {
        roles[i] = (sni_body_role){SNI_BODY_NONE, SNI_SIDE_NONE};
    }
    SN_TRY(sni_skeleton_rest_worlds(context, skeleton, &worlds, error));
    SNI_NEW(context, s.places, count);
    SNI_NEW_ZERO(context, s.reaches, count);
    SNI_NEW(context, s.main_child, count);
    SNI_NEW_ZERO(context, s.children, count);
    SNI_NEW_ZERO(context, s.forks, count);
    SNI_NEW_ZERO(context, s.marks, count);
    SNI_NEW(context, limbs, LIMBS_MOST);
    measure(&s, worlds);
    if (isfinite(s.extent) && s.extent > 0) {
        find_branches(&s);
        if (find_pairs(&s, limbs, find_limbs(&s, limbs), &legs, &arms)) {
            name_parts(&s, &legs, &arms);
        }
    }
cleanup:;
    void *arrays[] = {worlds,     s.places, s.reaches, s.main_child,
                      s.children, s.forks,  s.marks,   limbs};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sni_free(context, arrays[i]);
    }
    return status;
}
