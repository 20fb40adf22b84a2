// SPDX-License-Identifier: Apache-2.0
//
// Names say what a segment is; the tree settles what names leave open; the shape finds limbs whose
// names say nothing.
#include "motion/body.h"

#include "motion/body_names.h"

#include <stdio.h>
#include <string.h>

typedef struct finder {
    const sn_skeleton *skeleton;
    sni_body *body;
    sni_named_role *named; // segment_count
    uint32_t *depths;      // segment_count
    uint8_t *on_line;      // segment_count: marks
} finder;

static uint32_t parent_of(const finder *f, uint32_t segment) {
    return f->skeleton->segments[segment].parent;
}

// Whether the file itself says which segments are parts of the body.
static bool has_roles(const sn_skeleton *skeleton) {
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (skeleton->segments[i].role != NULL) {
            return true;
        }
    }
    return false;
}

static void read_names(finder *f) {
    bool by_role = has_roles(f->skeleton);
    sni_name_affixes affixes = sni_name_affixes_find(f->skeleton);
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        uint32_t segment = f->skeleton->parents_first[i];
        uint32_t parent = parent_of(f, segment);
        const sn_segment *s = &f->skeleton->segments[segment];
        const char *name = by_role ? s->role : s->name;
        f->depths[segment] = parent != SN_NONE ? f->depths[parent] + 1 : 0;
        f->named[segment] =
            sni_body_role_of_name(name != NULL ? name : "", by_role ? NULL : &affixes);
        f->body->roles[segment] = f->named[segment].role;
    }
}

static bool is_part(const finder *f, uint32_t segment, sni_body_part part, int side) {
    return f->body->roles[segment].part == part && (int)f->body->roles[segment].side == side;
}

static uint32_t count_part(const finder *f, sni_body_part part, int side) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        count += is_part(f, i, part, side);
    }
    return count;
}

// The segment of a part nearest to the root, and the one farthest from it; SN_NONE: there is none.
static uint32_t top_of(const finder *f, sni_body_part part, int side) {
    uint32_t top = SN_NONE;
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        if (is_part(f, i, part, side) && (top == SN_NONE || f->depths[i] < f->depths[top])) {
            top = i;
        }
    }
    return top;
}

static uint32_t deepest_of(const finder *f, sni_body_part part, int side) {
    uint32_t deepest = SN_NONE;
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        if (is_part(f, i, part, side) &&
            (deepest == SN_NONE || f->depths[i] > f->depths[deepest])) {
            deepest = i;
        }
    }
    return deepest;
}

// Marks a segment and all that carry it.
static void mark_line(finder *f, uint32_t segment) {
    memset(f->on_line, 0, f->skeleton->segment_count);
    for (; segment != SN_NONE; segment = parent_of(f, segment)) {
        f->on_line[segment] = 1;
    }
}

// The segment nearest to both that carries them, SN_NONE where none does.
static uint32_t fork_of(finder *f, uint32_t a, uint32_t b) {
    if (a == SN_NONE || b == SN_NONE) {
        return SN_NONE;
    }
    mark_line(f, a);
    while (b != SN_NONE && !f->on_line[b]) {
        b = parent_of(f, b);
    }
    return b;
}

// Rigs that mark the bones which deform have controls of the same names beside them.
static void forget_controls(finder *f) {
    bool marked = false;
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        marked |= f->named[i].deforms && f->named[i].role.part != SNI_BODY_NONE;
    }
    for (uint32_t i = 0; marked && i < f->skeleton->segment_count; ++i) {
        if (!f->named[i].deforms) {
            f->named[i].hint = SNI_HINT_PLAIN;
            f->body->roles[i].part = SNI_BODY_NONE;
        }
    }
}

