// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // madvise
#include "base/memory.h"

#include "base/context.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Stands before every block so that it can be given back with its size; as large as the alignment
// so that the block behind it stays aligned.
typedef struct block_header {
    size_t size; // with header and tail
    char padding[SNI_ALIGNMENT - sizeof(size_t)];
} block_header;
_Static_assert(sizeof(block_header) == SNI_ALIGNMENT, "header keeps the alignment");

static const size_t tail_bytes = 16;

bool sni_size_multiply(size_t a, size_t b, size_t *product) {
    return !__builtin_mul_overflow(a, b, product);
}

// From this size on memory comes in huge pages where the system has some to give: loops over arrays
// that no cache holds else wait for page tables (a tenth of a membrane's time at 500,000 vertices).
static const size_t huge_size = (size_t)4 << 20, huge_page = (size_t)2 << 20;

static void *default_alloc(size_t size, size_t alignment, void *user) {
    (void)user;
    alignment = size >= huge_size ? huge_page : alignment;
    size = (size + alignment - 1) / alignment * alignment;
    void *memory = aligned_alloc(alignment, size);
#if defined(MADV_HUGEPAGE)
    if (memory != NULL && size >= huge_size) {
        (void)madvise(memory, size, MADV_HUGEPAGE); // no loss where it is refused
    }
#endif
    return memory;
}

static void default_free(void *memory, size_t size, void *user) {
    (void)size;
    (void)user;
    free(memory);
}

// Counts an allocation; false when it would pass a limit.
static bool take(sn_context *context, size_t size) {
    const sn_allocator *allocator = &context->allocator;
    size_t count = atomic_fetch_add(&context->allocations, 1) + 1;
    size_t bytes = atomic_fetch_add(&context->bytes, size) + size;
    bool within = (allocator->count_limit == 0 || count <= allocator->count_limit) &&
                  (allocator->byte_limit == 0 || bytes <= allocator->byte_limit);
    if (!within) {
        atomic_fetch_sub(&context->bytes, size);
    }
    return within;
}

sn_status sni_check_room(const sn_context *context, double bytes, const char *what,
                         sn_error *error) {
    size_t limit = context->allocator.byte_limit, used = atomic_load(&context->bytes);
    if (limit == 0 || bytes <= (double)(limit > used ? limit - used : 0)) {
        return SN_OK;
    }
    return sni_fail(
        error, SN_LIMIT,
        "%s would take at least %.3g GB of memory; of %.3g GB allowed, %.3g GB are left", what,
        1e-9 * bytes, 1e-9 * (double)limit, 1e-9 * (double)(limit > used ? limit - used : 0));
}

void *sni_alloc(sn_context *context, size_t count, size_t size) {
    size_t total;
    if (!sni_size_multiply(count, size, &total) ||
        total > SIZE_MAX / 2 - sizeof(block_header) - tail_bytes) {
        return NULL;
    }
    total += sizeof(block_header) + tail_bytes;
    if (!take(context, total)) {
        return NULL;
    }
    const sn_allocator *allocator = &context->allocator;
    block_header *header = (allocator->alloc != NULL ? allocator->alloc : default_alloc)(
        total, SNI_ALIGNMENT, allocator->user);
    if (header == NULL) {
        atomic_fetch_sub(&context->bytes, total);
        return NULL;
    }
    header->size = total;
    return header + 1;
}

void *sni_alloc_zero(sn_context *context, size_t count, size_t size) {
    void *memory = sni_alloc(context, count, size);
    if (memory != NULL) {
        memset(memory, 0, count * size);
    }
    return memory;
}

void sni_free(sn_context *context, void *memory) {
    if (memory == NULL) {
        return;
    }
    block_header *header = (block_header *)memory - 1;
    size_t size = header->size;
    const sn_allocator *allocator = &context->allocator;
    (allocator->free != NULL ? allocator->free : default_free)(header, size, allocator->user);
    atomic_fetch_sub(&context->bytes, size);
}

char *sni_string_copy_n(sn_context *context, const char *text, size_t length) {
    SN_ASSERT(length == 0 || text != NULL);
    char *copy = sni_alloc(context, length + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

char *sni_string_copy(sn_context *context, const char *text) {
    SN_ASSERT(text != NULL);
    return sni_string_copy_n(context, text, strlen(text));
}

void *sni_copy(sn_context *context, const void *source, size_t count, size_t size) {
    void *copy = source != NULL ? sni_alloc(context, count, size) : NULL;
    if (copy != NULL) {
        memcpy(copy, source, count * size);
    }
    return copy;
}

// Moves an array of `count` items into a new one with room for `capacity`.
static bool move_array(sn_context *context, void *array_pointer, uint32_t count, size_t capacity,
                       size_t item_size) {
    void *array;
    memcpy(&array, array_pointer, sizeof array);
    void *larger = sni_alloc(context, capacity, item_size);
    if (larger == NULL) {
        return false;
    }
    if (array != NULL) {
        memcpy(larger, array, count * item_size);
        sni_free(context, array);
    }
    memcpy(array_pointer, &larger, sizeof larger);
    return true;
}

bool sni_grow_by_one(sn_context *context, void *array_pointer, uint32_t count, size_t item_size) {
    SN_ASSERT(count == 0 || *(void **)array_pointer != NULL);
    bool is_full = (count & (count - 1)) == 0; // 0 and powers of two
    return !is_full ||
           move_array(context, array_pointer, count, count > 0 ? (size_t)count * 2 : 1, item_size);
}

bool sni_grow(sn_context *context, void *array_pointer, uint32_t *capacity, uint32_t needed,
              size_t item_size) {
    SN_ASSERT(needed == 0 || item_size > 0);
    SN_ASSERT(*capacity == 0 || *(void **)array_pointer != NULL);
    if (needed <= *capacity) {
        return true;
    }
    uint32_t doubled = *capacity <= UINT32_MAX / 2 ? *capacity * 2 : UINT32_MAX;
    uint32_t grown = doubled > needed ? doubled : needed;
    grown = grown > 16 ? grown : 16;
    if (!move_array(context, array_pointer, *capacity, grown, item_size)) {
        return false;
    }
    *capacity = grown;
    return true;
}
