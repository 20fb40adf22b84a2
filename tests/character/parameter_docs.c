// SPDX-License-Identifier: Apache-2.0
//
// What docs/ say about parameters is what the tables of the kinds say.
#include "documents.h"

#include "sinew/kinds.h"

#include <ctype.h>
#include <math.h>

static const sn_kind_family families[] = {SN_KIND_MUSCLE, SN_KIND_DEFORMER};

// A text of so many bytes, to free().
static char *copy_text(const char *from, size_t size) {
    char *text = malloc(size + 1);
    memcpy(text, from, size);
    text[size] = 0;
    return text;
}

static char *read_page(const char *name) {
    char path[64];
    size_t size;
    snprintf(path, sizeof path, "docs/%s", name);
    char *bytes = read_bytes(snt_source(path), &size);
    char *text = copy_text(bytes, size);
    free(bytes);
    return text;
}

// ---------------------------------------------------------------------------------------------
// docs/document.md

static void write_range(const sn_parameter *p, char *text, size_t size) {
    if (p->choices == NULL) {
        snprintf(text, size, "%.10g to %.10g%s%s", p->low, p->high, p->unit[0] != 0 ? " " : "",
                 p->unit);
        return;
    }
    text[0] = 0;
    for (uint32_t i = 0; p->choices[i] != NULL; ++i) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s`\"%s\"`",
                 i == 0                      ? ""
                 : p->choices[i + 1] != NULL ? ", "
                                             : " or ",
                 p->choices[i]);
    }
}

static void write_standard(const sn_parameter *p, char *text, size_t size) {
    if (isnan(p->standard)) {
        snprintf(text, size, "computed");
    } else if (p->choices != NULL) {
        snprintf(text, size, "`\"%s\"`", p->choices[(uint32_t)p->standard]);
    } else {
        snprintf(text, size, "%.10g", p->standard);
    }
}

// The row that the page must have: | `key` | default | range | meaning |
static void write_row(const sn_parameter *p, char *row, size_t size) {
    char range[256], standard[64];
    write_range(p, range, sizeof range);
    write_standard(p, standard, sizeof standard);
    snprintf(row, size, "\n| `%s` | %s | %s | %c%s |\n", p->name, standard, range,
             tolower((unsigned char)p->help[0]), p->help + 1);
}

// The table of a kind, a copy to free().
static char *find_table(const char *page, const char *kind) {
    char head[64];
    snprintf(head, sizeof head, "\n| `kind: \"%s\"` |", kind);
    const char *begin = strstr(page, head);
    if (begin == NULL) {
        fail_msg("docs/document.md has no table of the kind \"%s\"", kind);
    }
    const char *end = strstr(begin + 1, "\n\n");
    return copy_text(begin, (size_t)(end + 1 - begin));
}

// The keys that the schema knows for a kind.
static const sn_value *properties_of(const sn_json *schema, sn_kind_family family, uint32_t kind) {
    const sn_value *list = sn_json_find(
        schema, family == SN_KIND_MUSCLE
                    ? "/properties/muscles/additionalProperties/oneOf"
                    : "/properties/skins/additionalProperties/properties/deformers/items/oneOf");
    return sn_value_get(sn_value_at(list, kind), "properties");
}

// Every `key` in the first cell of a row is one that the document may have.
static void expect_known_keys(const char *table, const char *kind, const sn_value *properties) {
    const char *row = strchr(strchr(table + 1, '\n') + 1, '\n'); // behind the head and its line
    for (; row[1] != 0; row = strchr(row + 1, '\n')) {
        const char *end = strchr(row + 3, '|');
        for (const char *c = strchr(row, '`'); c != NULL && c < end; c = strchr(c, '`')) {
            char key[64];
            size_t length = strcspn(c + 1, "`");
            snprintf(key, sizeof key, "%.*s", (int)length, c + 1);
            if (sn_value_get(properties, key) == NULL) {
                fail_msg("docs/document.md: the kind \"%s\" has no key \"%s\"", kind, key);
            }
            c += length + 2;
        }
    }
}

