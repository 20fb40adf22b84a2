// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"

#include <string.h>

// Lines are "KEY SIZE MS", or "version TEXT"; whatever else a program prints is passed over.
static void read_line(const char *line, snb_reference *reference) {
    char key[SNB_TEXT];
    uint32_t size;
    double ms;
    const uint32_t room = sizeof reference->times / sizeof reference->times[0];
    if (sscanf(line, "sinew-version %40[^\n]", key) == 1) {
        snprintf(reference->name, sizeof reference->name, "Blender %.40s", key);
    } else if (sscanf(line, "sinew-time %63s %u %lf", key, &size, &ms) == 3 &&
               reference->count < room) {
        memcpy(reference->times[reference->count].key, key, sizeof key);
        reference->times[reference->count].size = size;
        reference->times[reference->count++].ms = ms;
    }
}

void snb_ask_blender(const snb_report *report, const char *script, const char *arguments,
                     snb_reference *reference) {
    *reference = (snb_reference){.count = 0};
    char command[1024];
    int length =
        snprintf(command, sizeof command,
                 "command -v blender >/dev/null && blender --background "
                 "--factory-startup --threads %u --python-exit-code 1 "
                 "--python '%s/%s' -- %s 2>/dev/null",
                 sn_context_thread_count(report->context), SNB_SOURCE_DIR, script, arguments);
    if (length < 0 || (size_t)length >= sizeof command) {
        return;
    }
    if (report->progress != NULL) {
        fprintf(report->progress, "bench: asking Blender (%s)\n", script);
    }
    FILE *answer = popen(command, "r");
    if (answer == NULL) {
        return;
    }
    char line[512];
    while (fgets(line, sizeof line, answer) != NULL) {
        read_line(line, reference);
    }
    if (pclose(answer) != 0) {
        *reference = (snb_reference){.count = 0};
    }
}

double snb_reference_ms(const snb_reference *reference, const char *key, uint32_t size) {
    for (uint32_t i = 0; i < reference->count; ++i) {
        if (reference->times[i].size == size && strcmp(reference->times[i].key, key) == 0) {
            return reference->times[i].ms;
        }
    }
    return 0;
}
