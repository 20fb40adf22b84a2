// SPDX-License-Identifier: Apache-2.0
//
// What a page says to the studio: each line of the input is a message, one that begins with "SNWU"
// as bytes. Whatever it says, the desk goes on: every answer is an answer, every event is an event,
// and a ping after all of it is answered.
#define _GNU_SOURCE
#include "desk/desk.h"
#include "sinew/json.h"

#include <ftw.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char document[] =
    "{\"sinew\": 1, \"name\": \"a\", \"skeleton\": {\"s\": {}, \"t\": {\"parent\": \"s\","
    "\"limits_deg\": {\"rx\": [-9, 9]}}}, \"controls\": {\"c\": {}, \"d\": {\"low\": -1}},"
    "\"drivers\": [{\"control\": \"d\", \"parameter\": \"t.rx\", \"curve\": [[0, 0], [1, 1]]}],"
    "\"clips\": {\"x\": {\"tracks\": {\"c\": {\"keys\": [[0, 0], [1, 1]]}}}}}";

static char folder[64], root[80], state[80];
static desk *at_work;
static sn_context *context;
static sem_t something_waits;

static void wake(void *user) {
    (void)user;
    sem_post(&something_waits);
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

static void clean_up(void) {
    desk_destroy(at_work);
    sn_context_destroy(context);
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

// The document is as it was for every input.
static void write_document(void) {
    char path[128];
    snprintf(path, sizeof path, "%s/a.sinew.json", root);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(document, 1, sizeof document - 1, file) != sizeof document - 1 ||
        fclose(file) != 0) {
        abort();
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    const char *roots[] = {root};
    sn_context_desc context_desc = sn_context_desc_default();
    context_desc.thread_count = 1;
    // In memory where there is such a folder: journals are flushed with every edit.
    snprintf(folder, sizeof folder, "%s/fuzz-studio-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(folder) == NULL || sem_init(&something_waits, 0, 0) != 0 ||
        sn_context_create(&context_desc, &context, NULL) != SN_OK) {
        abort();
    }
    snprintf(root, sizeof root, "%s/root", folder);
    snprintf(state, sizeof state, "%s/state", folder);
    const desk_desc desc = {
        .state_folder = state, .roots = roots, .root_count = 1, .threads = 1, .wake = wake};
    if (mkdir(root, 0700) != 0 || mkdir(state, 0700) != 0 ||
        desk_create(&desc, &at_work, NULL) != SN_OK) {
        abort();
    }
    atexit(clean_up);
    return 0;
}

static bool is_string(const sn_value *object, const char *key) {
    return sn_value_string(sn_value_get(object, key), NULL) != NULL;
}

// Aborts where a text is neither an event nor an answer; true for the answer to the last ping.
static bool check_text(const wire_packet *packet) {
    sn_json *json;
    if (sn_json_parse(context, (const char *)packet->bytes, packet->size, &json, NULL) != SN_OK) {
        abort();
    }
    const sn_value *root_value = sn_json_root(json);
    const sn_value *ok = sn_value_get(root_value, "ok");
    const sn_value *error = sn_value_get(root_value, "error");
    double id = sn_value_number(sn_value_get(root_value, "id"), 0);
    if (!is_string(root_value, "event") && (ok != NULL) == (error != NULL)) {
        abort();
    }
    if (ok == NULL && error != NULL && !is_string(root_value, "event") &&
        (!is_string(error, "message") || !is_string(error, "status"))) {
        abort();
    }
    sn_json_destroy(json);
    return id == 424242 && ok != NULL;
}

static bool take_all(uint32_t page) {
    bool answered = false;
    for (wire_packet *packet; (packet = desk_take(at_work, page)) != NULL; free(packet)) {
        if (!packet->binary) {
            answered = check_text(packet) || answered;
        } else if (packet->size < 40 || memcmp(packet->bytes, "SNWG", 4) != 0) {
            abort();
        }
    }
    return answered;
}

static bool say(uint32_t page, const char *text, size_t size) {
    return size >= 4 && memcmp(text, "SNWU", 4) == 0 ? desk_receive_bytes(at_work, page, text, size)
                                                     : desk_receive(at_work, page, text, size);
}

static void say_lines(uint32_t page, const char *text, size_t size) {
    // A page that says too much is cut off, and that is well.
    for (bool taken = true; size > 0 && taken;) {
        const char *line_end = memchr(text, '\n', size);
        size_t length = line_end != NULL ? (size_t)(line_end - text) : size;
        taken = say(page, text, length);
        text += length + (line_end != NULL);
        size -= length + (line_end != NULL);
        take_all(page);
    }
}

static void expect_answer(uint32_t page) {
    static const char text[] = "{\"id\": 424242, \"do\": \"ping\"}";
    bool sent = false;
    for (;;) { // libFuzzer notices where it hangs
        sent = sent || desk_receive(at_work, page, text, sizeof text - 1);
        if (take_all(page) || desk_lost(at_work, page)) {
            return;
        }
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        sem_timedwait(&something_waits, &until);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const last[] = {"{\"do\": \"stop\"}", "{\"do\": \"close\", \"slot\": 0}",
                                       "{\"do\": \"close\", \"slot\": 1}"};
    write_document();
    uint32_t page = desk_join(at_work);
    if (page == 0) {
        abort();
    }
    say_lines(page, (const char *)data, size);
    for (size_t i = 0; i < sizeof last / sizeof *last; ++i) {
        desk_receive(at_work, page, last[i], strlen(last[i]));
    }
    expect_answer(page);
    desk_leave(at_work, page);
    return 0;
}
