// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include <stdlib.h>

static void counts_and_aligns(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    assert_int_equal(sn_context_bytes(context), 0);
    double *a = sni_alloc(context, 3, sizeof *a);
    uint8_t *b = sni_alloc_zero(context, 1000, 1), *none = sni_alloc(context, 0, 8);
    assert_non_null(none);
    assert_int_equal((uintptr_t)a % SNI_ALIGNMENT, 0);
    assert_int_equal((uintptr_t)b % SNI_ALIGNMENT, 0);
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(b[i], 0);
    }
    assert_true(sn_context_bytes(context) >= 1024);
    assert_int_equal(sn_context_allocations(context), 3);
    sni_free(context, a);
    sni_free(context, b);
    sni_free(context, none);
    sni_free(context, NULL);
    assert_int_equal(sn_context_bytes(context), 0);
    snt_context_end(context);
}

static void refuses_sizes_that_do_not_fit(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    size_t product;
    assert_false(sni_size_multiply(SIZE_MAX / 2, 3, &product));
    assert_true(sni_size_multiply(SIZE_MAX / 2, 2, &product));
    assert_null(sni_alloc(context, SIZE_MAX / 2, 3));
    assert_null(sni_alloc(context, SIZE_MAX, 1));
    assert_null(sni_alloc(context, SIZE_MAX - 70, 1));
    assert_null(sni_alloc_zero(context, SIZE_MAX / 8, 16));
    assert_int_equal(sn_context_bytes(context), 0);
    snt_context_end(context);
}

static void keeps_to_its_limits(void **state) {
    (void)state;
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = 1;
    desc.allocator.byte_limit = 10000;
    sn_context *context;
    snt_ok(sn_context_create(&desc, &context, error));
    assert_null(sni_alloc(context, 20000, 1));
    void *a = sni_alloc(context, 9000, 1);
    assert_non_null(a);
    assert_null(sni_alloc(context, 2000, 1));
    sni_free(context, a);
    a = sni_alloc(context, 9000, 1);
    assert_non_null(a);
    sni_free(context, a);
    sn_context_destroy(context);
}

typedef struct host {
    size_t in_use, calls;
} host;

static void *host_alloc(size_t size, size_t alignment, void *user) {
    host *h = user;
    h->in_use += size;
    h->calls++;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void host_free(void *memory, size_t size, void *user) {
    ((host *)user)->in_use -= size;
    free(memory);
}

static void uses_the_hosts_memory(void **state) {
    (void)state;
    host h = {0};
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = 2;
    desc.allocator = (sn_allocator){.alloc = host_alloc, .free = host_free, .user = &h};
    sn_context *context;
    snt_ok(sn_context_create(&desc, &context, error));
    size_t own = h.in_use;
    void *a = sni_alloc(context, 100, 1);
    assert_int_equal(h.in_use, sn_context_bytes(context));
    sni_free(context, a);
    assert_int_equal(h.in_use, own);
    sn_context_destroy(context);
    assert_int_equal(h.in_use, 0);
    desc.allocator.free = NULL;
    snt_fails(SN_INVALID, "both alloc and free", sn_context_create(&desc, &context, error));
}

static void refuses_bad_descs(void **state) {
    (void)state;
    sn_context_desc desc = {0};
    sn_context *context;
    snt_fails(SN_INVALID, "sn_context_desc_default", sn_context_create(&desc, &context, error));
    assert_null(context);
    desc = sn_context_desc_default();
    desc.thread_count = 100000;
    snt_fails(SN_INVALID, "100000 threads", sn_context_create(&desc, &context, error));
    sn_context_destroy(NULL);
}

static void copies(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    char *text = sni_string_copy_n(context, "abcdef", 3), *all = sni_string_copy(context, "");
    assert_string_equal(text, "abc");
    assert_string_equal(all, "");
    const int numbers[] = {1, 2, 3};
    int *copy = sni_copy(context, numbers, 3, sizeof *numbers);
    assert_memory_equal(copy, numbers, sizeof numbers);
    assert_null(sni_copy(context, NULL, 3, 4));
    sni_free(context, text);
    sni_free(context, all);
    sni_free(context, copy);
    snt_context_end(context);
}

static void arrays_grow(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    uint32_t *a = NULL, *b = NULL, capacity = 0;
    for (uint32_t i = 0; i < 5000; ++i) {
        assert_true(sni_grow_by_one(context, &a, i, sizeof *a));
        assert_true(sni_grow(context, &b, &capacity, i + 1, sizeof *b));
        a[i] = b[i] = i * 7;
    }
    for (uint32_t i = 0; i < 5000; ++i) {
        assert_int_equal(a[i], i * 7);
        assert_int_equal(b[i], i * 7);
    }
    assert_true(sn_context_allocations(context) < 30);
    sni_free(context, a);
    sni_free(context, b);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_aligns),   cmocka_unit_test(refuses_sizes_that_do_not_fit),
        cmocka_unit_test(keeps_to_its_limits), cmocka_unit_test(uses_the_hosts_memory),
        cmocka_unit_test(refuses_bad_descs),   cmocka_unit_test(copies),
        cmocka_unit_test(arrays_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
