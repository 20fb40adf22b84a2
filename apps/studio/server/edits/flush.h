// SPDX-License-Identifier: Apache-2.0
//
// Brings what is written to a file to the disk itself, on a thread of its own: soon after it was
// written, but a few times a second at most, so that lines which come one after the other, while a
// slider is dragged, cost whoever writes them nothing.
#ifndef SINEW_STUDIO_FLUSH_H
#define SINEW_STUDIO_FLUSH_H

#include <stdbool.h>

// Between two times that it goes to the disk: what a power loss can take.
#define FLUSH_SECONDS 0.25

typedef struct flusher flusher;

// For an open file, which must stay open until the flusher is destroyed, in `folder`. NULL where
// there is no memory or no thread.
flusher *flusher_create(int file, const char *folder);
// Stops; what was noted and is not on the disk yet goes there first, unless it does not matter any
// more. NULL is allowed.
void flusher_destroy(flusher *flusher, bool give_up);

// The file was written; `renamed`: it is new, or has another name. False, with errno, where the
// disk did not take what was noted before.
bool flusher_note(flusher *flusher, bool renamed);
// Brings everything to the disk before it returns; false, with errno, where that fails.
bool flusher_now(flusher *flusher);

#endif
