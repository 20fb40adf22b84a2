// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "document/carry.h"

#include "common/file.h"
#include "sinew/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ATTEMPT_LIMIT = 10000 }; // names that are tried

// ---------------------------------------------------------------------------------------------
// What a document names

// The kept file that an entry of `meshes` or `clips` names, seen from `folder`.
static bool find_kept(const sn_value *entry, const char *folder, const char *kept,
                      char path[APP_PATH_BYTES]) {
    const char *name = sn_value_string(sn_value_get(entry, "file"), NULL);
    char whole[2 * APP_PATH_BYTES];
    if (name == NULL) {
        return false;
    }
    bool absolute = name[0] == '/';
    snprintf(whole, sizeof whole, "%s%s%s", absolute ? "" : folder, absolute ? "" : "/", name);
    return realpath(whole, path) != NULL && app_is_below(kept, path);
}

// The entries of a document that may name files, one after the other; NULL: no more.
static sn_value *entry_at(const sn_json *document, uint32_t index) {
    const sn_value *meshes = sn_value_get(sn_json_root(document), "meshes");
    const sn_value *clips = sn_value_get(sn_json_root(document), "clips");
    uint32_t count = sn_value_count(meshes);
    return (sn_value *)(index < count ? sn_value_at(meshes, index)
                                      : sn_value_at(clips, index - count));
}

bool carry_needed(const sn_json *document, const char *base, const char *kept) {
    char folder[APP_PATH_BYTES], path[APP_PATH_BYTES];
    bool found = false;
    if (!app_folder_of(base, folder)) {
        return false;
    }
    for (uint32_t i = 0; entry_at(document, i) != NULL && !found; ++i) {
        found = find_kept(entry_at(document, i), folder, kept, path);
    }
    return found;
}

// ---------------------------------------------------------------------------------------------
// Copies

// The files that came together, KEPT/XXXXXX/NAME/*, and where they go.
typedef struct luggage {
    char from[APP_PATH_BYTES];
    char to[APP_PATH_BYTES]; // the folder of the document
    struct dirent **files;
    int count;
    uint32_t attempt; // the number behind the name
} luggage;

static int is_file(const struct dirent *item) {
    return item->d_name[0] != '.';
}

static void luggage_deinit(luggage *all) {
    for (int i = 0; i < all->count; ++i) {
        free(all->files[i]);
    }
    free(all->files);
}

// How a document names a copy: "NAME-1.bvh", "NAME-1/FILE.gltf".
static bool name_copy(const luggage *all, const char *file, char name[APP_PATH_BYTES]) {
    char number[16] = "";
    const char *dot = strrchr(file, '.'), *folder = strrchr(all->from, '/') + 1;
    int stem = dot != NULL ? (int)(dot - file) : (int)strlen(file);
    if (all->attempt > 0) {
        snprintf(number, sizeof number, "-%u", all->attempt);
    }
    int length = all->count == 1
                     ? snprintf(name, APP_PATH_BYTES, "%.*s%s%s", stem, file, number, file + stem)
                     : snprintf(name, APP_PATH_BYTES, "%s%s/%s", folder, number, file);
    return length < APP_PATH_BYTES;
}

// The paths of a file and of its copy.
static sn_status name_both(const luggage *all, const char *file, char from[APP_PATH_BYTES],
                           char to[APP_PATH_BYTES], sn_error *error) {
    char name[APP_PATH_BYTES];
    bool fits = name_copy(all, file, name) &&
                snprintf(from, APP_PATH_BYTES, "%s/%s", all->from, file) < APP_PATH_BYTES &&
                snprintf(to, APP_PATH_BYTES, "%s/%s", all->to, name) < APP_PATH_BYTES;
    return fits ? SN_OK : app_fail(error, SN_LIMIT, all->to, "the path of %s is too long", file);
}

static bool is_there(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 || errno != ENOENT;
}

