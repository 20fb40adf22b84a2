// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing files. Readers keep the user's vertices exactly. Numbers are converted to
// metres and to right-handed axes with Y up only where the file states that it uses others.
//
// Formats read: .glb .gltf .vrm .obj .stl .ply .bvh .vtp .mot .sto, and .fbx .dae where sinew was
// built with Assimp. Formats written: .glb .usda .pc2 .mdd .obj.
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
    uint32_t *mesh_nodes; // mesh_count: the segment that carries a mesh without weights, or SN_NONE
    sn_skeleton
        skeleton; // node tree (glTF: all nodes; BVH: joints); no segments when there is none
    uint32_t clip_count;
    sn_clip **clips;
    double unit; // metres to a unit of the file, as the call said, 0 where it said nothing; lengths
                 // are in metres by now
    bool z_up;   // the call said that Z points up in the file; it is Y by now
} sn_import;

// Reads a file by its content and extension. The error names the file, and the element or line.
SN_API sn_status sn_import_file(sn_context *context, const char *path, sn_import **import,
                                sn_error *error);

// What a file does not say about itself. glTF is in metres with Y up by its specification, FBX and
// Collada state their units, and others are taken for metres with Y up: this is for files that were
// made otherwise.
typedef struct sn_import_desc {
    uint32_t check;
    double unit; // metres to a unit of the file (0.01: centimetres); 0: as it says
    bool z_up;   // Z points up in it
} sn_import_desc;
SN_EXPERIMENTAL sn_import_desc sn_import_desc_default(void);

// sn_import_file for such a file. Fails with SN_INVALID for a unit that is no size.
SN_EXPERIMENTAL sn_status sn_import_file_with(sn_context *context, const char *path,
                                              const sn_import_desc *desc, sn_import **import,
                                              sn_error *error);

// The same as sn_import_file from memory. `name` is used as the file's name in errors and its
// extension chooses the format; files that it refers to are looked for beside `name`.
SN_API sn_status sn_import_memory(sn_context *context, const char *name, const void *bytes,
                                  size_t size, sn_import **import, sn_error *error);

SN_API void sn_import_destroy(sn_import *import);

// FBX and Collada come through Assimp, which some damaged files make abort, crash or take
// gigabytes. A host can have them read by another process: a program that is started with one
// argument and then calls sn_reader_run; it may be the host's own. The result has the same bits.
// Without a reader they are read within the process, as a library should not start others unasked.
// WebAssembly lacks these calls.
typedef struct sn_reader_desc {
    const char *program;  // path; copied
    const char *argument; // that tells it to call sn_reader_run; copied
    size_t byte_limit;    // of its address space, default 1 GiB
    double seconds;       // of the processor, default 120; by the clock four times as long
} sn_reader_desc;
SN_EXPERIMENTAL sn_reader_desc sn_reader_desc_default(void);

// Sets the reader before anything is read in the context. Its death by a signal, or by its limits,
// makes the import fail with one line. Fails only with SN_OUT_OF_MEMORY.
SN_EXPERIMENTAL sn_status sn_context_set_reader(sn_context *context, const sn_reader_desc *desc,
                                                sn_error *error);

// What the reader's process does: takes one file from its standard input, answers on its standard
// output, and returns its exit status.
SN_EXPERIMENTAL int sn_reader_run(void);

// Extensions that sn_import_file reads in this build, such as ".glb", ended by NULL.
SN_API const char *const *sn_import_extensions(void);

// ---------------------------------------------------------------------------------------------
// Folders of anatomy (SINEW_MAKE)

// What a part of a body is (docs/anatomy.md). The numbers are kept for ever.
typedef enum sn_part_kind {
    SN_PART_BONE = 0,
    SN_PART_TOOTH = 1,
    SN_PART_CARTILAGE = 2,
    SN_PART_BONE_UNION = 3, // several bones as one more mesh; nothing is made of it
    SN_PART_MUSCLE = 4,
    SN_PART_TENDON = 5,
    SN_PART_LIGAMENT = 6,
    SN_PART_SOFT = 7,
    SN_PART_SKIN = 8,
    SN_PART_KIND_COUNT = 9,
} sn_part_kind;

