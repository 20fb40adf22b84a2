// SPDX-License-Identifier: Apache-2.0
//
// What retargeting has paired, as data that people can read: a row for each segment of the target
// with its source or the reason why it has none, a row for each joint of the clip, and warnings
// about limbs that stay stiff.
#include "motion/retarget.h"

#include "base/arena.h"
#include "motion/skeleton.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const by_names[SN_PAIRED_BY_COUNT] = {"", "map", "name", "part", "shape"};

const char *sn_paired_by_name(sn_paired_by by) {
    return by < SN_PAIRED_BY_COUNT ? by_names[by] : "";
}

// A pairing while it is made.
typedef struct writer {
    const sni_retarget *r;
    sn_pairing *pairing;
    sni_arena *memory;
    uint8_t *used; // of each source segment
    bool failed;   // memory ran out
} writer;

static const char *copy_text(writer *w, const char *format, ...) SN_PRINTF(2, 3);
static const char *copy_text(writer *w, const char *format, ...) {
    char text[SNI_NAME_LIST_BYTES + 256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t size = strlen(text) + 1;
    char *copy = sni_arena_alloc_small(w->memory, size, 1);
    w->failed |= copy == NULL;
    return copy != NULL ? memcpy(copy, text, size) : "";
}

// Names may be longer than a sentence.
static const char *copy_name(writer *w, const sn_skeleton *skeleton, uint32_t segment) {
    if (segment == SN_NONE) {
        return NULL;
    }
    const char *name = skeleton->segments[segment].name;
    size_t size = strlen(name) + 1;
    char *copy = sni_arena_alloc_small(w->memory, size, 1);
    w->failed |= copy == NULL;
    return copy != NULL ? memcpy(copy, name, size) : "";
}

static const char *copy_role(writer *w, sni_body_role role) {
    char text[SNI_ROLE_BYTES];
    return role.part != SNI_BODY_NONE ? copy_text(w, "%s", sni_body_role_text(role, text)) : "";
}

// ---------------------------------------------------------------------------------------------
// Rows

static void mark_part(const sni_retarget *r, uint8_t *used, uint32_t source) {
    if (source == SN_NONE) {
        return;
    }
    // Segments of one part act together: all of a chain are in its last turn.
    const sni_body *body = &r->source.body;
    sni_body_role role = body->roles[source];
    used[source] = 1;
    for (uint32_t i = 0; role.part != SNI_BODY_NONE && i < body->count[role.part][role.side]; ++i) {
        used[body->members[body->first[role.part][role.side] + i]] = 1;
    }
}

void sni_retarget_mark_used(const sni_retarget *r, uint8_t *used) {
    for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
        if (r->links[i].linked) {
            mark_part(r, used, r->links[i].a);
            mark_part(r, used, r->links[i].b);
        }
    }
}

// The segment of the same part that is moved, SN_NONE where none is.
static uint32_t leader_of(const sni_retarget *r, sni_body_role role) {
    const sni_body *body = &r->target.body;
    const uint32_t *members = body->members + body->first[role.part][role.side];
    for (uint32_t i = 0; i < body->count[role.part][role.side]; ++i) {
        if (r->links[members[i]].linked) {
            return members[i];
        }
    }
    return SN_NONE;
}

static bool carries_body(const sni_retarget *r, uint32_t segment) {
    return r->linked_count > 0 && sni_skeleton_carries(r->target.skeleton, segment, r->root_target);
}

static sn_unpaired reason_of(const sni_retarget *r, uint32_t segment) {
    sni_body_role role = r->target.body.roles[segment];
    const sni_body *clip = &r->source.body;
    if (r->links[segment].linked) {
        return SN_UNPAIRED_NOT;
    }
    if (r->links[segment].left_out) {
        return SN_UNPAIRED_MAP;
    }
    if (carries_body(r, segment)) {
        return SN_UNPAIRED_BODY;
    }
    if (role.part == SNI_BODY_NONE) {
        return SN_UNPAIRED_UNKNOWN;
    }
    if (leader_of(r, role) != SN_NONE) {
        return SN_UNPAIRED_FOLLOWS;
    }
    if (clip->count[role.part][role.side] == 0) {
        return SN_UNPAIRED_LACKING;
    }
    return role.part >= SNI_BODY_THUMB && !sni_retarget_has_fingers(clip, role.side)
               ? SN_UNPAIRED_FINGERS
               : SN_UNPAIRED_MAP;
}

