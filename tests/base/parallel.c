// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { ITEMS = 1000 };

typedef struct counts {
    sn_context *context;
    uint32_t thread_count;
    uint32_t visits[ITEMS];
    atomic_uint inside[64]; // whether a worker's number is in use
    atomic_uint collisions;
} counts;

static void visit(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    counts *c = user;
    if (worker >= c->thread_count || atomic_fetch_add(&c->inside[worker], 1) != 0) {
        atomic_fetch_add(&c->collisions, 1);
    }
    for (uint32_t i = begin; i < end; ++i) {
        c->visits[i]++;
    }
    atomic_fetch_sub(&c->inside[worker % 64], 1);
}

static void every_item_is_visited_once_by_one_worker(void **state) {
    (void)state;
    const uint32_t threads[] = {1, 2, 3, 8, 32};
    const uint32_t grains[] = {0, 1, 7, 100, 999, 1000, 5000};
    for (int i = 0; i < 5; ++i) {
        counts c = {.context = snt_context(threads[i]), .thread_count = threads[i]};
        uint32_t rounds = 0;
        for (int repeat = 0; repeat < 30; ++repeat) {
            for (int k = 0; k < 7; ++k, ++rounds) {
                sn_parallel_for(c.context, ITEMS, grains[k], visit, &c);
            }
        }
        for (int k = 0; k < ITEMS; ++k) {
            assert_int_equal(c.visits[k], rounds);
        }
        assert_int_equal(c.collisions, 0);
        snt_context_end(c.context);
    }
}

static void count_call(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)begin;
    (void)end;
    (void)worker;
    atomic_fetch_add((atomic_uint *)user, 1);
}

static void empty_loops_call_nothing(void **state) {
    (void)state;
    sn_context *context = snt_context(4);
    atomic_uint calls = 0;
    sn_parallel_for(context, 0, 16, count_call, &calls);
    assert_int_equal(calls, 0);
    snt_context_end(context);
}

typedef struct nested {
    sn_context *context;
    atomic_uint calls;
} nested;

static void run_inner(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)begin;
    (void)end;
    (void)worker;
    nested *n = user;
    sn_parallel_for(n->context, 10, 1, count_call, &n->calls);
}

static void loops_within_loops_run_in_order(void **state) {
    (void)state;
    nested n = {.context = snt_context(4)};
    sn_parallel_for(n.context, 50, 1, run_inner, &n);
    assert_int_equal(n.calls, 500);
    snt_context_end(n.context);
}

static void *share_context(void *user) {
    for (int i = 0; i < 100; ++i) {
        run_inner(0, 1, 0, user);
    }
    return NULL;
}

static void threads_of_the_host_share_a_context(void **state) {
    (void)state;
    nested n = {.context = snt_context(3)};
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, share_context, &n), 0);
    }
    for (int i = 0; i < 4; ++i) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(n.calls, 4000);
    snt_context_end(n.context);
}

static double sum_of_thirds(uint32_t begin, uint32_t end, void *user) {
    (void)user;
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i) {
        sum += i / 3.0;
    }
    return sum;
}

static void sums_have_the_same_bits_for_any_threads(void **state) {
    (void)state;
    const uint32_t threads[] = {1, 2, 3, 8, 32};
    double first = 0;
    for (int i = 0; i < 5; ++i) {
        sn_context *context = snt_context(threads[i]);
        double sum = 0;
        snt_ok(sn_parallel_sum(context, 100000, 64, sum_of_thirds, NULL, &sum, error));
        first = i == 0 ? sum : first;
        assert_memory_equal(&sum, &first, sizeof sum);
        snt_context_end(context);
    }
    snt_near(first, 100000.0 * 99999 / 6, 1e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_visited_once_by_one_worker),
        cmocka_unit_test(empty_loops_call_nothing),
        cmocka_unit_test(loops_within_loops_run_in_order),
        cmocka_unit_test(threads_of_the_host_share_a_context),
        cmocka_unit_test(sums_have_the_same_bits_for_any_threads),
    };
    return cmocka_run_group_tests_name("base/parallel", tests, NULL, NULL);
}