// A segment for twist is a piece of its limb where the limb goes on behind it. Where it ends there,
// as in the rigs of game engines, it only helps the skin.
static void settle_twists(finder *f) {
    memset(f->on_line, 0, f->skeleton->segment_count);
    for (uint32_t i = f->skeleton->segment_count; i-- > 0;) {
        uint32_t segment = f->skeleton->parents_first[i], parent = parent_of(f, segment);
        bool goes_on = f->on_line[segment];
        if (f->named[segment].twists && !goes_on) {
            f->body->helps_twist[segment] = f->body->roles[segment].part != SNI_BODY_NONE;
            f->body->roles[segment].part = SNI_BODY_NONE;
        }
        bool is_named = f->body->roles[segment].part != SNI_BODY_NONE && !f->named[segment].twists;
        if (parent != SN_NONE && (goes_on || is_named)) {
            f->on_line[parent] = 1;
        }
    }
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

// The rest of the other bodies, such as a neck named "neck", is no part of this one either.
static uint32_t keep_one_body(finder *f, uint32_t *pelvis) {
    uint32_t count = sni_body_keep_one(f->skeleton, f->depths, f->body->roles, pelvis);
    for (uint32_t i = 0; i < f->skeleton->segment_count && count > 1; ++i) {
        if (f->body->roles[i].part == SNI_BODY_NONE) {
            f->named[i].hint = SNI_HINT_PLAIN;
        }
    }
    return count;
}

// Without a segment named as hips: the one on which both thighs hang, else one that is named
// "root", else the lowest spine segment under which a thigh hangs (Rigify).
static void resolve_hips(finder *f) {
    uint32_t thigh = top_of(f, SNI_BODY_THIGH, SNI_SIDE_LEFT);
    uint32_t other = top_of(f, SNI_BODY_THIGH, SNI_SIDE_RIGHT);
    uint32_t best = fork_of(f, thigh, other);
    if (count_part(f, SNI_BODY_HIPS, SNI_SIDE_NONE) > 0) {
        return;
    }
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        if (f->named[i].hint == SNI_HINT_WEAK_HIPS &&
            (best == SN_NONE || (f->depths[i] < f->depths[best] && thigh == SN_NONE))) {
            best = i;
        }
    }
    for (uint32_t p = thigh != SN_NONE ? thigh : other; best == SN_NONE && p != SN_NONE;
         p = parent_of(f, p)) {
        best = is_part(f, p, SNI_BODY_SPINE, SNI_SIDE_NONE) ? p : best;
    }
    if (best != SN_NONE) {
        f->body->roles[best] = (sni_body_role){SNI_BODY_HIPS, SNI_SIDE_NONE};
    }
}

// Where the arm is named shoulder, elbow, wrist, the "shoulder" nearest to the elbow is the upper
// arm, with its segments for twist.
static void resolve_shoulder(finder *f, int side) {
    uint32_t elbow = top_of(f, SNI_BODY_FOREARM, side);
    if (count_part(f, SNI_BODY_UPPER_ARM, side) > 0 || elbow == SN_NONE) {
        return;
    }
    bool twists = true;
    for (uint32_t p = parent_of(f, elbow);
         p != SN_NONE && twists && is_part(f, p, SNI_BODY_CLAVICLE, side); p = parent_of(f, p)) {
        f->body->roles[p].part = SNI_BODY_UPPER_ARM;
        twists = f->named[p].twists;
    }
}

static bool is_leaf(const finder *f, uint32_t segment) {
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        if (parent_of(f, i) == segment) {
            return false;
        }
    }
    return true;
}

// Whether a segment has the name of another and the number that importing adds to a name that is
// taken: the mesh of a foot, on the bone of the foot, is no toe.
static bool is_namesake(const finder *f, uint32_t segment, uint32_t other) {
    const char *name = f->skeleton->segments[segment].name;
    const char *first = f->skeleton->segments[other].name;
    size_t length = first != NULL ? strlen(first) : 0;
    if (name == NULL || length == 0 || strncmp(name, first, length) != 0 || name[length] != '.') {
        return false;
    }
    const char *number = name + length + 1;
    return *number > '0' && *number <= '9' && number[strspn(number, "0123456789")] == 0 &&
           is_leaf(f, segment);
}

// Two segments of one name along a limb where the next part has none: "leg1" and "leg2" are thigh
// and shin, "arm1" and "arm2" upper arm and forearm, "ankle" and "foot" foot and toes.
static void resolve_repeated(finder *f, sni_body_part part, sni_body_part missing, bool is_first,
                             int side) {
    uint32_t first = top_of(f, part, side), last = deepest_of(f, part, side);
    if (count_part(f, missing, side) > 0 || first == SN_NONE || f->named[first].twists ||
        f->named[last].twists) {
        return;
    }
    mark_line(f, parent_of(f, last));
    if (f->on_line[first] && first != last && !is_namesake(f, last, first)) {
        f->body->roles[is_first ? first : last].part = missing;
    }
}

// Where neck and head are named as the spine (Rigify), they are what follows the fork of the arms.
static void resolve_neck(finder *f) {
    uint32_t deepest = deepest_of(f, SNI_BODY_SPINE, SNI_SIDE_NONE);
    uint32_t fork = fork_of(f, top_of(f, SNI_BODY_UPPER_ARM, SNI_SIDE_LEFT),
                            top_of(f, SNI_BODY_UPPER_ARM, SNI_SIDE_RIGHT));
    if (count_part(f, SNI_BODY_NECK, SNI_SIDE_NONE) > 0 || deepest == SN_NONE || fork == SN_NONE ||
        count_part(f, SNI_BODY_HEAD, SNI_SIDE_NONE) > 0) {
        return;
    }
    mark_line(f, deepest);
    if (!f->on_line[fork]) {
        return;
    }
    for (uint32_t p = deepest; p != fork; p = parent_of(f, p)) {
        if (is_part(f, p, SNI_BODY_SPINE, SNI_SIDE_NONE)) {
            f->body->roles[p].part = p == deepest ? SNI_BODY_HEAD : SNI_BODY_NECK;
        }
    }
}

