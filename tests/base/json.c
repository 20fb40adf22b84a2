// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "sinew/json.h"

#include <math.h>
#include <stdlib.h>

static sn_json *parse(sn_context *context, const char *text) {
    sn_json *json;
    snt_ok(sn_json_parse(context, text, strlen(text), &json, error));
    return json;
}

// Expects the text to be refused, as a document would be.
static void refuse(sn_context *context, sn_status status, const char *message, const char *text) {
    sn_json *json;
    snt_fails(status, message, sn_json_parse(context, text, strlen(text), &json, error));
    assert_null(json);
}

static void assert_written(const sn_json *json, sn_context *context, const char *expected) {
    char *text;
    size_t size;
    snt_ok(sn_json_write(json, &text, &size, error));
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected));
    sn_json_free_text(context, text);
}

static void writes_what_it_read(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char text[] = "{\n  \"b\": [1, 2.5, 0.1, 1e300],\n  \"a\": {\"x\": \"\xc3\xa9\\n\"}\n}\n";
    sn_json *json = parse(context, text);
    assert_written(json, context, text);
    sn_json_destroy(json);
    snt_context_end(context);
}

static void reads_every_type(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_json *json = parse(context, "\xef\xbb\xbf {\"n\":null,\"t\":true,\"f\":false,\"d\":-1.5e1,"
                                   "\"s\":\"x\",\"a\":[],\"o\":{}} \r\n\t");
    const sn_value *root = sn_json_root(json);
    assert_int_equal(sn_value_count(root), 7);
    for (uint32_t i = 0; i < 7; ++i) {
        static const sn_json_type types[] = {SN_JSON_NULL,   SN_JSON_BOOL,   SN_JSON_BOOL,
                                             SN_JSON_NUMBER, SN_JSON_STRING, SN_JSON_ARRAY,
                                             SN_JSON_OBJECT};
        assert_int_equal(sn_value_at(root, i)->type, types[i]);
    }
    assert_true(sn_value_bool(sn_value_get(root, "t"), false));
    assert_false(sn_value_bool(sn_value_get(root, "f"), true));
    assert_true(sn_value_number(sn_value_get(root, "d"), 0) == -15);
    assert_string_equal(sn_value_string(sn_value_get(root, "s"), ""), "x");
    // Other types and missing values give the answer for "otherwise".
    assert_true(sn_value_number(sn_value_get(root, "s"), 7) == 7);
    assert_string_equal(sn_value_string(sn_value_get(root, "none"), "y"), "y");
    assert_true(sn_value_bool(NULL, true));
    assert_null(sn_value_get(sn_value_get(root, "a"), "x"));
    assert_null(sn_value_at(root, 7));
    assert_int_equal(sn_value_count(NULL), 0);
    assert_string_equal(sn_json_type_name(SN_JSON_OBJECT), "an object");
    sn_json_destroy(json);
    sn_json_destroy(NULL);
    snt_context_end(context);
}

static void assert_string(sn_context *context, const char *text, const char *expected) {
    sn_json *json = parse(context, text);
    assert_string_equal(sn_value_string(sn_json_root(json), ""), expected);
    sn_json_destroy(json);
}

