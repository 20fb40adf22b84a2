// SPDX-License-Identifier: Apache-2.0
//
// The builder: a thread that makes models of documents. The newest document of a slot wins; a
// model that is being made of an older one is given up.
#ifndef SINEW_STUDIO_BUILDER_H
#define SINEW_STUDIO_BUILDER_H

#include "desk/service.h"

typedef struct desk_builder desk_builder;

// Why a model is made; the greater includes the smaller.
typedef enum build_reason {
    BUILD_EDIT = 0,
    BUILD_FILES = 1,   // files changed on disk: they are read anew
    BUILD_ANOTHER = 2, // another document
} build_reason;

typedef struct builder_request {
    uint32_t slot;
    uint64_t revision;
    const char *text; // the document, copied
    size_t size;
    const char *base;         // where its relative paths begin
    struct stage_body *shelf; // where the slot's characters have their files; held meanwhile
    build_reason reason;
} builder_request;

// For the topic that has it.
sn_status builder_create(desk *desk, const desk_desc *desc, sn_error *error);
void builder_destroy(desk *desk);

void builder_build(desk_builder *builder, const builder_request *request);
// The slot is empty from now on.
void builder_close(desk_builder *builder, uint32_t slot, uint64_t revision);
// Plays another clip: a name of the document or a file; NULL: the rest pose. Answers by the ticket,
// which it takes over.
void builder_choose_clip(desk_builder *builder, uint32_t slot, const char *clip,
                         desk_ticket *ticket);
// The event `model_error` of the newest document, malloc'd; NULL where it could be made.
char *builder_error_text(desk_builder *builder, uint32_t slot, size_t *size);

#endif
