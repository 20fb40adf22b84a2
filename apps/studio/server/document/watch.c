// SPDX-License-Identifier: Apache-2.0
//
// Files that documents use and that other programs write anew: a mesh that is exported again from
// where it is modelled. They are read again as soon as nobody writes them any more.
#include "document/document_internal.h"

#include <string.h>

// Everything that is read from now on is read anew; what is on stage stays until its model is made.
static sn_status renew_shelf(desk *desk, desk_slot *slot, sn_error *error) {
    stage_body *shelf = NULL;
    sn_character *character = NULL;
    sn_status status = SN_OK;
    SN_TRY(stage_shelf_create(desk_context(desk), &shelf, error));
    SN_TRY(sn_character_parse_beside(shelf->character, slot->base, slot->text, slot->text_size,
                                     &character, error));
    sn_character_destroy(slot->character);
    sn_character_destroy(slot->work->scratch);
    stage_body_release(slot->work->shelf);
    slot->character = character;
    slot->work->scratch = NULL;
    slot->work->shelf = shelf;
    return SN_OK;
cleanup:
    stage_body_release(shelf);
    return status;
}

static void tell_read_again(desk *desk, const sn_changed_files *changed) {
    const char *slash = strrchr(changed->first, '/');
    const char *name = slash ? slash + 1 : changed->first;
    if (changed->count == 1) {
        desk_notice(desk, DESK_ALL_PAGES, "info", "%s changed on disk and was read again", name);
    } else {
        desk_notice(desk, DESK_ALL_PAGES, "info",
                    "%s and %u more files changed on disk and were read again", name,
                    changed->count - 1);
    }
}

// A file is whole when it looks the same twice.
static void watch_slot(desk *desk, desk_slot *slot) {
    sn_changed_files changed;
    bool any = sn_character_changed_files(slot->work->shelf->character, &changed);
    bool settled = any && changed.state == slot->work->changed_files;
    slot->work->changed_files = any ? changed.state : 0;
    if (settled && renew_shelf(desk, slot, NULL) == SN_OK) {
        slot->work->changed_files = 0;
        tell_read_again(desk, &changed);
        desk_build(desk, slot, BUILD_FILES);
    }
}

void documents_watch(desk *desk) {
    for (uint32_t i = 0; i < DESK_SLOTS; ++i) {
        if (desk_slot_at(desk, i)->character) {
            watch_slot(desk, desk_slot_at(desk, i));
        }
    }
}
