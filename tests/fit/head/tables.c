// SPDX-License-Identifier: Apache-2.0
//
// Tables of tissue depths and files of landmarks: what they hold, and what is wrong with them.
#include "test.h"

#include "sinew/fit.h"

static sn_context *context;

static void parse_depths(const char *text, sn_depth_table **table, sn_error *error,
                         sn_status *status) {
    char copy[2048];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *c = copy; *c != 0; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    *status = sn_depth_table_parse(context, "depths.json", copy, strlen(copy), table, error);
}

static void expect_wrong(const char *text, const char *message) {
    sn_depth_table *table = NULL;
    sn_error error = {0};
    sn_status status;
    parse_depths(text, &table, &error, &status);
    snt_fails_at(status, status == SN_OK ? SN_INVALID : status, &error, message, __FILE__,
                 __LINE__);
    assert_int_not_equal(status, SN_OK);
    assert_null(table);
}

// Values that are printed in the literature: rhinion is the thinnest place of the face.
static void test_default_table(void **state) {
    (void)state;
    sn_depth_table *table = NULL;
    snt_ok(sn_depth_table_default(context, &table, error));
    const sn_depth_row *rhinion = sn_depth_table_find(table, "rhinion");
    const sn_depth_row *gonion = sn_depth_table_find(table, "gonion.R");
    assert_non_null(rhinion);
    assert_non_null(gonion);
    snt_near(rhinion->depths[SN_DEPTH_ALL], 0.003, 1e-12);
    snt_near(gonion->depths[SN_DEPTH_MALE], 0.0115, 1e-12);
    snt_near(gonion->depths[SN_DEPTH_FEMALE], 0.012, 1e-12);
    assert_true(gonion->paired && !rhinion->paired);
    assert_null(sn_depth_table_find(table, "gonion"));
    assert_null(sn_depth_table_find(table, "rhinion.L"));
    assert_null(sn_depth_table_find(table, "elbow"));
    for (uint32_t i = 0; i < table->count; ++i) {
        assert_true(table->rows[i].depths[SN_DEPTH_ALL] >= rhinion->depths[SN_DEPTH_ALL]);
        assert_true(table->rows[i].tolerance >= 0.0015);
        assert_true(table->rows[i].source[0] != 0);
    }
    sn_depth_table_destroy(table);
}

static void test_wrong_tables(void **state) {
    (void)state;
    expect_wrong("{'landmarks': []}", "landmarks");
    expect_wrong("{'landmarks': [{'paired': false, 'all_mm': 3, 'source': 'T'}]}", "name");
    expect_wrong("{'landmarks': [{'name': 'nasion', 'bone': 'cranium', 'region': 'nose', "
                 "'all_mm': 300, 'source': 'T'}]}",
                 "nasion");
    expect_wrong("{'landmarks': [{'name': 'nasion', 'bone': 'cranium', 'region': 'nose', "
                 "'all_mm': 6, 'source': 'T', 'deptf': 3}]}",
                 "deptf");
}

static void parse(const char *text, sn_landmarks **landmarks) {
    snt_ok(sn_landmarks_parse(context, "points.json", text, strlen(text), landmarks, error));
}

// What is written is read again.
static void test_landmarks(void **state) {
    (void)state;
    sn_landmarks *first = NULL, *again = NULL;
    parse("{\"landmarks\": {\"nasion\": 12, \"gonion.L\": [1, 2, 3]}, \"bones\": {\"nasion\": "
          "[0, 1, 0.5]}, \"lines\": {\"lips\": [4, 5, 6], \"lid\": {\"places\": [[0, 0, 0], "
          "[1, 0, 0]], \"closed\": true}}}",
          &first);
    snt_ok(sn_landmarks_write(first, snt_scratch("points.json"), error));
    snt_ok(sn_landmarks_read(context, snt_scratch("points.json"), &again, error));
    assert_int_equal(again->count, 2);
    const sn_landmark *nasion = sn_landmarks_find(again, "nasion");
    const sn_landmark *gonion = sn_landmarks_find(again, "gonion.L");
    assert_true(nasion->on_skin && nasion->on_bone && nasion->vertex == 12);
    snt_near(nasion->bone.z, 0.5, 0);
    assert_true(gonion->vertex == SN_NONE && !gonion->on_bone);
    snt_near(gonion->skin.y, 2, 0);
    assert_int_equal(again->line_count, 2);
    assert_int_equal(again->lines[0].vertices[2], 6);
    assert_true(again->lines[1].closed && again->lines[1].vertices == NULL);
    sn_landmarks_destroy(first);
    sn_landmarks_destroy(again);
}

static void test_wrong_landmarks(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{\"landmarks\": {\"nasion\": \"here\"}}", "{\"landmarks\": {\"nasion\": [1, 2]}}",
        "{\"landmarks\": {\"nasion\": -3}}", "{\"lines\": {\"nasion\": [3]}}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        sn_landmarks *landmarks = NULL;
        snt_fails(SN_INVALID, "nasion",
                  sn_landmarks_parse(context, "points.json", texts[i], strlen(texts[i]), &landmarks,
                                     error));
        assert_null(landmarks);
    }
}

static int begin(void **state) {
    (void)state;
    context = snt_context(1);
    return 0;
}

static int end(void **state) {
    (void)state;
    snt_context_end(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default_table),
        cmocka_unit_test(test_wrong_tables),
        cmocka_unit_test(test_landmarks),
        cmocka_unit_test(test_wrong_landmarks),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
