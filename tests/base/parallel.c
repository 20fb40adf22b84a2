// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "base/context.h"

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

// The blocks, added in order.
static void sums_add_their_blocks_in_order(void **state) {
    (void)state;
    double expected = 0, sum = 0;
    for (uint32_t begin = 0; begin < 100003; begin += 64) {
        uint32_t end = begin + 64 < 100003 ? begin + 64 : 100003;
        expected += sum_of_thirds(begin, end, NULL);
    }
    sn_context *context = snt_context(3);
    snt_ok(sn_parallel_sum(context, 100003, 64, sum_of_thirds, NULL, &sum, error));
    assert_memory_equal(&sum, &expected, sizeof sum);
    snt_ok(sn_parallel_sum(context, 0, 64, sum_of_thirds, NULL, &sum, error));
    assert_true(sum == 0);
    snt_context_end(context);
}

static double length_of(uint32_t begin, uint32_t end, void *user) {
    (void)user;
    return (double)end - begin;
}

// Blocks of the largest possible loop: begin and end must not wrap.
static void the_last_items_can_be_reached(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    double sum;
    snt_ok(sn_parallel_sum(context, UINT32_MAX, UINT32_MAX - 1, length_of, NULL, &sum, error));
    assert_true(sum == 4294967295.0);
    snt_context_end(context);
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

static void a_host_may_bring_its_pool(void **state) {
    (void)state;
    host h = {0};
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = 4;
    desc.pool = host_pool;
    desc.pool_user = &h;
    counts c = {.thread_count = 4};
    snt_ok(sn_context_create(&desc, &c.context, error));
    sn_parallel_for(c.context, ITEMS, 7, visit, &c);
    assert_int_equal(h.calls, 1);
    assert_int_equal(c.collisions, 0);
    for (int i = 0; i < ITEMS; ++i) {
        assert_int_equal(c.visits[i], 1);
    }
    double sum, alone;
    sn_context *one = snt_context(1);
    snt_ok(sn_parallel_sum(c.context, 100003, 64, sum_of_thirds, NULL, &sum, error));
    snt_ok(sn_parallel_sum(one, 100003, 64, sum_of_thirds, NULL, &alone, error));
    assert_memory_equal(&sum, &alone, sizeof sum);
    snt_context_end(one);
    nested n = {.context = c.context};
    sn_parallel_for(n.context, 50, 1, run_inner, &n);
    assert_int_equal(n.calls, 500);
    assert_false(h.nested); // loops within a loop stay on their thread
    assert_int_equal(h.calls, 3);
    sn_context_destroy(c.context);
}

typedef struct watch {
    uint32_t reports;
    uint32_t stop_after; // reports
    double last;
} watch;

static bool watch_progress(const char *step, double fraction, void *user) {
    watch *w = user;
    assert_string_equal(step, "visiting");
    assert_true(fraction >= w->last && fraction < 1);
    w->last = fraction;
    return w->reports++ < w->stop_after;
}

static void rounds_visit_every_item_and_can_be_cancelled(void **state) {
    (void)state;
    counts c = {.context = snt_context(3), .thread_count = 3};
    watch w = {.stop_after = UINT32_MAX};
    sn_progress progress = {watch_progress, &w};
    snt_ok(sni_parallel_rounds(c.context, ITEMS, 7, 70, visit, &c, &progress, "visiting", error));
    assert_int_equal(w.reports, 15);
    for (int i = 0; i < ITEMS; ++i) {
        assert_int_equal(c.visits[i], 1);
    }
    w = (watch){.stop_after = 3};
    snt_fails(
        SN_CANCELLED, "visiting",
        sni_parallel_rounds(c.context, ITEMS, 7, 70, visit, &c, &progress, "visiting", error));
    for (int i = 0; i < ITEMS; ++i) {
        assert_int_equal(c.visits[i], i < 210 ? 2 : 1);
    }
    snt_ok(sni_parallel_rounds(c.context, 0, 7, 70, visit, &c, &progress, "visiting", error));
    assert_int_equal(c.collisions, 0);
    snt_context_end(c.context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_visited_once_by_one_worker),
        cmocka_unit_test(empty_loops_call_nothing),
        cmocka_unit_test(loops_within_loops_run_in_order),
        cmocka_unit_test(threads_of_the_host_share_a_context),
        cmocka_unit_test(sums_have_the_same_bits_for_any_threads),
        cmocka_unit_test(sums_add_their_blocks_in_order),
        cmocka_unit_test(the_last_items_can_be_reached),
        cmocka_unit_test(a_host_may_bring_its_pool),
        cmocka_unit_test(rounds_visit_every_item_and_can_be_cancelled),
    };
    return cmocka_run_group_tests_name("base/parallel", tests, NULL, NULL);
}
