// SPDX-License-Identifier: Apache-2.0
//
// The joint of every segment: which bones meet there, and what kind of joint it is.
#include "base/context.h"
#include "fit/body/draft.h"

#define BIT(kind) (1u << (kind))
#define ANY_KIND UINT32_MAX

// Which bones of parent and child count, where they are there.
typedef struct meeting {
    sni_joint_way way;
    uint32_t parent, child; // bits of kinds
    sni_joint_convex convex;
} meeting;

static const meeting meetings[SNI_SLOT_COUNT] = {
    [SNI_SLOT_SPINE] = {SNI_JOINT_DISC, BIT(SNI_BONE_LUMBAR) | BIT(SNI_BONE_SACRUM),
                        BIT(SNI_BONE_LUMBAR), SNI_CONVEX_EITHER},
    [SNI_SLOT_CHEST] = {SNI_JOINT_DISC, BIT(SNI_BONE_LUMBAR) | BIT(SNI_BONE_SACRUM),
                        BIT(SNI_BONE_THORACIC), SNI_CONVEX_EITHER},
    [SNI_SLOT_NECK] = {SNI_JOINT_DISC, BIT(SNI_BONE_CERVICAL) | BIT(SNI_BONE_THORACIC),
                       BIT(SNI_BONE_CERVICAL), SNI_CONVEX_EITHER},
    [SNI_SLOT_HEAD] = {SNI_JOINT_CONDYLES, BIT(SNI_BONE_CERVICAL), BIT(SNI_BONE_OCCIPITAL),
                       SNI_CONVEX_CHILD},
    [SNI_SLOT_JAW] = {SNI_JOINT_JAW, BIT(SNI_BONE_TEMPORAL), BIT(SNI_BONE_MANDIBLE),
                      SNI_CONVEX_EITHER},
    [SNI_SLOT_CLAVICLE] = {SNI_JOINT_CONTACT, BIT(SNI_BONE_STERNUM), ANY_KIND, SNI_CONVEX_EITHER},
    [SNI_SLOT_SCAPULA] = {SNI_JOINT_CONTACT, ANY_KIND, ANY_KIND, SNI_CONVEX_EITHER},
    [SNI_SLOT_UPPER_ARM] = {SNI_JOINT_BALL, BIT(SNI_BONE_SCAPULA), BIT(SNI_BONE_HUMERUS),
                            SNI_CONVEX_CHILD},
    [SNI_SLOT_FOREARM] = {SNI_JOINT_KNEE, BIT(SNI_BONE_HUMERUS),
                          BIT(SNI_BONE_ULNA) | BIT(SNI_BONE_RADIUS), SNI_CONVEX_PARENT},
    [SNI_SLOT_RADIUS] = {SNI_JOINT_CONTACT, BIT(SNI_BONE_HUMERUS), BIT(SNI_BONE_RADIUS),
                         SNI_CONVEX_EITHER},
    [SNI_SLOT_HAND] = {SNI_JOINT_HINGE, BIT(SNI_BONE_RADIUS) | BIT(SNI_BONE_ULNA),
                       BIT(SNI_BONE_CARPAL), SNI_CONVEX_CHILD},
    [SNI_SLOT_FINGER] = {SNI_JOINT_BALL, BIT(SNI_BONE_METACARPAL) | BIT(SNI_BONE_PHALANX), ANY_KIND,
                         SNI_CONVEX_EITHER},
    [SNI_SLOT_THIGH] = {SNI_JOINT_BALL, BIT(SNI_BONE_HIP), BIT(SNI_BONE_FEMUR), SNI_CONVEX_CHILD},
    [SNI_SLOT_SHIN] = {SNI_JOINT_KNEE, BIT(SNI_BONE_FEMUR), BIT(SNI_BONE_TIBIA), SNI_CONVEX_PARENT},
    [SNI_SLOT_FOOT] = {SNI_JOINT_HINGE, BIT(SNI_BONE_TIBIA) | BIT(SNI_BONE_FIBULA),
                       BIT(SNI_BONE_TARSAL), SNI_CONVEX_CHILD},
    [SNI_SLOT_TOE] = {SNI_JOINT_BALL, BIT(SNI_BONE_METATARSAL) | BIT(SNI_BONE_PHALANX), ANY_KIND,
                      SNI_CONVEX_EITHER},
    [SNI_SLOT_TAIL] = {SNI_JOINT_DISC, BIT(SNI_BONE_CAUDAL) | BIT(SNI_BONE_SACRUM), ANY_KIND,
                       SNI_CONVEX_EITHER},
    [SNI_SLOT_OTHER] = {SNI_JOINT_BALL, ANY_KIND, ANY_KIND, SNI_CONVEX_EITHER},
};

// The bones of a segment of these kinds, all of them where it has none of these.
static uint32_t gather(const sni_draft *d, uint32_t segment, uint32_t kinds,
                       const sni_shape **shapes) {
    for (int pass = 0; pass < 2; ++pass) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < d->bone_count; ++i) {
            bool of_kind = pass == 1 || (kinds & BIT(d->names[i].kind)) != 0;
            if (d->bone_segments[i] == segment && of_kind) {
                shapes[count++] = &d->shapes[i];
            }
        }
        if (count > 0) {
            return count;
        }
    }
    return 0;
}

// The hand meets radius and ulna, the radius the humerus: a segment further up.
static uint32_t gather_parent(const sni_draft *d, uint32_t segment, uint32_t kinds,
                              const sni_shape **shapes) {
    const sni_draft_segment *s = &d->segments[segment];
    uint32_t above = d->segments[s->parent].parent;
    if (s->slot == SNI_SLOT_RADIUS && above != SN_NONE) {
        return gather(d, above, kinds, shapes);
    }
    uint32_t count = gather(d, s->parent, kinds, shapes);
    if (s->slot == SNI_SLOT_HAND && d->segments[s->parent].slot == SNI_SLOT_RADIUS) {
        count += gather(d, above, kinds, shapes + count);
    }
    return count;
}

