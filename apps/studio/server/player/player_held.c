// SPDX-License-Identifier: Apache-2.0
//
// Held values. Pages' wishes wait until the player's thread sets them on the frame, which knows
// whether names and numbers are right; then they are answered.
#include "player/player_internal.h"

#include <math.h>
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

static held_value *find_value(const held_list *list, const char *name) {
    for (uint32_t i = 0; i < list->count; ++i) {
        if (same_parameter(list->values[i].name, name)) {
            return &list->values[i];
        }
    }
    return NULL;
}

static void remove_value(held_list *list, held_value *value) {
    free(value->name);
    list->count -= 1;
    memmove(value, value + 1, (size_t)(list->values + list->count - value) * sizeof *list->values);
}

static bool add_value(held_list *list, const char *name, double value) {
    held_value *values = realloc(list->values, (list->count + 1) * sizeof *values);
    char *copy = desk_copy_string(name);
    if (values) {
        list->values = values;
    }
    if (!values || !copy) {
        free(copy);
        return false;
    }
    list->values[list->count++] = (held_value){.name = copy, .value = value};
    return true;
}

// With the lock held: names are known to be different, so that none is looked for.
static bool copy_list(const held_list *list, held_list *copy) {
    *copy = (held_list){.values = calloc((size_t)list->count + 1, sizeof *copy->values)};
    bool done = copy->values != NULL;
    for (uint32_t i = 0; i < list->count && done; ++i) {
        char *name = desk_copy_string(list->values[i].name);
        copy->values[copy->count] = list->values[i];
        copy->values[copy->count++].name = name;
        done = name != NULL;
    }
    if (!done) {
        held_list_deinit(copy);
    }
    return done;
}

// Gives the frame all values that it takes. Returns whether it takes others than before.
static bool set_all(sn_frame *frame, held_list *list) {
    bool changed = false;
    sn_frame_clear(frame);
    for (uint32_t i = 0; i < list->count; ++i) {
        held_value *value = &list->values[i];
        bool taken = sn_frame_set(frame, value->name, value->value, NULL) == SN_OK;
        changed = changed || taken != value->taken;
        value->taken = taken;
    }
    return changed;
}

// ---------------------------------------------------------------------------------------------
// Orders, on the player's thread

// A parameter is held once, under the name that it was given last.
static bool change_value(held_list *list, const char *name, double value, held_changes *changes) {
    held_value *known = find_value(list, name);
    bool renamed = known && (isnan(value) || strcmp(known->name, name) != 0);
    double before = known && !renamed ? known->value : NAN;
    if (renamed && !held_changes_add(changes, known->name, known->value, NAN)) {
        return false;
    }
    if (known) {
        remove_value(list, known);
    }
    return isnan(value) ||
           (held_changes_add(changes, name, before, value) && add_value(list, name, value));
}

static bool release_all(held_list *list, held_changes *changes) {
    bool done = true;
    for (uint32_t i = 0; i < list->count && done; ++i) {
        done = held_changes_add(changes, list->values[i].name, list->values[i].value, NAN);
    }
    held_list_deinit(list);
    return done;
}

static sn_status change_list(held_list *list, const sn_json *tree, held_changes *changes,
                             sn_error *error) {
    const sn_value *values = sn_value_get(sn_json_root(tree), "values");
    bool done = values || release_all(list, changes);
    for (uint32_t i = 0; i < sn_value_count(values) && done; ++i) {
        const sn_value *value = sn_value_at(values, i);
        done = change_value(list, value->key, sn_value_number(value, NAN), changes);
    }
    return done ? SN_OK : app_fail_memory(error);
}

// Whether the frame takes what a page asks for.
static sn_status check_order(sn_frame *frame, const held_order *order, sn_error *error) {
    const sn_value *values = sn_value_get(sn_json_root(order->tree), "values");
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_value_count(values) && order->done; ++i) {
        const sn_value *value = sn_value_at(values, i);
        if (value->type == SN_JSON_NUMBER) {
            SN_TRY(sn_frame_set(frame, value->key, sn_value_number(value, 0), error));
        }
    }
