// SPDX-License-Identifier: Apache-2.0
//
// The tables of a folder of anatomy: the index, and behind a line "---" the attachments. Whatever
// is read keeps what the header promises, what fails says why, and nothing leaks.
#include "import.h"

#include <math.h>

static void check(const sn_anatomy *anatomy) {
    for (uint32_t i = 0; i < anatomy->part_count; ++i) {
        const sn_anatomy_part *part = &anatomy->parts[i];
        if (part->file[0] == 0 || part->name[0] == 0 || part->line == 0 ||
            sn_part_kind_name(part->kind) == NULL) {
            abort();
        }
    }
    for (uint32_t i = 0; i < anatomy->attachment_count; ++i) {
        const sn_anatomy_attachment *a = &anatomy->attachments[i];
        if (a->muscle >= anatomy->part_count ||
            (a->bone != SN_NONE && a->bone >= anatomy->part_count) || !isfinite(a->point.x) ||
            !isfinite(a->point.y) || !isfinite(a->point.z)) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char mark[] = "\n---\n";
    sn_context *context = fuzz_context();
    size_t before = sn_context_bytes(context);
    size_t index_size = 0;
    while (index_size + 5 <= size && memcmp(data + index_size, mark, 5) != 0) {
        index_size++;
    }
    bool has_attachments = index_size + 5 <= size;
    index_size = has_attachments ? index_size : size;
    const char *text = (const char *)data;
    sn_error error = {0};
    sn_anatomy *anatomy = NULL;
    sn_status status = sn_anatomy_parse(
        context, "fuzz", text, index_size, has_attachments ? text + index_size + 5 : NULL,
        has_attachments ? size - index_size - 5 : 0, &anatomy, &error);
    if (status == SN_OK) {
        check(anatomy);
    } else if (error.status != status || error.message[0] == 0 || anatomy != NULL) {
        abort();
    }
    sn_anatomy_destroy(anatomy);
    if (sn_context_bytes(context) != before) {
        abort();
    }
    return 0;
}
