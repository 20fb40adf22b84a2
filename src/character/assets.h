// SPDX-License-Identifier: Apache-2.0
//
// What a character has read or was given: files, meshes from memory, and what was made of meshes.
// Everything is made once and stays until the character goes, whatever becomes of the document, so
// that models that point to it stay valid and an edit reads nothing again. There is one entry for
// each file (and each pair of a mesh and its lender), so that edits of the same things add nothing.
//
// Characters that were parsed beside each other share it. Calls may come from several threads; the
// first reads, others wait for it.
#ifndef SINEW_CHARACTER_ASSETS_H
#define SINEW_CHARACTER_ASSETS_H

#include "base/memory.h"
#include "sinew/character.h"
#include "sinew/io.h"
#include "sinew/json.h"
#include "sinew/mesh.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct sni_asset sni_asset;
typedef struct sni_given_mesh sni_given_mesh;
typedef struct sni_weighted_mesh sni_weighted_mesh;
typedef struct sni_mirrored_mesh sni_mirrored_mesh;

typedef struct sni_assets {
    sn_context *context;
    atomic_uint uses;
    pthread_mutex_t lock; // guards what follows
    uint32_t file_count;
    sni_asset *files;
    uint32_t given_count;
    sni_given_mesh *given;
    uint32_t weighted_count;
    sni_weighted_mesh *weighted;
    uint32_t mirrored_count;
    sni_mirrored_mesh *mirrored;
} sni_assets;

// A mesh that is asked for.
typedef struct sni_mesh_request {
    const char *base;     // file beside which relative paths begin
    const sn_value *root; // of an expanded document (expand.h)
    const char *name;
} sni_mesh_request;

// NULL without memory. They go with the last who holds them.
sni_assets *sni_assets_create(sn_context *context);
sni_assets *sni_assets_hold(sni_assets *assets);
void sni_assets_release(sni_assets *assets); // NULL is allowed

// Takes a valid mesh over, also when it fails.
sn_status sni_assets_give(sni_assets *assets, const char *name, sn_mesh *mesh, sn_error *error);

// The contents of the file that a document's string names. An error stands at that string and
// quotes what the reader said.
sn_status sni_assets_import(sni_assets *assets, const char *base, const sn_value *file,
                            const sn_import **import, sn_error *error);

// See sn_character_changed_files.
bool sni_assets_changed(sni_assets *assets, sn_changed_files *changed);

sn_status sni_assets_mesh(sni_assets *assets, const sni_mesh_request *request, const sn_mesh **mesh,
                          sn_error *error);

#endif
