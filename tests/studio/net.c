// SPDX-License-Identifier: Apache-2.0
//
// Sockets: who may open one, what they carry, and what they do with those who break the rules.
#include "net_test.h"

// ---------------------------------------------------------------------------------------------
// Coming in

static void expect_refused(const fixture *f, const handshake *h) {
    int fd;
    int status = shake(f, h, &fd);
    assert_true(status == 403 || status == 0);
    close(fd);
    assert_int_equal(f->desk->joins, 0);
}

#define EXPECT_REFUSED(member, ...)                                                                \
    do {                                                                                           \
        const char *values[] = {__VA_ARGS__};                                                      \
        for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {                              \
            handshake h = right_handshake(&f);                                                     \
            h.member = values[i];                                                                  \
            expect_refused(&f, &h);                                                                \
        }                                                                                          \
    } while (0)

static void opens_for_its_own_page_alone(void **state) {
    (void)state;
    fixture f;
    char near[4][128], wrong[128];
    begin(&f);
    snprintf(near[0], sizeof near[0], "http://127.0.0.1:%u.evil.example", f.port);
    snprintf(near[1], sizeof near[1], "https://127.0.0.1:%u", f.port);
    snprintf(near[2], sizeof near[2], "http://127.0.0.1:%u/", f.port);
    snprintf(near[3], sizeof near[3], "http://evil.example:%u", f.port);
    EXPECT_REFUSED(origin, NULL, "", "null", "http://evil.example", "http://127.0.0.1",
                   "http://127.0.0.1:1", near[0], near[1], near[2], near[3]);
    EXPECT_REFUSED(host, NULL, "evil.example", "127.0.0.1", "127.0.0.1:1");
    snprintf(wrong, sizeof wrong, "%s", f.token);
    wrong[strlen(wrong) - 1] = wrong[strlen(wrong) - 1] == '0' ? '1' : '0';
    EXPECT_REFUSED(token, NULL, "", "0", wrong);
    EXPECT_REFUSED(protocol, NULL, "http", "sinew-studio-2", "other, sinew-studio-2");
    EXPECT_REFUSED(version, NULL, "8", "12", "14");
    EXPECT_REFUSED(path, "/", "/sockets", "/socket/", "/assets/app.js");
    int fd = open_page(&f);
    assert_true(send_text(fd, "here"));
    expect_text(fd, "here");
    close(fd);
    end(&f);
}

static void takes_sixteen_pages(void **state) {
    (void)state;
    fixture f;
    int fds[NET_MAX_PAGES];
    begin(&f);
    for (int i = 0; i < NET_MAX_PAGES; ++i) {
        fds[i] = open_page(&f);
    }
    await_count(&f, &f.desk->joins, NET_MAX_PAGES);
    expect_close(open_page(&f), 1013);
    for (int i = 0; i < NET_MAX_PAGES; ++i) {
        assert_true(send_text(fds[i], "still here"));
        expect_text(fds[i], "still here");
    }
    close(fds[0]);
    await_count(&f, &f.desk->leaves, 1);
    fds[0] = open_page(&f);
    assert_true(send_text(fds[0], "again"));
    expect_text(fds[0], "again");
    for (int i = 0; i < NET_MAX_PAGES; ++i) {
        close(fds[i]);
    }
    end(&f);
}

// ---------------------------------------------------------------------------------------------
// Messages

static void carries_messages_of_all_sizes(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 125, 126, 127, 65535, 65536, 65537, NET_MAX_MESSAGE};
    fixture f;
    begin(&f);
    int fd = open_page(&f);
    uint8_t *bytes = malloc(NET_MAX_MESSAGE);
    assert_non_null(bytes);
    for (size_t i = 0; i < NET_MAX_MESSAGE; ++i) {
        bytes[i] = burst_byte(i);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        int kind;
        size_t size;
        assert_true(send_frame(fd, FIN | OP_BINARY, bytes, sizes[i]));
        uint8_t *message = receive_message(fd, &kind, &size);
        assert_int_equal(kind, OP_BINARY);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(message, bytes, size);
        free(message);
    }
    free(bytes);
    close(fd);
    end(&f);
}

