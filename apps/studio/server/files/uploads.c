// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "files/uploads.h"

#include "common/common.h"
#include "common/file.h"
#include "files/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct upload {
    uint32_t number; // 0: free
    uint32_t page, slot;
    FILE *file;
    char folder[UPLOAD_PATH_BYTES];
    char name[UPLOAD_NAME_BYTES + 1];
    sn_file_set files; // what it is written in
    char scratch[SN_FILE_PATH_BYTES];
    uint64_t size, received;
} upload;

typedef struct drop {
    uint32_t page, number; // number 0: free
    char folder[UPLOAD_PATH_BYTES];
} drop;

struct uploads {
    uint32_t last_number, next_drop;
    upload items[UPLOAD_LIMIT];
    drop drops[UPLOAD_DROP_LIMIT]; // the oldest gives way
};

sn_status uploads_create(uploads **result, sn_error *error) {
    *result = calloc(1, sizeof **result);
    return *result != NULL ? SN_OK : app_fail_memory(error);
}

// The folder of a drop of which nothing came, and the one around it, are empty.
static void remove_empty(char *folder) {
    char *slash = strrchr(folder, '/');
    if (slash != NULL && rmdir(folder) == 0) {
        *slash = 0;
        rmdir(folder);
    }
}

static void end_upload(upload *item) {
    if (item->file != NULL) {
        fclose(item->file);
    }
    sn_file_set_cancel(&item->files);
    remove_empty(item->folder);
    *item = (upload){0};
}

void uploads_leave(uploads *u, uint32_t page) {
    for (uint32_t i = 0; i < UPLOAD_DROP_LIMIT; ++i) {
        u->drops[i].number = u->drops[i].page == page ? 0 : u->drops[i].number;
    }
    for (uint32_t i = 0; i < UPLOAD_LIMIT; ++i) {
        if (u->items[i].number != 0 && u->items[i].page == page) {
            end_upload(&u->items[i]);
        }
    }
}

void uploads_destroy(uploads *u) {
    for (uint32_t i = 0; u != NULL && i < UPLOAD_LIMIT; ++i) {
        if (u->items[i].number != 0) {
            end_upload(&u->items[i]);
        }
    }
    free(u);
}

sn_status upload_clean_name(const char *name, char clean[UPLOAD_NAME_BYTES + 1], sn_error *error) {
    const char *start = name;
    for (const char *c = name; *c != 0; ++c) {
        start = *c == '/' || *c == '\\' ? c + 1 : start;
    }
    start += strspn(start, ". ");
    size_t length = 0;
    for (const char *c = start; *c != 0; ++c) {
        bool control = (unsigned char)*c < 32 || *c == 127;
        if (!control && length == UPLOAD_NAME_BYTES) {
            return app_fail(error, SN_INVALID, "", "the name of the file is too long");
        }
        if (!control) {
            clean[length++] = *c;
        }
    }
    clean[length] = 0;
    if (length == 0) {
        return app_fail(error, SN_INVALID, "", "the file has no name");
    }
    return file_can_be_uploaded(clean)
               ? SN_OK
               : app_fail(error, SN_UNSUPPORTED, clean, "is not a file that sinew reads");
}

// A free place, where the page and all pages have not too many.
static upload *find_free(uploads *u, uint32_t page) {
    upload *free_one = NULL;
    uint32_t of_page = 0;
    for (uint32_t i = 0; i < UPLOAD_LIMIT; ++i) {
        upload *item = &u->items[i];
        of_page += item->number != 0 && item->page == page;
        free_one = item->number == 0 ? item : free_one;
    }
    return of_page < UPLOAD_PAGE_LIMIT ? free_one : NULL;
}

static drop *find_drop(uploads *u, uint32_t page, uint32_t number) {
    for (uint32_t i = 0; i < UPLOAD_DROP_LIMIT; ++i) {
        if (u->drops[i].number == number && u->drops[i].page == page) {
            return &u->drops[i];
        }
    }
    return NULL;
}

static int stem_length(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot != NULL ? (int)(dot - name) : (int)strlen(name);
}

// A character's folder is "arm", not "arm.sinew".
static int folder_name_length(const char *name) {
    static const char ending[] = ".sinew.json";
    return app_has_extension(name, ending) ? (int)(strlen(name) + 1 - sizeof ending)
                                           : stem_length(name);
}

// A folder with the name of a file, in a new one that holds nothing else.
static sn_status make_drop_folder(const char *parent, const char *name,
                                  char folder[UPLOAD_PATH_BYTES], sn_error *error) {
    int length = snprintf(folder, UPLOAD_PATH_BYTES, "%s/XXXXXX", parent);
    int why = length < UPLOAD_PATH_BYTES ? 0 : ENAMETOOLONG;
    why = why == 0 && mkdtemp(folder) == NULL ? errno : why;
    if (why == 0) {
        int room = UPLOAD_PATH_BYTES - length;
        bool fits =
            snprintf(folder + length, (size_t)room, "/%.*s", folder_name_length(name), name) < room;
        why = !fits ? ENAMETOOLONG : mkdir(folder, 0777) == 0 ? 0 : errno;
    }
    return why == 0
               ? SN_OK
               : app_fail(error, SN_IO, parent, "no file can be written here: %s", strerror(why));
}

