// SPDX-License-Identifier: Apache-2.0
//
// The studio's door: serves the page and a socket on the loopback address, and carries messages
// between pages and the desk. It knows nothing of characters.
//
// Who may come in: requests that name this address in Host (no other name that some site let point
// here) and hold the token, which only the printed address has, or, for files of the page, the
// cookie that the page was given; a socket's Origin must be this address as well.
#ifndef SINEW_STUDIO_NET_H
#define SINEW_STUDIO_NET_H

#include "wire/pages.h"

#include "sinew/base.h"

enum {
    NET_MAX_PAGES = 16,
    NET_MAX_STRANGERS = 32,    // connections that have not shown the token
    NET_MAX_MESSAGE = 1 << 20, // bytes of a chunk of an upload, or of a text before `hello`
    NET_MAX_TEXT = 32 << 20,   // bytes of a text of a page that said hello: weights of a large skin
    NET_STANDARD_PORT = 7373,
};

typedef struct net_desc {
    const char *web;       // folder of the built page; all of it is read at once
    const char *tokens;    // private folder that keeps the token of each port; NULL: it is new
    uint16_t port;         // 0: any that is free
    bool port_or_next;     // where the port is taken, the next that is free
    uint16_t request_s;    // in which a request must have come whole; 0: 5 s
    uint16_t ping_after_s; // a page that said nothing for so long is asked; 0: 60 s
    uint16_t drop_after_s; // one that said nothing for so long is gone; 0: 90 s
} net_desc;

typedef struct net_server net_server;

// Reads the page's files and opens the port: whoever comes from now on waits for net_run. Fails
// where the folder holds no page, or the port is taken.
sn_status net_create(const net_desc *desc, net_server **made, sn_error *error);
void net_destroy(net_server *net);

// http://127.0.0.1:PORT/?token=TOKEN
const char *net_address(const net_server *net);

uint16_t net_port(const net_server *net);

// http://127.0.0.1:PORT/?open=CODE leads to that address the first time it is asked for, and never
// again. It is what a browser is started with: all users of the machine see the words of a command.
const char *net_opening_address(const net_server *net);

// Serves until net_stop. All pages have left the desk when it returns.
sn_status net_run(net_server *net, desk *desk, sn_error *error);

// From any thread: ends net_run.
void net_stop(net_server *net);

// From any thread, while the net lives: something waits at the desk. It fits desk_desc.wake.
void net_wake(void *net);

#endif
