// SPDX-License-Identifier: Apache-2.0
//
// The benchmarks: how long things take beside what they are measured against.
//
// A row is one figure: a name, a size, our time, and a reference (another program, the memory's
// bandwidth, or a budget). `ratio` is the reference's time over ours, higher is better; `target` is
// the smallest ratio that counts as met.
#ifndef SINEW_BENCH_H
#define SINEW_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Runs the benchmarks whose names start with `name_or_null` (all for NULL) with `threads` threads
// (0: all cores) and writes a table, or with `json` an object, to `out`. Returns an exit status: 0;
// 1 when something failed, 2 for a name that fits nothing, each with one line on stderr.
int snb_run(const char *name_or_null, bool json, uint32_t threads, FILE *out);

// Every body with every clip (rigs/rigs.h): a page, and a picture.
typedef struct snb_rigs_options {
    const char *data;    // folder; NULL: the shared data
    const char *page;    // file; NULL: standard output
    const char *picture; // file; NULL: none
    uint32_t frames;     // in which a skin is measured
    uint32_t threads;    // 0: all cores
} snb_rigs_options;

// Returns an exit status: 0, or 1 with one line on stderr.
int snb_rigs_run(const snb_rigs_options *options);

// Scanned expressions made by muscles (face/face.h): a page.
typedef struct snb_face_options {
    const char *data; // folder of a head and its expressions
    const char *only; // names of expressions with commas between them; NULL: all
    const char *page; // file; NULL: standard output
    uint32_t threads; // 0: all cores
} snb_face_options;

// Returns an exit status: 0, or 1 with one line on stderr.
int snb_face_run(const snb_face_options *options);

// ---------------------------------------------------------------------------------------------
// For the benchmarks themselves

#include "sinew/base.h"

#define SNB_TEXT 64
#define SNB_NOTE 160

typedef struct snb_result {
    char name[SNB_TEXT]; // "blend/linear"
    uint32_t size;
    double ms;
    char reference[SNB_TEXT]; // empty: the reference is not installed
    double reference_ms;
    double ratio;  // reference_ms / ms
    double target; // smallest ratio that counts as met
    bool met;
    double mb_per_s;          // files only, else 0
    double peak_memory_ratio; // files only: memory in use at most, over the file's size
} snb_result;

typedef struct snb_report {
    sn_context *context;
    const char *name; // what rows' names must start with, or NULL
    uint32_t count;
    snb_result *results; // from malloc
    double bandwidth;    // bytes per second, 0 before it is measured
    uint32_t note_count;
    char (*notes)[SNB_NOTE]; // from malloc
    FILE *progress;          // says what runs; NULL: nothing
} snb_report;

// Adds a row. `reference` NULL: it is not installed. False when memory runs out.
bool snb_add(snb_report *report, const char *name, uint32_t size, double ms, const char *reference,
             double reference_ms, double target);

// Whether a row of that name is asked for, so that what nobody wants need not be measured.
bool snb_wants(const snb_report *report, const char *name);

// Adds a line that stands below the table: "NAME: ...", what the rows of that name say together.
void snb_note(snb_report *report, const char *format, ...) SN_PRINTF(2, 3);

// The path of shared data that are not sinew's: below SINEW_TEST_DATA, else ../shared/data beside
// the sources.
void snb_data_path(const char *below, char *path, size_t size);

// Runs work that is no family of rows in a context with `threads` threads (0: all cores). Returns
// an exit status: 0, or 1 with one line on stderr.
int snb_in_context(uint32_t threads,
                   sn_status (*run)(sn_context *context, const void *options, sn_error *error),
                   const void *options);

// Writes a page to a file; `path` NULL: to standard output.
sn_status snb_write_page(const char *path, void (*write)(const void *user, FILE *out),
                         const void *user, sn_error *error);

// Seconds on a clock that only moves forward.
double snb_now(void);

// The shortest time of `work(user)` in milliseconds: after one run to warm up, at least five runs
// (fewer where they take more than three seconds) and at least a third of a second.
double snb_time(void (*work)(void *user), void *user);

// Bytes per second that the context's threads move between memory and themselves: the best of copy
// (a = b) and triad (a = b + s c) over arrays that no cache holds, with ordinary stores and with
// stores past the caches. Bytes are counted as read and written by the program. Measured once for a
// report. 0 when memory runs out.
double snb_bandwidth(snb_report *report);

// Another program's times. The program is asked once; lines "KEY SIZE MS" are its answer.
typedef struct snb_reference {
    char name[SNB_TEXT]; // with its version; empty when it is not installed
    uint32_t count;
    struct {
        char key[SNB_TEXT];
        uint32_t size;
        double ms;
    } times[64];
} snb_reference;

// Runs a script of this folder in Blender with words of arguments behind it, on as many threads as
// the context has.
void snb_ask_blender(const snb_report *report, const char *script, const char *arguments,
                     snb_reference *reference);

// Its time in milliseconds, 0 when it has none.
double snb_reference_ms(const snb_reference *reference, const char *key, uint32_t size);

sn_status snb_anatomy(snb_report *report, sn_error *error);
sn_status snb_blend(snb_report *report, sn_error *error);
sn_status snb_face(snb_report *report, sn_error *error);
sn_status snb_edit(snb_report *report, sn_error *error);
sn_status snb_curves(snb_report *report, sn_error *error);
sn_status snb_implicit(snb_report *report, sn_error *error);
sn_status snb_load(snb_report *report, sn_error *error);
sn_status snb_wrap(snb_report *report, sn_error *error);

#endif
