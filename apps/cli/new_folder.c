// SPDX-License-Identifier: Apache-2.0
#include "new_folder.h"

#include "common/older.h"

#include <string.h>

// The document last: where it cannot be written, or Ctrl-C was pressed, the report is as it was
// before.
static sn_status save(const sn_anatomy *anatomy, const sn_anatomy_report *report,
                      sn_character *character, const char *path, const char *report_path,
                      sn_error *error) {
    app_older older = {0};
    sn_status status = SN_OK;
    SN_TRY(app_older_take(&older, report_path, error));
    if (report_path != NULL) {
        SN_TRY(sn_anatomy_report_write(report, anatomy, report_path, error));
    }
    status = cli_save_character(character, path, error);
    if (status != SN_OK) {
        app_older_bring_back(&older);
    }
cleanup:
    app_older_free(&older);
    return status;
}

int cli_new_folder(const cli_call *call, const char *folder, const char *path) {
    const char *report_path = cli_value(call, "--report", NULL);
    sn_error error = {0};
    sn_anatomy *anatomy = NULL;
    sn_anatomy_report *report = NULL;
    sn_character *character = NULL;
    cli_progress progress;
    cli_progress_begin(call, &progress);
    sn_context *context = cli_context(call, &error);
    sn_status status = SN_OK;
    SN_TRY(error.status);
    SN_TRY(sn_anatomy_read(context, folder, cli_value(call, "--rig", NULL), &anatomy, &error));
    anatomy->fibres = strcmp(cli_value(call, "--muscles", ""), "fibre") == 0;
    anatomy->graphs = strcmp(cli_value(call, "--muscles", ""), "graph") == 0;
    SN_TRY(
        sn_character_from_anatomy(anatomy, path, &progress.progress, &character, &report, &error));
    SN_TRY(save(anatomy, report, character, path, report_path, &error));
    cli_progress_end(&progress);
    cli_print_anatomy(anatomy, report, path, report_path);
cleanup:
    cli_progress_end(&progress);
    sn_character_destroy(character);
    sn_anatomy_report_destroy(report);
    sn_anatomy_destroy(anatomy);
    sn_context_destroy(context);
    return cli_end(status, &error);
}
