// SPDX-License-Identifier: Apache-2.0
#include "base/rows.h"

#include "base/error.h"

#include <string.h>

uint32_t sni_rows_begin(uint32_t *offsets, size_t row_count) {
    uint64_t sum = offsets[0];
    SN_ASSERT(sum == 0);
    for (size_t r = 1; r <= row_count; ++r) {
        sum += offsets[r];
        offsets[r] = (uint32_t)sum;
    }
    SN_ASSERT(sum <= UINT32_MAX);
    return (uint32_t)sum;
}

void sni_rows_end(uint32_t *offsets, size_t row_count) {
    SN_ASSERT(row_count == 0 || offsets[row_count - 1] == offsets[row_count]);
    memmove(offsets + 1, offsets, row_count * sizeof *offsets);
    offsets[0] = 0;
    SN_VALIDATE(sni_rows_are_valid(offsets, row_count, offsets[row_count]));
}

void sni_rows_from_keys(const uint32_t *keys, uint32_t group_count, uint32_t group_size,
                        size_t row_count, uint32_t *offsets, uint32_t *items) {
    SN_ASSERT(group_size > 0);
    SN_ASSERT(group_count == 0 || (keys != NULL && items != NULL));
    size_t key_count = (size_t)group_count * group_size;
    memset(offsets, 0, (row_count + 1) * sizeof *offsets);
    for (size_t i = 0; i < key_count; ++i) {
        if (keys[i] != SN_NONE) {
            sni_rows_count(offsets, keys[i], 1);
        }
    }
    sni_rows_begin(offsets, row_count);
    for (uint32_t group = 0; group < group_count; ++group) {
        for (uint32_t k = 0; k < group_size; ++k) {
            uint32_t key = keys[(size_t)group * group_size + k];
            if (key != SN_NONE) {
                items[sni_rows_take(offsets, key)] = group;
            }
        }
    }
    sni_rows_end(offsets, row_count);
}

bool sni_rows_are_valid(const uint32_t *offsets, size_t row_count, size_t item_count) {
    if (offsets[0] != 0 || offsets[row_count] != item_count) {
        return false;
    }
    for (size_t r = 0; r < row_count; ++r) {
        if (offsets[r] > offsets[r + 1]) {
            return false;
        }
    }
    return true;
}
