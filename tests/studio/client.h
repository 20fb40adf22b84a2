// SPDX-License-Identifier: Apache-2.0
//
// A client of the studio that writes its bytes by hand, so that it can send what no browser would.
#ifndef SNT_STUDIO_CLIENT_H
#define SNT_STUDIO_CLIENT_H

#define _GNU_SOURCE
#include "test.h"

#include "net/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// A net at work.
typedef struct fixture {
    desk *desk;
    net_server *net;
    pthread_t thread;
    uint16_t port;
    char token[128];
} fixture;

static inline void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

// A page of two files, and one beside its folder that nobody may read.
static inline const char *make_web(void) {
    static char web[4096];
    char path[4200];
    snprintf(web, sizeof web, "%s", snt_scratch("web"));
    mkdir(web, 0700);
    snprintf(path, sizeof path, "%s/index.html", web);
    write_file(path, "<!doctype html><title>test</title>\n");
    snprintf(path, sizeof path, "%s/assets", web);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/assets/app.js", web);
    write_file(path, "export default 1;\n");
    write_file(snt_scratch("secret.txt"), "SECRET");
    return web;
}

static inline void *serve(void *user) {
    fixture *f = user;
    assert_int_equal(net_run(f->net, f->desk, NULL), SN_OK);
    return NULL;
}

static inline void read_address(fixture *f) {
    unsigned port;
    assert_int_equal(
        sscanf(net_address(f->net), "http://127.0.0.1:%u/?token=%127s", &port, f->token), 2);
    f->port = (uint16_t)port;
}

// ---------------------------------------------------------------------------------------------
// The client

// Nothing here takes as long; a server that hangs fails the test.
enum { PATIENCE_SECONDS = 60 };

