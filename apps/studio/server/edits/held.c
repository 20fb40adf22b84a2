// SPDX-License-Identifier: Apache-2.0
#include "edits/held.h"

#include "wire/failure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void held_changes_deinit(held_changes *changes) {
    for (uint32_t i = 0; i < changes->count; ++i) {
        free(changes->list[i].name);
    }
    free(changes->list);
    *changes = (held_changes){0};
}

static bool is_same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static void remove_at(held_changes *changes, uint32_t index) {
    free(changes->list[index].name);
    changes->count -= 1;
    memmove(&changes->list[index], &changes->list[index + 1],
            (changes->count - index) * sizeof *changes->list);
}

static bool append(held_changes *changes, const char *name, double before, double after) {
    held_change *list = realloc(changes->list, (changes->count + 1) * sizeof *list);
    char *copy = desk_copy_string(name);
    if (list) {
        changes->list = list;
    }
    if (!list || !copy) {
        free(copy);
        return false;
    }
    list[changes->count++] = (held_change){copy, before, after};
    return true;
}

bool held_changes_add(held_changes *changes, const char *name, double before, double after) {
    for (uint32_t i = 0; i < changes->count; ++i) {
        held_change *known = &changes->list[i];
        if (strcmp(known->name, name) == 0) {
            known->after = after;
            if (is_same(known->before, after)) {
                remove_at(changes, i);
            }
            return true;
        }
    }
    return is_same(before, after) || append(changes, name, before, after);
}

bool held_changes_join(held_changes *changes, const held_changes *later) {
    bool done = true;
    for (uint32_t i = 0; i < later->count && done; ++i) {
        const held_change *change = &later->list[i];
        done = held_changes_add(changes, change->name, change->before, change->after);
    }
    return done;
}
