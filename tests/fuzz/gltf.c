// SPDX-License-Identifier: Apache-2.0
//
// Any bytes, as .gltf or .glb by their beginning. Memory is limited so that a file that asks for
// more than its size warrants shows.
#include "sinew/io.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static sn_context *context;
    if (context == NULL) {
        sn_context_desc desc = sn_context_desc_default();
        desc.thread_count = 1;
        desc.allocator.byte_limit = (size_t)512 << 20;
        sn_context_create(&desc, &context, NULL);
    }
    size_t before = sn_context_bytes(context);
    sn_error error = {0};
    sn_import *import;
    sn_status status = sn_import_memory(context, "fuzz.glb", data, size, &import, &error);
    if (status != error.status || (status == SN_OK) != (import != NULL)) {
        abort();
    }
    sn_import_destroy(import);
    if (sn_context_bytes(context) != before) {
        abort();
    }
    return 0;
}
