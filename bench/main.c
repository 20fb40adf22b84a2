// SPDX-License-Identifier: Apache-2.0
//
// bench_run [NAME] [--json] [--threads N]
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *name = NULL;
    bool json = false;
    uint32_t threads = 0;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            threads = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else {
            name = argv[i];
        }
    }
    return snb_run(name, json, threads, stdout);
}
