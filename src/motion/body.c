// SPDX-License-Identifier: Apache-2.0
//
// Names say what a segment is; the tree settles what names leave open.
#include "motion/body.h"

#include "motion/body_names.h"

#include <stdlib.h>

typedef struct finder {
    const sn_skeleton *skeleton;
    sni_body *body;
    sni_named_role *named; // segment_count
    uint32_t *depths;      // segment_count
} finder;

static uint32_t parent_of(const finder *f, uint32_t segment) {
    return f->skeleton->segments[segment].parent;
}

static bool is_above(const finder *f, uint32_t ancestor, uint32_t segment) {
    while (segment != SN_NONE && segment != ancestor) {
        segment = parent_of(f, segment);
    }
    return segment == ancestor;
}

static void read_names(finder *f) {
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        uint32_t segment = f->skeleton->parents_first[i];
        uint32_t parent = parent_of(f, segment);
        const char *name = f->skeleton->segments[segment].name;
        f->depths[segment] = parent != SN_NONE ? f->depths[parent] + 1 : 0;
        f->named[segment] = sni_body_role_of_name(name != NULL ? name : "");
        f->body->roles[segment] = f->named[segment].role;
    }
}

static uint32_t count_part(const finder *f, sni_body_part part, sni_body_side side) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        count += f->body->roles[i].part == part && f->body->roles[i].side == side;
    }
    return count;
}

// "arm_joint_L_1" and the like: the n-th of its chain from the root is the n-th part.
static void resolve_chains(finder *f) {
    static const struct {
        sni_name_hint hint;
        sni_body_part parts[4]; // the last one repeats
    } chains[] = {
        {SNI_HINT_ARM_CHAIN, {SNI_BODY_UPPER_ARM, SNI_BODY_FOREARM, SNI_BODY_HAND, SNI_BODY_NONE}},
        {SNI_HINT_LEG_CHAIN, {SNI_BODY_THIGH, SNI_BODY_SHIN, SNI_BODY_FOOT, SNI_BODY_TOES}},
        {SNI_HINT_TORSO_CHAIN, {SNI_BODY_HIPS, SNI_BODY_SPINE, SNI_BODY_SPINE, SNI_BODY_SPINE}},
        {SNI_HINT_NECK_CHAIN, {SNI_BODY_NECK, SNI_BODY_HEAD, SNI_BODY_NONE, SNI_BODY_NONE}},
    };
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        for (size_t c = 0; c < sizeof chains / sizeof *chains; ++c) {
            if (f->named[i].hint != chains[c].hint) {
                continue;
            }
            int place = 0;
            for (uint32_t p = parent_of(f, i); p != SN_NONE && place < 3; p = parent_of(f, p)) {
                place += f->named[p].hint == chains[c].hint &&
                         f->named[p].role.side == f->named[i].role.side;
            }
            f->body->roles[i].part = chains[c].parts[place];
        }
    }
}

// Without a segment named as hips: one that is named "root", else the lowest spine segment where
// the thighs hang on it (Rigify).
static void resolve_hips(finder *f) {
    uint32_t best = SN_NONE;
    if (count_part(f, SNI_BODY_HIPS, SNI_SIDE_NONE) > 0) {
        return;
    }
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        if (f->named[i].hint == SNI_HINT_WEAK_HIPS &&
            (best == SN_NONE || f->depths[i] < f->depths[best])) {
            best = i;
        }
    }
    for (uint32_t i = 0; i < f->skeleton->segment_count && best == SN_NONE; ++i) {
        if (f->body->roles[i].part == SNI_BODY_THIGH) {
            for (uint32_t p = parent_of(f, i); p != SN_NONE; p = parent_of(f, p)) {
                best = f->body->roles[p].part == SNI_BODY_SPINE ? p : best;
            }
        }
    }
    if (best != SN_NONE) {
        f->body->roles[best].part = SNI_BODY_HIPS;
    }
}

