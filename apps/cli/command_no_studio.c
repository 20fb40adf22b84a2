// SPDX-License-Identifier: Apache-2.0
//
// What stands for the studio in a build without it.
#include "cli.h"

static const cli_option options[] = {{0}};

static int run(const cli_call *call) {
    (void)call;
    fprintf(stderr, "sinew: this build is without the studio; configure it with SINEW_STUDIO=ON\n");
    return CLI_FAILED;
}

const cli_command cli_studio = {
    .name = "studio",
    .arguments = "[DOCUMENT]",
    .summary = "opens the studio (not in this build)",
    .details = "The studio comes with a build that is configured with SINEW_STUDIO=ON.\n",
    .options = options,
    .most = 1,
    .run = run,
};
