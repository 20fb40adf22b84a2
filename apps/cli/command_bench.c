// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.h"
#include "cli.h"

#include <string.h>

static const cli_option options[] = {
    {"--json", NULL, "prints the rows as JSON", false},
    {"--data", "DIR",
     "of rigs: the folder to search (default: the shared data); of face: of a head and expressions",
     false},
    {"-o", "FILE.md", "of rigs, face --data: the page to write (default: standard output)", false},
    {"--picture", "FILE.png", "of rigs: draws all bodies in some of the clips", false},
    {"--only", "NAMES",
     "of face --data: these expressions, with commas between them, on the neutral head alone",
     false},
    {"--frames", "N", "of rigs: frames in which a skin is measured (default: 40)", false},
    {0},
};

static int run_rigs(const cli_call *call) {
    snb_rigs_options rigs = {.data = cli_value(call, "--data", NULL),
                             .page = cli_value(call, "-o", NULL),
                             .picture = cli_value(call, "--picture", NULL),
                             .threads = call->threads};
    if (cli_has(call, "--json")) {
        return cli_wrong_usage(call, "rigs writes a page, not JSON");
    }
    return cli_parse_uint(call, "--frames", 40, 1, 100000, &rigs.frames) ? snb_rigs_run(&rigs)
                                                                         : CLI_USAGE;
}

static int run_face(const cli_call *call) {
    snb_face_options face = {.data = cli_value(call, "--data", NULL),
                             .only = cli_value(call, "--only", NULL),
                             .page = cli_value(call, "-o", NULL),
                             .threads = call->threads};
    if (cli_has(call, "--json") || cli_has(call, "--picture") || cli_has(call, "--frames")) {
        return cli_wrong_usage(call,
                               "face --data writes a page, and takes only --only and -o besides");
    }
    return snb_face_run(&face);
}

static int run(const cli_call *call) {
    static const char *const of_rigs[] = {"--data", "--only", "-o", "--picture", "--frames"};
    const char *name = call->argument_count > 0 ? call->arguments[0] : NULL;
    if (name != NULL && strcmp(name, "rigs") == 0) {
        return run_rigs(call);
    }
    if (name != NULL && strcmp(name, "face") == 0 && cli_has(call, "--data")) {
        return run_face(call);
    }
    for (size_t i = 0; i < sizeof of_rigs / sizeof *of_rigs; ++i) {
        if (cli_has(call, of_rigs[i])) {
            return cli_wrong_usage(call, "%s is for rigs and face --data alone", of_rigs[i]);
        }
    }
    return snb_run(name, cli_has(call, "--json"), call->threads, stdout);
}

const cli_command cli_bench = {
    .name = "bench",
    .arguments = "[NAME]",
    .summary = "runs the benchmarks",
    .details =
        "Every figure stands beside a reference measured in the same run: the memory bandwidth of\n"
        "the machine, or Blender where it is installed.\n\n"
        "`sinew bench rigs` measures no times: it searches a folder for bodies and motions of "
        "people,\n"
        "plays every clip on every body and writes what it measures as a page (docs/rigs.md).\n"
        "`sinew bench face --data DIR` matches scanned expressions of a head with its muscles and\n"
        "writes a page (docs/face-fit.md); without --data, `sinew bench face` measures times.\n\n"
        "example: sinew bench blend --json\n",
    .least = 0,
    .most = 1,
    .options = options,
    .run = run,
};
