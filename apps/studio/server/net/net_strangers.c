// SPDX-License-Identifier: Apache-2.0
//
// Connections that have not shown the token. Each has few seconds for its request, however slowly
// its bytes come. They are few: where one more comes the oldest has to go, so that a crowd that
// waits keeps nobody out whose request comes at once.
#include "net/net_internal.h"

#include "common/common.h"

#include <string.h>

// How often the time of strangers is looked at.
static const lws_usec_t watch_us = LWS_US_PER_SEC / 4;

static void remove_at(net_strangers *strangers, uint32_t index) {
    --strangers->count;
    memmove(&strangers->items[index], &strangers->items[index + 1],
            (strangers->count - index) * sizeof *strangers->items);
}

// The oldest stands first.
static void close_oldest(net_strangers *strangers) {
    lws_set_timeout(strangers->items[0].connection, PENDING_TIMEOUT_HTTP_CONTENT,
                    LWS_TO_KILL_ASYNC);
    remove_at(strangers, 0);
}

static void watch(lws_sorted_usec_list_t *timer) {
    net_strangers *strangers = lws_container_of(timer, net_strangers, timer);
    net_server *net = lws_container_of(strangers, net_server, strangers);
    double oldest = app_clock() - net->request_s;
    while (strangers->count > 0 && strangers->items[0].since < oldest) {
        close_oldest(strangers);
    }
    if (strangers->count > 0) {
        lws_sul_schedule(net->context, 0, timer, watch, watch_us);
    }
}

void net_stranger_comes(net_server *net, struct lws *connection) {
    net_strangers *strangers = &net->strangers;
    if (strangers->count == NET_MAX_STRANGERS) {
        close_oldest(strangers);
    }
    if (strangers->count == 0) {
        lws_sul_schedule(net->context, 0, &strangers->timer, watch, watch_us);
    }
    strangers->items[strangers->count].connection = connection;
    strangers->items[strangers->count++].since = app_clock();
}

void net_stranger_ends(net_server *net, const struct lws *connection) {
    for (uint32_t i = 0; i < net->strangers.count; ++i) {
        if (net->strangers.items[i].connection == connection) {
            remove_at(&net->strangers, i);
            return;
        }
    }
}
