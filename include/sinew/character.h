// SPDX-License-Identifier: Apache-2.0
//
// The character: one editable document (docs/document.md) and the meshes and clips that it refers
// to.
//
// The document is a JSON tree. Edit it with the calls of json.h, check it, save it; everything that
// can be said about a character is in there, in the order and under the names that the user gave.
// Names are the handles: "/skeleton/forearm" names a segment for as long as the user does. Meshes
// and clips are read from files beside the document when they are first needed and kept.
//
// One thread at a time edits, replaces, saves or makes models of a character. Meanwhile others may
// evaluate frames of models of it, and open motions.
#ifndef SINEW_CHARACTER_H
#define SINEW_CHARACTER_H

#include "sinew/io.h"
#include "sinew/json.h"
#include "sinew/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version that this library writes; older ones are read for ever.
#define SN_DOCUMENT_VERSION 1

typedef struct sn_character sn_character;

// Makes a character with an empty document: {"sinew": 1, "name": NAME}.
SN_API sn_status sn_character_create(sn_context *context, const char *name,
                                     sn_character **character, sn_error *error);

// Reads NAME.sinew.json and checks it (sn_character_check). Files that it refers to are not read
// yet.
SN_API sn_status sn_character_load(sn_context *context, const char *path, sn_character **character,
                                   sn_error *error);

// The same from memory; `path` stands for the file in errors and says where relative paths begin.
SN_API sn_status sn_character_parse(sn_context *context, const char *path, const char *text,
                                    size_t size, sn_character **character, sn_error *error);

// The same beside another character, in its context: both share what either has read or was given,
// files and meshes, whichever of them goes first. Several threads may each have one of them.
SN_EXPERIMENTAL sn_status sn_character_parse_beside(const sn_character *other, const char *path,
                                                    const char *text, size_t size,
                                                    sn_character **character, sn_error *error);

// Takes over another text of the document, checked as sn_character_parse does; path and name of the
// file stay. When it fails everything is as before; the error's lines are those of `text`.
//
// Meshes and clips that were read stay, so that a model of the new text reads only files that no
// text named before: a file means the same for the whole life of a character, and load the document
// anew where one has changed on disk (sn_character_changed_files). Models that were made before
// stay valid with the meshes that they use, which go with the character. So memory grows with the
// number of different files that were ever named (and of different pairs of a mesh and one that
// lends it weights), not with the number of edits. The tree that sn_character_document gave before
// is gone.
SN_API sn_status sn_character_replace(sn_character *character, const char *text, size_t size,
                                      sn_error *error);

// Files that a character, or one beside it, has read (or could not read), and that are others on
// disk by now. One that is gone does not count: it may be about to be written anew.
typedef struct sn_changed_files {
    uint32_t count;
    char first[512]; // the path of the first of them
    uint64_t state;  // tells how they are now from how they are a moment later
} sn_changed_files;

// Whether there are any. False as well while another thread reads one.
SN_EXPERIMENTAL bool sn_character_changed_files(const sn_character *character,
                                                sn_changed_files *changed);

SN_API void sn_character_destroy(sn_character *character);

// Checks the document: keys, types and ranges by the schema, then everything that one part says
// about another (parents, names, cycles). The error has the line and the path of the value. Files
// are not read.
SN_API sn_status sn_character_check(const sn_character *character, sn_error *error);

// Saves the document, atomically: the old file stays whole until the new one is complete. A
// document that sinew wrote comes back with the same bytes. Relative paths inside are kept as they
// are when `path` is in the folder where the document was, else rewritten so that they mean the
// same files.
SN_API sn_status sn_character_save(sn_character *character, const char *path, sn_error *error);

// The document, to read and to edit, as it is written. After an edit, check before making a model.
SN_API sn_json *sn_character_document(sn_character *character);

// The document with everything that it says once and means several times said out
// (docs/document.md#repeated-parts): what is checked, and what a model is made from. A tree of its
// own with the lines of the document; destroy it with sn_json_destroy. Fails for keys of repetition
// that are wrong; everything else is as it is written.
SN_EXPERIMENTAL sn_status sn_character_expand(const sn_character *character, sn_json **expanded,
                                              sn_error *error);

SN_API const char *sn_character_name(const sn_character *character);

// The path that the document was loaded from or saved to last, NULL for a new one.
SN_API const char *sn_character_path(const sn_character *character);

// Gives the character a mesh from memory, to be found under "/meshes/NAME" in place of a file. The
// character owns it from now on, also when this fails, which it does for a mesh that
// sn_mesh_validate refuses.
SN_API sn_status sn_character_give_mesh(sn_character *character, const char *name, sn_mesh *mesh,
                                        sn_error *error);

