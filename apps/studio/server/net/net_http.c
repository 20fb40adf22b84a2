// SPDX-License-Identifier: Apache-2.0
//
// Answers to plain requests: files of the table, or one line that says why not.
#include "net/net_internal.h"

#include <string.h>

enum { HEADER_BYTES = 2048, SENDS_IN_A_ROW = 8 };

// `cookie` may be NULL.
static int write_header(struct lws *request, unsigned status, const char *type, size_t size,
                        const char *cookie) {
    uint8_t buffer[LWS_PRE + HEADER_BYTES];
    uint8_t *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof buffer - 1;
    if (lws_add_http_common_headers(request, status, type, size, &at, end) != 0 ||
        (cookie != NULL &&
         lws_add_http_header_by_token(request, WSI_TOKEN_HTTP_SET_COOKIE, (const uint8_t *)cookie,
                                      (int)strlen(cookie), &at, end) != 0) ||
        lws_finalize_write_http_header(request, start, &at, end) != 0) {
        return -1;
    }
    return 0;
}

int net_http_refuse(struct lws *request, unsigned status, const char *line) {
    uint8_t buffer[LWS_PRE + 256];
    char *text = (char *)buffer + LWS_PRE;
    int size = snprintf(text, sizeof buffer - LWS_PRE, "%s\n", line);
    if (write_header(request, status, "text/plain; charset=utf-8", (size_t)size, NULL) == 0) {
        lws_write(request, (uint8_t *)text, (size_t)size, LWS_WRITE_HTTP_FINAL);
    }
    return -1;
}

static int send_elsewhere(struct lws *request, const char *address) {
    uint8_t buffer[LWS_PRE + HEADER_BYTES];
    uint8_t *at = buffer + LWS_PRE;
    int sent = lws_http_redirect(request, HTTP_STATUS_SEE_OTHER, (const uint8_t *)address,
                                 (int)strlen(address), &at, buffer + sizeof buffer - 1);
    return sent < 0 || lws_http_transaction_completed(request) != 0 ? -1 : 0;
}

static int answer_file(struct lws *request, net_answer *answer, const net_file *file, bool head,
                       const char *cookie) {
    if (write_header(request, HTTP_STATUS_OK, file->type, file->size, cookie) != 0) {
        return -1;
    }
    *answer = (net_answer){.bytes = (const uint8_t *)file->bytes, .size = head ? 0 : file->size};
    if (answer->size == 0) {
        return lws_http_transaction_completed(request) != 0 ? -1 : 0;
    }
    lws_callback_on_writable(request);
    return 0;
}

int net_http_request(net_server *net, struct lws *request, net_answer *answer, const char *path,
                     size_t size) {
    char *uri;
    int uri_size;
    int method = lws_http_get_uri_and_method(request, &uri, &uri_size);
    bool is_index = size == 1 && path[0] == '/';
    if (!net_host_is_ours(net, request)) {
        return net_http_refuse(request, HTTP_STATUS_FORBIDDEN,
                               "this is not an address of the studio");
    }
    if (method != LWSHUMETH_GET && method != LWSHUMETH_HEAD) {
        return net_http_refuse(request, HTTP_STATUS_METHOD_NOT_ALLOWED,
                               "the studio answers GET requests only");
    }
    if (is_index && method == LWSHUMETH_GET && net_takes_code(net, request)) {
        return send_elsewhere(request, net->address);
    }
    bool has_token = net_token_is_right(net, request);
    if (!has_token && (is_index || !net_key_is_right(net, request))) {
        return net_http_refuse(
            request, HTTP_STATUS_FORBIDDEN,
            "the address lacks the right token: use the one that `sinew studio` printed");
    }
    net_stranger_ends(net, request);
    char cookie[NET_TOKEN_DIGITS + 96];
    net_write_cookie(net, cookie, sizeof cookie);
    const net_file *file = is_index ? net_files_find(&net->files, "/index.html", 11)
                                    : net_files_find(&net->files, path, size);
    if (file == NULL) {
        return net_http_refuse(request, HTTP_STATUS_NOT_FOUND, "there is no file of that name");
    }
    return answer_file(request, answer, file, method == LWSHUMETH_HEAD, is_index ? cookie : NULL);
}

int net_http_send(net_server *net, struct lws *request, net_answer *answer) {
    for (int i = 0; i < SENDS_IN_A_ROW && answer->sent < answer->size; ++i) {
        size_t left = answer->size - answer->sent;
        size_t size = left < NET_SEND_BYTES ? left : NET_SEND_BYTES;
        bool last = size == left;
        memcpy(net->send_buffer + LWS_PRE, answer->bytes + answer->sent, size);
        if (lws_write(request, net->send_buffer + LWS_PRE, size,
                      last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)size) {
            return -1;
        }
        answer->sent += size;
        if (last) {
            return lws_http_transaction_completed(request) != 0 ? -1 : 0;
        }
        if (lws_send_pipe_choked(request)) {
            break;
        }
    }
    if (answer->sent < answer->size) {
        lws_callback_on_writable(request);
    }
    return 0;
}
