// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <string.h>

// A whole number at `*text`, which is moved behind it; false where there is none or it is too large
// to be one of `count`.
static bool read_number(const char **text, uint32_t count, uint32_t *number) {
    uint64_t value = 0;
    const char *next = *text;
    for (; *next >= '0' && *next <= '9'; ++next) {
        value = value < UINT32_MAX ? 10 * value + (uint64_t)(*next - '0') : value;
    }
    bool is_number = next != *text && value < count;
    *number = (uint32_t)value;
    *text = next;
    return is_number;
}

static const char *skip_spaces(const char *text) {
    return text + strspn(text, " ");
}

sn_status sn_ranges_mark(const char *text, uint32_t count, uint8_t *marks, sn_error *error) {
    if (strcmp(text, "all") == 0) {
        memset(marks, 1, count);
        return SN_OK;
    }
    const char *next = text, *start;
    do {
        uint32_t first, last;
        start = next = skip_spaces(next);
        bool is_range = read_number(&next, count, &first);
        last = first;
        next = skip_spaces(next);
        if (is_range && *next == '-') {
            next = skip_spaces(next + 1);
            is_range = read_number(&next, count, &last) && last >= first;
            next = skip_spaces(next);
        }
        if (!is_range || (*next != ',' && *next != '\0')) {
            return sni_fail(error, SN_INVALID,
                            "\"%.40s\" is no number or range below %u, such as 12 or 40-60", start,
                            count);
        }
        memset(marks + first, 1, (size_t)last - first + 1);
    } while (*next++ == ',');
    return SN_OK;
}