// "bone", "tooth", ...; NULL beyond the last.
SN_EXPERIMENTAL const char *sn_part_kind_name(sn_part_kind kind);

// A row of index.csv. Texts are never NULL.
typedef struct sn_anatomy_part {
    char *file; // as the index names it
    char *path; // of that file
    sn_part_kind kind;
    char *name; // unique: from the index, or the file's name without extension; if several parts
                // have one name but different sides, .L or .R is added
    char *side; // "left", "right", "mid" or ""
    char *rig_joint; // joint of the rig that carries it, or ""
    uint32_t line;   // of the index
} sn_anatomy_part;

// A row of attachments.csv: where a muscle (or a tendon, a ligament) is attached.
typedef struct sn_anatomy_attachment {
    uint32_t muscle; // a part
    uint32_t bone;   // a part, or SN_NONE where the row names none
    sn_vec3 point;   // in the world at rest, metres
    uint32_t line;   // of the table
} sn_anatomy_attachment;

// A folder of meshes with an index.
typedef struct sn_anatomy {
    sn_context *context;
    char *name;  // the folder's
    char *index; // path of index.csv
    uint32_t part_count;
    sn_anatomy_part *parts; // in the order of the index
    char *attachment_table; // path of attachments.csv, NULL where there is none
    uint32_t attachment_count;
    sn_anatomy_attachment *attachments; // in the order of the table
    char *rig;   // path of the model with weights whose skeleton and skin are used; NULL: none
    bool fibres; // muscles become fibres, not meshes that strips move; false as it is read
    bool graphs; // they become meshes that control points along paths move; false as it is read
} sn_anatomy;

// Reads FOLDER/index.csv and FOLDER/attachments.csv, if there is one, and looks for a model with
// weights (.glb, .gltf, .vrm) in the folder itself. `rig` names the model instead ("none": none is
// used; NULL: the one that is found). Meshes are not read, but must exist. Fails, with file and
// line, for a row without file, an unknown kind or side, two parts of one name, a file that does
// not exist, a missing column, a number that cannot be read, an attachment to a part that is not in
// the index, an index without bones, and for several models with weights of which none was named.
SN_EXPERIMENTAL sn_status sn_anatomy_read(sn_context *context, const char *folder, const char *rig,
                                          sn_anatomy **anatomy, sn_error *error);

// The same from memory: a table of parts, and one of attachments that may be NULL. `folder` is put
// before the names of files, which need not exist, and there is no rig.
SN_EXPERIMENTAL sn_status sn_anatomy_parse(sn_context *context, const char *folder,
                                           const char *index, size_t index_size,
                                           const char *attachments, size_t attachments_size,
                                           sn_anatomy **anatomy, sn_error *error);

SN_EXPERIMENTAL void sn_anatomy_destroy(sn_anatomy *anatomy);

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
    double tolerance; // metres that text formats (.usda) may round coordinates by; 0: none, so that
                      // floats read back have the same bits
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

// Cancels the export: removes what was written and destroys the exporter. NULL is allowed.
SN_API void sn_exporter_cancel(sn_exporter *exporter);

// A clip of a skinned .glb.
typedef struct sn_export_clip {
    const char *name;
    double rate;
    double first_time;           // seconds, of the first frame
    uint32_t frame_count;        // 0: no animation
    const sn_transform *locals;  // frame_count x segment_count
    const float *const *weights; // mesh_count: frame_count x target_count morph weights; or NULL
} sn_export_clip;

// A skinned .glb: skeleton, meshes with their weights, and animations of local transforms: one, and
// any number of further ones. A path that ends in .usda is written as UsdSkel, with one clip; where
// bones of a mesh have scales that differ or change, that fails with SN_UNSUPPORTED.
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
    uint32_t further_count;      // of `further`
    const sn_export_clip *further;
    bool compact; // numbers that 8 or 16 bits hold exactly take no more, normals take 8 bits
} sn_export_skinned_desc;

SN_API sn_export_skinned_desc sn_export_skinned_desc_default(void);
SN_API sn_status sn_export_skinned(sn_context *context, const char *path,
                                   const sn_export_skinned_desc *desc, sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
