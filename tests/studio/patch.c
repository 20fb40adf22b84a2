// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "edits/patch.h"

#include <stdlib.h>

static sn_json *parse(sn_context *context, const char *text) {
    char copy[4096];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *c = copy; *c; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    sn_json *json = NULL;
    snt_ok(sn_json_parse(context, copy, strlen(copy), &json, error));
    return json;
}

static void assert_same(const sn_json *a, const sn_json *b, sn_context *context) {
    char *one = NULL, *other = NULL;
    size_t one_size = 0, other_size = 0;
    snt_ok(sn_json_write(a, &one, &one_size, error));
    snt_ok(sn_json_write(b, &other, &other_size, error));
    if (one_size != other_size || memcmp(one, other, one_size) != 0) {
        print_error("%s\n--- is not\n%s\n", one, other);
    }
    assert_int_equal(one_size, other_size);
    assert_memory_equal(one, other, one_size);
    sn_json_free_text(context, one);
    sn_json_free_text(context, other);
}

static sn_json *diff(sn_context *context, const sn_json *from, const sn_json *to,
                     const sn_value **entries) {
    sn_json *patch = NULL;
    snt_ok(sn_json_create(context, &patch, error));
    sn_value *list = sn_json_add_array(patch, sn_json_root(patch), "patch");
    snt_ok(patch_diff(sn_json_root(from), sn_json_root(to), patch, list, error));
    *entries = list;
    return patch;
}

// Applies entries to a document and compares.
static void check_apply(const char *before, const char *entries, const char *after) {
    sn_context *context = snt_context(1);
    sn_json *json = parse(context, before), *patch = parse(context, entries);
    sn_json *expected = parse(context, after);
    snt_ok(patch_apply(json, sn_json_root(patch), error));
    assert_same(json, expected, context);
    sn_json_destroy(json);
    sn_json_destroy(patch);
    sn_json_destroy(expected);
    snt_context_end(context);
}

static void check_refused(const char *before, const char *entries, const char *message) {
    sn_context *context = snt_context(1);
    sn_json *json = parse(context, before), *patch = parse(context, entries);
    snt_fails(SN_INVALID, message, patch_apply(json, sn_json_root(patch), error));
    sn_json_destroy(json);
    sn_json_destroy(patch);
    snt_context_end(context);
}

// The patch between two documents has `count` entries and leads from one to the other.
static void check_diff(const char *from, const char *to, uint32_t count) {
    sn_context *context = snt_context(1);
    sn_json *json = parse(context, from), *expected = parse(context, to);
    const sn_value *entries = NULL;
    sn_json *patch = diff(context, json, expected, &entries);
    assert_int_equal(sn_value_count(entries), count);
    snt_ok(patch_apply(json, entries, error));
    assert_same(json, expected, context);
    sn_json_destroy(json);
    sn_json_destroy(expected);
    sn_json_destroy(patch);
    snt_context_end(context);
}

static void entries_do_what_they_say(void **state) {
    (void)state;
    check_apply("{'a': 1, 'b': 2}", "[{'path': '/a', 'value': 3}]", "{'a': 3, 'b': 2}");
    check_apply("{'a': 1, 'b': 2}", "[{'path': '/c', 'value': 3, 'index': 1}]",
                "{'a': 1, 'c': 3, 'b': 2}");
    check_apply("{'a': 1, 'b': 2}", "[{'path': '/c', 'value': 3}]", "{'a': 1, 'b': 2, 'c': 3}");
    check_apply("{'a': 1, 'b': 2}", "[{'path': '/a', 'gone': true}]", "{'b': 2}");
    check_apply("{'a': 1, 'b': 2}", "[{'path': '/a', 'key': 'z'}]", "{'z': 1, 'b': 2}");
    check_apply("{'a': [1, 2]}", "[{'path': '/a/1', 'value': 9, 'insert': true}]",
                "{'a': [1, 9, 2]}");
    check_apply("{'a': [1, 2]}", "[{'path': '/a/0', 'value': 9}]", "{'a': [9, 2]}");
    check_apply("{'a': [1, 2]}", "[{'path': '/a/2', 'value': 9}]", "{'a': [1, 2, 9]}");
    check_apply("{'a': [1, 2]}", "[{'path': '/a/-', 'value': 9}]", "{'a': [1, 2, 9]}");
    check_apply("{'a': [1, 2]}", "[{'path': '/a/0', 'gone': true}]", "{'a': [2]}");
    check_apply("{'a': 1}", "[{'path': '', 'value': {'z': null}}]", "{'z': null}");
    check_apply("{'a/b': {'~': 1}}", "[{'path': '/a~1b/~0', 'value': 2}]", "{'a/b': {'~': 2}}");
    check_apply("{'a': {}}",
                "[{'path': '/a/b', 'value': {}}, {'path': '/a/b/c', 'value': 1}, "
                "{'path': '/a/b', 'key': 'd'}]",
                "{'a': {'d': {'c': 1}}}");
}

