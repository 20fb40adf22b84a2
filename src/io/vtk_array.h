// SPDX-License-Identifier: Apache-2.0
//
// The arrays of VTK's XML files: numbers as text, in base64 within the element, or in a block
// behind all elements ("appended"), there as base64 or as raw bytes; packed with zlib or not.
#ifndef SINEW_IO_VTK_ARRAY_H
#define SINEW_IO_VTK_ARRAY_H

#include "io/xml.h"

// What the file says of all its arrays.
typedef struct sni_vtk_encoding {
    sn_context *context;
    bool big_endian;
    unsigned header_bytes; // 4 or 8: the numbers before the bytes of an array
    bool compressed;       // by zlib
    const char *appended;  // behind the underscore of AppendedData; NULL when there is none
    size_t appended_size;
    bool appended_base64;
} sni_vtk_encoding;

// The attributes of VTKFile; the appended bytes are the caller's to set.
sn_status sni_vtk_encoding_read(sn_context *context, const sni_xml_element *file,
                                sni_vtk_encoding *encoding, sn_error *error);

typedef struct sni_vtk_array {
    const sni_xml_element *element; // DataArray
    bool integer;
    size_t count;
    double *values; // exact for every type but 64-bit integers from 2^53 on
} sni_vtk_array;

// Reads a DataArray. Errors have its line and place; those of numbers in text have their own line.
sn_status sni_vtk_array_read(const sni_vtk_encoding *encoding, const sni_xml_element *element,
                             sni_vtk_array *array, sn_error *error);
void sni_vtk_array_deinit(sn_context *context, sni_vtk_array *array);

#endif
