// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "base/text.h"

static uint32_t distance_of(const char *wanted, const char *candidate) {
    sni_closest closest = sni_closest_to(wanted);
    sni_closest_try(&closest, candidate);
    return closest.name != NULL ? closest.distance : UINT32_MAX;
}

static void counts_edits(void **state) {
    (void)state;
    assert_int_equal(distance_of("elbow", "elbow"), 0);
    assert_int_equal(distance_of("elbow", "Elbow"), 0);
    assert_int_equal(distance_of("elbw", "elbow"), 1);
    assert_int_equal(distance_of("elbwo", "elbow"), 1);
    assert_int_equal(distance_of("elboww", "elbow"), 1);
    assert_int_equal(distance_of("albow", "elbow"), 1);
    assert_int_equal(distance_of("lower_arm", "lowerarms"), 2);
    assert_int_equal(distance_of("wrist", "elbow"), UINT32_MAX);
    assert_int_equal(distance_of("a", "b"), UINT32_MAX);
    assert_int_equal(distance_of("", "b"), UINT32_MAX);
}

static const char *closest_of(const char *wanted, const char *const *names, uint32_t count) {
    sni_closest closest = sni_closest_to(wanted);
    for (uint32_t i = 0; i < count; ++i) {
        sni_closest_try(&closest, names[i]);
    }
    return closest.name;
}

static void suggests_the_first_of_the_closest(void **state) {
    (void)state;
    const char *names[] = {"shoulder", "elbow_l", "elbow_r", NULL, "wrist"};
    assert_string_equal(closest_of("elbow_k", names, 5), "elbow_l");
    assert_string_equal(closest_of("ELBOW_R", names, 5), "elbow_r");
    assert_null(closest_of("tail", names, 5));
    char hint[SNI_HINT_BYTES];
    sni_closest closest = sni_closest_to("wirst");
    assert_string_equal(sni_closest_hint(&closest, hint), "");
    sni_closest_try(&closest, "wrist");
    assert_string_equal(sni_closest_hint(&closest, hint), "; did you mean \"wrist\"?");
}

static void leaves_very_long_names_alone(void **state) {
    (void)state;
    char name[200];
    memset(name, 'a', sizeof name);
    name[199] = 0;
    assert_int_equal(distance_of(name, name), UINT32_MAX);
    name[63] = 0;
    assert_int_equal(distance_of(name, name), 0);
}

static void finds_names_by_binary_search(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    struct {
        int other;
        const char *name;
    } items[] = {{0, "b"}, {0, "a"}, {0, NULL}, {0, "ab"}, {0, "b"}, {0, ""}};
    sni_name_index index;
    snt_ok(sni_name_index_init(context, &index, &items[0].name, sizeof items[0], 6, error));
    assert_int_equal(sni_name_index_find(&index, "a"), 1);
    assert_int_equal(sni_name_index_find(&index, "ab"), 3);
    assert_int_equal(sni_name_index_find(&index, "b"), 0);
    assert_int_equal(sni_name_index_find(&index, ""), 5);
    assert_int_equal(sni_name_index_find(&index, "c"), SN_NONE);
    assert_int_equal(sni_name_index_find_n(&index, "abc", 2), 3);
    assert_int_equal(sni_name_index_find_n(&index, "abc", 3), SN_NONE);
    assert_string_equal(sni_name_index_duplicate(&index), "b");
    sni_name_index_deinit(context, &index);
    snt_ok(sni_name_index_init(context, &index, &items[0].name, sizeof items[0], 0, error));
    assert_int_equal(sni_name_index_find(&index, "a"), SN_NONE);
    assert_null(sni_name_index_duplicate(&index));
    sni_name_index_deinit(context, &index);
    snt_context_end(context);
}

static void stars_stand_for_any_text(void **state) {
    (void)state;
    assert_true(sni_name_fits("hip", "hip"));
    assert_true(sni_name_fits("*", ""));
    assert_true(sni_name_fits("*.activation", "soleus_r.activation"));
    assert_true(sni_name_fits("a*b*c", "aXbYbc"));
    assert_true(sni_name_fits("ab**", "ab"));
    assert_false(sni_name_fits("hip", "hips"));
    assert_false(sni_name_fits("a*b", "abc"));
    assert_false(sni_name_fits("", "a"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_edits),
        cmocka_unit_test(suggests_the_first_of_the_closest),
        cmocka_unit_test(leaves_very_long_names_alone),
        cmocka_unit_test(finds_names_by_binary_search),
        cmocka_unit_test(stars_stand_for_any_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