static const char *reason_text(writer *w, uint32_t segment, sn_unpaired reason) {
    const sni_retarget *r = w->r;
    sni_body_role role = r->target.body.roles[segment];
    char part[SNI_ROLE_BYTES];
    switch (reason) {
    case SN_UNPAIRED_MAP: return "left out by hand";
    case SN_UNPAIRED_UNKNOWN: return "no known part of a body";
    case SN_UNPAIRED_LACKING:
        return copy_text(w, "the clip has no %s", sni_body_role_text(role, part));
    case SN_UNPAIRED_FINGERS: return "the clip has fewer than three fingers of that hand";
    case SN_UNPAIRED_FOLLOWS:
        return copy_text(w, "follows %s", r->target.skeleton->segments[leader_of(r, role)].name);
    case SN_UNPAIRED_BODY: return "goes where the body goes";
    default: return "";
    }
}

static void add_pair(writer *w, uint32_t segment) {
    const sni_retarget *r = w->r;
    const sni_link *link = &r->links[segment];
    bool blends = link->linked && link->blend > 0;
    sn_pair *pair = &w->pairing->pairs[segment];
    *pair = (sn_pair){.target = copy_name(w, r->target.skeleton, segment),
                      .part = copy_role(w, r->target.body.roles[segment]),
                      .by = link->linked ? link->by : SN_PAIRED_BY_NOTHING,
                      .unpaired = reason_of(r, segment)};
    pair->why = reason_text(w, segment, pair->unpaired);
    if (link->linked) {
        pair->source = copy_name(w, r->source.skeleton, link->a);
        pair->second = blends ? copy_name(w, r->source.skeleton, link->b) : NULL;
        pair->share = blends ? link->blend : 0;
        w->pairing->moved_count++;
    }
    w->pairing->by_count[pair->by]++;
}

static const char *joint_text(writer *w, uint32_t joint) {
    const sni_retarget *r = w->r;
    sni_body_role role = r->source.body.roles[joint];
    char part[SNI_ROLE_BYTES];
    if (w->used[joint]) {
        return "";
    }
    if (role.part == SNI_BODY_NONE) {
        return "no known part of a body";
    }
    if (r->target.body.count[role.part][role.side] == 0) {
        return copy_text(w, "the character has no %s", sni_body_role_text(role, part));
    }
    return role.part >= SNI_BODY_THUMB && !sni_retarget_has_fingers(&r->source.body, role.side)
               ? "the clip has fewer than three fingers of that hand"
               : "its part was given to another joint by hand, or to none";
}

static void add_joint(writer *w, uint32_t joint) {
    const sni_retarget *r = w->r;
    w->pairing->joints[joint] = (sn_pair_joint){.name = copy_name(w, r->source.skeleton, joint),
                                                .part = copy_role(w, r->source.body.roles[joint]),
                                                .used = w->used[joint],
                                                .why = joint_text(w, joint)};
    w->pairing->used_count += w->used[joint];
}

// ---------------------------------------------------------------------------------------------
// Limbs

typedef struct limb {
    const char *one, *both;    // "left " goes before the first
    sni_body_part first, last; // the parts that it consists of
    sni_body_part telling;     // the first of them that counts: a moved clavicle moves no arm
    bool sided;
} limb;

// Whole limbs come before their parts, which are told only where the limb moves otherwise.
static const limb limbs[] = {
    {"spine", "", SNI_BODY_SPINE, SNI_BODY_SPINE, SNI_BODY_SPINE, false},
    {"neck and head", "", SNI_BODY_NECK, SNI_BODY_HEAD, SNI_BODY_NECK, false},
    {"arm", "both arms", SNI_BODY_CLAVICLE, SNI_BODY_HAND, SNI_BODY_UPPER_ARM, true},
    {"leg", "both legs", SNI_BODY_THIGH, SNI_BODY_FOOT, SNI_BODY_THIGH, true},
};
static const limb limb_parts[] = {
    {"upper arm", "both upper arms", SNI_BODY_UPPER_ARM, SNI_BODY_UPPER_ARM, SNI_BODY_UPPER_ARM,
     true},
    {"forearm", "both forearms", SNI_BODY_FOREARM, SNI_BODY_FOREARM, SNI_BODY_FOREARM, true},
    {"thigh", "both thighs", SNI_BODY_THIGH, SNI_BODY_THIGH, SNI_BODY_THIGH, true},
    {"shin", "both shins", SNI_BODY_SHIN, SNI_BODY_SHIN, SNI_BODY_SHIN, true},
};

