// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "base/text.h"

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

static sn_status fail_range(const char *start, uint32_t count, sn_error *error) {
    if (count == UINT32_MAX) {
        return sni_fail(error, SN_INVALID,
                        "\"%.40s\" is not a number or range, such as 12 or 40-60", start);
    }
    return sni_fail(error, SN_INVALID,
                    "\"%.40s\" is not a number or range below %u, such as 12 or 40-60", start,
                    count);
}

// Reads the range at `*text`, which is moved to what separates it from the next or to the end.
static sn_status read_range(const char **text, uint32_t count, uint32_t *first, uint32_t *last,
                            sn_error *error) {
    const char *start = skip_spaces(*text), *next = start;
    bool is_range = read_number(&next, count, first);
    *last = *first;
    next = skip_spaces(next);
    if (is_range && *next == '-') {
        next = skip_spaces(next + 1);
        is_range = read_number(&next, count, last) && *last >= *first;
        next = skip_spaces(next);
    }
    *text = next;
    return is_range && (*next == ',' || *next == 0) ? SN_OK : fail_range(start, count, error);
}

sn_status sn_ranges_mark(const char *text, uint32_t count, uint8_t *marks, sn_error *error) {
    if (strcmp(text, "all") == 0) {
        memset(marks, 1, count);
        return SN_OK;
    }
    do {
        uint32_t first, last;
        sn_status status = read_range(&text, count, &first, &last, error);
        if (status != SN_OK) {
            return status;
        }
        memset(marks + first, 1, (size_t)last - first + 1);
    } while (*text++ == ',');
    return SN_OK;
}

sn_status sni_ranges_check(const char *text, sn_error *error) {
    SN_ASSERT(text != NULL);
    sn_status status = SN_OK;
    if (strcmp(text, "all") == 0) {
        return SN_OK;
    }
    do {
        uint32_t first, last;
        status = read_range(&text, UINT32_MAX, &first, &last, error);
    } while (status == SN_OK && *text++ == ',');
    return status;
}
