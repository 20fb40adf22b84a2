// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_BASE_JSON_INTERNAL_H
#define SINEW_BASE_JSON_INTERNAL_H

#include "base/arena.h"
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

// A copy of a whole tree, with the lines of its values.
sn_status sni_json_copy(const sn_json *json, sn_json **copy, sn_error *error);

#endif
