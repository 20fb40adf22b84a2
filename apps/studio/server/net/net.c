// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "net/net_internal.h"

#include "common/common.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    PORTS_TRIED = 100,
    CONNECTION_LIMIT = 256, // open files of lws: pages, requests, half-open connections
    REQUEST_SECONDS = 5,
    PING_SECONDS = 60,
    DROP_SECONDS = 90,
    GOODBYE_SECONDS = 1, // for pages to hear that the studio ends
};

// ---------------------------------------------------------------------------------------------
// What lws has to say

static int handle_http(struct lws *request, enum lws_callback_reasons reason, void *user, void *in,
                       size_t size);
static int handle_page(struct lws *socket, enum lws_callback_reasons reason, void *user, void *in,
                       size_t size);

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = handle_http, .per_session_data_size = sizeof(net_answer)},
    {.name = "sinew-studio-1",
     .callback = handle_page,
     .per_session_data_size = sizeof(net_page),
     .rx_buffer_size = NET_SEND_BYTES},
    {0},
};

static net_server *net_of(struct lws *connection) {
    return lws_context_user(lws_get_context(connection));
}

static void ask_all_pages(net_server *net) {
    for (net_page *page = net->pages; page != NULL; page = page->next) {
        lws_callback_on_writable(page->socket);
    }
}

static int confirm_upgrade(net_server *net, struct lws *request, const char *kind) {
    // lws would also go on to HTTP/2.
    if (strcasecmp(kind, "websocket") != 0) {
        return -1;
    }
    const char *refusal = net_refuse_socket(net, request);
    if (refusal != NULL) {
        net_http_refuse(request, HTTP_STATUS_FORBIDDEN, refusal);
        return -1;
    }
    return 0;
}

static int handle_http(struct lws *request, enum lws_callback_reasons reason, void *user, void *in,
                       size_t size) {
    switch (reason) {
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return confirm_upgrade(net_of(request), request, in);
    case LWS_CALLBACK_HTTP: return net_http_request(net_of(request), request, user, in, size);
    case LWS_CALLBACK_HTTP_WRITEABLE: return net_http_send(net_of(request), request, user);
    // Of CONNECT requests, lws makes raw connections.
    case LWS_CALLBACK_RAW_ADOPT:
    case LWS_CALLBACK_RAW_CONNECTED:
    case LWS_CALLBACK_RAW_RX:
    case LWS_CALLBACK_HTTP_BODY: return -1;
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        net_stranger_comes(net_of(request), request);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY: net_stranger_ends(net_of(request), request); return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: ask_all_pages(net_of(request)); return 0;
    default: return 0;
    }
}

static int handle_page(struct lws *socket, enum lws_callback_reasons reason, void *user, void *in,
                       size_t size) {
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED: return net_page_open(net_of(socket), socket, user);
    case LWS_CALLBACK_RECEIVE: return net_page_receive(net_of(socket), user, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE: return net_page_send(net_of(socket), user);
    case LWS_CALLBACK_CLOSED: net_page_gone(net_of(socket), user); return 0;
    default: return 0;
    }
}

// lws has one log for the whole process. Errors are rare and short; the rest is not for users.
static void print_log(int level, const char *line) {
    (void)level;
    fprintf(stderr, "sinew studio: %.*s\n", (int)strcspn(line, "\n"), line);
}

static void be_silent(int level, const char *line) {
    (void)level;
    (void)line;
}

// ---------------------------------------------------------------------------------------------
// Opening

// 0 where a port is free, else errno.
static int try_port(uint16_t port) {
    int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0) {
        return errno;
    }
    int yes = 1;
    setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int problem = bind(probe, (struct sockaddr *)&address, sizeof address) == 0 ? 0 : errno;
    close(probe);
    return problem;
}

static bool open_port(net_server *net, uint16_t port) {
    const struct lws_context_creation_info info = {
        .port = port,
        .iface = "127.0.0.1",
        .protocols = protocols,
        .headers = &net->headers[6],
        .retry_and_idle_policy = &net->idle,
        .keepalive_timeout = net->request_s,
        .timeout_secs_ah_idle = net->request_s,
        .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND | LWS_SERVER_OPTION_DISABLE_IPV6,
        .vhost_name = "studio",
    };
    net->host = lws_create_vhost(net->context, &info);
    if (net->host != NULL) {
        net->port = (uint16_t)lws_get_vhost_listen_port(net->host);
    }
    return net->host != NULL;
}

