// SPDX-License-Identifier: Apache-2.0
//
// What a file was before it is written: it comes back where something fails that belongs to the new
// one.
#ifndef SINEW_APPS_OLDER_H
#define SINEW_APPS_OLDER_H

#include "sinew/file.h"

typedef struct app_older {
    char path[SN_FILE_PATH_BYTES]; // links followed; "": nothing is to be brought back
    sn_file_set files;             // has the file in it, where there is one
} app_older;

// Notes a file, which keeps its name. NULL, and what is no file, needs no note.
sn_status app_older_take(app_older *older, const char *path, sn_error *error);

// The file is as it was, or gone where there was none.
void app_older_bring_back(app_older *older);

// Forgets it. Safe on a zeroed one and more than once.
void app_older_free(app_older *older);

#endif
