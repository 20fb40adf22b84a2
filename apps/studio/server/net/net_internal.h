// SPDX-License-Identifier: Apache-2.0
//
// What the files of the net share.
#ifndef SINEW_STUDIO_NET_INTERNAL_H
#define SINEW_STUDIO_NET_INTERNAL_H

#include "net/net.h"

#include <libwebsockets.h>
#include <stdatomic.h>

enum {
    NET_TOKEN_BYTES = 32, // of randomness; twice as many digits
    NET_TOKEN_DIGITS = 2 * NET_TOKEN_BYTES,
    NET_SEND_BYTES = 1 << 16, // that one fragment holds
    NET_HEADER_BYTES = 8192,  // of a request
};

// A file of the page, kept in memory.
typedef struct net_file {
    char *path; // as it is asked for: "/assets/main.js"
    const char *type;
    size_t size;
    char *bytes;
} net_file;

typedef struct net_files {
    uint32_t count;
    net_file *items;
} net_files;

// Reads all files below a folder. Fails where there is no index.html among them.
sn_status net_files_read(const char *folder, net_files *files, sn_error *error);
void net_files_free(net_files *files);
const net_file *net_files_find(const net_files *files, const char *path, size_t size);

// An answer that is being sent: lws keeps one for each http connection.
typedef struct net_answer {
    const uint8_t *bytes;
    size_t size, sent;
} net_answer;

// A page: lws keeps one for each socket.
typedef struct net_page {
    struct net_page *next; // of the net's list
    struct lws *socket;
    uint32_t number; // at the desk
    bool joined;
    uint16_t close_code; // 0: stays open
    const char *close_reason;
    uint8_t *message; // what has come of the present one
    size_t message_size, message_capacity;
    wire_packet *packet; // what is being sent, NULL for nothing
    size_t sent;
} net_page;

// Connections that have not shown the token, the oldest first.
typedef struct net_strangers {
    uint32_t count;
    struct {
        struct lws *connection;
        double since; // app_clock
    } items[NET_MAX_STRANGERS];
    lws_sorted_usec_list_t timer;
} net_strangers;

struct net_server {
    struct lws_context *context;
    struct lws_vhost *host;
    desk *desk; // while it runs
    net_files files;
    net_page *pages;
    uint32_t page_count;
    net_strangers strangers;
    uint16_t port, request_s;
    atomic_bool stopping;
    lws_retry_bo_t idle;
    char token[NET_TOKEN_DIGITS + 1];
    char code[NET_TOKEN_DIGITS + 1]; // leads to the token once; "": it has
    char key[NET_TOKEN_DIGITS + 1];  // of the page's files, in a cookie
    char address[64 + NET_TOKEN_DIGITS], opening_address[64 + NET_TOKEN_DIGITS];
    char policy[512]; // Content-Security-Policy
    struct lws_protocol_vhost_options headers[8];
    uint8_t *send_buffer; // LWS_PRE + NET_SEND_BYTES
};

// Once the port is known. `folder`: where the token of a port is kept; NULL: nowhere.
sn_status net_make_tokens(net_server *net, const char *folder, sn_error *error);
void net_forget_token(const char *folder, uint16_t port);

// The guard. Each answers for a request whose headers have come.
void net_set_headers(net_server *net); // once the port is known
bool net_host_is_ours(const net_server *net, struct lws *request);
bool net_origin_is_ours(const net_server *net, struct lws *request);
bool net_token_is_right(const net_server *net, struct lws *request);
// The files of the page are asked for with a cookie, as no address within it holds the token. What
// it holds opens nothing else: browsers show a cookie of 127.0.0.1 to all ports.
void net_write_cookie(const net_server *net, char *text, size_t size);
bool net_key_is_right(const net_server *net, struct lws *request);
bool net_takes_code(net_server *net, struct lws *request); // it is right, and used up now
// NULL where a socket may be opened, else why not.
const char *net_refuse_socket(const net_server *net, struct lws *request);

void net_stranger_comes(net_server *net, struct lws *connection);
// It has shown the token, or is gone.
void net_stranger_ends(net_server *net, const struct lws *connection);

// Callbacks; their value goes to lws: not 0 closes the connection.
int net_http_request(net_server *net, struct lws *request, net_answer *answer, const char *path,
                     size_t size);
int net_http_send(net_server *net, struct lws *request, net_answer *answer);
// Answers with one line of text, and closes.
int net_http_refuse(struct lws *request, unsigned status, const char *line);

int net_page_open(net_server *net, struct lws *socket, net_page *page);
int net_page_receive(net_server *net, net_page *page, const uint8_t *bytes, size_t size);
int net_page_send(net_server *net, net_page *page);
void net_page_gone(net_server *net, net_page *page);
// Says good-bye as soon as the socket takes it.
void net_page_close(net_page *page, uint16_t code, const char *reason);

#endif
