// SPDX-License-Identifier: Apache-2.0
//
// Base of sinew: the context that every object is made in, errors, memory, parallel loops, progress
// and log.
//
// The library never prints, never exits and keeps no global state, with one exception: an
// assertion that fails, which is a bug in sinew, ends the program with a line on stderr, or calls
// the handler given to sn_set_assert_handler. What a host wants to decide for itself (memory,
// threads, where messages go) is set once, in `sn_context_desc`; two contexts never share anything.
// Calls from several threads are safe as long as no two of them change the same object. Only its
// creation and destruction count as changes of a context: any number of threads may make and use
// objects in one context at the same time. A host's allocator and log must therefore be
// thread-safe; its pool is given one loop at a time.
#ifndef SINEW_BASE_H
#define SINEW_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SN_VERSION "0.1.0"

#if defined(_WIN32)
#define SN_API
#else
#define SN_API __attribute__((visibility("default")))
#endif
// A call whose shape may still change.
#define SN_EXPERIMENTAL SN_API

// "No element": the value of an index that points nowhere.
#define SN_NONE UINT32_MAX

#if defined(__GNUC__)
#define SN_PRINTF(format_index, first_argument)                                                    \
    __attribute__((format(printf, format_index, first_argument)))
#else
#define SN_PRINTF(format_index, first_argument)
#endif

// ---------------------------------------------------------------------------------------------
// Errors

// The kinds of failure of a call. The numbers are kept for ever.
typedef enum sn_status {
    SN_OK = 0,
    SN_OUT_OF_MEMORY = 1, // the allocator refused, or one of its limits was reached
    SN_IO = 2,            // a file could not be opened, read or written
    SN_SYNTAX = 3,        // bytes that do not follow their format
    SN_INVALID = 4,       // well-formed but wrong: value out of range, unknown name, cycle
    SN_UNSUPPORTED = 5,   // correct, but sinew does not support it
    SN_LIMIT = 6,         // a limit on depth, count or size was exceeded
    SN_CANCELLED = 7,     // the progress callback asked to stop
} sn_status;

// Called when an assertion fails; `condition` is its text. The program ends when the handler
// returns; a handler may also leave by longjmp, after which no object of the library may be used.
typedef void sn_assert_fn(const char *condition, const char *file, int line);

// Sets the handler for the whole process; NULL restores the line on stderr.
SN_API void sn_set_assert_handler(sn_assert_fn *handler);

// The first failure of a call. Zero-initialise it before use (`sn_error error = {0};`); a call that
// succeeds leaves it alone. Wherever a call takes `sn_error *error`, NULL is allowed.
typedef struct sn_error {
    sn_status status;
    char message[512];    // what is wrong and with which value, one line
    char source[512];     // file in which it was found, empty when there is none
    char place[256];      // element within the file: "/skeleton/elbow/limits_deg", "accessor 3"
    uint32_t line;        // line in the file, from 1; 0 when it has no lines
    const char *function; // where in the library the failure was noticed
    int code_line;
} sn_error;

// Writes "source:line: place: message" (the parts that are known) into `text`, always terminated.
SN_API void sn_error_format(const sn_error *error, char *text, size_t text_size);

// A short name for a status: "out of memory", "invalid", ...
SN_API const char *sn_status_name(sn_status status);

// Leaves a function by its `cleanup` label when a call fails, so that a function with several steps
// reads as a list of them. The function has a local `sn_status status`.
#define SN_TRY(call)                                                                               \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != SN_OK) {                                                                     \
            goto cleanup;                                                                          \
        }                                                                                          \
    } while (0)

// ---------------------------------------------------------------------------------------------
// Context

// Where memory comes from. `alloc` returns `size` bytes aligned to `alignment` or NULL; `free` gets
// back the same size. Both NULL means malloc. Limits of 0 mean no limit; beyond a limit every call
// that needs memory returns SN_OUT_OF_MEMORY and leaves its inputs as they were.
typedef struct sn_allocator {
    void *(*alloc)(size_t size, size_t alignment, void *user);
    void (*free)(void *memory, size_t size, void *user);
    void *user;
    size_t byte_limit;  // largest number of bytes in use at once
    size_t count_limit; // largest number of allocations over the life of the context
} sn_allocator;

typedef enum sn_log_level {
    SN_LOG_DEBUG = 0,
    SN_LOG_INFO = 1,
    SN_LOG_WARNING = 2, // the result is usable, but something in the input was not as expected
} sn_log_level;

