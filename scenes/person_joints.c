// SPDX-License-Identifier: Apache-2.0
//
// The skeleton of `person`: joints of common names at places of the human's segments. Of 24
// vertebrae four are kept; the axes of limbs are the human's, so that rx bends elbows and knees.
#include "scenes/person.h"

#include "sinew/eval.h"

#include <stdio.h>
#include <string.h>

typedef struct source {
    const char *name;    // of the joint; those of a side get ".L" and ".R"
    const char *segment; // of the human, likewise
    uint32_t parent;
} source;

static const source middle[SCN_PERSON_MIDDLE] = {
    {"hips", "pelvis", SN_NONE},
    {"spine", "lumbar 2", SCN_PERSON_HIPS},
    {"chest", "thoracic 1", SCN_PERSON_SPINE},
    {"upper_chest", "thoracic 7", SCN_PERSON_CHEST},
    {"neck", "cervical 2", SCN_PERSON_UPPER_CHEST},
    {"head", "head", SCN_PERSON_NECK},
};

// Parents are numbers of this table, but for those that hang on the middle.
static const source limbs[] = {
    [SCN_PERSON_SHOULDER] = {"shoulder", "clavicle", SCN_PERSON_UPPER_CHEST},
    [SCN_PERSON_UPPER_ARM] = {"upper_arm", "upper arm", SCN_PERSON_SHOULDER},
    [SCN_PERSON_FOREARM] = {"forearm", "forearm", SCN_PERSON_UPPER_ARM},
    [SCN_PERSON_HAND] = {"hand", "hand", SCN_PERSON_FOREARM},
    [SCN_PERSON_THIGH] = {"thigh", "thigh", SCN_PERSON_HIPS},
    [SCN_PERSON_SHIN] = {"shin", "shin", SCN_PERSON_THIGH},
    [SCN_PERSON_FOOT] = {"foot", "foot", SCN_PERSON_SHIN},
    [SCN_PERSON_TOES] = {"toes", "toes", SCN_PERSON_FOOT},
};
static const char *const fingers[5] = {"thumb", "index", "middle", "ring", "little"};

static bool hangs_on_middle(uint32_t joint) {
    return joint == SCN_PERSON_SHOULDER || joint == SCN_PERSON_THIGH;
}

static void place(const sn_model *human, scn_person *person, uint32_t joint, const char *segment,
                  uint32_t parent) {
    uint32_t from = sn_model_find_segment(human, segment);
    const sn_mat4 *world = &sn_model_rest_worlds(human)[from];
    person->joints[joint] = (scn_segment){
        .name = person->names[joint],
        .parent = parent,
        .rest = {sn_mat4_point(world, sn_vec3_make(0, 0, 0)),
                 sn_mat4_direction(world, sn_vec3_make(1, 0, 0)),
                 sn_mat4_direction(world, sn_vec3_make(0, 1, 0)),
                 sn_mat4_direction(world, sn_vec3_make(0, 0, 1))},
        .order = SN_ROTATION_XYZ,
    };
}

static void lay_out_side(const sn_model *human, scn_person *person, uint32_t side) {
    char mark = side == 0 ? 'L' : 'R', segment[24];
    for (uint32_t i = 0; i < SCN_PERSON_SIDE; ++i) {
        uint32_t joint = scn_person_joint(side, i), k = i - SCN_PERSON_FINGERS;
        bool finger = i >= SCN_PERSON_FINGERS && i < SCN_PERSON_THIGH;
        char *name = person->names[joint];
        uint32_t parent;
        if (finger) {
            snprintf(name, sizeof person->names[joint], "%s.%02u.%c", fingers[k / 3], k % 3 + 1,
                     mark);
            snprintf(segment, sizeof segment, "%s %u.%c", fingers[k / 3], k % 3 + 1, mark);
            parent = k % 3 == 0 ? scn_person_joint(side, SCN_PERSON_HAND) : joint - 1;
        } else {
            snprintf(name, sizeof person->names[joint], "%s.%c", limbs[i].name, mark);
            snprintf(segment, sizeof segment, "%s.%c", limbs[i].segment, mark);
            parent = hangs_on_middle(i) ? limbs[i].parent : scn_person_joint(side, limbs[i].parent);
        }
        place(human, person, joint, segment, parent);
    }
}

void scn_person_lay_out(const sn_model *human, scn_person *person) {
    for (uint32_t i = 0; i < SCN_PERSON_MIDDLE; ++i) {
        snprintf(person->names[i], sizeof person->names[i], "%s", middle[i].name);
        place(human, person, i, middle[i].segment, middle[i].parent);
    }
    lay_out_side(human, person, 0);
    lay_out_side(human, person, 1);
}
