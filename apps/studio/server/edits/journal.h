// SPDX-License-Identifier: Apache-2.0
//
// The journal of a document: a file of lines beside nothing but itself, in the state folder. Every
// change is a line there before anyone hears that it was made, so that a crash loses nothing
// (docs/studio-protocol.md#journal).
#ifndef SINEW_STUDIO_JOURNAL_H
#define SINEW_STUDIO_JOURNAL_H

#include "sinew/json.h"

typedef struct journal journal;

// Opens the journal of `identity` (a path, or what stands for one) in `folder`/journal, making
// what is not there. A journal that another desk has open is left alone: this one is then a second
// one. What a crash left is in `content`: whole lines; a piece of a line at the end is cut off.
// `fresh`: one in which nothing was left.
sn_status journal_open(const char *folder, const char *identity, bool fresh, journal **result,
                       sn_error *error);
// Opens the journal in a file of `folder`/journal that nobody has open, by its name.
sn_status journal_open_file(const char *folder, const char *name, journal **result,
                            sn_error *error);

// What was there when it was opened; NULL where nothing was.
const char *journal_content(const journal *journal, size_t *size);
void journal_forget_content(journal *journal);

// Appends a line, which ends with a line feed: written when this returns, and on the disk a moment
// later (flush.h).
sn_status journal_append(journal *journal, const char *line, size_t size, sn_error *error);
// How long it is, and back to that: a line was not true after all.
bool journal_tell(const journal *journal, size_t *size);
void journal_cut(journal *journal, size_t size);
// On the disk when this returns.
sn_status journal_flush(journal *journal, sn_error *error);

// Empties it.
sn_status journal_restart(journal *journal, sn_error *error);

// Keeps a copy of what was there when it was opened, under a name of its own: `kept` tells it.
sn_status journal_keep_copy(const journal *journal, char *kept, size_t kept_size, sn_error *error);

// Makes it the journal of another identity. One that is there already is kept under another name.
sn_status journal_move(journal *journal, const char *identity, sn_error *error);

// Closes it; `discard` removes the file. NULL is allowed.
void journal_close(journal *journal, bool discard);

// Tells one text from another.
uint64_t journal_hash(const void *bytes, size_t size);

// Reads a whole file, terminated; free() it. One that is no regular file is refused.
sn_status journal_read_file(const char *path, char **bytes, size_t *size, sn_error *error);

#endif
