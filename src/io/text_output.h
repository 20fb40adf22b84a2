// SPDX-License-Identifier: Apache-2.0
//
// Writing text formats: pieces are gathered in a buffer, and the first failure is kept so that it
// need be asked for only once.
#ifndef SINEW_IO_TEXT_OUTPUT_H
#define SINEW_IO_TEXT_OUTPUT_H

#include "base/file.h"

typedef struct sni_text_output {
    sni_output file;
    size_t used;
    sn_status status;
    sn_error *error; // of the call that is going on
    char buffer[1 << 14];
} sni_text_output;

sn_status sni_text_output_open(const sn_file_set *set, const char *path, sni_text_output *out,
                               sn_error *error);
void sni_put(sni_text_output *out, const char *text);
void sni_put_bytes(sni_text_output *out, const char *bytes, size_t size);
void sni_put_uint(sni_text_output *out, uint32_t number);

// The shortest text that reads back as the same number, which must be finite.
void sni_put_float(sni_text_output *out, float number);
void sni_put_double(sni_text_output *out, double number);

// Writes out what is in the buffer and returns the first failure so far.
sn_status sni_text_output_flush(sni_text_output *out);

// Flushes, then commits the file (base/file.h).
sn_status sni_text_output_commit(sni_text_output *out);
void sni_text_output_close(sni_text_output *out);

#endif
