// SPDX-License-Identifier: Apache-2.0
//
// OpenSim's tables over time: motions (.mot) and storages (.sto). Lines of a header up to
// "endheader", a line of column names that begins with "time", then a row of numbers per moment.
//
// A file is one clip. Each column is a track of a parameter of the same name, with a key per row at
// the row's time; the first row is the clip's begin. Frames are as many as rows, at the mean step
// between them: where rows stand at even times, frames are rows. What a column measures is not said
// in the file, only whether angles are in degrees: the clip keeps that (sn_clip.angles), and the
// rig, which knows which controls are angles, converts.
//
// Columns of states are named by paths, and are renamed as the model's coordinates and muscles are:
// "/jointset/knee_r/knee_angle_r/value" is knee_angle_r, "/forceset/soleus_r/activation" is
// soleus_r.activation. Speeds (".../speed", and "NAME_u" beside NAME in older files) and lengths of
// fibres are left out: no pose needs them.
//
// The format: "Storage (.sto) Files" and "Motion (.mot) Files" of OpenSim's user's guide; SIMM's
// header (datarows, datacolumns) in the same place.
#include "base/context.h"
#include "base/text.h"
#include "io/import.h"
#include "io/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A clip of one row has no step.
static const double single_rate = 30;

// The mean step is a rounded number: the rate is taken as a whole one where that moves no frame
// away from its row by more than this part of a step.
static const double rate_drift_max = 0.01;

typedef struct sto_column {
    char *name;  // as a parameter; NULL: left out
    char *label; // in the file
} sto_column;

typedef struct sto_reader {
    sn_context *context;
    const char *path;
    sni_text text;
    bool ended;                       // the header
    uint32_t row_count, column_count; // by the header, SN_NONE where it does not say
    bool degrees;
    uint32_t width; // columns with the time
    sto_column *columns;
    sni_name_index labels; // of the columns
    uint32_t read_rows, capacity;
    double *values; // read_rows x width
} sto_reader;

// ---------------------------------------------------------------------------------------------
// The header

// A line "KEY=VALUE" or "KEY VALUE"; false when it is another.
static bool take_key(sni_word line, const char *key, sni_word *value) {
    size_t length = strlen(key);
    if (line.length <= length || !sni_word_is((sni_word){line.start, length}, key)) {
        return false;
    }
    const char *at = line.start + length, *end = line.start + line.length;
    const char *start = at;
    while (at < end && (sni_text_is_blank(*at) || *at == '=')) {
        ++at;
    }
    *value = (sni_word){at, (size_t)(end - at)};
    return at > start;
}

static sn_status read_count(sto_reader *sto, const char *key, sni_word value, uint32_t *count,
                            sn_error *error) {
    sni_text text = {.at = value.start, .end = value.start + value.length, .line = sto->text.line};
    sn_status status = sni_text_uint(&text, key, count, error);
    if (status == SN_OK && !sni_text_line_ended(&text)) {
        status = sni_text_fail(&text, error, SN_SYNTAX, "expected %s, found %s", key,
                               sni_word_found(value).text);
    }
    return status;
}

static sn_status read_header_line(sto_reader *sto, sni_word line, sn_error *error) {
    sni_word value;
    if (sni_word_is(line, "endheader")) {
        sto->ended = true;
    } else if (take_key(line, "nRows", &value)) {
        return read_count(sto, "nRows", value, &sto->row_count, error);
    } else if (take_key(line, "nColumns", &value)) {
        return read_count(sto, "nColumns", value, &sto->column_count, error);
    } else if (take_key(line, "datarows", &value)) {
        sto->degrees = true; // SIMM's angles always are
        return read_count(sto, "datarows", value, &sto->row_count, error);
    } else if (take_key(line, "datacolumns", &value)) {
        sto->degrees = true;
        return read_count(sto, "datacolumns", value, &sto->column_count, error);
    } else if (take_key(line, "inDegrees", &value)) {
        sto->degrees = sni_word_is(value, "yes") || sni_word_is(value, "true");
        if (!sto->degrees && !sni_word_is(value, "no") && !sni_word_is(value, "false")) {
            return sni_text_fail(&sto->text, error, SN_SYNTAX,
                                 "expected inDegrees yes or no, found %s",
                                 sni_word_found(value).text);
        }
    } else if (take_key(line, "DataType", &value) && !sni_word_is(value, "double")) {
        return sni_text_fail(&sto->text, error, SN_UNSUPPORTED,
                             "columns of the type %s; only those of numbers (double) are read",
                             sni_word_found(value).text);
    }
    return SN_OK; // a name, a version, or words for the reader
}

