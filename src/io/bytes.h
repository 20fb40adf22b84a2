// SPDX-License-Identifier: Apache-2.0
//
// Numbers in files, whatever the byte order of the machine.
#ifndef SINEW_IO_BYTES_H
#define SINEW_IO_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// The `size` (1, 2, 4 or 8) bytes of a number as an unsigned integer.
static inline uint64_t sni_bytes_load(const void *bytes, unsigned size, bool big_endian) {
    const unsigned char *b = bytes;
    uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) {
        value = value << 8 | b[big_endian ? i : size - 1 - i];
    }
    return value;
}

static inline uint32_t sni_bytes_load_u32(const void *bytes) {
    return (uint32_t)sni_bytes_load(bytes, 4, false);
}

static inline float sni_bytes_to_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double sni_bytes_to_double(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void sni_bytes_store_u32(void *bytes, uint32_t value, bool big_endian) {
    unsigned char *b = bytes;
    for (unsigned i = 0; i < 4; ++i) {
        b[i] = (unsigned char)(value >> (big_endian ? 24 - 8 * i : 8 * i));
    }
}

static inline void sni_bytes_store_float(void *bytes, float value, bool big_endian) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    sni_bytes_store_u32(bytes, bits, big_endian);
}

#endif
