// SPDX-License-Identifier: Apache-2.0
#include "cli.h"
#include "outputs.h"

#include <stdlib.h>
#include <string.h>

static const cli_command *const commands[] = {
    &cli_demo,   &cli_studio,  &cli_new,      &cli_bind,    &cli_muscle, &cli_face,    &cli_propose,
    &cli_driver, &cli_extract, &cli_transfer, &cli_conform, &cli_pose,   &cli_express, &cli_match,
    &cli_run,    &cli_render,  &cli_wrap,     &cli_check,   &cli_bench,
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

// Options that every command takes.
static const cli_option common_options[] = {
    {"--threads", "N", "threads to use (default: all cores); the result is the same for any number",
     0},
    {"--memory", "SIZE",
     "memory to use at most, such as 800M or 4G (default: three quarters of what is available)", 0},
    {"--quiet", NULL, "shows no progress and no notes, only warnings and errors", 0},
    {"--help", NULL, "shows this text", 0},
    {0},
};

static void print_overview(FILE *out) {
    fprintf(out, "sinew %s: characters that move as bodies do\n\nusage: sinew COMMAND ...\n\n",
            SN_VERSION);
    for (size_t i = 0; i < COMMAND_COUNT; ++i) {
        fprintf(out, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(out, "\n"
                 "`sinew COMMAND --help` lists the options of a command and gives an example.\n");
}

// Where the meaning of an option begins, and where its lines end.
enum { HELP_COLUMN = 25, HELP_WIDTH = 100 };

// Prints words on as many lines as they need.
static void print_wrapped(FILE *out, const char *text) {
    while (strlen(text) > HELP_WIDTH - HELP_COLUMN) {
        int length = HELP_WIDTH - HELP_COLUMN;
        while (length > 1 && text[length] != ' ') {
            --length;
        }
        fprintf(out, "%.*s\n%*s", length, text, HELP_COLUMN, "");
        text += length + (text[length] == ' ');
    }
    fprintf(out, "%s\n", text);
}

static void print_options(FILE *out, const cli_option *options) {
    for (; options->name != NULL; ++options) {
        char left[40];
        snprintf(left, sizeof left, "%s%s%s", options->name, options->value != NULL ? " " : "",
                 options->value != NULL ? options->value : "");
        fprintf(out, "  %-*s ", HELP_COLUMN - 3, left);
        print_wrapped(out, options->help);
    }
}

static void print_help(const cli_command *command) {
    printf("sinew %s: %s\n\nusage: sinew %s %s\n\n", command->name, command->summary, command->name,
           command->arguments);
    print_options(stdout, command->options);
    if (command->more_options != NULL) {
        print_options(stdout, command->more_options());
    }
    print_options(stdout, common_options);
    printf("\n%s", command->details);
}

static const cli_option *find_option(const cli_option *options, const char *name) {
    for (; options->name != NULL; ++options) {
        if (strcmp(options->name, name) == 0) {
            return options;
        }
    }
    return NULL;
}

// Takes the option at argv[i], with its value as "--name value" or "--name=value". Returns the
// number of the last word taken, or -1 after printing what is wrong.
static int take_option(cli_call *call, char **argv, int argc, int i) {
    char name[64];
    const char *equals = strncmp(argv[i], "--", 2) == 0 ? strchr(argv[i], '=') : NULL;
    size_t length = equals != NULL ? (size_t)(equals - argv[i]) : strlen(argv[i]);
    snprintf(name, sizeof name, "%.*s", length < 60 ? (int)length : 60, argv[i]);
    const cli_command *command = call->command;
    const cli_option *option = find_option(command->options, name);
    if (option == NULL && command->more_options != NULL) {
        option = find_option(command->more_options(), name);
    }
    option = option != NULL ? option : find_option(common_options, name);
    if (option == NULL) {
        cli_wrong_usage(call, "unknown option %s", argv[i]);
        return -1;
    }
    if (!option->repeats && cli_has(call, option->name)) {
        cli_wrong_usage(call, "%s is given twice", option->name);
        return -1;
    }
    const char *value = NULL;
    if (option->value == NULL && equals != NULL) {
        cli_wrong_usage(call, "%s takes no value", option->name);
        return -1;
    }
    if (option->value != NULL && equals == NULL && i + 1 == argc) {
        cli_wrong_usage(call, "%s needs %s", option->name, option->value);
        return -1;
    }
    if (option->value != NULL) {
        value = equals != NULL ? equals + 1 : argv[++i];
    }
    call->option_names[call->option_count] = option->name;
    call->option_values[call->option_count++] = value;
    return i;
}

static int parse(cli_call *call, int argc, char **argv) {
    bool options_over = false;
    for (int i = 2; i < argc; ++i) {
        bool is_option = !options_over && argv[i][0] == '-' && argv[i][1] != 0;
        if (is_option && strcmp(argv[i], "--") == 0) {
            options_over = true;
        } else if (is_option) {
            i = take_option(call, argv, argc, i);
            if (i < 0) {
                return CLI_USAGE;
            }
        } else {
            call->arguments[call->argument_count++] = argv[i];
        }
    }
    return CLI_OK;
}

static int check_counts(const cli_call *call) {
    const cli_command *command = call->command;
    if (call->argument_count < command->least) {
        return cli_wrong_usage(call, "needs %s", command->arguments);
    }
    if (call->argument_count > command->most) {
        return cli_wrong_usage(call, "has no use for the argument \"%s\"",
                               call->arguments[command->most]);
    }
    return CLI_OK;
}

static int run_command(const cli_command *command, int argc, char **argv) {
    const char **words = calloc((size_t)argc * 3, sizeof *words);
    if (words == NULL) {
        fprintf(stderr, "sinew: out of memory\n");
        return CLI_FAILED;
    }
    cli_call call = {.command = command,
                     .arguments = words,
                     .option_names = words + argc,
                     .option_values = words + 2 * argc};
    int status = parse(&call, argc, argv);
    if (status == CLI_OK && cli_has(&call, "--help")) {
        print_help(command);
        free(words);
        return CLI_OK;
    }
    call.quiet = cli_has(&call, "--quiet");
    if (status == CLI_OK && !cli_parse_uint(&call, "--threads", 0, 1, 1024, &call.threads)) {
        status = CLI_USAGE;
    }
    const char *memory = cli_value(&call, "--memory", NULL);
    call.memory = app_default_memory();
    if (status == CLI_OK && memory != NULL && !app_parse_memory(memory, &call.memory)) {
        status = cli_wrong_usage(
            &call, "--memory takes a size of at least 1M, such as 4G, not \"%s\"", memory);
    }
    if (status == CLI_OK) {
        status = check_counts(&call);
    }
    sn_import_desc how;
    if (status == CLI_OK && (!cli_parse_model(&call, &how) || !cli_check_outputs(&call))) {
        status = CLI_USAGE;
    }
    if (status == CLI_OK) {
        status = command->run(&call);
    }
    free(words);
    // What was printed must have arrived.
    if (status == CLI_OK && (fflush(stdout) != 0 || ferror(stdout))) {
        fprintf(stderr, "sinew: cannot write to stdout\n");
        return CLI_FAILED;
    }
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        print_overview(stderr);
        return CLI_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, APP_READ_APART) == 0) {
        return sn_reader_run();
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_overview(stdout);
        return CLI_OK;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0) {
        printf("sinew %s\n", SN_VERSION);
        return CLI_OK;
    }
    for (size_t i = 0; i < COMMAND_COUNT; ++i) {
        if (strcmp(commands[i]->name, word) == 0) {
            return run_command(commands[i], argc, argv);
        }
    }
    fprintf(stderr, "sinew: there is no command \"%s\"; `sinew --help` lists them\n", word);
    return CLI_USAGE;
}
