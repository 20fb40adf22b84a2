// SPDX-License-Identifier: Apache-2.0
#include "edits/patch.h"

#include "wire/failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Applying

// A JSON pointer cut at its last slash.
typedef struct place {
    sn_value *parent; // NULL: the pointer names the root
    char *name;       // the last part, unescaped
} place;

static void unescape(char *text) {
    char *to = text;
    for (const char *from = text; *from; ++from) {
        bool escaped = from[0] == '~' && (from[1] == '0' || from[1] == '1');
        *to++ = escaped ? (from[1] == '0' ? '~' : '/') : *from;
        from += escaped;
    }
    *to = '\0';
}

// `copy` is a buffer of the pointer's size.
static sn_status find_place(const sn_json *json, const char *pointer, char *copy, place *result,
                            sn_error *error) {
    *result = (place){0};
    if (pointer[0] == '\0') {
        return SN_OK;
    }
    strcpy(copy, pointer);
    char *slash = strrchr(copy, '/');
    if (copy[0] != '/' || !slash) {
        return desk_fail(error, SN_INVALID, pointer, "a path must begin with /");
    }
    *slash = '\0';
    result->parent = sn_json_find(json, copy);
    result->name = slash + 1;
    unescape(result->name);
    if (!result->parent) {
        return desk_fail(error, SN_INVALID, pointer, "there is no %s", copy);
    }
    return SN_OK;
}

static bool read_index(const char *text, uint32_t *index) {
    char *end = NULL;
    unsigned long number = strtoul(text, &end, 10);
    *index = (uint32_t)number;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && number < SN_NONE &&
           (text[0] != '0' || text[1] == '\0');
}

static sn_status put_root(sn_json *json, const sn_value *value, sn_error *error) {
    sn_value *root = sn_json_root(json);
    if (value->type != SN_JSON_OBJECT) {
        return desk_fail(error, SN_INVALID, "", "the document must be an object, not %s",
                         sn_json_type_name(value->type));
    }
    while (sn_value_count(root) > 0) {
        sn_json_remove(root->as.children.items[sn_value_count(root) - 1]);
    }
    for (uint32_t i = 0; i < sn_value_count(value); ++i) {
        const sn_value *member = sn_value_at(value, i);
        if (!sn_json_add_copy(json, root, member->key, member)) {
            return app_fail_memory(error);
        }
    }
    return SN_OK;
}

static sn_status put_member(sn_json *json, const place *at, const sn_value *entry,
                            const char *pointer, sn_error *error) {
    bool is_new = !sn_value_get(at->parent, at->name);
    if (at->name[0] == '\0') {
        return desk_fail(error, SN_INVALID, pointer, "a name must not be empty");
    }
    sn_value *value = sn_json_add_copy(json, at->parent, at->name, sn_value_get(entry, "value"));
    if (!value) {
        return app_fail_memory(error);
    }
    const sn_value *index = sn_value_get(entry, "index");
    if (is_new && index) {
        double number = sn_value_number(index, -1);
        if (!(number >= 0 && number < SN_NONE)) {
            return desk_fail(error, SN_INVALID, pointer, "`index` must be a whole number");
        }
        sn_json_place(value, (uint32_t)number);
    }
    return SN_OK;
}

static sn_status put_item(sn_json *json, const place *at, const sn_value *entry,
                          const char *pointer, sn_error *error) {
    uint32_t count = sn_value_count(at->parent);
    uint32_t index = count;
    bool insert = sn_value_bool(sn_value_get(entry, "insert"), false);
    if (strcmp(at->name, "-") != 0 && !read_index(at->name, &index)) {
        return desk_fail(error, SN_INVALID, pointer, "\"%s\" is not an index", at->name);
    }
    if (index > count) {
        return desk_fail(error, SN_INVALID, pointer, "the array has only %u items", count);
    }
    sn_value *value = sn_json_add_copy(json, at->parent, NULL, sn_value_get(entry, "value"));
    if (!value) {
        return app_fail_memory(error);
    }
    if (!insert && index < count) {
        sn_json_remove(at->parent->as.children.items[index]);
    }
    sn_json_place(value, index);
    return SN_OK;
}

static sn_status put(sn_json *json, const place *at, const sn_value *entry, const char *pointer,
                     sn_error *error) {
    if (!at->parent) {
        return put_root(json, sn_value_get(entry, "value"), error);
    }
    switch (at->parent->type) {
    case SN_JSON_OBJECT: return put_member(json, at, entry, pointer, error);
    case SN_JSON_ARRAY: return put_item(json, at, entry, pointer, error);
    default:
        return desk_fail(error, SN_INVALID, pointer, "%s has no members",
                         sn_json_type_name(at->parent->type));
    }
}

static sn_value *find_item(const place *at) {
    uint32_t index = 0;
    if (!at->parent || (at->parent->type != SN_JSON_OBJECT && at->parent->type != SN_JSON_ARRAY)) {
        return NULL;
    }
    if (at->parent->type == SN_JSON_OBJECT) {
        return (sn_value *)sn_value_get(at->parent, at->name);
    }
    return read_index(at->name, &index) ? (sn_value *)sn_value_at(at->parent, index) : NULL;
}

static sn_status rename_member(sn_json *json, const place *at, sn_value *value, const char *key,
                               const char *pointer, sn_error *error) {
    if (!key || key[0] == '\0' || at->parent->type != SN_JSON_OBJECT) {
        return desk_fail(error, SN_INVALID, pointer, "`key` must be a name of a member");
    }
    const sn_value *other = sn_value_get(at->parent, key);
    if (other && other != value) {
        return desk_fail(error, SN_INVALID, pointer, "the name \"%s\" already exists", key);
    }
    return other || sn_json_rename(json, value, key) ? SN_OK : app_fail_memory(error);
}

