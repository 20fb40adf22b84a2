// SPDX-License-Identifier: Apache-2.0
//
// FBX and Collada in a process of their own. Assimp aborts, overruns its memory or takes gigabytes
// on some damaged files, and would take the program with it.
//
// The process is another run of a program that the host names (sn_context_set_reader), never a
// fork: a copy of a process with threads must not allocate. It gets the file through a socket that
// is its standard input and output, limits itself, and answers with bytes that are checked as those
// of a file are (import_stream.c). However it ends, the parent waits for it.
#define _GNU_SOURCE
#include "io/import_stream.h"

#include "base/context.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// A process that waits for the processor counts no time of it: four times as long by the clock.
static const double patience = 4;

struct sni_reader {
    size_t byte_limit;
    double seconds;
    char *arguments[4]; // ended by NULL
    char text[];
};

// What the parent sends before the name and the bytes of the file.
typedef struct request {
    uint64_t byte_limit;
    uint64_t seconds;
    uint64_t name_size, size;
} request;

sn_reader_desc sn_reader_desc_default(void) {
    return (sn_reader_desc){.byte_limit = (size_t)1 << 30, .seconds = 120};
}

sn_status sn_context_set_reader(sn_context *context, const sn_reader_desc *desc, sn_error *error) {
    size_t program = strlen(desc->program) + 1, argument = strlen(desc->argument) + 1;
    struct sni_reader *reader = calloc(1, sizeof *reader + program + argument);
    if (reader == NULL) {
        return sni_fail_memory(error);
    }
    memcpy(reader->text, desc->program, program);
    memcpy(reader->text + program, desc->argument, argument);
    reader->arguments[0] = reader->text;
    reader->arguments[1] = reader->text + program;
    reader->byte_limit = desc->byte_limit;
    reader->seconds = desc->seconds;
    free(context->reader);
    context->reader = reader;
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// The reader

static bool receive(void *data, size_t size) {
    for (char *to = data; size > 0;) {
        ssize_t got = read(STDIN_FILENO, to, size);
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            return false;
        }
        to += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool answer(const char *data, size_t size) {
    while (size > 0) {
        ssize_t sent = write(STDOUT_FILENO, data, size);
        if (sent < 0 && errno != EINTR) {
            return false;
        }
        data += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

static void limit(int what, uint64_t most) {
    struct rlimit value = {(rlim_t)most, (rlim_t)most};
    (void)setrlimit(what, &value);
}

static void limit_self(const request *r) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, r->seconds);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    limit(RLIMIT_AS, r->byte_limit); // sanitizers reserve terabytes
#endif
}

// Log lines wait for the answer.
typedef struct lines {
    sni_stream stream;
    uint32_t count;
} lines;

static void keep_line(sn_log_level level, const char *topic, const char *message, void *user) {
    lines *kept = user;
    char *text = (char *)message;
    (void)topic;
    sni_stream_bytes(&kept->stream, &level, sizeof level);
    sni_stream_text(&kept->stream, &text);
    kept->count++;
}

// Status, error, log lines, and what was read.
static void write_answer(sni_stream *s, sn_status status, sn_error *error, lines *kept,
                         sn_import *import) {
    sni_stream_bytes(s, &status, sizeof status);
    sni_stream_bytes(s, error, sizeof *error);
    sni_stream_bytes(s, &kept->count, sizeof kept->count);
    sni_stream_bytes(s, kept->stream.bytes, kept->stream.size);
    if (status == SN_OK) {
        sni_stream_import(s, import);
    }
}

static int read_and_answer(sn_context *context, const request *r, char *name, char *bytes,
                           lines *kept) {
    sn_error error = {0};
    sn_import *import = sni_alloc_zero(context, 1, sizeof *import);
    if (import == NULL) {
        return 1;
    }
    import->context = context;
    sni_source source = {.context = context, .name = name, .bytes = bytes, .size = r->size};
#if defined(SNI_WITH_ASSIMP)
    sn_status status = sni_read_assimp(&source, import, &error);
#else
    (void)source;
    sn_status status = sni_fail(&error, SN_UNSUPPORTED, "this build is without Assimp");
#endif
    sni_stream s = {.context = context, .writes = true};
    write_answer(&s, status, &error, kept, import);
    bool answered = !s.failed && !kept->stream.failed && answer(s.bytes, s.size);
    sn_import_destroy(import);
    sni_free(context, s.bytes);
    return answered ? 0 : 1;
}

static int run_request(sn_context *context, const request *r, lines *kept) {
    char *name = sni_alloc_zero(context, r->name_size + 1, 1);
    char *bytes = sni_alloc(context, r->size + 1, 1);
    int result = 1;
    if (name != NULL && bytes != NULL && receive(name, r->name_size) && receive(bytes, r->size)) {
        bytes[r->size] = 0;
        result = read_and_answer(context, r, name, bytes, kept);
    }
    sni_free(context, name);
    sni_free(context, bytes);
    sni_free(context, kept->stream.bytes);
    return result;
}

int sn_reader_run(void) {
    request r;
    lines kept = {.stream = {.writes = true}};
    if (!receive(&r, sizeof r) || r.name_size > 1 << 16 || r.size > UINT32_MAX) {
        return 2;
    }
    limit_self(&r);
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = 1;
    desc.log = keep_line;
    desc.log_user = &kept;
    sn_context *context;
    if (sn_context_create(&desc, &context, NULL) != SN_OK) {
        return 1;
    }
    kept.stream.context = context;
    int result = run_request(context, &r, &kept);
    sn_context_destroy(context);
    return result;
}

// ---------------------------------------------------------------------------------------------
// The parent

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool spawn(const struct sni_reader *reader, int socket, pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 34)
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#endif
#endif
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int failed = posix_spawn(child, reader->arguments[0], &actions, &attributes,
                             (char *const *)reader->arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    errno = failed;
    return failed == 0;
}

// Sends without a signal where the other side is gone; what came of it shows when it is waited for.
static void send_all(int socket, const void *data, size_t size, double due) {
    for (const char *from = data; size > 0;) {
        struct pollfd ready = {.fd = socket, .events = POLLOUT};
        double left = due - now();
        ssize_t sent = left > 0 && poll(&ready, 1, (int)(1e3 * fmin(left, 1e5)) + 1) > 0
                           ? send(socket, from, size, MSG_NOSIGNAL | MSG_DONTWAIT)
                           : 0;
        if (left <= 0 || (sent < 0 && errno != EAGAIN && errno != EINTR)) {
            return;
        }
        from += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
}

// Takes the answer to its end; false where the time is over.
static bool receive_all(int socket, sni_stream *s, double due) {
    char buffer[1 << 14];
    for (;;) {
        struct pollfd ready = {.fd = socket, .events = POLLIN};
        double left = due - now();
        if (left <= 0) {
            return false;
        }
        if (poll(&ready, 1, (int)(1e3 * fmin(left, 1e5)) + 1) <= 0) {
            continue;
        }
        ssize_t got = recv(socket, buffer, sizeof buffer, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            return true;
        }
        if (got > 0) {
            sni_stream_bytes(s, buffer, (size_t)got);
        }
    }
}

// How a reader that gave no answer has ended, as one line.
static sn_status fail_dead(const struct sni_reader *reader, int state, bool in_time,
                           sn_error *error) {
    int signal_number = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    if (!in_time || signal_number == SIGXCPU) {
        return sni_fail(error, SN_LIMIT, "reading it took longer than %g seconds and was stopped",
                        reader->seconds);
    }
    if (signal_number == SIGINT) {
        return sni_fail(error, SN_CANCELLED, "reading it was interrupted");
    }
    if (signal_number != 0) {
        return sni_fail(
            error, SN_SYNTAX,
            "the file is damaged, or needs more than %.3g GB of memory: the process that "
            "read it was ended by \"%s\"",
            1e-9 * (double)reader->byte_limit, strsignal(signal_number));
    }
    return sni_fail(error, SN_SYNTAX, "the process that read it gave no answer (exit status %d)",
                    WIFEXITED(state) ? WEXITSTATUS(state) : -1);
}

// What the reader says; false where that makes no sense.
static bool take_answer(sni_stream *s, sn_context *context, sn_status *status, sn_import *import,
                        sn_error *error) {
    sn_error told;
    uint32_t line_count;
    sni_stream_bytes(s, status, sizeof *status);
    sni_stream_bytes(s, &told, sizeof told);
    sni_stream_bytes(s, &line_count, sizeof line_count);
    for (uint32_t i = 0; i < line_count && !s->failed; ++i) {
        sn_log_level level;
        char *line = NULL;
        sni_stream_bytes(s, &level, sizeof level);
        sni_stream_text(s, &line);
        if (line != NULL) {
            sni_log(context, level == SN_LOG_INFO ? SN_LOG_INFO : SN_LOG_WARNING, "io", "%s", line);
        }
        sni_free(context, line);
    }
    if (s->failed || (unsigned)*status > SN_CANCELLED) {
        return false;
    }
    if (*status != SN_OK) {
        told.message[sizeof told.message - 1] = told.place[sizeof told.place - 1] = 0;
        sni_fail(error, *status, "%s", told.message);
        sni_error_place(error, told.line, "%s", told.place);
        return true;
    }
    sni_stream_import(s, import);
    return !s->failed;
}

// One conversation with a new reader. `s` holds its answer.
static sn_status converse(const struct sni_reader *reader, const sni_source *source, sni_stream *s,
                          sn_error *error) {
    int sockets[2], state = 0;
    pid_t child;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
        return sni_fail(error, SN_IO, "cannot make a socket for its reader: %s", strerror(errno));
    }
    bool spawned = spawn(reader, sockets[1], &child);
    int why = errno;
    close(sockets[1]);
    if (!spawned) {
        close(sockets[0]);
        return sni_fail(error, SN_IO, "cannot start its reader %s: %s", reader->arguments[0],
                        strerror(why));
    }
    const request r = {reader->byte_limit, (uint64_t)ceil(reader->seconds), strlen(source->name),
                       source->size};
    double due = now() + patience * reader->seconds;
    send_all(sockets[0], &r, sizeof r, due);
    send_all(sockets[0], source->name, r.name_size, due);
    send_all(sockets[0], source->bytes, source->size, due);
    bool in_time = receive_all(sockets[0], s, due);
    close(sockets[0]);
    if (!in_time) {
        kill(child, SIGKILL);
    }
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    bool done = in_time && WIFEXITED(state) && WEXITSTATUS(state) == 0;
    return done ? SN_OK : fail_dead(reader, state, in_time, error);
}

sn_status sni_read_apart(const sni_source *source, sn_import *import, sn_error *error) {
    sn_context *context = source->context;
#if defined(SNI_WITH_ASSIMP)
    if (context->reader == NULL) {
        return sni_read_assimp(source, import, error);
    }
#endif
    sni_stream s = {.context = context, .writes = true};
    sn_status status = converse(context->reader, source, &s, error);
    bool lost = s.failed; // memory ran out here
    s.writes = false;
    if (status == SN_OK && (lost || !take_answer(&s, context, &status, import, error))) {
        status = lost ? sni_fail_memory(error)
                      : sni_fail(error, SN_SYNTAX, "the answer of its reader makes no sense");
    }
    sni_free(context, s.bytes);
    return status;
}
