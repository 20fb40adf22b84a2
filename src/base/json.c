// SPDX-License-Identifier: Apache-2.0
//
// The JSON tree: storage, reading and editing. The parser is in json_parse.c, the writer in
// json_write.c.
//
// Why not a library: the document needs the line of every value for its errors, the order of keys,
// memory from the context's allocator (which is how running out of it is tested), and no global
// state; the well-kept C libraries each lack at least two of these.
#include "base/json_internal.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *sn_json_type_name(sn_json_type type) {
    static const char *const names[] = {"null",     "true or false", "a number",
                                        "a string", "an array",      "an object"};
    return names[type];
}

sn_status sni_json_init(sn_context *context, sn_json **json, sn_error *error) {
    sn_status status = SN_OK;
    *json = NULL;
    sn_json *made = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    sni_arena_init(&made->arena, context);
    *json = made;
cleanup:
    return status;
}

sn_status sn_json_create(sn_context *context, sn_json **json, sn_error *error) {
    sn_status status = sni_json_init(context, json, error);
    if (status != SN_OK) {
        return status;
    }
    (*json)->root = sni_json_new_value(*json, SN_JSON_OBJECT, 0);
    if ((*json)->root == NULL) {
        sn_json_destroy(*json);
        *json = NULL;
        return sni_fail_memory(error);
    }
    return SN_OK;
}

void sn_json_destroy(sn_json *json) {
    if (json == NULL) {
        return;
    }
    sni_arena_deinit(&json->arena);
    sni_free(json->context, json);
}

sn_value *sn_json_root(const sn_json *json) {
    return json->root;
}

sn_value *sni_json_new_value(sn_json *json, sn_json_type type, uint32_t line) {
    sn_value *value = sni_arena_alloc_small(&json->arena, 1, sizeof *value);
    if (value != NULL) {
        *value = (sn_value){.type = type, .line = line};
    }
    return value;
}