static uint32_t count_text(const char *text, const char *part) {
    uint32_t count = 0;
    for (const char *c = strstr(text, part); c != NULL; c = strstr(c + 1, part)) {
        ++count;
    }
    return count;
}

static void the_document_page_has_every_parameter(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    char *page = read_page("document.md"), *published = read_page("character.schema.json");
    sn_json *schema;
    uint32_t kinds = 0;
    snt_ok(sn_json_parse(context, published, strlen(published), &schema, error));
    for (uint32_t f = 0; f < sizeof families / sizeof *families; ++f) {
        for (uint32_t i = 0; i < sn_kind_count(families[f]); ++i, ++kinds) {
            sn_kind kind = sn_kind_at(families[f], i);
            char *table = find_table(page, kind.name);
            for (uint32_t k = 0; k < kind.parameters.count; ++k) {
                char row[1024];
                write_row(&kind.parameters.items[k], row, sizeof row);
                if (strstr(table, row) == NULL) {
                    fail_msg("docs/document.md: the table of \"%s\" lacks the row:%s", kind.name,
                             row);
                }
            }
            expect_known_keys(table, kind.name, properties_of(schema, families[f], i));
            free(table);
        }
    }
    assert_int_equal(count_text(page, "\n| `kind: \""), kinds);
    sn_json_destroy(schema);
    free(page);
    free(published);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Pages of the kinds

// Whether a cell of the row is this text.
static bool has_cell(const char *row, const char *text) {
    char cell[128];
    size_t length = strcspn(row, "\n");
    snprintf(cell, sizeof cell, "| %s |", text);
    const char *found = strstr(row, cell);
    return found != NULL && found < row + length;
}

// The page has a row of the parameter with its standard value, a word with or without quotes.
static void expect_row(const char *page, const char *name, const sn_parameter *p) {
    char begin[64], standard[64], word[64] = "-";
    snprintf(begin, sizeof begin, "\n| `%s` |", p->name);
    write_standard(p, standard, sizeof standard);
    if (p->choices != NULL) {
        snprintf(word, sizeof word, "`%s`", p->choices[(uint32_t)p->standard]);
    }
    for (const char *row = strstr(page, begin); row != NULL; row = strstr(row + 1, begin)) {
        if (has_cell(row + 1, standard) || has_cell(row + 1, word)) {
            return;
        }
    }
    fail_msg("docs/%s has no row | `%s` | with the standard value %s", name, p->name, standard);
}

static void pages_of_kinds_have_every_parameter(void **state) {
    (void)state;
    static const struct {
        sn_kind_family family;
        const char *kind, *page;
    } pages[] = {
        {SN_KIND_MUSCLE, "patch", "curves.md"},        {SN_KIND_MUSCLE, "cylinder", "cylinder.md"},
        {SN_KIND_MUSCLE, "ellipsoid", "cylinder.md"},  {SN_KIND_DEFORMER, "blend", "blend.md"},
        {SN_KIND_DEFORMER, "morph", "morph.md"},       {SN_KIND_DEFORMER, "wrap", "wrap.md"},
        {SN_KIND_DEFORMER, "falloff", "falloff.md"},   {SN_KIND_DEFORMER, "cloth", "cloth.md"},
        {SN_KIND_DEFORMER, "membrane", "membrane.md"}, {SN_KIND_DEFORMER, "layers", "layers.md"},
        {SN_KIND_MUSCLE, "fibre", "fibre.md"},         {SN_KIND_DEFORMER, "lids", "lids.md"},
    };
    for (uint32_t i = 0; i < sizeof pages / sizeof *pages; ++i) {
        char *page = read_page(pages[i].page);
        for (uint32_t k = 0; k < sn_kind_count(pages[i].family); ++k) {
            sn_kind kind = sn_kind_at(pages[i].family, k);
            bool meant = strcmp(kind.name, pages[i].kind) == 0;
            for (uint32_t n = 0; meant && n < kind.parameters.count; ++n) {
                expect_row(page, pages[i].page, &kind.parameters.items[n]);
            }
        }
        free(page);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document_page_has_every_parameter),
        cmocka_unit_test(pages_of_kinds_have_every_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
