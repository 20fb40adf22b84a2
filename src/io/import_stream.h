// SPDX-License-Identifier: Apache-2.0
//
// What a reader fills as a plain run of bytes, for another process of the same program on the same
// machine: numbers as they lie in memory.
#ifndef SINEW_IO_IMPORT_STREAM_H
#define SINEW_IO_IMPORT_STREAM_H

#include "io/import.h"

// One walk over the fields serves both ways: it appends them to the bytes, or takes them from
// there.
typedef struct sni_stream {
    sn_context *context;
    bool writes;
    char *bytes;
    size_t size, capacity;
    size_t at;   // reading: what is taken
    bool failed; // memory ran out, or the bytes end too early or make no sense
} sni_stream;

void sni_stream_bytes(sni_stream *stream, void *data, size_t size);
void sni_stream_text(sni_stream *stream, char **text); // reading gives a new string, or NULL

// Meshes, nodes, skeleton and clips. Reading, the import is empty at first; its meshes and clips
// are still to be validated. The bytes may come from a stranger.
void sni_stream_import(sni_stream *stream, sn_import *import);

#endif