static bool is_phalanx(const sni_draft *d, const sni_draft_segment *s) {
    return (s->slot == SNI_SLOT_FINGER || s->slot == SNI_SLOT_TOE) &&
           d->names[s->bone].kind == SNI_BONE_PHALANX;
}

// The atlas has no body: it turns about the tooth of the axis. Joints within a finger are hinges.
static sni_joint_way way_of(const sni_draft *d, uint32_t segment) {
    const sni_draft_segment *s = &d->segments[segment];
    if (s->slot == SNI_SLOT_NECK && d->names[s->bone].number == 1) {
        return SNI_JOINT_CONTACT;
    }
    if (is_phalanx(d, s) && d->names[d->segments[s->parent].bone].kind == SNI_BONE_PHALANX) {
        return SNI_JOINT_HINGE;
    }
    return meetings[s->slot].way;
}

static sni_joint_convex convex_of(const sni_draft *d, uint32_t segment) {
    const sni_draft_segment *s = &d->segments[segment];
    return is_phalanx(d, s) ? SNI_CONVEX_PARENT : meetings[s->slot].convex;
}

static sn_status find_joint(sni_draft *d, uint32_t segment, const sni_shape **parents,
                            const sni_shape **children, sn_error *error) {
    sn_status status = SN_OK;
    sni_draft_segment *s = &d->segments[segment];
    const meeting *m = &meetings[s->slot];
    sni_joint_side parent = {gather_parent(d, segment, m->parent, parents), parents};
    sni_joint_side child = {gather(d, segment, m->child, children), children};
    if (parent.count > 0 && child.count > 0) {
        SN_TRY(sni_joint_find(d->context, way_of(d, segment), convex_of(d, segment), parent, child,
                              &s->found, error));
        s->measured = true;
        s->joint = s->found.center;
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Joints that others tell

static bool joint_of(const sni_draft *d, sni_slot slot, sni_bone_side side, sn_vec3 *joint) {
    uint32_t segment = sni_draft_find(d, slot, side, 0, 0);
    if (segment != SN_NONE) {
        *joint = d->segments[segment].joint;
    }
    return segment != SN_NONE;
}

// The root's frame lies in the middle between the thighs, which is where retargeting looks for it.
static void place_hips(sni_draft *d) {
    sn_vec3 left, right;
    uint32_t hips = sni_draft_find(d, SNI_SLOT_HIPS, SNI_BONE_NO_SIDE, 0, 0);
    if (hips != SN_NONE && joint_of(d, SNI_SLOT_THIGH, SNI_BONE_LEFT, &left) &&
        joint_of(d, SNI_SLOT_THIGH, SNI_BONE_RIGHT, &right)) {
        d->segments[hips].joint = sn_vec3_lerp(left, right, 0.5);
    }
}

// The kneecap runs on the femur about the knee's axis.
static void place_patellas(sni_draft *d) {
    for (uint32_t i = 0; i < d->segment_count; ++i) {
        if (d->segments[i].slot == SNI_SLOT_PATELLA) {
            joint_of(d, SNI_SLOT_SHIN, d->segments[i].side, &d->segments[i].joint);
        }
    }
}

// A shoulder blade without collarbone slides on the ribs: it turns about its upper quarter, where
// the muscles hold it.
static void place_blades(sni_draft *d) {
    for (uint32_t i = 0; i < d->segment_count; ++i) {
        sni_draft_segment *s = &d->segments[i];
        sn_vec3 head;
        if (s->slot == SNI_SLOT_SCAPULA && s->parent != SN_NONE &&
            d->segments[s->parent].slot != SNI_SLOT_CLAVICLE &&
            joint_of(d, SNI_SLOT_UPPER_ARM, s->side, &head)) {
            const sni_shape *blade = &d->shapes[s->bone];
            sn_vec3 end = sni_shape_end(blade, head, blade->centroid, 0.05);
            s->joint = sn_vec3_lerp(head, end, 0.75);
            s->measured = false;
        }
    }
}

static sn_vec3 middle_of(const sni_draft *d, uint32_t segment) {
    sn_vec3 sum = {0, 0, 0};
    double area = 0;
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        if (d->bone_segments[i] == segment) {
            sum = sn_vec3_add_scaled(sum, d->shapes[i].area, d->shapes[i].centroid);
            area += d->shapes[i].area;
        }
    }
    return sn_vec3_scale(sum, 1 / area);
}

static bool has_own_joint(const sni_draft *d, uint32_t segment) {
    sni_slot slot = d->segments[segment].slot;
    return d->segments[segment].parent != SN_NONE && slot != SNI_SLOT_HYOID &&
           slot != SNI_SLOT_PATELLA;
}

sn_status sni_draft_joints(sni_draft *d, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    const sni_shape **parents = NULL, **children = NULL;
    SNI_NEW(d->context, parents, 2 * (size_t)d->bone_count);
    SNI_NEW(d->context, children, d->bone_count);
    for (uint32_t i = 0; i < d->segment_count; ++i) {
        d->segments[i].joint = middle_of(d, i);
        if (has_own_joint(d, i)) {
            SN_TRY(find_joint(d, i, parents, children, error));
        }
        SN_TRY(sni_progress(progress, "joints", (i + 1.0) / d->segment_count, error));
    }
    place_hips(d);
    place_patellas(d);
    place_blades(d);
cleanup:
    sni_free(d->context, parents);
    sni_free(d->context, children);
    return status;
}
