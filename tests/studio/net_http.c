// SPDX-License-Identifier: Apache-2.0
//
// Plain requests: who is let in, and that nothing but the table of files can be had.
#include "net_test.h"

// The cookie that the page is given, as a browser sends it back.
static void take_cookie(const fixture *f, char cookie[256]) {
    char answer[ANSWER_BYTES], path[256];
    snprintf(path, sizeof path, "/?token=%s", f->token);
    assert_int_equal(get(f, path, answer), 200);
    const char *line = strcasestr(answer, "\r\nset-cookie: ");
    assert_non_null(line);
    assert_int_equal(sscanf(line + strlen("\r\nset-cookie: "), "%255[^;\r]", cookie), 1);
    assert_null(strstr(cookie, f->token));
}

static int get_with_cookie(const fixture *f, const char *path, const char *cookie,
                           char answer[ANSWER_BYTES]) {
    char request[4096];
    int size = snprintf(request, sizeof request,
                        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nCookie: %s\r\n\r\n", path,
                        f->port, cookie);
    assert_true(size < (int)sizeof request);
    return ask_bytes(f, request, (size_t)size, answer, ANSWER_BYTES);
}

static void serves_the_page_with_the_token(void **state) {
    (void)state;
    fixture f;
    char answer[ANSWER_BYTES], path[256], policy[512];
    begin(&f);
    assert_true(strlen(f.token) >= 32); // digits: 128 bits at least
    snprintf(path, sizeof path, "/?token=%s", f.token);
    assert_int_equal(get(&f, path, answer), 200);
    assert_non_null(strstr(answer, "<title>test</title>"));
    assert_true(has_line(answer, "content-type: text/html; charset=utf-8"));
    assert_true(has_line(answer, "x-content-type-options: nosniff"));
    assert_true(has_line(answer, "x-frame-options: DENY"));
    assert_true(has_line(answer, "referrer-policy: no-referrer"));
    assert_true(has_line(answer, "cache-control: no-store"));
    assert_true(has_line(answer, "cross-origin-resource-policy: same-origin"));
    snprintf(policy, sizeof policy,
             "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; "
             "img-src 'self' data: blob:; font-src 'self'; worker-src 'self'; connect-src 'self' "
             "ws://127.0.0.1:%u ws://localhost:%u; base-uri 'none'; form-action 'none'; "
             "frame-ancestors 'none'",
             f.port, f.port);
    assert_true(has_line(answer, policy));
    assert_non_null(strcasestr(answer, "; Path=/; HttpOnly; SameSite=Strict\r\n"));
    char cookie[256];
    take_cookie(&f, cookie);
    assert_int_equal(get_with_cookie(&f, "/assets/app.js", cookie, answer), 200);
    assert_true(has_line(answer, "content-type: text/javascript; charset=utf-8"));
    assert_true(has_line(answer, policy));
    assert_null(strcasestr(answer, "set-cookie"));
    snprintf(path, sizeof path, "/assets/app.js?token=%s", f.token);
    assert_int_equal(get(&f, path, answer), 200);
    end(&f);
}

// Neither files of the page nor whether there are any.
static void serves_nothing_without_the_token(void **state) {
    (void)state;
    static const char *const paths[] = {"/",     "/index.html",  "/assets/app.js",
                                        "/none", "/favicon.ico", "/socket"};
    fixture f;
    char answer[ANSWER_BYTES], cookie[256], other[512], wrong[256];
    begin(&f);
    take_cookie(&f, cookie);
    snprintf(wrong, sizeof wrong, "%s", cookie);
    wrong[strlen(wrong) - 1] = wrong[strlen(wrong) - 1] == '0' ? '1' : '0';
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
        assert_int_equal(get(&f, paths[i], answer), 403);
        assert_int_equal(get_with_cookie(&f, paths[i], wrong, answer), 403);
        assert_int_equal(get_with_cookie(&f, paths[i], "a=b; sinew-studio-1=", answer), 403);
    }
    // Among cookies of other programs; too many of them, and a longer one, are none.
    snprintf(other, sizeof other, "a=b; %s; c=\"d\"", cookie);
    assert_int_equal(get_with_cookie(&f, "/assets/app.js", other, answer), 200);
    snprintf(other, sizeof other, "x%s", cookie);
    assert_int_equal(get_with_cookie(&f, "/assets/app.js", other, answer), 403);
    snprintf(other, sizeof other, "%s0", cookie);
    assert_int_equal(get_with_cookie(&f, "/assets/app.js", other, answer), 403);
    // The cookie opens the files of the page alone.
    assert_int_equal(get_with_cookie(&f, "/", cookie, answer), 403);
    handshake h = right_handshake(&f);
    h.token = strchr(cookie, '=') + 1;
    int fd;
    assert_int_not_equal(shake(&f, &h, &fd), 101);
    close(fd);
    end(&f);
}