typedef struct limb_count {
    uint32_t all, told, moving; // segments; those not left out on purpose; those that move
} limb_count;

static limb_count count_limb(const writer *w, const limb *l, sni_body_side side, bool of_clip) {
    const sni_body *body = of_clip ? &w->r->source.body : &w->r->target.body;
    limb_count c = {0};
    for (int part = (int)l->telling; part <= (int)l->last; ++part) {
        for (uint32_t i = 0; i < body->count[part][side]; ++i) {
            uint32_t segment = body->members[body->first[part][side] + i];
            c.all++;
            c.told += of_clip || !w->r->links[segment].left_out;
            c.moving += of_clip ? w->used[segment] : w->r->links[segment].linked;
        }
    }
    return c;
}

enum { MOST_NAMED = 5 };

static void list_limb(const writer *w, const limb *l, sni_body_side side, bool of_clip,
                      sni_name_list *names) {
    const sni_stance *stance = of_clip ? &w->r->source : &w->r->target;
    for (int part = (int)l->first; part <= (int)l->last; ++part) {
        for (uint32_t i = 0; i < stance->body.count[part][side]; ++i) {
            uint32_t segment = stance->body.members[stance->body.first[part][side] + i];
            if (!of_clip && w->r->links[segment].linked) {
                continue;
            }
            if (names->count < MOST_NAMED) {
                sni_name_list_add(names, stance->skeleton->segments[segment].name);
            } else {
                names->count++;
            }
        }
    }
}

static bool is_stiff(const writer *w, const limb *l, sni_body_side side) {
    limb_count c = count_limb(w, l, side, false);
    return c.told > 0 && c.moving == 0;
}

// The clip has the limb, and the character is not known to have one.
static bool is_lost(const writer *w, const limb *l, sni_body_side side) {
    limb_count clip = count_limb(w, l, side, true), here = count_limb(w, l, side, false);
    return clip.all > 0 && clip.moving == 0 && here.all == 0;
}

static void warn(writer *w, const char *text) {
    w->pairing->warnings[w->pairing->warning_count++] = text;
}

// One sentence for both sides where both have the fault.
static void warn_limb(writer *w, const limb *l,
                      bool (*has_fault)(const writer *w, const limb *l, sni_body_side side),
                      bool of_clip) {
    int first = l->sided ? SNI_SIDE_LEFT : SNI_SIDE_NONE;
    int last = l->sided ? SNI_SIDE_RIGHT : SNI_SIDE_NONE, faults = 0, faulty = first;
    sni_name_list names = {0};
    char list[SNI_NAME_LIST_BYTES], what[64];
    for (int side = first; side <= last; ++side) {
        if (has_fault(w, l, (sni_body_side)side)) {
            faults++;
            faulty = side;
            list_limb(w, l, (sni_body_side)side, of_clip, &names);
        }
    }
    if (faults == 0) {
        return;
    }
    static const char *const sides[] = {"the ", "the left ", "the right "};
    snprintf(what, sizeof what, "%s%s", faults == 2 ? "" : sides[faulty],
             faults == 2 ? l->both : l->one);
    sni_name_list_text(&names, list);
    warn(w, of_clip ? copy_text(w, "%s of the clip (%s) move%s nothing: no such part is known here",
                                what, list, faults == 2 ? "" : "s")
                    : copy_text(w, "nothing in the clip moves %s (%s)", what, list));
}

// A part of a limb of which another part moves.
static bool is_stiff_part(const writer *w, const limb *part, sni_body_side side) {
    const limb *whole = part->first <= SNI_BODY_HAND ? &limbs[2] : &limbs[3];
    return !is_stiff(w, whole, side) && is_stiff(w, part, side);
}

