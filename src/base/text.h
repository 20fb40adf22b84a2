// SPDX-License-Identifier: Apache-2.0
//
// Names: finding them among many, and guessing which one was meant.
#ifndef SINEW_BASE_TEXT_H
#define SINEW_BASE_TEXT_H

#include "base/memory.h"

// Which of several names is closest to a misspelt one:
//
//     sni_closest closest = sni_closest_to("elbw");
//     for (...) { sni_closest_try(&closest, names[i]); }
//     sni_fail(error, SN_INVALID, "there is no bone \"elbw\"%s", sni_closest_hint(&closest, text));
//
// Nearness is the number of letters to insert, delete, replace or exchange with their neighbour
// (optimal string alignment); a difference of case alone counts nothing. Names that differ in more
// than a third of their letters, or are longer than 63 bytes, are not suggested. Of equally close
// names the first one is taken.
typedef struct sni_closest {
    const char *wanted;
    const char *name; // NULL while none is close enough; points to the candidate that was tried
    uint32_t distance;
} sni_closest;

#define SNI_HINT_BYTES 128

sni_closest sni_closest_to(const char *wanted);
void sni_closest_try(sni_closest *closest, const char *candidate);

// Writes "; did you mean \"elbow\"?", or nothing where no name is close, and returns `hint`.
const char *sni_closest_hint(const sni_closest *closest, char hint[SNI_HINT_BYTES]);

// Whether "*" in a pattern can stand for texts, empty ones too, so that it is this name.
bool sni_name_fits(const char *pattern, const char *name);

// Names for a sentence: "a, b and 3 more". The first ones that there is room for are named; `count`
// is the number of all.
#define SNI_NAME_LIST_BYTES 320
typedef struct sni_name_list {
    uint32_t count, named;
    char text[SNI_NAME_LIST_BYTES - 24];
} sni_name_list;

void sni_name_list_add(sni_name_list *list, const char *name);
const char *sni_name_list_text(const sni_name_list *list, char text[SNI_NAME_LIST_BYTES]);

// Names sorted for searching. The names themselves are borrowed; NULL entries are left out.
typedef struct sni_name_index {
    uint32_t count;
    struct sni_name_entry {
        const char *name;
        uint32_t number;
    } * entries; // by name, then by number
} sni_name_index;

// Indexes names that stand `stride` bytes apart, the first at `first`:
// sni_name_index_init(context, &index, &segments[0].name, sizeof segments[0], count, error).
sn_status sni_name_index_init(sn_context *context, sni_name_index *index, const void *first,
                              size_t stride, uint32_t count, sn_error *error);
void sni_name_index_deinit(sn_context *context, sni_name_index *index);

// The lowest number of that name, SN_NONE when there is none.
uint32_t sni_name_index_find(const sni_name_index *index, const char *name);

// The same for the first `length` bytes of `name`.
uint32_t sni_name_index_find_n(const sni_name_index *index, const char *name, size_t length);

// A name that stands twice, NULL when all differ.
const char *sni_name_index_duplicate(const sni_name_index *index);

// Whether a text can be what sn_ranges_mark reads, for some count.
sn_status sni_ranges_check(const char *text, sn_error *error);

#endif
