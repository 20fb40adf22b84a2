// SPDX-License-Identifier: Apache-2.0
//
// What the fuzz targets of readers share: whatever is read passes the checks of the library, what
// fails says why, and nothing leaks.
#ifndef SNT_FUZZ_IMPORT_H
#define SNT_FUZZ_IMPORT_H

#include "sinew/io.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline sn_context *fuzz_context(void) {
    static sn_context *context;
    if (context == NULL) {
        sn_context_desc desc = sn_context_desc_default();
        desc.thread_count = 1;
        desc.allocator.byte_limit = (size_t)1 << 30;
        sn_context_create(&desc, &context, NULL);
    }
    return context;
}

// Reads a file under a name; NULL when it was refused.
static inline sn_import *fuzz_read(const char *name, const uint8_t *data, size_t size) {
    sn_context *context = fuzz_context();
    size_t before = sn_context_bytes(context);
    sn_error error = {0};
    sn_import *import = NULL;
    if (sn_import_memory(context, name, data, size, &import, &error) != SN_OK) {
        if (error.status == SN_OK || error.message[0] == 0 || import != NULL ||
            sn_context_bytes(context) != before) {
            abort();
        }
        return NULL;
    }
    for (uint32_t i = 0; i < import->mesh_count; ++i) {
        if (sn_mesh_validate(import->meshes[i], &error) != SN_OK) {
            abort();
        }
    }
    for (uint32_t i = 0; i < import->clip_count; ++i) {
        if (sn_clip_validate(import->clips[i], &error) != SN_OK) {
            abort();
        }
    }
    return import;
}

#endif
