// SPDX-License-Identifier: Apache-2.0
//
// A segment belongs to the trunk when two long branches hang on it, or on one below it. What hangs
// on the trunk is a limb: the chain of its longest branch. Fingers, toes and the parts of a face
// are short branches of a limb's end and are left out.
#include "fit/propose_bones.h"

#include <math.h>

// A branch is long when it reaches this far, as a part of the furthest reaching one.
static const double long_branch = 0.35;

// Joints mirror each other when they are this near, as a part of the skin's size.
static const double mirror_slack = 0.01;

// Segments shorter than this part of the skeleton's size are joined with the next one.
static const double least_length = 1e-3;

// Ranges below this, in radians, do not count as movement.
static const double least_range = 1e-3;

typedef struct builder {
    sn_context *context;
    const sn_skeleton *skeleton;
    sni_bones *bones;
    double size; // diagonal of the box around all joints
    const sni_body *body;
    double *reaches;         // of each segment: longest way from its joint to an end
    uint32_t *main_children; // of each segment, SN_NONE at ends
    uint8_t *long_children;  // of each segment: how many, up to 2
} builder;

static sn_vec3 joint_of(const sni_limbs *limbs, uint32_t segment) {
    const double *m = limbs->frames[segment].m;
    return sn_vec3_make(m[12], m[13], m[14]);
}

// ---------------------------------------------------------------------------------------------
// Trunk and limbs

static bool counts(const builder *b, uint32_t segment) {
    return b->bones->limbs.is_limb[segment];
}

// From the ends inwards: how far every segment reaches, and over which child.
static void find_reaches(builder *b) {
    const sni_limbs *limbs = &b->bones->limbs;
    for (uint32_t i = 0; i < limbs->segment_count; ++i) {
        b->main_children[i] = SN_NONE;
    }
    for (uint32_t i = limbs->segment_count; i-- > 0;) {
        uint32_t segment = b->skeleton->parents_first[i], parent = limbs->parents[segment];
        if (!counts(b, segment) || parent == SN_NONE) {
            continue;
        }
        double length = sn_vec3_distance(joint_of(limbs, segment), joint_of(limbs, parent));
        double reach = b->reaches[segment] + length;
        uint32_t rival = b->main_children[parent];
        // Children come from behind: of equals the first one is taken.
        if (rival == SN_NONE || reach >= b->reaches[parent]) {
            b->reaches[parent] = reach;
            b->main_children[parent] = segment;
        }
    }
}

static void find_trunk(builder *b) {
    const sni_limbs *limbs = &b->bones->limbs;
    double longest = 0;
    for (uint32_t i = 0; i < limbs->segment_count; ++i) {
        longest = counts(b, i) ? fmax(longest, b->reaches[i]) : longest;
    }
    for (uint32_t i = limbs->segment_count; i-- > 0;) {
        uint32_t segment = b->skeleton->parents_first[i], parent = limbs->parents[segment];
        if (!counts(b, segment)) {
            continue;
        }
        b->bones->is_trunk[segment] |= b->long_children[segment] >= 2;
        if (parent == SN_NONE) {
            continue;
        }
        double length = sn_vec3_distance(joint_of(limbs, segment), joint_of(limbs, parent));
        bool is_long = b->reaches[segment] + length >= long_branch * longest;
        b->long_children[parent] += is_long && b->long_children[parent] < 2;
        b->bones->is_trunk[parent] |= b->bones->is_trunk[segment];
    }
}

// ---------------------------------------------------------------------------------------------
// Bones

// Whether limits let a segment turn about one axis at most, along its line: a twist.
static bool only_twists(const builder *b, uint32_t segment, sn_vec3 along) {
    const sn_segment *s = &b->skeleton->segments[segment];
    for (int p = SN_JOINT_RX; p <= SN_JOINT_RZ; ++p) {
        const double *m = b->bones->limbs.frames[segment].m + 4 * p;
        sn_vec3 axis = sn_vec3_normalize_or(sn_vec3_make(m[0], m[1], m[2]), along);
        bool fixed = s->limits[p].high - s->limits[p].low < least_range;
        if (!fixed && fabs(sn_vec3_dot(axis, along)) < 0.7) {
            return false;
        }
    }
    return true;
}

