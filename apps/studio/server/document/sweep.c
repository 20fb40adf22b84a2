// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "document/sweep.h"

#include "common/common.h"
#include "edits/journal.h"

#include <dirent.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static int is_file(const struct dirent *item) {
    return item->d_name[0] != '.';
}

// Whether a folder is one of drops, KEPT/XXXXXX, that is old.
static bool is_old_drop(const char *path) {
    struct stat info;
    struct dirent **items = NULL;
    int count = scandir(path, &items, is_file, alphasort);
    bool drop = count == 1 && items[0]->d_type == DT_DIR && lstat(path, &info) == 0 &&
                S_ISDIR(info.st_mode) && info.st_mtime < time(NULL) - SWEEP_DAYS * 86400L;
    for (int i = 0; i < count; ++i) {
        free(items[i]);
    }
    free(items);
    return drop;
}

static bool is_named(const char *journals, const char *drop) {
    char name[300], path[APP_PATH_BYTES];
    struct dirent **items = NULL;
    bool named = false;
    int count = scandir(journals, &items, is_file, alphasort);
    snprintf(name, sizeof name, "/%s/", drop);
    for (int i = 0; i < count; ++i) {
        char *text = NULL;
        size_t size = 0;
        sn_error ignored = {0};
        snprintf(path, sizeof path, "%s/%s", journals, items[i]->d_name);
        if (!named && journal_read_file(path, &text, &size, &ignored) == SN_OK) {
            named = memmem(text, size, name, strlen(name)) != NULL;
        }
        free(text);
        free(items[i]);
    }
    free(items);
    return named;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where) {
    (void)info, (void)kind, (void)where;
    return remove(path);
}

void sweep_kept(const char *kept, const char *journals) {
    struct dirent **items = NULL;
    int count = scandir(kept, &items, is_file, alphasort);
    for (int i = 0; i < count; ++i) {
        char path[APP_PATH_BYTES];
        snprintf(path, sizeof path, "%s/%s", kept, items[i]->d_name);
        if (is_old_drop(path) && !is_named(journals, items[i]->d_name)) {
            nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
        }
        free(items[i]);
    }
    free(items);
}
