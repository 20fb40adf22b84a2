// SPDX-License-Identifier: Apache-2.0
//
// Whole files in and out.
#ifndef SINEW_BASE_FILE_H
#define SINEW_BASE_FILE_H

#include "base/memory.h"
#include "sinew/file.h"

#include <stdio.h>

// Reads a whole file; one terminating zero stands behind its `*size` bytes. Free with sni_free.
// Fails for what is no regular file.
sn_status sni_file_read(sn_context *context, const char *path, char **bytes, size_t *size,
                        sn_error *error);

// Fails with the text of errno: "cannot DOING: No such file or directory".
sn_status sni_fail_errno(sn_error *error, const char *path, const char *doing);

// A file that appears under its name only when it is complete (sinew/file.h): it is written beside
// the target under a temporary name, synced, and renamed over it by sni_output_commit. Closing
// without commit removes it, so that a failure or an interrupt never leaves half a file nor damages
// the old one. Devices and pipes are written to directly.
typedef struct sni_output {
    FILE *stream;
    bool in_set;                        // the set gives it its name
    int lock;                           // on the temporary file, where there is one
    char path[SN_FILE_PATH_BYTES];      // what is replaced, links followed
    char temporary[SN_FILE_PATH_BYTES]; // "": none
} sni_output;

// `set` NULL: the file stands alone. Else its commit ends it, and it appears with the others.
sn_status sni_output_open(const sn_file_set *set, const char *path, sni_output *output,
                          sn_error *error);
sn_status sni_output_write(sni_output *output, const void *bytes, size_t size, sn_error *error);

// Writes everything out and closes the stream; the file keeps its temporary name until the commit.
// For a file that shall appear after another one.
sn_status sni_output_finish(sni_output *output, sn_error *error);

// Finishes the file where that is not done yet and gives it its name.
sn_status sni_output_commit(sni_output *output, sn_error *error);

// Closes and removes what was not committed. Safe on a zeroed or committed output.
void sni_output_close(sni_output *output);

// A file without a name on the disk that `path` will be on, to be written and read back. Fails for
// a path that cannot be written in the end.
sn_status sni_spool_open(const char *path, FILE **spool, sn_error *error);

// Paths. The results are new strings (free with sni_free) or NULL when memory runs out.
// `relative` as seen from the folder of the file `base`; an absolute one as it is.
char *sni_path_beside(sn_context *context, const char *base, const char *relative);
// The same for a name that a file from a stranger gives. Fails with SN_IO where it is absolute or
// leaves the folder of `base`, by its dots or, links followed, by where it leads. What is not there
// passes.
sn_status sni_path_inside(sn_context *context, const char *base, const char *name, char **path,
                          sn_error *error);
// How `path` is written from the folder of the file `base`; `path` itself where there is no
// relative way (other roots).
char *sni_path_relative(sn_context *context, const char *base, const char *path);
// The last component, and its extension with the dot ("" when there is none); both point into
// `path`.
const char *sni_path_name(const char *path);
const char *sni_path_extension(const char *path);
// Compares an extension without regard to case.
bool sni_path_has_extension(const char *path, const char *extension);

#endif