static void reads_strings(void **state) {
    (void)state;
    sn_context *c = snt_context(1);
    assert_string(c, "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
    assert_string(c, "\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac");
    assert_string(c, "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80");
    assert_string(c, "\"\xf0\x9f\x98\x80\x7f\"", "\xf0\x9f\x98\x80\x7f");
    assert_string(c, "\"\"", "");
    refuse(c, SN_SYNTAX, "an escaped character, found 'x'", "\"\\x\"");
    refuse(c, SN_SYNTAX, "four hex digits", "\"\\u12g4\"");
    refuse(c, SN_SYNTAX, "four hex digits of a character other than NUL", "\"\\u0000\"");
    refuse(c, SN_SYNTAX, "the low half of a surrogate pair", "\"\\ud83d\"");
    refuse(c, SN_SYNTAX, "the low half of a surrogate pair", "\"\\ud83d\\u0041\"");
    refuse(c, SN_SYNTAX, "the high half of a surrogate pair first", "\"\\ude00\"");
    refuse(c, SN_SYNTAX, "the closing quote of a string, found byte 0x0a", "\"a\nb\"");
    refuse(c, SN_SYNTAX, "the closing quote of a string, found the end", "\"abc");
    refuse(c, SN_SYNTAX, "found the end", "\"abc\\");
    static const char *const bad_utf8[] = {"\"\x80\"",
                                           "\"\xc0\xaf\"",
                                           "\"\xc3\"",
                                           "\"\xe0\x80\x80\"",
                                           "\"\xed\xa0\x80\"",
                                           "\"\xf4\x90\x80\x80\"",
                                           "\"\xf5\x80\x80\x80\"",
                                           "\"\xff\"",
                                           "\"\xe2\x82\""};
    for (size_t i = 0; i < sizeof bad_utf8 / sizeof *bad_utf8; ++i) {
        refuse(c, SN_SYNTAX, "text in UTF-8", bad_utf8[i]);
    }
    snt_context_end(c);
}

static void refuses_what_is_no_json(void **state) {
    (void)state;
    sn_context *c = snt_context(1);
    static const char *const texts[] = {
        "",        " ",        "nul",      "truely", "[1,]", "[,1]",       "[1 2]",
        "{\"a\"}", "{\"a\":}", "{a:1}",    "{1:2}",  "[1]]", "{\"a\":1,}", "'a'",
        "01",      "-",        "+1",       ".5",     "1.",   "1e",         "1e+",
        "0x10",    "NaN",      "Infinity", "//x",    "[1]x", "1.e5",       "-01"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        refuse(c, SN_SYNTAX, "expected", texts[i]);
    }
    refuse(c, SN_SYNTAX, "the number 1e400 is too large", "[1e400]");
    refuse(c, SN_SYNTAX, "the number -1e999 is too large", "-1e999");
    snt_context_end(c);
}

static void errors_name_the_line(void **state) {
    (void)state;
    sn_context *c = snt_context(1);
    refuse(c, SN_SYNTAX, ":3: expected a value, found '}'", "{\n\"a\":\n}");
    refuse(c, SN_SYNTAX, ":2: expected ',' or ']', found '2'", "[1\r\n2]");
    refuse(c, SN_SYNTAX, ":4: the key \"a\" is used twice in one object",
           "{\n\"a\": 1,\n\"b\": 2,\n\"a\": 3}");
    sn_json *json = parse(c, "{\n\n\"a\": [1,\n2]}");
    const sn_value *array = sn_value_get(sn_json_root(json), "a");
    assert_int_equal(array->line, 3);
    assert_int_equal(sn_value_at(array, 1)->line, 4);
    sn_json_destroy(json);
    snt_context_end(c);
}

static void refuses_duplicates_in_large_objects(void **state) {
    (void)state;
    sn_context *c = snt_context(1);
    char *text = sni_alloc(c, 100000, 1);
    size_t used = (size_t)sprintf(text, "{");
    for (int i = 0; i < 2000; ++i) {
        used += (size_t)sprintf(text + used, "\n\"key%d\": %d,", i * 7919 % 2000, i);
    }
    strcpy(text + used, "\n\"last\": 0}");
    sn_json *json = parse(c, text);
    assert_int_equal(sn_value_count(sn_json_root(json)), 2001);
    // The order is kept.
    assert_string_equal(sn_value_at(sn_json_root(json), 1)->key, "key1919");
    sn_json_destroy(json);
    strcpy(text + used, "\n\"key5\": 0}");
    refuse(c, SN_SYNTAX, ":2002: the key \"key5\" is used twice", text);
    sni_free(c, text);
    snt_context_end(c);
}

static void limits_depth(void **state) {
    (void)state;
    sn_context *c = snt_context(1);
    char text[600];
    for (int depth = 128; depth <= 129; ++depth) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        text[2 * depth] = 0;
        if (depth == 128) {
            sn_json *json = parse(c, text);
            sn_json_destroy(json);
        } else {
            refuse(c, SN_LIMIT, "nested deeper than 128", text);
        }
    }
    snt_context_end(c);
}

static const char sample[] =
    "{\"a\": [1, -2.5e3, \"x\\u00e9\\n\\ud83d\\ude00\"], \"b\": {\"c\": null, "
    "\"d\": [true, false, {}], \"\xc3\xa9\": 0.1}}";

static void every_truncation_is_an_error(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (size_t size = 0; size < strlen(sample); ++size) {
        // A copy without room behind it, so that the sanitizer sees a read too far.
        char *text = malloc(size > 0 ? size : 1);
        memcpy(text, sample, size);
        sn_json *json;
        snt_fails(SN_SYNTAX, "expected", sn_json_parse(context, text, size, &json, error));
        free(text);
    }
    snt_context_end(context);
}

