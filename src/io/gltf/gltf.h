// SPDX-License-Identifier: Apache-2.0
//
// A glTF 2.0 file while it is read (Khronos Group, glTF 2.0 Specification, 2021).
//
//   json.c           members of objects, checked
//   file.c           container, extensions, buffers and URIs
//   unpack_view.c    buffer views that meshoptimizer has compressed
//   unpack_mesh.c    primitives that Draco has compressed, through draco.h and draco.cpp
//   accessor.c       typed arrays in buffers
//   read_scene.c     nodes -> segments, mesh instances
//   read_mesh.c      primitives -> meshes, weights, morph targets
//   read_material.c  materials and their images
//   read_clip.c      animations -> clips
//   vrm.c            parts of a human body and expressions, of VRM
//   read.c           the whole
#ifndef SINEW_IO_GLTF_H
#define SINEW_IO_GLTF_H

#include "io/import.h"
#include "io/names.h"
#include "sinew/json.h"

typedef enum sni_gltf_list {
    SNI_GLTF_ACCESSORS,
    SNI_GLTF_ANIMATIONS,
    SNI_GLTF_BUFFERS,
    SNI_GLTF_VIEWS,
    SNI_GLTF_IMAGES,
    SNI_GLTF_MATERIALS,
    SNI_GLTF_MESHES,
    SNI_GLTF_NODES,
    SNI_GLTF_SAMPLERS,
    SNI_GLTF_SCENES,
    SNI_GLTF_SKINS,
    SNI_GLTF_TEXTURES,
    SNI_GLTF_LIST_COUNT,
} sni_gltf_list;

// Extensions of which something is read.
typedef enum sni_gltf_extension_kind {
    SNI_GLTF_DRACO,
    SNI_GLTF_MESHOPT,
    SNI_GLTF_QUANTIZATION,
    SNI_GLTF_VRM_0,
    SNI_GLTF_VRM_1,
    SNI_GLTF_EXTENSION_COUNT,
} sni_gltf_extension_kind;

typedef struct sni_gltf_buffer {
    const uint8_t *bytes; // NULL until it is first used
    size_t size;
    char *owned; // decoded or read; NULL where the bytes lie in the file itself
} sni_gltf_buffer;

// The elements of an accessor that came out of a compressed mesh.
typedef struct sni_gltf_unpacked {
    uint8_t *bytes; // tightly packed; NULL: none did
    uint32_t count;
    uint32_t view; // where the mesh lies
} sni_gltf_unpacked;

typedef struct sni_gltf_node {
    uint32_t parent;
    uint32_t mesh;
    uint32_t skin;
    uint32_t segment; // SN_NONE: not part of the skeleton
    bool in_scene;
    bool is_joint;
} sni_gltf_node;

// A mesh of the file at a node: each gives one sn_mesh.
typedef struct sni_gltf_instance {
    uint32_t mesh;
    uint32_t node;         // SN_NONE: no node uses the mesh
    uint32_t skin;         // SN_NONE: rigid
    uint32_t first_morph;  // number of its first target when those of all instances are counted on
    uint32_t target_count; // that the file gives it
    const char *name;      // unique
} sni_gltf_instance;

// One number per element of a list, forgotten as a whole when the next mesh begins: clearing them
// for every mesh would take meshes x elements.
typedef struct sni_gltf_marks {
    uint32_t *round; // number of the mesh that set the value
    uint32_t *value;
} sni_gltf_marks;

typedef struct sni_gltf {
    sn_context *context;
    const sni_source *source;
    sn_json *json;
    bool is_binary; // .glb: lines mean nothing
    const sn_value *lists[SNI_GLTF_LIST_COUNT];
    const uint8_t *chunk; // the binary chunk of a .glb, NULL when it has none
    size_t chunk_size;
    sni_gltf_buffer *buffers;
    uint8_t **unpacked_views; // per view: its bytes where it was compressed, made at first use
    sni_gltf_unpacked *unpacked_accessors; // per accessor
    uint64_t budget; // bytes that accessors may still ask for (see accessor.c)
    sni_names node_names, mesh_names, material_names, clip_names, morph_names;
    const char **material_name; // per material of the file, unique
    sni_gltf_node *nodes;
    uint32_t *node_instance; // per node: its instance, SN_NONE
    uint32_t instance_count;
    sni_gltf_instance *instances;
    sni_gltf_marks accessor_marks, material_marks, segment_marks; // of the mesh being read
} sni_gltf;

