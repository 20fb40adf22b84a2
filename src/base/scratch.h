// SPDX-License-Identifier: Apache-2.0
//
// Files and folders that exist only while a process works: FOLDER/.sinew-PROCESS-NUMBER.tmp. Who
// makes one holds a lock on it, which the system takes back when the process ends, however it ends;
// so what can be locked is nobody's any more.
#ifndef SINEW_BASE_SCRATCH_H
#define SINEW_BASE_SCRATCH_H

#include "sinew/file.h"

#include <stdbool.h>

// Opens a new file that nobody else has, locked; -1 with errno where that fails.
int sni_scratch_file(const char *folder, char name[SN_FILE_PATH_BYTES]);

// Makes a new folder, and opens and locks it.
int sni_scratch_folder(const char *folder, char name[SN_FILE_PATH_BYTES]);

// A scratch folder's files are complete: from now on they get their names, whatever happens to this
// process. Changes `name`.
bool sni_scratch_complete(char name[SN_FILE_PATH_BYTES]);

// Gives the files of a complete scratch folder their names in `folder`, and removes it. False, with
// errno, where that fails.
bool sni_scratch_publish(const char *folder, const char *name);

// Removes a scratch file, or folder with what is in it.
void sni_scratch_remove(const char *name);

// Removes what dead processes have left in a folder, and ends what they had to publish.
void sni_scratch_clean(const char *folder);

// Brings the names in a folder to the disk.
bool sni_folder_sync(const char *folder);

// Calls `fn` with the path of each entry of a folder until it returns false; false, too, where the
// folder cannot be read.
typedef bool sni_entry_fn(const char *path, void *user);
bool sni_folder_visit(const char *folder, sni_entry_fn *fn, void *user);

#endif
