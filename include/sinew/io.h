// SPDX-License-Identifier: Apache-2.0
//
// Files in and out. Readers keep the user's vertices exactly; everything is converted to metres,
// right-handed, Y up at the border only where the format says that it is something else.
//
// Formats read: .glb .gltf .obj .stl .ply .bvh .vtp .mot .sto, and .fbx .dae where sinew was built
// with Assimp. Formats written: .glb .usda .pc2 .mdd .obj.
#ifndef SINEW_IO_H
#define SINEW_IO_H

#include "sinew/mesh.h"
#include "sinew/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Reading

// What a file holds.
typedef struct sn_import {
    sn_context *context;
    uint32_t mesh_count;
    sn_mesh **meshes;     // one per mesh of the file, names unique within it
    uint32_t *mesh_nodes; // mesh_count: the segment that a mesh without weights hangs on, SN_NONE
    sn_skeleton
        skeleton; // node tree (glTF: all nodes; BVH: joints); no segments when there is none
    uint32_t clip_count;
    sn_clip **clips;
} sn_import;

// Reads a file by its content and extension. The error names the file, and the element or line.
SN_API sn_status sn_import_file(sn_context *context, const char *path, sn_import **import,
                                sn_error *error);

// The same from memory. `name` stands for the file in errors and its extension tells the format;
// files that it refers to are looked for beside `name`.
SN_API sn_status sn_import_memory(sn_context *context, const char *name, const void *bytes,
                                  size_t size, sn_import **import, sn_error *error);

SN_API void sn_import_destroy(sn_import *import);

// Extensions that sn_import_file reads in this build, such as ".glb", ended by NULL.
SN_API const char *const *sn_import_extensions(void);

// ---------------------------------------------------------------------------------------------
// Writing

// Writes one mesh as it is. The format follows from the extension: .obj or .glb.
SN_API sn_status sn_export_mesh(const sn_mesh *mesh, const char *path, sn_error *error);

// A mesh that moves: its points frame by frame, in the mesh's vertex order.
typedef struct sn_export_desc {
    uint32_t check;
    uint32_t mesh_count;
    const sn_mesh *const *meshes; // mesh_count, as imported; they stay until the exporter ends
    double rate;                  // frames per second
    uint32_t first_frame;         // number of the first frame, for names and time codes
    uint32_t frame_count;
} sn_export_desc;

SN_API sn_export_desc sn_export_desc_default(void);

typedef struct sn_exporter sn_exporter;

// Begins a file of moving points: .glb (morph targets), .usda, .pc2, .mdd, or .obj (one numbered
// file per frame: name.0001.obj). Nothing appears under its name before sn_exporter_end. Several
// meshes go into one .glb or .usda; for .pc2, .mdd and .obj, which hold one mesh, each gets a file
// of its own, named path.MESH.ext when there is more than one.
SN_API sn_status sn_exporter_begin(sn_context *context, const char *path,
                                   const sn_export_desc *desc, sn_exporter **exporter,
                                   sn_error *error);

// Adds the next frame: positions[m] are the #V x 3 points of mesh m.
SN_API sn_status sn_exporter_add(sn_exporter *exporter, const float *const *positions,
                                 sn_error *error);

// Completes the file and destroys the exporter, also when it fails.
SN_API sn_status sn_exporter_end(sn_exporter *exporter, sn_error *error);

// Gives up: removes what was written and destroys the exporter. NULL is allowed.
SN_API void sn_exporter_cancel(sn_exporter *exporter);

// A skinned .glb: skeleton, meshes with their weights, and one animation of local transforms.
typedef struct sn_export_skinned_desc {
    uint32_t check;
    uint32_t mesh_count;
    const sn_mesh *const *meshes; // those with weights are skinned, bones by name; others rigid
    const uint32_t
        *mesh_segments; // mesh_count: segment that carries a mesh without weights, or SN_NONE
    const sn_skeleton *skeleton;
    const char *clip_name;
    double rate;
    double first_time;           // seconds, of the first frame
    uint32_t frame_count;        // 0: no animation
    const sn_transform *locals;  // frame_count x segment_count
    const float *const *weights; // mesh_count: frame_count x target_count morph weights; or NULL
} sn_export_skinned_desc;

SN_API sn_export_skinned_desc sn_export_skinned_desc_default(void);
SN_API sn_status sn_export_skinned(sn_context *context, const char *path,
                                   const sn_export_skinned_desc *desc, sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
