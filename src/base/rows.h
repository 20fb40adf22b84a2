// SPDX-License-Identifier: Apache-2.0
//
// Rows of different lengths, one behind another in one array: row r has the items from offsets[r]
// to before offsets[r + 1] (compressed rows of sparse matrices). They are made in two passes over
// what goes into them, with `offsets` being row_count + 1 zeros at first:
//
//     for each item: sni_rows_count(offsets, row, 1);
//     item_count = sni_rows_begin(offsets, row_count);
//     for each item: items[sni_rows_take(offsets, row)] = item;
//     sni_rows_end(offsets, row_count);
//
// Items of a row stay in the order in which they were taken: where only that order is wanted, this
// is a stable counting sort, and the end may be left out.
#ifndef SINEW_BASE_ROWS_H
#define SINEW_BASE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Makes room for more items in a row.
static inline void sni_rows_count(uint32_t *offsets, size_t row, uint32_t item_count) {
    offsets[row + 1] += item_count;
}

// The place of the next item of a row.
static inline uint32_t sni_rows_take(uint32_t *offsets, size_t row) {
    return offsets[row]++;
}

// Turns counts into the places where rows begin. Returns the number of items in all rows, which
// must fit 32 bits.
uint32_t sni_rows_begin(uint32_t *offsets, size_t row_count);

// Taking has moved each row's beginning to its end, where the next begins: moves all back.
void sni_rows_end(uint32_t *offsets, size_t row_count);

// All of it for keys that say which row they go into; SN_NONE goes into none. Keys come in groups
// of `group_size`, and a row lists the groups that its keys are of, rising: with 1 it lists the
// keys' own numbers; with 3 and the vertices of triangles, row v has the triangles at vertex v.
// `offsets` (row_count + 1) need not be zeros; `items` has room for all keys.
void sni_rows_from_keys(const uint32_t *keys, uint32_t group_count, uint32_t group_size,
                        size_t row_count, uint32_t *offsets, uint32_t *items);

// Whether offsets begin at 0, never fall, and end at `item_count`.
bool sni_rows_are_valid(const uint32_t *offsets, size_t row_count, size_t item_count);

#endif
