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

// Whether the processor is of level x86-64-v3, by those of its instructions that all compilers can
// ask for; the others came with them.
static bool has_avx2(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
}

// Sets what the kernels use.
static sn_status choose_cpu(sn_cpu wanted, sn_cpu *chosen, sn_error *error) {
#if defined(__AVX2__)
    if (!has_avx2()) {
        return sni_fail(error, SN_UNSUPPORTED,
                        "all of this library is built for processors with AVX2 (SINEW_ARCH)");
    }
#endif
#if defined(SNI_WITH_AVX2)
    bool is_there = has_avx2();
#else
    bool is_there = false;
#endif
    if (wanted == SN_CPU_AVX2 && !is_there) {
        return sni_fail(error, SN_UNSUPPORTED, "AVX2 is asked for, but %s",
                        has_avx2() ? "the library is built without it"
                                   : "the processor is without it");
    }
    *chosen = is_there && wanted != SN_CPU_BASELINE ? SN_CPU_AVX2 : SN_CPU_BASELINE;
    return SN_OK;
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
    sn_cpu cpu;
    sn_status status = choose_cpu(desc->cpu, &cpu, error);
    if (status != SN_OK) {
        return status;
    }
    // The context itself lives outside the limits: it holds their counters.
    sn_context *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return sni_fail_memory(error);
    }
    made->allocator = desc->allocator;
    made->thread_count = desc->thread_count != 0 ? desc->thread_count : core_count();
    made->cpu = cpu;
    made->log = desc->log;
    made->log_user = desc->log_user;
    made->host_pool = desc->pool;
    made->host_pool_user = desc->pool_user;
    if (desc->kept_warnings > 0) {
        made->kept = sni_kept_create(desc->kept_warnings);
        status = made->kept != NULL ? SN_OK : sni_fail_memory(error);
    }
    if (status == SN_OK && made->host_pool == NULL && made->thread_count > 1) {
        status = sni_pool_create(made, error);
    }
    if (status != SN_OK) {
        sni_kept_destroy(made->kept);
        free(made);
        return status;
    }
    *context = made;
    return SN_OK;
}

void sn_context_destroy(sn_context *context) {
    if (context == NULL) {
        return;
    }
    sni_pool_destroy(context);
    sni_kept_destroy(context->kept);
    free(context->reader);
    free(context);
}

uint32_t sn_context_thread_count(const sn_context *context) {
    return context->thread_count;
}

sn_cpu sn_context_cpu(const sn_context *context) {
    return context->cpu;
}

size_t sn_context_bytes(const sn_context *context) {
    return atomic_load(&context->bytes);
}

size_t sn_context_allocations(const sn_context *context) {
    return atomic_load(&context->allocations);
}

void sni_log(sn_context *context, sn_log_level level, const char *topic, const char *format, ...) {
    SN_ASSERT(topic != NULL && format != NULL);
    bool is_kept = level >= SN_LOG_WARNING && context->kept != NULL;
    if (context->log == NULL && !is_kept) {
        return;
    }
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    bool is_new = !is_kept || sni_kept_add(context->kept, topic, message);
    if (context->log != NULL && is_new) {
        context->log(level, topic, message, context->log_user);
    }
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
