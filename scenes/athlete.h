// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_SCENES_ATHLETE_H
#define SINEW_SCENES_ATHLETE_H

#include "sinew/base.h"

// Writes athlete.sinew.json into a folder that exists, beside that of the shipped person.
sn_status scn_athlete_build(sn_context *context, const char *folder, sn_error *error);

#endif
