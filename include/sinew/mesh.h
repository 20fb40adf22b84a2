// SPDX-License-Identifier: Apache-2.0
//
// Polygon meshes, exactly as the user gave them.
//
// A mesh keeps vertices and faces in the order of its file: nothing is welded, split, reordered or
// triangulated. Faces have any number of corners (one or two make a point or a line, which have no
// surface), may be concave, and may meet three or more at an edge; vertices may belong to no face
// and may coincide. Where an algorithm needs triangles it makes its own (geometry.h) and maps its
// results back.
//
// The struct is open: fill it, or read it, directly. All its memory comes from its context; the
// arrays are allocated by the calls below and freed by sn_mesh_destroy.
#ifndef SINEW_MESH_H
#define SINEW_MESH_H

#include "sinew/base.h"
#include "sinew/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

// Further values of a mesh: "normal" (3 wide), "uv" and "uv1" (2), "color" (3 or 4), "tangent" (4),
// or a user's own.
typedef struct sn_attribute {
    char *name;
    uint32_t width;   // numbers per value
    uint32_t count;   // values
    float *values;    // count x width
    uint32_t *corner; // #C: which value each corner uses, SN_NONE for none; NULL: one value per
                      // vertex (then count == vertex_count)
} sn_attribute;

// Weights of vertices on bones, as a file gives them. Row i is [offsets[i], offsets[i + 1]).
typedef struct sn_weights {
    uint32_t bone_count;
    char **bone_names;     // bone_count, matched with segments by name
    sn_mat4 *inverse_bind; // bone_count: from the mesh's space to the bone's at bind time; NULL:
                           // the skeleton's rest pose is the bind pose
    uint32_t *offsets;     // #V + 1
    uint32_t *bones;       // offsets[#V], each < bone_count
    float *values;         // offsets[#V], not negative
} sn_weights;

// A morph target: offsets of some or all vertices.
typedef struct sn_target {
    char *name;
    uint32_t count;
    uint32_t *vertices; // count, rising; NULL: all vertices in order (count == vertex_count)
    float *offsets;     // count x 3
    float weight;       // the weight the file gives it at rest
} sn_target;

// Statements such as OBJ's o, g, usemtl and s, which hold from one face on.
typedef enum sn_run_kind {
    SN_RUN_OBJECT = 0,
    SN_RUN_GROUP = 1,
    SN_RUN_MATERIAL = 2,
    SN_RUN_SMOOTHING = 3,
} sn_run_kind;

typedef struct sn_run {
    sn_run_kind kind;
    uint32_t first_face; // holds from this face to the next run of its kind
    char *name;
} sn_run;

// How the alpha of a material is meant.
typedef enum sn_alpha_mode {
    SN_ALPHA_OPAQUE = 0, // alpha is not used
    SN_ALPHA_MASK = 1,   // there is no surface where alpha is below a limit
    SN_ALPHA_BLEND = 2,  // the surface covers what is behind it by its alpha
} sn_alpha_mode;

// What lies beside an image.
typedef enum sn_image_wrap {
    SN_IMAGE_REPEAT = 0,
    SN_IMAGE_MIRROR = 1, // every second repetition is turned around
    SN_IMAGE_CLAMP = 2,  // the pixels of its border go on
} sn_image_wrap;

// Where an image lies on a surface. Texture coordinates (u, v) are scaled, then rotated, then
// moved, as KHR_texture_transform of glTF does it:
//     x = offset[0] + cos(rotation) scale[0] u + sin(rotation) scale[1] v
//     y = offset[1] - sin(rotation) scale[0] u + cos(rotation) scale[1] v
// The image covers (0, 0), its upper left corner, to (1, 1).
typedef struct sn_image_placement {
    uint32_t uv; // the attribute that holds the texture coordinates: 0 is "uv", 1 "uv1", ...
    float offset[2];
    float rotation; // radians
    float scale[2];
    sn_image_wrap wrap[2]; // along x and y
} sn_image_placement;

// The appearance of a material, as far as sinew keeps it.
typedef struct sn_material {
    char *name;          // as in runs of kind SN_RUN_MATERIAL
    bool has_color;      // the file says a base colour or an image; else pictures do not use them
    float base_color[4]; // linear; it is multiplied with the image
    float metallic;
    float roughness;
    bool double_sided;
    char *image_type;     // "image/png" or "image/jpeg"; NULL when it has no base colour image
    uint8_t *image_bytes; // the file as it is
    size_t image_size;
    sn_image_placement image_placement;
    sn_alpha_mode alpha_mode;
    float alpha_cutoff; // of SN_ALPHA_MASK
} sn_material;

