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

// A position in a bone's box or in a segment's frame, and its mirror image (schema/attachment.c).
extern const sni_schema sni_attachment_at_schema;
SNI_MIRROR(sni_mirror_place);

// The keys of an attachment.
#define ATTACHMENT_FIELDS                                                                          \
    FIELD("bone", text, .name_of = "bones", .help = "The bone that it is on."),                    \
        FIELD("at", sni_attachment_at_schema, .mirror = sni_mirror_place,                          \
              .help = "The position in the box around the bone's mesh, 0 to 1 within it and from " \
                      "-1 to 2; with a segment, in the segment's frame."),                         \
        FIELD("point", vector3, .mirror = sni_mirror_point, .unit = "m",                           \
              .help = "The position in the world at rest, instead of `at`."),                      \
        FIELD("segment", text, .name_of = "segments",                                              \
              .help = "The segment that carries the attachment, instead of a bone."),              \
        FIELD("frame", sni_place_frame_schema, .title = "Measured in", .standard = "\"segment\"")

#endif