static void puts_fragments_together(void **state) {
    (void)state;
    fixture f;
    int first;
    uint8_t *payload;
    size_t size;
    begin(&f);
    int fd = open_page(&f);
    assert_true(send_frame(fd, OP_TEXT, "one ", 4));
    assert_true(send_frame(fd, OP_MORE, "", 0));
    assert_true(send_frame(fd, FIN | OP_PING, "ping", 4)); // may stand between fragments
    assert_true(send_frame(fd, OP_MORE, "two ", 4));
    assert_true(send_frame(fd, FIN | OP_MORE, "\xe2\x82\xac", 3));
    assert_true(receive_frame(fd, &first, &payload, &size));
    assert_int_equal(first, FIN | OP_PONG);
    assert_int_equal(size, 4);
    free(payload);
    expect_text(fd, "one two \xe2\x82\xac");
    // Byte by byte.
    uint8_t frame[64];
    size_t length = make_header(frame, FIN | OP_TEXT, 5, true);
    for (int i = 0; i < 5; ++i) {
        frame[length + (size_t)i] = (uint8_t)("slow!"[i] ^ "\x12\x34\x56\x78"[i & 3]);
    }
    for (size_t i = 0; i < length + 5; ++i) {
        assert_true(send_all(fd, frame + i, 1));
        pause_ms(2);
    }
    expect_text(fd, "slow!");
    close(fd);
    end(&f);
}

static void sends_large_packets_whole(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    int fd = open_page(&f);
    assert_true(send_text(fd, "burst 65536"));
    assert_true(send_text(fd, "burst 20000000"));
    assert_true(send_text(fd, "between"));
    assert_true(send_text(fd, "burst 65537"));
    assert_true(send_text(fd, "burst 0"));
    expect_burst(fd, 65536);
    expect_burst(fd, 20000000);
    expect_text(fd, "between");
    expect_burst(fd, 65537);
    expect_burst(fd, 0);
    close(fd);
    end(&f);
}

// ---------------------------------------------------------------------------------------------
// Limits

static void expect_too_large(const fixture *f, int kind, const size_t *fragments, size_t count) {
    int fd = open_page(f);
    for (size_t i = 0; i < count; ++i) {
        uint8_t *bytes = calloc(fragments[i], 1);
        assert_non_null(bytes);
        memset(bytes, 'x', fragments[i]);
        int first = (i == 0 ? kind : OP_MORE) | (i + 1 == count ? FIN : 0);
        send_frame(fd, first, bytes, fragments[i]);
        free(bytes);
    }
    expect_close(fd, 1009);
}

static void refuses_messages_above_the_limit(void **state) {
    (void)state;
    const size_t whole[] = {NET_MAX_MESSAGE + 1};
    const size_t parts[] = {NET_MAX_MESSAGE / 2, NET_MAX_MESSAGE / 2, 1};
    fixture f;
    begin(&f);
    expect_too_large(&f, OP_TEXT, whole, 1);
    expect_too_large(&f, OP_BINARY, whole, 1);
    expect_too_large(&f, OP_TEXT, parts, 3);
    expect_too_large(&f, OP_BINARY, parts, 3);
    assert_int_equal(f.desk->received, 0);
    expect_alive(&f);
    end(&f);
}

static void takes_large_texts_of_pages_that_said_hello(void **state) {
    (void)state;
    enum { LARGE = 3 * NET_MAX_MESSAGE };
    char *text = malloc(NET_MAX_TEXT + 1);
    assert_non_null(text);
    memset(text, 'x', NET_MAX_TEXT + 1);
    fixture f;
    begin(&f);
    int fd = open_page(&f);
    assert_true(send_text(fd, "hello"));
    expect_text(fd, "hello");
    text[LARGE] = 0;
    assert_true(send_frame(fd, OP_TEXT, text, LARGE - 1));
    assert_true(send_frame(fd, FIN | OP_MORE, text, 1));
    expect_text(fd, text);
    assert_true(send_text(fd, "small"));
    expect_text(fd, "small");
    // The largest one; one byte more is too much.
    text[LARGE] = 'x';
    assert_true(send_frame(fd, FIN | OP_TEXT, text, NET_MAX_TEXT));
    int kind;
    size_t size;
    free(receive_message(fd, &kind, &size));
    assert_int_equal(size, NET_MAX_TEXT);
    send_frame(fd, FIN | OP_TEXT, text, NET_MAX_TEXT + 1);
    expect_close(fd, 1009);
    fd = open_page(&f);
    assert_true(send_text(fd, "hello"));
    expect_text(fd, "hello");
    send_frame(fd, FIN | OP_BINARY, text, NET_MAX_MESSAGE + 1);
    expect_close(fd, 1009);
    expect_alive(&f);
    end(&f);
    free(text);
}

// A frame that announces more than will ever come is refused with its first bytes.
static void refuses_frames_that_announce_too_much(void **state) {
    (void)state;
    static const uint64_t lengths[] = {NET_MAX_MESSAGE + 1, 1ull << 32, (1ull << 63) - 1};
    fixture f;
    begin(&f);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
        uint8_t frame[14 + 70000] = {0};
        int fd = open_page(&f);
        size_t size = make_header(frame, FIN | OP_BINARY, lengths[i], true);
        assert_true(send_all(fd, frame, size + 70000));
        expect_close(fd, 1009);
    }
    // A length whose highest bit is set is none.
    uint8_t frame[14];
    int fd = open_page(&f);
    size_t size = make_header(frame, FIN | OP_BINARY, 1ull << 63, true);
    assert_true(send_all(fd, frame, size));
    expect_close(fd, 0);
    assert_int_equal(f.desk->received, 0);
    expect_alive(&f);
    end(&f);
}

