// SPDX-License-Identifier: Apache-2.0
//
// The whole way from the bytes of a socket to the document and back: what is malformed is refused
// and does no harm, and pages that edit at once are put in order.
#include "client.h"

#include "desk/service.h"

static const char document[] = "{\"sinew\": 1, \"name\": \"a\", \"skeleton\": {\"s\": {}},\n"
                               " \"controls\": {\"c\": {\"low\": -1, \"high\": 1}, \"d\": {}}}\n";

static const char *document_path(void) {
    static char path[4200];
    snprintf(path, sizeof path, "%s/a.sinew.json", snt_scratch("root"));
    return path;
}

static void begin(fixture *f) {
    static char root[4096], state[4096];
    snprintf(root, sizeof root, "%s", snt_scratch("root"));
    snprintf(state, sizeof state, "%s", snt_scratch("state"));
    mkdir(root, 0700);
    mkdir(state, 0700);
    write_file(document_path(), document);
    memset(f, 0, sizeof *f);
    snt_ok(net_create(&(net_desc){.web = make_web()}, &f->net, error));
    const char *roots[] = {root};
    const desk_desc desc = {.state_folder = state,
                            .roots = roots,
                            .root_count = 1,
                            .threads = 1,
                            .wake = net_wake,
                            .user = f->net};
    snt_ok(desk_create(&desc, &f->desk, error));
    read_address(f);
    assert_int_equal(pthread_create(&f->thread, NULL, serve, f), 0);
}

static void end(fixture *f) {
    net_stop(f->net);
    pthread_join(f->thread, NULL);
    desk_destroy(f->desk);
    net_destroy(f->net);
}

// Reads messages until the answer to a request; NULL: an error, which is put into `status`.
static char *await_answer(int fd, unsigned id, char status[64]) {
    for (;;) {
        int kind;
        size_t size;
        unsigned got;
        char *text = (char *)receive_message(fd, &kind, &size);
        assert_true(kind == OP_TEXT || kind == OP_BINARY);
        char *found = kind == OP_TEXT ? strstr(text, "\"id\": ") : NULL;
        if (found != NULL && sscanf(found, "\"id\": %u", &got) == 1 && got == id) {
            char *error = strstr(text, "\"status\": \"");
            status[0] = 0;
            if (error != NULL) {
                sscanf(error, "\"status\": \"%63[^\"]", status);
            }
            return text;
        }
        free(text);
    }
}

static void expect_answer(int fd, unsigned id, const char *status) {
    char got[64];
    free(await_answer(fd, id, got));
    assert_string_equal(got, status);
}

static void expect_pong(int fd, unsigned id) {
    char text[64];
    snprintf(text, sizeof text, "{\"id\": %u, \"do\": \"ping\"}", id);
    assert_true(send_text(fd, text));
    expect_answer(fd, id, "");
}

// What is no request has no id, and is answered all the same: also to a page that said no hello.
static void expect_refused(int fd) {
    int kind;
    size_t size;
    char *text = (char *)receive_message(fd, &kind, &size);
    assert_int_equal(kind, OP_TEXT);
    if (strstr(text, "\"id\": null") == NULL || strstr(text, "\"error\": {") == NULL ||
        strstr(text, "\"message\": \"\"") != NULL) {
        fail_msg("found %s", text);
    }
    free(text);
}

// Whatever is said is answered, the page stays connected, and so is the next request.
static void malformed_messages_are_refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "{",
        "}",
        "null",
        "[]",
        "[[[[",
        "\"do\"",
        "{\"do\": \"ping\"",
        "{\"do\": \"ping\"}}",
        "{'do': 'ping'}",
        "{\"id\": 1, \"id\": 2, \"do\": \"ping\"}",
        "{\"id\": \"1\", \"do\": \"ping\"}",
        "{\"id\": null, \"do\": \"ping\"}",
        "{\"id\": NaN, \"do\": \"ping\"}",
        "{\"id\": 1e999, \"do\": \"ping\"}",
        "{\"do\": \"pi\\u0000ng\"}",
        "{\"do\": \"\\ud800\"}",
        "{\"do\": 7}",
        "{\"do\": null}",
        "{}",
    };
    fixture f;
    char text[4096];
    begin(&f);
    int fd = open_page(&f);
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; ++i) {
        assert_true(send_text(fd, texts[i]));
        expect_refused(fd);
        expect_pong(fd, 1000 + i);
    }
    memset(text, '[', sizeof text);
    assert_true(send_frame(fd, FIN | OP_TEXT, text, sizeof text));
    expect_refused(fd);
    assert_true(send_frame(fd, FIN | OP_TEXT, "{\"do\": \0}", 9));
    expect_refused(fd);
    assert_true(send_frame(fd, FIN | OP_BINARY, "SNWU", 4));
    expect_refused(fd);
    assert_true(send_frame(fd, FIN | OP_BINARY, "", 0));
    expect_refused(fd);
    assert_true(send_frame(fd, FIN | OP_BINARY, "SNWU\377\377\377\377data", 12));
    expect_pong(fd, 2002);
    close(fd);
    end(&f);
}