static void numbers_round_trip(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {9};
    enum { count = 20000 };
    double *numbers = sni_alloc(context, count, sizeof *numbers);
    for (int i = 0; i < count; ++i) {
        do {
            uint64_t bits = (uint64_t)snt_random_u32(&random) << 32 | snt_random_u32(&random);
            memcpy(&numbers[i], &bits, sizeof bits);
        } while (!isfinite(numbers[i]));
    }
    sn_json *json;
    snt_ok(sn_json_create(context, &json, error));
    assert_non_null(sn_json_add_numbers(json, sn_json_root(json), "n", numbers, count));
    char *text;
    size_t size;
    snt_ok(sn_json_write(json, &text, &size, error));
    sn_json_destroy(json);
    snt_ok(sn_json_parse(context, text, size, &json, error));
    const sn_value *array = sn_value_get(sn_json_root(json), "n");
    for (uint32_t i = 0; i < count; ++i) {
        assert_true(sn_value_at(array, i)->as.number == numbers[i]);
    }
    sn_json_free_text(context, text);
    sn_json_destroy(json);
    sni_free(context, numbers);
    snt_context_end(context);
}

static void wraps_long_lines(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_json *json;
    snt_ok(sn_json_create(context, &json, error));
    sn_value *array = sn_json_add_array(json, sn_json_root(json), "long");
    for (int i = 0; i < 40; ++i) {
        sn_json_add_number(json, array, NULL, i);
    }
    sn_json_add_string(json, sn_json_root(json), "odd \"key\"", "\x01\x1f");
    sn_json_add_object(json, sn_json_root(json), "empty");
    char *text;
    size_t size;
    snt_ok(sn_json_write(json, &text, &size, error));
    assert_non_null(strstr(text, "\n    39\n  ],\n"));
    assert_non_null(strstr(text, "\"odd \\\"key\\\"\": \"\\u0001\\u001f\""));
    assert_non_null(strstr(text, "\"empty\": {}"));
    for (const char *line = text; *line != 0; line = strchr(line, '\n') + 1) {
        assert_true(strchr(line, '\n') - line <= 100);
    }
    sn_json_free_text(context, text);
    sn_json_destroy(json);
    snt_context_end(context);
}

static void writes_rows(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_json *json;
    const double points[2][3] = {{1, 2, 3}, {4, 5, 6}};
    snt_ok(sn_json_create(context, &json, error));
    assert_non_null(sn_json_add_rows(json, sn_json_root(json), "points", points[0], 2, 3));
    assert_non_null(sn_json_add_rows(json, sn_json_root(json), "none", NULL, 0, 3));
    assert_null(sn_json_add_rows(json, NULL, "chained", points[0], 2, 3));
    char *text;
    size_t size;
    snt_ok(sn_json_write(json, &text, &size, error));
    assert_string_equal(text, "{\n  \"points\": [[1, 2, 3], [4, 5, 6]],\n  \"none\": []\n}\n");
    sn_json_free_text(context, text);
    sn_json_destroy(json);
    snt_context_end(context);
}

static void edits_in_place(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_json *json = parse(context, "{\"a\": 1, \"b\": 2, \"c\": [1, 2, 3]}");
    sn_value *root = sn_json_root(json);
    sn_json_add_string(json, root, "b", "two"); // keeps its place
    sn_json_remove(sn_json_find(json, "/a"));
    sn_json_remove(sn_json_find(json, "/c/1"));
    sn_json_add_bool(json, root, "d", true);
    sn_json_add_null(json, root, "e");
    sn_json_add_copy(json, root, "f", sn_json_find(json, "/c"));
    assert_null(sn_json_add_number(json, NULL, "x", 1)); // chained after a failure
    assert_written(json, context,
                   "{\n  \"b\": \"two\",\n  \"c\": [1, 3],\n  \"d\": true,\n  \"e\": null,\n"
                   "  \"f\": [1, 3]\n}\n");
    sn_json_remove(root); // has no container: nothing happens
    sn_json_destroy(json);
    snt_context_end(context);
}

