// SPDX-License-Identifier: Apache-2.0
//
// Who may come in, and what the page itself may do.
//
// Any site that a browser shows can send requests to 127.0.0.1, and any name can be made to point
// there. The Host header says by which name we were reached, Origin which site a script comes from;
// both are set by the browser, not by the site. The token keeps out other users of the machine.
#include "net/net_internal.h"

#include <string.h>

static void add_header(net_server *net, uint32_t index, const char *name, const char *value) {
    net->headers[index] = (struct lws_protocol_vhost_options){
        .name = name, .value = value, .next = index > 0 ? &net->headers[index - 1] : NULL};
}

// What the page is made of comes from here alone, nothing of it stands in the markup, and no site
// can frame it. Some browsers do not take 'self' for the socket.
void net_set_headers(net_server *net) {
    snprintf(net->policy, sizeof net->policy,
             "default-src 'none'; script-src 'self'; style-src 'self'; "
             "img-src 'self' data: blob:; font-src 'self'; worker-src 'self'; "
             "connect-src 'self' ws://127.0.0.1:%u ws://localhost:%u; "
             "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
             net->port, net->port);
    add_header(net, 0, "content-security-policy:", net->policy);
    add_header(net, 1, "x-content-type-options:", "nosniff");
    add_header(net, 2, "x-frame-options:", "DENY");
    add_header(net, 3, "referrer-policy:", "no-referrer");
    add_header(net, 4, "cross-origin-opener-policy:", "same-origin");
    add_header(net, 5, "cross-origin-resource-policy:", "same-origin");
    add_header(net, 6, "cache-control:", "no-store");
}

// Whether a header is PREFIX127.0.0.1:PORT or PREFIXlocalhost:PORT. One that is given twice is
// neither.
static bool header_is_ours(const net_server *net, struct lws *request,
                           enum lws_token_indexes header, const char *prefix) {
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char have[80], want[80];
    int length = lws_hdr_copy(request, have, sizeof have, header);
    for (size_t i = 0; i < 2 && length > 0; ++i) {
        snprintf(want, sizeof want, "%s%s:%u", prefix, names[i], net->port);
        if ((size_t)length == strlen(want) && memcmp(have, want, (size_t)length) == 0) {
            return true;
        }
    }
    return false;
}

bool net_host_is_ours(const net_server *net, struct lws *request) {
    return header_is_ours(net, request, WSI_TOKEN_HOST, "");
}

bool net_origin_is_ours(const net_server *net, struct lws *request) {
    return header_is_ours(net, request, WSI_TOKEN_ORIGIN, "http://");
}

// Takes the same time wherever the two differ.
static bool same_bytes(const char *a, const char *b, size_t size) {
    volatile unsigned difference = 0;
    for (size_t i = 0; i < size; ++i) {
        difference |= (unsigned char)a[i] ^ (unsigned char)b[i];
    }
    return difference == 0;
}

static bool argument_is(struct lws *request, const char *name, const char *wanted) {
    char argument[256];
    const char *token = lws_get_urlarg_by_name(request, name, argument, sizeof argument);
    return token != NULL && strlen(token) == NET_TOKEN_DIGITS &&
           strlen(wanted) == NET_TOKEN_DIGITS && same_bytes(token, wanted, NET_TOKEN_DIGITS);
}

bool net_token_is_right(const net_server *net, struct lws *request) {
    return argument_is(request, "token=", net->token);
}

// Cookies of 127.0.0.1 are shared by all ports: each studio has a name of its own.
static int write_cookie_name(const net_server *net, char *text, size_t size) {
    return snprintf(text, size, "sinew-studio-%u=", net->port);
}

void net_write_cookie(const net_server *net, char *text, size_t size) {
    int used = write_cookie_name(net, text, size);
    snprintf(text + used, size - (size_t)used, "%s; Path=/; HttpOnly; SameSite=Strict", net->key);
}

bool net_key_is_right(const net_server *net, struct lws *request) {
    char cookies[NET_HEADER_BYTES], name[32];
    size_t name_size = (size_t)write_cookie_name(net, name, sizeof name);
    int length = lws_hdr_copy(request, cookies, sizeof cookies, WSI_TOKEN_HTTP_COOKIE);
    for (const char *at = length > 0 ? cookies : ""; *at != 0;) {
        at += strspn(at, "; ");
        size_t size = strcspn(at, ";");
        if (size == name_size + NET_TOKEN_DIGITS && memcmp(at, name, name_size) == 0 &&
            same_bytes(at + name_size, net->key, NET_TOKEN_DIGITS)) {
            return true;
        }
        at += size;
    }
    return false;
}

bool net_takes_code(net_server *net, struct lws *request) {
    bool right = argument_is(request, "open=", net->code);
    if (right) {
        net->code[0] = '\0';
    }
    return right;
}

static bool path_is(struct lws *request, const char *path) {
    char *uri;
    int size;
    int method = lws_http_get_uri_and_method(request, &uri, &size);
    return method == LWSHUMETH_GET && (size_t)size == strlen(path) &&
           memcmp(uri, path, (size_t)size) == 0;
}

static bool header_is(struct lws *request, enum lws_token_indexes header, const char *value) {
    char text[80];
    return lws_hdr_copy(request, text, sizeof text, header) > 0 && strcmp(text, value) == 0;
}

const char *net_refuse_socket(const net_server *net, struct lws *request) {
    if (!net_host_is_ours(net, request)) {
        return "this is not an address of the studio";
    }
    if (!net_origin_is_ours(net, request)) {
        return "only the studio's own page may open its socket";
    }
    if (!path_is(request, "/socket")) {
        return "the socket is at /socket";
    }
    if (!net_token_is_right(net, request)) {
        return "the address lacks the right token: use the one that `sinew studio` printed";
    }
    if (!header_is(request, WSI_TOKEN_PROTOCOL, "sinew-studio-1") ||
        !header_is(request, WSI_TOKEN_VERSION, "13")) {
        return "the socket speaks sinew-studio-1 over websocket version 13";
    }
    return NULL;
}
