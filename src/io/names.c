// SPDX-License-Identifier: Apache-2.0
#include "io/names.h"

#include <stdio.h>
#include <string.h>

void sni_names_init(sni_names *names, sn_context *context) {
    *names = (sni_names){0};
    sni_arena_init(&names->arena, context);
}

void sni_names_deinit(sni_names *names) {
    sni_free(names->arena.context, names->slots);
    sni_arena_deinit(&names->arena);
    names->slots = NULL;
}

// FNV-1a (Fowler, Noll, Vo), 32 bits.
static uint32_t hash_name(const char *name) {
    uint32_t hash = 2166136261u;
    for (; *name != 0; ++name) {
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    }
    return hash;
}

// The slot of a name, or the free one where it would go. The table has room.
static sni_name_slot *find_slot(sni_name_slot *slots, uint32_t capacity, const char *name) {
    uint32_t at = hash_name(name) & (capacity - 1);
    while (slots[at].name != NULL && strcmp(slots[at].name, name) != 0) {
        at = (at + 1) & (capacity - 1);
    }
    return &slots[at];
}

static bool make_room(sni_names *names) {
    if (names->capacity > 0 && names->count < names->capacity / 2) {
        return true;
    }
    if (names->capacity > UINT32_MAX / 4) {
        return false;
    }
    uint32_t capacity = names->capacity > 0 ? names->capacity * 2 : 64;
    sni_name_slot *slots = sni_alloc_zero(names->arena.context, capacity, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < names->capacity; ++i) {
        if (names->slots[i].name != NULL) {
            *find_slot(slots, capacity, names->slots[i].name) = names->slots[i];
        }
    }
    sni_free(names->arena.context, names->slots);
    names->slots = slots;
    names->capacity = capacity;
    return true;
}

uint32_t sni_names_find(const sni_names *names, const char *name) {
    SN_ASSERT(name != NULL);
    if (names->capacity == 0) {
        return SN_NONE;
    }
    const sni_name_slot *slot = find_slot(names->slots, names->capacity, name);
    return slot->name != NULL ? slot->value : SN_NONE;
}

sn_status sni_names_add(sni_names *names, const char *name, uint32_t value, sn_error *error) {
    const char *added;
    return sni_names_add_unique(names, name, value, &added, error);
}

sn_status sni_names_add_unique(sni_names *names, const char *base, uint32_t value,
                               const char **unique, sn_error *error) {
    size_t size = strlen(base) + 16;
    char *copy = sni_arena_alloc_small(&names->arena, size, 1);
    if (copy == NULL || !make_room(names)) {
        return sni_fail_memory(error);
    }
    memcpy(copy, base, strlen(base) + 1);
    sni_name_slot *taken = find_slot(names->slots, names->capacity, base);
    sni_name_slot *slot = taken;
    while (slot->name != NULL) {
        snprintf(copy, size, "%s.%u", base, taken->next_suffix++);
        slot = find_slot(names->slots, names->capacity, copy);
    }
    *slot = (sni_name_slot){.name = copy, .value = value, .next_suffix = 2};
    names->count++;
    *unique = copy;
    return SN_OK;
}

static bool is_named(const char *name) {
    return name != NULL && name[0] != 0;
}

sn_status sni_names_assign(sni_names *names, const char *const *given, const uint32_t *numbers,
                           uint32_t count, const char *prefix, const char **assigned,
                           sn_error *error) {
    SN_ASSERT(count == 0 || (given != NULL && assigned != NULL));
    for (uint32_t i = 0; i < count; ++i) {
        assigned[i] = NULL;
        if (is_named(given[i]) && sni_names_find(names, given[i]) == SN_NONE) {
            sn_status status = sni_names_add_unique(names, given[i], i, &assigned[i], error);
            if (status != SN_OK) {
                return status;
            }
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        char numbered[64];
        snprintf(numbered, sizeof numbered, "%s%u", prefix, numbers != NULL ? numbers[i] : i);
        const char *base = is_named(given[i]) ? given[i] : numbered;
        if (assigned[i] == NULL) {
            sn_status status = sni_names_add_unique(names, base, i, &assigned[i], error);
            if (status != SN_OK) {
                return status;
            }
        }
    }
    return SN_OK;
}
