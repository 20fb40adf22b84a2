// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // flock
//
// Journals are read line by line, but not replayed: how many edits they have that are in no file
// can be told by the beginning of each line.
#include "document/unsaved.h"

#include "document/document_internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_ROOM 4096
#define LIST_LIMIT 100

// A file as it was opened or written.
typedef struct written {
    char *path;
    uint64_t hash;
    int64_t position; // how many edits were done; -1: other edits were made since
} written;

// What a journal tells at a glance.
typedef struct glance {
    char *name;        // of the character when it was opened
    char *path, *base; // of the file that it was saved in last (NULL: none); where it came from
    bool copy;         //
    bool touched;      // there are lines after the first
    int64_t position;  // how many edits are done
    int64_t saved; // how many were when the file was written; -1: other edits were made since, or
                   // never saved
    written *files;
    uint32_t file_count;
} glance;

typedef struct listed {
    char journal[256];
    time_t when;
    glance glance;
} listed;

static void glance_deinit(glance *glance) {
    for (uint32_t i = 0; i < glance->file_count; ++i) {
        free(glance->files[i].path);
    }
    free(glance->files);
    free(glance->name);
    free(glance->path);
    free(glance->base);
    *glance = (struct glance){0};
}

// ---------------------------------------------------------------------------------------------
// Lines

static bool begins(const char *line, size_t size, const char *word) {
    return size >= strlen(word) && memcmp(line, word, strlen(word)) == 0;
}

static bool ends(const char *line, size_t size, const char *word) {
    return size >= strlen(word) && memcmp(line + size - strlen(word), word, strlen(word)) == 0;
}

static void take_string(char **place, const sn_value *value) {
    if (sn_value_string(value, NULL)) {
        free(*place);
        *place = desk_copy_string(sn_value_string(value, NULL));
    }
}

static uint64_t hash_of(const sn_value *value) {
    return strtoull(sn_value_string(value, "0"), NULL, 16);
}

// `from` has "path" and "hash".
static void note_file(glance *glance, const sn_value *from) {
    char *path = desk_copy_string(sn_value_string(sn_value_get(from, "path"), NULL));
    written *files = path ? realloc(glance->files, (glance->file_count + 1) * sizeof *files) : NULL;
    if (!files) {
        free(path);
        return;
    }
    glance->files = files;
    files[glance->file_count++] =
        (written){path, hash_of(sn_value_get(from, "hash")), glance->position};
}

// A line is written before its file: the file itself says whether that came to be. The last one
// that is there is the document's.
static const written *find_last_file(const glance *glance) {
    for (uint32_t i = glance->file_count; i > 0; --i) {
        if (access(glance->files[i - 1].path, F_OK) == 0) {
            return &glance->files[i - 1];
        }
    }
    return glance->file_count > 0 ? &glance->files[0] : NULL;
}

// Which of the states that were written is on the disk.
static void look_at_file(glance *glance) {
    const written *last = find_last_file(glance);
    char *bytes = NULL;
    size_t size = 0;
    if (!last) {
        return; // a document that is no file yet: everything since it was opened counts
    }
    glance->path = desk_copy_string(last->path);
    glance->saved = -1;
    if (journal_read_file(last->path, &bytes, &size, NULL) != SN_OK) {
        return;
    }
    uint64_t hash = journal_hash(bytes, size);
    free(bytes);
    for (uint32_t i = glance->file_count; i > 0; --i) {
        const written *file = &glance->files[i - 1];
        if (file->hash == hash && strcmp(file->path, last->path) == 0) {
            glance->saved = file->position;
            return;
        }
    }
    // Another program wrote it, over what was saved here.
    glance->saved = last->position == glance->position ? last->position : -1;
}

static bool read_header(sn_context *context, const char *line, size_t size, glance *glance) {
    sn_json *header = NULL, *document = NULL;
    if (sn_json_parse(context, line, size, &header, NULL) != SN_OK) {
        return false;
    }
    const sn_value *root = sn_json_root(header);
    const char *text = sn_value_string(sn_value_get(root, "text"), NULL);
    bool good = text && sn_value_number(sn_value_get(root, "journal"), 0) == 1;
    if (good && sn_json_parse(context, text, strlen(text), &document, NULL) == SN_OK) {
        take_string(&glance->name, sn_value_get(sn_json_root(document), "name"));
    }
    take_string(&glance->base, sn_value_get(root, "base"));
    glance->copy = sn_value_bool(sn_value_get(root, "copy"), false);
    note_file(glance, root);
    sn_json_destroy(document);
    sn_json_destroy(header);
    return good && glance->base;
}

static void read_saved(sn_context *context, const char *line, size_t size, glance *glance) {
    sn_json *json = NULL;
    if (sn_json_parse(context, line, size, &json, NULL) != SN_OK) {
        return;
    }
    note_file(glance, sn_value_get(sn_json_root(json), "saved"));
    sn_json_destroy(json);
}

// After an undo and another edit, the saved state is not reached any more by undo and redo.
static void read_step(const char *line, size_t size, glance *glance) {
    if (ends(line, size, "true}")) {
        return; // merged with the one before
    }
    for (uint32_t i = 0; i < glance->file_count; ++i) {
        if (glance->files[i].position > glance->position) {
            glance->files[i].position = -1;
        }
    }
    ++glance->position;
}

static void read_line(sn_context *context, const char *line, size_t size, glance *glance) {
    if (begins(line, size, "{\"step\"")) {
        read_step(line, size, glance);
    } else if (begins(line, size, "{\"undo\"")) {
        --glance->position;
    } else if (begins(line, size, "{\"redo\"")) {
        ++glance->position;
    } else if (begins(line, size, "{\"saved\"")) {
        read_saved(context, line, size, glance);
    }
}

