// SPDX-License-Identifier: Apache-2.0
//
// Digests, and the store of things that were made from them.
#include "test.h"

#include "base/store.h"

#include <stdlib.h>

// --- Digests

static sni_digest digest_of(const void *bytes, size_t count) {
    sni_digest digest = sni_digest_new();
    sni_digest_add(&digest, bytes, count);
    return digest;
}

static bool differ(sni_digest a, sni_digest b) {
    return !sni_digest_equal(&a, &b);
}

static void equal_inputs_have_equal_digests(void **state) {
    (void)state;
    char bytes[64 + 8];
    for (size_t shift = 0; shift < 8; ++shift) { // wherever they lie in memory
        for (size_t i = 0; i < 61; ++i) {
            bytes[shift + i] = (char)(7 * i);
        }
        for (size_t count = 0; count <= 61; ++count) {
            char copy[64];
            memcpy(copy, bytes + shift, count);
            assert_false(differ(digest_of(bytes + shift, count), digest_of(copy, count)));
        }
    }
}

static void other_inputs_have_other_digests(void **state) {
    (void)state;
    unsigned char bytes[40] = {0};
    sni_digest empty = digest_of(bytes, sizeof bytes);
    for (size_t bit = 0; bit < 8 * sizeof bytes; ++bit) { // one bit
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        sni_digest changed = digest_of(bytes, sizeof bytes);
        assert_true(differ(changed, empty));
        int same = 0; // about half of the digest's bits change
        for (int i = 0; i < 128; ++i) {
            same += ((changed.words[i / 64] ^ empty.words[i / 64]) >> i % 64 & 1) == 0;
        }
        assert_in_range(same, 32, 96);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t count = 0; count < sizeof bytes; ++count) { // a length: all of them are zeros
        assert_true(differ(digest_of(bytes, count), digest_of(bytes, count + 1)));
    }
}

// Where one input ends and the next begins is part of the digest.
static void neighbours_are_told_apart(void **state) {
    (void)state;
    sni_digest a = sni_digest_new(), b = sni_digest_new(), none = sni_digest_new();
    sni_digest no_text = sni_digest_new(), empty_text = sni_digest_new();
    sni_digest_add(&a, "ab", 2);
    sni_digest_add(&a, "c", 1);
    sni_digest_add(&b, "a", 1);
    sni_digest_add(&b, "bc", 2);
    assert_true(differ(a, b));
    sni_digest_add_text(&no_text, NULL);
    sni_digest_add_text(&empty_text, "");
    assert_true(differ(no_text, empty_text));
    assert_true(differ(no_text, none));
}

// --- Stores

typedef struct thing {
    sni_made made;
    int *destroyed; // counts
} thing;

static void destroy_thing(sn_context *context, sni_made *made) {
    ++*((thing *)made)->destroyed;
    sni_free(context, made);
}

static sni_digest numbered(uint32_t number) {
    sni_digest digest = sni_digest_new();
    sni_digest_add_index(&digest, number);
    return digest;
}

static thing *make_thing(sn_context *context, uint32_t number, int *destroyed) {
    thing *made = sni_alloc(context, 1, sizeof *made);
    sni_digest digest = numbered(number);
    assert_non_null(made);
    made->destroyed = destroyed;
    sni_made_init(&made->made, &digest, destroy_thing);
    return made;
}

static thing *find(sni_store *store, uint32_t number) {
    sni_digest digest = numbered(number);
    sni_made *made = NULL;
    snt_ok(sni_store_find(store, &digest, &made, error));
    return (thing *)made;
}

static void things_are_found_by_their_digests(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    sn_context *context = snt_context(1);
    sni_store store;
    thing *things[COUNT];
    int destroyed = 0;
    sni_store_init(&store, context, NULL);
    assert_null(find(&store, 0));
    for (uint32_t i = 0; i < COUNT; ++i) {
        things[i] = make_thing(context, i, &destroyed);
        snt_ok(sni_store_add(&store, &things[i]->made, error));
        sni_made_release(context, &things[i]->made); // the store holds it
    }
    for (uint32_t i = 0; i < COUNT; ++i) {
        assert_ptr_equal(find(&store, i), things[i]);
    }
    assert_null(find(&store, COUNT));
    assert_int_equal(store.count, COUNT);
    assert_int_equal(destroyed, 0);
    sni_store_deinit(&store);
    assert_int_equal(destroyed, COUNT);
    snt_context_end(context);
}

// What is found in the store before stays when that one goes; the rest goes with it.
static void stores_share_things(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_store before, after;
    int destroyed = 0;
    sni_store_init(&before, context, NULL);
    for (uint32_t i = 0; i < 10; ++i) {
        thing *made = make_thing(context, i, &destroyed);
        snt_ok(sni_store_add(&before, &made->made, error));
        sni_made_release(context, &made->made);
    }
    sni_store_init(&after, context, &before);
    thing *kept = find(&after, 3);
    assert_ptr_equal(kept, find(&before, 3));
    assert_int_equal(after.count, 1);
    after.before = NULL;
    sni_store_deinit(&before);
    assert_int_equal(destroyed, 9);
    assert_ptr_equal(find(&after, 3), kept);
    assert_null(find(&after, 4));
    sni_made_hold(&kept->made); // somebody else keeps it
    sni_store_deinit(&after);
    assert_int_equal(destroyed, 9);
    sni_made_release(context, &kept->made);
    assert_int_equal(destroyed, 10);
    snt_context_end(context);
}

static void no_store_has_nothing(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    int destroyed = 0;
    thing *made = make_thing(context, 1, &destroyed);
    snt_ok(sni_store_add(NULL, &made->made, error));
    assert_null(find(NULL, 1));
    sni_made_release(context, &made->made);
    sni_made_release(context, NULL);
    assert_int_equal(destroyed, 1);
    snt_context_end(context);
}

static sn_status fill(sn_context *context, void *user, sn_error *error) {
    int *destroyed = user;
    sn_status status = SN_OK;
    sni_store store;
    sni_store_init(&store, context, NULL);
    for (uint32_t i = 0; i < 100; ++i) {
        thing *made = NULL;
        sni_digest digest = numbered(i);
        SNI_NEW(context, made, 1);
        made->destroyed = destroyed;
        sni_made_init(&made->made, &digest, destroy_thing);
        status = sni_store_add(&store, &made->made, error);
        sni_made_release(context, &made->made);
        SN_TRY(status);
    }
cleanup:
    sni_store_deinit(&store);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    int destroyed = 0;
    snt_fail_allocations(fill, &destroyed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_inputs_have_equal_digests),
        cmocka_unit_test(other_inputs_have_other_digests),
        cmocka_unit_test(neighbours_are_told_apart),
        cmocka_unit_test(things_are_found_by_their_digests),
        cmocka_unit_test(stores_share_things),
        cmocka_unit_test(no_store_has_nothing),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
