// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_BASE_CONTEXT_H
#define SINEW_BASE_CONTEXT_H

#include "base/error.h"

#include <stdatomic.h>

typedef struct sni_pool sni_pool;
typedef struct sni_kept sni_kept;

struct sn_context {
    sn_allocator allocator;
    atomic_size_t bytes;
    atomic_size_t allocations;
    atomic_uint_fast64_t next_id; // for objects that must be told apart for ever
    uint32_t thread_count;
    sn_cpu cpu; // never SN_CPU_AUTO
    sn_log_fn *log;
    void *log_user;
    sni_kept *kept; // warnings; NULL where none are kept
    sn_pool_fn *host_pool;
    void *host_pool_user;
    sni_pool *pool;            // NULL with one thread or a host pool
    atomic_bool loop_running;  // on either pool
    struct sni_reader *reader; // of files that are read apart (io/read_apart.c); NULL: none
};

// Sends a line to the log handler, and keeps it if it is a warning and the context keeps some.
void sni_log(sn_context *context, sn_log_level level, const char *topic, const char *format, ...)
    SN_PRINTF(4, 5);

// Tells the caller how far a step has come. SN_CANCELLED when it wants to stop.
sn_status sni_progress(const sn_progress *progress, const char *step, double fraction,
                       sn_error *error);

// sn_parallel_for in rounds of `round` items (a multiple of `grain`); before each the caller is
// told how far the step has come and can cancel.
sn_status sni_parallel_rounds(sn_context *context, uint32_t count, uint32_t grain, uint32_t round,
                              sn_block_fn *fn, void *user, const sn_progress *progress,
                              const char *step, sn_error *error);

// At most `limit` different warnings. Memory is that of the context itself, outside of its limits.
sni_kept *sni_kept_create(uint32_t limit); // NULL when there is no memory
void sni_kept_destroy(sni_kept *kept);     // NULL is allowed
// False where it is kept already.
bool sni_kept_add(sni_kept *kept, const char *topic, const char *text);

sn_status sni_pool_create(sn_context *context, sn_error *error);
void sni_pool_destroy(sn_context *context);

#endif