static bool is_body(const sni_retarget *r) {
    for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
        if (r->target.body.roles[i].part != SNI_BODY_NONE) {
            return true;
        }
    }
    return false;
}

// Of two people in a file one moves, of two people in a clip one is followed.
static void warn_of_others(writer *w, const sni_body *body, const sn_skeleton *skeleton,
                           bool of_clip) {
    if (body->bodies < 2) {
        return;
    }
    const char *pelvis = skeleton->segments[body->pelvis].name;
    const char *others = body->bodies == 2 ? "the other one" : "the others";
    const char *verb = body->bodies == 2 ? "s" : "";
    warn(w, of_clip
                ? copy_text(w, "the clip has %u bodies: that of %s is followed, %s move%s nothing",
                            body->bodies, pelvis, others, verb)
                : copy_text(w, "there are %u bodies: that of %s moves, %s rest%s", body->bodies,
                            pelvis, others, verb));
}

static void add_warnings(writer *w) {
    enum { LIMBS = sizeof limbs / sizeof *limbs, PARTS = sizeof limb_parts / sizeof *limb_parts };
    w->pairing->warnings =
        sni_arena_alloc_small(w->memory, 2 * LIMBS + PARTS + 2, sizeof *w->pairing->warnings);
    w->failed |= w->pairing->warnings == NULL;
    if (w->failed) {
        return;
    }
    warn_of_others(w, &w->r->target.body, w->r->target.skeleton, false);
    warn_of_others(w, &w->r->source.body, w->r->source.skeleton, true);
    for (int i = 0; i < LIMBS; ++i) {
        warn_limb(w, &limbs[i], is_stiff, false);
    }
    for (int i = 0; i < PARTS; ++i) {
        warn_limb(w, &limb_parts[i], is_stiff_part, false);
    }
    for (int i = 0; i < LIMBS && is_body(w->r); ++i) {
        warn_limb(w, &limbs[i], is_lost, true);
    }
}

// ---------------------------------------------------------------------------------------------

static sn_status open_writer(writer *w, sn_error *error) {
    sn_context *context = w->r->context;
    uint32_t segments = w->r->target.skeleton->segment_count;
    uint32_t joints = w->r->source.skeleton->segment_count;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(context, w->pairing, 1);
    w->pairing->context = context;
    SNI_NEW_ZERO(context, w->memory, 1);
    w->pairing->memory = w->memory;
    sni_arena_init(w->memory, context);
    SNI_NEW_ZERO(context, w->used, joints);
    w->pairing->pairs = sni_arena_alloc(w->memory, segments, sizeof *w->pairing->pairs);
    w->pairing->joints = sni_arena_alloc(w->memory, joints, sizeof *w->pairing->joints);
    if (w->pairing->pairs == NULL || w->pairing->joints == NULL) {
        SN_TRY(sni_fail_memory(error));
    }
    w->pairing->pair_count = segments;
    w->pairing->joint_count = joints;
cleanup:
    return status;
}

sn_status sni_retarget_pairing(const sni_retarget *r, sn_pairing **pairing, sn_error *error) {
    writer w = {.r = r};
    *pairing = NULL;
    sn_status status = open_writer(&w, error);
    if (status == SN_OK) {
        sni_retarget_mark_used(r, w.used);
        for (uint32_t i = 0; i < w.pairing->pair_count; ++i) {
            add_pair(&w, i);
        }
        for (uint32_t i = 0; i < w.pairing->joint_count; ++i) {
            add_joint(&w, i);
        }
        add_warnings(&w);
        status = w.failed ? sni_fail_memory(error) : SN_OK;
    }
    sni_free(r->context, w.used);
    if (status == SN_OK) {
        *pairing = w.pairing;
    } else {
        sn_pairing_destroy(w.pairing);
    }
    return status;
}

void sn_pairing_destroy(sn_pairing *pairing) {
    if (pairing == NULL) {
        return;
    }
    sni_arena *memory = pairing->memory;
    if (memory != NULL) {
        sni_arena_deinit(memory);
        sni_free(pairing->context, memory);
    }
    sni_free(pairing->context, pairing);
}