static inline int dial(const fixture *f) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(f->port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

// False where the other side has closed.
static inline bool send_all(int fd, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    while (size > 0) {
        ssize_t sent = send(fd, at, size, MSG_NOSIGNAL);
        if (sent <= 0) {
            assert_true(errno != EAGAIN && errno != EWOULDBLOCK);
            return false;
        }
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

static inline bool receive_all(int fd, void *bytes, size_t size) {
    uint8_t *at = bytes;
    while (size > 0) {
        ssize_t got = recv(fd, at, size, 0);
        if (got <= 0) {
            assert_true(got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK));
            return false;
        }
        at += got;
        size -= (size_t)got;
    }
    return true;
}

// Reads the head of an answer, up to and with its empty line. 0: closed without one.
static inline size_t receive_head(int fd, char *head, size_t size) {
    size_t have = 0;
    head[0] = 0;
    while (have + 1 < size && strstr(head, "\r\n\r\n") == NULL) {
        if (!receive_all(fd, head + have, 1)) {
            break;
        }
        head[++have] = 0;
    }
    return have;
}

// Whether a head has a header, by its whole line.
static inline bool has_line(const char *head, const char *line) {
    char wanted[1024];
    snprintf(wanted, sizeof wanted, "\r\n%s\r\n", line);
    return strcasestr(head, wanted) != NULL;
}

static inline int status_of(const char *head) {
    int status = 0;
    sscanf(head, "HTTP/1.%*d %d", &status);
    return status;
}

// Sends a request of `size` bytes; the answer's status (0: closed without one) and whole text.
static inline int ask_bytes(const fixture *f, const void *request, size_t size, char *answer,
                            size_t answer_size) {
    int fd = dial(f);
    send_all(fd, request, size);
    size_t have = receive_head(fd, answer, answer_size);
    const char *length = strcasestr(answer, "content-length:");
    size_t body = length != NULL ? strtoul(length + 15, NULL, 10) : 0;
    if (body > 0 && body < answer_size - have && receive_all(fd, answer + have, body)) {
        answer[have + body] = 0;
    }
    close(fd);
    return status_of(answer);
}

enum { ANSWER_BYTES = 8192 };

// GET of a path from this address.
static inline int get(const fixture *f, const char *path, char answer[ANSWER_BYTES]) {
    char request[4096];
    int size = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n",
                        path, f->port);
    assert_true(size < (int)sizeof request);
    return ask_bytes(f, request, (size_t)size, answer, ANSWER_BYTES);
}

// The server is there and serves.
static inline void expect_alive(const fixture *f) {
    char answer[ANSWER_BYTES], path[256];
    snprintf(path, sizeof path, "/?token=%s", f->token);
    assert_int_equal(get(f, path, answer), 200);
    assert_non_null(strstr(answer, "<title>test</title>"));
}

static inline void pause_ms(long ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

// ---------------------------------------------------------------------------------------------
// Sockets

// What a handshake says; NULL leaves a header out.
typedef struct handshake {
    const char *path, *token, *host, *origin, *protocol, *version;
} handshake;

static inline handshake right_handshake(const fixture *f) {
    static char host[64], origin[64];
    snprintf(host, sizeof host, "127.0.0.1:%u", f->port);
    snprintf(origin, sizeof origin, "http://127.0.0.1:%u", f->port);
    return (handshake){"/socket", f->token, host, origin, "sinew-studio-1", "13"};
}

static inline void add_header(char *text, size_t size, const char *name, const char *value) {
    if (value != NULL) {
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%s: %s\r\n", name, value);
    }
}

// Shakes hands on a new connection; the status of the answer, 101 for a socket.
static inline int shake(const fixture *f, const handshake *h, int *fd) {
    char text[2048], answer[ANSWER_BYTES];
    snprintf(text, sizeof text,
             "GET %s%s%s HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
             h->path, h->token != NULL ? "?token=" : "", h->token != NULL ? h->token : "");
    add_header(text, sizeof text, "Host", h->host);
    add_header(text, sizeof text, "Origin", h->origin);
    add_header(text, sizeof text, "Sec-WebSocket-Protocol", h->protocol);
    add_header(text, sizeof text, "Sec-WebSocket-Version", h->version);
    strcat(text, "\r\n");
    *fd = dial(f);
    send_all(*fd, text, strlen(text));
    receive_head(*fd, answer, sizeof answer);
    if (status_of(answer) == 101) {
        assert_true(has_line(answer, "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
        assert_true(has_line(answer, "Sec-WebSocket-Protocol: sinew-studio-1"));
    }
    return status_of(answer);
}

static inline int open_page(const fixture *f) {
    handshake h = right_handshake(f);
    int fd;
    assert_int_equal(shake(f, &h, &fd), 101);
    return fd;
}

enum { OP_MORE = 0, OP_TEXT = 1, OP_BINARY = 2, OP_CLOSE = 8, OP_PING = 9, OP_PONG = 10 };
enum { FIN = 0x80 };

// A frame's header with the length that is said, masked or not; its size.
static inline size_t make_header(uint8_t *header, int first, uint64_t length, bool masked) {
    size_t size = 2;
    header[0] = (uint8_t)first;
    if (length < 126) {
        header[1] = (uint8_t)length;
    } else if (length < 65536) {
        header[1] = 126;
        header[2] = (uint8_t)(length >> 8);
        header[3] = (uint8_t)length;
        size = 4;
    } else {
        header[1] = 127;
        for (int i = 0; i < 8; ++i) {
            header[2 + i] = (uint8_t)(length >> (56 - 8 * i));
        }
        size = 10;
    }
    if (masked) {
        header[1] |= 0x80;
        memcpy(header + size, "\x12\x34\x56\x78", 4);
        size += 4;
    }
    return size;
}

// `first` is the first byte: FIN | OP_TEXT and the like.
static inline bool send_frame(int fd, int first, const void *payload, size_t size) {
    static const uint8_t mask[4] = {0x12, 0x34, 0x56, 0x78};
    uint8_t *frame = malloc(size + 14);
    assert_non_null(frame);
    size_t header = make_header(frame, first, size, true);
    for (size_t i = 0; i < size; ++i) {
        frame[header + i] = ((const uint8_t *)payload)[i] ^ mask[i & 3];
    }
    bool sent = send_all(fd, frame, header + size);
    free(frame);
    return sent;
}

static inline bool send_text(int fd, const char *text) {
    return send_frame(fd, FIN | OP_TEXT, text, strlen(text));
}

// Reads one frame; `payload` is malloc'ed. False: the connection has ended.
static inline bool receive_frame(int fd, int *first, uint8_t **payload, size_t *size) {
    uint8_t header[10];
    if (!receive_all(fd, header, 2)) {
        return false;
    }
    assert_int_equal(header[1] & 0x80, 0); // servers do not mask
    uint64_t length = header[1];
    size_t more = length == 126 ? 2 : length == 127 ? 8 : 0;
    length = more > 0 ? 0 : length;
    if (!receive_all(fd, header + 2, more)) {
        return false;
    }
    for (size_t i = 0; i < more; ++i) {
        length = length << 8 | header[2 + i];
    }
    *first = header[0];
    *size = length;
    *payload = malloc(length + 1);
    assert_non_null(*payload);
    (*payload)[length] = 0;
    if (!receive_all(fd, *payload, length)) {
        free(*payload);
        return false;
    }
    return true;
}

// Reads a message, whatever its fragments; pings in between are passed over.
static inline uint8_t *receive_message(int fd, int *kind, size_t *size) {
    uint8_t *message = malloc(1);
    int first = 0;
    *size = 0;
    *kind = 0;
    while ((first & FIN) == 0) {
        uint8_t *payload = NULL;
        size_t length = 0;
        assert_true(receive_frame(fd, &first, &payload, &length));
        if ((first & 15) == OP_PING) {
            free(payload);
            first = 0;
            continue;
        }
        *kind = *kind == 0 ? first & 15 : *kind;
        message = realloc(message, *size + length + 1);
        assert_non_null(message);
        memcpy(message + *size, payload, length + 1);
        *size += length;
        free(payload);
    }
    return message;
}

static inline void expect_text(int fd, const char *text) {
    int kind;
    size_t size;
    uint8_t *message = receive_message(fd, &kind, &size);
    assert_int_equal(kind, OP_TEXT);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(message, text, size);
    free(message);
}

// The server closes with a code (0: in any way) and, where it gives a code, a reason. Closes too.
static inline void expect_close(int fd, int code) {
    int first, got = 0;
    uint8_t *payload;
    size_t size;
    while (got == 0 && receive_frame(fd, &first, &payload, &size)) {
        if ((first & 15) == OP_CLOSE) {
            assert_true(size > 2); // each says why
            got = payload[0] << 8 | payload[1];
            send_frame(fd, FIN | OP_CLOSE, payload, 2);
        }
        free(payload);
    }
    if (code != 0) {
        assert_int_equal(got, code);
    }
    close(fd);
}

#endif
