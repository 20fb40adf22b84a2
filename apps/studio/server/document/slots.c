// SPDX-License-Identifier: Apache-2.0
//
// The slots of the desk.
#define _GNU_SOURCE // realpath
#include "document/document_internal.h"

#include <stdio.h>
#include <stdlib.h>

sn_status documents_create(desk *desk, const desk_desc *desc, sn_error *error) {
    (void)desc;
    desk_slot *slots = calloc(DESK_SLOTS, sizeof *slots);
    *desk_slots_of(desk) = slots;
    if (!slots) {
        return app_fail_memory(error);
    }
    for (uint32_t i = 0; i < DESK_SLOTS; ++i) {
        slots[i].index = i;
    }
    return SN_OK;
}

void documents_destroy(desk *desk) {
    for (uint32_t i = 0; *desk_slots_of(desk) && i < DESK_SLOTS; ++i) {
        desk_empty_slot(desk, desk_slot_at(desk, i), true);
    }
    free(*desk_slots_of(desk));
    *desk_slots_of(desk) = NULL;
}

desk_slot *desk_slot_at(desk *desk, uint32_t index) {
    return index < DESK_SLOTS ? &(*desk_slots_of(desk))[index] : NULL;
}

void desk_kept_folder(const desk *desk, char folder[APP_PATH_BYTES]) {
    char path[APP_PATH_BYTES];
    snprintf(path, sizeof path, "%s/uploads", desk_state_folder(desk));
    if (!realpath(path, folder)) {
        snprintf(folder, APP_PATH_BYTES, "%s", path);
    }
}

const history *desk_history(const desk_slot *slot) {
    return &slot->work->history;
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