// ---------------------------------------------------------------------------------------------
// The file (file.c) and its JSON (json.c)

sn_status sni_gltf_load(const sni_source *source, sni_gltf *gltf, sn_error *error);
void sni_gltf_unload(sni_gltf *gltf);

// The key of a list: "accessors", "bufferViews", ...
const char *sni_gltf_list_key(sni_gltf_list list);
uint32_t sni_gltf_count(const sni_gltf *gltf, sni_gltf_list list);
const sn_value *sni_gltf_item(const sni_gltf *gltf, sni_gltf_list list, uint32_t index);
const char *sni_gltf_item_name(const sni_gltf *gltf, sni_gltf_list list, uint32_t index);

// Adds where a value stands to an error, and returns `status`.
sn_status sni_gltf_at(const sni_gltf *gltf, const sn_value *value, sn_status status,
                      sn_error *error);

// Members of an object. An absent one leaves `*out` as it is, or fails when `required`; one of
// another type always fails.
sn_status sni_gltf_get_integer(const sni_gltf *gltf, const sn_value *object, const char *key,
                               bool required, uint64_t *out, sn_error *error);
sn_status sni_gltf_get_number(const sni_gltf *gltf, const sn_value *object, const char *key,
                              double *out, sn_error *error);
sn_status sni_gltf_get_numbers(const sni_gltf *gltf, const sn_value *object, const char *key,
                               uint32_t count, double *out, sn_error *error);
sn_status sni_gltf_get_bool(const sni_gltf *gltf, const sn_value *object, const char *key,
                            bool *out, sn_error *error);
sn_status sni_gltf_get_string(const sni_gltf *gltf, const sn_value *object, const char *key,
                              bool required, const char **out, sn_error *error);
// NULL when absent.
sn_status sni_gltf_get_array(const sni_gltf *gltf, const sn_value *object, const char *key,
                             const sn_value **out, sn_error *error);
sn_status sni_gltf_get_object(const sni_gltf *gltf, const sn_value *object, const char *key,
                              const sn_value **out, sn_error *error);

// An index into one of the file's lists, checked; SN_NONE when absent and not required.
sn_status sni_gltf_get_index(const sni_gltf *gltf, const sn_value *object, const char *key,
                             sni_gltf_list list, bool required, uint32_t *out, sn_error *error);
// The same for a value itself, such as an item of an array.
sn_status sni_gltf_to_index(const sni_gltf *gltf, const sn_value *value, sni_gltf_list list,
                            uint32_t *out, sn_error *error);

typedef struct sni_gltf_view {
    const uint8_t *bytes;
    size_t size;
    uint64_t offset; // in its buffer
    uint32_t stride; // 0: none given
} sni_gltf_view;

// The bytes that an object names by its "buffer", "byteOffset" and "byteLength". Reads the buffer
// when it is first used. `view` is the buffer view that the object belongs to, for errors.
sn_status sni_gltf_find_bytes(sni_gltf *gltf, uint32_t view, const sn_value *object,
                              sni_gltf_view *found, sn_error *error);

// The bytes of a buffer view, decompressed if need be.
sn_status sni_gltf_find_view(sni_gltf *gltf, uint32_t index, sni_gltf_view *view, sn_error *error);

// The bytes that a URI stands for (data: or a file beside the source). Free with sni_free.
sn_status sni_gltf_read_uri(sni_gltf *gltf, const char *uri, char **bytes, size_t *size,
                            sn_error *error);

