// SPDX-License-Identifier: Apache-2.0
//
// What all tests share. Include this first: it brings cmocka and its system headers.
#ifndef SNT_TEST_H
#define SNT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "sinew/base.h"

// A context with `thread_count` threads (0: all cores). Fails the test when it cannot be made.
sn_context *snt_context(uint32_t thread_count);

// Destroys it and fails the test when memory is still in use.
void snt_context_end(sn_context *context);

// Asserts success, printing the error's text otherwise.
void snt_ok_at(sn_status status, const sn_error *error, const char *file, int line);
#define snt_ok(call)                                                                               \
    do {                                                                                           \
        sn_error snt_error = {0};                                                                  \
        sn_error *error = &snt_error;                                                              \
        sn_status snt_status = (call);                                                             \
        snt_ok_at(snt_status, error, __FILE__, __LINE__);                                          \
    } while (0)

// Asserts that a call fails with `status` and that the error's whole text contains `text`. Inside
// `call` the error is named `error`:
//     snt_fails(SN_SYNTAX, "line 3", sn_json_parse(context, text, size, &json, error));
void snt_fails_at(sn_status status, sn_status expected, const sn_error *error, const char *text,
                  const char *file, int line);
#define snt_fails(expected, text, call)                                                            \
    do {                                                                                           \
        sn_error snt_error = {0};                                                                  \
        sn_error *error = &snt_error;                                                              \
        sn_status snt_status = (call);                                                             \
        snt_fails_at(snt_status, (expected), error, (text), __FILE__, __LINE__);                   \
    } while (0)

// Asserts |a - b| <= tolerance, printing both.
void snt_near_at(double a, double b, double tolerance, const char *file, int line);
#define snt_near(a, b, tolerance) snt_near_at((a), (b), (tolerance), __FILE__, __LINE__)

// The path of a file of the shared test data ($SINEW_TEST_DATA, else ../shared/data beside the
// source), in one of a few static buffers. Skips the running test, with a message, when the file is
// not there.
const char *snt_data(const char *relative);

// Whether long cases are wanted too: SINEW_THOROUGH is set, as in CI.
bool snt_thorough(void);

// Ends the test as skipped where it is not: for what takes long and has a shorter relative.
void snt_only_thorough(void);

// Ends the test as skipped; the reason is shown at the end of the test run.
void snt_skip(const char *format, ...) SN_PRINTF(1, 2);

// A path for a scratch file of this process; the folder is removed at exit.
const char *snt_scratch(const char *name);

// How many files and folders stand in a folder.
int snt_count_entries(const char *folder);

// A path for a glTF file: in the folder $SNT_GLTF_OUT, where tests/validator/run looks, else a
// scratch file.
const char *snt_gltf_output(const char *name);

// A file of the source tree.
const char *snt_source(const char *relative);

// Whether two files can be read and hold the same bytes.
bool snt_same_bytes(const char *a, const char *b);

// Runs `attempt` again and again, each time allowing one allocation more, until it returns SN_OK;
// every earlier run must return SN_OUT_OF_MEMORY and leave no memory in use.
void snt_fail_allocations(sn_status (*attempt)(sn_context *context, void *user, sn_error *error),
                          void *user);

// Random numbers with a printed seed; the same sequence everywhere.
typedef struct snt_random {
    uint64_t state;
} snt_random;
uint32_t snt_random_u32(snt_random *random);
double snt_random_range(snt_random *random, double low, double high);

// Whether two files are there and the same.
bool snt_same_bytes(const char *a, const char *b);

#endif