static void wrong_requests_are_answered(void **state) {
    (void)state;
    static const char *const requests[] = {
        "\"do\": \"nothing\"",
        "\"do\": \"edit\"",
        "\"do\": \"edit\", \"slot\": 2",
        "\"do\": \"edit\", \"slot\": -1",
        "\"do\": \"edit\", \"slot\": \"0\"",
        "\"do\": \"open\"",
        "\"do\": \"open\", \"slot\": 0, \"path\": \"/etc/passwd\"",
        "\"do\": \"open\", \"slot\": 0, \"path\": \"../secret.txt\"",
        "\"do\": \"save\", \"slot\": 0",
        "\"do\": \"save_as\", \"slot\": 0, \"path\": \"../b.sinew.json\", \"replace\": true",
        "\"do\": \"seek\", \"frame\": \"x\"",
    };
    fixture f;
    char text[256], status[64];
    begin(&f);
    int fd = open_page(&f);
    for (unsigned i = 0; i < sizeof requests / sizeof *requests; ++i) {
        snprintf(text, sizeof text, "{\"id\": %u, %s}", i, requests[i]);
        assert_true(send_text(fd, text));
        char *answer = await_answer(fd, i, status);
        if (status[0] == 0 || strstr(answer, "\"message\": \"") == NULL) {
            fail_msg("%s: %s", text, answer);
        }
        free(answer);
    }
    close(fd);
    end(&f);
}

static void wait_for_gate(desk *at, void *user) {
    (void)at;
    pthread_mutex_lock(user);
    pthread_mutex_unlock(user);
}

// While the desk is busy, a page may have 1000 requests waiting.
static void too_many_waiting_requests_close_the_page(void **state) {
    (void)state;
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    fixture f;
    begin(&f);
    int greedy = open_page(&f), modest = open_page(&f);
    pthread_mutex_lock(&gate);
    assert_true(desk_post(f.desk, wait_for_gate, &gate));
    for (int i = 0; i < 1010; ++i) {
        send_text(greedy, "{\"id\": 1, \"do\": \"ping\"}");
    }
    for (int i = 0; i < 900; ++i) {
        assert_true(send_text(modest, "{\"id\": 1, \"do\": \"ping\"}"));
    }
    expect_close(greedy, 1008);
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < 900; ++i) {
        expect_answer(modest, 1, "");
    }
    close(modest);
    end(&f);
}

// ---------------------------------------------------------------------------------------------

enum { EDITS = 100 };

static void send_edit(int fd, unsigned id, unsigned revision, double high) {
    char text[512];
    snprintf(text, sizeof text,
             "{\"id\": %u, \"do\": \"edit\", \"slot\": 0, \"revision\": %u, \"label\": \"Edit\", "
             "\"ops\": [{\"path\": \"/controls/c/high\", \"value\": %g}]}",
             id, revision, high);
    assert_true(send_text(fd, text));
}

typedef struct writer {
    int fd;
    unsigned revision, accepted, stale;
    double base;
} writer;

// Edits as fast as it can, from the revision that it knew at first.
static void *edit_all(void *user) {
    writer *w = user;
    for (unsigned i = 0; i < EDITS; ++i) {
        send_edit(w->fd, 100 + i, w->revision, w->base + i);
    }
    for (unsigned i = 0; i < EDITS; ++i) {
        char status[64];
        free(await_answer(w->fd, 100 + i, status));
        w->accepted += status[0] == 0;
        w->stale += strcmp(status, "stale") == 0;
    }
    return NULL;
}

static unsigned open_document(int fd) {
    char status[64];
    unsigned revision = 0;
    assert_true(
        send_text(fd, "{\"id\": 1, \"do\": \"open\", \"slot\": 0, \"path\": \"a.sinew.json\"}"));
    expect_answer(fd, 1, "");
    // An edit that changes nothing tells the revision.
    send_edit(fd, 2, 9999999, 1);
    char *answer = await_answer(fd, 2, status);
    assert_string_equal(status, "");
    assert_int_equal(sscanf(strstr(answer, "\"revision\":"), "\"revision\": %u", &revision), 1);
    free(answer);
    return revision;
}

// The highest value of the control in the file, NAN where it is not a document.
static double read_high(void) {
    sn_context *context = snt_context(1);
    char text[4096];
    FILE *file = fopen(document_path(), "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    sn_json *json = NULL;
    snt_ok(sn_json_parse(context, text, size, &json, error));
    double high = sn_value_number(sn_json_find(json, "/controls/c/high"), -1);
    sn_json_destroy(json);
    snt_context_end(context);
    return high;
}

static void two_pages_edit_at_once(void **state) {
    (void)state;
    fixture f;
    pthread_t threads[2];
    begin(&f);
    writer writers[2] = {{.fd = open_page(&f), .base = 1000}, {.fd = open_page(&f), .base = 5000}};
    writers[0].revision = writers[1].revision = open_document(writers[0].fd);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, edit_all, &writers[i]), 0);
    }
    for (int i = 0; i < 2; ++i) {
        pthread_join(threads[i], NULL);
        assert_int_equal(writers[i].accepted + writers[i].stale, EDITS);
    }
    // Who came first goes on; the other one is told that what it saw is old.
    writer *first = writers[0].accepted > 0 ? &writers[0] : &writers[1];
    writer *second = first == &writers[0] ? &writers[1] : &writers[0];
    assert_int_equal(first->accepted, EDITS);
    assert_int_equal(second->stale, EDITS);
    assert_true(send_text(second->fd, "{\"id\": 3, \"do\": \"save\", \"slot\": 0}"));
    expect_answer(second->fd, 3, "");
    snt_near(read_high(), first->base + EDITS - 1, 0);
    close(writers[0].fd);
    close(writers[1].fd);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_messages_are_refused),
        cmocka_unit_test(wrong_requests_are_answered),
        cmocka_unit_test(too_many_waiting_requests_close_the_page),
        cmocka_unit_test(two_pages_edit_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
