// SPDX-License-Identifier: Apache-2.0
#include "character/expand/keys.h"

#include <math.h>

static const sni_schema repeat = {
    .type = SNI_SCHEMA_WHOLE,
    .help = "Stands for so many entries: # in names and texts is their number, from 1.",
    .low = 1,
    .high = SNI_REPEAT_MOST};
static const sni_schema chain = {
    .type = SNI_SCHEMA_WHOLE,
    .help = "As repeat, and each segment hangs on the one before; parent is that of the first.",
    .low = 1,
    .high = SNI_REPEAT_MOST};

static const sni_schema knot = {.type = SNI_SCHEMA_NUMBERS,
                                .help = "A number, or a list of numbers."};
static const sni_schema knots = {.type = SNI_SCHEMA_ARRAY,
                                 .help = "Values at evenly spaced places along the repeats.",
                                 .item = &knot,
                                 .least = 1};
static const sni_schema vary = {
    .type = SNI_SCHEMA_MAP,
    .help = "Values along the repeats by key; dots lead into objects: ellipsoid.radii.",
    .item = &knots};
static const sni_schema mirror = {
    .type = SNI_SCHEMA_BOOL,
    .help = "Stands for two: itself, and its mirror image at x = 0 with left and right exchanged."};
static const sni_schema delay = {.type = SNI_SCHEMA_NUMBER,
                                 .help = "Seconds by which the mirror image follows, round the "
                                         "clip.",
                                 .low = 0,
                                 .high = 1e9};

#define REPEAT                                                                                     \
    { .name = "repeat", .schema = &repeat }
#define VARY                                                                                       \
    { .name = "vary", .schema = &vary }
#define MIRROR                                                                                     \
    { .name = "mirror", .schema = &mirror, .standard = "false" }
#define DELAY                                                                                      \
    { .name = "delay", .schema = &delay, .unit = "s", .standard = "0" }

const sni_schema_field sni_expand_keys[SNI_EXPAND_KEY_COUNT] = {
    REPEAT, VARY, MIRROR, {.name = "chain", .schema = &chain}, DELAY,
};

// Segments have a chain in place of the last one, tracks a delay.
const sni_schema_field sni_track_expand_keys[SNI_TRACK_EXPAND_KEY_COUNT] = {REPEAT, VARY, MIRROR,
                                                                            DELAY};