// The mesh that the document calls `name`, reading its file when it is the first time. It belongs
// to the character and lives as long.
SN_API sn_status sn_character_mesh(sn_character *character, const char *name, const sn_mesh **mesh,
                                   sn_error *error);

// Makes a document from the contents of a model file at `model_path`: nodes become segments, meshes
// are referred to (relative to `document_path`), weights and morph targets become `blend` and
// `morph` deformers, morph targets controls, animations clips. The import may be destroyed
// afterwards: the character reads the model's file again when a mesh or a clip is needed.
SN_API sn_status sn_character_from_import(const sn_import *import, const char *model_path,
                                          const char *document_path, sn_character **character,
                                          sn_error *error);

// ---------------------------------------------------------------------------------------------
// OpenSim (SINEW_MAKE)

// How a document is made of an OpenSim model.
typedef struct sn_osim_desc {
    uint32_t check;
    const char *geometry;       // a folder of meshes that is searched last; NULL: none
    uint32_t motion_count;      // .mot and .sto files that become clips
    const char *const *motions; //
    bool skin;                  // whether a skin is extracted around bones and muscles (true)
} sn_osim_desc;

SN_EXPERIMENTAL sn_osim_desc sn_osim_desc_default(void);

// What was found, and a line for each thing that was left out or guessed.
typedef struct sn_osim_report {
    sn_context *context;
    uint32_t body_count, coordinate_count, bone_count, muscle_count, clip_count;
    uint32_t note_count;
    char **notes;
} sn_osim_report;

SN_EXPERIMENTAL void sn_osim_report_deinit(sn_osim_report *report);

// Makes a document of an OpenSim model (docs/opensim.md): bodies become segments, coordinates
// controls, muscles cylinders on their path points. Meshes are looked for beside the model, in
// Geometry/ beside it, and in desc->geometry; one that is missing is an error. `report` may be
// NULL; else deinit it, also after a failure. `document_path` is where the document will be saved.
SN_EXPERIMENTAL sn_status sn_character_from_osim(sn_context *context, const char *model_path,
                                                 const sn_osim_desc *desc,
                                                 const char *document_path,
                                                 sn_character **character, sn_osim_report *report,
                                                 sn_error *error);

// ---------------------------------------------------------------------------------------------
// Bodies from scanned anatomy (SINEW_MAKE; docs/anatomy.md)

// What a part of a folder became. The numbers are kept for ever.
typedef enum sn_part_use {
    SN_PART_LEFT_OUT = 0,
    SN_PART_AS_BONE = 1,
    SN_PART_AS_TISSUE = 2,
    SN_PART_AS_MUSCLE = 3,
    SN_PART_AS_SKIN = 4,
} sn_part_use;

typedef struct sn_anatomy_result {
    sn_part_use use;
    char *note;           // why it was left out, or is something else than its kind says; or ""
    uint32_t segment;     // that carries a bone or tissue, else SN_NONE
    bool guessed;         // nothing in the folder told the segment
    uint32_t nearest;     // the part that a guess went by, SN_NONE where it was none
    double distance;      // from that part in the mean, metres
    uint32_t pieces;      // of its surface
    uint32_t handles;     // of a closed one
    uint32_t holed_edges; // at holes
    uint32_t odd_edges;   // of three faces and more, or between faces that disagree
} sn_anatomy_result;

// How a muscle was fitted (fit.h).
typedef struct sn_anatomy_muscle {
    uint32_t part;
    uint32_t strip_count, slice_count, pivot_count;
    uint32_t origin, insertion; // parts: the bones of the first strip's ends
    bool guessed_origin, guessed_insertion;
    uint32_t place_count, far_places; // given attachments, and those too far away to be its own
    double origin_gap, insertion_gap; // metres
    double mean_distance, largest_distance;
    double volume, fitted_volume; // 0 for a surface that is not closed
} sn_anatomy_muscle;

typedef struct sn_anatomy_segment {
    char *name;
    uint32_t parent; // SN_NONE: a root
    char *reason;    // why it was proposed; "" for one of a rig
} sn_anatomy_segment;

typedef enum sn_anatomy_skin {
    SN_ANATOMY_SKIN_EXTRACTED = 0, // made from bones, tissues and muscles
    SN_ANATOMY_SKIN_LISTED = 1,    // a part of the folder
    SN_ANATOMY_SKIN_RIGGED = 2,    // the rig's
} sn_anatomy_skin;

typedef struct sn_anatomy_report {
    sn_context *context;
    uint32_t part_count;
    sn_anatomy_result *results; // part_count, as in the index
    uint32_t segment_count;
    sn_anatomy_segment *segments;
    uint32_t muscle_count;
    sn_anatomy_muscle *muscles; // in the order of the index
    sn_anatomy_skin skin;
    // Over all muscles: half of them, and nine of ten, are not above these.
    double median_distance, ninth_distance; // of mean_distance, metres
    double median_volume, ninth_volume;     // of |fitted_volume / volume - 1|, of closed ones
} sn_anatomy_report;

