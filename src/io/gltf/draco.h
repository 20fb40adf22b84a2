// SPDX-License-Identifier: Apache-2.0
//
// Meshes of the Draco library, which is C++, for C. draco.cpp is the one file that knows it; no
// exception leaves it.
#ifndef SINEW_IO_GLTF_DRACO_H
#define SINEW_IO_GLTF_DRACO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// How many faces and vertices compressed data says that it has; of vertices, the most that there
// can be. Nothing of it is decoded yet.
typedef struct sni_draco_size {
    uint32_t face_count;
    uint64_t vertex_limit;
} sni_draco_size;

// These give NULL, or else why they failed.
const char *sni_draco_peek(const uint8_t *bytes, size_t size, sni_draco_size *found);

typedef struct sni_draco sni_draco;
const char *sni_draco_decode(const uint8_t *bytes, size_t size, sni_draco **draco);
void sni_draco_destroy(sni_draco *draco);

uint32_t sni_draco_face_count(const sni_draco *draco);
uint32_t sni_draco_vertex_count(const sni_draco *draco);

// Reads the vertices of all faces, three for each.
void sni_draco_read_faces(const sni_draco *draco, uint32_t *vertices);

// Reads the attribute of unique number `id`, `width` numbers for each vertex, as the glTF component
// type `component` (5120 to 5126), tightly packed.
const char *sni_draco_read_attribute(const sni_draco *draco, uint32_t id, uint32_t component,
                                     uint32_t width, void *values);

#ifdef __cplusplus
}
#endif

#endif
