// SPDX-License-Identifier: Apache-2.0
//
// A file that a job makes. It is written beside its place and gets its name when all is done, so
// that a job that fails or is cancelled leaves the folder as it was.
#ifndef SINEW_STUDIO_OUTFILE_H
#define SINEW_STUDIO_OUTFILE_H

#include "desk/service.h"

typedef struct outfile {
    char *path;     // where it will be; NULL: none was asked for
    char *scratch;  // where it is written, with the same extension
    bool replace;   // an older one may go
    bool is_folder; // `scratch` is a folder
    bool kept;      // it has its name
    char *replaced; // where the older one waits meanwhile; NULL: there was none
} outfile;

// Takes the path under `key` and "replace" of a request. Fails for a path outside the roots, an
// extension that is none of `extensions` (ended by NULL), and for a file that is there and shall
// not be replaced. Without the key, and not `needed`, there is no file.
sn_status outfile_take(outfile *file, desk *desk, const desk_request *request, const char *key,
                       const char *const *extensions, bool needed, sn_error *error);

// Gives the file its name. The one that it replaces goes with outfile_free.
sn_status outfile_keep(outfile *file, sn_error *error);

// The folder is as it was before the file was kept.
void outfile_undo(outfile *file);

// For writers that make several files of one name: makes `scratch` a folder; they are written into
// it as outfile_inside says, and kept all together, none in place of another one unless `replace`.
sn_status outfile_make_folder(outfile *file, sn_error *error);
// Where a file that shall become `path` is written.
void outfile_inside(const outfile *file, const char *path, char *inside, size_t size);

// Frees it; what was not kept is removed.
void outfile_free(outfile *file);

#endif