// Whether a segment and its main child are one bone: both are one straight part of a body that is
// told by name, such as upperarm01 and upperarm02; or the child only twists; or there is no length
// between them.
static bool goes_on(const builder *b, uint32_t segment) {
    const sni_limbs *limbs = &b->bones->limbs;
    uint32_t child = b->main_children[segment];
    if (child == SN_NONE) {
        return false;
    }
    sn_vec3 way = sn_vec3_sub(joint_of(limbs, child), joint_of(limbs, segment));
    if (sn_vec3_length(way) < least_length * b->size ||
        only_twists(b, child, sn_vec3_normalize_or(way, sn_vec3_make(0, 1, 0)))) {
        return true;
    }
    for (uint32_t i = 0; i < limbs->line_count; ++i) {
        const sni_limb_line *line = &limbs->lines[i];
        if (line->segment == segment && sn_vec3_distance(line->to, joint_of(limbs, child)) == 0) {
            return !line->joint_to;
        }
    }
    return false;
}

// Where a bone ends: at the joint of the next one, or where the limb's last line ends.
static sn_vec3 end_of(const builder *b, uint32_t segment) {
    const sni_limbs *limbs = &b->bones->limbs;
    if (b->main_children[segment] != SN_NONE) {
        return joint_of(limbs, b->main_children[segment]);
    }
    for (uint32_t i = 0; i < limbs->line_count; ++i) {
        if (limbs->lines[i].segment == segment) {
            return limbs->lines[i].to;
        }
    }
    return joint_of(limbs, segment);
}

static sn_status add_bone(builder *b, uint32_t first, uint32_t *last, uint32_t trunk,
                          uint32_t parent, sn_error *error) {
    sni_bones *bones = b->bones;
    if (!sni_grow_by_one(b->context, &bones->bones, bones->count, sizeof *bones->bones)) {
        return sni_fail_memory(error);
    }
    *last = first;
    while (goes_on(b, *last)) {
        *last = b->main_children[*last];
    }
    sni_bone bone = {.first = first,
                     .last = *last,
                     .from = joint_of(&bones->limbs, first),
                     .to = end_of(b, *last),
                     .reach = b->reaches[first],
                     .parent = parent,
                     .next = SN_NONE,
                     .trunk = trunk,
                     .mirror = SN_NONE,
                     .role = b->body->roles[first]};
    bone.length = sn_vec3_distance(bone.from, bone.to);
    bone.reach = fmax(bone.reach, bone.length);
    if (parent != SN_NONE) {
        bones->bones[parent].next = bones->count;
    }
    bones->bones[bones->count++] = bone;
    return SN_OK;
}

static sn_status add_limb(builder *b, uint32_t segment, sn_error *error) {
    uint32_t trunk = b->bones->limbs.parents[segment], parent = SN_NONE;
    sn_status status = SN_OK;
    while (segment != SN_NONE && status == SN_OK) {
        uint32_t last = segment;
        status = add_bone(b, segment, &last, trunk, parent, error);
        parent = b->bones->count - 1;
        segment = b->main_children[last];
    }
    return status;
}

