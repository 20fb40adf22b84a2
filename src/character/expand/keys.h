// SPDX-License-Identifier: Apache-2.0
//
// The keys of expansion, for its own checks and for the published schema.
#ifndef SINEW_CHARACTER_EXPAND_KEYS_H
#define SINEW_CHARACTER_EXPAND_KEYS_H

#include "character/schema/schema.h"

// Most entries that one stands for.
#define SNI_REPEAT_MOST 1000

// All of them. The first SNI_SEGMENT_EXPAND_KEYS are those of segments, of these the first
// SNI_ENTRY_EXPAND_KEYS those of any entry.
enum { SNI_ENTRY_EXPAND_KEYS = 3, SNI_SEGMENT_EXPAND_KEYS = 4, SNI_EXPAND_KEY_COUNT = 5 };
extern const sni_schema_field sni_expand_keys[SNI_EXPAND_KEY_COUNT];

// Those of tracks.
enum { SNI_TRACK_EXPAND_KEY_COUNT = 4 };
extern const sni_schema_field sni_track_expand_keys[SNI_TRACK_EXPAND_KEY_COUNT];

#endif
