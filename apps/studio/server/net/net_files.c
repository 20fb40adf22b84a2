// SPDX-License-Identifier: Apache-2.0
//
// The page's files, read once: whatever a request asks for is compared with this table and never
// reaches the file system.
#define _GNU_SOURCE
#include "net/net_internal.h"

#include "common/common.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096, MAX_DEPTH = 8, MAX_FILES = 4096, MAX_FILE_BYTES = 1 << 28 };

static const struct {
    const char *extension, *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".map", "application/json"},
    {".txt", "text/plain; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".webp", "image/webp"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
    {".wasm", "application/wasm"},
};

static const char *type_of(const char *path) {
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof types / sizeof *types; ++i) {
        if (strcmp(dot, types[i].extension) == 0) {
            return types[i].type;
        }
    }
    return "application/octet-stream";
}

static sn_status add_file(net_files *files, const char *path, const char *name, size_t size,
                          sn_error *error) {
    if (files->count == MAX_FILES || size > MAX_FILE_BYTES) {
        return app_fail(error, SN_LIMIT, path,
                        "the page has too many files, or one that is too large");
    }
    net_file file = {.path = strdup(name), .type = type_of(name)};
    net_file *items = realloc(files->items, (files->count + 1) * sizeof *items);
    files->items = items != NULL ? items : files->items;
    sn_status status = SN_OK;
    SN_TRY(file.path != NULL && items != NULL ? SN_OK : app_fail_memory(error));
    SN_TRY(app_read_text(path, &file.bytes, &file.size, error));
    files->items[files->count++] = file;
    return SN_OK;
cleanup:
    free(file.path);
    return status;
}

// `root_size` bytes of `folder` are the web folder itself.
static sn_status add_folder(net_files *files, const char *folder, size_t root_size, int depth,
                            sn_error *error) {
    DIR *entries = depth < MAX_DEPTH ? opendir(folder) : NULL;
    if (entries == NULL) {
        return app_fail(error, SN_IO, folder, "cannot read the folder of the studio's page");
    }
    sn_status status = SN_OK;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        char path[PATH_BYTES];
        struct stat about;
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || length >= PATH_BYTES || stat(path, &about) != 0) {
            continue;
        }
        if (S_ISDIR(about.st_mode)) {
            SN_TRY(add_folder(files, path, root_size, depth + 1, error));
        } else if (S_ISREG(about.st_mode)) {
            SN_TRY(add_file(files, path, path + root_size, (size_t)about.st_size, error));
        }
    }
cleanup:
    closedir(entries);
    return status;
}

sn_status net_files_read(const char *folder, net_files *files, sn_error *error) {
    *files = (net_files){0};
    sn_status status = SN_OK;
    SN_TRY(add_folder(files, folder, strlen(folder), 0, error));
    if (net_files_find(files, "/index.html", strlen("/index.html")) == NULL) {
        SN_TRY(app_fail(error, SN_IO, folder, "there is no index.html: run `make studio`"));
    }
cleanup:
    if (status != SN_OK) {
        net_files_free(files);
    }
    return status;
}

void net_files_free(net_files *files) {
    for (uint32_t i = 0; i < files->count; ++i) {
        free(files->items[i].path);
        free(files->items[i].bytes);
    }
    free(files->items);
    *files = (net_files){0};
}

const net_file *net_files_find(const net_files *files, const char *path, size_t size) {
    for (uint32_t i = 0; i < files->count; ++i) {
        const char *name = files->items[i].path;
        if (strlen(name) == size && memcmp(name, path, size) == 0) {
            return &files->items[i];
        }
    }
    return NULL;
}
