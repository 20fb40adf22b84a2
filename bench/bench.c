// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"

#include "base/error.h"
#include "sinew/json.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double least_seconds = 1.0 / 3, most_seconds = 3;
static const int least_runs = 5;

// A family of rows; its rows' names start with its own.
typedef struct family {
    const char *name;
    sn_status (*run)(snb_report *report, sn_error *error);
} family;

static const family families[] = {
    {"anatomy", snb_anatomy}, {"blend", snb_blend}, {"curves", snb_curves},
    {"edit", snb_edit},       {"face", snb_face},   {"implicit", snb_implicit},
    {"load", snb_load},       {"wrap", snb_wrap},
};
static const size_t family_count = sizeof families / sizeof families[0];

double snb_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double snb_time(void (*work)(void *user), void *user) {
    work(user);
    double best = 0, start = snb_now();
    double gone = 0;
    for (int i = 0; (i < least_runs && gone < most_seconds) || gone < least_seconds; ++i) {
        double before = snb_now();
        work(user);
        double seconds = snb_now() - before;
        best = i == 0 || seconds < best ? seconds : best;
        gone = snb_now() - start;
    }
    return best * 1e3;
}

bool snb_add(snb_report *report, const char *name, uint32_t size, double ms, const char *reference,
             double reference_ms, double target) {
    snb_result *results =
        realloc(report->results, ((size_t)report->count + 1) * sizeof *report->results);
    if (results == NULL) {
        return false;
    }
    report->results = results;
    snb_result *r = &results[report->count++];
    *r = (snb_result){.size = size, .ms = ms};
    snprintf(r->name, sizeof r->name, "%s", name);
    if (reference != NULL && reference_ms > 0) {
        snprintf(r->reference, sizeof r->reference, "%s", reference);
        r->reference_ms = reference_ms;
        r->ratio = reference_ms / ms;
        r->target = target;
        r->met = r->ratio >= target;
    }
    return true;
}

bool snb_wants(const snb_report *report, const char *name) {
    return report->name == NULL || strncmp(report->name, name, strlen(report->name)) == 0;
}

void snb_note(snb_report *report, const char *format, ...) {
    char(*notes)[SNB_NOTE] =
        realloc(report->notes, ((size_t)report->note_count + 1) * sizeof *report->notes);
    if (notes != NULL) {
        va_list arguments;
        report->notes = notes;
        va_start(arguments, format);
        vsnprintf(notes[report->note_count++], SNB_NOTE, format, arguments);
        va_end(arguments);
    }
}

// Four significant digits: more are noise.
static double rounded(double value) {
    char text[32];
    snprintf(text, sizeof text, "%.4g", value);
    return strtod(text, NULL);
}

// The processor's name as Linux gives it.
static void processor_name(char *text, size_t size) {
    snprintf(text, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void add_row(sn_json *json, sn_value *rows, const snb_result *r) {
    sn_value *row = sn_json_add_object(json, rows, NULL);
    sn_json_add_string(json, row, "name", r->name);
    sn_json_add_number(json, row, "size", r->size);
    sn_json_add_number(json, row, "ms", rounded(r->ms));
    if (r->mb_per_s > 0) {
        sn_json_add_number(json, row, "mb_per_s", rounded(r->mb_per_s));
        sn_json_add_number(json, row, "peak_memory_ratio", rounded(r->peak_memory_ratio));
    }
    if (r->reference[0] == 0) {
        static const char *const keys[] = {"reference", "ratio", "target", "met"};
        for (int i = 0; i < 4; ++i) {
            sn_json_add_null(json, row, keys[i]);
        }
        return;
    }
    sn_value *reference = sn_json_add_object(json, row, "reference");
    sn_json_add_string(json, reference, "name", r->reference);
    sn_json_add_number(json, reference, "ms", rounded(r->reference_ms));
    sn_json_add_number(json, row, "ratio", rounded(r->ratio));
    sn_json_add_number(json, row, "target", r->target);
    sn_json_add_bool(json, row, "met", r->met);
}

static sn_status write_json(const snb_report *report, FILE *out, sn_error *error) {
    sn_json *json = NULL;
    sn_status status = sn_json_create(report->context, &json, error);
    if (status != SN_OK) {
        return status;
    }
    char processor[128];
    processor_name(processor, sizeof processor);
    sn_value *root = sn_json_root(json);
    sn_value *machine = sn_json_add_object(json, root, "machine");
    sn_json_add_string(json, machine, "processor", processor);
    sn_json_add_number(json, machine, "cores", (double)sysconf(_SC_NPROCESSORS_ONLN));
    sn_json_add_number(json, machine, "threads", sn_context_thread_count(report->context));
    if (report->bandwidth > 0) {
        sn_json_add_number(json, machine, "bandwidth_gb_s", rounded(report->bandwidth * 1e-9));
    }
    sn_value *rows = sn_json_add_array(json, root, "results");
    for (uint32_t i = 0; i < report->count; ++i) {
        add_row(json, rows, &report->results[i]);
    }
    sn_value *notes = report->note_count > 0 ? sn_json_add_array(json, root, "notes") : NULL;
    for (uint32_t i = 0; i < report->note_count; ++i) {
        sn_json_add_string(json, notes, NULL, report->notes[i]);
    }
    char *text = NULL;
    size_t size = 0;
    status = sn_json_write(json, &text, &size, error);
    if (status == SN_OK) {
        fwrite(text, 1, size, out);
        sn_json_free_text(report->context, text);
    }
    sn_json_destroy(json);
    return status;
}

static void write_table(const snb_report *report, FILE *out) {
    fprintf(out, "%-24s %9s %10s  %-36s %10s %8s %7s\n", "name", "size", "ms", "reference", "ms",
            "ratio", "target");
    for (uint32_t i = 0; i < report->count; ++i) {
        const snb_result *r = &report->results[i];
        fprintf(out, "%-24s %9u %10.4f  ", r->name, r->size, r->ms);
        if (r->reference[0] == 0) {
            fprintf(out, "%-36s %10s %8s %7s\n", "-", "-", "-", "-");
        } else {
            fprintf(out, "%-36s %10.4f %8.2f %7g  %s\n", r->reference, r->reference_ms, r->ratio,
                    r->target, r->met ? "met" : "missed");
        }
        if (r->mb_per_s > 0) {
            fprintf(out, "%-24s %9s %10.0f  MB/s, at most %.2f times the file in memory\n", "", "",
                    r->mb_per_s, r->peak_memory_ratio);
        }
    }
    for (uint32_t i = 0; i < report->note_count; ++i) {
        fprintf(out, "%s\n", report->notes[i]);
    }
}

// Whether a family has rows that start with `name`; what it measures besides is dropped.
static bool family_fits(const family *f, const char *name) {
    size_t length = strlen(f->name);
    return name == NULL || (strncmp(f->name, name, strlen(name)) == 0) ||
           (strncmp(f->name, name, length) == 0 && name[length] == '/');
}

static void keep_rows(snb_report *report, const char *name) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < report->count; ++i) {
        if (name == NULL || strncmp(report->results[i].name, name, strlen(name)) == 0) {
            report->results[kept++] = report->results[i];
        }
    }
    report->count = kept;
    uint32_t kept_notes = 0;
    for (uint32_t i = 0; i < report->note_count; ++i) {
        if (name == NULL || strncmp(report->notes[i], name, strlen(name)) == 0) {
            memmove(report->notes[kept_notes++], report->notes[i], SNB_NOTE);
        }
    }
    report->note_count = kept_notes;
}

