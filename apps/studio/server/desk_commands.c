// SPDX-License-Identifier: Apache-2.0
//
// From a message to a command: parsing, looking it up, answering.
#include "commands.h"
#include "desk_state.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every topic of the wire. A new one is a file with its table and a line here.
static const desk_topic *const topics[] = {
    &desk_hello_topic, &desk_document_topic, &desk_motion_topic, &desk_geometry_topic,
    &desk_files_topic, &desk_jobs_topic,     &desk_tools_topic,
};
#define TOPIC_COUNT ((uint32_t)(sizeof topics / sizeof topics[0]))

// ---------------------------------------------------------------------------------------------
// Arguments

sn_status desk_fail(sn_error *error, sn_status status, const char *place, const char *format, ...) {
    va_list arguments;
    if (error && error->status == SN_OK) { // the first failure counts
        va_start(arguments, format);
        app_set_error(error, status, "", place, format, arguments);
        va_end(arguments);
    }
    return status;
}

const char desk_stale[] = "stale";
const char desk_changed[] = "changed";
const char desk_exists[] = "exists";

sn_status desk_fail_as(sn_error *error, const char *status, const char *place, const char *format,
                       ...) {
    va_list arguments;
    if (error && error->status == SN_OK) {
        va_start(arguments, format);
        app_set_error(error, SN_INVALID, "", place, format, arguments);
        va_end(arguments);
        error->function = status;
    }
    return SN_INVALID;
}

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
    sn_status status = desk_argument_number(request, key, 0, UINT32_MAX - 1.0, &number, error);
    if (status == SN_OK && number != floor(number)) {
        return desk_fail(error, SN_INVALID, key, "`%s` must be a whole number", key);
    }
    *index = status == SN_OK ? (uint32_t)number : 0;
    return status;
}

sn_status desk_argument_slot(desk *desk, const desk_request *request, bool must_be_open,
                             desk_slot **slot, sn_error *error) {
    uint32_t index = 0;
    sn_status status = sn_value_get(request->args, "slot")
                           ? desk_argument_index(request, "slot", &index, error)
                           : SN_OK;
    if (status != SN_OK) {
        return status;
    }
    *slot = desk_slot_at(desk, index);
    if (!*slot) {
        return desk_fail(error, SN_INVALID, "slot", "`slot` must be below %d", DESK_SLOTS);
    }
    if (must_be_open && !(*slot)->character) {
        return desk_fail(error, SN_INVALID, "slot", "no document is open in slot %u", index);
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Dispatch

static desk_run_fn *find_command(const char *name) {
    for (uint32_t i = 0; i < TOPIC_COUNT; ++i) {
        for (uint32_t k = 0; k < topics[i]->command_count; ++k) {
            if (strcmp(topics[i]->commands[k].name, name) == 0) {
                return topics[i]->commands[k].run;
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

static void refuse_message(desk *desk, uint32_t page, const sn_error *error) {
    char text[1100];
    sn_error_format(error, text, sizeof text);
    desk_notice(desk, page, "warning", "A message was not understood: %s", text);
}

void desk_dispatch(desk *desk, uint32_t page, const char *text, size_t size) {
    sn_json *message = NULL, *answer = NULL;
    sn_error error = {0};
    sn_status status = sn_json_parse(desk->context, text, size, &message, &error);
    if (status == SN_OK && sn_json_root(message)->type != SN_JSON_OBJECT) {
        status = desk_fail(&error, SN_INVALID, "", "a message must be an object");
    }
    if (status == SN_OK) {
        status = sn_json_create(desk->context, &answer, &error);
    }
    if (status == SN_OK) {
        desk_request request = read_request(page, message);
        run_request(desk, &request, answer);
    } else {
        refuse_message(desk, page, &error);
    }
    sn_json_destroy(answer);
    sn_json_destroy(message);
}

void desk_dispatch_bytes(desk *desk, uint32_t page, const void *bytes, size_t size) {
    for (uint32_t i = 0; i < TOPIC_COUNT; ++i) {
        if (topics[i]->receive_bytes && topics[i]->receive_bytes(desk, page, bytes, size)) {
            return;
        }
    }
    desk_notice(desk, page, "warning", "Bytes were not understood");
}

void desk_dispatch_leave(desk *desk, uint32_t page) {
    for (uint32_t i = 0; i < TOPIC_COUNT; ++i) {
        if (topics[i]->leave) {
            topics[i]->leave(desk, page);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Topics

sn_status desk_topics_create(desk *desk, const desk_desc *desc, sn_error *error) {
    for (uint32_t i = 0; i < TOPIC_COUNT; ++i) {
        sn_status status = topics[i]->create ? topics[i]->create(desk, desc, error) : SN_OK;
        if (status != SN_OK) {
            return status;
        }
        desk->topics_created = i + 1;
    }
    return SN_OK;
}

void desk_topics_destroy(desk *desk) {
    while (desk->topics_created > 0) {
        const desk_topic *topic = topics[--desk->topics_created];
        if (topic->destroy) {
            topic->destroy(desk);
        }
    }
}

sn_status desk_topics_welcome(desk *desk, sn_json *json, sn_value *welcome, sn_error *error) {
    for (uint32_t i = 0; i < TOPIC_COUNT; ++i) {
        sn_status status =
            topics[i]->welcome ? topics[i]->welcome(desk, json, welcome, error) : SN_OK;
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}
