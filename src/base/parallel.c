// SPDX-License-Identifier: Apache-2.0
//
// A small pool of threads that share the blocks of one loop at a time.
//
//     caller ──► loop {block_count, run} ──► every worker, and the caller itself, takes the next
//                                            block number from one counter until none is left
//
// Which thread runs a block is left to chance; what a block computes must not depend on it. A loop
// started while the pool is busy (from within a block, or by another thread that shares the
// context) runs its blocks in order on the calling thread, with the same result.
//
// A worker joins a loop when it comes awake in time and is not waited for when it does not: on a
// machine with busy cores the caller then does the blocks itself. Between loops a worker looks out
// for the next one for some microseconds before it sleeps, since frames run many loops in a row and
// waking a thread takes longer than a small loop.
#define _POSIX_C_SOURCE 200809L
#include "base/context.h"
#include "base/memory.h"

#include <pthread.h>
#include <unistd.h>

// Looks of a waiting thread, each some 10 to 50 nanoseconds with the processor's own pause between:
// about 20 microseconds.
static const int spin_count = 600;

typedef struct loop {
    void (*run)(uint32_t block, uint32_t worker, void *run_user);
    void *run_user;
    uint32_t block_count;
    atomic_uint next_block;
} loop;

typedef struct worker_start {
    sni_pool *pool;
    uint32_t worker;
} worker_start;

struct sni_pool {
    pthread_mutex_t lock; // guards what follows
    pthread_cond_t wake;
    pthread_cond_t done;
    atomic_uint loop_number; // changes with every loop; read without the lock as a hint
    bool open;               // whether the present loop can be joined
    atomic_uint joined;      // workers in the present loop; read without the lock as a hint
    atomic_bool stop;
    loop loop;        // written while nobody has joined
    uint32_t started; // workers besides the caller
    bool spin;        // false with more threads than cores: looking out would keep others from work
    pthread_t *threads;
    worker_start *starts;
};