static void two_starts_have_two_tokens(void **state) {
    (void)state;
    fixture f, g;
    begin(&f);
    begin(&g);
    assert_string_not_equal(f.token, g.token);
    assert_int_not_equal(f.port, g.port);
    end(&f);
    end(&g);
}

static void begin_on(fixture *f, uint16_t port, const char *tokens) {
    begin_with(f, &(net_desc){.web = make_web(), .port = port, .tokens = tokens});
}

// A page that is open finds the studio again that is started on the same port, and nobody else
// learns its token.
static void a_token_is_kept_for_its_port(void **state) {
    (void)state;
    fixture f, g;
    char tokens[1024], path[1200], first[256];
    struct stat info;
    snprintf(tokens, sizeof tokens, "%s", snt_scratch("tokens"));
    assert_int_equal(mkdir(tokens, 0700), 0);
    begin(&f);
    uint16_t port = (uint16_t)f.port;
    end(&f);
    begin_on(&f, port, tokens);
    snprintf(first, sizeof first, "%s", f.token);
    end(&f);
    begin_on(&f, port, tokens);
    assert_string_equal(f.token, first);
    begin(&g);
    assert_string_not_equal(g.token, first);
    end(&g);
    snprintf(path, sizeof path, "%s/token-%u", tokens, port);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    // Who cannot have the port makes its token a new one: pages tell it to whoever is there.
    net_server *none = NULL;
    snt_fails(
        SN_IO, "port",
        net_create(&(net_desc){.web = make_web(), .port = port, .tokens = tokens}, &none, error));
    end(&f);
    begin_on(&f, port, tokens);
    assert_string_not_equal(f.token, first);
    snprintf(first, sizeof first, "%s", f.token);
    end(&f);
    // One that others could have read is not taken.
    assert_int_equal(chmod(path, 0644), 0);
    begin_on(&f, port, tokens);
    assert_string_not_equal(f.token, first);
    end(&f);
}

// What a browser is started with leads to the page once; whoever saw it comes too late.
static void the_opening_address_serves_once(void **state) {
    (void)state;
    fixture f;
    char answer[ANSWER_BYTES], request[512], location[256];
    begin(&f);
    const char *path = strchr(strstr(net_opening_address(f.net), "127.0.0.1"), '/');
    assert_null(strstr(path, f.token));
    snprintf(request, sizeof request, "HEAD %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n", path,
             f.port);
    assert_int_equal(ask_bytes(&f, request, strlen(request), answer, ANSWER_BYTES), 403);
    assert_int_equal(get(&f, "/?open=0", answer), 403);
    assert_int_equal(get(&f, path, answer), 303);
    snprintf(location, sizeof location, "location: %s", net_address(f.net));
    assert_true(has_line(answer, location));
    assert_int_equal(get(&f, path, answer), 403);
    assert_int_equal(get(&f, "/?open=", answer), 403);
    end(&f);
}

static void expect_refused_page(const fixture *f, const char *path) {
    char answer[ANSWER_BYTES];
    assert_int_equal(get(f, path, answer), 403);
    const char *body = strstr(answer, "\r\n\r\n");
    assert_non_null(body);
    assert_non_null(strstr(body, "token"));
    assert_ptr_equal(strchr(body + 4, '\n') + 1, body + strlen(body)); // one line
    assert_true(has_line(answer, "x-content-type-options: nosniff"));
}