// The folder of a drop, made for its first file.
static sn_status drop_folder(uploads *u, const upload_desc *desc, upload *item, sn_error *error) {
    drop *known = desc->drop != 0 ? find_drop(u, desc->page, desc->drop) : NULL;
    if (known != NULL) {
        snprintf(item->folder, sizeof item->folder, "%s", known->folder);
        return app_make_folder(item->folder, error); // its first file may have taken it along
    }
    sn_status status = SN_OK;
    SN_TRY(make_drop_folder(desc->folder, item->name, item->folder, error));
    if (desc->drop != 0) {
        known = &u->drops[u->next_drop++ % UPLOAD_DROP_LIMIT];
        *known = (drop){.page = desc->page, .number = desc->drop};
        snprintf(known->folder, sizeof known->folder, "%s", item->folder);
    }
cleanup:
    return status;
}

static sn_status open_scratch(upload *item, sn_error *error) {
    char path[UPLOAD_PATH_BYTES];
    if (snprintf(path, sizeof path, "%s/%s", item->folder, item->name) >= (int)sizeof path) {
        return app_fail(error, SN_LIMIT, item->folder, "its path is too long");
    }
    sn_status status = SN_OK;
    SN_TRY(sn_file_set_begin(&item->files, path, error));
    if (snprintf(item->scratch, sizeof item->scratch, "%s/upload", item->files.scratch) >=
        (int)sizeof item->scratch) {
        return app_fail(error, SN_LIMIT, item->folder, "its path is too long");
    }
    int handle = open(item->scratch, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    item->file = handle >= 0 ? fdopen(handle, "wb") : NULL;
    if (item->file == NULL) {
        status = app_fail(error, SN_IO, item->folder, "no file can be written here: %s",
                          strerror(errno));
    }
cleanup:
    return status;
}

sn_status uploads_begin(uploads *u, const upload_desc *desc, uint32_t *number, sn_error *error) {
    upload *item = find_free(u, desc->page);
    char clean[UPLOAD_NAME_BYTES + 1];
    sn_status status = upload_clean_name(desc->name, clean, error);
    if (status != SN_OK) {
        return status;
    }
    if (desc->size == 0) {
        return app_fail(error, SN_INVALID, clean, "is empty: there is nothing to read in it");
    }
    if (!(desc->size >= 1 && desc->size <= UPLOAD_SIZE_LIMIT) || desc->size != floor(desc->size)) {
        return app_fail(error, SN_LIMIT, clean,
                        "is too large: the page can send %.0f bytes at most", UPLOAD_SIZE_LIMIT);
    }
    if (item == NULL) {
        return app_fail(error, SN_LIMIT, clean, "too many files are being uploaded");
    }
    *item = (upload){.number = ++u->last_number,
                     .page = desc->page,
                     .slot = desc->slot,
                     .size = (uint64_t)desc->size};
    snprintf(item->name, sizeof item->name, "%s", clean);
    *number = item->number;
    status = drop_folder(u, desc, item, error);
    status = status == SN_OK ? open_scratch(item, error) : status;
    if (status != SN_OK) {
        end_upload(item);
    }
    return status;
}

// Gives a file its name where no other file has it: 0, or errno.
static int rename_new(const char *from, const char *to) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return errno;
    }
    // File systems without that call: an empty file holds the name meanwhile.
    int handle = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (handle < 0) {
        return errno;
    }
    close(handle);
    return rename(from, to) == 0 ? 0 : errno;
}

static sn_status complete(upload *item, char path[UPLOAD_PATH_BYTES], sn_error *error) {
    int length = snprintf(path, UPLOAD_PATH_BYTES, "%s/%s", item->folder, item->name);
    bool written = fflush(item->file) == 0 && fsync(fileno(item->file)) == 0;
    int why = written ? 0 : errno;
    fclose(item->file);
    item->file = NULL;
    if (why == 0) {
        why = length < UPLOAD_PATH_BYTES ? rename_new(item->scratch, path) : ENAMETOOLONG;
    }
    if (why == 0 && !app_flush_path(item->folder)) {
        why = errno;
    }
    return why == 0 ? SN_OK : app_fail(error, SN_IO, path, "cannot be written: %s", strerror(why));
}

static upload *find(uploads *u, uint32_t page, uint32_t number) {
    for (uint32_t i = 0; i < UPLOAD_LIMIT; ++i) {
        upload *item = &u->items[i];
        if (number != 0 && item->number == number && item->page == page) {
            return item;
        }
    }
    return NULL;
}

sn_status uploads_add(uploads *u, uint32_t page, uint32_t number, const void *bytes, size_t size,
                      upload_result *result, sn_error *error) {
    upload *item = find(u, page, number);
    sn_status status = SN_OK;
    result->done = false;
    if (item == NULL) {
        return app_fail(error, SN_INVALID, "", "there is no upload %u", number);
    }
    if (size > item->size - item->received) {
        status = app_fail(error, SN_INVALID, item->name, "is longer than announced");
    } else if (fwrite(bytes, 1, size, item->file) != size) {
        status = app_fail(error, SN_IO, item->name, "cannot be written: %s", strerror(errno));
    }
    item->received += size;
    if (status == SN_OK && item->received == item->size) {
        result->slot = item->slot;
        status = complete(item, result->path, error);
        result->done = status == SN_OK;
    }
    if (status != SN_OK || result->done) {
        end_upload(item);
    }
    return status;
}
