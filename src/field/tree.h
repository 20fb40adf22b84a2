// SPDX-License-Identifier: Apache-2.0
//
// The field of a body: one field for each of its parts, which move rigidly, blended where parts
// meet at a joint, and with sheets of contact where they press on each other.
//
//     f_b = support of the part's distance, with the muscles of the part put onto it
//     (field/detail.h) F   = max over parts of f_b, and over joints of the blend of both sides, as
//     wide as the
//           angle between their gradients says
//     f   = F - max_j chi_ij max(0, f_j - 1/2),   i the part with the largest field
//
// where chi says whether parts i and j make contact: 0 never, 1 always, or, at a hinge, gated by
// the angle between their gradients, which tells the inside of the fold from the outside of the
// joint. Within a muscle that belongs to several parts these do not touch each other: it is flesh
// of both. Contact is taken off once, at the root: within a joint it would be undone by another
// joint that has the same part.
//
// Parts come in groups, such as those of an arm: fields of one group say nothing to points of
// another.
#ifndef SINEW_FIELD_TREE_H
#define SINEW_FIELD_TREE_H

#include "field/detail.h"
#include "field/grid.h"

typedef struct sni_field_part {
    sni_hrbf hrbf;       // in the world at rest
    sni_field_grid grid; // the same, baked; without nodes: the exact field counts
    double radius;       // of its support
    sn_vec3 low, high;   // the box at rest beyond which it is 0
} sni_field_part;

typedef struct sni_field_joint {
    uint32_t parts[2];
    const sni_controller *controller;
    sni_opening opening;
} sni_field_joint;

typedef enum sni_field_contact {
    SNI_CONTACT_NEVER = 0,
    SNI_CONTACT_HINGE = 1,
    SNI_CONTACT_ALWAYS = 2,
} sni_field_contact;

typedef struct sni_field_tree {
    uint32_t part_count;
    const sni_field_part *parts;
    uint32_t joint_count;
    const sni_field_joint *joints;
    const uint8_t *contacts; // part_count x part_count, symmetric, sni_field_contact
    uint32_t group_count;
    const uint32_t *group_starts; // group_count + 1
    const uint32_t *group_parts;  // parts of all groups
} sni_field_tree;

// How a part stands in a pose: a rigid motion from rest.
typedef struct sni_part_pose {
    sn_quat turn;
    sn_vec3 shift; // world = turn rest + shift
} sni_part_pose;

// A muscle in a pose, in the world: like a distance, negative inside, with a gradient outwards.
typedef struct sni_field_muscle {
    sni_distance_value (*distance)(const void *user, sn_vec3 at);
    const void *user;
    sn_vec3 low, high; // the box of its surface
} sni_field_muscle;

typedef struct sni_field_box {
    sn_vec3 low, high;
} sni_field_box;

// The muscles of parts. One may belong to several.
typedef struct sni_field_muscles {
    const uint32_t *starts;          // part_count + 1
    const uint32_t *lists;           // numbers of the muscles of each part
    const double *radii;             // of parts: of the support of their muscles
    const sni_field_muscle *muscles; // by number
    const uint8_t *shared;           // of muscles: 1 where it belongs to several parts
    sni_field_box *reaches;          // of parts: beyond it none of its muscles is felt
} sni_field_muscles;

// Fills in the reaches.
void sni_field_muscles_reach(const sni_field_muscles *muscles, uint32_t part_count);

typedef struct sni_tree_pose {
    const sni_part_pose *parts;
    const sni_field_muscles *muscles; // NULL: there are none
} sni_tree_pose;

enum { SNI_TREE_NEAR_MOST = 32 }; // parts whose fields overlap in one place, at most

typedef struct sni_tree_value {
    sni_field_value field;
    uint32_t part; // with the largest field; SN_NONE beyond all
} sni_tree_value;

// The field of a group.
sni_tree_value sni_field_tree_at(const sni_field_tree *tree, const sni_part_pose *pose,
                                 uint32_t group, sn_vec3 at);

// The same with muscles.
sni_tree_value sni_field_tree_posed_at(const sni_field_tree *tree, const sni_tree_pose *pose,
                                       uint32_t group, sn_vec3 at);

// The field of one part with its muscles: the muscles united without a crease, their union put onto
// the part.
sni_field_value sni_field_limb_at(const sni_field_tree *tree, const sni_tree_pose *pose,
                                  uint32_t part, sn_vec3 at);

// The field of one part alone, at rest and in a pose.
sni_field_value sni_field_part_at_rest(const sni_field_part *part, sn_vec3 at);
sni_field_value sni_field_part_at(const sni_field_part *part, const sni_part_pose *pose,
                                  sn_vec3 at);

// Muscles and one more, united cleanly; and a limb with all of its muscles (field/detail.h).
sni_field_value sni_field_unite_muscles(sni_field_value all, sni_field_value one);
sni_field_value sni_field_with_muscles(sni_field_value limb, sni_field_value muscles);

#endif
