// SPDX-License-Identifier: Apache-2.0
//
// RFC 8259, strictly.
#include "base/json_internal.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t max_depth = 128;

// From this many members on, duplicate keys are looked for by sorting.
static const uint32_t sort_keys_from = 16;

typedef struct parser {
    sn_json *json;
    const char *at;
    const char *end;
    uint32_t line;
    uint32_t depth;
    sn_error *error;
} parser;

static sn_status parse_value(parser *p, sn_value **value);

static sn_status fail_here(parser *p, const char *expected) {
    char found[24];
    if (p->at == p->end) {
        snprintf(found, sizeof found, "the end");
    } else if ((unsigned char)*p->at < 0x20 || (unsigned char)*p->at > 0x7e) {
        snprintf(found, sizeof found, "byte 0x%02x", (unsigned char)*p->at);
    } else {
        snprintf(found, sizeof found, "'%c'", *p->at);
    }
    sni_fail(p->error, SN_SYNTAX, "expected %s, found %s", expected, found);
    sni_error_place(p->error, p->line, NULL);
    return SN_SYNTAX;
}

static sn_status fail_memory_here(parser *p) {
    sni_fail_memory(p->error);
    return SN_OUT_OF_MEMORY;
}

static void skip_space(parser *p) {
    for (; p->at < p->end; ++p->at) {
        if (*p->at == '\n') {
            p->line++;
        } else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r') {
            return;
        }
    }
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex4(parser *p, uint32_t *code) {
    if (p->end - p->at < 4) {
        return false;
    }
    *code = 0;
    for (int i = 0; i < 4; ++i) {
        int digit = hex_digit(p->at[i]);
        if (digit < 0) {
            return false;
        }
        *code = *code * 16 + (uint32_t)digit;
    }
    p->at += 4;
    return true;
}

