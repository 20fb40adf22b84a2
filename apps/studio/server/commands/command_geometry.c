// SPDX-License-Identifier: Apache-2.0
//
// Commands: view, geometry, ack.
#include "commands/commands.h"
#include "player/player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Numbers of surfaces; malloc'd.
static sn_status read_surfaces(const desk_request *request, uint32_t **surfaces, uint32_t *count,
                               sn_error *error) {
    const sn_value *list = sn_value_get(request->args, "surfaces");
    if (!list || list->type != SN_JSON_ARRAY) {
        return desk_fail(error, SN_INVALID, "surfaces", "`surfaces` must be an array of numbers");
    }
    uint32_t *numbers = malloc(((size_t)sn_value_count(list) + 1) * sizeof *numbers);
    if (!numbers) {
        return app_fail_memory(error);
    }
    for (uint32_t i = 0; i < sn_value_count(list); ++i) {
        double number = sn_value_number(sn_value_at(list, i), -1);
        if (!(number >= 0 && number < SN_NONE && number == floor(number))) {
            free(numbers);
            return desk_fail(error, SN_INVALID, "surfaces",
                             "`surfaces` must be an array of whole numbers");
        }
        numbers[i] = (uint32_t)number;
    }
    *surfaces = numbers;
    *count = sn_value_count(list);
    return SN_OK;
}

// A surface is sent once, however often it is named.
static int compare_numbers(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t sort_surfaces(uint32_t *surfaces, uint32_t count) {
    uint32_t kept = 0;
    qsort(surfaces, count, sizeof *surfaces, compare_numbers);
    for (uint32_t i = 0; i < count; ++i) {
        if (kept == 0 || surfaces[i] != surfaces[kept - 1]) {
            surfaces[kept++] = surfaces[i];
        }
    }
    return kept;
}

static sn_status read_quantity(const desk_request *request, packet_view *view, sn_error *error) {
    const sn_value *quantity = sn_value_get(request->args, "quantity");
    if (!quantity || quantity->type == SN_JSON_NULL) {
        return SN_OK;
    }
    const char *name = sn_value_string(sn_value_get(quantity, "name"), "");
    const char *segment = sn_value_string(sn_value_get(quantity, "segment"), NULL);
    view->quantity = sn_quantity_find(name);
    view->segment = desk_copy_string(segment);
    double deformer = sn_value_number(sn_value_get(quantity, "deformer"), SN_NONE);
    view->deformer = deformer >= 0 && deformer < SN_NONE ? (uint32_t)deformer : SN_NONE;
    if (view->quantity == SN_QUANTITY_NONE && strcmp(name, "none") != 0) {
        return desk_fail(error, SN_INVALID, "quantity", "there is no quantity \"%s\"", name);
    }
    return segment && !view->segment ? app_fail_memory(error) : SN_OK;
}

static bool read_vector(const sn_value *slice, const char *name, double vector[3]) {
    const sn_value *list = sn_value_get(slice, name);
    bool whole = list && list->type == SN_JSON_ARRAY && sn_value_count(list) == 3;
    for (uint32_t k = 0; k < 3 && whole; ++k) {
        vector[k] = sn_value_number(sn_value_at(list, k), NAN);
        whole = isfinite(vector[k]);
    }
    return whole;
}

static bool read_side(const sn_value *slice, const char *name, uint32_t *side) {
    double number = sn_value_number(sn_value_get(slice, name), -1);
    bool fits = number >= 2 && number <= PACKET_SLICE_SIDE && number == floor(number);
    *side = fits ? (uint32_t)number : 0;
    return fits;
}

static sn_status read_slice(const desk_request *request, packet_slice *slice, sn_error *error) {
    const sn_value *given = sn_value_get(request->args, "slice");
    if (!given || given->type == SN_JSON_NULL) {
        return SN_OK;
    }
    if (!read_side(given, "columns", &slice->columns) || !read_side(given, "rows", &slice->rows)) {
        return desk_fail(error, SN_INVALID, "slice",
                         "`columns` and `rows` of a slice must be whole numbers from 2 to %d",
                         PACKET_SLICE_SIDE);
    }
    if (!read_vector(given, "origin", slice->origin) || !read_vector(given, "u", slice->u) ||
        !read_vector(given, "v", slice->v)) {
        return desk_fail(error, SN_INVALID, "slice",
                         "`origin`, `u` and `v` of a slice must be three numbers each");
    }
    const char *segment = sn_value_string(sn_value_get(given, "segment"), NULL);
    slice->segment = desk_copy_string(segment);
    return segment && !slice->segment ? app_fail_memory(error) : SN_OK;
}

static sn_status run_view(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    desk_slot *slot = NULL;
    packet_view view = {0};
    (void)answer, (void)ok;
    sn_status status = SN_OK;
    SN_TRY(desk_argument_slot(desk, request, false, &slot, error));
    SN_TRY(read_surfaces(request, &view.surfaces, &view.count, error));
    SN_TRY(read_quantity(request, &view, error));
    SN_TRY(read_slice(request, &view.slice, error));
    view.count = sort_surfaces(view.surfaces, view.count);
    view.still = sn_value_bool(sn_value_get(request->args, "still"), false);
    double number = sn_value_number(sn_value_get(request->args, "number"), 0);
    view.number = number > 0 && number < SN_NONE ? (uint32_t)number : 0;
    return player_set_view(*desk_player_of(desk), request->page, slot->index, &view, error);
cleanup:
    packet_view_deinit(&view);
    return status;
}

static sn_status run_geometry(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                              sn_error *error) {
    desk_slot *slot = NULL;
    uint32_t *surfaces = NULL, count = 0;
    wire_packet *packet = NULL;
    packet_head head = {.kind = PACKET_GEOMETRY};
    (void)answer, (void)ok;
    sn_status status = SN_OK;
    SN_TRY(desk_argument_slot(desk, request, false, &slot, error));
    SN_TRY(desk_argument_index(request, "model", &head.model, error));
    SN_TRY(read_surfaces(request, &surfaces, &count, error));
    head.slot = slot->index;
    count = sort_surfaces(surfaces, count);
    SN_TRY(player_geometry(*desk_player_of(desk), &head, surfaces, count, &packet, error));
    if (packet->size > LETTER_BYTES_LIMIT) {
        free(packet); // no page could take it, and each that is dropped would ask again
        SN_TRY(desk_fail(error, SN_LIMIT, "surfaces",
                         "%u surfaces are too large to be shown at once (more than 512 MiB)",
                         count));
    }
    desk_send_packet(desk, request->page, packet);
cleanup:
    free(surfaces);
    return status;
}

static sn_status run_ack(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                         sn_error *error) {
    uint32_t serial = 0;
    (void)answer, (void)ok;
    sn_status status = SN_OK;
    SN_TRY(desk_argument_index(request, "serial", &serial, error));
    player_acknowledge(*desk_player_of(desk), request->page, serial);
cleanup:
    return status;
}

static const desk_command commands[] = {
    {"view", run_view},
    {"geometry", run_geometry},
    {"ack", run_ack},
};

const desk_topic desk_geometry_topic = {
    .commands = commands,
    .command_count = sizeof commands / sizeof commands[0],
    .create = player_create,
    .destroy = player_destroy,
    .leave = player_forget_page,
    .take = player_take,
};