// What an extension says about an object; NULL when it says nothing.
const sn_value *sni_gltf_extension(const sn_value *object, sni_gltf_extension_kind kind);
// Whether this build reads an extension, and the failure where one is needed that it does not.
bool sni_gltf_reads(sni_gltf_extension_kind kind);
sn_status sni_gltf_fail_lacking(sni_gltf_extension_kind kind, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Compression

// Decompresses a buffer view (unpack_view.c); `packed` is what EXT_meshopt_compression says about
// it.
sn_status sni_gltf_unpack_view(sni_gltf *gltf, uint32_t index, const sn_value *packed,
                               sni_gltf_view *view, sn_error *error);

// Decompresses a primitive (unpack_mesh.c), if it is compressed: fills unpacked_accessors.
sn_status sni_gltf_unpack_mesh(sni_gltf *gltf, const sn_value *primitive, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Accessors (accessor.c)

typedef enum sni_gltf_component {
    SNI_GLTF_INT8 = 5120,
    SNI_GLTF_UINT8 = 5121,
    SNI_GLTF_INT16 = 5122,
    SNI_GLTF_UINT16 = 5123,
    SNI_GLTF_UINT32 = 5125,
    SNI_GLTF_FLOAT = 5126,
} sni_gltf_component;

typedef struct sni_gltf_accessor {
    uint32_t index; // in the file
    uint32_t count; // elements
    uint32_t width; // numbers per element
    sni_gltf_component component;
    bool normalized;
    const uint8_t *bytes; // of the first element; NULL: all zero but for the sparse ones
    uint32_t stride;
    uint32_t sparse_count;
    sni_gltf_component sparse_component; // of its indices
    const uint8_t *sparse_indices;
    const uint8_t *sparse_values; // tightly packed
} sni_gltf_accessor;

// Opens an accessor and checks that all it names is there. `widths` is a set of bits: 1 << width
// for each width that is allowed. The memory that its values take is counted against the file's
// budget, unless only its sparse part is going to be read (`sparse_only`, accessors without a
// view).
sn_status sni_gltf_open(sni_gltf *gltf, uint32_t index, uint32_t widths, bool sparse_only,
                        sni_gltf_accessor *accessor, sn_error *error);

// Type and shape of an accessor without its bytes: component, width, normalized and count.
sn_status sni_gltf_get_shape(sni_gltf *gltf, uint32_t index, sni_gltf_accessor *accessor,
                             sn_error *error);
uint32_t sni_gltf_element_size(const sni_gltf_accessor *accessor);

// Reads count x width numbers, normalised where the accessor says so. Refuses NaN and infinity.
sn_status sni_gltf_read_floats(const sni_gltf_accessor *accessor, float *values, sn_error *error);

// Reads count x width unsigned integers. Refuses signed and float components.
sn_status sni_gltf_read_uints(const sni_gltf_accessor *accessor, uint32_t *values, sn_error *error);

// Reads the sparse part alone: sparse_count indices, rising, and sparse_count x width numbers.
sn_status sni_gltf_read_sparse(const sni_gltf_accessor *accessor, uint32_t *indices, float *values,
                               sn_error *error);

// ---------------------------------------------------------------------------------------------
// Parts of the scene

sn_status sni_gltf_marks_init(sn_context *context, uint32_t count, sni_gltf_marks *marks,
                              sn_error *error);
void sni_gltf_marks_deinit(sn_context *context, sni_gltf_marks *marks);
// SN_NONE when it was not set in this round.
uint32_t sni_gltf_marks_get(const sni_gltf_marks *marks, uint32_t round, uint32_t index);
void sni_gltf_marks_set(sni_gltf_marks *marks, uint32_t round, uint32_t index, uint32_t value);

// Counts memory against the file's budget; false when it is spent.
bool sni_gltf_charge(sni_gltf *gltf, uint64_t bytes);

// Fills nodes, instances and the import's skeleton.
sn_status sni_gltf_read_scene(sni_gltf *gltf, sn_import *import, sn_error *error);
sn_status sni_gltf_read_mesh(sni_gltf *gltf, const sni_gltf_instance *instance,
                             const sn_skeleton *skeleton, sn_mesh **mesh, sn_error *error);
// Copies material `index` of the file into the mesh.
sn_status sni_gltf_read_material(sni_gltf *gltf, uint32_t index, sn_mesh *mesh, sn_error *error);
// Names materials uniquely.
sn_status sni_gltf_name_materials(sni_gltf *gltf, sn_error *error);
// Reads all animations, and gives morph targets the names of their tracks.
sn_status sni_gltf_read_clips(sni_gltf *gltf, sn_import *import, sn_error *error);
// Sets the roles of segments where the file is a VRM, and, after all names of targets are settled,
// adds its expressions as targets.
sn_status sni_gltf_read_roles(sni_gltf *gltf, sn_skeleton *skeleton, sn_error *error);
sn_status sni_gltf_read_expressions(sni_gltf *gltf, sn_import *import, sn_error *error);

#endif
