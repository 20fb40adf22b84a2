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
#include "base/context.h"
#include "base/memory.h"

#include <pthread.h>

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
    uint64_t loop_number; // rises with every loop; wakes the workers
    uint32_t working;     // workers that have not finished the present loop
    bool stop;
    loop loop;
    uint32_t started; // workers besides the caller
    pthread_t *threads;
    worker_start *starts;
};

static void take_blocks(loop *work, uint32_t worker) {
    for (;;) {
        uint32_t block = atomic_fetch_add(&work->next_block, 1);
        if (block >= work->block_count) {
            return;
        }
        work->run(block, worker, work->run_user);
    }
}

static void *worker_main(void *argument) {
    worker_start *start = argument;
    sni_pool *pool = start->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stop && pool->loop_number == seen) {
            pthread_cond_wait(&pool->wake, &pool->lock);
        }
        if (pool->stop) {
            break;
        }
        seen = pool->loop_number;
        pthread_mutex_unlock(&pool->lock);
        take_blocks(&pool->loop, start->worker);
        pthread_mutex_lock(&pool->lock);
        if (--pool->working == 0) {
            pthread_cond_signal(&pool->done);
        }
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

static void run_on_pool(sni_pool *pool, uint32_t block_count,
                        void (*run)(uint32_t, uint32_t, void *), void *run_user) {
    pthread_mutex_lock(&pool->lock);
    pool->loop.run = run;
    pool->loop.run_user = run_user;
    pool->loop.block_count = block_count;
    atomic_store(&pool->loop.next_block, 0);
    pool->working = pool->started;
    pool->loop_number++;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    take_blocks(&pool->loop, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->working > 0) {
        pthread_cond_wait(&pool->done, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
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
    grain = grain > 0 ? grain : 1;
    block_loop work = {.count = count, .grain = grain, .fn = fn, .user = user};
    run_blocks(context, block_count_of(count, grain), run_range_block, &work);
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