cleanup:
    return status;
}

// All of an order or nothing.
static sn_status run_order(desk_player *player, uint32_t slot, sn_frame *frame,
                           const held_order *order, held_changes *changes, sn_error *error) {
    seat *seat = &player->seats[slot];
    held_list next;
    pthread_mutex_lock(&player->lock);
    bool copied = copy_list(&seat->held, &next);
    pthread_mutex_unlock(&player->lock);
    if (!copied) {
        return app_fail_memory(error);
    }
    sn_status status = check_order(frame, order, error);
    if (status == SN_OK) {
        status = change_list(&next, order->tree, changes, error);
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
    }
    set_all(frame, &seat->held);
    pthread_mutex_unlock(&player->lock);
    held_list_deinit(&next);
    return status;
}

// How an order went, on its way to the desk thread.
typedef struct held_news {
    player_held_fn *done;
    void *user;
    held_changes changes;
} held_news;

static void tell_news(desk *desk, void *user) {
    held_news *news = user;
    news->done(desk, news->user, &news->changes, NULL);
    held_changes_deinit(&news->changes);
    free(news);
}

// Takes the order and the changes over; `error` NULL: it went well.
static void finish_order(desk_player *player, held_order *order, held_changes *changes,
                         const sn_error *error) {
    sn_error lost = {0};
    if (order->ticket) {
        desk_answer(player->desk, order->ticket, NULL, error);
    }
    held_news *news = order->done && !error ? malloc(sizeof *news) : NULL;
    if (news) {
        *news = (held_news){order->done, order->user, *changes};
    }
    if (news && desk_post(player->desk, tell_news, news)) {
        *changes = (held_changes){0};
    } else if (order->done) {
        free(news);
        desk_fail(&lost, SN_LIMIT, "", "the studio has no memory, or it ends");
        order->done(player->desk, order->user, NULL, error ? error : &lost);
    }
    held_changes_deinit(changes);
    sn_json_destroy(order->tree);
    free(order);
}

// What a limb would have to be held at: nothing changes.
static void answer_reach(desk_player *player, stage *stage, held_order *order,
                         const sn_value *wish) {
    sn_json *answer = NULL;
    sn_error error = {0};
    sn_status status = sn_json_create(desk_context(player->desk), &answer, &error);
    if (status == SN_OK) {
        status = player_solve_reach(stage->frame, wish, answer, &error);
    }
    desk_answer(player->desk, order->ticket, answer, status == SN_OK ? NULL : &error);
    order->ticket = NULL; // it has its answer
    sn_json_destroy(answer);
}

bool player_run_orders(desk_player *player, uint32_t slot, stage *stage, held_order *orders) {
    bool changed = false;
    while (orders) {
        held_order *order = orders;
        const sn_value *reach = sn_value_get(sn_json_root(order->tree), "reach");
        held_changes changes = {0};
        sn_error error = {0};
        sn_status status = SN_OK;
        orders = order->next;
        if (reach) {
            answer_reach(player, stage, order, reach);
        } else {
            status = run_order(player, slot, stage->frame, order, &changes, &error);
            changed = changed || status == SN_OK;
        }
        finish_order(player, order, &changes, status == SN_OK ? NULL : &error);
    }
    return changed;
}

// A new model may lack a name, or have another range: such values wait for one that takes them.
bool player_renew_held(desk_player *player, uint32_t slot, stage *stage) {
    pthread_mutex_lock(&player->lock);
    bool changed = set_all(stage->frame, &player->seats[slot].held);
    pthread_mutex_unlock(&player->lock);
    return changed;
}

void player_free_orders(desk_player *player, held_order *orders) {
    while (orders) {
        held_order *order = orders;
        held_changes none = {0};
        sn_error error = {0};
        orders = order->next;
        desk_fail_as(&error, desk_stale, "slot", "the document was closed meanwhile");
        finish_order(player, order, &none, &error);
    }
}

// ---------------------------------------------------------------------------------------------
// Calls

