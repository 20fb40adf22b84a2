// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *sn_status_name(sn_status status) {
    switch (status) {
    case SN_OK: return "ok";
    case SN_OUT_OF_MEMORY: return "out of memory";
    case SN_IO: return "file";
    case SN_SYNTAX: return "syntax";
    case SN_INVALID: return "invalid";
    case SN_UNSUPPORTED: return "unsupported";
    case SN_LIMIT: return "limit";
    case SN_CANCELLED: return "cancelled";
    }
    return "unknown";
}

// Messages quote values from files: a control character in one of them must not break the line.
static void make_one_line(char *text) {
    for (unsigned char *c = (unsigned char *)text; *c != 0; ++c) {
        if (*c < 0x20 || *c == 0x7f) {
            *c = '?';
        }
    }
}

void sni_fail_at(sn_error *error, sn_status status, const char *function, int code_line,
                 const char *format, ...) {
    if (error == NULL || error->status != SN_OK) {
        return;
    }
    error->status = status;
    error->function = function;
    error->code_line = code_line;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    make_one_line(error->message);
}

void sni_error_source(sn_error *error, const char *source) {
    if (error == NULL || error->source[0] != 0 || source == NULL) {
        return;
    }
    snprintf(error->source, sizeof error->source, "%s", source);
    make_one_line(error->source);
}

void sni_error_place(sn_error *error, uint32_t line, const char *place_format, ...) {
    if (error == NULL || error->place[0] != 0 || error->line != 0) {
        return;
    }
    error->line = line;
    if (place_format != NULL) {
        va_list arguments;
        va_start(arguments, place_format);
        vsnprintf(error->place, sizeof error->place, place_format, arguments);
        va_end(arguments);
        make_one_line(error->place);
    }
}

void sn_error_format(const sn_error *error, char *text, size_t text_size) {
    if (text_size == 0) {
        return;
    }
    char line[16] = "";
    if (error->line != 0) {
        snprintf(line, sizeof line, ":%u", error->line);
    }
    const char *after_source = error->source[0] != 0 || error->line != 0 ? ": " : "";
    const char *after_place = error->place[0] != 0 ? ": " : "";
    snprintf(text, text_size, "%s%s%s%s%s%s", error->source, line, after_source, error->place,
             after_place, error->message[0] != 0 ? error->message : sn_status_name(error->status));
}

static void print_assertion(const char *condition, const char *file, int line) {
    fprintf(stderr, "%s:%d: broken contract: %s\n", file, line, condition);
}

static _Atomic(sn_assert_fn *) assert_handler = print_assertion;

void sn_set_assert_handler(sn_assert_fn *handler) {
    atomic_store(&assert_handler, handler != NULL ? handler : print_assertion);
}

_Noreturn void sni_assert_failed(const char *condition, const char *file, int line) {
    sn_assert_fn *handler = atomic_load(&assert_handler);
    handler(condition, file, line);
    abort();
}
