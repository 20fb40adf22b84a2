// SPDX-License-Identifier: Apache-2.0
//
// The character: one editable document (docs/document.md) and the meshes and clips that it refers
// to.
//
// The document is a JSON tree. Edit it with the calls of json.h, check it, save it. It holds
// everything about a character, in the order and under the names that the user gave. Things are
// referred to by name: "/skeleton/forearm" is a segment until the user renames it. Meshes and clips
// are read from files beside the document when they are first needed, and kept.
//
// One thread at a time edits, replaces, saves or makes models of a character. Meanwhile others may
// evaluate frames of models of it, and open motions.
#ifndef SINEW_CHARACTER_H
#define SINEW_CHARACTER_H

#include "sinew/fit.h"
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

// The same from memory. `path` is used as the file's name in errors, and relative paths begin in
// its folder.
SN_API sn_status sn_character_parse(sn_context *context, const char *path, const char *text,
                                    size_t size, sn_character **character, sn_error *error);

// The same beside another character, in its context: the two share all files and meshes that either
// has read or was given. Either may be destroyed first. Several threads may each use one of them.
SN_EXPERIMENTAL sn_status sn_character_parse_beside(const sn_character *other, const char *path,
                                                    const char *text, size_t size,
                                                    sn_character **character, sn_error *error);

// Replaces the document by another text, which is checked as sn_character_parse does; path and name
// of the file stay. When it fails everything is as before; the error's lines are those of `text`.
//
// Meshes and clips that were read stay in memory, so a model of the new text reads only files that
// no earlier text named. A file is read once in the life of a character: where one has changed on
// disk (sn_character_changed_files), load the document again. Models that were made before stay
// valid, since the meshes that they use live as long as the character. Memory therefore grows with
// the number of different files that were ever named (and of different pairs of a mesh and the mesh
// that it takes weights from), not with the number of edits. The tree that sn_character_document
// returned before is destroyed.
SN_API sn_status sn_character_replace(sn_character *character, const char *text, size_t size,
                                      sn_error *error);

// Files that a character, or one beside it, has read (or failed to read), and that have changed on
// disk since. A deleted file does not count: it may be about to be written again.
typedef struct sn_changed_files {
    uint32_t count;
    char first[512]; // the path of the first of them
    uint64_t state;  // changes whenever one of these files changes again
} sn_changed_files;

// Returns whether there are any. It also returns false while another thread reads a file.
SN_EXPERIMENTAL bool sn_character_changed_files(const sn_character *character,
                                                sn_changed_files *changed);

SN_API void sn_character_destroy(sn_character *character);

// Checks the document: keys, types and ranges against the schema, then all references between its
// parts (parents, names, cycles). The error has the line and the path of the value. Files are not
// read.
SN_API sn_status sn_character_check(const sn_character *character, sn_error *error);

// Saves the document, atomically: the old file stays whole until the new one is complete. A
// document that sinew wrote is written again with the same bytes. Relative paths in it are kept if
// `path` is in the folder where the document was, else they are rewritten to refer to the same
// files.
SN_API sn_status sn_character_save(sn_character *character, const char *path, sn_error *error);

// The text that sn_character_save would write to `path`. Free it with sn_json_free_text.
SN_EXPERIMENTAL sn_status sn_character_write(sn_character *character, const char *path, char **text,
                                             size_t *size, sn_error *error);

// The document as it is written in the file, to read and to edit. sn_model_create checks it again
// after an edit.
SN_API sn_json *sn_character_document(sn_character *character);

// Makes the expanded document: the document with every repeated and mirrored part written in full
// (docs/document.md#repeated-parts). This is what is checked, and what models are made from. It is
// a separate tree whose values have the lines of the document; destroy it with sn_json_destroy.
// Fails for wrong keys of repetition (`repeat`, `chain`, `vary`, `mirror`, `delay`); everything
// else is copied unchecked.
SN_EXPERIMENTAL sn_status sn_character_expand(const sn_character *character, sn_json **expanded,
                                              sn_error *error);

