// SPDX-License-Identifier: Apache-2.0
//
// What tests of all deformers do alike.
#ifndef SNT_SKIN_DEFORMER_H
#define SNT_SKIN_DEFORMER_H

#include "skin/skin.h"

// Binds and deforms with the memory of `context`, whatever the jobs say: for snt_fail_allocations.
static inline sn_status snt_try_deformer(sn_context *context, const sni_deformer_ops *ops,
                                         sni_bind_job bind, sni_deform_job deform,
                                         sn_error *error) {
    sni_arena arena;
    void *bound = NULL;
    bind.context = deform.context = context;
    deform.arena = &arena;
    sn_status status = ops->bind(&bind, &bound, error);
    if (status != SN_OK) {
        assert_null(bound);
        return status;
    }
    sni_arena_init(&arena, context);
    status = ops->deform(bound, &deform, error);
    sni_arena_deinit(&arena);
    ops->unbind(context, bound);
    return status;
}

#endif
