// SPDX-License-Identifier: Apache-2.0
//
// Whatever parses is written, and what was written parses to the same text again.
#include "sinew/json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static sn_context *context;
    if (context == NULL) {
        sn_context_desc desc = sn_context_desc_default();
        desc.thread_count = 1;
        sn_context_create(&desc, &context, NULL);
    }
    sn_error error = {0};
    sn_json *json, *again;
    if (sn_json_parse(context, (const char *)data, size, &json, &error) != SN_OK) {
        return 0;
    }
    char *text, *text_again;
    size_t text_size, size_again;
    if (sn_json_write(json, &text, &text_size, &error) != SN_OK ||
        sn_json_parse(context, text, text_size, &again, &error) != SN_OK ||
        sn_json_write(again, &text_again, &size_again, &error) != SN_OK ||
        size_again != text_size || memcmp(text, text_again, text_size) != 0) {
        abort();
    }
    sn_json_free_text(context, text);
    sn_json_free_text(context, text_again);
    sn_json_destroy(json);
    sn_json_destroy(again);
    return 0;
}