// The segment of the document that a name as a user types it means (sn_skeleton_match): its own
// name is written into `found`. Fails also where sn_character_check does.
SN_EXPERIMENTAL sn_status sn_character_match_segment(sn_character *character, const char *name,
                                                     char *found, size_t found_size,
                                                     sn_name_match *match, sn_error *error);

SN_API const char *sn_character_name(const sn_character *character);

// The path that the document was loaded from or saved to last, NULL for a new one.
SN_API const char *sn_character_path(const sn_character *character);

// Gives the character a mesh from memory, for an entry "/meshes/NAME" without a file. The character
// owns the mesh from now on, also when the call fails, which it does for a mesh that
// sn_mesh_validate refuses.
SN_API sn_status sn_character_give_mesh(sn_character *character, const char *name, sn_mesh *mesh,
                                        sn_error *error);

// The mesh that the document calls `name`. Its file is read at the first call. The mesh belongs to
// the character and lives as long as it.
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
    bool fibres;                // muscles are fibres, not cylinders (false)
} sn_osim_desc;

SN_EXPERIMENTAL sn_osim_desc sn_osim_desc_default(void);

// What was found, and one line of text for each thing that was left out or guessed.
typedef struct sn_osim_report {
    sn_context *context;
    uint32_t body_count, coordinate_count, bone_count, muscle_count, clip_count;
    uint32_t note_count;
    char **notes;
} sn_osim_report;

SN_EXPERIMENTAL void sn_osim_report_deinit(sn_osim_report *report);

// Makes a document of an OpenSim model (docs/opensim.md): bodies become segments, coordinates
// controls, muscles cylinders (or fibres) on their path points. Meshes are looked for beside the
// model, in Geometry/ beside it, in the folders above in the same way, and in desc->geometry,
// without regard to case; one that is missing or cannot be read is left out and noted, and so are
// columns of motions that the model lacks. A motion of which nothing fits is an error. `report` may
// be NULL; if it is given, deinit it, also after a failure. `document_path` is where the document
// will be saved.
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
    char *note;           // why it was left out or used in another role than its kind; or ""
    uint32_t segment;     // that carries a bone or tissue, else SN_NONE
    bool guessed;         // nothing in the folder names the segment
    uint32_t nearest;     // the part that decided the guess, SN_NONE where there was none
    double distance;      // from that part in the mean, metres
    uint32_t pieces;      // of its surface
    uint32_t handles;     // of a closed one
    uint32_t holed_edges; // at holes
    uint32_t odd_edges;   // of three faces and more, or between faces that disagree
} sn_anatomy_result;

// How a muscle was fitted (fit.h).
typedef struct sn_anatomy_muscle {
    uint32_t part;
    uint32_t strip_count;
    uint32_t slice_count; // sections of all strips
    uint32_t pivot_count;
    uint32_t origin, insertion; // parts: the bones of the first strip's ends
    bool guessed_origin, guessed_insertion;
    uint32_t place_count, far_places; // given attachments, and those too far away to be its own
    double origin_gap, insertion_gap; // metres
    double mean_distance, largest_distance;
    double volume, fitted_volume; // 0 for a surface that is not closed
    uint32_t fibre_count;         // 0 where muscles are not made of fibres
    double volume_ratio, overlap; // of these, as in sn_fibre_fit
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
    // Over all muscles: the median, and the value that nine of ten do not exceed.
    double median_distance, ninth_distance; // of mean_distance, metres
    double median_volume, ninth_volume;     // of |fitted_volume / volume - 1|, of closed ones
    double median_overlap, ninth_overlap;   // of fibres: nine of ten have at least so much
} sn_anatomy_report;

// Makes the document of a body from a folder: the skeleton of the rig, or a proposed one; bones and
// tissues on their segments; a muscle of kind `mesh` fitted to each muscle's surface, or with
// `fibres` of the anatomy one or several of kind `fibre`, with `graphs` one of kind `graph` for
// each closed one; the skin on a `membrane`. The document refers to the meshes relative to
// `document_path`. `progress` and `report` may be NULL; the report belongs to the caller
// (sn_anatomy_report_destroy). Fails for files that cannot be read or hold more than one mesh, and
// with SN_INVALID, at the line of the index, for a joint that the rig does not have.
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
// The inside of a head for another one (SINEW_MAKE; docs/transfer.md)

