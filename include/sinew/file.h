// SPDX-License-Identifier: Apache-2.0
//
// Files that are written whole or not at all. Everything that the library writes is written in this
// way, and programs around it can do the same with files of their own.
//
// A file is written under another name in the folder where it will be (.sinew-PROCESS-NUMBER.tmp),
// brought to the disk, and then takes the place of the older one in one step; the folder is brought
// to the disk as well. What holds for all of them:
//
// - A file that is read only is refused, also for a user who may write everything: taking all
//   rights away is how one locks a file. The new file has the rights of the one that it replaces.
// - A link to a file stays a link: what it leads to is replaced. A link that leads to nothing, to a
//   folder or in a circle is refused.
// - Devices and pipes (/dev/null, /dev/stdout) are written to as they are.
// - What a process that was killed has left is removed by the next one that writes into the same
//   folder. A process holds a lock on its own, so nothing of a living one is touched.
#ifndef SINEW_FILE_H
#define SINEW_FILE_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SN_FILE_PATH_BYTES = 4096 }; // of a path, with its terminating zero

// Fails, with the reason, for a path that sn_file_write would refuse. Nothing is written.
SN_EXPERIMENTAL sn_status sn_file_check(const char *path, sn_error *error);

SN_EXPERIMENTAL sn_status sn_file_write(const char *path, const void *bytes, size_t size,
                                        sn_error *error);

// Files of one folder that appear together: numbered frames, a mesh and its materials. Their folder
// holds the older files alone, or new files alone, at every moment: when all new ones are complete
// the older ones of the same names are removed, and then the new ones get their names. A process
// that is killed between these steps leaves a folder .sinew-PROCESS-NUMBER.done with the files that
// have no name yet, and the next one that writes into the same folder ends its work.
typedef struct sn_file_set {
    char folder[SN_FILE_PATH_BYTES];  // where they will be
    char scratch[SN_FILE_PATH_BYTES]; // the folder in it where they are written; "": none
    int lock;                         // on that folder
} sn_file_set;

// Begins the set of the file `path` and of others in its folder.
SN_EXPERIMENTAL sn_status sn_file_set_begin(sn_file_set *set, const char *path, sn_error *error);

// Where the file that shall become `path` is written. Fails for what sn_file_check refuses, and for
// a link that leads out of the set's folder.
SN_EXPERIMENTAL sn_status sn_file_set_place(const sn_file_set *set, const char *path,
                                            char place[SN_FILE_PATH_BYTES], sn_error *error);

// Gives all files that were written their names, and ends the set. Fails, before anything is
// changed, where an older file is in the way and `replace` is false, or is read only.
SN_EXPERIMENTAL sn_status sn_file_set_commit(sn_file_set *set, bool replace, sn_error *error);

// Removes what was written. Safe on a zeroed or ended set.
SN_EXPERIMENTAL void sn_file_set_cancel(sn_file_set *set);

#ifdef __cplusplus
}
#endif

#endif
