// SPDX-License-Identifier: Apache-2.0
//
// A mesh of a glTF file while it is read.
//
// A mesh is a list of primitives, each with arrays of its own. Primitives that name the same arrays
// share their vertices here as they do there; all others are appended in order, so that vertex i of
// a mesh with one primitive is element i of its POSITION accessor. The vertices of one POSITION
// accessor with its other attributes are called a group.
#ifndef SINEW_IO_GLTF_READ_MESH_H
#define SINEW_IO_GLTF_READ_MESH_H

#include "io/gltf/gltf.h"

#define SNI_GLTF_WIDTH(n) (1u << (n))

typedef enum sni_gltf_mode {
    SNI_GLTF_MODE_POINTS = 0,
    SNI_GLTF_MODE_LINES = 1,
    SNI_GLTF_MODE_LINE_LOOP = 2,
    SNI_GLTF_MODE_LINE_STRIP = 3,
    SNI_GLTF_MODE_TRIANGLES = 4,
    SNI_GLTF_MODE_TRIANGLE_STRIP = 5,
    SNI_GLTF_MODE_TRIANGLE_FAN = 6,
} sni_gltf_mode;

typedef struct sni_gltf_group {
    const sn_value *primitive; // the first that uses it
    uint32_t number;           // of that primitive
    uint32_t first_vertex;
    uint32_t vertex_count;
    sni_gltf_accessor positions;
} sni_gltf_group;

typedef struct sni_gltf_part { // a primitive
    uint32_t group;
    sni_gltf_mode mode;
    uint32_t material;       // of the file, SN_NONE
    uint32_t index_accessor; // SN_NONE: 0, 1, 2, ...
    sni_gltf_accessor indices;
    uint32_t index_count;
    uint32_t first_face, face_count;
    uint32_t first_corner;
} sni_gltf_part;

typedef enum sni_gltf_use {
    SNI_GLTF_USE_NORMAL,
    SNI_GLTF_USE_TANGENT,
    SNI_GLTF_USE_UV,
    SNI_GLTF_USE_COLOR,
    SNI_GLTF_USE_JOINTS,
    SNI_GLTF_USE_WEIGHTS,
} sni_gltf_use;

typedef struct sni_gltf_stream { // one attribute of one group
    sni_gltf_use use;
    uint32_t set; // n of TEXCOORD_n
    uint32_t group;
    sni_gltf_accessor accessor;
} sni_gltf_stream;

typedef struct sni_gltf_mesh_reader {
    sni_gltf *gltf;
    sn_context *context;
    const sni_gltf_instance *instance;
    uint32_t round;             // number of the instance, for marks
    const sn_value *value;      // the mesh
    const sn_value *primitives; // its primitives
    uint32_t part_count, group_count;
    sni_gltf_part *parts;
    sni_gltf_group *groups;
    uint32_t stream_count;
    sni_gltf_stream *streams; // by use, set, group
    uint64_t vertex_count, face_count, corner_count;
    sn_mesh *mesh;
} sni_gltf_mesh_reader;

// Names the primitive in an error, and returns `status`.
sn_status sni_gltf_at_primitive(const sni_gltf_mesh_reader *r, uint32_t number, sn_status status,
                                sn_error *error);

sn_status sni_gltf_read_weights(sni_gltf_mesh_reader *r, const sn_skeleton *skeleton,
                                sn_error *error);
sn_status sni_gltf_read_targets(sni_gltf_mesh_reader *r, sn_error *error);

#endif
