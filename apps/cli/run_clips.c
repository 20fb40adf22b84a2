// SPDX-License-Identifier: Apache-2.0
#include "run_clips.h"

#include "pairing.h"

#include <stdlib.h>
#include <string.h>

// Every --motion, else every clip of the document.
static const char *clip_name(const cli_call *call, const sn_model *model, uint32_t index) {
    bool named = cli_has(call, "--motion");
    for (uint32_t i = 0; named && i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], "--motion") == 0 && index-- == 0) {
            return call->option_values[i];
        }
    }
    return !named && index < sn_model_clip_count(model) ? sn_model_clip_name(model, index) : NULL;
}

uint32_t cli_count_clips(const cli_call *call, const sn_model *model) {
    uint32_t count = 0;
    while (clip_name(call, model, count) != NULL) {
        ++count;
    }
    return count;
}

sn_status cli_clips_open(const cli_call *call, const cli_session *session, uint32_t first,
                         cli_clips *clips, sn_error *error) {
    const sn_model *model = session->model;
    sn_motion_desc desc = cli_motion_desc(call, session->edits);
    uint32_t count = cli_count_clips(call, model);
    sn_status status = SN_OK;
    *clips = (cli_clips){.motions = calloc(count + (size_t)1, sizeof *clips->motions)};
    if (clips->motions == NULL) {
        return app_fail_memory(error);
    }
    for (; first + clips->count < count; ++clips->count) {
        uint32_t index = first + clips->count;
        const char *name = clip_name(call, model, index);
        sn_motion **motion = &clips->motions[clips->count];
        SN_TRY(sn_motion_open_with(model, name, &desc, motion, error));
        if (index > 0) {
            SN_TRY(cli_tell_pairing(call, model, *motion, session->edits, name, SN_OK, error));
        }
    }
cleanup:
    return status;
}

void cli_clips_close(cli_clips *clips) {
    for (uint32_t i = 0; clips->motions != NULL && i < clips->count; ++i) {
        sn_motion_destroy(clips->motions[i]);
    }
    free(clips->motions);
    *clips = (cli_clips){0};
}