const char *sni_json_new_string(sn_json *json, const char *text, size_t length) {
    SN_ASSERT(length == 0 || text != NULL);
    char *copy = sni_arena_alloc_small(&json->arena, length + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

bool sni_json_is_container(const sn_value *value) {
    return value != NULL && (value->type == SN_JSON_ARRAY || value->type == SN_JSON_OBJECT);
}

bool sni_json_append(sn_json *json, sn_value *container, sn_value *child) {
    SN_ASSERT(sni_json_is_container(container));
    SN_ASSERT(child != NULL);
    uint32_t count = container->as.children.count;
    if (count == container->as.children.capacity) {
        if (count > UINT32_MAX / 2) {
            return false;
        }
        uint32_t capacity = count > 0 ? count * 2 : 4;
        sn_value **items = sni_arena_alloc_small(&json->arena, capacity, sizeof *items);
        if (items == NULL) {
            return false;
        }
        if (count > 0) {
            memcpy(items, container->as.children.items, count * sizeof *items);
        }
        container->as.children.items = items;
        container->as.children.capacity = capacity;
    }
    container->as.children.items[count] = child;
    container->as.children.count = count + 1;
    child->parent = container;
    return true;
}

uint32_t sn_value_count(const sn_value *container) {
    return sni_json_is_container(container) ? container->as.children.count : 0;
}

const sn_value *sn_value_at(const sn_value *container, uint32_t index) {
    return index < sn_value_count(container) ? container->as.children.items[index] : NULL;
}

const sn_value *sn_value_get(const sn_value *object, const char *key) {
    if (object == NULL || object->type != SN_JSON_OBJECT) {
        return NULL;
    }
    for (uint32_t i = 0; i < object->as.children.count; ++i) {
        if (strcmp(object->as.children.items[i]->key, key) == 0) {
            return object->as.children.items[i];
        }
    }
    return NULL;
}

double sn_value_number(const sn_value *value, double otherwise) {
    return value != NULL && value->type == SN_JSON_NUMBER ? value->as.number : otherwise;
}

const char *sn_value_string(const sn_value *value, const char *otherwise) {
    return value != NULL && value->type == SN_JSON_STRING ? value->as.string : otherwise;
}

bool sn_value_bool(const sn_value *value, bool otherwise) {
    return value != NULL && value->type == SN_JSON_BOOL ? value->as.boolean : otherwise;
}

uint32_t sni_json_index(const sn_value *value) {
    const sn_value *parent = value->parent;
    for (uint32_t i = 0; i < parent->as.children.count; ++i) {
        if (parent->as.children.items[i] == value) {
            return i;
        }
    }
    return SN_NONE;
}

// Appends `text` with "~" and "/" escaped as RFC 6901 asks, as far as there is room.
static size_t append_escaped(char *path, size_t used, size_t path_size, const char *text) {
    for (; *text != 0; ++text) {
        const char *part = *text == '~' ? "~0" : *text == '/' ? "~1" : NULL;
        size_t length = part != NULL ? 2 : 1;
        if (used + length >= path_size) {
            break;
        }
        memcpy(path + used, part != NULL ? part : text, length);
        used += length;
    }
    path[used] = 0;
    return used;
}

static size_t append_path(const sn_value *value, char *path, size_t path_size) {
    if (value->parent == NULL) {
        path[0] = 0;
        return 0;
    }
    size_t used = append_path(value->parent, path, path_size);
    if (used + 1 < path_size) {
        path[used++] = '/';
    }
    char number[16];
    snprintf(number, sizeof number, "%u", value->key == NULL ? sni_json_index(value) : 0);
    return append_escaped(path, used, path_size, value->key != NULL ? value->key : number);
}

void sn_value_path(const sn_value *value, char *path, size_t path_size) {
    append_path(value, path, path_size);
}

sn_status sni_at_value(sn_status status, const sn_value *value, sn_error *error) {
    bool about_value = status != SN_OK && status != SN_OUT_OF_MEMORY && status != SN_CANCELLED;
    if (about_value) {
        char path[256];
        sn_value_path(value, path, sizeof path);
        sni_error_place(error, value->line, "%s", path[0] != 0 ? path : "/");
    }
    return status;
}

// Whether the path component [part, part + length), with its escapes, spells `key`.
static bool component_is(const char *part, size_t length, const char *key) {
    for (size_t i = 0; i < length; ++i, ++key) {
        char c = part[i];
        if (c == '~' && i + 1 < length) {
            c = part[++i] == '1' ? '/' : '~';
        }
        if (*key != c) {
            return false;
        }
    }
    return *key == 0;
}

sn_value *sni_json_child(sn_value *container, const char *part, size_t length) {
    for (uint32_t i = 0; i < sn_value_count(container); ++i) {
        sn_value *child = container->as.children.items[i];
        char number[16];
        snprintf(number, sizeof number, "%u", i);
        if (component_is(part, length, child->key != NULL ? child->key : number)) {
            return child;
        }
    }
    return NULL;
}

sn_value *sn_json_find(const sn_json *json, const char *path) {
    sn_value *value = json->root;
    while (value != NULL && *path == '/') {
        size_t length = strcspn(path + 1, "/");
        value = sni_json_child(value, path + 1, length);
        path += 1 + length;
    }
    return *path == 0 ? value : NULL;
}

static bool put(sn_json *json, sn_value *container, const char *key, sn_value *value) {
    sn_value *old = NULL;
    if (key != NULL) {
        value->key = sni_json_new_string(json, key, strlen(key));
        if (value->key == NULL) {
            return false;
        }
        old = (sn_value *)sn_value_get(container, key);
    }
    if (old != NULL) {
        container->as.children.items[sni_json_index(old)] = value;
        value->parent = container;
        old->parent = NULL;
        return true;
    }
    return sni_json_append(json, container, value);
}

static sn_value *add(sn_json *json, sn_value *container, const char *key, sn_json_type type) {
    if (container == NULL) {
        return NULL;
    }
    SN_ASSERT(container->type == (key != NULL ? SN_JSON_OBJECT : SN_JSON_ARRAY));
    sn_value *value = sni_json_new_value(json, type, 0);
    return value != NULL && put(json, container, key, value) ? value : NULL;
}

sn_value *sn_json_add_null(sn_json *json, sn_value *container, const char *key) {
    return add(json, container, key, SN_JSON_NULL);
}

sn_value *sn_json_add_bool(sn_json *json, sn_value *container, const char *key, bool value) {
    sn_value *added = add(json, container, key, SN_JSON_BOOL);
    if (added != NULL) {
        added->as.boolean = value;
    }
    return added;
}

sn_value *sn_json_add_number(sn_json *json, sn_value *container, const char *key, double value) {
    sn_value *added = add(json, container, key, SN_JSON_NUMBER);
    if (added != NULL) {
        added->as.number = value;
    }
    return added;
}

sn_value *sn_json_add_string(sn_json *json, sn_value *container, const char *key,
                             const char *value) {
    // The text first: a value without one must never be in the tree.
    const char *text = sni_json_new_string(json, value, strlen(value));
    sn_value *added = text != NULL ? add(json, container, key, SN_JSON_STRING) : NULL;
    if (added != NULL) {
        added->as.string = text;
    }
    return added;
}

sn_value *sn_json_add_array(sn_json *json, sn_value *container, const char *key) {
    return add(json, container, key, SN_JSON_ARRAY);
}

sn_value *sn_json_add_object(sn_json *json, sn_value *container, const char *key) {
    return add(json, container, key, SN_JSON_OBJECT);
}

sn_value *sni_json_add_new_object(sn_json *json, sn_value *map, const char *key) {
    SN_ASSERT(map->type == SN_JSON_OBJECT && key != NULL);
    sn_value *value = sni_json_new_value(json, SN_JSON_OBJECT, 0);
    if (value == NULL || (value->key = sni_json_new_string(json, key, strlen(key))) == NULL) {
        return NULL;
    }
    return sni_json_append(json, map, value) ? value : NULL;
}

sn_value *sn_json_add_numbers(sn_json *json, sn_value *container, const char *key,
                              const double *values, uint32_t count) {
    sn_value *array = sn_json_add_array(json, container, key);
    for (uint32_t i = 0; i < count && array != NULL; ++i) {
        if (sn_json_add_number(json, array, NULL, values[i]) == NULL) {
            sn_json_remove(array);
            return NULL;
        }
    }
    return array;
}

sn_value *sn_json_add_rows(sn_json *json, sn_value *container, const char *key,
                           const double *values, uint32_t row_count, uint32_t column_count) {
    sn_value *array = sn_json_add_array(json, container, key);
    for (uint32_t i = 0; i < row_count && array != NULL; ++i) {
        const double *row = values + (size_t)i * column_count;
        if (sn_json_add_numbers(json, array, NULL, row, column_count) == NULL) {
            sn_json_remove(array);
            return NULL;
        }
    }
    return array;
}

sn_value *sn_json_add_copy(sn_json *json, sn_value *container, const char *key,
                           const sn_value *source) {
    if (source->type == SN_JSON_STRING) {
        return sn_json_add_string(json, container, key, source->as.string);
    }
    sn_value *copy = add(json, container, key, source->type);
    if (copy == NULL) {
        return NULL;
    }
    if (source->type == SN_JSON_BOOL) {
        copy->as.boolean = source->as.boolean;
    } else if (source->type == SN_JSON_NUMBER) {
        copy->as.number = source->as.number;
    }
    for (uint32_t i = 0; i < sn_value_count(source); ++i) {
        const sn_value *child = source->as.children.items[i];
        if (sn_json_add_copy(json, copy, child->key, child) == NULL) {
            sn_json_remove(copy);
            return NULL;
        }
    }
    return copy;
}

sn_value *sni_json_copy_value(sn_json *json, const sn_value *source) {
    sn_value *copy = sni_json_new_value(json, source->type, source->line);
    if (copy == NULL) {
        return NULL;
    }
    if (source->key != NULL) {
        copy->key = sni_json_new_string(json, source->key, strlen(source->key));
    }
    bool done = source->key == NULL || copy->key != NULL;
    switch (source->type) {
    case SN_JSON_NULL: break;
    case SN_JSON_BOOL: copy->as.boolean = source->as.boolean; break;
    case SN_JSON_NUMBER: copy->as.number = source->as.number; break;
    case SN_JSON_STRING:
        copy->as.string = sni_json_new_string(json, source->as.string, strlen(source->as.string));
        done = done && copy->as.string != NULL;
        break;
    default:
        for (uint32_t i = 0; i < source->as.children.count && done; ++i) {
            sn_value *child = sni_json_copy_value(json, source->as.children.items[i]);
            done = child != NULL && sni_json_append(json, copy, child);
        }
    }
    return done ? copy : NULL;
}

sn_status sni_json_copy(const sn_json *json, sn_json **copy, sn_error *error) {
    sn_status status = sni_json_init(json->context, copy, error);
    if (status != SN_OK) {
        return status;
    }
    (*copy)->root = sni_json_copy_value(*copy, json->root);
    if ((*copy)->root == NULL) {
        sn_json_destroy(*copy);
        *copy = NULL;
        return sni_fail_memory(error);
    }
    return SN_OK;
}

void sn_json_remove(sn_value *value) {
    sn_value *parent = value->parent;
    if (parent == NULL) {
        return;
    }
    uint32_t index = sni_json_index(value);
    uint32_t after = parent->as.children.count - index - 1;
    memmove(parent->as.children.items + index, parent->as.children.items + index + 1,
            after * sizeof *parent->as.children.items);
    parent->as.children.count--;
    value->parent = NULL;
}

void sn_json_place(sn_value *value, uint32_t index) {
    sn_value *parent = value->parent;
    if (parent == NULL) {
        return;
    }
    sn_value **items = parent->as.children.items;
    uint32_t last = parent->as.children.count - 1;
    uint32_t from = sni_json_index(value);
    uint32_t to = index < last ? index : last;
    if (to < from) {
        memmove(items + to + 1, items + to, (from - to) * sizeof *items);
    } else {
        memmove(items + from, items + from + 1, (to - from) * sizeof *items);
    }
    items[to] = value;
}

sn_value *sn_json_rename(sn_json *json, sn_value *value, const char *key) {
    if (value == NULL || value->parent == NULL || value->parent->type != SN_JSON_OBJECT) {
        return NULL;
    }
    const sn_value *holder = sn_value_get(value->parent, key);
    if (holder != NULL) {
        return holder == value ? value : NULL;
    }
    const char *name = sni_json_new_string(json, key, strlen(key));
    if (name == NULL) {
        return NULL;
    }
    value->key = name;
    return value;
}

void sn_json_free_text(sn_context *context, char *text) {
    sni_free(context, text);
}
