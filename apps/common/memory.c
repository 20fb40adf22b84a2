// SPDX-License-Identifier: Apache-2.0
//
// How much memory the programs let the library have.
#include "common/common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const double share = 0.75;

// The number behind `key` in a file, times `unit`; INFINITY where there is none ("max").
static double number_in(const char *path, const char *key, double unit) {
    char line[256];
    double value = INFINITY;
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *end;
        const char *text = line + strlen(key);
        if (strncmp(line, key, strlen(key)) == 0) {
            value = strtod(text, &end);
            value = end != text && value > 0 ? value * unit : INFINITY;
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return value;
}

// What the shell or the service manager lets this process have (`ulimit -v`).
static double process_limit(void) {
    struct rlimit limit;
    bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited ? (double)limit.rlim_cur : INFINITY;
}

size_t app_default_memory(void) {
    double most = number_in("/proc/meminfo", "MemAvailable:", 1024);
    most = fmin(most, number_in("/sys/fs/cgroup/memory.max", "", 1));
    most = fmin(most, number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", "", 1));
    most = fmin(most, process_limit());
    return isfinite(most) ? (size_t)(share * most) : 0;
}

bool app_parse_memory(const char *text, size_t *bytes) {
    static const char letters[] = "KMGT";
    char *end;
    double value = strtod(text, &end);
    const char *letter = *end != 0 ? strchr(letters, *end) : NULL;
    if (end == text || (*end != 0 && (letter == NULL || end[1] != 0))) {
        return false;
    }
    for (long i = letter != NULL ? letter - letters + 1 : 0; i > 0; --i) {
        value *= 1024;
    }
    *bytes = value >= 1 << 20 && value <= 1e18 ? (size_t)value : 0;
    return *bytes > 0;
}

sn_status app_read_apart(sn_context *context, size_t memory, sn_error *error) {
    sn_reader_desc reader = sn_reader_desc_default();
    reader.program = "/proc/self/exe";
    reader.argument = APP_READ_APART;
    reader.byte_limit = memory / 4 > reader.byte_limit ? memory / 4 : reader.byte_limit;
    return sn_context_set_reader(context, &reader, error);
}
