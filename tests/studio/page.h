// SPDX-License-Identifier: Apache-2.0
//
// A desk with one page, driven as a browser drives it but without a socket.
#ifndef SNT_STUDIO_PAGE_H
#define SNT_STUDIO_PAGE_H

#define _GNU_SOURCE
#include "test.h"

#include "desk/desk.h"
#include "sinew/sinew.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct snt_page {
    sn_context *context;
    desk *desk;
    uint32_t page;
    uint32_t last_id;
    uint32_t count; // of messages that came and were not yet looked at
    sn_json **messages;
    uint32_t packet_count; // of binary messages, likewise
    wire_packet **packets;
    char folder[1024]; // a root; the state folder is beside it
    char state[1100];
    atomic_uint wakes; // how often the desk said that something waits
} snt_page;

static inline void page_woken(void *user) {
    atomic_fetch_add(&((snt_page *)user)->wakes, 1);
}

static inline const char *in_folder(const snt_page *p, const char *name) {
    static char paths[8][2048];
    static int next;
    next = (next + 1) % 8;
    snprintf(paths[next], sizeof paths[next], "%s/%s", p->folder, name);
    return paths[next];
}

static inline void put_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

static inline char *get_text(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    return text;
}

static inline void copy_file(const char *from, const char *to) {
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    char bytes[65536];
    assert_non_null(in);
    assert_non_null(out);
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, in)) > 0;) {
        assert_int_equal(fwrite(bytes, 1, got, out), got);
    }
    fclose(in);
    fclose(out);
}

// Takes over all that waits.
static inline void page_take(snt_page *p) {
    for (wire_packet *packet; (packet = desk_take(p->desk, p->page)) != NULL;) {
        if (packet->binary) {
            p->packets = realloc(p->packets, (p->packet_count + 1) * sizeof *p->packets);
            assert_non_null(p->packets);
            p->packets[p->packet_count++] = packet;
            continue;
        }
        p->messages = realloc(p->messages, (p->count + 1) * sizeof *p->messages);
        assert_non_null(p->messages);
        snt_ok(sn_json_parse(p->context, (const char *)packet->bytes, packet->size,
                             &p->messages[p->count], error));
        ++p->count;
        free(packet);
    }
}

typedef bool snt_match(const sn_value *message, const void *wanted);

// Waits for the first message that matches and removes it; others stay. The caller destroys it.
static inline sn_json *page_wait(snt_page *p, snt_match *match, const void *wanted,
                                 const char *what) {
    time_t start = time(NULL);
    for (uint32_t seen = 0;;) {
        page_take(p);
        for (; seen < p->count; ++seen) {
            sn_json *message = p->messages[seen];
            if (match(sn_json_root(message), wanted)) {
                memmove(p->messages + seen, p->messages + seen + 1,
                        (p->count - seen - 1) * sizeof *p->messages);
                --p->count;
                return message;
            }
        }
        // Not a limit on speed: a message that never comes must not hold the tests up.
        if (time(NULL) - start > 500) {
            fail_msg("nothing came: %s", what);
        }
        usleep(500);
    }
}

static inline bool matches_id(const sn_value *message, const void *wanted) {
    return sn_value_number(sn_value_get(message, "id"), -1) == *(const double *)wanted;
}

static inline bool matches_event(const sn_value *message, const void *wanted) {
    return strcmp(sn_value_string(sn_value_get(message, "event"), ""), wanted) == 0;
}

static inline sn_json *page_event(snt_page *p, const char *event) {
    return page_wait(p, matches_event, event, event);
}

// Forgets what came so far.
static inline void page_forget(snt_page *p) {
    page_take(p);
    while (p->count > 0) {
        sn_json_destroy(p->messages[--p->count]);
    }
}

