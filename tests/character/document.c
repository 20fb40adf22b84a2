// SPDX-License-Identifier: Apache-2.0
//
// Documents that are right: what is read comes back, and nothing is lost on the way.
#include "documents.h"

#include "sinew/eval.h"

#include <math.h>

static char *text_of(sn_character *character) {
    char *text;
    size_t size;
    snt_ok(sn_json_write(sn_character_document(character), &text, &size, error));
    return text;
}

// The document that a text stands for, written out; the caller frees it through the context.
static char *written(sn_context *context, const char *text, size_t size) {
    sn_character *character;
    snt_ok(sn_character_parse(context, "a.sinew.json", text, size, &character, error));
    char *result = text_of(character);
    sn_character_destroy(character);
    return result;
}

static void makes_an_empty_document(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    snt_ok(sn_character_create(context, "Fred", &character, error));
    assert_string_equal(sn_character_name(character), "Fred");
    assert_null(sn_character_path(character));
    snt_ok(sn_character_check(character, error));
    char *text = text_of(character);
    assert_string_equal(text, "{\n  \"sinew\": 1,\n  \"name\": \"Fred\"\n}\n");
    sn_json_free_text(context, text);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void accepts_every_key(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    snt_ok(parse_quoted(context, "a.sinew.json", every_key, &character, error));
    assert_string_equal(sn_character_path(character), "a.sinew.json");
    sn_json *document = sn_character_document(character);
    assert_true(sn_value_number(sn_json_find(document, "/clips/walk/scale"), 0) == 0.056);
    uint32_t line = 1;
    for (const char *at = every_key; at < strstr(every_key, "0.056"); ++at) {
        line += *at == '\n';
    }
    assert_int_equal(sn_json_find(document, "/clips/walk/scale")->line, line);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void accepts_a_byte_order_mark(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    const char text[] = "\xef\xbb\xbf{\"sinew\": 1, \"name\": \"a\"}";
    snt_ok(sn_character_parse(context, "a", text, sizeof text - 1, &character, error));
    sn_character_destroy(character);
    snt_context_end(context);
}

// --- Round trips

static const char *const hand_written[] = {
    every_key,
    "{'sinew':1,'name':'a'}",
    "\n\n{ 'sinew' : 1e0 ,\t'name' : '\\u00e9\\u4e2d\\ud83d\\ude00 \\n \\u0001 \\/ \\\\ \\b' }",
    "{'sinew': 1, 'name': 'numbers', 'controls': {'a': {'low': -0, 'high': 123456789.123},\n"
    "'b': {'low': -1e-7, 'high': 0.3333333333333333}, 'c': {'high': 5e-324},\n"
    "'d': {'low': -1.7976931348623157e308, 'high': 1.7976931348623157e308, 'value': 0.1},\n"
    "'e': {'high': 2.2250738585072014e-308}, 'f': {'high': 9007199254740993},\n"
    "'g': {'high': 1e21, 'value': 1e20}, 'h': {'value': 0.30000000000000004}}}",
    "{'sinew': 1, 'name': 'order', 'skeleton': {'z': {}, 'a': {'parent': 'z'}, 'm': {'scale': [1,\n"
    "2.50, 1.0E+0], 'parent': 'a'}}, 'controls': {}, 'drivers': [], 'synergies': []}",
};

static void comes_back_with_the_same_bytes(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof hand_written / sizeof *hand_written; ++i) {
        char *text = quoted(hand_written[i]);
        char *first = written(context, text, strlen(text));
        const char *path = snt_scratch("round.sinew.json");
        write_text(path, first);
        sn_character *character;
        snt_ok(sn_character_load(context, path, &character, error));
        snt_ok(sn_character_save(character, path, error));
        sn_character_destroy(character);
        size_t size;
        char *saved = read_bytes(path, &size);
        assert_string_equal(saved, first);
        free(saved);
        sn_json_free_text(context, first);
        free(text);
    }
    snt_context_end(context);
}

static void compare(const sn_value *a, const sn_value *b) {
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->key != NULL, b->key != NULL);
    if (a->key != NULL) {
        assert_string_equal(a->key, b->key);
    }
    switch (a->type) {
    case SN_JSON_BOOL: assert_int_equal(a->as.boolean, b->as.boolean); break;
    case SN_JSON_NUMBER: // also the sign of zero
        assert_memory_equal(&a->as.number, &b->as.number, sizeof(double));
        break;
    case SN_JSON_STRING: assert_string_equal(a->as.string, b->as.string); break;
    default:
        assert_int_equal(sn_value_count(a), sn_value_count(b));
        for (uint32_t i = 0; i < sn_value_count(a); ++i) {
            compare(sn_value_at(a, i), sn_value_at(b, i));
        }
    }
}