typedef struct sn_mesh {
    sn_context *context;
    char *name; // never NULL
    uint32_t vertex_count;
    uint32_t face_count;
    uint32_t corner_count;
    float *positions;       // #V x 3
    uint32_t *face_offsets; // #F + 1: face f has corners [face_offsets[f], face_offsets[f + 1])
    uint32_t *corners;      // #C: vertex of each corner, counter-clockwise seen from outside
    uint32_t attribute_count;
    sn_attribute *attributes;
    sn_weights *weights; // NULL when the file has none
    uint32_t target_count;
    sn_target *targets;
    uint32_t run_count;
    sn_run *runs; // by rising first_face
    uint32_t material_count;
    sn_material *materials;
} sn_mesh;

// Makes a mesh with its three arrays uninitialised (face_offsets[0] = 0 and the last set) and
// nothing else. `name` is copied.
SN_API sn_status sn_mesh_create(sn_context *context, const char *name, uint32_t vertex_count,
                                uint32_t face_count, uint32_t corner_count, sn_mesh **mesh,
                                sn_error *error);

// Destroys a mesh and all it holds. NULL is allowed.
SN_API void sn_mesh_destroy(sn_mesh *mesh);

// A deep copy.
SN_API sn_status sn_mesh_copy(const sn_mesh *mesh, sn_mesh **copy, sn_error *error);

// Adds an attribute with uninitialised values, and uninitialised corner indices when `per_corner`.
// The pointer is valid until the next call that adds one.
SN_API sn_status sn_mesh_add_attribute(sn_mesh *mesh, const char *name, uint32_t width,
                                       uint32_t count, bool per_corner, sn_attribute **attribute,
                                       sn_error *error);

SN_API const sn_attribute *sn_mesh_find_attribute(const sn_mesh *mesh, const char *name);

// Gives the mesh weights with `bone_count` unnamed bones (names NULL, to be set with
// sn_mesh_name_bone) and room for `value_count` entries; replaces older ones.
SN_API sn_status sn_mesh_set_weights(sn_mesh *mesh, uint32_t bone_count, uint32_t value_count,
                                     bool with_inverse_bind, sn_error *error);
SN_API void sn_mesh_clear_weights(sn_mesh *mesh);

// Gives the mesh a copy of the weights of another one with as many vertices, in the same order;
// replaces older ones. Fails with SN_INVALID when `from` has none or another number of vertices.
SN_EXPERIMENTAL sn_status sn_mesh_copy_weights(sn_mesh *mesh, const sn_mesh *from, sn_error *error);
SN_API sn_status sn_mesh_name_bone(sn_mesh *mesh, uint32_t bone, const char *name, sn_error *error);

// Adds a target with uninitialised offsets for `count` vertices (dense: count == vertex_count and
// `sparse` false).
SN_API sn_status sn_mesh_add_target(sn_mesh *mesh, const char *name, uint32_t count, bool sparse,
                                    sn_target **target, sn_error *error);

SN_API sn_status sn_mesh_add_run(sn_mesh *mesh, sn_run_kind kind, uint32_t first_face,
                                 const char *name, sn_error *error);

// Adds a material of default appearance (light grey, rough); its `image` fields are NULL.
SN_API sn_status sn_mesh_add_material(sn_mesh *mesh, const char *name, sn_material **material,
                                      sn_error *error);

// The material of each face, #F numbers, by the runs: the first material of a run's name, or
// SN_NONE for faces without a material.
SN_EXPERIMENTAL sn_status sn_mesh_face_materials(const sn_mesh *mesh, uint32_t *materials,
                                                 sn_error *error);

// Checks everything that the rest of the library relies on: indices in range, offsets rising,
// numbers finite, weights not negative, names present. The error names the element.
SN_API sn_status sn_mesh_validate(const sn_mesh *mesh, sn_error *error);

// The box around all vertices; zero for a mesh without vertices.
SN_API void sn_mesh_bounds(const sn_mesh *mesh, sn_vec3 *low, sn_vec3 *high);

#ifdef __cplusplus
}
#endif

#endif