static void refuses_wrong_tokens(void **state) {
    (void)state;
    fixture f;
    char path[1024];
    begin(&f);
    expect_refused_page(&f, "/");
    expect_refused_page(&f, "/?token=");
    expect_refused_page(&f, "/?token=0");
    expect_refused_page(&f, "/?other=1");
    expect_refused_page(&f, "/?token");
    snprintf(path, sizeof path, "/?token=%.*s", (int)strlen(f.token) - 1, f.token);
    expect_refused_page(&f, path);
    snprintf(path, sizeof path, "/?token=%s0", f.token);
    expect_refused_page(&f, path);
    snprintf(path, sizeof path, "/?tokens=%s", f.token);
    expect_refused_page(&f, path);
    snprintf(path, sizeof path, "/?token=%s", f.token);
    path[8] = path[8] == '0' ? '1' : '0';
    expect_refused_page(&f, path);
    snprintf(path, sizeof path, "/?token=%0500d", 0);
    expect_refused_page(&f, path);
    expect_alive(&f);
    end(&f);
}

static int get_with_host(const fixture *f, const char *headers) {
    char request[1024], answer[ANSWER_BYTES];
    int size =
        snprintf(request, sizeof request, "GET /?token=%s HTTP/1.1\r\n%s\r\n", f->token, headers);
    int status = ask_bytes(f, request, (size_t)size, answer, sizeof answer);
    assert_true(status == 200 || strstr(answer, "<title>") == NULL);
    return status;
}

// A name that another site lets point to 127.0.0.1 must not lead here.
static void answers_to_its_own_name_alone(void **state) {
    (void)state;
    fixture f;
    char headers[256];
    begin(&f);
    snprintf(headers, sizeof headers, "Host: localhost:%u\r\n", f.port);
    assert_int_equal(get_with_host(&f, headers), 200);
    assert_int_equal(get_with_host(&f, "Host: evil.example\r\n"), 403);
    assert_int_equal(get_with_host(&f, "Host: 127.0.0.1\r\n"), 403);
    assert_int_equal(get_with_host(&f, "Host: 127.0.0.1:1\r\n"), 403);
    assert_int_equal(get_with_host(&f, ""), 403);
    snprintf(headers, sizeof headers, "Host: evil.example:%u\r\n", f.port);
    assert_int_equal(get_with_host(&f, headers), 403);
    snprintf(headers, sizeof headers, "Host: 127.0.0.1:%u.evil.example\r\n", f.port);
    assert_int_equal(get_with_host(&f, headers), 403);
    snprintf(headers, sizeof headers, "Host: 127.0.0.1:%u\r\nHost: evil.example\r\n", f.port);
    assert_int_equal(get_with_host(&f, headers), 403);
    snprintf(headers, sizeof headers, "Host: evil.example\r\nHost: 127.0.0.1:%u\r\n", f.port);
    assert_int_equal(get_with_host(&f, headers), 403);
    expect_alive(&f);
    end(&f);
}

// What a path asks for that is not in the table does not exist, however it is spelt.
static void nothing_leaves_the_table(void **state) {
    (void)state;
    static const char *const paths[] = {
        "/../secret.txt",
        "/../../secret.txt",
        "/assets/../../secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/.%2e/secret.txt",
        "/%252e%252e/secret.txt",
        "/..%5csecret.txt",
        "/..\\secret.txt",
        "/....//secret.txt",
        "/%c0%ae%c0%ae/secret.txt",
        "//secret.txt",
        "//etc/passwd",
        "/etc/passwd",
        "/%2fetc%2fpasswd",
        "/assets/%00",
        "/assets/app.js%00.txt",
        "/assets/app.jsx",
        "/assets/app.j",
        "/assets/",
        "/assets",
        "/Assets/app.js",
        "/socket",
        "/index.html/",
        "/.",
        "/%",
        "/%2",
        "/%zz",
        "/?/../../secret.txt",
        "/assets/app.js/../../../secret.txt",
        "http://127.0.0.1/etc/passwd",
        "file:///etc/passwd",
        "etc/passwd",
        "*",
        "\\",
    };
    fixture f;
    char answer[ANSWER_BYTES], cookie[256];
    begin(&f);
    take_cookie(&f, cookie);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
        int status = get_with_cookie(&f, paths[i], cookie, answer);
        if (status == 200 || strstr(answer, "SECRET") != NULL || strstr(answer, "root:") != NULL) {
            fail_msg("%s: %d: %s", paths[i], status, answer);
        }
    }
    expect_alive(&f);
    end(&f);
}