// The landmarks of a document: on a skin as vertices of its mesh, "nasion", and on bones, "nasion
// bone". `skin` may be NULL: as in sn_character_transfer_desc. `mesh` belongs to the character and
// is NULL where there is no such skin; `landmarks` belongs to the caller.
SN_EXPERIMENTAL sn_status sn_character_landmarks(sn_character *character, const char *skin,
                                                 const sn_mesh **mesh, sn_landmarks **landmarks,
                                                 sn_error *error);

typedef struct sn_character_transfer_desc {
    uint32_t check;
    const char *head;      // the file of the head that it is fitted into
    const char *head_mesh; // name of its mesh; NULL: the one with the most faces
    double unit;           // metres to a unit of the file; 0: as it says, or found
    bool z_up;             // Z points up in the file; else found
    const char *skin; // of the source, whose place the head takes; NULL: the one that landmarks
                      // are on, else the only one with a name of a face or head
    const sn_landmarks *landmarks;      // of the source; NULL: those of its document
    const sn_landmarks *head_landmarks; // on the head, in its file's coordinates; NULL: none
    bool propose;                       // those that are missing there (true)
    const sn_known_head
        *known; // a head to find them with where the source has no skin; may be NULL
    const sn_depth_table *depths; // NULL: sn_depth_table_default
    sn_depth_column column;
    sn_transfer_method method;
    bool settle;
    double tolerance, clearance; // as in sn_transfer_desc
    const char *folder; // where the moved meshes are written, which exists; NULL: they stay
                        // in memory
} sn_character_transfer_desc;

SN_EXPERIMENTAL sn_character_transfer_desc sn_character_transfer_desc_default(void);

// A muscle of the source, and how it fits.
typedef struct sn_transferred_muscle {
    char *name;
    bool has_mesh;
    uint32_t vertex_count;
    uint32_t outside, in_bone, pushed, flipped; // vertices, triangles (sn_head_moved)
    double largest;
} sn_transferred_muscle;

typedef struct sn_character_transfer_report {
    sn_context *context;
    sn_transfer_report fit;
    sn_landmark_proposal *proposal; // NULL: nothing was proposed
    sn_landmarks *landmarks;        // on the head, in its file's coordinates: given and proposed
    double unit;                    // metres to a unit of the head's file
    bool z_up;
    double scale;
    uint32_t bone_count, eye_count;
    uint32_t muscle_count;
    sn_transferred_muscle *muscles;
    uint32_t note_count;
    char **notes; // what could not be carried over
} sn_character_transfer_report;

// Makes the document of another head from a character with a skull: bones, teeth, eyes, muscles,
// their paths and attachments, joints and landmarks are fitted into the head; controls, synergies,
// drivers, clips and deformers stay as they are. The skin's mesh is the head's file itself, with
// its vertices in their order. Vertices that deformers of the source's skin name are those of the
// head that lie at the same places; weights are carried over likewise. The source must be upright,
// facing +z. `progress` and `report` may be NULL. Both results belong to the caller. Fails as
// sn_landmarks_propose and sn_transfer_head do.
SN_EXPERIMENTAL sn_status sn_character_transfer(sn_character *source,
                                                const sn_character_transfer_desc *desc,
                                                const char *document_path,
                                                const sn_progress *progress, sn_character **made,
                                                sn_character_transfer_report **report,
                                                sn_error *error);
SN_EXPERIMENTAL void sn_character_transfer_report_destroy(sn_character_transfer_report *report);

// ---------------------------------------------------------------------------------------------
// Muscles

