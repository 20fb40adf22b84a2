// SPDX-License-Identifier: Apache-2.0
//
// The parts of the proposal of muscles (docs/propose.md) and what is known while it is made.
//
//     propose_skins     the skins of a body in one space, and rays through them
//     propose_bones     bones of limbs, trunk and mirror images
//     propose_anatomy   where the head, the left side and the front of a body are
//     propose_hinge     which way a joint bends
//     propose_plan      the muscles of known parts, and where they lie
//     propose_limbs     muscles of limbs that nothing is known about
//     propose_lay       a muscle and its mirror image
//     propose_strip     curves on the skin
//     propose_drive     what contracts a muscle, and whether it then shortens
//     propose_fibre_plan  known muscles as fibres
//     propose_fibre     a fibre and its mirror image inside the skin
#ifndef SINEW_FIT_PROPOSE_H
#define SINEW_FIT_PROPOSE_H

#include "fit/muscle_layout.h"
#include "fit/propose_anatomy.h"
#include "fit/propose_bones.h"
#include "fit/propose_skins.h"

// The muscles that a bone of an unknown limb may get.
typedef enum sni_muscle_role {
    SNI_MUSCLE_FLEXOR,
    SNI_MUSCLE_EXTENSOR,
    SNI_MUSCLE_FRONT, // where nothing tells which way the joint bends
    SNI_MUSCLE_BACK,
    SNI_MUSCLE_GIRDLE, // over the joint on the trunk
    SNI_MUSCLE_ROLE_COUNT,
} sni_muscle_role;

typedef struct sni_proposal {
    sn_context *context;
    sn_muscle_layout *layout;
    const sn_skeleton *skeleton;
    sni_body body;
    sni_bones bones;
    sni_propose_skins skins;
    sni_anatomy anatomy;
    double smallest, thickness;
    sn_propose_kind kind;
    sn_mat4 *rest_worlds;     // of each segment, in the skeleton's rest pose
    uint8_t *carried;         // of each segment: the joint that is tried carries it
    uint32_t skipped;         // the bone skipped last,
    const char *skipped_from; // and the first segment of its entry
    sn_vec3 bends;            // where the last joint of the limb bends to; 0: not known
    uint32_t (*made)[SNI_MUSCLE_ROLE_COUNT]; // of each bone: numbers of its muscles, SN_NONE
} sni_proposal;

static inline sn_vec3 sni_propose_joint(const sni_proposal *job, uint32_t segment) {
    const double *m = job->bones.limbs.frames[segment].m;
    return sn_vec3_make(m[12], m[13], m[14]);
}

// The part of `v` at right angles to a unit vector; any such direction where nothing is left.
static inline sn_vec3 sni_propose_level(sn_vec3 v, sn_vec3 along) {
    sn_vec3 level = sn_vec3_add_scaled(v, -sn_vec3_dot(v, along), along);
    return sn_vec3_normalize_or(level, sn_vec3_perpendicular(along));
}

// A copy that lives as long as the layout.
const char *sni_propose_segment_name(const sni_proposal *job, uint32_t segment);

// How the joint at the end of a bone bends.
typedef struct sni_hinge {
    bool known;       // limits, anatomy or the rest pose tell
    bool fixed;       // limits let it not bend
    bool limited;     // limits tell: its angle is a hinge's
    sn_vec3 flexor;   // unit, at right angles to the bone: where the next bone bends to
    uint32_t segment; // that turns
    bool aligned;     // one rotation of that segment is the bending
    sn_joint_parameter parameter;
    double sense;     // 1, or -1 where the parameter falls when the joint bends
    double flexion;   // from rest to fully bent, radians
    double extension; // from rest to straight, radians; 0: it cannot
} sni_hinge;

// What is known of a joint by anatomy. Without it limits and the rest pose tell, if they can.
typedef struct sni_hinge_hint {
    sn_vec3 flexor;    // where the next bone bends to
    bool bent_at_rest; // the rest pose tells it better, where it is bent to that side
    double flexion;    // the angle of the bent joint from the straight one, radians
    double extension;  // likewise the other way
} sni_hinge_hint;

// `hint` may be NULL.
void sni_hinge_find(const sni_proposal *job, const sni_bone *bone, const sni_bone *next,
                    const sni_hinge_hint *hint, sni_hinge *hinge);

// All muscles of the parts that the body is known to have.
sn_status sni_propose_known(sni_proposal *job, const sn_progress *progress, sn_error *error);

// The same as fibres.
sn_status sni_propose_known_fibres(sni_proposal *job, const sn_progress *progress, sn_error *error);

// Flexors, extensors and girdles of the other limbs.
sn_status sni_propose_limbs(sni_proposal *job, const sn_progress *progress, sn_error *error);

#endif
