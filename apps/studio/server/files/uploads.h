// SPDX-License-Identifier: Apache-2.0
//
// Files that pages send in pieces. A file appears under its name when it is complete, and never in
// place of another one: what came together has a folder to itself, FOLDER/XXXXXX/NAME, so that
// every file keeps its name.
#ifndef SINEW_STUDIO_UPLOADS_H
#define SINEW_STUDIO_UPLOADS_H

#include "sinew/base.h"

enum {
    UPLOAD_LIMIT = 8,         // at once
    UPLOAD_PAGE_LIMIT = 4,    // of one page
    UPLOAD_NAME_BYTES = 200,  //
    UPLOAD_PATH_BYTES = 4096, //
    UPLOAD_DROP_LIMIT = 32,   // whose folders are known
};
#define UPLOAD_SIZE_LIMIT 1073741824.0 // bytes

typedef struct uploads uploads;

sn_status uploads_create(uploads **result, sn_error *error);
void uploads_destroy(uploads *u); // NULL is allowed; what is not complete is removed

// Makes a name safe: the part behind the last slash or backslash, without control characters and
// leading dots. Fails for one of which nothing is left, that is too long, or that sinew does not
// read.
sn_status upload_clean_name(const char *name, char clean[UPLOAD_NAME_BYTES + 1], sn_error *error);

typedef struct upload_desc {
    uint32_t page, slot;
    // Files of one page that came together have one number here, 0: it came alone. The first of
    // them gives their folder its name: files that name each other find each other, and nothing
    // older.
    uint32_t drop;
    const char *folder; // where the folder of the drop will be
    const char *name;
    double size; // bytes
} upload_desc;

// Begins a file. Fails for too many at once, sizes that are none, and two files of one name in a
// drop.
sn_status uploads_begin(uploads *u, const upload_desc *desc, uint32_t *number, sn_error *error);

typedef struct upload_result {
    bool done;                    // the file is complete; else the rest says nothing
    uint32_t slot;                //
    char path[UPLOAD_PATH_BYTES]; //
} upload_result;

// Adds bytes. A failure ends the upload and removes what there is of it.
sn_status uploads_add(uploads *u, uint32_t page, uint32_t number, const void *bytes, size_t size,
                      upload_result *result, sn_error *error);

// Ends what a page has not completed.
void uploads_leave(uploads *u, uint32_t page);

#endif
