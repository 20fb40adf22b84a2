// SPDX-License-Identifier: Apache-2.0
//
// Where pages may read and write: folders given at the start, and all below them. Every path from a
// page goes through roots_resolve before it reaches the file system, so that neither `..` nor links
// lead out.
#ifndef SINEW_STUDIO_ROOTS_H
#define SINEW_STUDIO_ROOTS_H

#include "sinew/base.h"

enum { ROOTS_PATH_BYTES = 4096 };

typedef enum roots_use {
    ROOTS_READ_FILE = 0,   // a file that is there
    ROOTS_READ_FOLDER = 1, // a folder that is there
    ROOTS_WRITE_FILE = 2,  // a file that may not be there yet, in a folder that is
} roots_use;

typedef struct roots {
    uint32_t count;
    char **folders; // without links and dots
    bool *writable;
} roots;

void roots_deinit(roots *r);

// Adds a folder. One that is read only stays so below others that are not. One that is not there is
// left out.
sn_status roots_add(roots *r, const char *folder, bool writable, sn_error *error);

// The path without links and dots, where it lies below one of the folders and is what `use` asks
// for. A relative path begins in the first folder, one that begins with ~/ in the home folder.
// Fails with SN_INVALID and one line.
sn_status roots_resolve(const roots *r, const char *path, roots_use use,
                        char resolved[ROOTS_PATH_BYTES], sn_error *error);

// Whether a path that has no links and dots lies in or below one of the folders.
bool roots_hold(const roots *r, const char *resolved);

#endif