// A spine or neck is one line: what is named alike beside it is left out.
static void keep_one_line(finder *f, sni_body_part part) {
    mark_line(f, deepest_of(f, part, SNI_SIDE_NONE));
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        if (f->body->roles[i].part == part && !f->on_line[i]) {
            f->body->roles[i].part = SNI_BODY_NONE;
        }
    }
}

// Only the topmost counts: hips below hips or heads below heads are helpers.
static void keep_topmost(finder *f, sni_body_part part) {
    uint32_t top = top_of(f, part, SNI_SIDE_NONE);
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        if (f->body->roles[i].part == part && i != top) {
            f->body->roles[i].part = SNI_BODY_NONE;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Shape

// Parts that are found together, by name or by shape.
typedef struct part_group {
    sni_body_part first, last;
    sni_body_part least, most; // the parts that tell whether names know the group
} part_group;

static const part_group groups[] = {
    {SNI_BODY_HIPS, SNI_BODY_HIPS, SNI_BODY_HIPS, SNI_BODY_HIPS},
    {SNI_BODY_SPINE, SNI_BODY_SPINE, SNI_BODY_SPINE, SNI_BODY_SPINE},
    {SNI_BODY_NECK, SNI_BODY_HEAD, SNI_BODY_NECK, SNI_BODY_HEAD},
    {SNI_BODY_CLAVICLE, SNI_BODY_HAND, SNI_BODY_UPPER_ARM, SNI_BODY_HAND},
    {SNI_BODY_THIGH, SNI_BODY_TOES, SNI_BODY_THIGH, SNI_BODY_FOOT},
};
enum { GROUP_COUNT = sizeof groups / sizeof *groups };

static bool is_known(const finder *f, const part_group *group) {
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        sni_body_part part = f->body->roles[i].part;
        if (part >= group->least && part <= group->most) {
            return true;
        }
    }
    return false;
}

// Whether names know some parts of an arm or a leg, but not both long bones: "forearm" and "hand"
// of an arm whose first bone has a name of its own.
static bool is_partly_known(const finder *f, const part_group *group, int side) {
    bool is_arm = group->first == SNI_BODY_CLAVICLE, is_leg = group->first == SNI_BODY_THIGH;
    sni_body_part upper = is_arm ? SNI_BODY_UPPER_ARM : SNI_BODY_THIGH;
    sni_body_part lower = is_arm ? SNI_BODY_FOREARM : SNI_BODY_SHIN;
    bool knows_any = false;
    for (int part = group->least; part <= (int)group->most; ++part) {
        knows_any |= count_part(f, (sni_body_part)part, side) > 0;
    }
    return (is_arm || is_leg) && knows_any &&
           (count_part(f, upper, side) == 0 || count_part(f, lower, side) == 0);
}

// What the shape has to say about a group of parts.
typedef struct shape_use {
    bool all, any;                                   // names say nothing; or not enough
    bool lacks[SNI_BODY_PART_COUNT][SNI_SIDE_COUNT]; // names know the group, but not this part
} shape_use;

static bool is_in_group(const part_group *group, sni_body_part part) {
    return part >= group->first && part <= group->last;
}

// Where names and shape take left and right in two ways, the shape is not asked.
static bool sides_agree(const finder *f, const part_group *group, const sni_body_role *shape) {
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        sni_body_role named = f->body->roles[i];
        if (is_in_group(group, named.part) && is_in_group(group, shape[i].part) &&
            named.side != shape[i].side) {
            return false;
        }
    }
    return true;
}

static shape_use use_of_shape(const finder *f, const part_group *group) {
    shape_use use = {.all = !is_known(f, group), .any = !is_known(f, group)};
    for (int side = SNI_SIDE_LEFT; side <= SNI_SIDE_RIGHT; ++side) {
        bool partly = is_partly_known(f, group, side);
        use.any |= partly;
        for (int part = group->first; part <= (int)group->last && partly; ++part) {
            use.lacks[part][side] = count_part(f, (sni_body_part)part, side) == 0;
        }
    }
    return use;
}

