// SPDX-License-Identifier: Apache-2.0
//
// Laying one muscle: the mirror image of another one, or a strip of skin whose ends go on until the
// muscle shortens when it pulls.
#ifndef SINEW_FIT_PROPOSE_LAY_H
#define SINEW_FIT_PROPOSE_LAY_H

#include "fit/propose_drive.h"

typedef struct sni_muscle_idea {
    const char *name;
    sni_strip strip;
    sni_strip_action action;
    sni_pull pull;
    double reach[2]; // how much further its origin and its insertion may lie, in lengths as those
                     // of the strip's range
    uint32_t other;  // the muscle that it mirrors; SN_NONE
} sni_muscle_idea;

// Adds a muscle on marked skin to the layout, or the reason why it cannot be. `made` is its number,
// or SN_NONE.
sn_status sni_propose_lay(sni_proposal *job, const sni_muscle_idea *idea, uint32_t *made,
                          sn_error *error);

#endif