static void wrong_entries_are_refused(void **state) {
    (void)state;
    check_refused("{'a': 1}", "[{'path': 'a', 'value': 1}]", "a path must begin with /");
    check_refused("{'a': 1}", "[{'path': '/b/c', 'value': 1}]", "/b/c: there is no /b");
    check_refused("{'a': 1}", "[{'path': '/a/c', 'value': 1}]", "has no members");
    check_refused("{'a': 1}", "[{'path': '/b', 'gone': true}]", "there is nothing at this path");
    check_refused("{'a': 1}", "[{'path': '', 'gone': true}]", "there is nothing at this path");
    check_refused("{'a': 1, 'b': 2}", "[{'path': '/a', 'key': 'b'}]", "already exists");
    check_refused("{'a': [1]}", "[{'path': '/a/0', 'key': 'b'}]", "must be a name");
    check_refused("{'a': [1]}", "[{'path': '/a/7', 'value': 1}]", "has only 1 items");
    check_refused("{'a': [1]}", "[{'path': '/a/x', 'value': 1}]", "is not an index");
    check_refused("{'a': [1]}", "[{'path': '/a/01', 'value': 1}]", "is not an index");
    check_refused("{'a': 1}", "[{'path': '', 'value': 3}]", "must be an object");
    check_refused("{'a': 1}", "[{'path': '/a'}]", "needs `value`, `gone` or `key`");
    check_refused("{'a': 1}", "[{'value': 2}]", "entry 0 has no `path`");
    check_refused("{'a': 1}", "[7]", "entry 0 has no `path`");
    check_refused("{'a': 1}", "{}", "a patch must be an array");
}

static void differences_are_small(void **state) {
    (void)state;
    check_diff("{'a': 1}", "{'a': 1}", 0);
    check_diff("{'a': 1, 'b': {'c': [1, 2, 3]}}", "{'a': 1, 'b': {'c': [1, 2, 4]}}", 1);
    check_diff("{'a': 1, 'b': 2}", "{'b': 2}", 1);
    check_diff("{'a': 1, 'b': 2}", "{'z': 1, 'b': 2}", 1);                 // renamed
    check_diff("{'a': 1, 'b': 2, 'c': 3}", "{'b': 2, 'c': 3, 'a': 1}", 2); // moved
    check_diff("{'a': 1, 'b': 2, 'c': 3}", "{'c': 3, 'a': 1, 'b': 2}", 2);
    check_diff("{'a': [{'x': 1}, {'x': 2}]}", "{'a': [{'x': 1}, {'x': 5}, {'x': 2}]}", 1);
    check_diff("{'a': [{'x': 1}, {'x': 2}]}", "{'a': [{'x': 2}]}", 1);
    check_diff("{'a': 0}", "{'a': -0.0}", 1);
    check_diff("{'a': [1]}", "{'a': {'0': 1}}", 1);
}

// ---------------------------------------------------------------------------------------------
// Random documents

static uint32_t random_below(uint64_t *seed, uint32_t limit) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % limit;
}

static void add_random(sn_json *json, sn_value *container, const char *key, uint64_t *seed,
                       uint32_t depth) {
    uint32_t kind = random_below(seed, depth > 0 ? 7 : 4);
    uint32_t count = random_below(seed, 7);
    if (kind == 0) {
        sn_json_add_number(json, container, key, random_below(seed, 4));
    } else if (kind == 1) {
        sn_json_add_string(json, container, key, random_below(seed, 2) ? "~/" : "x");
    } else if (kind == 2) {
        sn_json_add_bool(json, container, key, random_below(seed, 2));
    } else if (kind == 3) {
        sn_json_add_null(json, container, key);
    } else if (kind == 4) {
        sn_value *array = sn_json_add_array(json, container, key);
        for (uint32_t i = 0; i < 6 * count; ++i) {
            sn_json_add_number(json, array, NULL, random_below(seed, 3));
        }
    } else {
        sn_value *inner = kind == 5 ? sn_json_add_array(json, container, key)
                                    : sn_json_add_object(json, container, key);
        for (uint32_t i = 0; i < count; ++i) {
            char name[8];
            snprintf(name, sizeof name, "%c%s", 'a' + (int)random_below(seed, 8),
                     random_below(seed, 3) ? "" : "/~");
            add_random(json, inner, kind == 5 ? NULL : name, seed, depth - 1);
        }
    }
}

static sn_json *make_random(sn_context *context, uint64_t *seed) {
    sn_json *json = NULL;
    snt_ok(sn_json_create(context, &json, error));
    for (uint32_t i = 0; i < 6; ++i) {
        char name[4] = {(char)('a' + (int)random_below(seed, 8)), '\0'};
        add_random(json, sn_json_root(json), name, seed, 3);
    }
    return json;
}

