// SPDX-License-Identifier: Apache-2.0
//
// `sinew new FOLDER`: a body from scanned bones and muscles.
#ifndef SINEW_CLI_NEW_FOLDER_H
#define SINEW_CLI_NEW_FOLDER_H

#include "cli.h"

// Makes the document at `path`, and the report that --report names. Returns the exit status.
int cli_new_folder(const cli_call *call, const char *folder, const char *path);

// Prints what became of the folder. `report_path` is where all of it can be read, NULL for nowhere.
void cli_print_anatomy(const sn_anatomy *anatomy, const sn_anatomy_report *report, const char *path,
                       const char *report_path);

#endif
