// SPDX-License-Identifier: Apache-2.0
//
// Open files. Whole ones are written by sinew/file.h.
#ifndef SINEW_APPS_FILE_H
#define SINEW_APPS_FILE_H

#include "sinew/base.h"

// Reads an open file to its end, terminated; free() it.
sn_status app_read_all(int file, const char *path, char **bytes, size_t *size, sn_error *error);

// Writes everything to an open file; false, with errno, where that fails.
bool app_write_all(int file, const void *bytes, size_t size);

// Brings a whole file, or the names in a folder, to the disk; false, with errno, where that fails.
bool app_flush_path(const char *path);

#endif