// Adds a muscle drawn on a skin (docs/curves.md), described by a JSON object: the muscle itself,
// the control that contracts it, the driver of the control, and a `falloff` deformer at the end of
// the skin's stack. The object has the keys of a `patch` in a document, of which only `curves` is
// required, and these:
//
// - `skin` may be left out if the document has only one, and `contraction` if the control has the
//   muscle's name. A control that does not exist is added, in the group `group`.
// - `driver` is what computes the control: {"parameter": P, "curve": [[input, output], ...]}.
// - `d_full` and `d_none` are those of the falloff (docs/falloff.md). By default `d_full` is the
//   muscle's depth, at most the distance of the curves from what the muscle lies on, and `d_none`
//   is larger by half the muscle's width.
// - `slide` is how much of its contraction shortens it, in place of `tension` and `vary`; without
//   either, an open muscle has a slide of 0.04.
//
// Where they are not given, `skin_thickness` is 0.06 and `muscle_thickness` 0.3 of its width (the
// mean distance of its curves), and `bulge` is 1; sn_drawn_parameter tells all of them.
//
// A muscle that lies on something (`depth_from`) takes the normals of its curves unless `normals`
// is given. Muscles with equal distances share a deformer if only deformers of that kind come after
// it: the result is the same and faster.
//
// `name` must not be the name of another muscle. Fails with SN_INVALID for keys that the schema
// refuses, at their line and path and without a source, since only the caller knows where they come
// from; and, with the document as source, for what the document's check refuses and for a name that
// is taken. The document is then as it was. Whether the curves make a muscle is found out when a
// model is made.
SN_API sn_status sn_character_add_muscle(sn_character *character, const char *name,
                                         const sn_value *keys, sn_error *error);

// Adds a muscle of kind `graph` (docs/graph.md), described by a JSON object with the keys of that
// kind, and the control that contracts it: `contraction`, by default of the muscle's name, which is
// added, in the group `group`, where there is none. Without `points` its paths are fitted to its
// `mesh`, a mesh of the document, from `origins` to `insertions` where they are given (lists of
// {"bone": NAME, "point": [x, y, z]}, without the bone for the nearest one); around `center`, or
// around its middle where `sphincter` is true. With `mirror` its mesh and a new control are
// mirrored as well. Fails with SN_INVALID for what the document's check refuses, for a name that
// is taken, and as sn_fit_graph does; the document is then as it was. (SINEW_MAKE)
SN_EXPERIMENTAL sn_status sn_character_add_graph(sn_character *character, const char *name,
                                                 const sn_value *keys, sn_error *error);

// Adds all muscles of a layout (fit.h) to a skin (NULL: the only one), with their controls and
// drivers, and its expressions as synergies over these controls. `progress` may be NULL. Fails as
// sn_character_add_muscle does, and for an expression that has the name of a control; the document
// is then as it was. (SINEW_MAKE)
struct sn_muscle_layout;
SN_API sn_status sn_character_add_layout(sn_character *character, const char *skin,
                                         const struct sn_muscle_layout *layout,
                                         const sn_progress *progress, sn_error *error);

// Adds the mirror image of a muscle, reflected in the plane where coordinate `axis` (0 for x, 1 for
// y, 2 for z) is `at` metres at rest. Its curves are reflected by position, not by vertex numbers.
// `name` is that of the new muscle; NULL: the old name with left and right (or L and R) exchanged.
// A control whose name has a side gets a counterpart with a mirrored driver; any other contracts
// both muscles. The segment is the one of the exchanged name, else the one whose position is the
// mirror image. What the muscle lies on is the part of the exchanged name, else the same. The new
// muscle moves the same deformers as the old one. Fails with SN_INVALID where the skin is farther
// from a reflected point than 2 % of its size, where no segment is a mirror image, and where the
// name has no side or is taken; the document is then as it was.
SN_API sn_status sn_character_mirror_muscle(sn_character *character, const char *muscle,
                                            const char *name, uint32_t axis, double at,
                                            sn_error *error);

// Adds the deformer `relax` (docs/relax.md), which evens out edges that bones fold or stretch,
// behind the others of every skin that has a `blend` and neither a `relax` nor an `implicit`; with
// `relaxed` false, removes it from all skins. `changed`: the number of skins that have changed; may
// be NULL. Only memory can run out, and then some skins may have changed.
SN_EXPERIMENTAL sn_status sn_character_relax(sn_character *character, bool relaxed,
                                             uint32_t *changed, sn_error *error);

// Whether a name has a side: "left", "right", "L" or "R" as one of its words.
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
