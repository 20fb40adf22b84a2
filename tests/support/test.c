// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "test.h"

#include <dirent.h>
#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

// All tests run without AVX2 where $SNT_CPU is "baseline".
static sn_cpu wanted_cpu(void) {
    const char *text = getenv("SNT_CPU");
    return text != NULL && strcmp(text, "baseline") == 0 ? SN_CPU_BASELINE : SN_CPU_AUTO;
}

sn_context *snt_context(uint32_t thread_count) {
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = thread_count;
    desc.cpu = wanted_cpu();
    sn_context *context = NULL;
    snt_ok(sn_context_create(&desc, &context, error));
    return context;
}

void snt_context_end(sn_context *context) {
    // What the context itself holds (its threads) is freed with it: compare with a fresh one.
    sn_context *fresh = snt_context(sn_context_thread_count(context));
    size_t own = sn_context_bytes(fresh);
    sn_context_destroy(fresh);
    size_t bytes = sn_context_bytes(context);
    sn_context_destroy(context);
    if (bytes != own) {
        fail_msg("%zu bytes leaked", bytes - own);
    }
}

void snt_ok_at(sn_status status, const sn_error *error, const char *file, int line) {
    if (status != SN_OK) {
        char text[2048];
        sn_error_format(error, text, sizeof text);
        print_error("%s\n", text);
        _fail(file, line);
    }
}

void snt_fails_at(sn_status status, sn_status expected, const sn_error *error, const char *text,
                  const char *file, int line) {
    char found[2048];
    sn_error_format(error, found, sizeof found);
    if (status != expected || error->status != expected) {
        print_error("expected status \"%s\", found \"%s\" (%s)\n", sn_status_name(expected),
                    sn_status_name(status), found);
        _fail(file, line);
    }
    if (strstr(found, text) == NULL) {
        print_error("expected an error with \"%s\"\nfound \"%s\"\n", text, found);
        _fail(file, line);
    }
}

void snt_near_at(double a, double b, double tolerance, const char *file, int line) {
    if (!(fabs(a - b) <= tolerance)) {
        print_error("%.17g and %.17g differ by %g, more than %g\n", a, b, fabs(a - b), tolerance);
        _fail(file, line);
    }
}

static char *next_buffer(void) {
    static char buffers[8][4096];
    static unsigned next;
    return buffers[next++ % 8];
}

int snt_count_entries(const char *folder) {
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(directory);
    return count;
}

const char *snt_gltf_output(const char *name) {
    static char path[4096];
    const char *folder = getenv("SNT_GLTF_OUT");
    if (folder == NULL) {
        return snt_scratch(name);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

const char *snt_source(const char *relative) {
    char *path = next_buffer();
    snprintf(path, 4096, "%s/%s", SNT_SOURCE_DIR, relative);
    return path;
}

bool snt_same_bytes(const char *a, const char *b) {
    FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
    bool same = x != NULL && y != NULL;
    for (int c = 0; same && c != EOF;) {
        c = fgetc(x);
        same = c == fgetc(y);
    }
    if (x != NULL) {
        fclose(x);
    }
    if (y != NULL) {
        fclose(y);
    }
    return same;
}

bool snt_thorough(void) {
    return getenv("SINEW_THOROUGH") != NULL;
}

void snt_only_thorough(void) {
    if (!snt_thorough()) {
        snt_skip("a long case, which SINEW_THOROUGH=1 runs");
    }
}

void snt_skip(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message("skipped: ");
    vprint_message(format, arguments);
    print_message("\n");
    va_end(arguments);
    skip();
}

const char *snt_data(const char *relative) {
    char *path = next_buffer();
    const char *folder = getenv("SINEW_TEST_DATA");
    if (folder != NULL) {
        snprintf(path, 4096, "%s/%s", folder, relative);
    } else {
        snprintf(path, 4096, "%s/../shared/data/%s", SNT_SOURCE_DIR, relative);
    }
    if (access(path, R_OK) != 0) {
        snt_skip("no test data at %s (set SINEW_TEST_DATA)", path);
    }
    return path;
}

static char scratch_folder[256];

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place) {
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

static void remove_scratch(void) {
    nftw(scratch_folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *snt_scratch(const char *name) {
    if (scratch_folder[0] == 0) {
        const char *temporary = getenv("TMPDIR");
        snprintf(scratch_folder, sizeof scratch_folder, "%s/sinew-test-XXXXXX",
                 temporary != NULL ? temporary : "/tmp");
        if (mkdtemp(scratch_folder) == NULL) {
            fail_msg("cannot make %s", scratch_folder);
        }
        atexit(remove_scratch);
    }
    char *path = next_buffer();
    snprintf(path, 4096, "%s/%s", scratch_folder, name);
    return path;
}

void snt_fail_allocations(sn_status (*attempt)(sn_context *context, void *user, sn_error *error),
                          void *user) {
    for (size_t limit = 1;; ++limit) {
        sn_context_desc desc = sn_context_desc_default();
        desc.thread_count = 1;
        desc.allocator.count_limit = limit;
        sn_context *context = NULL;
        snt_ok(sn_context_create(&desc, &context, error));
        sn_error error = {0};
        sn_status status = attempt(context, user, &error);
        size_t bytes = sn_context_bytes(context);
        sn_context_destroy(context);
        if (bytes != 0) {
            fail_msg("%zu bytes leaked when allocation %zu failed", bytes, limit + 1);
        }
        if (status == SN_OK) {
            return;
        }
        if (status != SN_OUT_OF_MEMORY) {
            char text[2048];
            sn_error_format(&error, text, sizeof text);
            fail_msg("allocation %zu failed and gave: %s", limit + 1, text);
        }
    }
}

// PCG32 (O'Neill 2014).
uint32_t snt_random_u32(snt_random *random) {
    uint64_t old = random->state;
    random->state = old * 6364136223846793005ULL + 1442695040888963407ULL;
    uint32_t shifted = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return (shifted >> turn) | (shifted << ((32 - turn) & 31));
}

double snt_random_range(snt_random *random, double low, double high) {
    return low + (high - low) * (snt_random_u32(random) / 4294967296.0);
}
