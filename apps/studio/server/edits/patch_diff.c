// SPDX-License-Identifier: Apache-2.0
//
// The difference of two JSON trees as a patch. Maps are compared by key and order, arrays from both
// ends: what lies between equal beginnings and equal ends is put item by item, or as a whole where
// most of it differs.
#include "edits/patch.h"

#include "wire/failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Lists of numbers up to this count (points, colours, ranges) change as a whole.
#define SMALL_COUNT 16

typedef struct differ {
    sn_json *json;
    sn_value *entries;
    char *path;
    size_t size, capacity;
    bool failed;
} differ;

static bool equal_children(const sn_value *a, const sn_value *b) {
    uint32_t count = sn_value_count(a);
    if (count != sn_value_count(b)) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const sn_value *one = a->as.children.items[i], *other = b->as.children.items[i];
        if (a->type == SN_JSON_OBJECT && strcmp(one->key, other->key) != 0) {
            return false;
        }
        if (!patch_equal(one, other)) {
            return false;
        }
    }
    return true;
}

bool patch_equal(const sn_value *a, const sn_value *b) {
    if (a->type != b->type) {
        return false;
    }
    switch (a->type) {
    case SN_JSON_NULL: return true;
    case SN_JSON_BOOL: return a->as.boolean == b->as.boolean;
    case SN_JSON_NUMBER: // by bits: -0 is written differently
        return memcmp(&a->as.number, &b->as.number, sizeof a->as.number) == 0;
    case SN_JSON_STRING: return strcmp(a->as.string, b->as.string) == 0;
    default: return equal_children(a, b);
    }
}

// ---------------------------------------------------------------------------------------------
// Paths and entries

static bool make_room(differ *work, size_t more) {
    if (work->size + more + 1 > work->capacity) {
        size_t capacity = 2 * (work->size + more + 64);
        char *path = realloc(work->path, capacity);
        if (!path) {
            work->failed = true;
            return false;
        }
        work->path = path;
        work->capacity = capacity;
    }
    return true;
}

// Appends "/KEY"; gives the size to return to.
static size_t enter_key(differ *work, const char *key) {
    size_t before = work->size;
    if (!make_room(work, 2 * strlen(key) + 1)) {
        return before;
    }
    work->path[work->size++] = '/';
    for (; *key; ++key) {
        if (*key == '~' || *key == '/') {
            work->path[work->size++] = '~';
            work->path[work->size++] = *key == '~' ? '0' : '1';
        } else {
            work->path[work->size++] = *key;
        }
    }
    work->path[work->size] = '\0';
    return before;
}

static size_t enter_index(differ *work, uint32_t index) {
    char text[16];
    snprintf(text, sizeof text, "%u", index);
    return enter_key(work, text);
}

static void leave(differ *work, size_t before) {
    work->size = before;
    if (work->path) {
        work->path[before] = '\0';
    }
}

static sn_value *add_entry(differ *work) {
    sn_value *entry = sn_json_add_object(work->json, work->entries, NULL);
    if (!sn_json_add_string(work->json, entry, "path", work->path ? work->path : "")) {
        work->failed = true;
    }
    return entry;
}

static sn_value *add_put(differ *work, const sn_value *value) {
    sn_value *entry = add_entry(work);
    if (!sn_json_add_copy(work->json, entry, "value", value)) {
        work->failed = true;
    }
    return entry;
}

static void add_gone(differ *work) {
    if (!sn_json_add_bool(work->json, add_entry(work), "gone", true)) {
        work->failed = true;
    }
}

static void diff_value(differ *work, const sn_value *from, const sn_value *to);

// ---------------------------------------------------------------------------------------------
// Objects

// The members of an object while they are being changed.
typedef struct members {
    uint32_t count;
    const char **keys;
} members;

static uint32_t find_key(const members *list, const char *key, uint32_t hint) {
    if (hint < list->count && strcmp(list->keys[hint], key) == 0) {
        return hint;
    }
    for (uint32_t i = 0; i < list->count; ++i) {
        if (strcmp(list->keys[i], key) == 0) {
            return i;
        }
    }
    return SN_NONE;
}

static bool has_key(const sn_value *object, const char *key, uint32_t hint) {
    const sn_value *guess = sn_value_at(object, hint);
    return (guess && strcmp(guess->key, key) == 0) || sn_value_get(object, key);
}

static void remove_key(members *list, uint32_t index) {
    memmove(&list->keys[index], &list->keys[index + 1],
            (list->count - index - 1) * sizeof *list->keys);
    list->count -= 1;
}

static void insert_key(members *list, uint32_t index, const char *key) {
    memmove(&list->keys[index + 1], &list->keys[index], (list->count - index) * sizeof *list->keys);
    list->keys[index] = key;
    list->count += 1;
}

// A member that stands where one of another name and the same value stood was renamed.
static void rename_members(differ *work, const sn_value *from, const sn_value *to, members *list) {
    for (uint32_t i = 0; i < list->count && i < sn_value_count(to); ++i) {
        const sn_value *old = sn_value_at(from, i), *new = sn_value_at(to, i);
        if (strcmp(old->key, new->key) == 0 || has_key(to, old->key, i) ||
            has_key(from, new->key, i) || !patch_equal(old, new)) {
            continue;
        }
        size_t before = enter_key(work, old->key);
        if (!sn_json_add_string(work->json, add_entry(work), "key", new->key)) {
            work->failed = true;
        }
        leave(work, before);
        list->keys[i] = new->key;
    }
}

