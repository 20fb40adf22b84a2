// SPDX-License-Identifier: Apache-2.0
//
// The schema of the character document, as data. One table serves the checker, the published JSON
// Schema and the studio's property panels.
#ifndef SINEW_CHARACTER_SCHEMA_H
#define SINEW_CHARACTER_SCHEMA_H

#include "base/error.h"
#include "base/json_internal.h"
#include "base/parameter.h"
#include "kind/input.h"
#include "sinew/json.h"

typedef enum sni_schema_type {
    SNI_SCHEMA_OBJECT,  // known keys
    SNI_SCHEMA_MAP,     // names of the user's choice, each with an `item`
    SNI_SCHEMA_ARRAY,   // `least` to `most` of `item`
    SNI_SCHEMA_NUMBER,  // within [low, high]
    SNI_SCHEMA_WHOLE,   // a whole number within [low, high]
    SNI_SCHEMA_STRING,  // not empty
    SNI_SCHEMA_CHOICE,  // one of `choices`
    SNI_SCHEMA_BOOL,    //
    SNI_SCHEMA_SEVERAL, // one `item`, or an array of `least` to `most`
    SNI_SCHEMA_NUMBERS, // a number, a list of numbers, or a list of such lists; none is empty
    SNI_SCHEMA_EITHER,  // a text `item`, or an `other` that is none
    SNI_SCHEMA_KINDS,   // an object whose keys depend on its "kind": `fields` and the kind's own
} sni_schema_type;

typedef struct sni_schema sni_schema;
typedef struct sni_schema_field sni_schema_field;
struct sni_expansion;

// Makes what stands under a key into what its mirror image has there (expand/mirror.h).
typedef sn_status (*sni_mirror_fn)(struct sni_expansion *expansion, const sni_schema_field *field,
                                   sn_value *value, sn_error *error);

// A key of an object. What follows `schema` is not checked; all but `mirror` is for people and
// property panels, and is published. Expansion goes by `name_of`, `keys_of` and `mirror`.
struct sni_schema_field {
    const char *name;
    bool required;
    const sni_schema *schema;
    const char *help;  // what it means here; NULL: what the schema says
    const char *title; // NULL: made of the name
    const char *unit;  // of its numbers: "m", "deg", ...; NULL: they have none
    const char
        *name_of; // sections, with spaces between them, whose names its texts are; NULL: none
    const char *keys_of;  // the same of the keys of a map
    const char *standard; // what holds when it is not there, as JSON; NULL: it cannot be said so
    sni_mirror_fn mirror; // NULL: names change their side, everything else stays
};

// Most tables of parameters that a kind has.
enum { SNI_KIND_TABLES = 3 };

// A kind of deformer or muscle, as far as the schema is concerned.
typedef struct sni_kind {
    const char *name;
    const char *help;
    sn_parameters tables[SNI_KIND_TABLES]; // of the kind, then of what is made with it
    const void *ops;
    const sni_input_use *inputs; // NULL: none
} sni_kind;

// A kind of muscle (schema/muscle.c).
struct sni_muscle_ops;
sni_kind sni_muscle_kind(const struct sni_muscle_ops *ops);

// A key of one of its inputs, numbered through; NULL beyond the last. `needed`: it must be there.
const sni_schema_field *sni_kind_input_field(const sni_kind *kind, uint32_t index, bool *needed);

// The parameters of all its tables, one after the other; NULL beyond the last.
const sn_parameter *sni_kind_parameter(const sni_kind *kind, uint32_t index);

// The parameter of that name, NULL when there is none.
const sn_parameter *sni_kind_find_parameter(const sni_kind *kind, const char *name);

// The values that an object gives to parameters, standard ones where it says nothing. The object
// has been checked.
void sni_parameter_values(const sn_parameters *table, const sn_value *object, double *values);

typedef struct sni_kind_table {
    const char *what; // "deformer"
    uint32_t (*count)(void);
    sni_kind (*at)(uint32_t index);
    bool (*takes)(const void *ops, const char *key); // whether a kind has a use for a field
    bool (*needs)(const void *ops, const char *key); // whether it cannot do without
    bool implied;                                    // the first kind holds where none is named
    bool unnamed;                                    // and none may be named
} sni_kind_table;

// The kind of an object, false where it names none that there is.
bool sni_kind_of_object(const sni_kind_table *kinds, const sn_value *object, sni_kind *kind);

