// SPDX-License-Identifier: Apache-2.0
#include "io/text_output.h"

#include "base/number.h"

#include <string.h>

sn_status sni_text_output_open(const sn_file_set *set, const char *path, sni_text_output *out,
                               sn_error *error) {
    out->used = 0;
    out->error = error;
    out->status = sni_output_open(set, path, &out->file, error);
    return out->status;
}

sn_status sni_text_output_flush(sni_text_output *out) {
    if (out->status == SN_OK) {
        out->status = sni_output_write(&out->file, out->buffer, out->used, out->error);
    }
    out->used = 0;
    return out->status;
}

// A place for `size` more bytes, fewer than the buffer has.
static char *reserve(sni_text_output *out, size_t size) {
    if (sizeof out->buffer - out->used < size) {
        sni_text_output_flush(out);
    }
    return out->buffer + out->used;
}

void sni_put_bytes(sni_text_output *out, const char *bytes, size_t size) {
    while (size > 0) {
        size_t part = size < sizeof out->buffer ? size : sizeof out->buffer;
        memcpy(reserve(out, part), bytes, part);
        out->used += part;
        bytes += part;
        size -= part;
    }
}

void sni_put(sni_text_output *out, const char *text) {
    sni_put_bytes(out, text, strlen(text));
}

void sni_put_uint(sni_text_output *out, uint32_t number) {
    char digits[10];
    size_t count = 0;
    do {
        digits[sizeof digits - ++count] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    sni_put_bytes(out, digits + sizeof digits - count, count);
}

void sni_put_float(sni_text_output *out, float number) {
    out->used += (size_t)sni_number_write_float(number, reserve(out, SNI_NUMBER_BYTES));
}

void sni_put_double(sni_text_output *out, double number) {
    out->used += (size_t)sni_number_write(number, reserve(out, SNI_NUMBER_BYTES));
}

sn_status sni_text_output_commit(sni_text_output *out) {
    if (sni_text_output_flush(out) == SN_OK) {
        out->status = sni_output_commit(&out->file, out->error);
    }
    return out->status;
}

void sni_text_output_close(sni_text_output *out) {
    sni_output_close(&out->file);
}
