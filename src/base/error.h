// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_BASE_ERROR_H
#define SINEW_BASE_ERROR_H

#include "sinew/base.h"

// Records a failure, unless an earlier one is recorded already, and returns `status`:
//     return sni_fail(error, SN_INVALID, "expected 3 numbers, found %u", count);
// The status comes back through an inline function, so that analysers see that it is not SN_OK.
#define sni_fail(error, status, ...)                                                               \
    (sni_fail_at((error), (status), __func__, __LINE__, __VA_ARGS__), sni_same_status(status))

static inline sn_status sni_same_status(sn_status status) {
    return status;
}

void sni_fail_at(sn_error *error, sn_status status, const char *function, int code_line,
                 const char *format, ...) SN_PRINTF(5, 6);

// Adds where it happened, as far as not known yet. `source` and `place_format` may be NULL, `line`
// 0.
void sni_error_source(sn_error *error, const char *source);
void sni_error_place(sn_error *error, uint32_t line, const char *place_format, ...) SN_PRINTF(3, 4);

// Asserts a contract within the library. Kept in release builds: a broken contract found late is
// worse than the cost of the checks. They stand outside of inner loops.
#define SN_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : sni_assert_failed(#condition, __FILE__, __LINE__))

// Asserts what takes a walk over a whole structure, `sni_X_is_valid(x)`: in debug and sanitized
// builds alone. Elsewhere the condition is compiled but not evaluated.
#if SNI_VALIDATE
#define SN_VALIDATE(condition) SN_ASSERT(condition)
#else
#define SN_VALIDATE(condition) ((void)sizeof(condition))
#endif

_Noreturn void sni_assert_failed(const char *condition, const char *file, int line);

#endif