static void keeps_values_and_their_order(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof hand_written / sizeof *hand_written; ++i) {
        char *text = quoted(hand_written[i]);
        char *again = written(context, text, strlen(text));
        sn_json *a, *b;
        snt_ok(sn_json_parse(context, text, strlen(text), &a, error));
        snt_ok(sn_json_parse(context, again, strlen(again), &b, error));
        compare(sn_json_root(a), sn_json_root(b));
        sn_json_destroy(a);
        sn_json_destroy(b);
        sn_json_free_text(context, again);
        free(text);
    }
    snt_context_end(context);
}

static void writes_numbers_in_their_shortest_form(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    snt_ok(parse_quoted(context, "a", hand_written[3], &character, error));
    char *text = text_of(character);
    static const char *const forms[] = {"-0,",
                                        "123456789.123}",
                                        "-1e-7,",
                                        "0.3333333333333333}",
                                        "5e-324}",
                                        "\"value\": 0.1}",
                                        "9007199254740992}",
                                        "0.30000000000000004}"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
        if (strstr(text, forms[i]) == NULL) {
            fail_msg("%s is not in\n%s", forms[i], text);
        }
    }
    sn_json_free_text(context, text);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void checks_after_an_edit(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    snt_ok(parse_quoted(context, "a.sinew.json", every_key, &character, error));
    sn_json *document = sn_character_document(character);
    sn_value *lower = sn_json_find(document, "/skeleton/lower");
    sn_json_add_string(document, lower, "parent", "uper");
    snt_fails(SN_INVALID, // an edited value has no line
              "a.sinew.json: /skeleton/lower/parent: there is no segment \"uper\"; did you mean "
              "\"upper\"?",
              sn_character_check(character, error));
    sn_json_add_string(document, lower, "parent", "root");
    snt_ok(sn_character_check(character, error));
    sn_character_destroy(character);
    snt_context_end(context);
}

// --- Damage

static void survives_truncation_at_every_byte(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    char *text = quoted(every_key);
    size_t length = strlen(text) - 1; // without the last line's end
    for (size_t size = 0; size < length; ++size) {
        // A copy of that size, so that reading behind it is noticed.
        char *cut = malloc(size > 0 ? size : 1);
        memcpy(cut, text, size);
        sn_error error = {0};
        sn_character *character;
        sn_status status = sn_character_parse(context, "cut", cut, size, &character, &error);
        if (status != SN_SYNTAX || error.line == 0 || character != NULL) {
            fail_msg("cut at byte %zu: %s, line %u", size, sn_status_name(status), error.line);
        }
        free(cut);
    }
    free(text);
    snt_context_end(context);
}

static sn_status parse_every_key(sn_context *context, void *text, sn_error *error) {
    sn_character *character;
    sn_status status =
        sn_character_parse(context, "a.sinew.json", text, strlen(text), &character, error);
    assert_int_equal(character != NULL, status == SN_OK);
    sn_character_destroy(character);
    return status;
}

// A triangle with weights, and one without that borrows them.
static sn_status borrow_weights(sn_context *context, void *user, sn_error *error) {
    static const char text[] = "{'sinew': 1, 'name': 'a', 'meshes': {'bare': {'weights': 'lender'},"
                               " 'lender': {}}}";
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    sn_character *character = NULL;
    sn_mesh *meshes[2] = {NULL, NULL};
    sn_status status = parse_quoted(context, "a", text, &character, error);
    for (int i = 0; i < 2 && status == SN_OK; ++i) {
        status = sn_mesh_create(context, i == 0 ? "bare" : "lender", 3, 0, 0, &meshes[i], error);
        if (status == SN_OK) {
            memcpy(meshes[i]->positions, corners, sizeof corners);
        }
    }
    if (status == SN_OK) {
        status = sn_mesh_set_weights(meshes[1], 1, 0, false, error);
    }
    if (status == SN_OK) {
        memset(meshes[1]->weights->offsets, 0, 4 * sizeof(uint32_t));
        status = sn_mesh_name_bone(meshes[1], 0, "root", error);
    }
    for (int i = 0; i < 2 && status == SN_OK; ++i) {
        sn_mesh *given = meshes[i];
        meshes[i] = NULL;
        status = sn_character_give_mesh(character, i == 0 ? "bare" : "lender", given, error);
    }
    const sn_mesh *found = NULL, *again = NULL;
    if (status == SN_OK) {
        status = sn_character_mesh(character, "bare", &found, error);
    }
    if (status == SN_OK) {
        assert_int_equal(sn_character_mesh(character, "bare", &again, error), SN_OK);
        assert_ptr_equal(found, again); // made once
        assert_string_equal(found->name, "bare");
        assert_string_equal(found->weights->bone_names[0], "root");
        *(bool *)user = true;
    }
    sn_mesh_destroy(meshes[0]);
    sn_mesh_destroy(meshes[1]);
    sn_character_destroy(character);
    return status;
}

static void a_mesh_borrows_weights(void **state) {
    (void)state;
    bool done = false;
    snt_fail_allocations(borrow_weights, &done);
    assert_true(done);
}

static void survives_running_out_of_memory(void **state) {
    (void)state;
    char *text = quoted(every_key);
    snt_fail_allocations(parse_every_key, text);
    free(text);
}

static sn_status parse_broken(sn_context *context, void *text, sn_error *error) {
    sn_character *character;
    sn_status status = parse_quoted(context, "a", text, &character, error);
    return status == SN_INVALID ? SN_OK : status;
}

// The way out through an error frees what was made so far, whatever ran out of memory before it.
static void fails_without_leaks(void **state) {
    (void)state;
    snt_fail_allocations(parse_broken,
                         "{'sinew': 1, 'name': 'a', 'skeleton': {'a': {'parent': 'b'}, 'b': "
                         "{'parent': 'a'}}}");
    snt_fail_allocations(parse_broken,
                         "{'sinew': 1, 'name': 'a', 'skeleton': {'a': {}}, 'controls': {'c': {}},"
                         "'clips': {'x': {'tracks': {'c': {'keys': [[0, 0]]}, 'a.rx': {'keys': "
                         "[[0, 0]]}, 'a.rx_deg': {'keys': [[0, 1]]}}}}}");
    snt_fail_allocations(parse_broken,
                         "{'sinew': 1, 'name': 'a', 'skeleton': {'a': {}}, 'controls': {'c': {}, "
                         "'d': {}}, 'drivers': [{'control': 'c', 'parameter': 'd', 'curve': [[0, "
                         "1]]}, {'control': 'd', 'parameter': 'c'}]}");
}

static void grows_in_proportion(void **state) {
    (void)state;
    // Ten thousand segments, meshes, skins and controls, each found by name.
    enum { COUNT = 10000 };
    sn_context *context = snt_context(1);
    sn_character *character;
    snt_ok(sn_character_create(context, "many", &character, error));
    size_t capacity = (size_t)COUNT * 400, used = 0;
    char *text = malloc(capacity);
    used += (size_t)sprintf(text, "{\"sinew\": 1, \"name\": \"many\", \"skeleton\": {\"s0\": {}");
    for (int i = 1; i < COUNT; ++i) {
        used += (size_t)sprintf(text + used, ", \"s%d\": {\"parent\": \"s%d\"}", i, i - 1);
    }
    used += (size_t)sprintf(text + used, "}, \"meshes\": {\"m0\": {}");
    for (int i = 1; i < COUNT; ++i) {
        used += (size_t)sprintf(text + used, ", \"m%d\": {}", i);
    }
    used += (size_t)sprintf(text + used, "}, \"skins\": {\"k0\": {\"mesh\": \"m0\"}");
    for (int i = 1; i < COUNT; ++i) {
        used += (size_t)sprintf(text + used,
                                ", \"k%d\": {\"mesh\": \"m%d\", \"segment\": \"s%d\", "
                                "\"deformers\": [{\"kind\": \"morph\", \"driver_mesh\": \"k%d\"}]}",
                                i, i, i, i - 1);
    }
    sprintf(text + used, "}}");
    sn_character_destroy(character);
    snt_ok(sn_character_parse(context, "many", text, strlen(text), &character, error));
    sn_character_destroy(character);
    free(text);
    snt_context_end(context);
}

// --- The example of docs/document.md

static void loads_the_example_of_the_docs(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    size_t size, page_size;
    char *page = read_bytes(snt_source("docs/document.md"), &page_size);
    char *example = read_bytes(snt_source("docs/example.sinew.json"), &size);
    assert_non_null(strstr(page, example)); // what the page shows is what is tested
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
    snt_ok(sn_character_load(context, snt_source("docs/example.sinew.json"), &character, error));
    char *text = text_of(character);
    assert_string_equal(text, example);
    sn_json_free_text(context, text);
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_motion_open(model, "bend", &motion, error));
    snt_ok(sn_frame_create(model, &frame, error));
    snt_ok(sn_frame_evaluate(frame, motion, sn_motion_frame_count(motion) - 1, error));
    sn_frame_destroy(frame);
    sn_motion_destroy(motion);
    sn_model_destroy(model);
    sn_character_destroy(character);
    free(example);
    free(page);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_an_empty_document),
        cmocka_unit_test(accepts_every_key),
        cmocka_unit_test(a_mesh_borrows_weights),
        cmocka_unit_test(accepts_a_byte_order_mark),
        cmocka_unit_test(comes_back_with_the_same_bytes),
        cmocka_unit_test(keeps_values_and_their_order),
        cmocka_unit_test(writes_numbers_in_their_shortest_form),
        cmocka_unit_test(checks_after_an_edit),
        cmocka_unit_test(survives_truncation_at_every_byte),
        cmocka_unit_test(survives_running_out_of_memory),
        cmocka_unit_test(fails_without_leaks),
        cmocka_unit_test(grows_in_proportion),
        cmocka_unit_test(loads_the_example_of_the_docs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
