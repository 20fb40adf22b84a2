// SPDX-License-Identifier: Apache-2.0
//
// The desk: the work of the studio without sockets. Pages join, say what they want as texts
// (docs/studio-protocol.md) and take what waits for them (wire/pages.h). Behind it stand the
// documents with their histories, the thread that makes models, the one that evaluates frames, and
// jobs.
//
// All calls may come from any thread. None blocks for long, but for desk_destroy, which waits until
// all work has stopped.
#ifndef SINEW_STUDIO_DESK_H
#define SINEW_STUDIO_DESK_H

#include "wire/pages.h"

#include "sinew/base.h"

#define DESK_SLOTS 2 // documents that are open at the same time

typedef struct desk_desc {
    const char *examples;     // folder of the shipped characters; NULL: none
    const char *web_gallery;  // folder of their pictures; NULL: none
    const char *state_folder; // journals, recent files; made where it is not there
    const char *command;      // what to type to start the studio again; NULL: unknown
    const char *const *roots; // folders in which files may be read and written
    uint32_t root_count;
    size_t frames_memory;     // bytes for frames that are kept to be shown again; 0: none are
    uint32_t threads;         // 0: as many as there are cores
    size_t memory;            // bytes that the library may use at once; 0: any
    bool reads_apart;         // the program knows APP_READ_APART
    void (*wake)(void *user); // called from any thread when something waits for a page; NULL: none
    void *user;
} desk_desc;

// Everything in the description is copied.
sn_status desk_create(const desk_desc *desc, desk **result, sn_error *error);
void desk_destroy(desk *desk); // NULL is allowed

// Opens a document (or makes one from a model file) in a slot, as the request `open` does. The
// outcome is told to pages as events; failures, too, as a notice.
void desk_open_first(desk *desk, uint32_t slot, const char *path);

#endif
