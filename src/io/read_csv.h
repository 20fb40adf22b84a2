// SPDX-License-Identifier: Apache-2.0
//
// Tables of comma-separated values (RFC 4180): a row of column names, then rows of cells. Cells may
// stand in double quotes, with "" for a quote, and then hold commas and line breaks. A byte order
// mark, any kind of line break, empty rows and blanks around cells without quotes are passed over.
#ifndef SINEW_IO_READ_CSV_H
#define SINEW_IO_READ_CSV_H

#include "base/memory.h"

typedef struct sni_csv_row {
    uint32_t line;  // of the text, where it begins, from 1
    uint32_t first; // of its cells in `cells`
    uint32_t count;
} sni_csv_row;

typedef struct sni_csv {
    sn_context *context;
    char *text; // all cells, terminated each
    uint32_t cell_count, cell_capacity;
    uint32_t *cells; // where each begins in `text`
    uint32_t row_count, row_capacity;
    sni_csv_row *rows; // the first holds the names of the columns
} sni_csv;

// Reads a table; `csv` is to be given to sni_csv_deinit, also after a failure. The error has the
// line. Fails with SN_SYNTAX for a quote that does not end, text behind a closing quote and bytes
// of 0, with SN_INVALID for a table without a row of names, a name that stands twice and a row with
// more cells than there are columns, and with SN_LIMIT beyond 4 GB.
sn_status sni_csv_read(sn_context *context, const char *bytes, size_t size, sni_csv *csv,
                       sn_error *error);
void sni_csv_deinit(sni_csv *csv);

// The number of a column, SN_NONE when there is none of that name; case does not count.
uint32_t sni_csv_column(const sni_csv *csv, const char *name);

// Rows below the names.
static inline uint32_t sni_csv_count(const sni_csv *csv) {
    return csv->row_count - 1;
}

// The line in the text of such a row, from 0.
static inline uint32_t sni_csv_line(const sni_csv *csv, uint32_t row) {
    return csv->rows[row + 1].line;
}

// A cell of such a row; "" where the row is shorter, or the column is SN_NONE.
const char *sni_csv_cell(const sni_csv *csv, uint32_t row, uint32_t column);

#endif
