// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.h"
#include "cli.h"

static const cli_option options[] = {
    {"--json", NULL, "prints the rows as JSON", false},
    {0},
};

static int run(const cli_call *call) {
    const char *name = call->argument_count > 0 ? call->arguments[0] : NULL;
    return snb_run(name, cli_has(call, "--json"), call->threads, stdout);
}

const cli_command cli_bench = {
    .name = "bench",
    .arguments = "[NAME]",
    .summary = "runs the benchmarks",
    .details =
        "Every figure stands beside a reference measured in the same run: the memory bandwidth of\n"
        "the machine, or Blender where it is installed.\n\n"
        "example: sinew bench blend --json\n",
    .least = 0,
    .most = 1,
    .options = options,
    .run = run,
};
