// SPDX-License-Identifier: Apache-2.0
//
// Unique names for the elements of a file that may repeat or lack them.
#ifndef SINEW_IO_NAMES_H
#define SINEW_IO_NAMES_H

#include "base/arena.h"

typedef struct sni_name_slot {
    const char *name;
    uint32_t value;       // what the name stands for
    uint32_t next_suffix; // first number that has not been tried behind this name
} sni_name_slot;

// A set of names, each with a number. Strings live as long as the set does.
typedef struct sni_names {
    sni_arena arena;
    sni_name_slot *slots; // open addressing, capacity a power of two, at most half full
    uint32_t capacity;
    uint32_t count;
} sni_names;

void sni_names_init(sni_names *names, sn_context *context);
void sni_names_deinit(sni_names *names);

// The number of a name, SN_NONE when it is not in the set.
uint32_t sni_names_find(const sni_names *names, const char *name);

// Adds a name that is not in the set yet.
sn_status sni_names_add(sni_names *names, const char *name, uint32_t value, sn_error *error);

// Adds `base`, or "base.2", "base.3", ... where it is taken, and returns what was added.
sn_status sni_names_add_unique(sni_names *names, const char *base, uint32_t value,
                               const char **unique, sn_error *error);

// Names `count` elements: the first bearer of a given name keeps it, later ones get a number behind
// it, and those without one (NULL or empty) are called `prefix` and their number (`numbers`, NULL:
// their index). Linear on the whole. `assigned` belong to the set.
sn_status sni_names_assign(sni_names *names, const char *const *given, const uint32_t *numbers,
                           uint32_t count, const char *prefix, const char **assigned,
                           sn_error *error);

#endif
