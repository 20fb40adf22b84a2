// SPDX-License-Identifier: Apache-2.0
//
// Held values. Pages' wishes wait until the player's thread sets them on the frame, which knows
// whether names and numbers are right; then they are answered.
#include "player/player_internal.h"

#include <stdlib.h>
#include <string.h>

void held_list_deinit(held_list *list) {
    for (uint32_t i = 0; i < list->count; ++i) {
        free(list->values[i].name);
    }
    free(list->values);
    *list = (held_list){0};
}

// Without the unit of an angle: forearm.rx_deg and forearm.rx are one parameter.
static size_t length_without_unit(const char *name) {
    size_t length = strlen(name);
    bool degrees = length > strlen(".rx_deg") && strcmp(name + length - 4, "_deg") == 0 &&
                   name[length - 7] == '.' && name[length - 6] == 'r';
    return degrees ? length - strlen("_deg") : length;
}

static bool same_parameter(const char *a, const char *b) {
    size_t length = length_without_unit(a);
    return length == length_without_unit(b) && memcmp(a, b, length) == 0;
}

static void remove_value(held_list *list, const char *name) {
    for (uint32_t i = 0; i < list->count; ++i) {
        if (same_parameter(list->values[i].name, name)) {
            free(list->values[i].name);
            memmove(&list->values[i], &list->values[i + 1],
                    (list->count - i - 1) * sizeof *list->values);
            list->count -= 1;
            return;
        }
    }
}

// A parameter is held once, under the name that it was given last.
static bool add_value(held_list *list, const char *name, double value) {
    remove_value(list, name);
    held_value *values = realloc(list->values, (list->count + 1) * sizeof *values);
    char *copy = desk_copy_string(name);
    if (values) {
        list->values = values;
    }
    if (!values || !copy) {
        free(copy);
        return false;
    }
    list->values[list->count++] = (held_value){copy, value};
    return true;
}

// With the lock held: names are known to be different, so that none is looked for.
static bool copy_list(const held_list *list, held_list *copy) {
    *copy = (held_list){.values = calloc((size_t)list->count + 1, sizeof *copy->values)};
    bool done = copy->values != NULL;
    for (uint32_t i = 0; i < list->count && done; ++i) {
        char *name = desk_copy_string(list->values[i].name);
        copy->values[copy->count++] = (held_value){name, list->values[i].value};
        done = name != NULL;
    }
    if (!done) {
        held_list_deinit(copy);
    }
    return done;
}

