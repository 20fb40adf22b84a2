// SPDX-License-Identifier: Apache-2.0
//
// The alphabet of base64 (RFC 4648, section 4).
#ifndef SINEW_IO_BASE64_H
#define SINEW_IO_BASE64_H

// Six bits, -1 for other letters.
static inline int sni_base64_digit(char c) {
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

#endif
