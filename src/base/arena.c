// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#if defined(__SANITIZE_ADDRESS__)
#define SNI_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SNI_ASAN 1
#endif
#endif
#if defined(SNI_ASAN)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

struct sni_arena_block {
    sni_arena_block *previous;
    size_t capacity;
    size_t used;
    char padding[SNI_ALIGNMENT - sizeof(void *) - 2 * sizeof(size_t)];
    char memory[];
};
_Static_assert(sizeof(sni_arena_block) == SNI_ALIGNMENT, "the memory behind it stays aligned");

static const size_t first_block_bytes = 4096;

void sni_arena_init(sni_arena *arena, sn_context *context) {
    SN_ASSERT(context != NULL);
    *arena = (sni_arena){.context = context};
}

static void free_newest_block(sni_arena *arena) {
    sni_arena_block *block = arena->block;
    arena->block = block->previous;
    ASAN_UNPOISON_MEMORY_REGION(block->memory, block->capacity);
    sni_free(arena->context, block);
}

void sni_arena_deinit(sni_arena *arena) {
    while (arena->block != NULL) {
        free_newest_block(arena);
    }
    *arena = (sni_arena){.context = arena->context};
}

static bool add_block(sni_arena *arena, size_t bytes) {
    size_t capacity = arena->block != NULL ? arena->block->capacity * 2 : first_block_bytes;
    if (arena->block == NULL && arena->high_water > 0) {
        capacity = arena->high_water + first_block_bytes; // room for padding between the parts
    }
    capacity = capacity > bytes ? capacity : bytes;
    size_t total;
    if (__builtin_add_overflow(capacity, sizeof(sni_arena_block), &total)) {
        return false;
    }
    sni_arena_block *block = sni_alloc(arena->context, total, 1);
    if (block == NULL) {
        return false;
    }
    block->previous = arena->block;
    block->capacity = capacity;
    block->used = 0;
    ASAN_POISON_MEMORY_REGION(block->memory, capacity);
    arena->block = block;
    return true;
}

static void *take_bytes(sni_arena *arena, size_t count, size_t size, size_t alignment) {
    size_t bytes;
    if (!sni_size_multiply(count, size, &bytes) || bytes > SIZE_MAX / 4) {
        return NULL;
    }
    bytes = bytes > 0 ? bytes : 1;
    sni_arena_block *block = arena->block;
    size_t begin = block != NULL ? (block->used + alignment - 1) / alignment * alignment : 0;
    if (block == NULL || begin > block->capacity || block->capacity - begin < bytes) {
        if (!add_block(arena, bytes)) {
            return NULL;
        }
        block = arena->block;
        begin = 0;
    }
    arena->used += begin + bytes - block->used;
    block->used = begin + bytes;
    arena->high_water = arena->used > arena->high_water ? arena->used : arena->high_water;
    ASAN_UNPOISON_MEMORY_REGION(block->memory + begin, bytes);
    return block->memory + begin;
}

void *sni_arena_alloc(sni_arena *arena, size_t count, size_t size) {
    return take_bytes(arena, count, size, SNI_ALIGNMENT);
}

void *sni_arena_alloc_small(sni_arena *arena, size_t count, size_t size) {
    return take_bytes(arena, count, size, 16);
}

sni_arena_mark sni_arena_mark_now(const sni_arena *arena) {
    return (sni_arena_mark){
        .block = arena->block,
        .block_used = arena->block != NULL ? arena->block->used : 0,
        .used = arena->used,
    };
}

// An emptied arena keeps one block that is large enough for all that was ever needed at once, or
// none: the next block is then made that large.
static void shrink_to_one_block(sni_arena *arena) {
    while (arena->block != NULL &&
           (arena->block->previous != NULL || arena->block->capacity < arena->high_water)) {
        free_newest_block(arena);
    }
}

void sni_arena_release(sni_arena *arena, sni_arena_mark mark) {
    SN_ASSERT(mark.used <= arena->used);
    if (mark.used == 0) {
        shrink_to_one_block(arena);
    } else {
        while (arena->block != mark.block) {
            free_newest_block(arena);
        }
    }
    if (arena->block != NULL) {
        sni_arena_block *block = arena->block;
        block->used = mark.used == 0 ? 0 : mark.block_used;
        ASAN_POISON_MEMORY_REGION(block->memory + block->used, block->capacity - block->used);
    }
    arena->used = mark.used;
}
