// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_MOTION_BODY_NAMES_H
#define SINEW_MOTION_BODY_NAMES_H

#include "motion/body.h"

// What a name alone says. Some names leave open which part is meant until the tree is known.
typedef enum sni_name_hint {
    SNI_HINT_PLAIN,
    SNI_HINT_WEAK_HIPS,   // "root": the hips where nothing else is
    SNI_HINT_ARM_CHAIN,   // "arm_joint_L_2": upper arm, forearm, hand in the order of the tree
    SNI_HINT_LEG_CHAIN,   // likewise thigh, shin, foot, toes
    SNI_HINT_TORSO_CHAIN, // hips, then spine
    SNI_HINT_NECK_CHAIN,  // neck, at last head
} sni_name_hint;

typedef struct sni_named_role {
    sni_body_role role;
    sni_name_hint hint;
    bool twists;  // "upperarm_twist_01_l": a share of the limb's turn about its axis
    bool deforms; // "DEF-": rigs that have such marks have controls of the same names as well
} sni_named_role;

#define SNI_AFFIX_BYTES 96
#define SNI_AFFIX_WORD_BYTES 32

// Words that most names of a skeleton begin or end with, such as the character's name in
// "Ninja_LeftArm" and "Ninja_Hips", parted by spaces: they do not tell segments apart.
typedef struct sni_name_affixes {
    char first[SNI_AFFIX_BYTES], last[SNI_AFFIX_BYTES];
} sni_name_affixes;

sni_name_affixes sni_name_affixes_find(const sn_skeleton *skeleton);

// `affixes` may be NULL.
sni_named_role sni_body_role_of_name(const char *name, const sni_name_affixes *affixes);

bool sni_body_has_side(const char *name);

// The name of the other side: "left" and "right", "L" and "R" exchanged in its first word of that
// kind, in the letters' own case; in "L4 rib.R" it is the last letter. `swapped` is NULL for a name
// without a side; free it with sni_free.
sn_status sni_body_swap_side(sn_context *context, const char *name, char **swapped,
                             sn_error *error);

#endif
