// SPDX-License-Identifier: Apache-2.0
//
// Scratch memory that is taken in order and given back in one step.
//
//     sni_arena_mark mark = sni_arena_mark_now(&arena);
//     float *work = sni_arena_alloc(&arena, count, sizeof *work);
//     ...
//     sni_arena_release(&arena, mark);
//
// Blocks are kept when released and joined into one block of the largest size ever needed when the
// arena is empty again, so that a loop over frames stops allocating after its first round.
#ifndef SINEW_BASE_ARENA_H
#define SINEW_BASE_ARENA_H

#include "base/memory.h"

typedef struct sni_arena_block sni_arena_block;

typedef struct sni_arena {
    sn_context *context;
    sni_arena_block *block; // newest first
    size_t used;            // bytes in use over all blocks
    size_t high_water;      // largest `used` so far
} sni_arena;

typedef struct sni_arena_mark {
    sni_arena_block *block;
    size_t block_used;
    size_t used;
} sni_arena_mark;

void sni_arena_init(sni_arena *arena, sn_context *context);
void sni_arena_deinit(sni_arena *arena);

// Uninitialised memory aligned to 64 bytes, or NULL.
void *sni_arena_alloc(sni_arena *arena, size_t count, size_t size);

// The same aligned to 16 bytes, for many small items such as tree nodes and strings.
void *sni_arena_alloc_small(sni_arena *arena, size_t count, size_t size);

sni_arena_mark sni_arena_mark_now(const sni_arena *arena);
void sni_arena_release(sni_arena *arena, sni_arena_mark mark);

#endif