// Sends a request written with ' in place of " and without "id"; returns the whole answer.
static inline sn_json *page_call(snt_page *p, const char *format, ...) SN_PRINTF(2, 3);
static inline sn_json *page_call(snt_page *p, const char *format, ...) {
    char *body = NULL, *text = NULL;
    double id = ++p->last_id;
    va_list arguments;
    va_start(arguments, format);
    assert_true(vasprintf(&body, format, arguments) >= 0);
    va_end(arguments);
    for (char *c = body; *c != 0; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    assert_int_equal(body[0], '{');
    assert_true(asprintf(&text, "{\"id\": %.0f, %s", id, body + 1) >= 0);
    assert_true(desk_receive(p->desk, p->page, text, strlen(text)));
    sn_json *answer = page_wait(p, matches_id, &id, text);
    free(body);
    free(text);
    return answer;
}

static inline const char *error_of(const sn_json *answer) {
    return sn_value_string(sn_json_find(answer, "/error/message"), NULL);
}

// The answer must be ok, or an error that has `message` in it.
#define page_ok(p, ...)                                                                            \
    do {                                                                                           \
        sn_json *page_answer = page_call((p), __VA_ARGS__);                                        \
        if (error_of(page_answer) != NULL) {                                                       \
            print_error("%s:%d: %s\n", __FILE__, __LINE__, error_of(page_answer));                 \
        }                                                                                          \
        assert_non_null(sn_json_find(page_answer, "/ok"));                                         \
        sn_json_destroy(page_answer);                                                              \
    } while (0)
#define page_fails(p, message, ...)                                                                \
    do {                                                                                           \
        sn_json *page_answer = page_call((p), __VA_ARGS__);                                        \
        const char *page_error = error_of(page_answer);                                            \
        assert_non_null(page_error);                                                               \
        if (strstr(page_error, (message)) == NULL) {                                               \
            fail_msg("%s:%d: %s", __FILE__, __LINE__, page_error);                                 \
        }                                                                                          \
        sn_json_destroy(page_answer);                                                              \
    } while (0)

static inline uint32_t page_start(snt_page *p, sn_json *answer) {
    (void)p;
    if (error_of(answer) != NULL) {
        print_error("%s\n", error_of(answer));
    }
    uint32_t job = (uint32_t)sn_value_number(sn_json_find(answer, "/ok/job"), 0);
    assert_int_not_equal(job, 0);
    sn_json_destroy(answer);
    return job;
}

static inline bool matches_end(const sn_value *message, const void *wanted) {
    return matches_event(message, "job") &&
           sn_value_number(sn_value_get(message, "job"), 0) == *(const uint32_t *)wanted &&
           strcmp(sn_value_string(sn_value_get(message, "state"), ""), "running") != 0;
}

static inline bool matches_running(const sn_value *message, const void *wanted) {
    return matches_event(message, "job") &&
           sn_value_number(sn_value_get(message, "job"), 0) == *(const uint32_t *)wanted &&
           sn_value_number(sn_value_get(message, "fraction"), 0) > 0;
}

// The last event of a job, which must end in `state`.
static inline sn_json *page_end_of(snt_page *p, uint32_t job, const char *state) {
    sn_json *event = page_wait(p, matches_end, &job, "the end of a job");
    const char *found = sn_value_string(sn_json_find(event, "/state"), "");
    if (strcmp(found, state) != 0) {
        fail_msg("the job has %s: %s %s", found,
                 sn_value_string(sn_json_find(event, "/error/source"), ""),
                 sn_value_string(sn_json_find(event, "/error/message"), ""));
    }
    return event;
}

// Starts a job by a request and waits until it has ended well.
#define page_job(p, ...) page_end_of((p), page_start((p), page_call((p), __VA_ARGS__)), "done")

// Makes a desk with the scratch folder `name`, and `more` (NULL: none), as roots, and some memory
// for frames that are kept; no page yet.
static inline void page_begin_desk_keeping(snt_page *p, const char *name, const char *more,
                                           size_t frames_memory) {
    *p = (snt_page){.context = snt_context(1)};
    char resolved[4096];
    const char *folder = snt_scratch(name);
    mkdir(folder, 0777);
    assert_non_null(realpath(folder, resolved));
    snprintf(p->folder, sizeof p->folder, "%s", resolved);
    snprintf(p->state, sizeof p->state, "%s.state", p->folder);
    const char *const roots[] = {p->folder, more};
    desk_desc desc = {.examples = snt_source("examples"),
                      .state_folder = p->state,
                      .roots = roots,
                      .root_count = more != NULL ? 2 : 1,
                      .frames_memory = frames_memory,
                      .wake = page_woken,
                      .user = p,
                      .threads = 2};
    snt_ok(desk_create(&desc, &p->desk, error));
}

static inline void page_begin_desk(snt_page *p, const char *name, const char *more) {
    page_begin_desk_keeping(p, name, more, (size_t)64 << 20);
}

// The page comes and says hello.
static inline void page_join(snt_page *p) {
    p->page = desk_join(p->desk);
    assert_int_not_equal(p->page, 0);
    page_ok(p, "{'do': 'hello'}");
}

static inline void page_begin_with(snt_page *p, const char *name, const char *more) {
    page_begin_desk(p, name, more);
    page_join(p);
}

static inline void page_begin(snt_page *p, const char *name) {
    page_begin_with(p, name, NULL);
}

// The page goes; its desk stays.
static inline void page_leave(snt_page *p) {
    desk_leave(p->desk, p->page);
    while (p->count > 0) {
        sn_json_destroy(p->messages[--p->count]);
    }
    while (p->packet_count > 0) {
        free(p->packets[--p->packet_count]);
    }
    free(p->messages);
    free(p->packets);
}

static inline void page_end(snt_page *p) {
    page_leave(p);
    desk_destroy(p->desk);
    snt_context_end(p->context);
}

// A page for each test.
static inline int page_setup(void **state) {
    static int number;
    char name[32];
    snt_page *p = calloc(1, sizeof *p);
    assert_non_null(p);
    snprintf(name, sizeof name, "page-%d", number++);
    page_begin(p, name);
    *state = p;
    return 0;
}

static inline int page_teardown(void **state) {
    page_end(*state);
    free(*state);
    return 0;
}

#define page_test(test) cmocka_unit_test_setup_teardown(test, page_setup, page_teardown)

static inline const char *text_at(const sn_json *json, const char *path) {
    return sn_value_string(sn_json_find(json, path), "");
}

// The same character by the library alone, of a document in the folder; `clip` may be NULL.
typedef struct snt_player {
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
} snt_player;

static inline void player_open(snt_page *p, snt_player *player, const char *name,
                               const char *clip) {
    *player = (snt_player){0};
    snt_ok(sn_character_load(p->context, in_folder(p, name), &player->character, error));
    snt_ok(sn_model_create(player->character, NULL, &player->model, error));
    if (clip != NULL) {
        snt_ok(sn_motion_open(player->model, clip, &player->motion, error));
    }
    snt_ok(sn_frame_create(player->model, &player->frame, error));
}

static inline void player_close(snt_player *player) {
    sn_frame_destroy(player->frame);
    sn_motion_destroy(player->motion);
    sn_model_destroy(player->model);
    sn_character_destroy(player->character);
}

// Copies the arm beside the root's other files and opens it in slot 0.
static inline void page_open_arm(snt_page *p) {
    copy_file(snt_source("examples/arm/arm.sinew.json"), in_folder(p, "arm.sinew.json"));
    copy_file(snt_source("examples/arm/arm.glb"), in_folder(p, "arm.glb"));
    page_ok(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(p, "arm.sinew.json"));
}

// What the document says at a path, in a file that is saved from the slot.
static inline sn_json *page_saved(snt_page *p, uint32_t slot, const char *name) {
    page_ok(p, "{'do': 'save_as', 'slot': %u, 'path': '%s', 'replace': true}", slot,
            in_folder(p, name));
    char *text = get_text(in_folder(p, name));
    sn_json *json = NULL;
    snt_ok(sn_json_parse(p->context, text, strlen(text), &json, error));
    free(text);
    return json;
}

#endif
