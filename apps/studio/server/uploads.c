// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "uploads.h"

#include "common/common.h"
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct upload {
    uint32_t number; // 0: free
    uint32_t page;
    FILE *file;
    char folder[UPLOAD_PATH_BYTES];
    char name[UPLOAD_NAME_BYTES + 1];
    char scratch[UPLOAD_PATH_BYTES]; // where it is written
    uint64_t size, received;
} upload;

struct uploads {
    uint32_t last_number;
    upload items[UPLOAD_LIMIT];
};

sn_status uploads_create(uploads **result, sn_error *error) {
    *result = calloc(1, sizeof **result);
    return *result != NULL ? SN_OK : app_fail_memory(error);
}

static void end_upload(upload *item) {
    if (item->file != NULL) {
        fclose(item->file);
    }
    remove(item->scratch);
    *item = (upload){0};
}

void uploads_leave(uploads *u, uint32_t page) {
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

static sn_status open_scratch(upload *item, sn_error *error) {
    int length = snprintf(item->scratch, sizeof item->scratch, "%s/.sinew-upload-%ld-%u.tmp",
                          item->folder, (long)getpid(), item->number);
    int handle =
        length < (int)sizeof item->scratch
            ? open(item->scratch, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666)
            : -1;
    item->file = handle >= 0 ? fdopen(handle, "wb") : NULL;
    if (item->file == NULL) {
        sn_status status = app_fail(error, SN_IO, item->folder, "no file can be written here: %s",
                                    strerror(errno));
        *item = (upload){0};
        return status;
    }
    return SN_OK;
}

sn_status uploads_begin(uploads *u, uint32_t page, const char *folder, const char *name,
                        double size, uint32_t *number, sn_error *error) {
    upload *item = find_free(u, page);
    char clean[UPLOAD_NAME_BYTES + 1];
    sn_status status = upload_clean_name(name, clean, error);
    if (status != SN_OK) {
        return status;
    }
    if (!(size >= 1 && size <= UPLOAD_SIZE_LIMIT) || size != floor(size)) {
        return app_fail(error, SN_LIMIT, clean, "a file to upload has 1 to %.0f bytes",
                        UPLOAD_SIZE_LIMIT);
    }
    if (item == NULL) {
        return app_fail(error, SN_LIMIT, clean, "too many files are being uploaded");
    }
    *item = (upload){.number = ++u->last_number, .page = page, .size = (uint64_t)size};
    snprintf(item->folder, sizeof item->folder, "%s", folder);
    snprintf(item->name, sizeof item->name, "%s", clean);
    *number = item->number;
    return open_scratch(item, error);
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

// NAME.bvh, NAME-1.bvh, ...
static void number_name(const upload *item, uint32_t attempt, char path[UPLOAD_PATH_BYTES]) {
    const char *dot = strrchr(item->name, '.');
    int stem = dot != NULL ? (int)(dot - item->name) : (int)strlen(item->name);
    if (attempt == 0) {
        snprintf(path, UPLOAD_PATH_BYTES, "%s/%s", item->folder, item->name);
    } else {
        snprintf(path, UPLOAD_PATH_BYTES, "%s/%.*s-%u%s", item->folder, stem, item->name, attempt,
                 dot != NULL ? dot : "");
    }
}

static sn_status complete(upload *item, char path[UPLOAD_PATH_BYTES], sn_error *error) {
    int why = fclose(item->file) == 0 ? EEXIST : errno;
    item->file = NULL;
    for (uint32_t attempt = 0; why == EEXIST && attempt < 10000; ++attempt) {
        number_name(item, attempt, path);
        why = rename_new(item->scratch, path);
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
                      bool *done, char path[UPLOAD_PATH_BYTES], sn_error *error) {
    upload *item = find(u, page, number);
    sn_status status = SN_OK;
    *done = false;
    if (item == NULL) {
        return app_fail(error, SN_INVALID, "", "there is no upload %u", number);
    }
    if (size > item->size - item->received) {
        status = app_fail(error, SN_INVALID, item->name, "is longer than was said");
    } else if (fwrite(bytes, 1, size, item->file) != size) {
        status = app_fail(error, SN_IO, item->name, "cannot be written: %s", strerror(errno));
    }
    item->received += size;
    if (status == SN_OK && item->received == item->size) {
        status = complete(item, path, error);
        *done = status == SN_OK;
    }
    if (status != SN_OK || *done) {
        end_upload(item);
    }
    return status;
}
