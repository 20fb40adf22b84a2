// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_FIT_BODY_WORDS_H
#define SINEW_FIT_BODY_WORDS_H

#include "base/memory.h"

// What a bone is, as far as its name tells.
typedef enum sni_bone_kind {
    SNI_BONE_UNKNOWN,
    SNI_BONE_HIP,
    SNI_BONE_SACRUM,
    SNI_BONE_LUMBAR,
    SNI_BONE_THORACIC,
    SNI_BONE_CERVICAL,
    SNI_BONE_CAUDAL,
    SNI_BONE_RIB,
    SNI_BONE_STERNUM,
    SNI_BONE_CRANIUM,
    SNI_BONE_TEMPORAL, // the jaw hangs on it
    SNI_BONE_OCCIPITAL,
    SNI_BONE_MANDIBLE,
    SNI_BONE_HYOID,
    SNI_BONE_TOOTH,
    SNI_BONE_CLAVICLE,
    SNI_BONE_SCAPULA,
    SNI_BONE_HUMERUS,
    SNI_BONE_ULNA,
    SNI_BONE_RADIUS,
    SNI_BONE_CARPAL,
    SNI_BONE_METACARPAL,
    SNI_BONE_FEMUR,
    SNI_BONE_PATELLA,
    SNI_BONE_TIBIA,
    SNI_BONE_FIBULA,
    SNI_BONE_TARSAL,
    SNI_BONE_METATARSAL,
    SNI_BONE_PHALANX,
    SNI_BONE_KIND_COUNT,
} sni_bone_kind;

typedef enum sni_bone_limb { SNI_LIMB_NONE, SNI_LIMB_HAND, SNI_LIMB_FOOT } sni_bone_limb;

typedef enum sni_bone_side { SNI_BONE_NO_SIDE, SNI_BONE_LEFT, SNI_BONE_RIGHT } sni_bone_side;

typedef struct sni_bone_name {
    sni_bone_kind kind;
    sni_bone_side side; // what the name says
    int number;         // of a vertebra, metacarpal or metatarsal; the digit of a phalanx; 0: none
    int level;          // of a phalanx: 1 proximal, 2 middle, 3 distal; 0: not told
    sni_bone_limb limb; // of a phalanx
    int jaw;            // of a tooth: 1 upper, -1 lower, 0 not told
} sni_bone_name;

sni_bone_name sni_bone_name_read(const char *name);

#endif