static void take_away(differ *work, members *list, uint32_t index) {
    size_t before = enter_key(work, list->keys[index]);
    add_gone(work);
    leave(work, before);
    remove_key(list, index);
}

static void remove_members(differ *work, const sn_value *to, members *list) {
    for (uint32_t i = 0; i < list->count;) {
        if (has_key(to, list->keys[i], i)) {
            ++i;
        } else {
            take_away(work, list, i);
        }
    }
}

static void diff_common(differ *work, const sn_value *from, const sn_value *to) {
    for (uint32_t i = 0; i < sn_value_count(to); ++i) {
        const sn_value *new = sn_value_at(to, i), *old = sn_value_at(from, i);
        if (!old || strcmp(old->key, new->key) != 0) {
            old = sn_value_get(from, new->key);
        }
        if (old) {
            size_t before = enter_key(work, new->key);
            diff_value(work, old, new);
            leave(work, before);
        }
    }
}

// Puts what is new and moves what stands elsewhere, from the first to the last. One that stands
// before the one that is wanted is taken away, and comes back where it belongs.
static void order_members(differ *work, const sn_value *to, members *list) {
    for (uint32_t i = 0; i < sn_value_count(to); ++i) {
        const sn_value *member = sn_value_at(to, i);
        if (i < list->count && strcmp(list->keys[i], member->key) == 0) {
            continue;
        }
        uint32_t at = find_key(list, member->key, i + 1);
        if (at == i + 1) {
            take_away(work, list, i);
            continue;
        }
        if (at != SN_NONE) {
            take_away(work, list, at);
        }
        size_t before = enter_key(work, member->key);
        if (!sn_json_add_number(work->json, add_put(work, member), "index", i)) {
            work->failed = true;
        }
        leave(work, before);
        insert_key(list, i, member->key);
    }
}

static void diff_object(differ *work, const sn_value *from, const sn_value *to) {
    uint32_t room = sn_value_count(from) + sn_value_count(to) + 1;
    members list = {.keys = malloc(room * sizeof *list.keys)};
    if (!list.keys) {
        work->failed = true;
        return;
    }
    for (uint32_t i = 0; i < sn_value_count(from); ++i) {
        list.keys[list.count++] = sn_value_at(from, i)->key;
    }
    rename_members(work, from, to, &list);
    remove_members(work, to, &list);
    diff_common(work, from, to);
    order_members(work, to, &list);
    free(list.keys);
}

// ---------------------------------------------------------------------------------------------
// Arrays

static bool is_flat(const sn_value *array) {
    for (uint32_t i = 0; i < sn_value_count(array); ++i) {
        if (sn_value_at(array, i)->type >= SN_JSON_ARRAY) {
            return false;
        }
    }
    return true;
}

// The items that differ: [begin, from_end) against [begin, to_end).
typedef struct span {
    uint32_t begin, from_end, to_end;
} span;

static span find_span(const sn_value *from, const sn_value *to) {
    span middle = {0, sn_value_count(from), sn_value_count(to)};
    while (middle.begin < middle.from_end && middle.begin < middle.to_end &&
           patch_equal(sn_value_at(from, middle.begin), sn_value_at(to, middle.begin))) {
        ++middle.begin;
    }
    while (
        middle.from_end > middle.begin && middle.to_end > middle.begin &&
        patch_equal(sn_value_at(from, middle.from_end - 1), sn_value_at(to, middle.to_end - 1))) {
        --middle.from_end;
        --middle.to_end;
    }
    return middle;
}

static void resize_array(differ *work, const sn_value *to, span middle) {
    for (uint32_t i = middle.from_end; i > middle.to_end; --i) {
        size_t before = enter_index(work, i - 1);
        add_gone(work);
        leave(work, before);
    }
    for (uint32_t i = middle.from_end; i < middle.to_end; ++i) {
        size_t before = enter_index(work, i);
        if (!sn_json_add_bool(work->json, add_put(work, sn_value_at(to, i)), "insert", true)) {
            work->failed = true;
        }
        leave(work, before);
    }
}

static void diff_array(differ *work, const sn_value *from, const sn_value *to) {
    span middle = find_span(from, to);
    uint32_t longer = middle.from_end > middle.to_end ? middle.from_end : middle.to_end;
    uint32_t count = sn_value_count(to);
    bool flat = is_flat(from) && is_flat(to);
    bool most = longer - middle.begin > SMALL_COUNT && 2 * (longer - middle.begin) > count;
    if (most || (flat && count <= SMALL_COUNT)) {
        add_put(work, to);
        return;
    }
    for (uint32_t i = middle.begin; i < middle.from_end && i < middle.to_end; ++i) {
        size_t before = enter_index(work, i);
        diff_value(work, sn_value_at(from, i), sn_value_at(to, i));
        leave(work, before);
    }
    resize_array(work, to, middle);
}

static void diff_value(differ *work, const sn_value *from, const sn_value *to) {
    if (work->failed || patch_equal(from, to)) {
        return;
    }
    if (from->type == SN_JSON_OBJECT && to->type == SN_JSON_OBJECT) {
        diff_object(work, from, to);
    } else if (from->type == SN_JSON_ARRAY && to->type == SN_JSON_ARRAY) {
        diff_array(work, from, to);
    } else {
        add_put(work, to);
    }
}

sn_status patch_diff(const sn_value *from, const sn_value *to, sn_json *json, sn_value *entries,
                     sn_error *error) {
    differ work = {.json = json, .entries = entries};
    diff_value(&work, from, to);
    free(work.path);
    return work.failed ? app_fail_memory(error) : SN_OK;
}
