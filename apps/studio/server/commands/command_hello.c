// SPDX-License-Identifier: Apache-2.0
//
// Commands: a page comes, or asks whether anyone is there.
#include "builder/builder.h"
#include "commands/commands.h"
#include "jobs/jobs.h"
#include "player/player.h"
#include "sinew/kinds.h"

#include <math.h>
#include <stdlib.h>

// The schema goes into the tree as a tree, so that the page need not parse a text in a text.
static sn_status add_schema(desk *desk, sn_json *json, sn_value *welcome, sn_error *error) {
    char *text = NULL;
    size_t size = 0;
    sn_json *schema = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_document_schema(desk_context(desk), &text, &size, error));
    SN_TRY(sn_json_parse(desk_context(desk), text, size, &schema, error));
    if (!sn_json_add_copy(json, welcome, "schema", sn_json_root(schema))) {
        SN_TRY(app_fail_memory(error));
    }
cleanup:
    sn_json_destroy(schema);
    sn_json_free_text(desk_context(desk), text);
    return status;
}

static bool add_number(sn_json *json, sn_value *all, const sn_parameter *parameter) {
    sn_value *entry = sn_json_add_object(json, all, parameter->name);
    return sn_json_add_string(json, entry, "description", parameter->help) != NULL &&
           sn_json_add_string(json, entry, "unit", parameter->unit) != NULL &&
           sn_json_add_number(json, entry, "minimum", parameter->low) != NULL &&
           sn_json_add_number(json, entry, "maximum", parameter->high) != NULL &&
           (isnan(parameter->standard) ||
            sn_json_add_number(json, entry, "default", parameter->standard) != NULL);
}

// The numbers that `muscle_add` takes. Some, as `slide`, are no keys of a document, so that its
// schema does not have them.
static sn_status add_drawn(sn_json *json, sn_value *welcome, sn_error *error) {
    sn_value *all = sn_json_add_object(json, welcome, "drawn");
    sn_parameter parameter;
    bool done = all != NULL;
    for (uint32_t i = 0; done && sn_drawn_parameter(i, &parameter); ++i) {
        done = parameter.choices != NULL || add_number(json, all, &parameter);
    }
    return done ? SN_OK : app_fail_memory(error);
}

static sn_status send_welcome(desk *desk, uint32_t page, sn_error *error) {
    sn_json *event = desk_event(desk, "welcome");
    if (!event) {
        return app_fail_memory(error);
    }
    sn_value *welcome = sn_json_root(event);
    sn_json_add_string(event, welcome, "version", SN_VERSION);
    sn_json_add_number(event, welcome, "page", page);
    sn_status status = SN_OK;
    SN_TRY(desk_add_session(desk, event, welcome) ? SN_OK : app_fail_memory(error));
    SN_TRY(add_schema(desk, event, welcome, error));
    SN_TRY(add_drawn(event, welcome, error));
    SN_TRY(desk_topics_welcome(desk, event, welcome, error));
    desk_send(desk, page, event, NULL);
    return SN_OK;
cleanup:
    sn_json_destroy(event);
    return status;
}

static void tell_model(desk *desk, uint32_t page, uint32_t slot) {
    size_t size = 0;
    char *text = player_describe(*desk_player_of(desk), slot, &size);
    if (text) {
        desk_send_text(desk, page, text, size);
        free(text);
    }
    text = builder_error_text(*desk_builder_of(desk), slot, &size);
    if (text) {
        desk_send_text(desk, page, text, size);
        free(text);
    }
}

static void tell_all(desk *desk, uint32_t page) {
    for (uint32_t i = 0; i < DESK_SLOTS; ++i) {
        desk_tell_document(desk, page, desk_slot_at(desk, i));
        tell_model(desk, page, i);
        desk_tell_held(desk, page, i);
    }
    desk_tell_time(desk, page);
    desk_tell_jobs(desk, page);
    desk_tell_kept(desk, page);
}

static sn_status run_hello(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                           sn_error *error) {
    desk_greet(desk, request->page);
    sn_status status = SN_OK;
    SN_TRY(send_welcome(desk, request->page, error));
    tell_all(desk, request->page);
    sn_json_add_number(answer, ok, "page", request->page);
cleanup:
    return status;
}

static sn_status run_ping(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    (void)desk, (void)request, (void)answer, (void)ok, (void)error;
    return SN_OK;
}

static const desk_command commands[] = {
    {"hello", run_hello},
    {"ping", run_ping},
};

const desk_topic desk_hello_topic = {
    .commands = commands,
    .command_count = sizeof commands / sizeof commands[0],
};