static sn_status read_header(sto_reader *sto, sn_error *error) {
    sn_status status = SN_OK;
    while (!sto->ended) {
        if (sto->text.at == sto->text.end) {
            return sni_text_fail(&sto->text, error, SN_SYNTAX,
                                 "the header does not end: there is no line \"endheader\"");
        }
        SN_TRY(read_header_line(sto, sni_text_rest(&sto->text), error));
        sni_text_break(&sto->text);
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Columns

// The next label of a line: up to a tab, or up to a blank in a line without tabs.
static sni_word next_label(sni_text *text, bool tabs) {
    if (!tabs) {
        return sni_text_word(text);
    }
    sni_text_skip_blanks(text);
    const char *start = text->at, *end = start;
    while (text->at < text->end && !sni_text_is_break(*text->at) && *text->at != '\t') {
        if (!sni_text_is_blank(*text->at++)) {
            end = text->at;
        }
    }
    return (sni_word){start, (size_t)(end - start)};
}

static bool has_tab(sni_text text) {
    sni_word line = sni_text_rest(&text);
    return memchr(line.start, '\t', line.length) != NULL;
}

// The last part of a path, and the part before it.
typedef struct path_parts {
    const char *owner, *last;
    size_t owner_length;
} path_parts;

static bool split_path(const char *label, path_parts *parts) {
    const char *slash = strrchr(label, '/');
    if (slash == NULL || slash == label || slash[1] == 0) {
        return false;
    }
    const char *owner = slash;
    while (owner > label && owner[-1] != '/') {
        --owner;
    }
    *parts =
        (path_parts){.owner = owner, .owner_length = (size_t)(slash - owner), .last = slash + 1};
    return parts->owner_length > 0;
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

// "COORDINATE_u" beside "COORDINATE".
static bool is_old_speed(const sto_reader *sto, const char *label) {
    return ends_with(label, "_u") &&
           sni_name_index_find_n(&sto->labels, label, strlen(label) - 2) != SN_NONE;
}

// What the parameter of a column is called; stays NULL for columns that are left out.
static sn_status name_column(const sto_reader *sto, sto_column *column, sn_error *error) {
    const char *label = column->label;
    path_parts path;
    if (ends_with(label, ".fiber_length") || is_old_speed(sto, label)) {
        return SN_OK;
    }
    if (!split_path(label, &path)) {
        column->name = sni_string_copy(sto->context, label);
        return column->name != NULL ? SN_OK : sni_fail_memory(error);
    }
    if (strcmp(path.last, "speed") == 0 || strcmp(path.last, "fiber_length") == 0) {
        return SN_OK;
    }
    if (strcmp(path.last, "value") == 0) {
        column->name = sni_string_copy_n(sto->context, path.owner, path.owner_length);
    } else {
        column->name = sni_string_copy(sto->context, path.owner);
        if (column->name != NULL) {
            column->name[path.owner_length] = '.'; // for the slash between the two
        }
    }
    return column->name != NULL ? SN_OK : sni_fail_memory(error);
}

static sn_status count_columns(sto_reader *sto, bool tabs, sn_error *error) {
    sni_text text = sto->text;
    while (!sni_text_line_ended(&text)) {
        next_label(&text, tabs);
        sto->width++;
    }
    if (sto->column_count != SN_NONE && sto->width != sto->column_count) {
        return sni_text_fail(&sto->text, error, SN_INVALID,
                             "the line of names has %u columns, but the header says %u", sto->width,
                             sto->column_count);
    }
    return SN_OK;
}

static sn_status read_columns(sto_reader *sto, sn_error *error) {
    sn_status status = SN_OK;
    sni_text_skip_space(&sto->text);
    bool tabs = has_tab(sto->text);
    sni_text before = sto->text;
    sni_word time = next_label(&before, tabs);
    if (!sni_word_is(time, "time")) {
        return sni_text_fail(&sto->text, error, SN_SYNTAX,
                             "expected the names of columns, the first \"time\", found %s",
                             sni_text_found(&sto->text).text);
    }
    SN_TRY(count_columns(sto, tabs, error));
    SNI_NEW_ZERO(sto->context, sto->columns, sto->width);
    for (uint32_t i = 0; i < sto->width; ++i) {
        sni_word label = next_label(&sto->text, tabs);
        if (label.length == 0) {
            status = sni_text_fail(&sto->text, error, SN_SYNTAX, "column %u has no name", i);
            goto cleanup;
        }
        sto->columns[i].label = sni_word_copy(sto->context, label);
        if (sto->columns[i].label == NULL) {
            status = sni_fail_memory(error);
            goto cleanup;
        }
    }
    SN_TRY(sni_name_index_init(sto->context, &sto->labels, &sto->columns[0].label,
                               sizeof sto->columns[0], sto->width, error));
    for (uint32_t i = 1; i < sto->width; ++i) {
        SN_TRY(name_column(sto, &sto->columns[i], error));
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Rows

// Reads it again, to say what is wrong: the words for that are made only here.
static sn_status fail_number(sto_reader *sto, uint32_t column, sn_error *error) {
    char what[128];
    double value;
    snprintf(what, sizeof what, "a number for \"%.80s\" in row %u", sto->columns[column].label,
             sto->read_rows);
    return sni_text_double(&sto->text, what, &value, error);
}

static sn_status read_row(sto_reader *sto, double *row, sn_error *error) {
    for (uint32_t i = 0; i < sto->width; ++i) {
        if (sni_text_line_ended(&sto->text)) {
            return sni_text_fail(&sto->text, error, SN_SYNTAX, "row %u ends after %u of %u numbers",
                                 sto->read_rows, i, sto->width);
        }
        if (sni_text_double(&sto->text, "", &row[i], NULL) != SN_OK) {
            return fail_number(sto, i, error);
        }
    }
    if (!sni_text_line_ended(&sto->text)) {
        return sni_text_fail(&sto->text, error, SN_SYNTAX, "row %u has more than %u numbers",
                             sto->read_rows, sto->width);
    }
    if (sto->read_rows > 0 && !(row[0] > row[-(ptrdiff_t)sto->width])) {
        return sni_text_fail(&sto->text, error, SN_INVALID,
                             "the time %.9g of row %u does not come after %.9g", row[0],
                             sto->read_rows, row[-(ptrdiff_t)sto->width]);
    }
    return SN_OK;
}

static sn_status read_rows(sto_reader *sto, sn_error *error) {
    sn_status status = SN_OK;
    size_t row_bytes;
    if (!sni_size_multiply(sto->width, sizeof(double), &row_bytes)) {
        return sni_fail_memory(error);
    }
    for (sni_text_skip_space(&sto->text); sto->text.at < sto->text.end;
         sni_text_skip_space(&sto->text)) {
        if (!sni_grow(sto->context, &sto->values, &sto->capacity, sto->read_rows + 1, row_bytes)) {
            return sni_fail_memory(error);
        }
        SN_TRY(read_row(sto, sto->values + (size_t)sto->read_rows * sto->width, error));
        sto->read_rows++;
    }
    if (sto->row_count != SN_NONE && sto->read_rows != sto->row_count) {
        return sni_text_fail(&sto->text, error, SN_INVALID,
                             "the file has %u rows, but its header says %u", sto->read_rows,
                             sto->row_count);
    }
    if (sto->read_rows == 0) {
        return sni_text_fail(&sto->text, error, SN_INVALID, "the file has no rows");
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// The clip

static double mean_rate(const sto_reader *sto) {
    double steps = sto->read_rows - 1.0;
    double length = sto->values[(size_t)(sto->read_rows - 1) * sto->width] - sto->values[0];
    if (sto->read_rows == 1) {
        return single_rate;
    }
    double rate = steps / length, whole = round(rate);
    return whole > 0 && steps * fabs(whole / rate - 1) < rate_drift_max ? whole : rate;
}

static sn_status add_track(const sto_reader *sto, uint32_t column, sn_clip *clip, sn_error *error) {
    sn_track *track;
    sn_status status = sn_clip_add_track(clip, SN_TRACK_PARAMETER, sto->columns[column].name,
                                         SN_INTERPOLATION_LINEAR, sto->read_rows, &track, error);
    for (uint32_t i = 0; i < sto->read_rows && status == SN_OK; ++i) {
        const double *row = sto->values + (size_t)i * sto->width;
        track->times[i] = row[0] - sto->values[0];
        track->values[i] = row[column];
    }
    return status;
}

static sn_status make_clip(const sto_reader *sto, sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    sn_clip *clip = NULL;
    char *name = sni_name_of_file(sto->context, sto->path);
    uint32_t left_out = 0;
    if (name == NULL) {
        return sni_fail_memory(error);
    }
    SN_TRY(sn_clip_create(sto->context, name, mean_rate(sto), sto->read_rows, &clip, error));
    clip->is_table = true;
    clip->angles = sto->degrees ? SN_ANGLES_DEGREES : SN_ANGLES_RADIANS;
    for (uint32_t i = 1; i < sto->width; ++i) {
        if (sto->columns[i].name == NULL) {
            ++left_out;
        } else {
            SN_TRY(add_track(sto, i, clip, error));
        }
    }
    if (left_out > 0) {
        sni_log(sto->context, SN_LOG_INFO, "io",
                "%s: %u columns of speeds and fibre lengths left out", sto->path, left_out);
    }
    status = sni_import_add_clip(import, clip, error);
    clip = NULL;
cleanup:
    sn_clip_destroy(clip);
    sni_free(sto->context, name);
    return status;
}

static void free_reader(sto_reader *sto) {
    for (uint32_t i = 0; sto->columns != NULL && i < sto->width; ++i) {
        sni_free(sto->context, sto->columns[i].name);
        sni_free(sto->context, sto->columns[i].label);
    }
    sni_free(sto->context, sto->columns);
    sni_name_index_deinit(sto->context, &sto->labels);
    sni_free(sto->context, sto->values);
}

sn_status sni_read_sto(const sni_source *source, sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    sto_reader sto = {.context = source->context,
                      .path = source->name,
                      .text = sni_text_begin(source->bytes, source->size),
                      .row_count = SN_NONE,
                      .column_count = SN_NONE};
    SN_TRY(read_header(&sto, error));
    SN_TRY(read_columns(&sto, error));
    SN_TRY(read_rows(&sto, error));
    SN_TRY(make_clip(&sto, import, error));
cleanup:
    free_reader(&sto);
    return status;
}
