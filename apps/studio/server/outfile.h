// SPDX-License-Identifier: Apache-2.0
//
// A file that a job makes. It is written beside its place and gets its name when all is done, so
// that a job that fails or is cancelled leaves the folder as it was.
#ifndef SINEW_STUDIO_OUTFILE_H
#define SINEW_STUDIO_OUTFILE_H

#include "desk_internal.h"

typedef struct outfile {
    char *path;    // where it will be; NULL: none was asked for
    char *scratch; // where it is written, with the same extension
    bool replace;  // an older one may go
    bool kept;     // it has its name
} outfile;

// Takes "path" and "replace" of a request. Fails for a path outside the roots, an extension that is
// none of `extensions` (ended by NULL), and for a file that is there and shall not be replaced.
// Without "path", and not `needed`, there is no file.
sn_status outfile_take(outfile *file, desk *desk, const desk_request *request,
                       const char *const *extensions, bool needed, sn_error *error);

// Gives the file its name.
sn_status outfile_keep(outfile *file, sn_error *error);

// Removes a file that was kept after all.
void outfile_take_back(outfile *file);

// Frees it; what was not kept is removed.
void outfile_free(outfile *file);

#endif
