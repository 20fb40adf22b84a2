// SPDX-License-Identifier: Apache-2.0
//
// A digest stands for what something was made from: two things with equal digests were made from
// equal inputs. 128 bits, so that among a thousand million things two different ones meet by chance
// once in 10^20 tries. It is no protection against someone who looks for such a pair.
#ifndef SINEW_BASE_DIGEST_H
#define SINEW_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sni_digest {
    uint64_t words[2];
} sni_digest;

// A digest of nothing, to which inputs are added in order.
static inline sni_digest sni_digest_new(void) {
    return (sni_digest){{UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344)}};
}

// Adds `count` bytes. How many they are is added too, so that neighbours cannot be taken for each
// other. `bytes` may be NULL where there are none.
void sni_digest_add(sni_digest *digest, const void *bytes, size_t count);

// Adds a text, or that there is none (NULL).
void sni_digest_add_text(sni_digest *digest, const char *text);

static inline void sni_digest_add_number(sni_digest *digest, double value) {
    sni_digest_add(digest, &value, sizeof value);
}

static inline void sni_digest_add_index(sni_digest *digest, uint32_t index) {
    sni_digest_add(digest, &index, sizeof index);
}

static inline void sni_digest_add_digest(sni_digest *digest, const sni_digest *other) {
    sni_digest_add(digest, other->words, sizeof other->words);
}

static inline bool sni_digest_equal(const sni_digest *a, const sni_digest *b) {
    return a->words[0] == b->words[0] && a->words[1] == b->words[1];
}

#endif
