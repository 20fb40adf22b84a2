// SPDX-License-Identifier: Apache-2.0
#include "fit/propose_parts.h"

#include "motion/skeleton.h"

#include <math.h>

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
    bone->role = (sni_body_role){part, side};
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
                              const sni_part_bone *h) {
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
static sn_vec3 outer_of(const sni_proposal *job, const sni_part_bone *h) {
    const sni_anatomy *a = &job->anatomy;
    sn_vec3 outwards = sni_anatomy_outwards(a, h->bone.from);
    double spread = fmin(fmax(sn_vec3_dot(h->along, outwards), 0), 1);
    return sni_propose_level(sn_vec3_lerp(outwards, a->cranial, spread), h->along);
}

static void find_part(const sni_proposal *job, sni_body_part part, sni_body_side side,
                      sni_parts *parts) {
    sni_part_bone *h = &parts->bones[part][side];
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

static void find_part_bones(const sni_proposal *job, sni_parts *parts) {
    static const sni_body_part list[] = {SNI_BODY_UPPER_ARM, SNI_BODY_FOREARM, SNI_BODY_THIGH,
                                         SNI_BODY_SHIN, SNI_BODY_FOOT};
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
        sni_part_bone *sides = parts->bones[list[i]];
        find_part(job, list[i], SNI_SIDE_LEFT, parts);
        find_part(job, list[i], SNI_SIDE_RIGHT, parts);
        // Both sides are driven alike, also where their joints are rolled differently.
        if (sides[SNI_SIDE_LEFT].has_next && sides[SNI_SIDE_RIGHT].has_next) {
            bool aligned =
                sides[SNI_SIDE_LEFT].hinge.aligned && sides[SNI_SIDE_RIGHT].hinge.aligned;
            sides[SNI_SIDE_LEFT].hinge.aligned = sides[SNI_SIDE_RIGHT].hinge.aligned = aligned;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Trunk, neck and head

// A neck that is found by its place starts this near to the plane between left and right, as a part
// of the body's size, and points away from the pelvis by this cosine.
static const double middle_slack = 0.02, least_rise = 0.3;

// Limbs of which nothing is known count from this part of the body's size on.
static const double least_other_limb = 0.12;

// The limb above a part of either side; SN_NONE.
static uint32_t above(const sni_proposal *job, sni_body_part part) {
    for (int side = SNI_SIDE_LEFT; side <= SNI_SIDE_RIGHT; ++side) {
        uint32_t segment = sni_body_first(&job->body, part, (sni_body_side)side);
        if (segment != SN_NONE) {
            return job->bones.limbs.parents[segment];
        }
    }
    return SN_NONE;
}

static uint32_t first_of(uint32_t a, uint32_t b) {
    return a != SN_NONE ? a : b;
}

static bool carries(const sni_proposal *job, uint32_t segment, uint32_t other) {
    return sni_skeleton_carries(job->skeleton, segment, other);
}

// The joint nearest to the waist among those that move one end of the trunk and not the other: from
// `end` inwards.
static uint32_t find_waist(const sni_proposal *job, uint32_t end, uint32_t other) {
    sn_vec3 waist = sn_vec3_lerp(job->anatomy.pelvis, job->anatomy.chest, 0.4);
    double nearest = INFINITY;
    uint32_t found = SN_NONE;
    for (uint32_t s = end; s != SN_NONE && !carries(job, s, other);
         s = job->skeleton->segments[s].parent) {
        double distance = sn_vec3_distance(sni_propose_joint(job, s), waist);
        if (distance < nearest) {
            nearest = distance;
            found = s;
        }
    }
    return found;
}

static void find_spine(const sni_proposal *job, sni_parts *parts) {
    parts->spine = (sni_part_spine){.joint = SN_NONE};
    if (parts->hips == SN_NONE || parts->chest == SN_NONE) {
        return;
    }
    parts->spine.joint = find_waist(job, parts->chest, parts->hips);
    if (parts->spine.joint == SN_NONE) { // the chest carries the hips
        parts->spine.joint = find_waist(job, parts->hips, parts->chest);
        parts->spine.carries_pelvis = true;
    }
}

static sn_vec3 end_of_limb(const sni_proposal *job, const sni_bone *b) {
    while (b->next != SN_NONE) {
        b = &job->bones.bones[b->next];
    }
    return b->to;
}

// Whether a limb rises from the chest in the middle of the body, as a neck does.
static bool is_neck(const sni_proposal *job, const sni_bone *b, const sni_parts *parts) {
    const sni_anatomy *a = &job->anatomy;
    sn_vec3 from = sn_vec3_sub(b->from, a->middle), way = sn_vec3_sub(end_of_limb(job, b), b->from);
    double away = fabs(sn_vec3_dot(from, a->left));
    return b->parent == SN_NONE && b->next != SN_NONE && b->trunk != SN_NONE &&
           job->anatomy.regions[b->first].part <= SNI_BODY_SPINE &&
           (b->trunk == parts->chest || carries(job, parts->chest, b->trunk)) &&
           away < middle_slack * job->skins.size &&
           sn_vec3_dot(way, a->cranial) > least_rise * sn_vec3_length(way);
}

static void set_region(sni_proposal *job, uint32_t segment, sni_body_part part) {
    for (uint32_t i = 0; i < job->skeleton->segment_count; ++i) {
        if (carries(job, segment, i)) {
            job->anatomy.regions[i] = (sni_body_role){part, SNI_SIDE_NONE};
        }
    }
}

// The head is the longest bone of the limb that begins with the neck, the neck what is before it.
static void find_neck(sni_proposal *job, sni_parts *parts) {
    for (uint32_t i = 0; i < job->bones.count && parts->head == SN_NONE; ++i) {
        const sni_bone *list = job->bones.bones;
        uint32_t head = list[i].next;
        if (parts->chest == SN_NONE || !is_neck(job, &list[i], parts)) {
            continue;
        }
        for (uint32_t b = head; b != SN_NONE; b = list[b].next) {
            head = list[b].length > list[head].length ? b : head;
        }
        parts->neck = list[i].first;
        parts->head = list[head].first;
        set_region(job, parts->neck, SNI_BODY_NECK);
        set_region(job, parts->head, SNI_BODY_HEAD);
    }
}

// A head that names tell may hang on segments that they do not.
static void find_neck_below_head(sni_proposal *job, sni_parts *parts) {
    const uint32_t *parents = job->bones.limbs.parents;
    uint32_t s = parts->head;
    while (parents[s] != SN_NONE && parents[s] != parts->chest &&
           job->body.roles[parents[s]].part == SNI_BODY_NONE) {
        s = parents[s];
    }
    if (s != parts->head && parents[s] == parts->chest) {
        parts->neck = s;
        set_region(job, s, SNI_BODY_NECK);
        set_region(job, parts->head, SNI_BODY_HEAD);
    }
}

static void find_trunk(sni_proposal *job, sni_parts *parts) {
    const sni_body *body = &job->body;
    parts->hips = sni_body_first(body, SNI_BODY_HIPS, SNI_SIDE_NONE);
    parts->hips = first_of(parts->hips, above(job, SNI_BODY_THIGH));
    parts->chest = sni_body_last(body, SNI_BODY_SPINE, SNI_SIDE_NONE);
    parts->chest = first_of(parts->chest, above(job, SNI_BODY_CLAVICLE));
    parts->chest = first_of(parts->chest, above(job, SNI_BODY_UPPER_ARM));
    parts->neck = sni_body_first(body, SNI_BODY_NECK, SNI_SIDE_NONE);
    parts->head = sni_body_first(body, SNI_BODY_HEAD, SNI_SIDE_NONE);
    find_spine(job, parts);
    if (parts->neck == SN_NONE && parts->head == SN_NONE) {
        find_neck(job, parts);
    } else if (parts->neck == SN_NONE) {
        find_neck_below_head(job, parts);
    }
}

// Tails and the like: limbs on the trunk in which nothing is known. Their skin does not
// belong to the trunk, unless they are short, as a segment that carries a breast is.
static void set_other_limbs_apart(sni_proposal *job) {
    for (uint32_t i = 0; i < job->bones.count; ++i) {
        const sni_bone *b = &job->bones.bones[i];
        bool is_unknown = b->parent == SN_NONE && b->reach > least_other_limb * job->skins.size &&
                          job->anatomy.regions[b->first].part <= SNI_BODY_SPINE;
        for (uint32_t k = 0; k < job->skeleton->segment_count && is_unknown; ++k) {
            is_unknown = job->body.roles[k].part == SNI_BODY_NONE || !carries(job, b->first, k);
        }
        if (is_unknown) {
            set_region(job, b->first, SNI_BODY_PART_COUNT);
        }
    }
}

void sni_parts_init(sni_proposal *job, sni_parts *parts) {
    *parts = (sni_parts){0};
    find_part_bones(job, parts);
    find_trunk(job, parts);
    set_other_limbs_apart(job);
}
