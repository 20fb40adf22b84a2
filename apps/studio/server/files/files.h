// SPDX-License-Identifier: Apache-2.0
//
// Files of the desk: where pages may read and write, and what they opened.
#ifndef SINEW_STUDIO_FILES_H
#define SINEW_STUDIO_FILES_H

#include "document/document.h"
#include "files/folder.h"
#include "files/roots.h"
#include "files/uploads.h"

typedef struct desk_files {
    roots roots;
    uint32_t shown_roots;      // that pages are told of; others are the studio's own
    char *examples, *pictures; // NULL: none
    uploads *uploads;
} desk_files;

// A path of a request, checked (roots.h). Commands of every topic use it for every path.
sn_status files_argument(desk *desk, const desk_request *request, const char *key, roots_use use,
                         char path[ROOTS_PATH_BYTES], sn_error *error);
sn_status files_resolve(desk *desk, const char *text, roots_use use, char path[ROOTS_PATH_BYTES],
                        sn_error *error);

// A clip that a page names: one of the slot's document as it is, else a motion file (or FILE#CLIP),
// checked.
sn_status files_clip(desk *desk, const desk_slot *slot, const char *text,
                     char clip[ROOTS_PATH_BYTES], sn_error *error);

// Notes the document of a slot as opened or saved last, and tells all pages the new list. That it
// cannot be noted is only told.
void files_note_recent(desk *desk, const desk_slot *slot);

// The flag of a request; `otherwise` where it is not there.
bool files_flag(const desk_request *request, const char *key, bool otherwise);

// What the topic does besides commands.
sn_status files_create(desk *desk, const desk_desc *desc, sn_error *error);
void files_destroy(desk *desk);
sn_status files_welcome(desk *desk, sn_json *json, sn_value *event, sn_error *error);
void files_leave(desk *desk, uint32_t page);
bool files_receive_bytes(desk *desk, uint32_t page, const void *bytes, size_t size);

#endif
