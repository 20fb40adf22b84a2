// SPDX-License-Identifier: Apache-2.0
//
// A document whose inside is fitted into another head: its places, and what they belong to.
#ifndef SINEW_CHARACTER_TRANSFER_INTERNAL_H
#define SINEW_CHARACTER_TRANSFER_INTERNAL_H

#include "character/character.h"
#include "character/schema/schema.h"
#include "sinew/fit.h"

// What becomes of three numbers of the document.
typedef enum sni_place_kind {
    SNI_PLACE_POINT,   // a point
    SNI_PLACE_AXIS,    // a vector from the point before it among the places
    SNI_PLACE_ON_SKIN, // a point of a curve on the skin
} sni_place_kind;

typedef struct sni_document_place {
    sni_place_kind kind;
    sn_value *value;  // [x, y, z]
    uint32_t segment; // in whose frame it stands; SN_NONE: in the world at rest
    uint32_t part;    // that it belongs to
    uint32_t number;  // among the part's points
} sni_document_place;

// A part of the source, growing.
typedef struct sni_document_part {
    const char *name;
    sn_head_role role;
    const char *mesh_name; // in the document; NULL: it has none there
    const sn_mesh *mesh;   // as read
    uint32_t segment;      // in whose frame the mesh stands; SN_NONE: in the world
    sn_mesh *world;        // in the world at rest; NULL: `mesh` is
    sn_value *ball;        // the ellipsoid of an eye; NULL: it has a mesh
    uint32_t point_count;
    sn_vec3 *points;
} sni_document_part;

typedef struct sni_document_transfer {
    sn_context *context;
    sn_character *work; // the expanded source
    const sn_character_transfer_desc *desc;
    const char *document_path;
    const sn_progress *progress;
    const sni_blueprint *blueprint;
    sn_mat4 *rest; // of the segments
    sn_json *json; // the document that is made
    sn_value *root;
    // The source
    const char *skin_name; // NULL: it has none
    const char *skin_mesh; // the name of its mesh
    const sn_mesh *skin;
    sn_landmarks *landmarks;
    uint32_t part_count;
    sni_document_part *parts;
    uint32_t place_count;
    sni_document_place *places;
    uint32_t first_segment_point;  // of part 0: the origins of segments
    uint32_t first_landmark_point; // of part 0: landmarks on bones, then those on the skin
    // The head
    sn_import *import;
    const sn_mesh *head;
    sn_landmarks *head_landmarks;
    sn_depth_table *depths; // NULL: those of the desc
    // Results
    sn_transferred *moved;
    sn_mat4 *new_rest;
    uint32_t new_mesh_count;
    sn_mesh **new_meshes;   // for meshes that stay in memory
    const char **new_names; //
    sn_character_transfer_report *report;
} sni_document_transfer;

// Everything that is moved but no part of its own is part 0.
enum { SNI_PART_DOCUMENT = 0 };

sn_status sni_transfer_note(sni_document_transfer *t, sn_error *error, const char *format, ...)
    SN_PRINTF(3, 4);

// The source: its skin and landmarks, and its parts (transfer/source.c).
sn_status sni_transfer_read_landmarks(sni_document_transfer *t, sn_error *error);
sn_status sni_transfer_read_source(sni_document_transfer *t, sn_error *error);

// Whether a landmark of a document is one on bones, and what it is called without that:
// "gonion bone.L" is "gonion.L".
bool sni_transfer_bone_landmark(const char *name, char *plain, size_t size);

// Adds a point in the world to a part; its number is returned in `number`.
sn_status sni_transfer_add_point(sni_document_transfer *t, uint32_t part, sn_vec3 point,
                                 uint32_t *number, sn_error *error);

// The head: its mesh, unit and landmarks (transfer/head.c).
sn_status sni_transfer_read_head(sni_document_transfer *t, sn_error *error);

// The head's landmarks for the report, in the coordinates of its file.
sn_status sni_transfer_report_landmarks(sni_document_transfer *t, sn_error *error);

// All places of the document (transfer/places.c), and what they are afterwards.
sn_status sni_transfer_collect(sni_document_transfer *t, sn_error *error);
sn_status sni_transfer_write_places(sni_document_transfer *t, sn_error *error);

// Radii and widths (transfer/sizes.c).
sn_status sni_transfer_write_sizes(sni_document_transfer *t, sn_error *error);

// Meshes, the skin and what names its vertices (transfer/write.c, transfer/skin.c).
sn_status sni_transfer_write_meshes(sni_document_transfer *t, sn_error *error);
sn_status sni_transfer_write_skin(sni_document_transfer *t, sn_error *error);
sn_status sni_transfer_write_landmarks(sni_document_transfer *t, sn_error *error);

// Where a part's point is now.
sn_vec3 sni_transfer_moved(const sni_document_transfer *t, uint32_t part, uint32_t number);

// Adds a mesh of the document: to the folder, or to those that stay in memory. Takes `mesh` over.
sn_status sni_transfer_keep_mesh(sni_document_transfer *t, const char *name, sn_mesh *mesh,
                                 sn_value *entry, sn_error *error);

#endif