static int run_families(snb_report *report, const char *name, bool json, FILE *out) {
    sn_error error = {0};
    sn_status status = SN_OK;
    for (size_t i = 0; i < family_count && status == SN_OK; ++i) {
        if (family_fits(&families[i], name)) {
            status = families[i].run(report, &error);
        }
    }
    keep_rows(report, name);
    if (status == SN_OK && report->count == 0) {
        fprintf(stderr, "bench: there is no benchmark \"%s\"\n", name);
        return 2;
    }
    if (status == SN_OK && json) {
        status = write_json(report, out, &error);
    } else if (status == SN_OK) {
        write_table(report, out);
    }
    if (status != SN_OK) {
        char text[1024];
        sn_error_format(&error, text, sizeof text);
        fprintf(stderr, "bench: %s\n", text);
        return 1;
    }
    return 0;
}

int snb_run(const char *name_or_null, bool json, uint32_t threads, FILE *out) {
    sn_context_desc desc = sn_context_desc_default();
    sn_error error = {0};
    snb_report report = {.name = name_or_null, .progress = isatty(STDERR_FILENO) ? stderr : NULL};
    desc.thread_count = threads;
    if (sn_context_create(&desc, &report.context, &error) != SN_OK) {
        fprintf(stderr, "bench: %s\n", error.message);
        return 1;
    }
    int exit_status = run_families(&report, name_or_null, json, out);
    free(report.results);
    free(report.notes);
    sn_context_destroy(report.context);
    return exit_status;
}

int snb_in_context(uint32_t threads,
                   sn_status (*run)(sn_context *context, const void *options, sn_error *error),
                   const void *options) {
    sn_context_desc desc = sn_context_desc_default();
    sn_context *context = NULL;
    sn_error error = {0};
    desc.thread_count = threads;
    sn_status status = sn_context_create(&desc, &context, &error);
    if (status == SN_OK) {
        status = run(context, options, &error);
        sn_context_destroy(context);
    }
    if (status != SN_OK) {
        char text[1024];
        sn_error_format(&error, text, sizeof text);
        fprintf(stderr, "bench: %s\n", text);
    }
    return status == SN_OK ? 0 : 1;
}

sn_status snb_write_page(const char *path, void (*write)(const void *user, FILE *out),
                         const void *user, sn_error *error) {
    FILE *out = path != NULL ? fopen(path, "w") : stdout;
    if (out == NULL) {
        return sni_fail(error, SN_IO, "cannot write %s", path);
    }
    write(user, out);
    bool failed = ferror(out) != 0;
    failed |= out != stdout && fclose(out) != 0;
    return failed
               ? sni_fail(error, SN_IO, "cannot write %s", path != NULL ? path : "standard output")
               : SN_OK;
}
