// SPDX-License-Identifier: Apache-2.0
//
// Walking through text formats without copying: words, numbers and lines, with the line number for
// errors. Lines end in \n, \r\n or \r.
#ifndef SINEW_IO_TEXT_H
#define SINEW_IO_TEXT_H

#include "base/memory.h"

typedef struct sni_text {
    const char *at;
    const char *end;
    uint32_t line; // of `at`, from 1
} sni_text;

// Records a failure with the line it was found in.
#define sni_text_fail(text, error, status, ...)                                                    \
    (sni_fail((error), (status), __VA_ARGS__), sni_error_place((error), (text)->line, NULL),       \
     (status))

static inline bool sni_text_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static inline bool sni_text_is_break(char c) {
    return c == '\n' || c == '\r';
}

// Whether a number may end before `c`: at a blank, a line's end, a comment or a continued line.
static inline bool sni_text_ends_number(const sni_text *text, const char *c) {
    return c == text->end || sni_text_is_blank(*c) || sni_text_is_break(*c) || *c == '\\' ||
           *c == '#';
}

// Starts at the first byte, behind a byte order mark.
sni_text sni_text_begin(const char *bytes, size_t size);

// Steps over one line break.
void sni_text_break(sni_text *text);

// Skips blanks within the line. A backslash at the end of a line joins the next one to it.
void sni_text_skip_blanks(sni_text *text);

// Skips blanks and line breaks.
void sni_text_skip_space(sni_text *text);

// Skips to the end of the line, which a backslash may continue; `at` then stands on its break or at
// the end.
void sni_text_skip_line(sni_text *text);

// The same for a comment, which nothing continues.
void sni_text_skip_comment(sni_text *text);

// Whether nothing more stands in the line (blanks skipped).
static inline bool sni_text_line_ended(sni_text *text) {
    sni_text_skip_blanks(text);
    return text->at == text->end || sni_text_is_break(*text->at);
}

// A piece of the text.
typedef struct sni_word {
    const char *start;
    size_t length;
} sni_word;

// The next word of the line; empty at its end.
sni_word sni_text_word(sni_text *text);

// The rest of the line without blanks around it. A continued line stays one piece, as in the file.
sni_word sni_text_rest(sni_text *text);

// A copy of it, continued lines joined by one blank. Free with sni_free; NULL when memory runs out.
char *sni_word_copy(sn_context *context, sni_word word);

// Compares without regard to case.
bool sni_word_is(sni_word word, const char *expected);

// A number that fits a float, or any finite number. `what` names it in the error.
sn_status sni_text_float(sni_text *text, const char *what, float *number, sn_error *error);
sn_status sni_text_double(sni_text *text, const char *what, double *number, sn_error *error);
sn_status sni_text_uint(sni_text *text, const char *what, uint32_t *number, sn_error *error);

// What stands at the next word, for errors: "\"abc\"", "the end of the line", "the end of the
// file".
typedef struct sni_found {
    char text[64];
} sni_found;
sni_found sni_text_found(sni_text *text);
sni_found sni_word_found(sni_word word);

#endif
