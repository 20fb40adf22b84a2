// SPDX-License-Identifier: Apache-2.0
//
// Expanding documents (docs/document.md#repeated-parts): an entry with `repeat`, `chain`, `vary` or
// `mirror` stands for several. One pass over the tree writes all of them in full; the document that
// is edited and saved stays as it was written. Values that are made have the lines of the entries
// that they come from.
#ifndef SINEW_CHARACTER_EXPAND_H
#define SINEW_CHARACTER_EXPAND_H

#include "base/json_internal.h"
#include "base/text.h"
#include "character/blueprint/blueprint.h"

// An expanded document: the document itself where it repeats nothing, else a tree of its own.
typedef struct sni_expanded {
    const sn_json *json;
    sn_json *owned; // NULL: it is the document
} sni_expanded;

// Only keys of expansion are checked; everything else is left to sni_schema_check.
sn_status sni_expanded_open(const sn_json *document, sni_expanded *expanded, sn_error *error);
void sni_expanded_close(sni_expanded *expanded);

// --- Parts, used within the room

// Parts of the document whose entries may be repeated: the sections, and
enum {
    SNI_PART_SYNERGIES = SNI_SECTION_COUNT,
    SNI_PART_DRIVERS,
    SNI_PART_TRACKS,
    SNI_PART_BODY_MUSCLES, // lists of a body
    SNI_PART_BODY_JOINTS,
    SNI_PART_BODY_LIGAMENTS,
};

// The key of a part in the document, or in a body; tracks, which stand in clips, have none.
const char *sni_part_key(uint32_t part);

// Whether a part is a list of a body.
bool sni_part_is_of_body(uint32_t part);

// A name with "#" and the count that it stands for.
typedef struct sni_pattern {
    uint32_t section;
    uint32_t count;
    const char *name;
} sni_pattern;

// A mirror image that was put into the tree: as yet a copy under the name of the other side.
typedef struct sni_image {
    uint32_t part;
    sn_value *value;
    const sn_value *entry; // of the document as it is written
} sni_image;

typedef struct sni_expansion {
    sn_context *context;
    sn_json *json; // what is made
    uint32_t pattern_count;
    sni_pattern *patterns;
    uint32_t image_count;
    sni_image *images;
    sni_name_index names[SNI_SECTION_COUNT]; // of what is made
} sni_expansion;

// What an entry says about its repetition.
typedef struct sni_request {
    uint32_t count; // 0: it is not repeated
    bool chain, mirror;
    const sn_value *vary;
} sni_request;

// Whether an entry of a part has a key of expansion, and its keys, checked (expand/repeat.c).
bool sni_request_made(const sn_value *entry, uint32_t part);
sn_status sni_request_read(const sn_value *entry, uint32_t part, sni_request *request,
                           sn_error *error);

// A copy of an entry without the keys of expansion: number `number` from 1 of a repeated one.
sn_status sni_repeat_entry(sni_expansion *expansion, const sn_value *entry, uint32_t part,
                           const sni_request *request, uint32_t number, sn_value **made,
                           sn_error *error);

// The text with a number in place of every "#"; the text itself where there is none, NULL when
// memory runs out.
const char *sni_number_text(sni_expansion *expansion, const char *text, uint32_t number);

// A number that was computed, without the noise of its last digits: 0.15, not 0.15000000000000002.
double sni_round_made(double x);

// Says out names with "#" that stand for all numbers, in lists and maps of any length whose names
// the schema knows (expand/names.c). Then checks that none is left where one name is needed.
sn_status sni_expand_names(sni_expansion *expansion, sn_error *error);

// Fails at a name that stands twice in an object.
sn_status sni_check_names_differ(sni_expansion *expansion, const sn_value *object, sn_error *error);

// The name of the other side, kept by the tree; NULL for one without. A reference whose side is in
// doubt (the "L" of "L4") changes where one of `sections`, a bit each, has the other name.
sn_status sni_swap_name(sni_expansion *expansion, const char *name, const char **swapped,
                        sn_error *error);
sn_status sni_swap_reference(sni_expansion *expansion, uint32_t sections, const char *name,
                             const char **swapped, sn_error *error);

// The same for a joint parameter or a control. `negates`: its values change their sign.
sn_status sni_swap_parameter(sni_expansion *expansion, const char *name, const char **swapped,
                             bool *negates, sn_error *error);

// Reflects the contents of a mirror image (expand/mirror.c; a track's: expand/track.c).
sn_status sni_reflect(sni_expansion *expansion, const sni_image *image, sn_error *error);
sn_status sni_reflect_track(sni_expansion *expansion, const sni_image *image, sn_error *error);

// Turns the inputs of a driver's curve over, so that it takes -x as it took x before.
sn_status sni_driver_negate_inputs(sn_json *json, sn_value *driver, sn_error *error);

#endif