static void long_and_broken_requests_end(void **state) {
    (void)state;
    enum { SIZE = 1 << 20 };
    fixture f;
    char answer[ANSWER_BYTES];
    char *request = malloc(SIZE);
    assert_non_null(request);
    begin_with(&f, &(net_desc){.web = make_web(), .request_s = 1});
    memset(request, 'a', SIZE);
    memcpy(request, "GET /", 5);
    assert_int_not_equal(ask_bytes(&f, request, SIZE, answer, sizeof answer), 200);
    memset(request, 0, SIZE);
    assert_int_not_equal(ask_bytes(&f, request, SIZE, answer, sizeof answer), 200);
    memset(request, 0xff, SIZE);
    assert_int_not_equal(ask_bytes(&f, request, SIZE, answer, sizeof answer), 200);
    // A header without end, and headers without end.
    int start = snprintf(request, SIZE, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nX: ", f.port);
    memset(request + start, 'x', SIZE - (size_t)start);
    assert_int_not_equal(ask_bytes(&f, request, SIZE, answer, sizeof answer), 200);
    for (int i = start - 3; i + 6 < SIZE; i += 6) {
        memcpy(request + i, "A: b\r\n", 6);
    }
    assert_int_not_equal(ask_bytes(&f, request, SIZE, answer, sizeof answer), 200);
    static const char nul[] = "GET /\0/../secret.txt HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    assert_int_not_equal(ask_bytes(&f, nul, sizeof nul - 1, answer, sizeof answer), 200);
    expect_alive(&f);
    free(request);
    end(&f);
}

// Who says half of a request and no more is not waited for.
static void half_requests_end(void **state) {
    (void)state;
    static const char *const halves[] = {"", "G", "GET / HTTP/1.1\r\nHost: 127", "\r\n"};
    fixture f;
    char answer[ANSWER_BYTES];
    begin_with(&f, &(net_desc){.web = make_web(), .request_s = 1});
    for (size_t i = 0; i < sizeof halves / sizeof *halves; ++i) {
        assert_int_not_equal(ask_bytes(&f, halves[i], strlen(halves[i]), answer, sizeof answer),
                             200);
    }
    expect_alive(&f);
    end(&f);
}

// A byte now and then does not keep a connection.
static void slow_requests_end(void **state) {
    (void)state;
    fixture f;
    begin_with(&f, &(net_desc){.web = make_web(), .request_s = 1});
    int fd = dial(&f), sent = 0;
    assert_true(send_all(fd, "GET / HTTP/1.1\r\n", 16));
    for (char byte; sent < 400 && recv(fd, &byte, 1, MSG_DONTWAIT) != 0; ++sent) {
        if (send(fd, sent % 8 == 7 ? "\n" : "a:", 1, MSG_NOSIGNAL) < 0) {
            break;
        }
        pause_ms(50);
    }
    assert_true(sent < 200);
    close(fd);
    expect_alive(&f);
    end(&f);
}

// However many wait, few stay, and whoever has the token comes in.
static void strangers_are_few(void **state) {
    (void)state;
    enum { CROWD = 200 };
    fixture f;
    int fds[CROWD], open = 0;
    char byte;
    begin_with(&f, &(net_desc){.web = make_web(), .request_s = 8});
    int page = open_page(&f);
    for (int i = 0; i < CROWD; ++i) {
        fds[i] = dial(&f);
    }
    expect_alive(&f);
    assert_true(recv(fds[0], &byte, 1, 0) <= 0); // waits until the oldest is closed
    expect_alive(&f);
    pause_ms(100);
    for (int i = 0; i < CROWD; ++i) {
        open += recv(fds[i], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
        close(fds[i]);
    }
    assert_true(open <= NET_MAX_STRANGERS);
    assert_true(send_text(page, "still here"));
    expect_text(page, "still here");
    close(page);
    end(&f);
}

static int ask_method(const fixture *f, const char *method, const char *more, const char *body) {
    char request[1024], answer[ANSWER_BYTES];
    int size = snprintf(request, sizeof request,
                        "%s /?token=%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n%s\r\n%s", method,
                        f->token, f->port, more, body);
    return ask_bytes(f, request, (size_t)size, answer, sizeof answer);
}

static void takes_no_other_methods(void **state) {
    (void)state;
    static const char *const methods[] = {"PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE"};
    fixture f;
    begin_with(&f, &(net_desc){.web = make_web(), .request_s = 1});
    assert_int_equal(ask_method(&f, "HEAD", "", ""), 200);
    assert_int_equal(ask_method(&f, "POST", "Content-Length: 3\r\n", "abc"), 405);
    assert_int_equal(ask_method(&f, "POST", "Content-Length: 0\r\n", ""), 405);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        assert_int_not_equal(ask_method(&f, methods[i], "", ""), 200);
        assert_int_not_equal(ask_method(&f, methods[i], "Content-Length: 3\r\n", "abc"), 200);
    }
    expect_alive(&f);
    end(&f);
}

// lws could go on to HTTP/2 where asked to.
static void upgrades_to_nothing_else(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    assert_int_not_equal(ask_method(&f, "GET",
                                    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                                    "HTTP2-Settings: AAMAAABkAAQAAP__\r\n",
                                    ""),
                         101);
    assert_int_not_equal(ask_method(&f, "GET", "Connection: Upgrade\r\nUpgrade: other\r\n", ""),
                         101);
    expect_alive(&f);
    end(&f);
}

// One connection, several requests, as browsers do.
static void keeps_connections(void **state) {
    (void)state;
    fixture f;
    char request[256], answer[ANSWER_BYTES], body[64];
    begin(&f);
    snprintf(request, sizeof request,
             "GET /assets/app.js?token=%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n", f.token, f.port);
    int fd = dial(&f);
    for (int i = 0; i < 20; ++i) {
        assert_true(send_all(fd, request, strlen(request)));
        receive_head(fd, answer, sizeof answer);
        assert_int_equal(status_of(answer), 200);
        assert_true(receive_all(fd, body, strlen("export default 1;\n")));
        assert_memory_equal(body, "export default 1;\n", strlen("export default 1;\n"));
    }
    close(fd);
    end(&f);
}

static void says_when_the_port_is_taken(void **state) {
    (void)state;
    fixture f, g;
    net_server *net = NULL;
    char message[64];
    begin(&f);
    snprintf(message, sizeof message, "port %u of 127.0.0.1: another program uses it", f.port);
    snt_fails(SN_IO, message,
              net_create(&(net_desc){.web = make_web(), .port = f.port}, &net, error));
    assert_null(net);
    begin_with(&g, &(net_desc){.web = make_web(), .port = f.port, .port_or_next = true});
    assert_true(g.port > f.port);
    expect_alive(&g);
    end(&g);
    expect_alive(&f);
    end(&f);
}

static void needs_a_page(void **state) {
    (void)state;
    net_server *net = NULL;
    char empty[4096];
    snprintf(empty, sizeof empty, "%s", snt_scratch("empty"));
    snt_fails(SN_IO, "cannot read the folder", net_create(&(net_desc){.web = empty}, &net, error));
    mkdir(empty, 0700);
    snt_fails(SN_IO, "no index.html", net_create(&(net_desc){.web = empty}, &net, error));
    assert_null(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serves_the_page_with_the_token),
        cmocka_unit_test(serves_nothing_without_the_token),
        cmocka_unit_test(two_starts_have_two_tokens),
        cmocka_unit_test(a_token_is_kept_for_its_port),
        cmocka_unit_test(the_opening_address_serves_once),
        cmocka_unit_test(refuses_wrong_tokens),
        cmocka_unit_test(answers_to_its_own_name_alone),
        cmocka_unit_test(nothing_leaves_the_table),
        cmocka_unit_test(long_and_broken_requests_end),
        cmocka_unit_test(half_requests_end),
        cmocka_unit_test(slow_requests_end),
        cmocka_unit_test(strangers_are_few),
        cmocka_unit_test(takes_no_other_methods),
        cmocka_unit_test(upgrades_to_nothing_else),
        cmocka_unit_test(keeps_connections),
        cmocka_unit_test(says_when_the_port_is_taken),
        cmocka_unit_test(needs_a_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
