// SPDX-License-Identifier: Apache-2.0
//
// Another text of a document: what was read stays, and what was made of it.
#include "documents.h"

#include "sinew/eval.h"

#include <unistd.h>

static const char triangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
static const char first[] = "{'sinew': 1, 'name': 'first',\n"
                            "'meshes': {'body': {'file': 'replace.obj'}},\n"
                            "'skins': {'body': {'mesh': 'body'}}}";
static const char second[] = "{'sinew': 1, 'name': 'second',\n"
                             "'meshes': {'skin': {'file': 'replace.obj'},\n"
                             "'image': {'file': 'replace.obj', 'mirrored': true}},\n"
                             "'skins': {'body': {'mesh': 'skin'}, 'other': {'mesh': 'image'}}}";

static sn_status replace_quoted(sn_character *character, const char *text, sn_error *error) {
    char *copy = quoted(text);
    sn_status status = sn_character_replace(character, copy, strlen(copy), error);
    free(copy);
    return status;
}

static sn_character *open_first(sn_context *context) {
    sn_character *character;
    write_text(snt_scratch("replace.obj"), triangle);
    snt_ok(parse_quoted(context, snt_scratch("replace.sinew.json"), first, &character, error));
    return character;
}

static void reads_no_file_again(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = open_first(context);
    sn_model *before, *after;
    snt_ok(sn_model_create(character, NULL, &before, error));
    unlink(snt_scratch("replace.obj"));
    snt_ok(replace_quoted(character, second, error));
    assert_string_equal(sn_character_name(character), "second");
    assert_string_equal(sn_character_path(character), snt_scratch("replace.sinew.json"));
    snt_ok(sn_model_create(character, NULL, &after, error));
    assert_ptr_equal(sn_model_surface(after, 0)->mesh, sn_model_surface(before, 0)->mesh);
    assert_true(sn_model_surface(after, 1)->mesh->positions[3] == -1);
    // A model of the older text stays valid, also when the newer ones are gone.
    sn_model_destroy(after);
    sn_frame *frame;
    snt_ok(sn_frame_create(before, &frame, error));
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    assert_true(sn_frame_points(frame, 0)[3] == 1);
    sn_frame_destroy(frame);
    sn_model_destroy(before);
    sn_character_destroy(character);
    snt_context_end(context);
}

static sn_status parse_beside(const sn_character *other, const char *text, sn_character **character,
                              sn_error *error) {
    char *copy = quoted(text);
    sn_status status = sn_character_parse_beside(other, snt_scratch("replace.sinew.json"), copy,
                                                 strlen(copy), character, error);
    free(copy);
    return status;
}

// Characters beside each other read files once, and go in any order.
static void shares_what_was_read(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *one = open_first(context), *other = NULL, *third = NULL;
    const sn_mesh *mesh = NULL, *same = NULL;
    snt_ok(parse_beside(one, second, &other, error));
    snt_ok(sn_character_mesh(other, "skin", &mesh, error));
    unlink(snt_scratch("replace.obj"));
    snt_ok(sn_character_mesh(one, "body", &same, error));
    assert_ptr_equal(same, mesh);
    sn_character_destroy(one);
    snt_fails(SN_INVALID, "replace.sinew.json:1: /skins/a/mesh",
              parse_beside(other, "{'sinew': 1, 'name': 'a', 'skins': {'a': {'mesh': 'b'}}}",
                           &third, error));
    snt_ok(parse_beside(other, first, &third, error));
    sn_character_destroy(other);
    sn_model *model;
    snt_ok(sn_model_create(third, NULL, &model, error));
    assert_ptr_equal(sn_model_surface(model, 0)->mesh, mesh);
    sn_model_destroy(model);
    sn_character_destroy(third);
    snt_context_end(context);
}

static void leaves_all_as_it_was_when_it_fails(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = open_first(context);
    const sn_json *document = sn_character_document(character);
    snt_fails(SN_INVALID, "replace.sinew.json:2: /skins/a/mesh",
              replace_quoted(character, "{'sinew': 1, 'name': 'a',\n'skins': {'a': {'mesh': 'b'}}}",
                             error));
    snt_fails(SN_SYNTAX, "replace.sinew.json:1",
              replace_quoted(character, "{'sinew': 1, 'name'", error));
    assert_ptr_equal(sn_character_document(character), document);
    assert_string_equal(sn_character_name(character), "first");
    snt_ok(sn_character_check(character, error));
    sn_character_destroy(character);
    snt_context_end(context);
}

static void does_not_grow(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = open_first(context);
    size_t bytes = 0;
    for (int i = 0; i < 1000; ++i) {
        snt_ok(replace_quoted(character, i % 2 == 0 ? second : first, error));
        sn_model *model;
        snt_ok(sn_model_create(character, NULL, &model, error));
        sn_model_destroy(model);
        bytes = i == 1 ? sn_context_bytes(context) : bytes;
    }
    assert_int_equal(sn_context_bytes(context), bytes);
    sn_character_destroy(character);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_character *character = NULL, *beside = NULL;
    sn_status status = SN_OK;
    SN_TRY(parse_quoted(context, snt_scratch("replace.sinew.json"), first, &character, error));
    SN_TRY(parse_beside(character, second, &beside, error));
    SN_TRY(replace_quoted(character, second, error));
cleanup:
    sn_character_destroy(beside);
    if (character != NULL && status != SN_OK) {
        assert_string_equal(sn_character_name(character), "first");
    }
    sn_character_destroy(character);
    return status;
}

static void expect_changed(const sn_character *character, uint32_t count) {
    sn_changed_files changed;
    assert_int_equal(sn_character_changed_files(character, &changed), count > 0);
    assert_int_equal(changed.count, count);
    if (count > 0) {
        assert_string_equal(changed.first, snt_scratch("replace.obj"));
    }
}

static void tells_which_files_changed(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = open_first(context);
    sn_model *model = NULL;
    expect_changed(character, 0); // nothing is read yet
    unlink(snt_scratch("replace.obj"));
    snt_fails(SN_IO, "replace.obj", sn_model_create(character, NULL, &model, error));
    expect_changed(character, 0);
    write_text(snt_scratch("replace.obj"), triangle);
    expect_changed(character, 1); // it was missing
    snt_ok(sn_model_create(character, NULL, &model, error));
    expect_changed(character, 0);
    unlink(snt_scratch("replace.obj"));
    expect_changed(character, 0); // it may come again
    write_text(snt_scratch("replace.obj"), "v 0 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n# longer\n");
    expect_changed(character, 1);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_no_file_again),
        cmocka_unit_test(shares_what_was_read),
        cmocka_unit_test(leaves_all_as_it_was_when_it_fails),
        cmocka_unit_test(does_not_grow),
        cmocka_unit_test(tells_which_files_changed),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
