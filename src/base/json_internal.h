// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_BASE_JSON_INTERNAL_H
#define SINEW_BASE_JSON_INTERNAL_H

#include "base/arena.h"
#include "base/error.h"
#include "sinew/json.h"

struct sn_json {
    sn_context *context;
    sni_arena arena; // all values and strings
    sn_value *root;
};

// A tree without a root yet.
sn_status sni_json_init(sn_context *context, sn_json **json, sn_error *error);

sn_value *sni_json_new_value(sn_json *json, sn_json_type type, uint32_t line);
const char *sni_json_new_string(sn_json *json, const char *text, size_t length);
bool sni_json_append(sn_json *json, sn_value *container, sn_value *child);

// Adds an empty object as a member whose key the caller knows to be new: the others are not looked
// through, so that a map of many is made in linear time. NULL when memory runs out.
sn_value *sni_json_add_new_object(sn_json *json, sn_value *map, const char *key);

bool sni_json_is_container(const sn_value *value);

// The place of a value in its container.
uint32_t sni_json_index(const sn_value *value);

// The member of an object, or the item of an array, that `length` bytes of a JSON pointer name.
// NULL where there is none.
sn_value *sni_json_child(sn_value *container, const char *part, size_t length);

// A copy of a value with its key and all below it, with their lines, that stands in no container
// yet. NULL when memory runs out.
sn_value *sni_json_copy_value(sn_json *json, const sn_value *source);

// A copy of a whole tree, with the lines of its values.
sn_status sni_json_copy(const sn_json *json, sn_json **copy, sn_error *error);

// Adds the line and the path of a value to an error that speaks about it, and passes the status on.
sn_status sni_at_value(sn_status status, const sn_value *value, sn_error *error);

// Fails at a value: sni_fail with its line and path.
#define sni_fail_value(error, value, status, ...)                                                  \
    sni_at_value(sni_fail((error), (status), __VA_ARGS__), (value), (error))

#endif
