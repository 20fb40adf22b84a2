// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "files/folder.h"

#include "common/common.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

file_kind file_kind_of(const char *path) {
    static const char *const motions[] = {".bvh", ".mot", ".sto", NULL};
    static const char *const models[] = {".osim", NULL};
    if (app_has_extension(path, ".sinew.json")) {
        return FILE_DOCUMENT;
    }
    if (app_find_extension(path, motions)) {
        return FILE_MOTION;
    }
    return app_find_extension(path, models) != NULL ||
                   app_find_extension(path, sn_import_extensions()) != NULL
               ? FILE_MODEL
               : FILE_OTHER;
}

const char *file_kind_name(file_kind kind) {
    static const char *const names[] = {"other", "document", "model", "motion"};
    return names[kind];
}

bool file_can_be_uploaded(const char *name) {
    static const char *const companions[] = {".bin", ".mtl", ".csv", ".json", NULL};
    return file_kind_of(name) != FILE_OTHER || app_find_extension(name, companions);
}

// ---------------------------------------------------------------------------------------------

typedef struct entry {
    char *name;
    bool is_folder, is_anatomy;
    double size, when; // bytes, seconds since 1970
} entry;

typedef struct listing {
    uint32_t count, more;
    entry *entries; // room for FOLDER_LIMIT
} listing;

static int compare_entries(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->is_folder != y->is_folder) {
        return x->is_folder ? -1 : 1;
    }
    int order = strcasecmp(x->name, y->name);
    return order != 0 ? order : strcmp(x->name, y->name);
}

// Whether a line of cells, such as `file, "kind"`, has one of this text.
static bool has_cell(const char *line, const char *wanted) {
    static const char around[] = " \t\"";
    for (const char *cell = line; *cell != 0;) {
        size_t length = strcspn(cell, ",;");
        size_t from = strspn(cell, around), to = length;
        while (to > from && strchr(around, cell[to - 1]) != NULL) {
            --to;
        }
        if (to - from == strlen(wanted) && strncmp(cell + from, wanted, to - from) == 0) {
            return true;
        }
        cell += length + (cell[length] != 0);
    }
    return false;
}

// Whether a folder is one of bones and muscles: its index.csv tells the kinds of its files
// (docs/anatomy.md). Others, such as one of motions, have an index of that name, too.
static bool is_anatomy(const char *folder) {
    char path[APP_PATH_BYTES + 16], line[4096] = "";
    snprintf(path, sizeof path, "%s/index.csv", folder);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    line[strcspn(line, "\r\n")] = 0;
    return read && has_cell(line, "file") && has_cell(line, "kind");
}

// What cannot be looked at, such as a link that leads nowhere, is left out.
static bool take_entry(const char *folder, const char *name, listing *list) {
    char path[APP_PATH_BYTES];
    struct stat status;
    if (name[0] == '.' || snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
        stat(path, &status) != 0) {
        return true;
    }
    if (list->count == FOLDER_LIMIT) {
        ++list->more;
        return true;
    }
    bool is_folder = S_ISDIR(status.st_mode);
    list->entries[list->count] = (entry){.name = strdup(name),
                                         .is_folder = is_folder,
                                         .is_anatomy = is_folder && is_anatomy(path),
                                         .size = (double)status.st_size,
                                         .when = (double)status.st_mtime};
    return list->entries[list->count++].name != NULL;
}

static bool add_entries(const listing *list, sn_json *json, sn_value *object) {
    sn_value *array = sn_json_add_array(json, object, "entries");
    bool done = array != NULL;
    for (uint32_t i = 0; i < list->count && done; ++i) {
        const entry *e = &list->entries[i];
        sn_value *item = sn_json_add_object(json, array, NULL);
        const char *kind = e->is_folder ? "folder" : file_kind_name(file_kind_of(e->name));
        done = sn_json_add_string(json, item, "name", e->name) != NULL &&
               sn_json_add_string(json, item, "kind", kind) != NULL &&
               sn_json_add_number(json, item, "size", e->is_folder ? 0 : e->size) != NULL &&
               sn_json_add_number(json, item, "when", e->when) != NULL &&
               (!e->is_anatomy || sn_json_add_bool(json, item, "anatomy", true) != NULL);
    }
    return done &&
           (list->more == 0 || sn_json_add_number(json, object, "more", list->more) != NULL);
}

sn_status folder_list(const char *folder, sn_json *json, sn_value *object, sn_error *error) {
    listing list = {.entries = calloc(FOLDER_LIMIT, sizeof *list.entries)};
    bool done = list.entries != NULL;
    DIR *stream = opendir(folder);
    if (stream == NULL) {
        free(list.entries);
        return app_fail(error, SN_IO, folder, "cannot be read: %s", strerror(errno));
    }
    for (struct dirent *item; done && (item = readdir(stream)) != NULL;) {
        done = take_entry(folder, item->d_name, &list);
    }
    closedir(stream);
    if (done) {
        qsort(list.entries, list.count, sizeof *list.entries, compare_entries);
        done = add_entries(&list, json, object);
    }
    for (uint32_t i = 0; list.entries != NULL && i < list.count; ++i) {
        free(list.entries[i].name);
    }
    free(list.entries);
    return done ? SN_OK : app_fail_memory(error);
}

// ---------------------------------------------------------------------------------------------
// Shipped characters

bool gallery_find(const char *examples, const char *name, char *path, size_t size) {
    // It must be the name of a folder, not a path to another one.
    if (examples == NULL || name[0] == 0 || name[0] == '.' || strchr(name, '/') != NULL) {
        return false;
    }
    int length = snprintf(path, size, "%s/%s/%s.sinew.json", examples, name, name);
    return length > 0 && (size_t)length < size && access(path, R_OK) == 0;
}

static bool add_character(const char *name, const char *pictures, const char *path,
                          const sn_json *document, sn_json *json, sn_value *list) {
    char picture[APP_PATH_BYTES], address[512];
    const char *about = sn_value_string(sn_value_get(sn_json_root(document), "about"), "");
    sn_value *item = sn_json_add_object(json, list, NULL);
    snprintf(picture, sizeof picture, "%s/%s.png", pictures != NULL ? pictures : "", name);
    snprintf(address, sizeof address, "gallery/%s.png", name);
    bool drawn = pictures != NULL && access(picture, R_OK) == 0;
    return sn_json_add_string(json, item, "name", name) != NULL &&
           sn_json_add_string(json, item, "about", about) != NULL &&
           (drawn ? sn_json_add_string(json, item, "picture", address)
                  : sn_json_add_null(json, item, "picture")) != NULL &&
           sn_json_add_string(json, item, "path", path) != NULL;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

sn_status gallery_list(sn_context *context, const char *examples, const char *pictures,
                       sn_json *json, sn_value *object, sn_error *error) {
    sn_value *list = sn_json_add_array(json, object, "gallery");
    bool done = list != NULL;
    struct dirent **items = NULL;
    int count = examples != NULL ? scandir(examples, &items, NULL, by_name) : 0;
    for (int i = 0; i < count; ++i) {
        char path[APP_PATH_BYTES];
        sn_json *document = NULL;
        sn_error ignored = {0};
        const char *name = items[i]->d_name;
        if (done && gallery_find(examples, name, path, sizeof path) &&
            app_read_json(context, path, &document, &ignored) == SN_OK) {
            done = add_character(name, pictures, path, document, json, list);
        }
        sn_json_destroy(document);
        free(items[i]);
    }
    free(items);
    return done ? SN_OK : app_fail_memory(error);
}
