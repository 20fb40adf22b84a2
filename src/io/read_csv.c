// SPDX-License-Identifier: Apache-2.0
//
// Cells are decoded into one buffer: without quotes and separators, but with a zero behind each,
// they take no more room than the text, plus one.
#include "io/read_csv.h"

#include "io/text.h"

#include <string.h>
#include <strings.h>

typedef struct csv_reader {
    sni_csv *csv;
    sni_text text;
    size_t used; // of csv->text
} csv_reader;

static sn_status begin_cell(csv_reader *r, sn_error *error) {
    sni_csv *csv = r->csv;
    if (!sni_grow(csv->context, &csv->cells, &csv->cell_capacity, csv->cell_count + 1,
                  sizeof *csv->cells)) {
        return sni_fail_memory(error);
    }
    csv->cells[csv->cell_count++] = (uint32_t)r->used;
    return SN_OK;
}

static sn_status put(csv_reader *r, char c, sn_error *error) {
    if (c == 0) {
        return sni_text_fail(&r->text, error, SN_SYNTAX, "a byte of 0, which no text has");
    }
    r->csv->text[r->used++] = c;
    return SN_OK;
}

// From behind the opening quote to behind the closing one.
static sn_status read_quoted(csv_reader *r, sn_error *error) {
    sni_text start = r->text;
    for (;;) {
        if (r->text.at == r->text.end) {
            return sni_text_fail(&start, error, SN_SYNTAX, "the quote does not end");
        }
        char c = *r->text.at;
        if (c == '"' && (r->text.end - r->text.at < 2 || r->text.at[1] != '"')) {
            r->text.at++;
            return SN_OK;
        }
        sn_status status = put(r, sni_text_is_break(c) ? '\n' : c, error);
        if (status != SN_OK) {
            return status;
        }
        if (sni_text_is_break(c)) {
            sni_text_break(&r->text);
        } else {
            r->text.at += c == '"' ? 2 : 1;
        }
    }
}

static void skip_blanks(csv_reader *r) {
    while (r->text.at < r->text.end && sni_text_is_blank(*r->text.at)) {
        r->text.at++;
    }
}

static bool cell_ended(const csv_reader *r) {
    return r->text.at == r->text.end || *r->text.at == ',' || sni_text_is_break(*r->text.at);
}

static sn_status read_plain(csv_reader *r, sn_error *error) {
    size_t last = r->used; // behind the last character that is not blank
    while (!cell_ended(r)) {
        char c = *r->text.at;
        sn_status status = put(r, c, error);
        if (status != SN_OK) {
            return status;
        }
        last = sni_text_is_blank(c) ? last : r->used;
        r->text.at++;
    }
    r->used = last;
    return SN_OK;
}

static sn_status read_cell(csv_reader *r, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(begin_cell(r, error));
    skip_blanks(r);
    if (r->text.at < r->text.end && *r->text.at == '"') {
        r->text.at++;
        SN_TRY(read_quoted(r, error));
        skip_blanks(r);
        if (!cell_ended(r)) {
            return sni_text_fail(&r->text, error, SN_SYNTAX,
                                 "expected a comma behind the closing quote, found %s",
                                 sni_text_found(&r->text).text);
        }
    } else {
        SN_TRY(read_plain(r, error));
    }
    r->csv->text[r->used++] = 0;
cleanup:
    return status;
}

// Commas alone, as tables have below their last row, are an empty row, too.
static bool is_empty(const sni_csv *csv, const sni_csv_row *row) {
    for (uint32_t i = 0; i < row->count; ++i) {
        if (csv->text[csv->cells[row->first + i]] != 0) {
            return false;
        }
    }
    return true;
}

static sn_status read_row(csv_reader *r, sn_error *error) {
    sn_status status = SN_OK;
    sni_csv *csv = r->csv;
    sni_csv_row row = {.line = r->text.line, .first = csv->cell_count};
    size_t used = r->used;
    for (bool more = true; more;) {
        SN_TRY(read_cell(r, error));
        row.count++;
        more = r->text.at < r->text.end && *r->text.at == ',';
        r->text.at += more ? 1 : 0;
    }
    sni_text_break(&r->text);
    if (is_empty(csv, &row)) {
        csv->cell_count = row.first;
        r->used = used;
        return SN_OK;
    }
    if (!sni_grow(csv->context, &csv->rows, &csv->row_capacity, csv->row_count + 1,
                  sizeof *csv->rows)) {
        return sni_fail_memory(error);
    }
    csv->rows[csv->row_count++] = row;
cleanup:
    return status;
}

static const char *column_name(const sni_csv *csv, uint32_t column) {
    return csv->text + csv->cells[csv->rows[0].first + column];
}

static sn_status check_columns(const sni_csv *csv, sn_error *error) {
    for (uint32_t i = 0; i < csv->rows[0].count; ++i) {
        const char *name = column_name(csv, i);
        if (name[0] != 0 && sni_csv_column(csv, name) < i) {
            sni_fail(error, SN_INVALID, "the column \"%s\" is there twice", name);
            sni_error_place(error, csv->rows[0].line, NULL);
            return SN_INVALID;
        }
    }
    return SN_OK;
}

static sn_status check_rows(const sni_csv *csv, sn_error *error) {
    uint32_t columns = csv->rows[0].count;
    for (uint32_t i = 1; i < csv->row_count; ++i) {
        sni_csv_row beyond = csv->rows[i];
        beyond.first += columns;
        beyond.count = beyond.count > columns ? beyond.count - columns : 0;
        if (!is_empty(csv, &beyond)) {
            sni_fail(error, SN_INVALID, "%u cells, but there are %u columns", csv->rows[i].count,
                     columns);
            sni_error_place(error, beyond.line, NULL);
            return SN_INVALID;
        }
    }
    return SN_OK;
}

sn_status sni_csv_read(sn_context *context, const char *bytes, size_t size, sni_csv *csv,
                       sn_error *error) {
    sn_status status = SN_OK;
    *csv = (sni_csv){.context = context};
    if (size >= UINT32_MAX) {
        return sni_fail(error, SN_LIMIT, "a table of %zu bytes is too large", size);
    }
    SNI_NEW(context, csv->text, size + 1);
    csv_reader r = {.csv = csv, .text = sni_text_begin(bytes, size)};
    while (r.text.at < r.text.end) {
        SN_TRY(read_row(&r, error));
    }
    if (csv->row_count == 0) {
        return sni_fail(error, SN_INVALID, "empty; the first row has the names of the columns");
    }
    SN_TRY(check_columns(csv, error));
    SN_TRY(check_rows(csv, error));
cleanup:
    return status;
}

void sni_csv_deinit(sni_csv *csv) {
    sni_free(csv->context, csv->text);
    sni_free(csv->context, csv->cells);
    sni_free(csv->context, csv->rows);
    *csv = (sni_csv){0};
}

uint32_t sni_csv_column(const sni_csv *csv, const char *name) {
    SN_ASSERT(name != NULL);
    for (uint32_t i = 0; i < csv->rows[0].count; ++i) {
        if (strcasecmp(column_name(csv, i), name) == 0) {
            return i;
        }
    }
    return SN_NONE;
}

const char *sni_csv_cell(const sni_csv *csv, uint32_t row, uint32_t column) {
    SN_ASSERT(row < csv->row_count);
    const sni_csv_row *r = &csv->rows[row + 1];
    return column < r->count ? csv->text + csv->cells[r->first + column] : "";
}
