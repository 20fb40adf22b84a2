// SPDX-License-Identifier: Apache-2.0
//
// What the tables of the schema are written with.
#ifndef SINEW_CHARACTER_SCHEMA_TABLES_H
#define SINEW_CHARACTER_SCHEMA_TABLES_H

#include "character/expand/keys.h"
#include "character/expand/mirror.h"

#include <math.h>

// A length of an array literal.
#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

// A key of an object, and one that must be there; at least `.help` follows.
#define FIELD(key, part, ...)                                                                      \
    { .name = key, .schema = &part, __VA_ARGS__ }
#define NEEDED(key, part, ...)                                                                     \
    { .name = key, .required = true, .schema = &part, __VA_ARGS__ }
// A key of every object.
#define ABOUT                                                                                      \
    { .name = "about", .schema = &text, .help = "A note for people." }

#define OBJECT(help_text, field_array)                                                             \
    {                                                                                              \
        .type = SNI_SCHEMA_OBJECT, .help = help_text, .fields = field_array,                       \
        .field_count = COUNT(field_array)                                                          \
    }

// An object that may stand for several: the first `key_count` keys of expansion.
#define REPEATED(help_text, field_array, key_count)                                                \
    {                                                                                              \
        .type = SNI_SCHEMA_OBJECT, .help = help_text, .fields = field_array,                       \
        .field_count = COUNT(field_array), .expand_keys = sni_expand_keys,                         \
        .expand_key_count = key_count                                                              \
    }

static const sni_schema text = {.type = SNI_SCHEMA_STRING, .help = "Text."};
static const sni_schema number = {
    .type = SNI_SCHEMA_NUMBER, .help = "A number.", .low = -INFINITY, .high = INFINITY};
static const sni_schema flag = {.type = SNI_SCHEMA_BOOL, .help = "True or false."};

static const sni_schema unit_of_file = {
    .type = SNI_SCHEMA_NUMBER, .help = "A length.", .low = 1e-9, .high = 1e9};

// Keys of everything that a file gives: what the file does not say about itself.
extern const sni_schema sni_up_schema;
#define UNIT_OF_FILE                                                                               \
    {                                                                                              \
        .name = "unit", .schema = &unit_of_file, .unit = "m",                                      \
        .help =                                                                                    \
            "Metres to a unit of the file (0.01: centimetres), where it is not what the format "   \
            "says."                                                                                \
    }
#define UP_OF_FILE                                                                                 \
    {                                                                                              \
        .name = "up", .title = "Up axis", .schema = &sni_up_schema, .standard = "\"y\"",           \
        .help = NULL                                                                               \
    }

static const sni_schema vector3 = {.type = SNI_SCHEMA_ARRAY,
                                   .help = "Three numbers: x, y, z.",
                                   .item = &number,
                                   .least = 3,
                                   .most = 3};

#endif