static size_t write_utf8(uint32_t code, char *out) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | (code >> 6));
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | (code >> 12));
        out[1] = (char)(0x80 | ((code >> 6) & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | (code >> 18));
    out[1] = (char)(0x80 | ((code >> 12) & 0x3f));
    out[2] = (char)(0x80 | ((code >> 6) & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

// The bytes of the UTF-8 sequence at `c`, 0 when it is not one (RFC 3629).
static size_t utf8_length(const char *c, const char *end) {
    const unsigned char *u = (const unsigned char *)c;
    size_t length = u[0] < 0x80   ? 1
                    : u[0] < 0xc2 ? 0
                    : u[0] < 0xe0 ? 2
                    : u[0] < 0xf0 ? 3
                    : u[0] < 0xf5 ? 4
                                  : 0;
    if (length == 0 || (size_t)(end - c) < length) {
        return 0;
    }
    for (size_t i = 1; i < length; ++i) {
        if ((u[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xf0 && u[1] < 0x90);
    bool surrogate = u[0] == 0xed && u[1] > 0x9f;
    bool beyond = u[0] == 0xf4 && u[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : length;
}

static sn_status parse_unicode_escape(parser *p, char *out, size_t *used) {
    uint32_t code, low;
    if (!read_hex4(p, &code) || code == 0) {
        return fail_here(p, "four hex digits of a character other than NUL");
    }
    if (code >= 0xdc00 && code < 0xe000) {
        return fail_here(p, "the high half of a surrogate pair first");
    }
    if (code >= 0xd800 && code < 0xdc00) {
        bool pair = p->end - p->at >= 6 && p->at[0] == '\\' && p->at[1] == 'u';
        p->at += pair ? 2 : 0;
        if (!pair || !read_hex4(p, &low) || low < 0xdc00 || low > 0xdfff) {
            return fail_here(p, "the low half of a surrogate pair");
        }
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    *used += write_utf8(code, out + *used);
    return SN_OK;
}

static sn_status parse_escape(parser *p, char *out, size_t *used) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    ++p->at;
    const char *known = p->at < p->end && *p->at != 0 ? strchr(from, *p->at) : NULL;
    if (known != NULL) {
        out[(*used)++] = to[known - from];
        ++p->at;
        return SN_OK;
    }
    if (p->at < p->end && *p->at == 'u') {
        ++p->at;
        return parse_unicode_escape(p, out, used);
    }
    return fail_here(p, "an escaped character");
}

// A string is never longer than its text, so the text's length up to the quote is room enough.
static sn_status parse_string(parser *p, const char **string) {
    const char *quote = ++p->at;
    while (quote < p->end && *quote != '"') {
        quote += *quote == '\\' && quote + 1 < p->end ? 2 : 1;
    }
    char *out = sni_arena_alloc_small(&p->json->arena, (size_t)(quote - p->at) + 1, 1);
    if (out == NULL) {
        return fail_memory_here(p);
    }
    size_t used = 0;
    for (;;) {
        if (p->at == p->end || (unsigned char)*p->at < 0x20) {
            return fail_here(p, "the closing quote of a string");
        }
        if (*p->at == '"') {
            ++p->at;
            break;
        }
        if (*p->at == '\\') {
            sn_status status = parse_escape(p, out, &used);
            if (status != SN_OK) {
                return status;
            }
            continue;
        }
        size_t length = utf8_length(p->at, p->end);
        if (length == 0) {
            return fail_here(p, "text in UTF-8");
        }
        memcpy(out + used, p->at, length);
        used += length;
        p->at += length;
    }
    out[used] = 0;
    *string = out;
    return SN_OK;
}

// JSON allows fewer forms than sni_number_read: no plus, no leading zeros, digits on both sides of
// the point.
static bool number_form_is_json(const char *c, const char *end) {
    c += c < end && *c == '-';
    const char *whole = c;
    while (c < end && *c >= '0' && *c <= '9') {
        ++c;
    }
    bool leading_zero = c - whole > 1 && *whole == '0';
    if (c == whole || leading_zero) {
        return false;
    }
    return c == end || *c != '.' || (c + 1 < end && c[1] >= '0' && c[1] <= '9');
}

static sn_status parse_number(parser *p, sn_value *value) {
    double number;
    const char *behind =
        number_form_is_json(p->at, p->end) ? sni_number_read(p->at, p->end, &number) : NULL;
    if (behind == NULL) {
        return fail_here(p, "a value");
    }
    if (!isfinite(number)) {
        sni_fail(p->error, SN_SYNTAX, "the number %.*s is too large",
                 (int)(behind - p->at > 40 ? 40 : behind - p->at), p->at);
        sni_error_place(p->error, p->line, NULL);
        return SN_SYNTAX;
    }
    p->at = behind;
    value->type = SN_JSON_NUMBER;
    value->as.number = number;
    return SN_OK;
}

static int compare_keys(const void *a, const void *b) {
    const sn_value *const *x = a, *const *y = b;
    int order = strcmp((*x)->key, (*y)->key);
    return order != 0 ? order : ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

static sn_status fail_duplicate(parser *p, const sn_value *again) {
    sni_fail(p->error, SN_SYNTAX, "the key \"%s\" is used twice in one object", again->key);
    sni_error_place(p->error, again->line, NULL);
    return SN_SYNTAX;
}

static sn_status check_keys_differ(parser *p, const sn_value *object) {
    uint32_t count = object->as.children.count;
    sn_value **items = object->as.children.items;
    if (count < sort_keys_from) {
        for (uint32_t i = 0; i < count; ++i) {
            for (uint32_t k = 0; k < i; ++k) {
                if (strcmp(items[i]->key, items[k]->key) == 0) {
                    return fail_duplicate(p, items[i]);
                }
            }
        }
        return SN_OK;
    }
    sn_value **sorted = sni_copy(p->json->context, items, count, sizeof *items);
    if (sorted == NULL) {
        return fail_memory_here(p);
    }
    qsort(sorted, count, sizeof *sorted, compare_keys);
    sn_status status = SN_OK;
    for (uint32_t i = 1; i < count && status == SN_OK; ++i) {
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0) {
            status = fail_duplicate(p, sorted[i]);
        }
    }
    sni_free(p->json->context, sorted);
    return status;
}

static sn_status parse_member(parser *p, sn_value *container) {
    const char *key = NULL;
    sn_status status;
    if (container->type == SN_JSON_OBJECT) {
        if (p->at == p->end || *p->at != '"') {
            return fail_here(p, "a key in quotes");
        }
        if ((status = parse_string(p, &key)) != SN_OK) {
            return status;
        }
        skip_space(p);
        if (p->at == p->end || *p->at != ':') {
            return fail_here(p, "':'");
        }
        ++p->at;
        skip_space(p);
    }
    sn_value *value = NULL;
    if ((status = parse_value(p, &value)) != SN_OK) {
        return status;
    }
    SN_ASSERT(value != NULL);
    value->key = key;
    return sni_json_append(p->json, container, value) ? SN_OK : fail_memory_here(p);
}

static sn_status parse_container(parser *p, sn_value *container, char close) {
    if (++p->depth > max_depth) {
        sni_fail(p->error, SN_LIMIT, "nested deeper than %u", max_depth);
        sni_error_place(p->error, p->line, NULL);
        return SN_LIMIT;
    }
    ++p->at;
    skip_space(p);
    bool empty = p->at < p->end && *p->at == close;
    while (!empty) {
        sn_status status = parse_member(p, container);
        if (status != SN_OK) {
            return status;
        }
        skip_space(p);
        if (p->at < p->end && *p->at == close) {
            break;
        }
        if (p->at == p->end || *p->at != ',') {
            return fail_here(p, close == ']' ? "',' or ']'" : "',' or '}'");
        }
        ++p->at;
        skip_space(p);
    }
    ++p->at;
    --p->depth;
    return container->type == SN_JSON_OBJECT ? check_keys_differ(p, container) : SN_OK;
}

static bool take_word(parser *p, const char *word) {
    size_t length = strlen(word);
    bool found = (size_t)(p->end - p->at) >= length && memcmp(p->at, word, length) == 0;
    p->at += found ? length : 0;
    return found;
}

static sn_status parse_value(parser *p, sn_value **result) {
    if (p->at == p->end) {
        return fail_here(p, "a value");
    }
    sn_value *value = sni_json_new_value(p->json, SN_JSON_NULL, p->line);
    if (value == NULL) {
        return fail_memory_here(p);
    }
    *result = value;
    switch (*p->at) {
    case '{': value->type = SN_JSON_OBJECT; return parse_container(p, value, '}');
    case '[': value->type = SN_JSON_ARRAY; return parse_container(p, value, ']');
    case '"': value->type = SN_JSON_STRING; return parse_string(p, &value->as.string);
    case 't':
    case 'f':
        value->type = SN_JSON_BOOL;
        value->as.boolean = *p->at == 't';
        return take_word(p, value->as.boolean ? "true" : "false") ? SN_OK : fail_here(p, "a value");
    case 'n': return take_word(p, "null") ? SN_OK : fail_here(p, "a value");
    default: return parse_number(p, value);
    }
}

sn_status sn_json_parse(sn_context *context, const char *text, size_t size, sn_json **json,
                        sn_error *error) {
    sn_status status = sni_json_init(context, json, error);
    if (status != SN_OK) {
        return status;
    }
    parser p = {.json = *json, .at = text, .end = text + size, .line = 1, .error = error};
    bool has_mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    p.at += has_mark ? 3 : 0;
    skip_space(&p);
    status = parse_value(&p, &(*json)->root);
    skip_space(&p);
    if (status == SN_OK && p.at != p.end) {
        status = fail_here(&p, "the end of the text");
    }
    if (status != SN_OK) {
        sn_json_destroy(*json);
        *json = NULL;
    }
    return status;
}