static void places_values(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_json *json = parse(context, "{\"a\": 1, \"b\": [0, 1, 2, 3], \"c\": 3}");
    sn_json_place(sn_json_find(json, "/c"), 0);
    sn_json_place(sn_json_find(json, "/b/0"), 2);
    sn_json_place(sn_json_find(json, "/b/3"), 1);
    sn_json_place(sn_json_find(json, "/a"), 1); // where it is
    assert_written(json, context, "{\n  \"c\": 3,\n  \"a\": 1,\n  \"b\": [1, 3, 2, 0]\n}\n");
    sn_json_place(sn_json_find(json, "/c"), 99); // the last one
    assert_written(json, context, "{\n  \"a\": 1,\n  \"b\": [1, 3, 2, 0],\n  \"c\": 3\n}\n");
    sn_json_place(sn_json_root(json), 0);
    sn_json_destroy(json);
    snt_context_end(context);
}

static void renames_in_place(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_json *json = parse(context, "{\"a\": {\"x\": 1, \"y\": 2}, \"b\": [1]}");
    sn_value *x = sn_json_find(json, "/a/x");
    assert_ptr_equal(sn_json_rename(json, x, "z"), x);
    assert_ptr_equal(sn_json_rename(json, x, "z"), x); // as it is
    assert_null(sn_json_rename(json, x, "y"));         // is another one's name
    assert_null(sn_json_rename(json, sn_json_find(json, "/b/0"), "c"));
    assert_null(sn_json_rename(json, sn_json_root(json), "c"));
    assert_null(sn_json_rename(json, NULL, "c"));
    assert_written(json, context, "{\n  \"a\": {\"z\": 1, \"y\": 2},\n  \"b\": [1]\n}\n");
    assert_ptr_equal(sn_json_find(json, "/a/z"), x);
    sn_json_destroy(json);
    snt_context_end(context);
}

static void finds_by_pointer(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_json *json = parse(context, "{\"a/b\": {\"~\": [10, 20]}, \"\": 5}");
    const sn_value *value = sn_json_find(json, "/a~1b/~0/1");
    assert_true(sn_value_number(value, 0) == 20);
    char path[64];
    sn_value_path(value, path, sizeof path);
    assert_string_equal(path, "/a~1b/~0/1");
    sn_value_path(value, path, 6);
    assert_int_equal(strlen(path), 5);
    assert_true(sn_json_find(json, "") == sn_json_root(json));
    assert_true(sn_value_number(sn_json_find(json, "/"), 0) == 5);
    assert_null(sn_json_find(json, "/a~1b/~0/2"));
    assert_null(sn_json_find(json, "a"));
    sn_json_destroy(json);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_json *json = NULL, *made = NULL;
    char *text = NULL;
    size_t size;
    sn_status status = SN_OK;
    char many[400] = "{";
    for (int i = 0; i < 20; ++i) { // enough keys to sort them
        sprintf(many + strlen(many), "\"key%d\": %d%s", i, i, i < 19 ? ", " : "}");
    }
    SN_TRY(sn_json_parse(context, many, strlen(many), &json, error));
    SN_TRY(sn_json_create(context, &made, error));
    for (int i = 0; i < 300; ++i) {
        if (sn_json_add_string(made, sn_json_root(made), (const char[]){(char)('a' + i % 26), 0},
                               "a text that needs some room in the arena") == NULL) {
            status = sni_fail_memory(error);
            goto cleanup;
        }
    }
    if (sn_json_add_copy(made, sn_json_root(made), "copy", sn_json_root(json)) == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    SN_TRY(sn_json_write(made, &text, &size, error));
cleanup:
    if (made != NULL && status != SN_OK) {
        // Whatever failed, the tree is whole: writing it is safe.
        char *rest = NULL;
        sn_json_write(made, &rest, &size, NULL);
        sn_json_free_text(context, rest);
    }
    sn_json_free_text(context, text);
    sn_json_destroy(json);
    sn_json_destroy(made);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_what_it_read),
        cmocka_unit_test(reads_every_type),
        cmocka_unit_test(reads_strings),
        cmocka_unit_test(refuses_what_is_no_json),
        cmocka_unit_test(errors_name_the_line),
        cmocka_unit_test(refuses_duplicates_in_large_objects),
        cmocka_unit_test(limits_depth),
        cmocka_unit_test(every_truncation_is_an_error),
        cmocka_unit_test(numbers_round_trip),
        cmocka_unit_test(wraps_long_lines),
        cmocka_unit_test(writes_rows),
        cmocka_unit_test(edits_in_place),
        cmocka_unit_test(places_values),
        cmocka_unit_test(renames_in_place),
        cmocka_unit_test(finds_by_pointer),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
