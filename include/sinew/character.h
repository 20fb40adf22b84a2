// SPDX-License-Identifier: Apache-2.0
//
// The character: one editable document (docs/document.md) and the meshes and clips that it refers
// to.
//
// The document is a JSON tree. Edit it with the calls of json.h, check it, save it; everything that
// can be said about a character is in there, in the order and under the names that the user gave.
// Names are the handles: "/skeleton/forearm" names a segment for as long as the user does. Meshes
// and clips are read from files beside the document when they are first needed and kept.
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

// The document, to read and to edit. After an edit, check before making a model.
SN_API sn_json *sn_character_document(sn_character *character);

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

// The schema of the document as JSON Schema (draft 2020-12), as published in docs/. Free with
// sn_json_free_text.
SN_API sn_status sn_document_schema(sn_context *context, char **text, size_t *size,
                                    sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
