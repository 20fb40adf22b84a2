// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "sinew/json.h"

static void writes_what_it_read(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char text[] =
        "{\n  \"b\": [1, 2.5, 0.1, 1e+300],\n  \"a\": {\"x\": \"\xc3\xa9\\n\"}\n}\n";
    sn_json *json;
    char *out;
    size_t size;
    snt_ok(sn_json_parse(context, text, strlen(text), &json, error));
    snt_ok(sn_json_write(json, &out, &size, error));
    assert_string_equal(out, text);
    sn_json_free_text(context, out);
    sn_json_destroy(json);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_what_it_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