static sn_status set_all(sn_frame *frame, const held_list *list, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < list->count; ++i) {
        SN_TRY(sn_frame_set(frame, list->values[i].name, list->values[i].value, error));
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Orders, on the player's thread

static sn_status change_list(held_list *list, const sn_json *tree, sn_error *error) {
    const sn_value *values = sn_value_get(sn_json_root(tree), "values");
    const sn_value *names = sn_value_get(sn_json_root(tree), "names");
    if (!values && !names) {
        held_list_deinit(list);
    }
    for (uint32_t i = 0; i < sn_value_count(names); ++i) {
        remove_value(list, sn_value_string(sn_value_at(names, i), ""));
    }
    for (uint32_t i = 0; i < sn_value_count(values); ++i) {
        const sn_value *value = sn_value_at(values, i);
        if (!add_value(list, value->key, sn_value_number(value, 0))) {
            return app_fail_memory(error);
        }
    }
    return SN_OK;
}

// All of an order or nothing.
static sn_status run_order(desk_player *player, uint32_t slot, sn_frame *frame,
                           const held_order *order, sn_error *error) {
    seat *seat = &player->seats[slot];
    held_list next;
    pthread_mutex_lock(&player->lock);
    bool copied = copy_list(&seat->held, &next);
    pthread_mutex_unlock(&player->lock);
    if (!copied) {
        return app_fail_memory(error);
    }
    sn_status status = change_list(&next, order->tree, error);
    if (status == SN_OK) {
        sn_frame_clear(frame);
        status = set_all(frame, &next, error);
    }
    pthread_mutex_lock(&player->lock);
    if (status == SN_OK && seat->held_document != order->document) {
        status = desk_fail_as(error, desk_stale, "slot", "another document was opened meanwhile");
    }
    if (status == SN_OK) {
        held_list old = seat->held;
        seat->held = next;
        seat->held_revision += 1;
        next = old;
    } else {
        sn_frame_clear(frame);
        set_all(frame, &seat->held, NULL);
    }
    pthread_mutex_unlock(&player->lock);
    held_list_deinit(&next);
    return status;
}

bool player_run_orders(desk_player *player, uint32_t slot, stage *stage, held_order *orders) {
    bool changed = false;
    while (orders) {
        held_order *order = orders;
        sn_error error = {0};
        orders = order->next;
        sn_status status = run_order(player, slot, stage->frame, order, &error);
        changed = changed || status == SN_OK;
        desk_answer(player->desk, order->ticket, NULL, status == SN_OK ? NULL : &error);
        sn_json_destroy(order->tree);
        free(order);
    }
    return changed;
}

// A new model may not have a name any more, or another range: such values are let go of.
bool player_renew_held(desk_player *player, uint32_t slot, stage *stage) {
    bool changed = false;
    pthread_mutex_lock(&player->lock);
    held_list *list = &player->seats[slot].held;
    for (uint32_t i = 0; i < list->count;) {
        held_value *value = &list->values[i];
        if (sn_frame_set(stage->frame, value->name, value->value, NULL) == SN_OK) {
            ++i;
        } else {
            remove_value(list, value->name);
            changed = true;
        }
    }
    pthread_mutex_unlock(&player->lock);
    return changed;
}

void player_free_orders(desk_player *player, held_order *orders) {
    while (orders) {
        held_order *order = orders;
        orders = order->next;
        desk_answer(player->desk, order->ticket, NULL, NULL);
        sn_json_destroy(order->tree);
        free(order);
    }
}

// ---------------------------------------------------------------------------------------------
// Calls

static void push_order(desk_player *player, uint32_t slot, const char *key, const sn_value *value,
                       desk_ticket *ticket) {
    held_order *order = calloc(1, sizeof *order);
    sn_error error = {0};
    bool ready = order && sn_json_create(desk_context(player->desk), &order->tree, NULL) == SN_OK;
    if (ready && value) {
        ready = sn_json_add_copy(order->tree, sn_json_root(order->tree), key, value) != NULL;
    }
    if (!ready) {
        app_fail_memory(&error);
    }
    pthread_mutex_lock(&player->lock);
    seat *seat = &player->seats[slot];
    if (ready && !seat->stage) {
        ready = false;
        desk_fail(&error, SN_INVALID, "slot", "there is no model yet");
    }
    if (ready) {
        order->ticket = ticket;
        order->document = seat->held_document;
        *seat->orders_end = order;
        seat->orders_end = &order->next;
        pthread_cond_signal(&player->wake);
    }
    pthread_mutex_unlock(&player->lock);
    if (!ready) {
        desk_answer(player->desk, ticket, NULL, &error);
        sn_json_destroy(order ? order->tree : NULL);
        free(order);
    }
}

void player_hold(desk_player *player, uint32_t slot, const sn_value *values, desk_ticket *ticket) {
    push_order(player, slot, "values", values, ticket);
}

void player_let_go(desk_player *player, uint32_t slot, const sn_value *names, desk_ticket *ticket) {
    push_order(player, slot, "names", names, ticket);
}

void player_release_all(desk_player *player, uint32_t slot) {
    pthread_mutex_lock(&player->lock);
    held_list_deinit(&player->seats[slot].held);
    player->seats[slot].held_document += 1;
    pthread_mutex_unlock(&player->lock);
}

void player_add_held(desk_player *player, uint32_t slot, sn_json *json, sn_value *object) {
    sn_value *values = sn_json_add_object(json, object, "values");
    pthread_mutex_lock(&player->lock);
    const held_list *list = &player->seats[slot].held;
    for (uint32_t i = 0; i < list->count; ++i) {
        sn_json_add_number(json, values, list->values[i].name, list->values[i].value);
    }
    pthread_mutex_unlock(&player->lock);
}

static void send_held(desk *desk, void *user) {
    desk_tell_held(desk, DESK_ALL_PAGES, (uint32_t)(uintptr_t)user);
}

void player_post_held(desk_player *player, uint32_t slot) {
    desk_post(player->desk, send_held, (void *)(uintptr_t)slot);
}
