// SPDX-License-Identifier: Apache-2.0
//
// Files that a command would write over what it reads, or over each other.
#include "outputs.h"

#include "common/common.h"

#include <string.h>
#include <sys/stat.h>

static bool is_one_of(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_written(const char *option) {
    static const char *const names[] = {"-o",    "--pairing",  "--report",
                                        "--csv", "--document", "--proposed"};
    return is_one_of(option, names, sizeof names / sizeof *names);
}

// --map is none of them: the same file may be given to --pairing, which completes it.
static bool is_read(const char *option) {
    static const char *const names[] = {"--motion",           "--skeleton",        "--rig",
                                        "--curves",           "--features",        "--landmarks",
                                        "--source-landmarks", "--clean-landmarks", "--depths"};
    return is_one_of(option, names, sizeof names / sizeof *names);
}

// Files that are there, whatever their paths look like. Devices, such as /dev/null, take anything.
static bool is_same_file(const char *a, const char *b) {
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && S_ISREG(of_a.st_mode) &&
           of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

// A document may be edited in place.
static bool may_replace(const char *option, const char *path) {
    return app_has_extension(path, ".json") &&
           (strcmp(option, "-o") == 0 || strcmp(option, "--document") == 0);
}

static bool check_output(const cli_call *call, uint32_t output) {
    const char *option = call->option_names[output], *path = call->option_values[output];
    for (uint32_t i = 0; i < call->argument_count; ++i) {
        if (!may_replace(option, path) && is_same_file(path, call->arguments[i])) {
            cli_wrong_usage(call, "%s would replace %s, which is read", option, call->arguments[i]);
            return false;
        }
    }
    for (uint32_t i = 0; i < call->option_count; ++i) {
        const char *name = call->option_names[i], *other = call->option_values[i];
        if (is_read(name) && is_same_file(path, other)) {
            cli_wrong_usage(call, "%s would replace %s, which is read", option, other);
            return false;
        }
        if (i < output && is_written(name) &&
            (strcmp(path, other) == 0 || is_same_file(path, other))) {
            cli_wrong_usage(call, "%s and %s would both write %s", name, option, path);
            return false;
        }
    }
    return true;
}

bool cli_check_outputs(const cli_call *call) {
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (is_written(call->option_names[i]) && !check_output(call, i)) {
            return false;
        }
    }
    return true;
}
