// SPDX-License-Identifier: Apache-2.0
//
// The clips that go into one file: every --motion, else every clip of the document.
#ifndef SINEW_CLI_RUN_CLIPS_H
#define SINEW_CLI_RUN_CLIPS_H

#include "cli.h"

typedef struct cli_clips {
    uint32_t count;
    sn_motion **motions;
} cli_clips;

uint32_t cli_count_clips(const cli_call *call, const sn_model *model);

// Opens the clips from number `first` on, and tells what was paired for all but the first of all,
// which the session has opened and told of.
sn_status cli_clips_open(const cli_call *call, const cli_session *session, uint32_t first,
                         cli_clips *clips, sn_error *error);
void cli_clips_close(cli_clips *clips);

#endif
