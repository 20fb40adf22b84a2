// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "cli.h"

#include "desk/desk.h"
#include "net/net.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const cli_option options[] = {
    {"--port", "N", "port to listen on; 0 takes any free one (default: 7373, or the next free one)",
     false},
    {"--no-open", NULL, "prints the address and opens no browser", false},
    {"--root", "DIR", "another folder in which the page may read and write files", true},
    {"--state", "DIR", "folder for unsaved work and recent files (default: ~/.local/state/sinew)",
     false},
    {"--frames-memory", "MB",
     "memory for frames of clips, kept so that they play again at once (default: 1024; 0: none)",
     false},
    {"--web", "DIR", "folder of the built page (default: `studio` beside the program)", false},
    {0},
};

enum { FOLDER_BYTES = APP_PATH_BYTES + 32 };

// ---------------------------------------------------------------------------------------------
// Folders

static bool has_page(const char *folder) {
    char path[FOLDER_BYTES + 16];
    snprintf(path, sizeof path, "%s/index.html", folder);
    return access(path, R_OK) == 0;
}

// --web, else "studio" beside the program, else where `cmake --install` puts it.
static sn_status find_web(const cli_call *call, char web[FOLDER_BYTES], sn_error *error) {
    const char *given = cli_value(call, "--web", NULL);
    char program[APP_PATH_BYTES];
    if (given != NULL) {
        snprintf(web, FOLDER_BYTES, "%s", given);
        return has_page(web)
                   ? SN_OK
                   : app_fail(error, SN_IO, given, "there is no page (index.html) in this folder");
    }
    if (cli_program_folder(2, program)) {
        snprintf(web, FOLDER_BYTES, "%s/share/sinew/studio", program);
    }
    if (cli_program_folder(1, program) && !has_page(web)) {
        snprintf(web, FOLDER_BYTES, "%s/studio", program);
    }
    return has_page(web) ? SN_OK
                         : app_fail(error, SN_IO, web, "the page is not built: run `make studio`");
}

// --state, else $XDG_STATE_HOME/sinew, else ~/.local/state/sinew.
static sn_status find_state(const cli_call *call, char state[FOLDER_BYTES], sn_error *error) {
    const char *given = cli_value(call, "--state", NULL), *home = getenv("HOME");
    const char *xdg = getenv("XDG_STATE_HOME");
    if (given != NULL) {
        snprintf(state, FOLDER_BYTES, "%s", given);
    } else if (xdg != NULL && xdg[0] == '/') {
        snprintf(state, FOLDER_BYTES, "%s/sinew", xdg);
    } else if (home != NULL && home[0] == '/') {
        snprintf(state, FOLDER_BYTES, "%s/.local/state/sinew", home);
    } else {
        return app_fail(
            error, SN_INVALID, "",
            "HOME is not set, so there is no folder for unsaved work: give --state DIR");
    }
    return app_make_private_folder(state, error);
}

// What is to be opened: whole paths of files or folders, the second one beside the first.
enum { MOST_DOCUMENTS = 2 };
typedef struct documents {
    char paths[MOST_DOCUMENTS][APP_PATH_BYTES];
    uint32_t count;
} documents;

static sn_status find_documents(const cli_call *call, documents *opened, sn_error *error) {
    _Static_assert(APP_PATH_BYTES >= PATH_MAX, "realpath() needs room");
    for (uint32_t i = 0; i < call->argument_count; ++i) {
        if (realpath(call->arguments[i], opened->paths[i]) == NULL) {
            return app_fail(error, SN_IO, call->arguments[i], "%s", strerror(errno));
        }
        opened->count = i + 1;
    }
    return SN_OK;
}

// Where the page may read and write: --root, the documents' folders, the present one, the home.
typedef struct folders {
    const char **paths;
    char **owned;
    uint32_t count;
} folders;

static void add_root(folders *roots, const char *path) {
    char *whole = path != NULL ? realpath(path, NULL) : NULL;
    for (uint32_t i = 0; whole != NULL && i < roots->count; ++i) {
        if (strcmp(roots->paths[i], whole) == 0) {
            free(whole);
            whole = NULL;
        }
    }
    if (whole != NULL) {
        roots->owned[roots->count] = whole;
        roots->paths[roots->count++] = whole;
    }
}

