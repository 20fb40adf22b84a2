// SPDX-License-Identifier: Apache-2.0
//
// What stands in a folder, as a page shows it, and the shipped characters.
#ifndef SINEW_STUDIO_FOLDER_H
#define SINEW_STUDIO_FOLDER_H

#include "sinew/json.h"

// What a file is by its name.
typedef enum file_kind {
    FILE_OTHER = 0,
    FILE_DOCUMENT = 1, // NAME.sinew.json
    FILE_MODEL = 2,    // what `sinew new` takes
    FILE_MOTION = 3,   // .bvh .mot .sto
} file_kind;

file_kind file_kind_of(const char *path);
const char *file_kind_name(file_kind kind);

// Whether a file of this name may be uploaded: what sinew reads, and what such files refer to.
bool file_can_be_uploaded(const char *name);

enum { FOLDER_LIMIT = 5000 };

// Adds "entries": [{"name", "kind", "size", "when"}], folders first, then by name; hidden ones are
// left out. A folder whose index.csv lists files and their kinds has "anatomy": true. Of more than
// FOLDER_LIMIT the rest is counted in "more".
sn_status folder_list(const char *folder, sn_json *json, sn_value *object, sn_error *error);

// Adds "gallery": [{"name", "about", "picture", "path"}], the characters of the folder `examples`:
// NAME/NAME.sinew.json. `picture` is the address of `pictures`/NAME.png, null where there is none.
sn_status gallery_list(sn_context *context, const char *examples, const char *pictures,
                       sn_json *json, sn_value *object, sn_error *error);

// The document of a shipped character by the name of its folder. False where there is none.
bool gallery_find(const char *examples, const char *name, char *path, size_t size);

#endif
