// SPDX-License-Identifier: Apache-2.0
//
// Builds a .glb: the JSON tree in memory, the binary chunk in a spool file beside the target, so
// that frames can be streamed out as they come.
//
// Adding to the JSON never fails at once: running out of memory is remembered and reported when the
// file is finished. Indices of elements are the places where they were added, from 0.
#ifndef SINEW_IO_GLTF_WRITER_H
#define SINEW_IO_GLTF_WRITER_H

#include "base/file.h"
#include "io/gltf/gltf.h"
#include "io/names.h"
#include "sinew/json.h"
#include "sinew/mesh.h"

// What a buffer view is used for.
typedef enum sni_gltf_target {
    SNI_GLTF_TARGET_NONE = 0,
    SNI_GLTF_TARGET_VERTICES = 34962,
    SNI_GLTF_TARGET_INDICES = 34963,
} sni_gltf_target;

typedef struct sni_gltf_writer {
    sn_context *context;
    char *path;
    sn_json *json;
    bool out_of_memory;                   // some addition to the JSON failed
    FILE *spool;                          // the binary chunk
    uint64_t size;                        // of what is in it
    sn_value *lists[SNI_GLTF_LIST_COUNT]; // NULL until their first item
    sni_names material_names;
    uint32_t material_count;
    struct sni_gltf_written *materials;
    bool transforms_textures; // KHR_texture_transform is among "extensionsUsed"
    bool compact;             // numbers take no more bits than they need (write_compact.c)
    bool quantized;           // some take fewer than glTF allows without KHR_mesh_quantization
} sni_gltf_writer;

sn_status sni_gltf_writer_init(sni_gltf_writer *writer, sn_context *context, const char *path,
                               sn_error *error);
// Writes the file under its name.
sn_status sni_gltf_writer_finish(sni_gltf_writer *writer, sn_error *error);
// Gives everything back; a file that was not finished never appears.
void sni_gltf_writer_deinit(sni_gltf_writer *writer);

// JSON additions as sn_json_add_*; a NULL container is passed on.
sn_value *sni_gltf_put_object(sni_gltf_writer *writer, sn_value *container, const char *key);
sn_value *sni_gltf_put_array(sni_gltf_writer *writer, sn_value *container, const char *key);
void sni_gltf_put_number(sni_gltf_writer *writer, sn_value *container, const char *key,
                         double value);
void sni_gltf_put_numbers(sni_gltf_writer *writer, sn_value *container, const char *key,
                          const double *values, uint32_t count);
void sni_gltf_put_bool(sni_gltf_writer *writer, sn_value *container, const char *key, bool value);
void sni_gltf_put_string(sni_gltf_writer *writer, sn_value *container, const char *key,
                         const char *value);

// A new item of one of the file's lists, and its index.
sn_value *sni_gltf_put_item(sni_gltf_writer *writer, sni_gltf_list list, uint32_t *index);

// Writes bytes as a view of their own, aligned to four.
sn_status sni_gltf_put_view(sni_gltf_writer *writer, const void *bytes, size_t size,
                            sni_gltf_target target, uint32_t *view, sn_error *error);

// An array to be written as an accessor.
typedef struct sni_gltf_array {
    const void *values; // count x width, tightly packed; NULL: zeros, which take no room
    uint32_t count;
    uint32_t width; // 1, 2, 3, 4 or 16
    sni_gltf_component component;
    sni_gltf_target target; // elements of vertices are padded to four bytes
    bool normalized;        // integers stand for numbers up to 1
    bool bounds;            // write min and max
} sni_gltf_array;

sn_status sni_gltf_put_accessor(sni_gltf_writer *writer, const sni_gltf_array *array,
                                uint32_t *accessor, sn_error *error);

// Zeros but for `sparse_count` elements: `indices` rising, `values` sparse_count x array->width,
// tightly packed. `array->values` is not used.
sn_status sni_gltf_put_sparse(sni_gltf_writer *writer, const sni_gltf_array *array,
                              const uint32_t *indices, const void *values, uint32_t sparse_count,
                              uint32_t *accessor, sn_error *error);

// Bytes of one number.
size_t sni_gltf_component_bytes(sni_gltf_component component);

// ---------------------------------------------------------------------------------------------
// Fewer bits (write_compact.c)

// Writes an array of floats. In a compact file it becomes one of normalised integers of 8 or 16
// bits where these give the same floats: signed ones, or `unsigned_only` ones.
sn_status sni_gltf_put_floats(sni_gltf_writer *writer, const sni_gltf_array *array,
                              bool unsigned_only, uint32_t *accessor, sn_error *error);

// The same for offsets of vertices, which are written as a sparse accessor where that is smaller.
sn_status sni_gltf_put_offsets(sni_gltf_writer *writer, const sni_gltf_array *array,
                               uint32_t *accessor, sn_error *error);

// Rounds numbers to what a byte holds, within -1 to 1, if the file is compact.
void sni_gltf_round_to_bytes(const sni_gltf_writer *writer, float *values, size_t count);

// ---------------------------------------------------------------------------------------------
// Meshes (write_mesh.c)

// A mesh with everything but its weights and morph targets, which the caller adds through the
// arrays of its primitives.
typedef struct sni_gltf_mesh_item {
    uint32_t index; // in the file
    sn_value *mesh;
    uint32_t primitive_count;
    sn_value **primitives; // free with sni_free
    bool has_normals;
} sni_gltf_mesh_item;

sn_status sni_gltf_put_mesh(sni_gltf_writer *writer, const sn_mesh *mesh, sni_gltf_mesh_item *item,
                            sn_error *error);

// Adds an attribute such as "JOINTS_0" to all primitives.
void sni_gltf_put_attribute(sni_gltf_writer *writer, const sni_gltf_mesh_item *item,
                            const char *name, uint32_t accessor);

// Adds one more target, offsets of positions and of normals (or SN_NONE), to all primitives.
void sni_gltf_put_target(sni_gltf_writer *writer, const sni_gltf_mesh_item *item,
                         uint32_t positions, uint32_t normals);

// The mesh's own morph targets, with names and rest weights (write_targets.c).
sn_status sni_gltf_put_mesh_targets(sni_gltf_writer *writer, const sn_mesh *mesh,
                                    const sni_gltf_mesh_item *item, sn_error *error);

// The file's material for one of a mesh's; equal ones of several meshes are written once. Its image
// is left out if the texture coordinates that it needs are not among the `uv_count` sets.
sn_status sni_gltf_put_material(sni_gltf_writer *writer, const sn_material *material,
                                uint32_t uv_count, uint32_t *index, sn_error *error);

// The scene with its root nodes.
void sni_gltf_put_scene(sni_gltf_writer *writer, const uint32_t *roots, uint32_t root_count);

#endif