// Makes the document of a body from a folder: the skeleton of the rig, or a proposed one; bones and
// tissues on their segments; a muscle of kind `mesh` fitted to each muscle's surface; the skin on a
// `membrane`. Meshes are referred to, relative to `document_path`. `progress` and `report` may be
// NULL; the report belongs to the caller (sn_anatomy_report_destroy). Fails for files that cannot
// be read or hold more than one mesh, and with SN_INVALID for a joint that the rig has not, with
// the line of the index.
SN_EXPERIMENTAL sn_status sn_character_from_anatomy(const sn_anatomy *anatomy,
                                                    const char *document_path,
                                                    const sn_progress *progress,
                                                    sn_character **character,
                                                    sn_anatomy_report **report, sn_error *error);

// Writes the whole report as JSON, with the names of parts (docs/anatomy.md#report).
SN_EXPERIMENTAL sn_status sn_anatomy_report_write(const sn_anatomy_report *report,
                                                  const sn_anatomy *anatomy, const char *path,
                                                  sn_error *error);

SN_EXPERIMENTAL void sn_anatomy_report_destroy(sn_anatomy_report *report);

// ---------------------------------------------------------------------------------------------
// Muscles

// Adds a muscle that is drawn on a skin (docs/curves.md), as an object of JSON says it: the muscle
// itself, the control that contracts it, the driver of the control, and a `falloff` deformer at the
// end of the skin's stack. Its keys are those of a `patch` in a document, of which only `curves`
// must be there, and more:
//
// - `skin` may be left out where the document has one only, `contraction` where the control has the
//   muscle's name; it is made where the document has none of that name, with this `group`.
// - `driver` says what computes the control: {"parameter": P, "curve": [[input, output], ...]}.
// - `d_full` and `d_none` are those of the falloff (docs/falloff.md). Where they are not given,
// skin
//   follows fully up to the muscle's depth, at most the distance of the curves from what it lies
//   on, and not at all half the muscle's width further away.
// - `slide` is how much of its contraction shortens it, in place of `tension` and `vary`.
//
// A muscle that lies on something (`depth_from`) takes the normals of its curves unless `normals`
// says otherwise. Muscles with equal distances share a deformer where only others of that kind
// stand behind it: the sum is the same and faster.
//
// `name` is one that no other muscle of the document has. Fails with SN_INVALID for keys that the
// schema refuses, at their line and path and without a source, as only the caller knows where they
// are from; and for what the document's check refuses, or a name that is taken, with the document
// as source. It is then as it was. Whether the curves make a muscle is seen when a model is made.
SN_API sn_status sn_character_add_muscle(sn_character *character, const char *name,
                                         const sn_value *keys, sn_error *error);

// Adds all muscles of a layout (fit.h) to a skin (NULL: the only one), with their controls and
// drivers, and its expressions as synergies over these controls. `progress` may be NULL. When it
// fails, as sn_character_add_muscle does or for an expression whose name a control has, the
// document is as it was. (SINEW_MAKE)
struct sn_muscle_layout;
SN_API sn_status sn_character_add_layout(sn_character *character, const char *skin,
                                         const struct sn_muscle_layout *layout,
                                         const sn_progress *progress, sn_error *error);

// Adds the mirror image of a muscle, in the plane where coordinate `axis` (0 for x, 1, 2) is `at`
// metres at rest. Its curves are reflected by geometry, not by vertex numbers. `name` is that of
// the new muscle; NULL: the old one with left and right (or L and R) exchanged. Controls whose
// names have a side get a counterpart, with a mirrored driver; others contract both muscles. The
// segment is that of the exchanged name, else the one whose place is a mirror image; what it lies
// on is that of the exchanged name, else the same. The new muscle moves the same deformers as the
// old one. When it fails, with SN_INVALID where the skin is further away from a reflected point
// than 2 % of its size, no segment is a mirror image, or the name has no side or is taken, the
// document is as it was.
SN_API sn_status sn_character_mirror_muscle(sn_character *character, const char *muscle,
                                            const char *name, uint32_t axis, double at,
                                            sn_error *error);

// Whether a name tells its side: "left" or "right", "L" or "R" as a word of it.
SN_API bool sn_name_has_side(const char *name);

// ---------------------------------------------------------------------------------------------

// The schema of the document as JSON Schema (draft 2020-12), as published in docs/. Free with
// sn_json_free_text.
SN_API sn_status sn_document_schema(sn_context *context, char **text, size_t *size,
                                    sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
