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

static sn_status write_page(const snb_rigs *rigs, const snb_rigs_options *options,
                            sn_error *error) {
    const char *picture =
        options->picture != NULL ? address_of(options->picture, options->page) : NULL;
    FILE *out = options->page != NULL ? fopen(options->page, "w") : stdout;
    if (out == NULL) {
        return sni_fail(error, SN_IO, "cannot write %s", options->page);
    }
    snb_rigs_write(rigs, options->frames, picture, out);
    bool failed = ferror(out) != 0;
    failed |= out != stdout && fclose(out) != 0;
    return failed ? sni_fail(error, SN_IO, "cannot write %s",
                             options->page != NULL ? options->page : "standard output")
                  : SN_OK;
}

// Whether a folder is laid out as the shared data are.
static bool has_shared_layout(const char *data) {
    char path[4200];
    snprintf(path, sizeof path, "%s/rigs", data);
    return access(path, R_OK) == 0;
}

static sn_status run(sn_context *context, const snb_rigs_options *options, sn_error *error) {
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
    SN_TRY(write_page(&rigs, options, error));
    if (options->picture != NULL) {
        SN_TRY(snb_rigs_draw(&rigs, options->picture, error));
    }
cleanup:
    snb_rigs_close(&rigs);
    return status;
}

int snb_rigs_run(const snb_rigs_options *options) {
    sn_context_desc desc = sn_context_desc_default();
    sn_context *context = NULL;
    sn_error error = {0};
    desc.thread_count = options->threads;
    sn_status status = sn_context_create(&desc, &context, &error);
    if (status == SN_OK) {
        status = run(context, options, &error);
        sn_context_destroy(context);
    }
    if (status != SN_OK) {
        char text[1024];
        sn_error_format(&error, text, sizeof text);
        fprintf(stderr, "bench: %s\n", text);
    }
    return status == SN_OK ? 0 : 1;
}
