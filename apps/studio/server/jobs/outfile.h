// SPDX-License-Identifier: Apache-2.0
//
// A file that a job makes. It is written beside its place and gets its name when all is done, so
// that a job that fails or is cancelled leaves the folder as it was.
#ifndef SINEW_STUDIO_OUTFILE_H
#define SINEW_STUDIO_OUTFILE_H

#include "common/older.h"
#include "desk/service.h"

typedef struct outfile {
    char *path;        // where it will be; NULL: none was asked for
    char *scratch;     // where it is written, with the same name; writers of several files put the
                       // others beside it, and all are kept together
    bool replace;      // an older one may go
    bool kept;         // it has its name
    sn_file_set files; // what is written
    app_older older;   // what it replaces, until outfile_free
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

// Frees it; what was not kept is removed.
void outfile_free(outfile *file);

#endif