static bool read_lines(sn_context *context, const char *content, size_t size, glance *glance) {
    const char *end = memchr(content, '\n', size);
    if (!end || !read_header(context, content, (size_t)(end - content), glance)) {
        return false;
    }
    for (const char *line = end + 1; line < content + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(content + size - line));
        if (!end) {
            break; // half of a line
        }
        read_line(context, line, (size_t)(end - line), glance);
        glance->touched = true;
    }
    look_at_file(glance);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Files

static bool is_journal(const char *name) {
    return name[0] != '.' && strlen(name) < sizeof((listed *)0)->journal &&
           ends(name, strlen(name), ".jsonl");
}

// Nobody has it open: whoever has holds a lock on it.
static bool is_free(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat info;
    bool is = file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
              flock(file, LOCK_SH | LOCK_NB) == 0;
    if (file >= 0) {
        close(file);
    }
    return is;
}

// A model that became a document is nowhere but in the journal, also without an edit.
static bool would_be_lost(const glance *glance) {
    bool nowhere = !glance->path && access(glance->base, F_OK) != 0 && !glance->copy;
    bool edited = glance->saved < 0 ? glance->touched : glance->position != glance->saved;
    return edited || nowhere;
}

static bool glance_at(sn_context *context, const char *folder, listed *item) {
    char path[PATH_ROOM], *content = NULL;
    size_t size = 0;
    bool good = snprintf(path, sizeof path, "%s/%s", folder, item->journal) < (int)sizeof path &&
                is_free(path) && journal_read_file(path, &content, &size, NULL) == SN_OK &&
                read_lines(context, content, size, &item->glance) && would_be_lost(&item->glance);
    free(content);
    if (!good) {
        glance_deinit(&item->glance);
    }
    return good;
}

static int newest_first(const void *a, const void *b) {
    const listed *one = a, *other = b;
    if (one->when != other->when) {
        return one->when > other->when ? -1 : 1;
    }
    return strcmp(one->journal, other->journal);
}

static bool add_name(DIR *stream, const char *name, listed **items, uint32_t *count) {
    struct stat info;
    if (!is_journal(name) || fstatat(dirfd(stream), name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return true;
    }
    listed *more = realloc(*items, (*count + 1) * sizeof *more);
    if (!more) {
        return false;
    }
    *items = more;
    more[*count] = (listed){.when = info.st_mtime};
    snprintf(more[*count].journal, sizeof more[*count].journal, "%s", name);
    *count += 1;
    return true;
}

// All journals, newest first; free() them.
static listed *list_journals(const char *folder, uint32_t *count) {
    listed *items = NULL;
    DIR *stream = opendir(folder);
    *count = 0;
    for (const struct dirent *entry; stream && (entry = readdir(stream));) {
        if (!add_name(stream, entry->d_name, &items, count)) {
            break;
        }
    }
    if (stream) {
        closedir(stream);
    }
    if (items) {
        qsort(items, *count, sizeof *items, newest_first);
    }
    return items;
}

// ---------------------------------------------------------------------------------------------

static bool add_item(sn_json *json, sn_value *list, const listed *item) {
    const glance *glance = &item->glance;
    sn_value *object = sn_json_add_object(json, list, NULL);
    int64_t edits = glance->saved < 0 ? glance->position : glance->position - glance->saved;
    return sn_json_add_string(json, object, "journal", item->journal) &&
           sn_json_add_string(json, object, "name", glance->name ? glance->name : "") &&
           (glance->path ? sn_json_add_string(json, object, "path", glance->path)
                         : sn_json_add_null(json, object, "path")) &&
           sn_json_add_string(json, object, "from", glance->base) &&
           sn_json_add_number(json, object, "edits", (double)llabs(edits)) &&
           sn_json_add_number(json, object, "when", (double)item->when);
}

sn_status unsaved_add(sn_context *context, const char *state_folder, sn_json *json,
                      sn_value *object, const char *key, sn_error *error) {
    char folder[PATH_ROOM];
    uint32_t count = 0;
    snprintf(folder, sizeof folder, "%s/journal", state_folder);
    listed *items = list_journals(folder, &count);
    sn_value *list = sn_json_add_array(json, object, key);
    bool done = list != NULL;
    for (uint32_t i = 0; i < count && done && sn_value_count(list) < LIST_LIMIT; ++i) {
        if (glance_at(context, folder, &items[i])) {
            done = add_item(json, list, &items[i]);
            glance_deinit(&items[i].glance);
        }
    }
    free(items);
    return done ? SN_OK : app_fail_memory(error);
}

void unsaved_tell(desk *desk) {
    sn_json *event = desk_event(desk, "unsaved");
    if (event && unsaved_add(desk_context(desk), desk_state_folder(desk), event,
                             sn_json_root(event), "unsaved", NULL) == SN_OK) {
        desk_send(desk, DESK_ALL_PAGES, event, "unsaved");
    } else {
        sn_json_destroy(event);
    }
}

sn_status unsaved_discard(const char *state_folder, const char *journal, sn_error *error) {
    struct journal *opened = NULL;
    if (!is_journal(journal)) {
        return desk_fail(error, SN_INVALID, "journal", "there is no journal \"%.200s\"", journal);
    }
    sn_status status = SN_OK;
    SN_TRY(journal_open_file(state_folder, journal, &opened, error));
    journal_close(opened, true);
cleanup:
    return status;
}