// With the lock held; takes the order over.
static void push_order(desk_player *player, seat *seat, held_order *order) {
    order->document = seat->held_document;
    *seat->orders_end = order;
    seat->orders_end = &order->next;
    pthread_cond_signal(&player->wake);
}

// {KEY: value}, or {} without a value, for whom `given` says. Says so where it cannot be.
static void submit(desk_player *player, uint32_t slot, const char *key, const sn_value *value,
                   const held_order *given) {
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
        order->done = given->done;
        order->user = given->user;
        order->ticket = given->ticket;
        push_order(player, seat, order);
    }
    pthread_mutex_unlock(&player->lock);
    if (ready) {
        return;
    }
    if (given->ticket) {
        desk_answer(player->desk, given->ticket, NULL, &error);
    } else {
        given->done(player->desk, given->user, NULL, &error);
    }
    sn_json_destroy(order ? order->tree : NULL);
    free(order);
}

void player_change_held(desk_player *player, uint32_t slot, const sn_value *values,
                        player_held_fn *done, void *user) {
    submit(player, slot, "values", values, &(held_order){.done = done, .user = user});
}

// {"values": {NAME: number or null}}. Names that are released come first: a joint that was held by
// another name is released under the one and held under the other.
static sn_json *write_changes(desk *desk, const held_changes *changes, bool forth) {
    sn_json *tree = NULL;
    if (sn_json_create(desk_context(desk), &tree, NULL) != SN_OK) {
        return NULL;
    }
    sn_value *values = sn_json_add_object(tree, sn_json_root(tree), "values");
    for (uint32_t holds = 0; holds < 2; ++holds) {
        for (uint32_t i = 0; i < changes->count; ++i) {
            const held_change *change = &changes->list[i];
            double value = forth ? change->after : change->before;
            if (!holds && isnan(value)) {
                sn_json_add_null(tree, values, change->name);
            } else if (holds && !isnan(value)) {
                sn_json_add_number(tree, values, change->name, value);
            }
        }
    }
    return tree;
}

void player_repeat_held(desk_player *player, uint32_t slot, const held_changes *changes,
                        bool forth) {
    held_order *order = calloc(1, sizeof *order);
    sn_json *tree = changes->count > 0 ? write_changes(player->desk, changes, forth) : NULL;
    pthread_mutex_lock(&player->lock);
    seat *seat = &player->seats[slot];
    if (order && tree && seat->stage) {
        order->tree = tree;
        push_order(player, seat, order);
        order = NULL;
        tree = NULL;
    } else if (tree) {
        held_changes none = {0}; // what a model that comes takes
        change_list(&seat->held, tree, &none, NULL);
        held_changes_deinit(&none);
    }
    pthread_mutex_unlock(&player->lock);
    sn_json_destroy(tree);
    free(order);
}

bool player_find_held(desk_player *player, uint32_t slot, const sn_value *names,
                      held_changes *changes) {
    bool done = true;
    pthread_mutex_lock(&player->lock);
    for (uint32_t i = 0; i < sn_value_count(names) && done; ++i) {
        const char *name = sn_value_string(sn_value_at(names, i), "");
        const held_value *value = find_value(&player->seats[slot].held, name);
        done = !value || held_changes_add(changes, value->name, value->value, NAN);
    }
    pthread_mutex_unlock(&player->lock);
    return done;
}

void player_reach(desk_player *player, uint32_t slot, const sn_value *reach, desk_ticket *ticket) {
    submit(player, slot, "reach", reach, &(held_order){.ticket = ticket});
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
        if (list->values[i].taken) {
            sn_json_add_number(json, values, list->values[i].name, list->values[i].value);
        }
    }
    pthread_mutex_unlock(&player->lock);
}

static void send_held(desk *desk, void *user) {
    desk_tell_held(desk, DESK_ALL_PAGES, (uint32_t)(uintptr_t)user);
}

void player_post_held(desk_player *player, uint32_t slot) {
    desk_post(player->desk, send_held, (void *)(uintptr_t)slot);
}
