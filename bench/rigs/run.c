// SPDX-License-Identifier: Apache-2.0
//
// `sinew bench rigs`.
#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"
#include "bench/rigs/rigs.h"

#include <unistd.h>

// Of the shared data; of another folder all is searched.
static const char *const shared_folders[] = {"human", "gltf", "rigs", "mocap"};
static const char *const whole_folder[] = {""};

// The picture's address on the page: the part that both paths begin with, up to a slash, is left
// out.
static const char *address_of(const char *picture, const char *page) {
    size_t same = 0;
    for (size_t i = 0; page != NULL && page[i] != 0 && page[i] == picture[i]; ++i) {
        same = page[i] == '/' ? i + 1 : same;
    }
    return picture + same;
}

typedef struct page {
    const snb_rigs *rigs;
    const snb_rigs_options *options;
} page;

static void write_page(const void *user, FILE *out) {
    const page *p = user;
    const snb_rigs_options *o = p->options;
    const char *picture = o->picture != NULL ? address_of(o->picture, o->page) : NULL;
    snb_rigs_write(p->rigs, o->frames, picture, out);
}

// Whether a folder is laid out as the shared data are.
static bool has_shared_layout(const char *data) {
    char path[4200];
    snprintf(path, sizeof path, "%s/rigs", data);
    return access(path, R_OK) == 0;
}

static sn_status run(sn_context *context, const void *user, sn_error *error) {
    const snb_rigs_options *options = user;
    sn_status status = SN_OK;
    char path[4096];
    snb_rigs rigs = {0};
    snb_data_path("", path, sizeof path);
    const char *data = options->data != NULL ? options->data : path;
    if (access(data, R_OK) != 0) {
        return sni_fail(error, SN_IO, "there is no folder %s", data);
    }
    bool known = has_shared_layout(data);
    FILE *progress = isatty(STDERR_FILENO) ? stderr : NULL;
    SN_TRY(snb_rigs_open(context, data, known ? shared_folders : whole_folder, known ? 4 : 1, &rigs,
                         error));
    if (rigs.body_count == 0 || rigs.clip_count == 0) {
        status = sni_fail(error, SN_INVALID, "%s holds %u bodies and %u clips of people", data,
                          rigs.body_count, rigs.clip_count);
        goto cleanup;
    }
    SN_TRY(snb_rigs_measure(&rigs, options->frames, progress, error));
    page p = {.rigs = &rigs, .options = options};
    SN_TRY(snb_write_page(options->page, write_page, &p, error));
    if (options->picture != NULL) {
        SN_TRY(snb_rigs_draw(&rigs, options->picture, error));
    }
cleanup:
    snb_rigs_close(&rigs);
    return status;
}

int snb_rigs_run(const snb_rigs_options *options) {
    return snb_in_context(options->threads, run, options);
}