static void pause_processor(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void take_blocks(loop *work, uint32_t worker) {
    for (;;) {
        uint32_t block = atomic_fetch_add(&work->next_block, 1);
        if (block >= work->block_count) {
            return;
        }
        work->run(block, worker, work->run_user);
    }
}

static void look_out_for_loop(const sni_pool *pool, uint32_t seen) {
    for (int i = 0; pool->spin && i < spin_count; ++i) {
        if (atomic_load_explicit(&pool->loop_number, memory_order_relaxed) != seen ||
            atomic_load_explicit(&pool->stop, memory_order_relaxed)) {
            return;
        }
        pause_processor();
    }
}

static void *worker_main(void *argument) {
    worker_start *start = argument;
    sni_pool *pool = start->pool;
    uint32_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stop && (pool->loop_number == seen || !pool->open)) {
            pthread_cond_wait(&pool->wake, &pool->lock);
        }
        if (pool->stop) {
            break;
        }
        seen = pool->loop_number;
        pool->joined++;
        pthread_mutex_unlock(&pool->lock);
        take_blocks(&pool->loop, start->worker);
        pthread_mutex_lock(&pool->lock);
        if (--pool->joined == 0 && !pool->open) {
            pthread_cond_signal(&pool->done);
        }
        pthread_mutex_unlock(&pool->lock);
        look_out_for_loop(pool, seen);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

sn_status sni_pool_create(sn_context *context, sn_error *error) {
    sn_status status = SN_OK;
    sni_pool *pool = NULL;
    SNI_NEW_ZERO(context, pool, 1);
    context->pool = pool;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    uint32_t worker_count = context->thread_count - 1;
    pool->spin = (long)context->thread_count <= sysconf(_SC_NPROCESSORS_ONLN);
    SNI_NEW(context, pool->threads, worker_count);
    SNI_NEW(context, pool->starts, worker_count);
    for (uint32_t i = 0; i < worker_count; ++i) {
        pool->starts[i] = (worker_start){.pool = pool, .worker = i + 1};
        if (pthread_create(&pool->threads[i], NULL, worker_main, &pool->starts[i]) != 0) {
            status = sni_fail(error, SN_LIMIT, "the system refused thread %u of %u", i + 2,
                              context->thread_count);
            goto cleanup;
        }
        pool->started = i + 1;
    }
    return SN_OK;
cleanup:
    sni_pool_destroy(context);
    return status;
}

void sni_pool_destroy(sn_context *context) {
    sni_pool *pool = context->pool;
    if (pool == NULL) {
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->started; ++i) {
        pthread_join(pool->threads[i], NULL);
    }
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    sni_free(context, pool->starts);
    sni_free(context, pool->threads);
    sni_free(context, pool);
    context->pool = NULL;
}

// Opens the loop and wakes as many sleepers as there are blocks for.
static void open_loop(sni_pool *pool, const loop *work) {
    pthread_mutex_lock(&pool->lock);
    pool->loop.run = work->run;
    pool->loop.run_user = work->run_user;
    pool->loop.block_count = work->block_count;
    atomic_store(&pool->loop.next_block, 0);
    pool->open = true;
    pool->loop_number++;
    pthread_mutex_unlock(&pool->lock);
    if (work->block_count > pool->started) {
        pthread_cond_broadcast(&pool->wake);
        return;
    }
    for (uint32_t i = 1; i < work->block_count; ++i) {
        pthread_cond_signal(&pool->wake);
    }
}

// Closes the loop and waits for those who are still at their last block.
static void close_loop(sni_pool *pool) {
    for (int i = 0; pool->spin && i < spin_count; ++i) {
        if (atomic_load_explicit(&pool->joined, memory_order_relaxed) == 0) {
            break;
        }
        pause_processor();
    }
    pthread_mutex_lock(&pool->lock);
    pool->open = false;
    while (pool->joined > 0) {
        pthread_cond_wait(&pool->done, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}

static void run_on_pool(sni_pool *pool, uint32_t block_count,
                        void (*run)(uint32_t, uint32_t, void *), void *run_user) {
    open_loop(pool, &(loop){.run = run, .run_user = run_user, .block_count = block_count});
    take_blocks(&pool->loop, 0);
    close_loop(pool);
}

static void run_in_order(uint32_t block_count, void (*run)(uint32_t, uint32_t, void *),
                         void *run_user) {
    for (uint32_t block = 0; block < block_count; ++block) {
        run(block, 0, run_user);
    }
}

// One loop at a time: a host's pool need not be able to run a loop from within a loop either.
static void run_blocks(sn_context *context, uint32_t block_count,
                       void (*run)(uint32_t, uint32_t, void *), void *run_user) {
    bool has_threads = context->host_pool != NULL || context->pool != NULL;
    if (!has_threads || block_count < 2 || atomic_exchange(&context->loop_running, true)) {
        run_in_order(block_count, run, run_user);
        return;
    }
    if (context->host_pool != NULL) {
        context->host_pool(block_count, run, run_user, context->host_pool_user);
    } else {
        run_on_pool(context->pool, block_count, run, run_user);
    }
    atomic_store(&context->loop_running, false);
}

typedef struct block_loop {
    uint32_t count;
    uint32_t grain;
    sn_block_fn *fn;
    void *user;
} block_loop;

static uint32_t block_count_of(uint32_t count, uint32_t grain) {
    return count / grain + (count % grain != 0);
}

static uint32_t block_end(uint32_t begin, uint32_t count, uint32_t grain) {
    return count - begin < grain ? count : begin + grain;
}

static void run_range_block(uint32_t block, uint32_t worker, void *run_user) {
    const block_loop *work = run_user;
    uint32_t begin = block * work->grain;
    work->fn(begin, block_end(begin, work->count, work->grain), worker, work->user);
}

void sn_parallel_for(sn_context *context, uint32_t count, uint32_t grain, sn_block_fn *fn,
                     void *user) {
    SN_ASSERT(fn != NULL);
    grain = grain > 0 ? grain : 1;
    block_loop work = {.count = count, .grain = grain, .fn = fn, .user = user};
    run_blocks(context, block_count_of(count, grain), run_range_block, &work);
}

// One round: its items are numbered on from `first`.
typedef struct round_loop {
    uint32_t first;
    sn_block_fn *fn;
    void *user;
} round_loop;

static void run_round_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const round_loop *work = user;
    work->fn(work->first + begin, work->first + end, worker, work->user);
}

sn_status sni_parallel_rounds(sn_context *context, uint32_t count, uint32_t grain, uint32_t round,
                              sn_block_fn *fn, void *user, const sn_progress *progress,
                              const char *step, sn_error *error) {
    SN_ASSERT(grain > 0 && round % grain == 0);
    SN_ASSERT(fn != NULL);
    round_loop work = {.fn = fn, .user = user};
    for (uint32_t left = count; left > 0;) {
        work.first = count - left;
        sn_status status = sni_progress(progress, step, (double)work.first / count, error);
        if (status != SN_OK) {
            return status;
        }
        uint32_t size = left < round ? left : round;
        sn_parallel_for(context, size, grain, run_round_block, &work);
        left -= size;
    }
    return SN_OK;
}

typedef struct sum_loop {
    uint32_t count;
    uint32_t grain;
    sn_sum_fn *fn;
    void *user;
    double *partials;
} sum_loop;

static void run_sum_block(uint32_t block, uint32_t worker, void *run_user) {
    (void)worker;
    const sum_loop *work = run_user;
    uint32_t begin = block * work->grain;
    work->partials[block] = work->fn(begin, block_end(begin, work->count, work->grain), work->user);
}

sn_status sn_parallel_sum(sn_context *context, uint32_t count, uint32_t grain, sn_sum_fn *fn,
                          void *user, double *sum, sn_error *error) {
    SN_ASSERT(fn != NULL && sum != NULL);
    grain = grain > 0 ? grain : 1;
    uint32_t block_count = block_count_of(count, grain);
    double *partials = sni_alloc(context, block_count, sizeof *partials);
    if (partials == NULL) {
        return sni_fail_memory(error);
    }
    sum_loop work = {.count = count, .grain = grain, .fn = fn, .user = user, .partials = partials};
    run_blocks(context, block_count, run_sum_block, &work);
    *sum = 0;
    for (uint32_t block = 0; block < block_count; ++block) {
        *sum += partials[block];
    }
    sni_free(context, partials);
    return SN_OK;
}