static void closes_where_too_many_wait(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    int fd = open_page(&f);
    assert_true(send_text(fd, "refuse"));
    expect_close(fd, 1008);
    fd = open_page(&f);
    assert_true(send_text(fd, "lose"));
    expect_close(fd, 1008);
    // A page that sends without end and never reads.
    fd = open_page(&f);
    for (int i = 0; i < 10 * TEST_QUEUE && send_text(fd, "burst 1000000"); ++i) {
    }
    close(fd);
    await_count(&f, &f.desk->leaves, 3);
    expect_alive(&f);
    end(&f);
}

// ---------------------------------------------------------------------------------------------
// Broken rules

static void expect_broken(const fixture *f, int code, const void *bytes, size_t size) {
    int fd = open_page(f);
    send_all(fd, bytes, size);
    expect_close(fd, code);
    assert_int_equal(f->desk->received, 0);
}

#define BROKEN(code, text) expect_broken(&f, code, text, sizeof text - 1)

static void closes_on_malformed_frames(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    BROKEN(1002, "\xf1\x81mask?");                      // reserved bits
    BROKEN(1002, "\x83\x81mask?");                      // unknown kinds
    BROKEN(1002, "\x8b\x81mask?");                      //
    BROKEN(1002, "\x80\x81mask?");                      // goes on where nothing began
    BROKEN(1002, "\x01\x81\0\0\0\0a\x81\x81\0\0\0\0b"); // begins anew within a message
    BROKEN(1002, "\x09\x81mask?");                      // a ping in fragments
    BROKEN(0, "\x89\xfe\x01\0mask");                    // a ping of 256 bytes
    BROKEN(0, "\x88\xff\0\0\0\0\0\1\0\0mask");          // a close of 64 KiB
    expect_alive(&f);
    end(&f);
}

static void closes_on_bad_utf8(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    BROKEN(1007, "\x81\x82\0\0\0\0\xc3\x28");
    BROKEN(1007, "\x81\x82\0\0\0\0\xc0\xaf");              // overlong
    BROKEN(1007, "\x81\x83\0\0\0\0\xed\xa0\x80");          // half of a pair
    BROKEN(1007, "\x81\x84\0\0\0\0\xf5\x80\x80\x80");      // beyond the last character
    BROKEN(1007, "\x81\x81\0\0\0\0\xe2");                  // ends within one
    BROKEN(1007, "\x01\x81\0\0\0\0\xe2\x80\x81\0\0\0\0a"); // across fragments
    expect_alive(&f);
    end(&f);
}

// A server should refuse what is not masked; lws takes it. That guards proxies, of which there are
// none here: what matters is that it does no harm.
static void stands_unmasked_frames(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    int fd = open_page(&f);
    assert_true(send_all(fd, "\x81\x02hi", 4));
    assert_true(send_all(fd, "\x82\x7e\0\0", 4)); // of no bytes, said in two
    close(fd);
    expect_alive(&f);
    end(&f);
}

static void answers_a_close(void **state) {
    (void)state;
    fixture f;
    int first;
    uint8_t *payload;
    size_t size;
    begin(&f);
    int fd = open_page(&f);
    assert_true(send_frame(fd, FIN | OP_CLOSE, "\x03\xe8", 2));
    assert_true(receive_frame(fd, &first, &payload, &size));
    assert_int_equal(first, FIN | OP_CLOSE);
    free(payload);
    await_count(&f, &f.desk->leaves, 1);
    close(fd);
    end(&f);
}

// ---------------------------------------------------------------------------------------------
// Others are not disturbed

static void a_slow_page_slows_nobody(void **state) {
    (void)state;
    enum { BURSTS = 4, BURST = 16 << 20 };
    fixture f;
    char text[32];
    begin(&f);
    int slow = open_page(&f), quick = open_page(&f);
    snprintf(text, sizeof text, "burst %d", BURST);
    for (int i = 0; i < BURSTS; ++i) {
        assert_true(send_text(slow, text));
    }
    await_count(&f, &f.desk->received, BURSTS);
    for (int i = 0; i < 200; ++i) {
        assert_true(send_text(quick, "burst 100000"));
        expect_burst(quick, 100000);
    }
    // Most of it still waits at the desk: the net holds one packet.
    pthread_mutex_lock(&f.desk->lock);
    uint32_t waiting = 0;
    for (int i = 0; i < TEST_PAGES; ++i) {
        waiting += f.desk->pages[i].count;
    }
    pthread_mutex_unlock(&f.desk->lock);
    assert_true(waiting >= BURSTS - 2);
    expect_alive(&f);
    for (int i = 0; i < BURSTS; ++i) {
        expect_burst(slow, BURST);
    }
    close(slow);
    close(quick);
    end(&f);
}

