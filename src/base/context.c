// SPDX-License-Identifier: Apache-2.0
#include "base/context.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Any value that zeroed or stale memory is unlikely to hold.
static const uint32_t desc_check = 0x736e6377;

// More threads than this are taken for a mistake.
static const uint32_t max_thread_count = 1024;

sn_context_desc sn_context_desc_default(void) {
    return (sn_context_desc){.check = desc_check};
}

static uint32_t core_count(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (uint32_t)cores : 1;
}

static bool processor_is_new_enough(void) {
#if defined(__AVX2__) && defined(__FMA__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

sn_status sn_context_create(const sn_context_desc *desc, sn_context **context, sn_error *error) {
    *context = NULL;
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_context_desc_default");
    }
    if (desc->thread_count > max_thread_count) {
        return sni_fail(error, SN_INVALID, "%u threads asked for, at most %u are possible",
                        desc->thread_count, max_thread_count);
    }
    if ((desc->allocator.alloc == NULL) != (desc->allocator.free == NULL)) {
        return sni_fail(error, SN_INVALID, "an allocator needs both alloc and free");
    }
    if (!processor_is_new_enough()) {
        return sni_fail(error, SN_UNSUPPORTED,
                        "this build needs a processor with AVX2 and FMA (2013 or later); "
                        "build the `baseline` preset for this one");
    }
    // The context itself lives outside the limits: it holds their counters.
    sn_context *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return sni_fail_memory(error);
    }
    made->allocator = desc->allocator;
    made->thread_count = desc->thread_count != 0 ? desc->thread_count : core_count();
    made->log = desc->log;
    made->log_user = desc->log_user;
    made->host_pool = desc->pool;
    made->host_pool_user = desc->pool_user;
    if (made->host_pool == NULL && made->thread_count > 1) {
        sn_status status = sni_pool_create(made, error);
        if (status != SN_OK) {
            free(made);
            return status;
        }
    }
    *context = made;
    return SN_OK;
}

void sn_context_destroy(sn_context *context) {
    if (context == NULL) {
        return;
    }
    sni_pool_destroy(context);
    free(context);
}

uint32_t sn_context_thread_count(const sn_context *context) {
    return context->thread_count;
}

size_t sn_context_bytes(const sn_context *context) {
    return atomic_load(&context->bytes);
}

size_t sn_context_allocations(const sn_context *context) {
    return atomic_load(&context->allocations);
}

void sni_log(sn_context *context, sn_log_level level, const char *topic, const char *format, ...) {
    SN_ASSERT(topic != NULL && format != NULL);
    if (context->log == NULL) {
        return;
    }
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    context->log(level, topic, message, context->log_user);
}

sn_status sni_progress(const sn_progress *progress, const char *step, double fraction,
                       sn_error *error) {
    SN_ASSERT(step != NULL);
    if (progress == NULL || progress->report == NULL ||
        progress->report(step, fraction, progress->user)) {
        return SN_OK;
    }
    return sni_fail(error, SN_CANCELLED, "cancelled during: %s", step);
}
