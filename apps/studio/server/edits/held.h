// SPDX-License-Identifier: Apache-2.0
//
// What a step does to held values: parameters with the value that each is held at before and after.
#ifndef SINEW_STUDIO_HELD_H
#define SINEW_STUDIO_HELD_H

#include <stdbool.h>
#include <stdint.h>

typedef struct held_change {
    char *name;           // of a joint parameter or a control
    double before, after; // NAN: it is not held
} held_change;

typedef struct held_changes {
    held_change *list;
    uint32_t count;
} held_changes;

void held_changes_deinit(held_changes *changes);

// Adds a change that comes after all others. Changes of one parameter become a single one, which
// goes where it leads back to the beginning. False without memory.
bool held_changes_add(held_changes *changes, const char *name, double before, double after);
// Adds all of `later`.
bool held_changes_join(held_changes *changes, const held_changes *later);

#endif
