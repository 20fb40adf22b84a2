// SPDX-License-Identifier: Apache-2.0
#include "kind/input.h"

#include "base/error.h"

#include <string.h>

const void *sni_block_new(sni_arena *arena, const void *content, size_t size) {
    void *block = sni_arena_alloc(arena, 1, size);
    return block != NULL ? memcpy(block, content, size) : NULL;
}

sn_status sni_block_collect(const sni_collecting *collecting, const void *content, size_t size,
                            const void **block, sn_error *error) {
    *block = sni_block_new(collecting->arena, content, size);
    return *block != NULL ? SN_OK : sni_fail_memory(error);
}

sn_status sni_inputs_validate(const sni_input_use *uses, const sni_checking *checking,
                              const void *const *blocks, sn_error *error) {
    for (uint32_t i = 0; i < SNI_INPUTS_MOST && uses[i].input != NULL; ++i) {
        const sni_input *input = uses[i].input;
        if (blocks[i] == NULL && uses[i].needed) {
            return sni_fail(error, SN_INVALID, "%s: needs %s", checking->kind, input->name);
        }
        sni_checking own = *checking;
        own.needed = uses[i].needed;
        sn_status status = blocks[i] != NULL && input->validate != NULL
                               ? input->validate(&own, blocks[i], error)
                               : SN_OK;
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}