struct sni_schema {
    sni_schema_type type;
    const char *help;
    const sni_schema_field *fields; // of an object, or common to all kinds
    uint32_t field_count;
    const sni_schema *item; // of a map or an array
    const sni_schema *other;
    bool or_null;         // of a map that stands beside a text: null is nothing at all
    uint32_t least, most; // items of an array; most 0: any number
    double low, high;     // of a number
    const char *const *choices;
    const sni_kind_table *kinds;
    // Keys that are gone when a document is checked (expand.h): in the published schema and in
    // suggestions only.
    const sni_schema_field *expand_keys;
    uint32_t expand_key_count;
};

// The whole document.
extern const sni_schema sni_document_schema;

// One muscle.
extern const sni_schema sni_muscle_schema;
// A muscle that is drawn on a skin and added to a document with what moves it and follows it.
extern const sni_schema sni_drawn_muscle_schema;
// The tables of its kind: of the muscle, of its falloff's two distances, of how much it slides.
enum { SNI_DRAWN_MUSCLE, SNI_DRAWN_FALLOFF, SNI_DRAWN_SLIDE };

// What a muscle that is drawn has where nothing is said, in place of the standard of its kind, of
// parameter number `index` of the muscle's own; NULL: that holds.
const double *sni_drawn_standard_of(uint32_t index);
// Shapes of bones and tissues (schema/solid.c).
extern const sni_schema sni_ellipsoid_schema, sni_tube_schema;
// Parts that several tables share: [low, high], pairs by rising first number, how a curve goes.
extern const sni_schema sni_range_schema, sni_pairs_schema, sni_curve_interpolation_schema;
// An attachment on a bone, and what places in a segment's frame are measured in
// (schema/attachment.c).
extern const sni_schema sni_attachment_schema, sni_place_frame_schema;
// Rigid bodies by name (schema/body.c).
extern const sni_schema sni_bodies_schema;
// How a mesh is extracted from the body (schema/extract.c).
extern const sni_schema sni_extract_schema;
// Skins by name (schema/skins.c).
extern const sni_schema sni_skins_schema;
// Controls, what acts on them, landmarks and clips (schema/rig.c).
extern const sni_schema sni_controls_schema, sni_synergies_schema, sni_drivers_schema;
extern const sni_schema sni_landmarks_schema, sni_clips_schema;
// Parts that several files share: how values between keys are found, a vertex, the frame of a mesh,
// what it is made of, names by names.
extern const sni_schema sni_interpolation_schema, sni_vertex_schema, sni_mesh_frame_schema;
extern const sni_schema sni_look_schema, sni_name_map_schema;
// Parameters of a kind by the controls that drive them.
extern const sni_schema sni_driven_schema;
// Parts of inputs: names; texts of ranges, points of a mesh; numbers from 0 to 1.
extern const sni_schema sni_names_schema, sni_ranges_schema, sni_points_schema;
extern const sni_schema sni_share_schema, sni_shares_schema;
// What a skin may be made of, in the order of sn_look; ended by NULL.
extern const char *const sni_looks[];
// When a pivot is in effect, in the order of sni_pivot_use; ended by NULL.
extern const char *const sni_pivot_uses[];

// Sides of a body that a muscle goes around, ended by NULL: all, then x, y and z, each with its
// opposite.
extern const char *const sni_wrap_sides[];
extern const char *const sni_wrap_methods[]; // in the order of sni_wrap_method

// How deep lists of numbers may lie in each other.
#define SNI_NUMBERS_DEPTH 2

// Checks a value and all below it.
sn_status sni_schema_check(const sni_schema *schema, const sn_value *value, sn_error *error);

// The key of that name among some, NULL when there is none.
const sni_schema_field *sni_schema_find(const sni_schema_field *fields, uint32_t count,
                                        const char *name);

// Calls `visit` for what stands under every key that a schema describes, in a value and all below
// it; where it sets `deeper` to false, what is below the key is passed over. The value need not
// have been checked: what does not fit the schema is passed over too.
typedef sn_status (*sni_field_visit)(const sni_schema_field *field, sn_value *value, bool *deeper,
                                     void *user, sn_error *error);
sn_status sni_schema_visit(const sni_schema *schema, sn_value *value, sni_field_visit visit,
                           void *user, sn_error *error);

#endif