static void take_shape(finder *f, const part_group *group, const shape_use *use,
                       const sni_body_role *shape) {
    bool agree = sides_agree(f, group, shape);
    for (uint32_t i = 0; i < f->skeleton->segment_count; ++i) {
        bool wanted = use->all || (agree && use->lacks[shape[i].part][shape[i].side]);
        if (wanted && f->body->roles[i].part == SNI_BODY_NONE &&
            is_in_group(group, shape[i].part)) {
            f->body->roles[i] = shape[i];
            f->body->by_shape[i] = 1;
        }
    }
}

// Takes from the shape what no name says.
static sn_status add_shape(sn_context *context, finder *f, sn_error *error) {
    sn_status status = SN_OK;
    shape_use uses[GROUP_COUNT];
    sni_body_role *shape = NULL;
    bool known = true;
    for (int g = 0; g < GROUP_COUNT; ++g) {
        uses[g] = use_of_shape(f, &groups[g]);
        known &= !uses[g].any;
    }
    if (known) {
        return SN_OK;
    }
    SNI_NEW(context, shape, f->skeleton->segment_count);
    SN_TRY(sni_body_shape(context, f->skeleton, shape, error));
    for (int g = 0; g < GROUP_COUNT; ++g) {
        take_shape(f, &groups[g], &uses[g], shape);
    }
cleanup:
    sni_free(context, shape);
    return status;
}

// ---------------------------------------------------------------------------------------------

// Sorts the segments into `members`, by counting: parts and sides are few, depths come in order.
static void group_members(sni_body *body, const sn_skeleton *skeleton) {
    uint32_t count = skeleton->segment_count;
    memset(body->count, 0, sizeof body->count);
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
        uint32_t segment = skeleton->parents_first[i];
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
    SNI_NEW_ZERO(context, body->by_shape, skeleton->segment_count);
    SNI_NEW_ZERO(context, body->helps_twist, skeleton->segment_count);
    SNI_NEW_ZERO(context, body->members, skeleton->segment_count);
    SNI_NEW_ZERO(context, f.named, skeleton->segment_count);
    SNI_NEW_ZERO(context, f.depths, skeleton->segment_count);
    SNI_NEW_ZERO(context, f.on_line, skeleton->segment_count);
    read_names(&f);
    forget_controls(&f);
    settle_twists(&f);
    resolve_chains(&f);
    body->bodies = keep_one_body(&f, &body->pelvis);
    for (int side = SNI_SIDE_LEFT; side <= SNI_SIDE_RIGHT; ++side) {
        resolve_shoulder(&f, side);
        resolve_repeated(&f, SNI_BODY_SHIN, SNI_BODY_THIGH, true, side);
        resolve_repeated(&f, SNI_BODY_UPPER_ARM, SNI_BODY_FOREARM, false, side);
        resolve_repeated(&f, SNI_BODY_FOOT, SNI_BODY_TOES, false, side);
    }
    resolve_hips(&f);
    resolve_neck(&f);
    keep_topmost(&f, SNI_BODY_HIPS);
    keep_topmost(&f, SNI_BODY_HEAD);
    keep_one_line(&f, SNI_BODY_SPINE);
    keep_one_line(&f, SNI_BODY_NECK);
    SN_TRY(add_shape(context, &f, error));
    group_members(body, skeleton);
cleanup:
    sni_free(context, f.named);
    sni_free(context, f.depths);
    sni_free(context, f.on_line);
    if (status != SN_OK) {
        sni_body_deinit(context, body);
    }
    return status;
}

void sni_body_deinit(sn_context *context, sni_body *body) {
    sni_free(context, body->roles);
    sni_free(context, body->by_shape);
    sni_free(context, body->helps_twist);
    sni_free(context, body->members);
    *body = (sni_body){0};
}

void sni_body_give(sni_body *body, const sn_skeleton *skeleton, uint32_t segment,
                   sni_body_role role) {
    SN_ASSERT(segment < skeleton->segment_count);
    body->roles[segment] = role;
    group_members(body, skeleton);
}

const char *sni_body_role_text(sni_body_role role, char text[SNI_ROLE_BYTES]) {
    static const char *const sides[] = {"", "left ", "right "};
    static const char *const parts[] = {
        "",          "hips",    "spine",        "neck",          "head",        "clavicle",
        "upper arm", "forearm", "hand",         "thigh",         "shin",        "foot",
        "toes",      "thumb",   "index finger", "middle finger", "ring finger", "little finger"};
    _Static_assert(sizeof parts / sizeof *parts == SNI_BODY_PART_COUNT, "a name for each part");
    bool none = role.part == SNI_BODY_NONE;
    snprintf(text, SNI_ROLE_BYTES, "%s%s", none ? "" : sides[role.side], parts[role.part]);
    return text;
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
