// SPDX-License-Identifier: Apache-2.0
//
// What a journal says. Its first line tells the document as it was opened; each line after it is a
// step, an undo, a redo or a saving:
//
//     {"journal": 1, "path": P, "base": B, "copy": false, "hash": H, "text": T}
//     {"step": {"label": L, "merge": M, "forth": {"patch": [...]}, "back": {...}}, "merged": false}
//     {"undo": true}
//     {"redo": true}
//     {"saved": {"path": P, "hash": H, "text": H}}
//
// Lines are replayed on the tree alone; the result is checked once, at the end, by who opens it.
#include "document/document_internal.h"

#include "edits/patch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// After so many lines the tree is made anew, as what is removed from one stays in its memory.
#define LINES_PER_TREE 500

// ---------------------------------------------------------------------------------------------
// Writing lines

static void add_hash(sn_json *json, sn_value *object, const char *key, uint64_t hash) {
    char text[32];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    sn_json_add_string(json, object, key, text);
}

sn_status journal_write_header(sn_context *context, const journal_header *header, char **line,
                               size_t *size, sn_error *error) {
    sn_json *json = NULL;
    sn_status status = sn_json_create(context, &json, error);
    if (status != SN_OK) {
        return status;
    }
    sn_value *root = sn_json_root(json);
    sn_json_add_number(json, root, "journal", 1);
    if (header->path) {
        sn_json_add_string(json, root, "path", header->path);
    }
    sn_json_add_string(json, root, "base", header->base);
    if (header->copy) {
        sn_json_add_bool(json, root, "copy", true);
    }
    add_hash(json, root, "hash", journal_hash(header->text, header->size));
    status = sn_json_add_string(json, root, "text", header->text)
                 ? patch_write_line(json, context, line, size, error)
                 : app_fail_memory(error);
    sn_json_destroy(json);
    return status;
}

