// SPDX-License-Identifier: Apache-2.0
//
// Letters and words of names, the same in every locale.
#ifndef SINEW_BASE_LETTERS_H
#define SINEW_BASE_LETTERS_H

#include <stdbool.h>
#include <stddef.h>

static inline bool sni_is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static inline bool sni_is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

static inline bool sni_is_digit(char c) {
    return c >= '0' && c <= '9';
}

// The length of the word at `c`: digits, or letters up to the next capital that begins a word.
// "LeftUpLeg" has the words "Left", "Up", "Leg", and "IKFoot" has "IK", "Foot".
static inline size_t sni_word_length(const char *c) {
    size_t length = 1;
    if (sni_is_digit(c[0])) {
        while (sni_is_digit(c[length])) {
            ++length;
        }
        return length;
    }
    for (; sni_is_upper(c[length]) || sni_is_lower(c[length]); ++length) {
        bool after_small = sni_is_lower(c[length - 1]) && sni_is_upper(c[length]);
        bool ends_capitals =
            sni_is_upper(c[length - 1]) && sni_is_upper(c[length]) && sni_is_lower(c[length + 1]);
        if (after_small || ends_capitals) {
            break;
        }
    }
    return length;
}

#endif