static sn_status add_limbs(builder *b, sn_error *error) {
    const sni_bones *bones = b->bones;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < bones->limbs.segment_count && status == SN_OK; ++i) {
        uint32_t segment = b->skeleton->parents_first[i];
        uint32_t parent = bones->limbs.parents[segment];
        bool hangs = parent == SN_NONE || bones->is_trunk[parent];
        if (counts(b, segment) && !bones->is_trunk[segment] && hangs) {
            status = add_limb(b, segment, error);
        }
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Symmetry

sn_vec3 sni_bones_mirror(const sni_bones *bones, sn_vec3 point) {
    double away = sn_vec3_dot(sn_vec3_sub(point, bones->origin), bones->normal);
    return sn_vec3_add_scaled(point, -2 * away, bones->normal);
}

static uint32_t find_mirror(const sni_bones *bones, uint32_t bone, double slack) {
    sn_vec3 from = sni_bones_mirror(bones, bones->bones[bone].from);
    sn_vec3 to = sni_bones_mirror(bones, bones->bones[bone].to);
    for (uint32_t i = 0; i < bones->count; ++i) {
        const sni_bone *other = &bones->bones[i];
        if (i != bone && sn_vec3_distance(other->from, from) < slack &&
            sn_vec3_distance(other->to, to) < slack) {
            return i;
        }
    }
    return SN_NONE;
}

static uint32_t count_mirrored(const sni_bones *bones, double slack) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < bones->count; ++i) {
        count += find_mirror(bones, i, slack) != SN_NONE;
    }
    return count;
}

// The plane across one of the axes, through the middle of all bones, in which most of them mirror
// each other.
static void find_plane(sni_bones *bones, double slack) {
    uint32_t most = 0;
    sn_vec3 sum = {0, 0, 0}, best = {0, 0, 0};
    for (uint32_t i = 0; i < bones->count; ++i) {
        sum = sn_vec3_add_scaled(sum, 1.0 / bones->count, bones->bones[i].from);
    }
    bones->origin = sum;
    for (int axis = 0; axis < 3; ++axis) {
        bones->normal = sn_vec3_make(axis == 0, axis == 1, axis == 2);
        uint32_t count = count_mirrored(bones, slack);
        if (count > most) {
            most = count;
            best = bones->normal;
        }
    }
    bones->normal = best;
}

void sni_bones_pair(sni_bones *bones, sn_vec3 origin, sn_vec3 normal, double size) {
    double slack = mirror_slack * size;
    bones->origin = origin;
    bones->normal = normal;
    if (sn_vec3_length(normal) == 0) {
        find_plane(bones, slack);
    }
    bones->has_plane = count_mirrored(bones, slack) > 0;
    for (uint32_t i = 0; i < bones->count && bones->has_plane; ++i) {
        bones->bones[i].mirror = find_mirror(bones, i, slack);
    }
}

static double size_of(const sni_limbs *limbs) {
    sn_vec3 low = joint_of(limbs, 0), high = low;
    for (uint32_t i = 0; i < limbs->segment_count; ++i) {
        sn_vec3 p = joint_of(limbs, i);
        low = sn_vec3_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = sn_vec3_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    return sn_vec3_distance(low, high);
}

sn_status sni_bones_init(sn_context *context, const sni_limbs_desc *desc, const sni_body *body,
                         sni_bones *bones, sn_error *error) {
    sn_status status = SN_OK;
    const sn_skeleton *skeleton = desc->skeleton;
    builder b = {.context = context, .skeleton = skeleton, .bones = bones, .body = body};
    *bones = (sni_bones){0};
    SN_TRY(sni_limbs_init(context, desc, &bones->limbs, error));
    b.size = size_of(&bones->limbs);
    SNI_NEW_ZERO(context, bones->is_trunk, skeleton->segment_count);
    SNI_NEW_ZERO(context, b.reaches, skeleton->segment_count);
    SNI_NEW(context, b.main_children, skeleton->segment_count);
    SNI_NEW_ZERO(context, b.long_children, skeleton->segment_count);
    find_reaches(&b);
    find_trunk(&b);
    SN_TRY(add_limbs(&b, error));
cleanup:
    sni_free(context, b.reaches);
    sni_free(context, b.main_children);
    sni_free(context, b.long_children);
    if (status != SN_OK) {
        sni_bones_deinit(bones);
    }
    return status;
}

void sni_bones_deinit(sni_bones *bones) {
    sn_context *context = bones->limbs.context;
    if (context != NULL) {
        sni_free(context, bones->bones);
        sni_free(context, bones->is_trunk);
        sni_limbs_deinit(&bones->limbs);
    }
    *bones = (sni_bones){0};
}