static void add_folder_of(folders *roots, const char *path) {
    char folder[APP_PATH_BYTES];
    snprintf(folder, sizeof folder, "%s", path);
    if (strrchr(folder, '/') != NULL) {
        strrchr(folder, '/')[1] = 0;
        add_root(roots, folder);
    }
}

static sn_status find_roots(const cli_call *call, const documents *opened, folders *roots,
                            sn_error *error) {
    uint32_t most = call->option_count + MOST_DOCUMENTS + 2;
    roots->paths = calloc(most, sizeof *roots->paths);
    roots->owned = calloc(most, sizeof *roots->owned);
    if (roots->paths == NULL || roots->owned == NULL) {
        return app_fail_memory(error);
    }
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], "--root") == 0) {
            if (access(call->option_values[i], R_OK | X_OK) != 0) {
                return app_fail(error, SN_IO, call->option_values[i], "%s", strerror(errno));
            }
            add_root(roots, call->option_values[i]);
        }
    }
    for (uint32_t i = 0; i < opened->count; ++i) {
        add_folder_of(roots, opened->paths[i]);
    }
    add_root(roots, ".");
    add_root(roots, getenv("HOME"));
    return SN_OK;
}

static void free_roots(folders *roots) {
    for (uint32_t i = 0; i < roots->count; ++i) {
        free(roots->owned[i]);
    }
    free(roots->owned);
    free(roots->paths);
}

// ---------------------------------------------------------------------------------------------
// Signals: a thread of their own takes them, so that no handler interrupts the work.

// What the caller ignores (nohup) stays ignored: waiting for a signal would take it all the same.
static void quit_signals(sigset_t *signals) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(signals);
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        struct sigaction now;
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) {
            sigaddset(signals, numbers[i]);
        }
    }
}

// The first asks to end, the second insists.
static void *wait_for_signals(void *user) {
    sigset_t signals;
    int number;
    quit_signals(&signals);
    sigwait(&signals, &number);
    net_stop(user);
    sigwait(&signals, &number);
    _exit(CLI_INTERRUPTED);
}

// ---------------------------------------------------------------------------------------------
// The browser

static void run_opener(const char *address) {
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setsid();
    dup2(nothing, 0);
    dup2(nothing, 1);
    dup2(nothing, 2);
    execlp("xdg-open", "xdg-open", address, (char *)NULL);
    _exit(127);
}

// Where there is a screen. Twice away, so that nobody has to wait for the browser's end.
static void open_browser(const char *address) {
    if (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL) {
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            run_opener(address);
        }
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
}

// ---------------------------------------------------------------------------------------------
// The way back

// A word as a shell takes it.
static void print_word(FILE *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-_./,:=@%+";
    if (word[0] != 0 && word[strspn(word, plain)] == 0) {
        fprintf(out, " %s", word);
        return;
    }
    fputs(" '", out);
    for (; *word != 0; ++word) {
        if (*word == '\'') {
            fputs("'\\''", out);
        } else {
            fputc(*word, out);
        }
    }
    fputc('\'', out);
}

static bool takes_folder(const char *name) {
    bool takes = false;
    for (const cli_option *option = options; option->name != NULL; ++option) {
        takes = takes || (strcmp(option->name, name) == 0 && option->value != NULL &&
                          strcmp(option->value, "DIR") == 0);
    }
    return takes;
}

// Folders are written whole: it may be typed anywhere.
static void print_option(FILE *out, const char *name, const char *value) {
    char whole[PATH_MAX];
    print_word(out, name);
    if (value != NULL) {
        print_word(out, takes_folder(name) && realpath(value, whole) != NULL ? whole : value);
    }
}

// What starts the studio again on its port, for pages that have lost it, without the documents;
// NULL without memory. free() it.
static char *describe_start(const cli_call *call, uint16_t port) {
    char program[APP_PATH_BYTES], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL || !cli_program_folder(0, program)) {
        return NULL;
    }
    print_word(out, program);
    fprintf(out, " studio --port %u --no-open", port);
    for (uint32_t i = 0; i < call->option_count; ++i) {
        const char *name = call->option_names[i];
        if (strcmp(name, "--port") != 0 && strcmp(name, "--no-open") != 0) {
            print_option(out, name, call->option_values[i]);
        }
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    memmove(text, text + 1, size); // the blank before the first word
    return text;
}

// ---------------------------------------------------------------------------------------------

