// SPDX-License-Identifier: Apache-2.0
//
// What the writers of moving points share. A format is one writer file and one line in the table of
// export.c.
#ifndef SINEW_IO_EXPORT_H
#define SINEW_IO_EXPORT_H

#include "base/file.h"
#include "base/memory.h"
#include "sinew/io.h"

typedef struct sni_points_writer sni_points_writer;

typedef struct sni_points_ops {
    const char *extension;
    bool many_meshes; // one file can hold several meshes
    bool many_files;  // each frame has a file of its own
    // `state` is the writer's own, allocated in begin, freed in end and cancel. `files` is the set
    // that all files belong to, NULL where there is one alone.
    sn_status (*begin)(sn_context *context, const sn_file_set *files, const char *path,
                       const sn_export_desc *desc, void **state, sn_error *error);
    sn_status (*add)(void *state, const float *const *positions, sn_error *error);
    sn_status (*end)(void *state, sn_error *error); // also frees, whatever happens
    void (*cancel)(void *state);
} sni_points_ops;

extern const sni_points_ops sni_write_gltf_points, sni_write_usda, sni_write_pc2, sni_write_mdd,
    sni_write_obj_points;

sn_status sni_write_obj_mesh(const sn_mesh *mesh, const float *positions, const char *path,
                             sn_error *error);
sn_status sni_write_gltf_mesh(const sn_mesh *mesh, const char *path, sn_error *error);

#endif
