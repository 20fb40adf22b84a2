// SPDX-License-Identifier: Apache-2.0
//
// A hash that tells contents apart. It keeps nobody out who wants two to be alike.
#ifndef SINEW_BASE_HASH_H
#define SINEW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const uint64_t sni_hash_start = 0xcbf29ce484222325u;

// Goes on with more bytes: FNV-1a (Fowler, Noll, Vo) on words of four.
static inline uint64_t sni_hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *next = bytes;
    for (; size >= 4; size -= 4, next += 4) {
        uint32_t word;
        memcpy(&word, next, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    for (; size > 0; --size, ++next) {
        hash = (hash ^ *next) * 0x100000001b3u;
    }
    return hash;
}

// With its end, so that "ab", "c" and "a", "bc" differ.
static inline uint64_t sni_hash_text(uint64_t hash, const char *text) {
    return sni_hash_bytes(hash, text, strlen(text) + 1);
}

#endif
