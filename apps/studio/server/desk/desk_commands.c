// SPDX-License-Identifier: Apache-2.0
//
// From a message to a command: parsing, looking it up, answering.
#include "desk/desk_internal.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Arguments

sn_status desk_argument_string(const desk_request *request, const char *key, const char **string,
                               sn_error *error) {
    *string = sn_value_string(sn_value_get(request->args, key), NULL);
    return *string ? SN_OK : desk_fail(error, SN_INVALID, key, "`%s` must be a text", key);
}

sn_status desk_argument_number(const desk_request *request, const char *key, double low,
                               double high, double *number, sn_error *error) {
    *number = sn_value_number(sn_value_get(request->args, key), NAN);
    if (!(*number >= low && *number <= high)) {
        return desk_fail(error, SN_INVALID, key, "`%s` must be a number from %g to %g", key, low,
                         high);
    }
    return SN_OK;
}

sn_status desk_argument_index(const desk_request *request, const char *key, uint32_t *index,
                              sn_error *error) {
    double number = 0;
    *index = 0;
    sn_status status = desk_argument_number(request, key, 0, UINT32_MAX - 1.0, &number, error);
    if (status != SN_OK) {
        return status;
    }
    if (number != floor(number)) {
        return desk_fail(error, SN_INVALID, key, "`%s` must be a whole number", key);
    }
    *index = (uint32_t)number;
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Dispatch

static desk_run_fn *find_command(const char *name) {
    for (uint32_t i = 0; i < desk_topic_count; ++i) {
        for (uint32_t k = 0; k < desk_topics[i]->command_count; ++k) {
            if (strcmp(desk_topics[i]->commands[k].name, name) == 0) {
                return desk_topics[i]->commands[k].run;
            }
        }
    }
    return NULL;
}

static void answer_at_once(desk *desk, desk_request *request, const sn_json *ok,
                           const sn_error *error) {
    desk_ticket *ticket = desk_answer_later(desk, request);
    desk_answer(desk, ticket, ok, error);
}

// The server's own request, whose error no page waits for.
static void tell_own_error(desk *desk, const sn_error *error) {
    char text[1100];
    sn_error_format(error, text, sizeof text);
    desk_notice(desk, DESK_ALL_PAGES, "warning", "%s", text);
}

static void run_request(desk *desk, desk_request *request, sn_json *answer) {
    sn_error error = {0};
    desk_run_fn *run = request->name ? find_command(request->name) : NULL;
    sn_status status = SN_OK;
    if (!request->name) {
        status = desk_fail(&error, SN_INVALID, "do", "`do` must be the name of a command");
    } else if (!run) {
        status = desk_fail(&error, SN_INVALID, "do", "there is no command \"%s\"", request->name);
    } else {
        status = run(desk, request, answer, sn_json_root(answer), &error);
    }
    if (status != SN_OK) {
        error.status = status; // where nobody said more than that it failed
    }
    if (status != SN_OK && request->page == 0) {
        tell_own_error(desk, &error);
    } else if (!request->later) {
        answer_at_once(desk, request, answer, status == SN_OK ? NULL : &error);
    }
}

static desk_request read_request(uint32_t page, const sn_json *message) {
    const sn_value *root = sn_json_root(message);
    const sn_value *id = sn_value_get(root, "id");
    return (desk_request){
        .page = page,
        .has_id = id && id->type == SN_JSON_NUMBER,
        .id = sn_value_number(id, 0),
        .name = sn_value_string(sn_value_get(root, "do"), NULL),
        .args = root,
    };
}

// What is a request, and can be answered by its id where it has one.
static sn_status check_message(const sn_json *message, sn_error *error) {
    const sn_value *root = sn_json_root(message);
    const sn_value *id = sn_value_get(root, "id");
    if (root->type != SN_JSON_OBJECT) {
        return desk_fail(error, SN_INVALID, "", "a message must be an object");
    }
    if (id && id->type != SN_JSON_NUMBER) {
        return desk_fail(error, SN_INVALID, "id", "`id` must be a number");
    }
    if (!id && !sn_value_string(sn_value_get(root, "do"), NULL)) {
        return desk_fail(error, SN_INVALID, "do", "`do` must be the name of a command");
    }
    return SN_OK;
}

void desk_dispatch(desk *desk, uint32_t page, const char *text, size_t size) {
    sn_json *message = NULL, *answer = NULL;
    sn_error error = {0};
    sn_status status = SN_OK;
    SN_TRY(sn_json_parse(desk->context, text, size, &message, &error));
    SN_TRY(check_message(message, &error));
    SN_TRY(sn_json_create(desk->context, &answer, &error));
    desk_request request = read_request(page, message);
    run_request(desk, &request, answer);
cleanup:
    if (status != SN_OK) {
        desk_refuse(desk, page, &error);
    }
    sn_json_destroy(answer);
    sn_json_destroy(message);
}

void desk_dispatch_bytes(desk *desk, uint32_t page, const void *bytes, size_t size) {
    for (uint32_t i = 0; i < desk_topic_count; ++i) {
        if (desk_topics[i]->receive_bytes &&
            desk_topics[i]->receive_bytes(desk, page, bytes, size)) {
            return;
        }
    }
    sn_error error = {0};
    desk_fail(&error, SN_INVALID, "", "a binary message must be a chunk of an upload");
    desk_refuse(desk, page, &error);
}

void desk_dispatch_leave(desk *desk, uint32_t page) {
    for (uint32_t i = 0; i < desk_topic_count; ++i) {
        if (desk_topics[i]->leave) {
            desk_topics[i]->leave(desk, page);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Topics

sn_status desk_topics_create(desk *desk, const desk_desc *desc, sn_error *error) {
    for (uint32_t i = 0; i < desk_topic_count; ++i) {
        desk->topics_created = i + 1; // also where it fails: what was made of it is destroyed
        sn_status status =
            desk_topics[i]->create ? desk_topics[i]->create(desk, desc, error) : SN_OK;
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

void desk_topics_destroy(desk *desk) {
    while (desk->topics_created > 0) {
        const desk_topic *topic = desk_topics[--desk->topics_created];
        if (topic->destroy) {
            topic->destroy(desk);
        }
    }
}

sn_status desk_topics_welcome(desk *desk, sn_json *json, sn_value *welcome, sn_error *error) {
    for (uint32_t i = 0; i < desk_topic_count; ++i) {
        sn_status status =
            desk_topics[i]->welcome ? desk_topics[i]->welcome(desk, json, welcome, error) : SN_OK;
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

void desk_topics_stop(desk *desk) {
    for (uint32_t i = 0; i < desk->topics_created; ++i) {
        if (desk_topics[i]->stop) {
            desk_topics[i]->stop(desk);
        }
    }
}

void desk_topics_tick(desk *desk) {
    for (uint32_t i = 0; i < desk->topics_created; ++i) {
        if (desk_topics[i]->tick) {
            desk_topics[i]->tick(desk);
        }
    }
}
