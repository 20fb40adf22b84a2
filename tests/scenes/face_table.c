// SPDX-License-Identifier: Apache-2.0
//
// The table of muscles with which `sinew bench face` makes expressions names controls that the
// shipped head has, and the skin that it ties has all muscles that controls shorten.
#include "test.h"

#include "bench/face/face.h"

static sn_context *context;
static sn_character *head;

static void load(void) {
    snt_ok(sn_character_load(context, snt_source("examples/head/head.sinew.json"), &head, error));
}

static void test_controls(void **state) {
    (void)state;
    sn_model *model = NULL;
    load();
    assert_true(snb_face_hold_jaw(context, sn_character_document(head)));
    snt_ok(sn_model_create(head, NULL, &model, error));
    for (uint32_t i = 0; i < snb_expression_count; ++i) {
        char names[SNB_MOST_CONTROLS][SNB_TEXT];
        uint32_t count = snb_expression_controls(&snb_expressions[i], names);
        assert_true(count > 0 && count <= SNB_MOST_CONTROLS);
        for (uint32_t k = 0; k < count; ++k) {
            assert_int_not_equal(sn_model_find_control(model, names[k]), SN_NONE);
        }
    }
    sn_model_destroy(model);
    sn_character_destroy(head);
}

static void test_ties(void **state) {
    (void)state;
    load();
    sn_json *json = sn_character_document(head);
    assert_true(snb_face_tie(json, 0));
    const sn_value *tied = sn_json_find(json, "/skins/skin/deformers/0/muscles");
    const sn_value *muscles = sn_json_find(json, "/muscles");
    uint32_t facial = 0;
    for (uint32_t i = 0; i < sn_value_count(muscles); ++i) {
        facial += sn_value_get(sn_value_at(muscles, i), "contraction") != NULL ? 2 : 0;
    }
    assert_int_equal(facial, 92);
    assert_int_equal(sn_value_count(tied), facial);
    sn_character_destroy(head);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_controls),
        cmocka_unit_test(test_ties),
    };
    context = snt_context(0);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snt_context_end(context);
    return failed;
}