// Receives messages of the library that are not errors. `topic` is the part of the library that
// they come from: "io", "skin", ...
typedef void sn_log_fn(sn_log_level level, const char *topic, const char *message, void *user);

// A block of a parallel loop: items [begin, end). `worker` < sn_context_thread_count() selects
// scratch memory only; results must not depend on it.
typedef void sn_block_fn(uint32_t begin, uint32_t end, uint32_t worker, void *user);

// A host's own thread pool: calls `run(block, worker, run_user)` once for each block < block_count,
// in any order, with worker < thread_count and never two at once with the same worker, and returns
// when all are done.
typedef void sn_pool_fn(uint32_t block_count,
                        void (*run)(uint32_t block, uint32_t worker, void *run_user),
                        void *run_user, void *user);

// Which instructions the inner loops may use. The results are the same, bit for bit.
typedef enum sn_cpu {
    SN_CPU_AUTO = 0,     // the best that the processor has
    SN_CPU_BASELINE = 1, // those that every processor of its kind has
    SN_CPU_AVX2 = 2,     // AVX2, FMA and BMI2 (x86-64-v3): processors since 2013
} sn_cpu;

typedef struct sn_context_desc {
    uint32_t check;         // set by sn_context_desc_default
    sn_allocator allocator; // default malloc without limits
    uint32_t thread_count;  // 0: as many as there are cores
    sn_log_fn *log;         // NULL: messages are dropped
    void *log_user;
    sn_pool_fn *pool; // NULL: sinew's own threads
    void *pool_user;
    sn_cpu cpu;
    uint32_t kept_warnings; // how many different warnings are kept; those that are kept already do
                            // not come to `log` again; default 0
} sn_context_desc;

typedef struct sn_context sn_context;

SN_API sn_context_desc sn_context_desc_default(void);

// Makes a context. Fails with SN_OUT_OF_MEMORY, SN_INVALID (no default taken) or SN_UNSUPPORTED
// when the processor lacks instructions that desc->cpu asks for or that the whole build uses.
SN_API sn_status sn_context_create(const sn_context_desc *desc, sn_context **context,
                                   sn_error *error);

// Destroys a context after everything that was made in it. NULL is allowed.
SN_API void sn_context_destroy(sn_context *context);

SN_API uint32_t sn_context_thread_count(const sn_context *context);

// What is used: SN_CPU_BASELINE or better.
SN_API sn_cpu sn_context_cpu(const sn_context *context);

// Bytes in use now and allocations made so far.
SN_API size_t sn_context_bytes(const sn_context *context);
SN_API size_t sn_context_allocations(const sn_context *context);

// Warnings that were kept, each text once, in the order in which they came first. Texts stay until
// the context is destroyed. `topic` may be NULL. Not to be called while other calls of the context
// run.
SN_EXPERIMENTAL uint32_t sn_context_warning_count(const sn_context *context);
SN_EXPERIMENTAL const char *sn_context_warning(const sn_context *context, uint32_t index,
                                               const char **topic);

// Runs `fn` over [0, count) in blocks of `grain` items (the last may be shorter). The blocks depend
// on `count` and `grain` alone, so a sum with one partial per block has the same bits for any
// number of threads. Called from within a block, it runs its own blocks in order, all with worker
// 0: scratch memory that is selected by worker must therefore belong to one loop.
SN_API void sn_parallel_for(sn_context *context, uint32_t count, uint32_t grain, sn_block_fn *fn,
                            void *user);

// Partial sum of items [begin, end).
typedef double sn_sum_fn(uint32_t begin, uint32_t end, void *user);

// The sum of `fn` over blocks of `grain` items, partials added in block order: one result for any
// number of threads. Fails only with SN_OUT_OF_MEMORY.
SN_API sn_status sn_parallel_sum(sn_context *context, uint32_t count, uint32_t grain, sn_sum_fn *fn,
                                 void *user, double *sum, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Progress

// Long work calls `report` with the name of the step and the fraction done, 0 to 1, at least ten
// times a second where it can. Returning false cancels: the call then fails with SN_CANCELLED and
// leaves no half-made result. Wherever a call takes `const sn_progress *`, NULL is allowed.
typedef struct sn_progress {
    bool (*report)(const char *step, double fraction, void *user);
    void *user;
} sn_progress;

// ---------------------------------------------------------------------------------------------
// Ranges

// Sets marks[i] to 1 for every number i that a text names: "12,40-60", or "all". Other marks stay.
// `marks` has `count` entries. Fails with SN_INVALID and the part that is no number or range below
// `count`.
SN_API sn_status sn_ranges_mark(const char *text, uint32_t count, uint8_t *marks, sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