static bool same_bytes(const char *path, const char *other) {
    char *a = NULL, *b = NULL;
    size_t size = 0, other_size = 0;
    sn_error ignored = {0};
    bool same = app_read_text(path, &a, &size, &ignored) == SN_OK &&
                app_read_text(other, &b, &other_size, &ignored) == SN_OK && size == other_size &&
                memcmp(a, b, size) == 0;
    free(a);
    free(b);
    return same;
}

// Counts up to the first number with which nothing else has the names of the copies.
static sn_status find_names(luggage *all, sn_error *error) {
    char from[APP_PATH_BYTES], to[APP_PATH_BYTES];
    sn_status status = SN_OK;
    for (bool taken = true; taken && status == SN_OK; all->attempt += taken) {
        taken = false;
        for (int i = 0; i < all->count && status == SN_OK && !taken; ++i) {
            status = name_both(all, all->files[i]->d_name, from, to, error);
            taken = status == SN_OK && is_there(to) && !same_bytes(from, to);
        }
        if (all->attempt == ATTEMPT_LIMIT) {
            return app_fail(error, SN_LIMIT, all->to, "no name is free for a copy of %s", from);
        }
    }
    return status;
}

static sn_status copy_file(const char *from, const char *to, sn_error *error) {
    char folder[APP_PATH_BYTES], *bytes = NULL;
    size_t size = 0;
    sn_status status = SN_OK;
    snprintf(folder, sizeof folder, "%s", to);
    *strrchr(folder, '/') = 0;
    SN_TRY(app_make_folder(folder, error));
    SN_TRY(app_read_text(from, &bytes, &size, error));
    SN_TRY(sn_file_write(to, bytes, size, error));
cleanup:
    free(bytes);
    return status;
}

static sn_status copy_files(const luggage *all, carry_result *result, sn_error *error) {
    char from[APP_PATH_BYTES], to[APP_PATH_BYTES];
    sn_status status = SN_OK;
    for (int i = 0; i < all->count; ++i) {
        SN_TRY(name_both(all, all->files[i]->d_name, from, to, error));
        if (is_there(to)) {
            continue;
        }
        SN_TRY(copy_file(from, to, error));
        if (result->count++ == 0) {
            snprintf(result->first, sizeof result->first, "%s", to);
        }
    }
cleanup:
    return status;
}

// Copies the file at `path` and what came with it; `name` is how the document names the copy.
static sn_status carry(const char *path, luggage *all, char name[APP_PATH_BYTES],
                       carry_result *result, sn_error *error) {
    const char *slash = strrchr(path, '/');
    snprintf(all->from, sizeof all->from, "%.*s", (int)(slash - path), path);
    all->count = scandir(all->from, &all->files, is_file, alphasort);
    if (all->count < 0) {
        all->count = 0;
        return app_fail(error, SN_IO, all->from, "cannot be read: %s", strerror(errno));
    }
    sn_status status = SN_OK;
    SN_TRY(find_names(all, error));
    SN_TRY(copy_files(all, result, error));
    SN_TRY(name_copy(all, slash + 1, name)
               ? SN_OK
               : app_fail(error, SN_LIMIT, path, "the path is too long"));
cleanup:
    return status;
}

sn_status carry_files(sn_json *document, const char *path, const char *kept, carry_result *result,
                      sn_error *error) {
    char folder[APP_PATH_BYTES], file[APP_PATH_BYTES], name[APP_PATH_BYTES];
    *result = (carry_result){0};
    sn_status status = app_folder_of(path, folder)
                           ? SN_OK
                           : app_fail(error, SN_IO, path, "its folder does not exist");
    for (uint32_t i = 0; status == SN_OK && entry_at(document, i) != NULL; ++i) {
        sn_value *entry = entry_at(document, i);
        luggage all = {0};
        if (!find_kept(entry, folder, kept, file)) {
            continue;
        }
        snprintf(all.to, sizeof all.to, "%s", folder);
        status = carry(file, &all, name, result, error);
        if (status == SN_OK && sn_json_add_string(document, entry, "file", name) == NULL) {
            status = app_fail_memory(error);
        }
        luggage_deinit(&all);
    }
    return status;
}
