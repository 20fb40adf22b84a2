// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "base/arena.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

static void gives_aligned_memory_that_does_not_overlap(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_arena arena;
    sni_arena_init(&arena, context);
    uint8_t *parts[300];
    for (uint32_t i = 0; i < 300; ++i) {
        bool small = i % 3 == 0;
        parts[i] =
            small ? sni_arena_alloc_small(&arena, i * 5, 1) : sni_arena_alloc(&arena, i * 5, 1);
        assert_int_equal((uintptr_t)parts[i] % (small ? 16 : 64), 0);
        memset(parts[i], (int)i, i * 5);
    }
    for (uint32_t i = 0; i < 300; ++i) {
        for (uint32_t k = 0; k < i * 5; ++k) {
            assert_int_equal(parts[i][k], (uint8_t)i);
        }
    }
    sni_arena_deinit(&arena);
    snt_context_end(context);
}

static void frame(sni_arena *arena) {
    sni_arena_mark outer = sni_arena_mark_now(arena);
    for (uint32_t i = 0; i < 40; ++i) {
        assert_non_null(sni_arena_alloc(arena, 1000 + 37 * i, 3));
        sni_arena_mark inner = sni_arena_mark_now(arena);
        assert_non_null(sni_arena_alloc_small(arena, 100 * i, 7));
        assert_non_null(sni_arena_alloc(arena, 1, 1));
        sni_arena_release(arena, inner);
    }
    sni_arena_release(arena, outer);
    assert_int_equal(arena->used, 0);
}

static void a_loop_over_frames_stops_allocating(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_arena arena;
    sni_arena_init(&arena, context);
    frame(&arena);
    frame(&arena);
    size_t allocations = sn_context_allocations(context);
    for (int i = 0; i < 20; ++i) {
        frame(&arena);
    }
    assert_int_equal(sn_context_allocations(context), allocations);
    sni_arena_deinit(&arena);
    snt_context_end(context);
}

static void releases_to_a_mark(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_arena arena;
    sni_arena_init(&arena, context);
    int *kept = sni_arena_alloc(&arena, 10, sizeof *kept);
    kept[9] = 42;
    sni_arena_mark mark = sni_arena_mark_now(&arena);
    sni_arena_alloc(&arena, 100000, 1); // a block of its own
    sni_arena_release(&arena, mark);
    int *next = sni_arena_alloc(&arena, 10, sizeof *next);
    assert_true((char *)next == (char *)kept + 64);
    assert_int_equal(kept[9], 42);
    sni_arena_deinit(&arena);
    snt_context_end(context);
}

static void poisons_what_was_released(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    sn_context *context = snt_context(1);
    sni_arena arena;
    sni_arena_init(&arena, context);
    sni_arena_mark mark = sni_arena_mark_now(&arena);
    char *part = sni_arena_alloc(&arena, 100, 1);
    assert_false(__asan_address_is_poisoned(part + 99));
    assert_true(__asan_address_is_poisoned(part + 104));
    sni_arena_release(&arena, mark);
    assert_true(__asan_address_is_poisoned(part));
    sni_arena_deinit(&arena);
    snt_context_end(context);
#else
    snt_skip("only under AddressSanitizer");
#endif
}

static void refuses_sizes_that_do_not_fit(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_arena arena;
    sni_arena_init(&arena, context);
    assert_null(sni_arena_alloc(&arena, SIZE_MAX, 2));
    assert_null(sni_arena_alloc(&arena, SIZE_MAX / 2, 1));
    assert_non_null(sni_arena_alloc(&arena, 0, 1));
    sni_arena_deinit(&arena);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sni_arena arena;
    sni_arena_init(&arena, context);
    bool enough = true;
    for (int i = 0; i < 5 && enough; ++i) {
        enough = sni_arena_alloc(&arena, 10000, 1) != NULL;
    }
    sni_arena_deinit(&arena);
    return enough ? SN_OK : sni_fail_memory(error);
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_aligned_memory_that_does_not_overlap),
        cmocka_unit_test(a_loop_over_frames_stops_allocating),
        cmocka_unit_test(releases_to_a_mark),
        cmocka_unit_test(poisons_what_was_released),
        cmocka_unit_test(refuses_sizes_that_do_not_fit),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
