// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Longer names are not compared: suggestions are for what people type.
#define NAME_MAX_BYTES 63

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

// d(i, j) = min(d(i-1, j) + 1, d(i, j-1) + 1, d(i-1, j-1) + [a_i != b_j],
//               d(i-2, j-2) + 1 where a_i a_{i-1} = b_{j-1} b_j)
static uint32_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    uint8_t rows[3][NAME_MAX_BYTES + 1];
    for (size_t j = 0; j <= b_length; ++j) {
        rows[0][j] = (uint8_t)j;
    }
    for (size_t i = 1; i <= a_length; ++i) {
        uint8_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above_2 = rows[(i + 1) % 3];
        row[0] = (uint8_t)i;
        for (size_t j = 1; j <= b_length; ++j) {
            char x = lower(a[i - 1]), y = lower(b[j - 1]);
            uint32_t best = smaller(above[j], row[j - 1]) + 1u;
            best = smaller(best, above[j - 1] + (uint32_t)(x != y));
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2])) {
                best = smaller(best, above_2[j - 2] + 1u);
            }
            row[j] = (uint8_t)best;
        }
    }
    return rows[a_length % 3][b_length];
}

sni_closest sni_closest_to(const char *wanted) {
    return (sni_closest){.wanted = wanted, .name = NULL, .distance = UINT32_MAX};
}

void sni_closest_try(sni_closest *closest, const char *candidate) {
    size_t a = strlen(closest->wanted);
    size_t b = candidate != NULL ? strlen(candidate) : 0;
    if (a == 0 || b == 0 || a > NAME_MAX_BYTES || b > NAME_MAX_BYTES) {
        return;
    }
    uint32_t distance = edit_distance(closest->wanted, a, candidate, b);
    uint32_t allowed = (uint32_t)(a > b ? a : b) / 3;
    if (distance <= (allowed > 1 ? allowed : 1) && distance < closest->distance &&
        distance < smaller((uint32_t)a, (uint32_t)b)) {
        closest->distance = distance;
        closest->name = candidate;
    }
}

const char *sni_closest_hint(const sni_closest *closest, char hint[SNI_HINT_BYTES]) {
    hint[0] = 0;
    if (closest->name != NULL) {
        snprintf(hint, SNI_HINT_BYTES, "; did you mean \"%s\"?", closest->name);
    }
    return hint;
}

static int compare_entries(const void *a, const void *b) {
    const struct sni_name_entry *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

sn_status sni_name_index_init(sn_context *context, sni_name_index *index, const void *first,
                              size_t stride, uint32_t count, sn_error *error) {
    SN_ASSERT(count == 0 || first != NULL);
    SN_ASSERT(stride >= sizeof(char *));
    sn_status status = SN_OK;
    *index = (sni_name_index){0};
    SNI_NEW(context, index->entries, count);
    for (uint32_t i = 0; i < count; ++i) {
        const char *name;
        memcpy(&name, (const char *)first + i * stride, sizeof name);
        if (name != NULL) {
            index->entries[index->count++] = (struct sni_name_entry){name, i};
        }
    }
    if (index->count > 1) {
        qsort(index->entries, index->count, sizeof *index->entries, compare_entries);
    }
cleanup:
    return status;
}

void sni_name_index_deinit(sn_context *context, sni_name_index *index) {
    sni_free(context, index->entries);
    *index = (sni_name_index){0};
}

// How `name` compares with the first `length` bytes of `wanted`.
static int compare_with(const char *name, const char *wanted, size_t length) {
    int order = strncmp(name, wanted, length);
    return order != 0 ? order : name[length] != 0;
}

uint32_t sni_name_index_find_n(const sni_name_index *index, const char *name, size_t length) {
    uint32_t low = 0, high = index->count; // the first entry that is not less
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_with(index->entries[middle].name, name, length) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < index->count && compare_with(index->entries[low].name, name, length) == 0;
    return found ? index->entries[low].number : SN_NONE;
}

uint32_t sni_name_index_find(const sni_name_index *index, const char *name) {
    return sni_name_index_find_n(index, name, strlen(name));
}

const char *sni_name_index_duplicate(const sni_name_index *index) {
    for (uint32_t i = 1; i < index->count; ++i) {
        if (strcmp(index->entries[i - 1].name, index->entries[i].name) == 0) {
            return index->entries[i].name;
        }
    }
    return NULL;
}

enum { MOST_NAMED = 10 };

void sni_name_list_add(sni_name_list *list, const char *name) {
    size_t used = strlen(list->text), length = strlen(name);
    bool room = list->named == list->count && list->named < MOST_NAMED &&
                used + length + 3 <= sizeof list->text;
    ++list->count;
    if (room) {
        snprintf(list->text + used, sizeof list->text - used, "%s%s", used > 0 ? ", " : "", name);
        ++list->named;
    }
}

const char *sni_name_list_text(const sni_name_list *list, char text[SNI_NAME_LIST_BYTES]) {
    if (list->named == list->count) {
        snprintf(text, SNI_NAME_LIST_BYTES, "%s", list->text);
    } else {
        snprintf(text, SNI_NAME_LIST_BYTES, "%s%s%u more", list->text,
                 list->named > 0 ? " and " : "", list->count - list->named);
    }
    return text;
}

// Only the last "*" met so far has to be tried with other texts: what stands before it fits
// already.
bool sni_name_fits(const char *pattern, const char *text) {
    SN_ASSERT(pattern != NULL && text != NULL);
    const char *star = NULL, *tried = NULL;
    while (*text != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            tried = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star + 1;
            text = ++tried;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}