// What the folders of a studio are.
typedef struct places {
    char web[FOLDER_BYTES], state[FOLDER_BYTES];
    folders roots;
} places;

static bool parse_frames_memory(const cli_call *call, size_t *bytes) {
    enum { DEFAULT_MEGABYTES = 1024, MOST_MEGABYTES = 1 << 20 };
    uint32_t megabytes;
    bool valid =
        cli_parse_uint(call, "--frames-memory", DEFAULT_MEGABYTES, 0, MOST_MEGABYTES, &megabytes);
    *bytes = (size_t)megabytes << 20;
    return valid;
}

static sn_status make_desk(const cli_call *call, net_server *net, const places *at, desk **made,
                           sn_error *error) {
    size_t frames_memory = 0;
    parse_frames_memory(call, &frames_memory); // was checked before
    char gallery[FOLDER_BYTES + 16], *command = describe_start(call, net_port(net));
    snprintf(gallery, sizeof gallery, "%s/gallery", at->web);
    const desk_desc desc = {
        .examples = cli_examples_folder(),
        .web_gallery = gallery,
        .state_folder = at->state,
        .command = command,
        .roots = at->roots.paths,
        .root_count = at->roots.count,
        .frames_memory = frames_memory,
        .threads = call->threads,
        .memory = call->memory,
        .reads_apart = true,
        .wake = net_wake,
        .user = net,
    };
    sn_status status = desk_create(&desc, made, error);
    free(command);
    return status;
}

static sn_status serve(const cli_call *call, net_server *net, desk *work, const documents *opened,
                       sn_error *error) {
    for (uint32_t i = 0; i < opened->count; ++i) {
        desk_open_first(work, i, opened->paths[i]);
    }
    printf("sinew studio: %s\n", net_address(net));
    fflush(stdout);
    if (!cli_has(call, "--no-open")) {
        open_browser(net_opening_address(net));
    }
    return net_run(net, work, error);
}

// Signals are waited for until the desk has ended its work.
static sn_status work_until_stopped(const cli_call *call, net_server *net, const places *at,
                                    const documents *opened, sn_error *error) {
    pthread_t waiter;
    desk *work = NULL;
    if (pthread_create(&waiter, NULL, wait_for_signals, net) != 0) {
        return app_fail(error, SN_OUT_OF_MEMORY, "", "cannot start a thread");
    }
    sn_status status = SN_OK;
    SN_TRY(make_desk(call, net, at, &work, error));
    SN_TRY(serve(call, net, work, opened, error));
cleanup:
    desk_destroy(work);
    pthread_cancel(waiter);
    pthread_join(waiter, NULL);
    return status;
}

static int run(const cli_call *call) {
    places at = {0};
    documents opened = {0};
    sn_error error = {0};
    net_server *net = NULL;
    sigset_t signals;
    uint32_t port;
    size_t frames_memory;
    if (!cli_parse_uint(call, "--port", NET_STANDARD_PORT, 0, UINT16_MAX, &port) ||
        !parse_frames_memory(call, &frames_memory)) {
        return CLI_USAGE;
    }
    quit_signals(&signals);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    sn_status status = SN_OK;
    SN_TRY(find_documents(call, &opened, &error));
    SN_TRY(find_web(call, at.web, &error));
    SN_TRY(find_roots(call, &opened, &at.roots, &error));
    SN_TRY(find_state(call, at.state, &error));
    const net_desc desc = {.web = at.web,
                           .tokens = at.state,
                           .port = (uint16_t)port,
                           .port_or_next = !cli_has(call, "--port")};
    SN_TRY(net_create(&desc, &net, &error));
    SN_TRY(work_until_stopped(call, net, &at, &opened, &error));
cleanup:
    net_destroy(net);
    free_roots(&at.roots);
    return cli_end(status, &error);
}

const cli_command cli_studio = {
    .name = "studio",
    .arguments = "[DOC|MODEL] [BESIDE]",
    .summary = "opens a character in the browser to draw muscles, pose, play and compare",
    .details = "Serves the studio on this machine only, prints its address and opens a browser if "
               "there is\n"
               "one. A second character is shown beside the first. Ctrl-C stops the studio. "
               "Unsaved work is\n"
               "restored when the same document is opened again.\n"
               "\n"
               "example: sinew studio examples/arm/arm.sinew.json\n",
    .least = 0,
    .most = MOST_DOCUMENTS,
    .options = options,
    .run = run,
};
