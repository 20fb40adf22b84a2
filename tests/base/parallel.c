// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

static const uint32_t thread_counts[] = {1, 2, 3, 8, 32};

typedef struct visit {
    sn_context *context;
    atomic_uint seen[1000];
    atomic_uint inside[32]; // blocks that run as this worker
    atomic_bool clash;
    atomic_uint nested;
} visit;

static void touch(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    visit *v = user;
    if (worker >= sn_context_thread_count(v->context) || end - begin > 7 ||
        atomic_fetch_add(&v->inside[worker], 1) != 0) {
        atomic_store(&v->clash, true);
    }
    for (uint32_t i = begin; i < end; ++i) {
        atomic_fetch_add(&v->seen[i], 1);
    }
    atomic_fetch_sub(&v->inside[worker], 1);
}

static void visits_every_item_once(void **state) {
    (void)state;
    for (int t = 0; t < 5; ++t) {
        visit v = {.context = snt_context(thread_counts[t])};
        for (int round = 0; round < 20; ++round) {
            sn_parallel_for(v.context, 1000, 7, touch, &v);
        }
        for (int i = 0; i < 1000; ++i) {
            assert_int_equal(v.seen[i], 20);
        }
        assert_false(v.clash);
        sn_parallel_for(v.context, 0, 7, touch, &v);
        sn_parallel_for(v.context, 5, 0, touch, &v); // no grain: one item each
        assert_int_equal(v.seen[4], 21);
        assert_int_equal(v.seen[5], 20);
        snt_context_end(v.context);
    }
}

static double add_terms(uint32_t begin, uint32_t end, void *user) {
    (void)user;
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i) {
        sum += sin(i) * exp2(i % 60 - 30.0);
    }
    return sum;
}

static void sums_have_the_same_bits_for_any_threads(void **state) {
    (void)state;
    double sums[5];
    for (int t = 0; t < 5; ++t) {
        sn_context *context = snt_context(thread_counts[t]);
        snt_ok(sn_parallel_sum(context, 100003, 64, add_terms, NULL, &sums[t], error));
        double none = 1;
        snt_ok(sn_parallel_sum(context, 0, 64, add_terms, NULL, &none, error));
        assert_true(none == 0);
        snt_context_end(context);
        assert_memory_equal(&sums[t], &sums[0], sizeof sums[0]);
    }
    // And what is expected: the blocks added in order.
    double expected = 0;
    for (uint32_t begin = 0; begin < 100003; begin += 64) {
        expected += add_terms(begin, begin + 64 < 100003 ? begin + 64 : 100003, NULL);
    }
    assert_memory_equal(&sums[0], &expected, sizeof expected);
}

static void count_items(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    atomic_fetch_add(&((visit *)user)->nested, end - begin);
}

static void run_inner(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    visit *v = user;
    for (uint32_t i = begin; i < end; ++i) {
        sn_parallel_for(v->context, 50, 3, count_items, v);
    }
}

static void loops_nest(void **state) {
    (void)state;
    for (int t = 0; t < 5; ++t) {
        visit v = {.context = snt_context(thread_counts[t])};
        sn_parallel_for(v.context, 40, 1, run_inner, &v);
        assert_int_equal(v.nested, 40 * 50);
        snt_context_end(v.context);
    }
}

static void *second_thread(void *user) {
    visit *v = user;
    for (int i = 0; i < 50; ++i) {
        sn_parallel_for(v->context, 50, 3, count_items, v);
    }
    return NULL;
}

static void threads_may_share_a_context(void **state) {
    (void)state;
    visit v = {.context = snt_context(3)};
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, second_thread, &v), 0);
    second_thread(&v);
    pthread_join(other, NULL);
    assert_int_equal(v.nested, 2 * 50 * 50);
    snt_context_end(v.context);
}

typedef struct host {
    uint32_t depth, calls;
    bool nested;
} host;

// A pool that runs backwards and cannot be entered twice.
static void host_pool(uint32_t block_count, void (*run)(uint32_t, uint32_t, void *), void *run_user,
                      void *user) {
    host *h = user;
    h->calls++;
    h->nested = h->nested || h->depth > 0;
    h->depth++;
    for (uint32_t i = block_count; i-- > 0;) {
        run(i, i % 4, run_user);
    }
    h->depth--;
}

static void uses_the_hosts_pool(void **state) {
    (void)state;
    host h = {0};
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = 4;
    desc.pool = host_pool;
    desc.pool_user = &h;
    visit v = {0};
    snt_ok(sn_context_create(&desc, &v.context, error));
    sn_parallel_for(v.context, 1000, 7, touch, &v);
    assert_int_equal(h.calls, 1);
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(v.seen[i], 1);
    }
    double sum, alone;
    snt_ok(sn_parallel_sum(v.context, 100003, 64, add_terms, NULL, &sum, error));
    sn_context *one = snt_context(1);
    snt_ok(sn_parallel_sum(one, 100003, 64, add_terms, NULL, &alone, error));
    assert_memory_equal(&sum, &alone, sizeof sum);
    snt_context_end(one);
    sn_parallel_for(v.context, 40, 1, run_inner, &v);
    assert_int_equal(v.nested, 40 * 50);
    assert_false(h.nested); // loops within a loop stay on their thread
    assert_int_equal(h.calls, 3);
    sn_context_destroy(v.context);
}

static double length_of(uint32_t begin, uint32_t end, void *user) {
    (void)user;
    return (double)end - begin;
}

static void the_last_items_can_be_reached(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    double sum;
    // Blocks of the largest possible loop: begin and end must not wrap.
    snt_ok(sn_parallel_sum(context, UINT32_MAX, UINT32_MAX - 1, length_of, NULL, &sum, error));
    assert_true(sum == 4294967295.0);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visits_every_item_once),
        cmocka_unit_test(sums_have_the_same_bits_for_any_threads),
        cmocka_unit_test(loops_nest),
        cmocka_unit_test(threads_may_share_a_context),
        cmocka_unit_test(uses_the_hosts_pool),
        cmocka_unit_test(the_last_items_can_be_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
