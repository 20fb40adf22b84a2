// SPDX-License-Identifier: Apache-2.0
//
// Files that the studio keeps for a document until it is saved: those that were dropped on the
// page. Saving carries them along.
#ifndef SINEW_STUDIO_CARRY_H
#define SINEW_STUDIO_CARRY_H

#include "common/common.h"

// Whether a document, whose relative paths begin beside the file `base`, names files below the
// folder `kept`.
bool carry_needed(const sn_json *document, const char *base, const char *kept);

// What was copied.
typedef struct carry_result {
    uint32_t count;             // files
    char first[APP_PATH_BYTES]; // whole path of the first
} carry_result;

// Copies the files below `kept` that a document names beside `path`, where it is to be saved and
// where its relative paths begin, and lets it name the copies. A file that came alone becomes
// NAME.bvh, those that came together the folder NAME; where something else has that name, there is
// a number behind it. What is there already with the same bytes is taken as it is, so that saving
// again copies nothing.
sn_status carry_files(sn_json *document, const char *path, const char *kept, carry_result *result,
                      sn_error *error);

#endif
