// SPDX-License-Identifier: Apache-2.0
#include "scenes/scenes.h"

#include "scenes/arm.h"
#include "scenes/athlete.h"
#include "scenes/cloth.h"
#include "scenes/head.h"
#include "scenes/person.h"
#include "scenes/rex.h"
#include "scenes/strongarm.h"
#include "scenes/thighs.h"

#include <stddef.h>

const scn_scene *scn_scenes(void) {
    static const scn_scene scenes[] = {
        {"arm", "a left arm, shoulder to hand: curl and shake", scn_arm_build},
        {"athlete", "the person with fibre muscles in an implicit skin: run, jump, squat",
         scn_athlete_build},
        {"cloth", "a tablecloth that a draped sheet drives", scn_cloth_build},
        {"head", "a head with skull, jaw, eyes and face muscles", scn_head_build},
        {"person", "a rigged person with weights and colours: walk, run, jump, squat, wave",
         scn_person_build},
        {"rex", "the head and neck of a tyrannosaur: jaw", scn_rex_build},
        {"strongarm", "the arm with four fibre muscles in an implicit skin: curl and shake",
         scn_strongarm_build},
        {"thighs", "two pairs of thighs on drivers, with and without separation", scn_thighs_build},
        {NULL, NULL, NULL},
    };
    return scenes;
}