// Where the arm is named shoulder, elbow, wrist, the "shoulder" nearest to the elbow is the upper
// arm.
static void resolve_shoulders(finder *f) {
    for (int side = SNI_SIDE_LEFT; side <= SNI_SIDE_RIGHT; ++side) {
        if (count_part(f, SNI_BODY_UPPER_ARM, (sni_body_side)side) > 0) {
            continue;
        }
        for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
            sni_body_role role = f->body->roles[i];
            uint32_t p = parent_of(f, i);
            bool is_elbow = role.part == SNI_BODY_FOREARM && (int)role.side == side;
            if (is_elbow && p != SN_NONE && f->body->roles[p].part == SNI_BODY_CLAVICLE) {
                f->body->roles[p].part = SNI_BODY_UPPER_ARM;
            }
        }
    }
}

// A spine or neck is one line: what is named alike beside it is left out.
static void keep_one_line(finder *f, sni_body_part part) {
    uint32_t deepest = SN_NONE;
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        if (f->body->roles[i].part == part &&
            (deepest == SN_NONE || f->depths[i] > f->depths[deepest])) {
            deepest = i;
        }
    }
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        if (f->body->roles[i].part == part && !is_above(f, i, deepest)) {
            f->body->roles[i].part = SNI_BODY_NONE;
        }
    }
}

// Only the topmost counts: hips below hips or heads below heads are helpers.
static void keep_topmost(finder *f, sni_body_part part) {
    uint32_t top = SN_NONE;
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        if (f->body->roles[i].part == part && (top == SN_NONE || f->depths[i] < f->depths[top])) {
            top = i;
        }
    }
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        if (f->body->roles[i].part == part && i != top) {
            f->body->roles[i].part = SNI_BODY_NONE;
        }
    }
}

// Sorts the segments into `members`, by counting: parts and sides are few, depths come in order.
static void group_members(finder *f) {
    sni_body *body = f->body;
    uint32_t count = f->skeleton->segment_count;
    for (uint32_t i = 0; i < count; ++i) {
        body->count[body->roles[i].part][body->roles[i].side]++;
    }
    uint32_t used = 0;
    for (int part = 0; part < SNI_BODY_PART_COUNT; ++part) {
        for (int side = 0; side < SNI_SIDE_COUNT; ++side) {
            body->first[part][side] = used;
            used += body->count[part][side];
            body->count[part][side] = 0;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t segment = f->skeleton->parents_first[i];
        sni_body_role role = body->roles[segment];
        uint32_t place = body->first[role.part][role.side] + body->count[role.part][role.side]++;
        body->members[place] = segment;
    }
}

sn_status sni_body_init(sn_context *context, const sn_skeleton *skeleton, sni_body *body,
                        sn_error *error) {
    sn_status status = SN_OK;
    finder f = {.skeleton = skeleton, .body = body};
    *body = (sni_body){0};
    SNI_NEW_ZERO(context, body->roles, skeleton->segment_count);
    SNI_NEW_ZERO(context, body->members, skeleton->segment_count);
    SNI_NEW_ZERO(context, f.named, skeleton->segment_count);
    SNI_NEW_ZERO(context, f.depths, skeleton->segment_count);
    read_names(&f);
    resolve_chains(&f);
    resolve_hips(&f);
    resolve_shoulders(&f);
    keep_topmost(&f, SNI_BODY_HIPS);
    keep_topmost(&f, SNI_BODY_HEAD);
    keep_one_line(&f, SNI_BODY_SPINE);
    keep_one_line(&f, SNI_BODY_NECK);
    group_members(&f);
cleanup:
    sni_free(context, f.named);
    sni_free(context, f.depths);
    if (status != SN_OK) {
        sni_body_deinit(context, body);
    }
    return status;
}

void sni_body_deinit(sn_context *context, sni_body *body) {
    sni_free(context, body->roles);
    sni_free(context, body->members);
    *body = (sni_body){0};
}

uint32_t sni_body_first(const sni_body *body, sni_body_part part, sni_body_side side) {
    SN_ASSERT(part < SNI_BODY_PART_COUNT && side < SNI_SIDE_COUNT);
    return body->count[part][side] > 0 ? body->members[body->first[part][side]] : SN_NONE;
}

uint32_t sni_body_last(const sni_body *body, sni_body_part part, sni_body_side side) {
    SN_ASSERT(part < SNI_BODY_PART_COUNT && side < SNI_SIDE_COUNT);
    uint32_t count = body->count[part][side];
    return count > 0 ? body->members[body->first[part][side] + count - 1] : SN_NONE;
}
