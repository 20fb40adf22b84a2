// SPDX-License-Identifier: Apache-2.0
//
// --relax and --no-relax: whether edges of skins that bones fold and stretch are evened out.
#ifndef SINEW_CLI_RELAX_H
#define SINEW_CLI_RELAX_H

#include "cli.h"

// FILE or FILE#CLIP, divided; `clip` is NULL where none is named. A '#' within a file's name has no
// extension before it.
void cli_split_motion(const char *motion, char file[APP_PATH_BYTES], const char **clip);

// Gives skins a `relax`, or takes it from them, as --relax and --no-relax say. With neither, skins
// of a model file that plays the clip of another file get one, unless what is written is bones and
// weights. What has changed, or could, is said on stderr.
sn_status cli_relax(const cli_call *call, const char *path, sn_character *character,
                    sn_error *error);

// Checks that only one of both is given; prints the line otherwise.
bool cli_check_relax(const cli_call *call);

#endif
