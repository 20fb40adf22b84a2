// SPDX-License-Identifier: Apache-2.0
#include "io/text.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

sni_text sni_text_begin(const char *bytes, size_t size) {
    SN_ASSERT(size == 0 || bytes != NULL);
    bool has_mark = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
    return (sni_text){.at = bytes + (has_mark ? 3 : 0), .end = bytes + size, .line = 1};
}

void sni_text_break(sni_text *text) {
    if (text->at == text->end) {
        return;
    }
    bool is_pair = *text->at == '\r' && text->end - text->at > 1 && text->at[1] == '\n';
    text->at += is_pair ? 2 : 1;
    text->line++;
}

void sni_text_skip_blanks(sni_text *text) {
    while (text->at < text->end) {
        if (sni_text_is_blank(*text->at)) {
            text->at++;
        } else if (*text->at == '\\' && text->end - text->at > 1 &&
                   sni_text_is_break(text->at[1])) {
            text->at++;
            sni_text_break(text);
        } else {
            return;
        }
    }
}

void sni_text_skip_space(sni_text *text) {
    for (sni_text_skip_blanks(text); text->at < text->end && sni_text_is_break(*text->at);
         sni_text_skip_blanks(text)) {
        sni_text_break(text);
    }
}

void sni_text_skip_line(sni_text *text) {
    while (!sni_text_line_ended(text)) {
        text->at++;
    }
}

void sni_text_skip_comment(sni_text *text) {
    while (text->at < text->end && !sni_text_is_break(*text->at)) {
        text->at++;
    }
}

sni_word sni_text_word(sni_text *text) {
    sni_text_skip_blanks(text);
    const char *start = text->at;
    const char *c = start;
    while (c < text->end && !sni_text_is_blank(*c) && !sni_text_is_break(*c)) {
        ++c;
    }
    text->at = c;
    return (sni_word){start, (size_t)(c - start)};
}

sni_word sni_text_rest(sni_text *text) {
    sni_text_skip_blanks(text);
    const char *start = text->at;
    const char *last = start; // behind the last character that is not blank
    while (!sni_text_line_ended(text)) {
        last = ++text->at;
    }
    return (sni_word){start, (size_t)(last - start)};
}

char *sni_word_copy(sn_context *context, sni_word word) {
    char *copy = sni_alloc(context, word.length + 1, 1);
    if (copy == NULL) {
        return NULL;
    }
    sni_text text = {.at = word.start, .end = word.start + word.length};
    size_t used = 0;
    while (text.at < text.end) {
        const char *before = text.at;
        uint32_t line = text.line;
        sni_text_skip_blanks(&text);
        if (text.line > line) {
            copy[used++] = ' ';
        } else if (text.at > before) {
            memcpy(copy + used, before, (size_t)(text.at - before));
            used += (size_t)(text.at - before);
        } else {
            copy[used++] = *text.at++;
        }
    }
    copy[used] = 0;
    return copy;
}

bool sni_word_is(sni_word word, const char *expected) {
    return strlen(expected) == word.length && strncasecmp(word.start, expected, word.length) == 0;
}

sni_found sni_word_found(sni_word word) {
    sni_found found;
    int shown = word.length < 40 ? (int)word.length : 40;
    snprintf(found.text, sizeof found.text, "\"%.*s%s\"", shown, word.start,
             word.length > 40 ? "..." : "");
    return found;
}

sni_found sni_text_found(sni_text *text) {
    if (sni_text_line_ended(text)) {
        sni_found found;
        snprintf(found.text, sizeof found.text, "the end of the %s",
                 text->at == text->end ? "file" : "line");
        return found;
    }
    sni_text copy = *text;
    return sni_word_found(sni_text_word(&copy));
}

sn_status sni_text_double(sni_text *text, const char *what, double *number, sn_error *error) {
    sni_text_skip_blanks(text);
    const char *behind = sni_number_read(text->at, text->end, number);
    if (behind == NULL || !sni_text_ends_number(text, behind)) {
        return sni_text_fail(text, error, SN_SYNTAX, "expected %s, found %s", what,
                             sni_text_found(text).text);
    }
    if (!isfinite(*number)) {
        return sni_text_fail(text, error, SN_INVALID, "%s is too large: %s", what,
                             sni_text_found(text).text);
    }
    text->at = behind;
    return SN_OK;
}

sn_status sni_text_float(sni_text *text, const char *what, float *number, sn_error *error) {
    double value;
    sni_text_skip_blanks(text);
    sni_text before = *text;
    sn_status status = sni_text_double(text, what, &value, error);
    if (status != SN_OK) {
        return status;
    }
    *number = (float)value;
    if (!isfinite(*number)) {
        return sni_text_fail(&before, error, SN_INVALID, "%s is too large: %s", what,
                             sni_text_found(&before).text);
    }
    return SN_OK;
}

sn_status sni_text_uint(sni_text *text, const char *what, uint32_t *number, sn_error *error) {
    sni_text_skip_blanks(text);
    const char *behind = sni_number_read_uint(text->at, text->end, number);
    if (behind == NULL || !sni_text_ends_number(text, behind)) {
        return sni_text_fail(text, error, SN_SYNTAX, "expected %s, found %s", what,
                             sni_text_found(text).text);
    }
    text->at = behind;
    return SN_OK;
}
