// SPDX-License-Identifier: Apache-2.0
#include "base/json_internal.h"

#include "base/memory.h"
#include "base/number.h"

#include <string.h>

// Containers that fit within this column stand on one line.
static const size_t line_width = 100;
// So do rows of a table, objects in a list whose members are all vectors, up to here: a body has
// thousands of sections of muscles.
static const size_t row_width = 160;

typedef struct writer {
    sn_context *context;
    char *text;
    size_t used;
    size_t capacity;
    bool out_of_memory;
} writer;

static void put(writer *w, const char *bytes, size_t count) {
    if (w->out_of_memory || count == 0) {
        return;
    }
    if (w->capacity - w->used < count) {
        size_t capacity = (w->capacity + count) * 2;
        char *larger = sni_alloc(w->context, capacity, 1);
        if (larger == NULL) {
            w->out_of_memory = true;
            return;
        }
        if (w->used > 0) {
            memcpy(larger, w->text, w->used);
        }
        sni_free(w->context, w->text);
        w->text = larger;
        w->capacity = capacity;
    }
    SN_ASSERT(w->text != NULL);
    memcpy(w->text + w->used, bytes, count);
    w->used += count;
}

static void put_text(writer *w, const char *text) {
    put(w, text, strlen(text));
}

static void put_string(writer *w, const char *string) {
    put(w, "\"", 1);
    for (const char *c = string; *c != 0; ++c) {
        static const char plain[] = "\"\\\b\f\n\r\t", escaped[] = "\"\\bfnrt";
        const char *known = strchr(plain, *c);
        if (known != NULL) {
            char pair[2] = {'\\', escaped[known - plain]};
            put(w, pair, 2);
        } else if ((unsigned char)*c < 0x20) {
            static const char hex[] = "0123456789abcdef";
            char code[6] = {'\\', 'u', '0', '0', hex[*c >> 4], hex[*c & 15]};
            put(w, code, 6);
        } else {
            put(w, c, 1);
        }
    }
    put(w, "\"", 1);
}

static void put_scalar(writer *w, const sn_value *value) {
    char number[SNI_NUMBER_BYTES];
    switch (value->type) {
    case SN_JSON_NULL: put_text(w, "null"); break;
    case SN_JSON_BOOL: put_text(w, value->as.boolean ? "true" : "false"); break;
    case SN_JSON_NUMBER: put(w, number, (size_t)sni_number_write(value->as.number, number)); break;
    default: put_string(w, value->as.string); break;
    }
}

static bool is_scalar(const sn_value *value) {
    return value->type != SN_JSON_ARRAY && value->type != SN_JSON_OBJECT;
}

static void put_key(writer *w, const sn_value *value) {
    if (value->key != NULL) {
        put_string(w, value->key);
        put_text(w, ": ");
    }
}

// The value on one line; stops early, returning false, once it passes `end_column`.
static bool put_flat(writer *w, const sn_value *value, size_t limit) {
    if (is_scalar(value)) {
        put_scalar(w, value);
        return w->used <= limit;
    }
    bool is_object = value->type == SN_JSON_OBJECT;
    uint32_t count = value->as.children.count;
    put_text(w, is_object ? "{" : "[");
    for (uint32_t i = 0; i < count; ++i) {
        const sn_value *child = value->as.children.items[i];
        put_text(w, i > 0 ? ", " : "");
        put_key(w, child);
        if (!put_flat(w, child, limit)) {
            return false;
        }
    }
    put_text(w, is_object ? "}" : "]");
    return w->used <= limit;
}

static void new_line(writer *w, uint32_t depth) {
    put_text(w, "\n");
    for (uint32_t i = 0; i < depth; ++i) {
        put_text(w, "  ");
    }
}

static size_t line_start(const writer *w) {
    size_t start = w->used;
    while (start > 0 && w->text[start - 1] != '\n') {
        --start;
    }
    return start;
}

static bool is_vector(const sn_value *value) {
    bool all = value->type == SN_JSON_ARRAY && value->as.children.count == 3;
    for (uint32_t i = 0; all && i < 3; ++i) {
        all = value->as.children.items[i]->type == SN_JSON_NUMBER;
    }
    return all;
}

static bool is_row(const sn_value *value) {
    bool all = value->type == SN_JSON_OBJECT && value->key == NULL;
    for (uint32_t i = 0; all && i < value->as.children.count; ++i) {
        all = is_vector(value->as.children.items[i]);
    }
    return all;
}

static void put_value(writer *w, const sn_value *value, uint32_t depth) {
    size_t start = w->used;
    // One column is left for the comma behind it.
    size_t limit = line_start(w) + (is_row(value) ? row_width : line_width) - 1;
    bool top = depth == 0;
    if (is_scalar(value) || value->as.children.count == 0 || !top) {
        if (put_flat(w, value, is_scalar(value) ? SIZE_MAX : limit) || w->out_of_memory) {
            return;
        }
        w->used = start;
    }
    bool is_object = value->type == SN_JSON_OBJECT;
    put_text(w, is_object ? "{" : "[");
    for (uint32_t i = 0; i < value->as.children.count; ++i) {
        const sn_value *child = value->as.children.items[i];
        put_text(w, i > 0 ? "," : "");
        new_line(w, depth + 1);
        put_key(w, child);
        put_value(w, child, depth + 1);
    }
    new_line(w, depth);
    put_text(w, is_object ? "}" : "]");
}

sn_status sn_json_write(const sn_json *json, char **text, size_t *size, sn_error *error) {
    *text = NULL;
    *size = 0;
    writer w = {.context = json->context};
    put_value(&w, json->root, 0);
    put(&w, "\n", 2); // with the terminating zero
    if (w.out_of_memory) {
        sni_free(w.context, w.text);
        return sni_fail_memory(error);
    }
    *text = w.text;
    *size = w.used - 1;
    return SN_OK;
}
