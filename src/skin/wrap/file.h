// SPDX-License-Identifier: Apache-2.0
//
// A binding in a file, little-endian:
//
//     header          sni_wrap_header below
//     slice offsets   uint32 x (slices of eight rows + 1)
//     weights         float  x entries
//     elements        uint16 x entries, uint32 with more than 65536 elements
//     edits           of the points, uint8 x vertices, and of the triangles, uint8 x edits x
//                     triangles (edits.h); nothing without edits
//
// Weights and elements stand in the order in which the kernel takes them (sparse_blend.h), so that
// what is loaded moves points to the same bits. Frames are made anew from the driver.
#ifndef SINEW_SKIN_WRAP_FILE_H
#define SINEW_SKIN_WRAP_FILE_H

#include "skin/wrap/wrap.h"

#define SNI_WRAP_FILE_VERSION 2

typedef struct sni_wrap_header {
    char magic[8]; // "sinewrap"
    uint32_t version;
    uint32_t byte_order; // 0x01020304
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint64_t points_hash; // of the mesh's rest points
    uint64_t driver_hash; // of the driver's rest points and faces
    uint64_t entry_count;
    uint64_t entry_hash; // of all that follows the header
    double local, unit, reach, cut, largest_loss;
    uint64_t element_sum;
    uint32_t elements, extended, widest, limited;
    uint32_t edit_count, padding;
} sni_wrap_header;

_Static_assert(sizeof(sni_wrap_header) == 128, "the header has no gaps");

sn_status sni_wrap_file_save(const sn_wrap *wrap, const char *path, sn_error *error);

// Nothing in the file is trusted. The mesh must have its rest points of then unless it has `moved`.
sn_status sni_wrap_file_load(sn_context *context, const sn_mesh *mesh, const sn_mesh *driver,
                             const char *path, bool moved, sn_wrap **wrap, sn_error *error);

#endif
