// SPDX-License-Identifier: Apache-2.0
//
// Each of two words takes in eight bytes by a multiplication and a rotation, as the rounds of
// MurmurHash3 (A. Appleby, 2011) do, and then the other word. Every add closes with the finisher of
// SplitMix64 (G. L. Steele et al., Fast splittable pseudorandom number generators, 2014), whose
// output bits each depend on all input bits.
#include "base/digest.h"

#include <string.h>

static uint64_t rotate(uint64_t x, int count) {
    return x << count | x >> (64 - count);
}

static uint64_t finish(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void take_word(sni_digest *digest, uint64_t word) {
    uint64_t a = word * UINT64_C(0x87c37b91114253d5), b = word * UINT64_C(0x4cf5ad432745937f);
    a = digest->words[0] ^ rotate(a, 31) * UINT64_C(0x4cf5ad432745937f);
    b = digest->words[1] ^ rotate(b, 33) * UINT64_C(0x87c37b91114253d5);
    digest->words[0] = (rotate(a, 27) + digest->words[1]) * 5 + 0x52dce729;
    digest->words[1] = (rotate(b, 31) + digest->words[0]) * 5 + 0x38495ab5;
}

void sni_digest_add(sni_digest *digest, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    size_t left = count;
    for (; left >= sizeof(uint64_t); left -= sizeof(uint64_t), at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        take_word(digest, word);
    }
    uint64_t tail = 0;
    if (left > 0) {
        memcpy(&tail, at, left);
    }
    take_word(digest, tail);
    take_word(digest, count);
    digest->words[0] = finish(digest->words[0] + digest->words[1]);
    digest->words[1] = finish(digest->words[1] + digest->words[0]);
}

void sni_digest_add_text(sni_digest *digest, const char *text) {
    // One byte more than the text has tells "" from NULL.
    sni_digest_add(digest, text, text != NULL ? strlen(text) + 1 : 0);
}
