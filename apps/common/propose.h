// SPDX-License-Identifier: Apache-2.0
//
// Proposed muscles, as programs offer them.
#ifndef SINEW_APPS_PROPOSE_H
#define SINEW_APPS_PROPOSE_H

#include "common/character.h"

#include "sinew/fit.h"

// Proposes muscles for a skin of a model, or, where `skin` is NULL, for all that move with the
// skeleton and are shown. `desc` says the rest. Fails as sn_muscles_propose does, and where no skin
// bends. A layout without muscles is none: it lists why each cannot be. `source` is the document.
sn_status app_propose_muscles(const sn_model *model, const char *skin, const char *source,
                              sn_propose_desc desc, const sn_progress *progress,
                              sn_muscle_layout **layout, sn_error *error);

#endif