static void hang_up(int fd) {
    // With a reset in place of an end.
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger));
    close(fd);
}

static void abrupt_ends_do_no_harm(void **state) {
    (void)state;
    fixture f;
    uint8_t frame[1024] = {0};
    begin(&f);
    for (int i = 0; i < 60; ++i) {
        int fd = open_page(&f);
        if (i % 3 == 0) { // within a message of its own
            size_t size = make_header(frame, OP_TEXT, 5000, true);
            assert_true(send_all(fd, frame, size + 500));
        } else { // within one that it receives
            assert_true(send_text(fd, "burst 9000000"));
            assert_true(receive_all(fd, frame, i % 3 == 1 ? 1 : sizeof frame));
        }
        i % 2 == 0 ? hang_up(fd) : (void)close(fd);
    }
    await_count(&f, &f.desk->leaves, 60);
    for (int i = 0; i < 30; ++i) { // within a handshake
        int fd = dial(&f);
        assert_true(send_all(fd, "GET /socket?token=", (size_t)(i % 19)));
        i % 2 == 0 ? hang_up(fd) : (void)close(fd);
    }
    expect_alive(&f);
    end(&f);
}

static void half_open_connections_do_not_block(void **state) {
    (void)state;
    enum { COUNT = 50 };
    fixture f;
    int fds[COUNT];
    begin(&f);
    for (int i = 0; i < COUNT; ++i) {
        fds[i] = dial(&f);
        assert_true(send_all(fds[i], "GET / HTTP/1.1\r\nHost", (size_t)(i % 21)));
    }
    expect_alive(&f);
    int fd = open_page(&f);
    assert_true(send_text(fd, "here"));
    expect_text(fd, "here");
    close(fd);
    for (int i = 0; i < COUNT; ++i) {
        close(fds[i]);
    }
    end(&f);
}

// Somebody pulled the plug: a page that answers no ping is gone, one that does is not.
static void a_silent_page_is_dropped(void **state) {
    (void)state;
    fixture f;
    begin_with(&f, &(net_desc){.web = make_web(), .ping_after_s = 1, .drop_after_s = 3});
    int silent = open_page(&f), there = open_page(&f);
    bool gone = false;
    for (int pings = 0; !gone; ++pings) {
        int first;
        uint8_t *payload;
        size_t size;
        assert_true(pings < 20);
        assert_true(receive_frame(there, &first, &payload, &size));
        assert_int_equal(first, FIN | OP_PING);
        assert_true(send_frame(there, FIN | OP_PONG, payload, size));
        free(payload);
        pthread_mutex_lock(&f.desk->lock);
        gone = f.desk->leaves == 1;
        pthread_mutex_unlock(&f.desk->lock);
    }
    assert_true(send_text(there, "here"));
    expect_text(there, "here");
    close(silent);
    close(there);
    end(&f);
}

static void says_goodbye(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    int page = open_page(&f), deaf = open_page(&f);
    assert_true(send_text(deaf, "burst 50000000"));
    await_count(&f, &f.desk->received, 1);
    net_stop(f.net);
    expect_close(page, 1001);
    end(&f); // in spite of the one that never reads
    close(deaf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_for_its_own_page_alone),
        cmocka_unit_test(takes_sixteen_pages),
        cmocka_unit_test(carries_messages_of_all_sizes),
        cmocka_unit_test(puts_fragments_together),
        cmocka_unit_test(sends_large_packets_whole),
        cmocka_unit_test(refuses_messages_above_the_limit),
        cmocka_unit_test(takes_large_texts_of_pages_that_said_hello),
        cmocka_unit_test(refuses_frames_that_announce_too_much),
        cmocka_unit_test(closes_where_too_many_wait),
        cmocka_unit_test(closes_on_malformed_frames),
        cmocka_unit_test(closes_on_bad_utf8),
        cmocka_unit_test(stands_unmasked_frames),
        cmocka_unit_test(answers_a_close),
        cmocka_unit_test(a_slow_page_slows_nobody),
        cmocka_unit_test(abrupt_ends_do_no_harm),
        cmocka_unit_test(half_open_connections_do_not_block),
        cmocka_unit_test(a_silent_page_is_dropped),
        cmocka_unit_test(says_goodbye),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
