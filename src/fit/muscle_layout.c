// SPDX-License-Identifier: Apache-2.0
#include "fit/muscle_layout.h"

#include <stdarg.h>
#include <stdio.h>

struct sni_layout_memory {
    sn_context *context;
    sni_arena arena;
};

sn_status sni_layout_create(sn_context *context, sn_muscle_layout **layout, sn_error *error) {
    sn_status status = SN_OK;
    sn_muscle_layout *made = NULL;
    *layout = NULL;
    SNI_NEW_ZERO(context, made, 1);
    SNI_NEW_ZERO(context, made->memory, 1);
    made->memory->context = context;
    sni_arena_init(&made->memory->arena, context);
    *layout = made;
    return SN_OK;
cleanup:
    sni_free(context, made);
    return status;
}

void sn_muscle_layout_destroy(sn_muscle_layout *layout) {
    if (layout != NULL) {
        sn_context *context = layout->memory->context;
        sni_free(context, layout->muscles);
        sni_free(context, layout->expressions);
        sni_free(context, layout->skips);
        sni_arena_deinit(&layout->memory->arena);
        sni_free(context, layout->memory);
        sni_free(context, layout);
    }
}

void *sni_layout_alloc(sn_muscle_layout *layout, size_t count, size_t size) {
    return sni_arena_alloc_small(&layout->memory->arena, count, size);
}

const char *sni_layout_text(sn_muscle_layout *layout, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = length >= 0 ? sni_layout_alloc(layout, (size_t)length + 1, 1) : NULL;
    if (text != NULL) {
        va_start(list, format);
        vsnprintf(text, (size_t)length + 1, format, list);
        va_end(list);
    }
    return text;
}

sn_status sni_layout_add(sn_muscle_layout *layout, const sn_layout_muscle *muscle,
                         sn_error *error) {
    SN_ASSERT(muscle != NULL && muscle->name != NULL);
    bool named = muscle->name != NULL;
    named = named && (muscle->driver != SN_LAYOUT_ANGLE || muscle->driver_parameter != NULL);
    named = named && (muscle->driver != SN_LAYOUT_DISTANCE ||
                      (muscle->driver_segments[0] != NULL && muscle->driver_segments[1] != NULL));
    if (!named || !sni_grow_by_one(layout->memory->context, &layout->muscles, layout->muscle_count,
                                   sizeof *muscle)) {
        return sni_fail_memory(error);
    }
    layout->muscles[layout->muscle_count++] = *muscle;
    return SN_OK;
}

sn_status sni_layout_express(sn_muscle_layout *layout, const sn_layout_expression *expression,
                             sn_error *error) {
    SN_ASSERT(expression != NULL);
    if (expression->name == NULL ||
        !sni_grow_by_one(layout->memory->context, &layout->expressions, layout->expression_count,
                         sizeof *expression)) {
        return sni_fail_memory(error);
    }
    layout->expressions[layout->expression_count++] = *expression;
    return SN_OK;
}

sn_status sni_layout_skip(sn_muscle_layout *layout, const char *name, const char *reason,
                          sn_error *error) {
    SN_ASSERT(name != NULL && reason != NULL);
    sn_layout_skip skip = {name, reason};
    if (name == NULL || reason == NULL ||
        !sni_grow_by_one(layout->memory->context, &layout->skips, layout->skip_count,
                         sizeof skip)) {
        return sni_fail_memory(error);
    }
    layout->skips[layout->skip_count++] = skip;
    return SN_OK;
}
