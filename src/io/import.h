// SPDX-License-Identifier: Apache-2.0
//
// What the readers share. A format is one reader file and one line in the table of import.c.
#ifndef SINEW_IO_IMPORT_H
#define SINEW_IO_IMPORT_H

#include "base/memory.h"
#include "sinew/io.h"

// A file in memory. `bytes[size]` is readable and zero.
typedef struct sni_source {
    sn_context *context;
    const char *name; // path, for errors and for files beside it
    const char *bytes;
    size_t size;
} sni_source;

// A reader fills an empty import. On failure the caller frees what it had filled in; the caller
// also adds the file's name to the error and validates meshes and clips afterwards.
typedef sn_status sni_read_fn(const sni_source *source, sn_import *import, sn_error *error);

sni_read_fn sni_read_gltf, sni_read_obj, sni_read_stl, sni_read_ply, sni_read_bvh, sni_read_assimp,
    sni_read_vtp, sni_read_sto;

// sni_read_assimp, in a process of its own where the context has a reader.
sni_read_fn sni_read_apart;

// Appends a mesh or clip to the import, which then owns it (also when this fails).
sn_status sni_import_add_mesh(sn_import *import, sn_mesh *mesh, uint32_t node, sn_error *error);
sn_status sni_import_add_clip(sn_import *import, sn_clip *clip, sn_error *error);

// The name of a file without folder and extension, for meshes and clips that have none of their
// own. Free with sni_free; NULL when memory runs out.
char *sni_name_of_file(sn_context *context, const char *path);

// Makes names differ: later bearers of a name get a number behind it, empty ones become `prefix`
// and their index. `slots` point to the names, which are replaced; `changed` counts them.
sn_status sni_make_names_unique(sn_context *context, char **const *slots, uint32_t count,
                                const char *prefix, uint32_t *changed, sn_error *error);

#endif