sn_status journal_write_saved(sn_context *context, const char *path, saved_state state, char **line,
                              size_t *size, sn_error *error) {
    sn_json *json = NULL;
    sn_status status = sn_json_create(context, &json, error);
    if (status != SN_OK) {
        return status;
    }
    sn_value *saved = sn_json_add_object(json, sn_json_root(json), "saved");
    sn_json_add_string(json, saved, "path", path);
    add_hash(json, saved, "hash", state.file);
    add_hash(json, saved, "text", state.text);
    status = patch_write_line(json, context, line, size, error);
    sn_json_destroy(json);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Reading lines

void recovery_deinit(recovery *recovery) {
    free(recovery->opened);
    free(recovery->base);
    free(recovery->path);
    history_deinit(&recovery->history);
    sn_json_destroy(recovery->document);
    free(recovery->saved);
    *recovery = (struct recovery){0};
}

const saved_state *recovery_find(const recovery *recovery, uint64_t file_hash) {
    for (uint32_t i = recovery->saved_count; i > 0; --i) {
        if (recovery->saved[i - 1].file == file_hash) {
            return &recovery->saved[i - 1];
        }
    }
    return NULL;
}

static sn_status know_file(recovery *result, const char *file, uint64_t text, sn_error *error) {
    saved_state *saved = realloc(result->saved, (result->saved_count + 1) * sizeof *saved);
    if (!saved) {
        return app_fail_memory(error);
    }
    result->saved = saved;
    if (!file) {
        return desk_fail(error, SN_INVALID, "", "a line of the journal has no hash");
    }
    saved[result->saved_count++] = (saved_state){strtoull(file, NULL, 16), text};
    return SN_OK;
}

// Where it was saved last is where it belongs.
static sn_status know_path(recovery *result, const sn_value *path, sn_error *error) {
    char *copy = desk_copy_string(sn_value_string(path, NULL));
    if (path && !copy) {
        return app_fail_memory(error);
    }
    if (copy) {
        free(result->path);
        result->path = copy;
    }
    return SN_OK;
}

static sn_status know_saved(recovery *result, const sn_value *saved, sn_error *error) {
    const char *text = sn_value_string(sn_value_get(saved, "text"), "");
    const sn_value *path = sn_value_get(saved, "path");
    // A crash may have come between the line and the file: where that never was, the one before
    // is the document's.
    bool there = access(sn_value_string(path, ""), F_OK) == 0;
    sn_status status = there || !result->path ? know_path(result, path, error) : SN_OK;
    if (status != SN_OK) {
        return status;
    }
    return know_file(result, sn_value_string(sn_value_get(saved, "hash"), NULL),
                     strtoull(text, NULL, 16), error);
}

// The document as it was opened is the first that was saved.
static sn_status know_opened(sn_context *context, recovery *result, const char *file,
                             sn_error *error) {
    char *text = NULL;
    size_t size = 0;
    sn_status status = SN_OK;
    SN_TRY(sn_json_write(result->document, &text, &size, error));
    SN_TRY(know_file(result, file, journal_hash(text, size), error));
cleanup:
    sn_json_free_text(context, text);
    return status;
}

static sn_status read_header(sn_context *context, const sn_value *root, recovery *result,
                             sn_error *error) {
    const char *text = sn_value_string(sn_value_get(root, "text"), NULL);
    if (sn_value_number(sn_value_get(root, "journal"), 0) != 1 || !text) {
        return desk_fail(error, SN_INVALID, "", "the journal has no header");
    }
    result->opened = desk_copy_string(text);
    result->opened_size = strlen(text);
    result->base = desk_copy_string(sn_value_string(sn_value_get(root, "base"), ""));
    if (!result->opened || !result->base) {
        return app_fail_memory(error);
    }
    sn_status status = SN_OK;
    SN_TRY(know_path(result, sn_value_get(root, "path"), error));
    SN_TRY(sn_json_parse(context, text, result->opened_size, &result->document, error));
    SN_TRY(know_opened(context, result, sn_value_string(sn_value_get(root, "hash"), NULL), error));
cleanup:
    return status;
}

static sn_status apply_text(sn_context *context, recovery *result, const char *text, size_t size,
                            sn_error *error) {
    sn_json *patch = NULL;
    const sn_value *entries = NULL;
    sn_status status = SN_OK;
    SN_TRY(history_patch(context, text, size, &patch, &entries, error));
    SN_TRY(patch_apply(result->document, entries, error));
cleanup:
    sn_json_destroy(patch);
    return status;
}

// The text of {"patch": [...]}, which stands in a line.
static sn_status copy_patch(sn_context *context, const sn_value *value, char **text, size_t *size,
                            sn_error *error) {
    sn_json *json = NULL;
    sn_status status = sn_json_create(context, &json, error);
    if (status != SN_OK) {
        return status;
    }
    const sn_value *entries = sn_value_get(value, "patch");
    if (!entries) {
        status = desk_fail(error, SN_INVALID, "", "a step of the journal has no patch");
    } else if (!sn_json_add_copy(json, sn_json_root(json), "patch", entries)) {
        status = app_fail_memory(error);
    } else {
        status = patch_write_line(json, context, text, size, error);
    }
    sn_json_destroy(json);
    return status;
}

static sn_status read_step(sn_context *context, const sn_value *value, history_step *step,
                           sn_error *error) {
    *step = (history_step){0};
    step->label = desk_copy_string(sn_value_string(sn_value_get(value, "label"), "Edit"));
    sn_status status = SN_OK;
    SN_TRY(step->label ? SN_OK : app_fail_memory(error));
    SN_TRY(
        copy_patch(context, sn_value_get(value, "forth"), &step->forth, &step->forth_size, error));
    SN_TRY(copy_patch(context, sn_value_get(value, "back"), &step->back, &step->back_size, error));
cleanup:
    if (status != SN_OK) {
        history_step_deinit(step);
    }
    return status;
}

// A merged step stands for the one before it and for itself.
static sn_status replay_step(sn_context *context, const sn_value *root, recovery *result,
                             sn_error *error) {
    history_step step;
    bool merged = sn_value_bool(sn_value_get(root, "merged"), false);
    const history_step *last = history_to_undo(&result->history);
    sn_status status = SN_OK;
    SN_TRY(read_step(context, sn_value_get(root, "step"), &step, error));
    if (merged && last) {
        SN_TRY(apply_text(context, result, last->back, last->back_size, error));
    }
    SN_TRY(apply_text(context, result, step.forth, step.forth_size, error));
    SN_TRY(history_reserve(&result->history, error));
    history_push(&result->history, &step, merged);
    result->history.closed = true;
cleanup:
    history_step_deinit(&step);
    return status;
}

static sn_status replay_undo(sn_context *context, recovery *result, sn_error *error) {
    const history_step *step = history_to_undo(&result->history);
    if (!step) {
        return desk_fail(error, SN_INVALID, "", "the journal undoes what it has not done");
    }
    sn_status status = SN_OK;
    SN_TRY(apply_text(context, result, step->back, step->back_size, error));
    history_undone(&result->history);
cleanup:
    return status;
}

static sn_status replay_redo(sn_context *context, recovery *result, sn_error *error) {
    const history_step *step = history_to_redo(&result->history);
    if (!step) {
        return desk_fail(error, SN_INVALID, "", "the journal redoes what it has not undone");
    }
    sn_status status = SN_OK;
    SN_TRY(apply_text(context, result, step->forth, step->forth_size, error));
    history_redone(&result->history);
cleanup:
    return status;
}

static sn_status replay_line(sn_context *context, const sn_value *root, recovery *result,
                             sn_error *error) {
    if (!result->document) {
        return read_header(context, root, result, error);
    }
    if (sn_value_get(root, "step")) {
        return replay_step(context, root, result, error);
    }
    if (sn_value_get(root, "undo")) {
        return replay_undo(context, result, error);
    }
    if (sn_value_get(root, "redo")) {
        return replay_redo(context, result, error);
    }
    if (sn_value_get(root, "saved")) {
        return know_saved(result, sn_value_get(root, "saved"), error);
    }
    return desk_fail(error, SN_INVALID, "", "the journal has a line that is not known");
}

static sn_status renew_tree(sn_context *context, recovery *result, sn_error *error) {
    char *text = NULL;
    size_t size = 0;
    sn_json *tree = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_json_write(result->document, &text, &size, error));
    SN_TRY(sn_json_parse(context, text, size, &tree, error));
    sn_json_destroy(result->document);
    result->document = tree;
cleanup:
    sn_json_free_text(context, text);
    return status;
}

sn_status recovery_read(sn_context *context, const char *content, size_t size, recovery *result,
                        sn_error *error) {
    *result = (recovery){0};
    sn_json *line = NULL;
    uint32_t number = 0;
    sn_status status = SN_OK;
    for (size_t begin = 0, end = 0; begin < size; begin = end + 1) {
        const char *feed = memchr(content + begin, '\n', size - begin);
        end = feed ? (size_t)(feed - content) : size;
        SN_TRY(sn_json_parse(context, content + begin, end - begin, &line, error));
        SN_TRY(replay_line(context, sn_json_root(line), result, error));
        sn_json_destroy(line);
        line = NULL;
        if (++number % LINES_PER_TREE == 0) {
            SN_TRY(renew_tree(context, result, error));
        }
    }
    if (!result->document) {
        SN_TRY(desk_fail(error, SN_INVALID, "", "the journal is empty"));
    }
cleanup:
    sn_json_destroy(line);
    if (status != SN_OK) {
        recovery_deinit(result);
    }
    return status;
}