static void any_two_documents_have_a_patch(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (uint64_t first = 1; first <= 1500; ++first) {
        uint64_t seed = first;
        sn_json *from = make_random(context, &seed), *to = make_random(context, &seed);
        sn_json *forth = NULL, *back = NULL;
        const sn_value *forward = NULL, *backward = NULL;
        forth = diff(context, from, to, &forward);
        back = diff(context, to, from, &backward);
        sn_json *copy = NULL;
        snt_ok(sn_json_create(context, &copy, error));
        const sn_value *root = sn_json_root(from);
        for (uint32_t i = 0; i < sn_value_count(root); ++i) {
            sn_json_add_copy(copy, sn_json_root(copy), sn_value_at(root, i)->key,
                             sn_value_at(root, i));
        }
        snt_ok(patch_apply(copy, forward, error));
        assert_same(copy, to, context);
        snt_ok(patch_apply(copy, backward, error));
        assert_same(copy, from, context);
        sn_json_destroy(copy);
        sn_json_destroy(forth);
        sn_json_destroy(back);
        sn_json_destroy(from);
        sn_json_destroy(to);
    }
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------

static bool meet(const char *one, const char *other) {
    sn_context *context = snt_context(1);
    sn_json *a = parse(context, one), *b = parse(context, other);
    bool result = patch_meets(sn_json_root(a), sn_json_root(b));
    assert_int_equal(result, patch_meets(sn_json_root(b), sn_json_root(a)));
    sn_json_destroy(a);
    sn_json_destroy(b);
    snt_context_end(context);
    return result;
}

static void patches_meet_where_paths_contain_each_other(void **state) {
    (void)state;
    assert_true(meet("[{'path': '/a/b'}]", "[{'path': '/a/b'}]"));
    assert_true(meet("[{'path': '/a/b/c'}]", "[{'path': '/a/b'}]"));
    assert_true(meet("[{'path': ''}]", "[{'path': '/a/b'}]"));
    assert_false(meet("[{'path': '/a/b'}]", "[{'path': '/a/bc'}]"));
    assert_false(meet("[{'path': '/a/b'}]", "[{'path': '/a/c'}]"));
    assert_false(meet("[]", "[{'path': ''}]"));
    // Items that come and go move all others of the array.
    assert_true(meet("[{'path': '/a/1', 'gone': true}]", "[{'path': '/a/5/x'}]"));
    assert_true(meet("[{'path': '/a/1', 'insert': true}]", "[{'path': '/a/0'}]"));
    assert_false(meet("[{'path': '/a/1'}]", "[{'path': '/a/5/x'}]"));
}

static void a_line_is_one_line(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    uint64_t seed = 7;
    for (int i = 0; i < 50; ++i) {
        sn_json *json = make_random(context, &seed), *again = NULL;
        sn_json_add_string(json, sn_json_root(json), "text", "two\nlines  \n   and more");
        char *line = NULL;
        size_t size = 0;
        snt_ok(patch_write_line(json, context, &line, &size, error));
        assert_int_equal(strlen(line), size);
        assert_ptr_equal(strchr(line, '\n'), line + size - 1);
        snt_ok(sn_json_parse(context, line, size, &again, error));
        assert_same(json, again, context);
        free(line);
        sn_json_destroy(json);
        sn_json_destroy(again);
    }
    snt_context_end(context);
}

// Without memory: an error, and nothing lost.
static void memory_may_run_out(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    uint64_t seed = 3;
    sn_json *from = make_random(context, &seed), *to = make_random(context, &seed);
    bool done = false;
    for (size_t limit = 1; !done; ++limit) {
        sn_context_desc desc = sn_context_desc_default();
        desc.allocator.count_limit = limit;
        desc.thread_count = 1;
        sn_context *small = NULL;
        sn_json *patch = NULL;
        if (sn_context_create(&desc, &small, NULL) != SN_OK) {
            continue;
        }
        if (sn_json_create(small, &patch, NULL) == SN_OK) {
            sn_value *list = sn_json_add_array(patch, sn_json_root(patch), "patch");
            sn_error error = {0};
            sn_status status =
                patch_diff(sn_json_root(from), sn_json_root(to), patch, list, &error);
            assert_true(status == SN_OK || status == SN_OUT_OF_MEMORY);
            done = status == SN_OK;
        }
        sn_json_destroy(patch);
        snt_context_end(small);
    }
    sn_json_destroy(from);
    sn_json_destroy(to);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_do_what_they_say),
        cmocka_unit_test(wrong_entries_are_refused),
        cmocka_unit_test(differences_are_small),
        cmocka_unit_test(any_two_documents_have_a_patch),
        cmocka_unit_test(patches_meet_where_paths_contain_each_other),
        cmocka_unit_test(a_line_is_one_line),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
