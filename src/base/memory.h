// SPDX-License-Identifier: Apache-2.0
//
// Memory of a context: counted, limited, aligned to 64 bytes for SIMD, with 16 readable bytes past
// the end (Embree reads 16 bytes at the last 12-byte vertex).
#ifndef SINEW_BASE_MEMORY_H
#define SINEW_BASE_MEMORY_H

#include "base/error.h"

#define SNI_ALIGNMENT 64

// Uninitialised memory for `count` items of `size` bytes, or NULL. Zero items give a valid pointer.
void *sni_alloc(sn_context *context, size_t count, size_t size);

// The same, filled with zeros.
void *sni_alloc_zero(sn_context *context, size_t count, size_t size);

// Gives back memory from sni_alloc; NULL is allowed.
void sni_free(sn_context *context, void *memory);

// A terminated copy of `length` bytes, or NULL. Free with sni_free.
char *sni_string_copy_n(sn_context *context, const char *text, size_t length);
char *sni_string_copy(sn_context *context, const char *text);

// A copy of `count` items of `size` bytes, or NULL; a NULL source gives NULL.
void *sni_copy(sn_context *context, const void *source, size_t count, size_t size);

// Product of two sizes; false when it does not fit.
bool sni_size_multiply(size_t a, size_t b, size_t *product);

// Whether what is about to be made, of at least `bytes` bytes, can fit within the context's limit:
// fails with SN_LIMIT and all figures, before any of it is asked for. `what` begins the
// sentence: "a grid of 4096 x 4096 x 4096 nodes".
sn_status sni_check_room(const sn_context *context, double bytes, const char *what,
                         sn_error *error);

// The failure that every call reports when memory runs out.
#define sni_fail_memory(error) sni_fail((error), SN_OUT_OF_MEMORY, "out of memory")

// Allocates an array into `pointer` or leaves by `cleanup` (see SN_TRY).
#define SNI_NEW(context, pointer, count)                                                           \
    do {                                                                                           \
        (pointer) = sni_alloc((context), (count), sizeof *(pointer));                              \
        if ((pointer) == NULL) {                                                                   \
            status = sni_fail_memory(error);                                                       \
            goto cleanup;                                                                          \
        }                                                                                          \
    } while (0)

#define SNI_NEW_ZERO(context, pointer, count)                                                      \
    do {                                                                                           \
        (pointer) = sni_alloc_zero((context), (count), sizeof *(pointer));                         \
        if ((pointer) == NULL) {                                                                   \
            status = sni_fail_memory(error);                                                       \
            goto cleanup;                                                                          \
        }                                                                                          \
    } while (0)

// Makes room for one more item in an array that grows by powers of two, so that its capacity
// follows from `count` and need not be stored: `sni_grow_by_one(context, &items, count, sizeof
// *items)`. False when memory runs out; the array is then unchanged.
bool sni_grow_by_one(sn_context *context, void *array_pointer, uint32_t count, size_t item_size);

// Makes room for `needed` items in a growing array: `sni_grow(context, &items, &capacity, needed,
// sizeof *items)`. Doubles, so that pushing is linear on the whole. False when memory runs out; the
// array is then unchanged.
bool sni_grow(sn_context *context, void *array_pointer, uint32_t *capacity, uint32_t needed,
              size_t item_size);

#endif
