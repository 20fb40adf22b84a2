// SPDX-License-Identifier: Apache-2.0
//
// `sinew new MODEL.osim`.
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static void print_report(const sn_osim_report *report, const char *path) {
    printf("%s: %u bod%s, %u coordinate%s, %u bone%s, %u muscle%s, %u clip%s\n", path,
           report->body_count, report->body_count == 1 ? "y" : "ies", report->coordinate_count,
           cli_s(report->coordinate_count), report->bone_count, cli_s(report->bone_count),
           report->muscle_count, cli_s(report->muscle_count), report->clip_count,
           cli_s(report->clip_count));
    for (uint32_t i = 0; i < report->note_count; ++i) {
        printf("%s\n", report->notes[i]);
    }
}

sn_status cli_new_osim(const cli_call *call, sn_context *context, const char *model,
                       const char *path, sn_error *error) {
    sn_osim_desc desc = sn_osim_desc_default();
    sn_osim_report report = {0};
    sn_character *character = NULL;
    const char **motions = calloc(call->option_count + 1, sizeof *motions);
    if (motions == NULL) {
        return app_fail_memory(error);
    }
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], "--motion") == 0) {
            motions[desc.motion_count++] = call->option_values[i];
        }
    }
    desc.motions = motions;
    desc.geometry = cli_value(call, "--geometry", NULL);
    desc.skin = !cli_has(call, "--no-skin");
    desc.fibres = strcmp(cli_value(call, "--muscles", ""), "fibre") == 0;
    sn_status status = SN_OK;
    SN_TRY(sn_character_from_osim(context, model, &desc, path, &character, &report, error));
    SN_TRY(cli_save_character(character, path, error));
    print_report(&report, path);
cleanup:
    sn_character_destroy(character);
    sn_osim_report_deinit(&report);
    free(motions);
    return status;
}
