// SPDX-License-Identifier: Apache-2.0
//
// Running the program in tests. Define _GNU_SOURCE before.
#ifndef SNT_CLI_PROGRAM_H
#define SNT_CLI_PROGRAM_H

#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct result {
    int status;
    char out[32768];
    char err[8192];
} result;

static inline void read_all(const char *path, char *text, size_t size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static inline pid_t start(const char *const *arguments, const char *out, const char *err) {
    pid_t child = fork();
    if (child == 0) {
        dup2(open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
        dup2(open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
        execv(SNT_PROGRAM, (char *const *)arguments);
        _exit(99);
    }
    return child;
}

static inline int finish(pid_t child) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

// Runs `sinew` with words separated by single spaces.
static inline void run(result *r, const char *command_line) {
    char words[4096];
    const char *arguments[64] = {"sinew"};
    int count = 1;
    snprintf(words, sizeof words, "%s", command_line);
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        arguments[count++] = word;
    }
    char out[4096], err[4096];
    snprintf(out, sizeof out, "%s", snt_scratch("stdout"));
    snprintf(err, sizeof err, "%s", snt_scratch("stderr"));
    r->status = finish(start(arguments, out, err));
    read_all(out, r->out, sizeof r->out);
    read_all(err, r->err, sizeof r->err);
}

static inline void runf(result *r, const char *format, ...) SN_PRINTF(2, 3);
static inline void runf(result *r, const char *format, ...) {
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    run(r, line);
}

static inline void expect(const result *r, int status) {
    if (r->status != status) {
        print_error("expected status %d, found %d\nstdout: %s\nstderr: %s\n", status, r->status,
                    r->out, r->err);
        fail();
    }
}

static inline void expect_one_line(const result *r, const char *part) {
    const char *newline = strchr(r->err, '\n');
    if (newline == NULL || newline[1] != 0 || strstr(r->err, part) == NULL) {
        print_error("expected one line with \"%s\", found \"%s\"\n", part, r->err);
        fail();
    }
}

static inline void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static inline bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

#endif
