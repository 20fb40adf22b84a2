// SPDX-License-Identifier: Apache-2.0
//
// `sinew new MODEL --motion CLIP`: motion files as clips of the new document.
#include "new_motion.h"

#include "pairing.h"
#include "relax.h"

#include <string.h>
#include <unistd.h>

// The clip's name or the file's without folder and extension, with a number where it is taken.
static void name_clip(const sn_value *clips, const char *file, const char *clip,
                      char name[CLI_NAME_BYTES]) {
    char plain[CLI_NAME_BYTES - 16];
    const char *slash = strrchr(file, '/');
    const char *last = slash != NULL ? slash + 1 : file, *dot = strrchr(last, '.');
    snprintf(plain, sizeof plain, "%.*s",
             clip == NULL && dot != NULL && dot > last ? (int)(dot - last) : (int)sizeof plain,
             clip != NULL ? clip : last);
    snprintf(name, CLI_NAME_BYTES, "%s", plain);
    for (uint32_t i = 2; sn_value_get(clips, name) != NULL; ++i) {
        snprintf(name, CLI_NAME_BYTES, "%s %u", plain, i);
    }
}

static sn_status add_entry(sn_json *json, const char *motion, const char *path,
                           char name[CLI_NAME_BYTES], sn_error *error) {
    sn_value *clips = sn_json_find(json, "/clips");
    char file[APP_PATH_BYTES], relative[APP_PATH_BYTES];
    const char *clip;
    cli_split_motion(motion, file, &clip);
    if (access(file, R_OK) != 0 || !app_relative_path(path, file, relative)) {
        return app_fail(error, SN_IO, file, "cannot open the motion");
    }
    clips = clips != NULL ? clips : sn_json_add_object(json, sn_json_root(json), "clips");
    name_clip(clips, file, clip, name);
    sn_value *entry = sn_json_add_object(json, clips, name);
    return sn_json_add_string(json, entry, "file", relative) != NULL &&
                   (clip == NULL || sn_json_add_string(json, entry, "clip", clip) != NULL)
               ? SN_OK
               : app_fail_memory(error);
}

// Writes what is paired into the clip's entry; nothing where it plays as it is.
static sn_status add_pairing(const cli_call *call, sn_json *json, const sn_model *model,
                             const sn_pair_edits *edits, const char *motion_path, const char *name,
                             sn_error *error) {
    sn_motion_desc desc = cli_motion_desc(call, edits);
    sn_motion *motion = NULL;
    sn_status status = sn_motion_open_with(model, name, &desc, &motion, error);
    status = cli_tell_pairing(call, model, motion, edits, motion_path, status, error);
    const sn_pairing *pairing = motion != NULL ? sn_motion_pairing(motion) : NULL;
    if (status == SN_OK && pairing != NULL) {
        sn_value *entry = (sn_value *)sn_value_get(sn_json_find(json, "/clips"), name);
        sn_value *object = sn_json_add_object(json, entry, "pairing");
        status =
            object != NULL ? sn_pairing_add(pairing, json, object, error) : app_fail_memory(error);
    }
    sn_motion_destroy(motion);
    return status;
}

static sn_status add_motion(const cli_call *call, sn_character *character, const char *motion,
                            const char *path, const sn_pair_edits *edits,
                            const cli_progress *progress, sn_error *error) {
    sn_json *json = sn_character_document(character);
    char name[CLI_NAME_BYTES];
    sn_model *model = NULL;
    sn_status status = SN_OK;
    SN_TRY(add_entry(json, motion, path, name, error));
    SN_TRY(sn_model_create(character, &progress->progress, &model, error));
    SN_TRY(add_pairing(call, json, model, edits, motion, name, error));
cleanup:
    sn_model_destroy(model);
    return status;
}

sn_status cli_new_motions(const cli_call *call, sn_context *context, sn_character *character,
                          const char *path, cli_progress *progress, uint32_t *count,
                          sn_error *error) {
    const char *map = cli_value(call, "--map", NULL);
    sn_pair_edits *edits = NULL;
    sn_status status = SN_OK;
    *count = 0;
    SN_TRY(map != NULL ? sn_pair_edits_read(context, map, &edits, error) : SN_OK);
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], "--motion") == 0) {
            SN_TRY(
                add_motion(call, character, call->option_values[i], path, edits, progress, error));
            ++*count;
        }
    }
cleanup:
    cli_progress_end(progress);
    sn_pair_edits_destroy(edits);
    return status;
}
