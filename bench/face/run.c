// SPDX-License-Identifier: Apache-2.0
//
// `sinew bench face --data DIR`.
#define _POSIX_C_SOURCE 200809L
#include "base/memory.h"
#include "bench/face/face.h"

#include <stdlib.h>
#include <unistd.h>

static void write_page(const void *fit, FILE *out) {
    snb_face_write(fit, out);
}

static sn_status run(sn_context *context, const void *user, sn_error *error) {
    const snb_face_options *options = user;
    snb_face_fit fit = {.data = options->data, .only = options->only};
    FILE *progress = isatty(STDERR_FILENO) ? stderr : NULL;
    sn_status status = SN_OK;
    SN_TRY(snb_face_measure(context, &fit, progress, error));
    SN_TRY(snb_write_page(options->page, write_page, &fit, error));
cleanup:
    free(fit.rows);
    return status;
}

int snb_face_run(const snb_face_options *options) {
    return snb_in_context(options->threads, run, options);
}