static sn_status apply_at(sn_json *json, const sn_value *entry, const char *pointer, char *copy,
                          sn_error *error) {
    place at;
    sn_status status = find_place(json, pointer, copy, &at, error);
    if (status != SN_OK) {
        return status;
    }
    if (sn_value_get(entry, "value")) {
        return put(json, &at, entry, pointer, error);
    }
    sn_value *value = find_item(&at);
    if (!value) {
        return desk_fail(error, SN_INVALID, pointer, "there is nothing at this path");
    }
    if (sn_value_get(entry, "key")) {
        const char *key = sn_value_string(sn_value_get(entry, "key"), NULL);
        return rename_member(json, &at, value, key, pointer, error);
    }
    if (!sn_value_bool(sn_value_get(entry, "gone"), false)) {
        return desk_fail(error, SN_INVALID, pointer, "an entry needs `value`, `gone` or `key`");
    }
    sn_json_remove(value);
    return SN_OK;
}

sn_status patch_apply(sn_json *json, const sn_value *entries, sn_error *error) {
    if (!entries || entries->type != SN_JSON_ARRAY) {
        return desk_fail(error, SN_INVALID, "ops", "a patch must be an array");
    }
    for (uint32_t i = 0; i < sn_value_count(entries); ++i) {
        const sn_value *entry = sn_value_at(entries, i);
        const char *pointer = sn_value_string(sn_value_get(entry, "path"), NULL);
        if (!pointer) {
            return desk_fail(error, SN_INVALID, "ops", "entry %u has no `path`", i);
        }
        char *copy = malloc(strlen(pointer) + 1);
        sn_status status =
            copy ? apply_at(json, entry, pointer, copy, error) : app_fail_memory(error);
        free(copy);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// What two patches speak of

// Whether `path` with `size` characters is `other` or stands above it.
static bool contains(const char *path, size_t size, const char *other, size_t other_size) {
    return size <= other_size && memcmp(path, other, size) == 0 &&
           (size == other_size || other[size] == '/');
}

// What an entry is about: where items come or go, all that follow get another index.
static size_t reach(const sn_value *entry, const char *path) {
    const char *slash = strrchr(path, '/');
    bool in_array =
        slash && slash[1] != '\0' && strspn(slash + 1, "0123456789-") == strlen(slash + 1);
    bool shifts = sn_value_get(entry, "gone") || sn_value_get(entry, "insert");
    return in_array && shifts ? (size_t)(slash - path) : strlen(path);
}

// The path that a member has after it got another name, malloc'd; NULL where it keeps its own.
static char *renamed_path(const sn_value *entry) {
    const char *path = sn_value_string(sn_value_get(entry, "path"), "");
    const char *key = sn_value_string(sn_value_get(entry, "key"), NULL);
    const char *slash = strrchr(path, '/');
    char *renamed = key && slash ? malloc(strlen(path) + 2 * strlen(key) + 2) : NULL;
    if (!renamed) {
        return NULL;
    }
    size_t used = (size_t)(slash - path) + 1;
    memcpy(renamed, path, used);
    for (; *key; ++key) {
        bool escaped = *key == '~' || *key == '/';
        renamed[used++] = escaped ? '~' : *key;
        if (escaped) {
            renamed[used++] = *key == '~' ? '0' : '1';
        }
    }
    renamed[used] = '\0';
    return renamed;
}

static bool paths_meet(const char *path, size_t size, const char *other, size_t other_size) {
    return contains(path, size, other, other_size) || contains(other, other_size, path, size);
}

static bool path_meets_entry(const char *path, size_t size, const sn_value *entry) {
    const char *other = sn_value_string(sn_value_get(entry, "path"), "");
    char *renamed = renamed_path(entry);
    bool meet = paths_meet(path, size, other, reach(entry, other)) ||
                (renamed && paths_meet(path, size, renamed, strlen(renamed)));
    free(renamed);
    return meet;
}

static bool entries_meet(const sn_value *a, const sn_value *b) {
    const char *path = sn_value_string(sn_value_get(a, "path"), "");
    char *renamed = renamed_path(a);
    bool meet = path_meets_entry(path, reach(a, path), b) ||
                (renamed && path_meets_entry(renamed, strlen(renamed), b));
    free(renamed);
    return meet;
}

bool patch_meets(const sn_value *entries, const sn_value *others) {
    for (uint32_t i = 0; i < sn_value_count(entries); ++i) {
        for (uint32_t k = 0; k < sn_value_count(others); ++k) {
            if (entries_meet(sn_value_at(entries, i), sn_value_at(others, k))) {
                return true;
            }
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------
// Lines

// A line feed in the written text always stands between values, as strings have theirs escaped.
sn_status patch_write_line(const sn_json *json, sn_context *context, char **line, size_t *size,
                           sn_error *error) {
    char *text = NULL;
    size_t text_size = 0;
    sn_status status = sn_json_write(json, &text, &text_size, error);
    if (status != SN_OK) {
        return status;
    }
    char *result = malloc(text_size + 2);
    size_t count = 0;
    for (size_t i = 0; result && i < text_size; ++i) {
        if (text[i] != '\n') {
            result[count++] = text[i];
            continue;
        }
        while (i + 1 < text_size && text[i + 1] == ' ') {
            ++i;
        }
    }
    sn_json_free_text(context, text);
    if (!result) {
        return app_fail_memory(error);
    }
    result[count++] = '\n';
    result[count] = '\0';
    *line = result;
    *size = count;
    return SN_OK;
}
