// SPDX-License-Identifier: Apache-2.0
//
// A JSON tree that keeps the order of keys and the line of every value, so that an error can name
// the line. The character document is such a tree.
//
// Values belong to their `sn_json` and live as long as it does. Strings are UTF-8, terminated.
#ifndef SINEW_JSON_H
#define SINEW_JSON_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sn_json_type {
    SN_JSON_NULL = 0,
    SN_JSON_BOOL = 1,
    SN_JSON_NUMBER = 2,
    SN_JSON_STRING = 3,
    SN_JSON_ARRAY = 4,
    SN_JSON_OBJECT = 5,
} sn_json_type;

typedef struct sn_value sn_value;

struct sn_value {
    sn_json_type type;
    uint32_t line;   // its line in the text, from 1; 0 for values made by a program
    const char *key; // its name where it is a member of an object, else NULL
    sn_value *parent;
    union {
        bool boolean;
        double number; // always finite
        const char *string;
        struct {
            uint32_t count;
            uint32_t capacity;
            sn_value **items; // in the order of the text
        } children;           // of an array or an object
    } as;
};

typedef struct sn_json sn_json;

// Makes a tree that holds an empty object.
SN_API sn_status sn_json_create(sn_context *context, sn_json **json, sn_error *error);

// Parses `size` bytes of UTF-8 text. Refuses what RFC 8259 refuses, and duplicate keys, numbers
// beyond the range of double, and nesting deeper than 128; the error names the line.
SN_API sn_status sn_json_parse(sn_context *context, const char *text, size_t size, sn_json **json,
                               sn_error *error);

SN_API void sn_json_destroy(sn_json *json);

SN_API sn_value *sn_json_root(const sn_json *json);

// Writes the tree as text: two spaces of indentation, containers that fit on a line of 100 columns
// on one line (160 for an object in a list whose members are all lists of three numbers), numbers
// in the shortest form that reads back equal. The same tree gives the same
// bytes. Free the text with sn_json_free_text.
SN_API sn_status sn_json_write(const sn_json *json, char **text, size_t *size, sn_error *error);
SN_API void sn_json_free_text(sn_context *context, char *text);

// Reading. A NULL value or one of another type has no members, count 0.
SN_API const sn_value *sn_value_get(const sn_value *object, const char *key);
SN_API const sn_value *sn_value_at(const sn_value *container, uint32_t index);
SN_API uint32_t sn_value_count(const sn_value *container);
SN_API double sn_value_number(const sn_value *value, double otherwise);
SN_API const char *sn_value_string(const sn_value *value, const char *otherwise);
SN_API bool sn_value_bool(const sn_value *value, bool otherwise);
SN_API const char *sn_json_type_name(sn_json_type type);

// The path of a value as a JSON pointer (RFC 6901): "/skeleton/elbow/limits_deg/rx".
SN_API void sn_value_path(const sn_value *value, char *path, size_t path_size);

// The value that a JSON pointer names, NULL when there is none.
SN_API sn_value *sn_json_find(const sn_json *json, const char *path);

// Writing. Each call adds a member named `key` to an object (a member of that name is replaced at
// its position), or, with a NULL key, appends to an array. They return the new value, or NULL when
// memory runs out or `container` is NULL, so that calls can be chained and checked once. Numbers
// must be finite.
SN_API sn_value *sn_json_add_null(sn_json *json, sn_value *container, const char *key);
SN_API sn_value *sn_json_add_bool(sn_json *json, sn_value *container, const char *key, bool value);
SN_API sn_value *sn_json_add_number(sn_json *json, sn_value *container, const char *key,
                                    double value);
SN_API sn_value *sn_json_add_string(sn_json *json, sn_value *container, const char *key,
                                    const char *value);
SN_API sn_value *sn_json_add_array(sn_json *json, sn_value *container, const char *key);
SN_API sn_value *sn_json_add_object(sn_json *json, sn_value *container, const char *key);
SN_API sn_value *sn_json_add_numbers(sn_json *json, sn_value *container, const char *key,
                                     const double *values, uint32_t count);
// A list of `row_count` lists of `column_count` numbers, as points [[x, y, z], ...] are.
SN_API sn_value *sn_json_add_rows(sn_json *json, sn_value *container, const char *key,
                                  const double *values, uint32_t row_count, uint32_t column_count);
// A deep copy of `source`, which may belong to another tree.
SN_API sn_value *sn_json_add_copy(sn_json *json, sn_value *container, const char *key,
                                  const sn_value *source);
// Takes a value out of its container.
SN_API void sn_json_remove(sn_value *value);
// Moves a value within its container so that it has this index (or becomes the last, if `index` is
// too large); the others keep their order. The root stays where it is.
SN_API void sn_json_place(sn_value *value, uint32_t index);
// Renames a member of an object, which keeps its position. Returns the value. Returns NULL, with
// everything as it was, when memory runs out, for a value that is not a member of an object, and
// where another member has this name.
SN_API sn_value *sn_json_rename(sn_json *json, sn_value *value, const char *key);

#ifdef __cplusplus
}
#endif

#endif
