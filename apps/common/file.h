// SPDX-License-Identifier: Apache-2.0
//
// Files that are written whole or not at all.
#ifndef SINEW_APPS_FILE_H
#define SINEW_APPS_FILE_H

#include "sinew/base.h"

// Writes a file so that the old one stays until the new one is complete and on the disk. It keeps
// its rights; one that is read only is refused.
sn_status app_write_file(const char *path, const void *bytes, size_t size, sn_error *error);

// Whether a file is there that must not be replaced.
bool app_is_read_only(const char *path);
sn_status app_fail_read_only(const char *path, sn_error *error);

// Reads an open file to its end, terminated; free() it.
sn_status app_read_all(int file, const char *path, char **bytes, size_t *size, sn_error *error);

// Writes everything to an open file; false, with errno, where that fails.
bool app_write_all(int file, const void *bytes, size_t size);

// Brings a whole file, or the names in a folder, to the disk; false, with errno, where that fails.
bool app_flush_path(const char *path);

#endif