static sn_status find_port(net_server *net, const net_desc *desc, sn_error *error) {
    uint32_t last = desc->port + (desc->port_or_next && desc->port != 0 ? PORTS_TRIED - 1 : 0);
    int problem = 0;
    for (uint32_t port = desc->port; port <= last && port <= UINT16_MAX; ++port) {
        problem = try_port((uint16_t)port);
        if (problem == 0 && open_port(net, (uint16_t)port)) {
            return SN_OK;
        }
        problem = problem != 0 ? problem : EADDRINUSE;
        if (problem != EADDRINUSE) {
            break;
        }
        // Pages that look for the studio here have told their token to who has the port now.
        net_forget_token(desc->tokens, (uint16_t)port);
    }
    if (desc->port_or_next && problem == EADDRINUSE) {
        return app_fail(error, SN_IO, NULL, "the ports from %u to %u of 127.0.0.1 are taken",
                        desc->port, last);
    }
    return app_fail(error, SN_IO, NULL, "cannot listen on port %u of 127.0.0.1: %s", desc->port,
                    problem == EADDRINUSE ? "another program uses it" : strerror(problem));
}

static sn_status make_context(net_server *net, sn_error *error) {
    // A place for the headers of each connection: lws forgets that one that waits for a place shall
    // be closed.
    const struct lws_context_creation_info info = {
        .user = net,
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_VALIDATE_UTF8,
        .fd_limit_per_thread = CONNECTION_LIMIT,
        .max_http_header_pool = CONNECTION_LIMIT,
        .max_http_header_data = NET_HEADER_BYTES,
        .timeout_secs = net->request_s,
        .timeout_secs_ah_idle = net->request_s,
        .pt_serv_buf_size = NET_SEND_BYTES,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
    };
    net->context = lws_create_context(&info);
    return net->context != NULL ? SN_OK
                                : app_fail(error, SN_IO, NULL, "no connections can be opened");
}

static sn_status open_net(net_server *net, const net_desc *desc, sn_error *error) {
    net->request_s = desc->request_s != 0 ? desc->request_s : REQUEST_SECONDS;
    net->idle.secs_since_valid_ping = desc->ping_after_s != 0 ? desc->ping_after_s : PING_SECONDS;
    net->idle.secs_since_valid_hangup = desc->drop_after_s != 0 ? desc->drop_after_s : DROP_SECONDS;
    net->send_buffer = malloc(LWS_PRE + NET_SEND_BYTES);
    sn_status status = SN_OK;
    SN_TRY(net->send_buffer != NULL ? SN_OK : app_fail_memory(error));
    SN_TRY(net_files_read(desc->web, &net->files, error));
    // That a port is taken is not worth a line in the log: the next one is tried.
    lws_set_log_level(LLL_ERR, be_silent);
    net_set_headers(net);
    SN_TRY(make_context(net, error));
    SN_TRY(find_port(net, desc, error));
    SN_TRY(net_make_tokens(net, desc->port != 0 ? desc->tokens : NULL, error));
    net_set_headers(net);
    snprintf(net->address, sizeof net->address, "http://127.0.0.1:%u/?token=%s", net->port,
             net->token);
    snprintf(net->opening_address, sizeof net->opening_address, "http://127.0.0.1:%u/?open=%s",
             net->port, net->code);
cleanup:
    lws_set_log_level(LLL_ERR, print_log);
    return status;
}

sn_status net_create(const net_desc *desc, net_server **made, sn_error *error) {
    *made = NULL;
    net_server *opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        return app_fail_memory(error);
    }
    sn_status status = open_net(opened, desc, error);
    if (status != SN_OK) {
        net_destroy(opened);
        return status;
    }
    *made = opened;
    return SN_OK;
}

void net_destroy(net_server *net) {
    if (net == NULL) {
        return;
    }
    if (net->context != NULL) {
        lws_context_destroy(net->context);
    }
    net_files_free(&net->files);
    free(net->send_buffer);
    free(net);
}

const char *net_address(const net_server *net) {
    return net->address;
}

uint16_t net_port(const net_server *net) {
    return net->port;
}

const char *net_opening_address(const net_server *net) {
    return net->opening_address;
}

// ---------------------------------------------------------------------------------------------
// Running

void net_wake(void *user) {
    lws_cancel_service(((net_server *)user)->context);
}

void net_stop(net_server *net) {
    atomic_store(&net->stopping, true);
    net_wake(net);
}

// Whoever does not take the good-bye is left without one.
static void say_goodbye(net_server *net) {
    double until = app_clock() + GOODBYE_SECONDS;
    for (net_page *page = net->pages; page != NULL; page = page->next) {
        net_page_close(page, LWS_CLOSE_STATUS_GOINGAWAY, "the studio is closing");
    }
    while (net->pages != NULL && app_clock() < until) {
        lws_service(net->context, -1); // what is ready, without waiting
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    for (net_page *page = net->pages; page != NULL; page = page->next) {
        if (page->joined) {
            desk_leave(net->desk, page->number);
            page->joined = false;
            --net->page_count;
        }
    }
}

sn_status net_run(net_server *net, desk *at, sn_error *error) {
    net->desk = at;
    int result = 0;
    while (!atomic_load(&net->stopping) && result >= 0) {
        result = lws_service(net->context, 0);
    }
    say_goodbye(net);
    net->desk = NULL;
    return result >= 0 ? SN_OK : app_fail(error, SN_IO, NULL, "the connections broke down");
}
