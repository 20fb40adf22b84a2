// SPDX-License-Identifier: Apache-2.0
//
// Characters as programs open them, and what their models have.
#ifndef SINEW_APPS_CHARACTER_H
#define SINEW_APPS_CHARACTER_H

#include "common/common.h"

// Opens a document. A model file becomes the document that `sinew new` would write at
// `document_path`, without writing it.
sn_status app_open_character(sn_context *context, const char *path, const sn_import_desc *how,
                             const char *document_path, sn_character **character, sn_error *error);

// The skin of a name; NULL: the only one that is shown. Fails where there is none, or where there
// are several to choose from; the message says that `option` names one. `source` is the document.
sn_status app_find_skin(const sn_model *model, const char *name, const char *source,
                        const char *option, uint32_t *surface, sn_error *error);

// The skin that muscles are laid out on: of a name, or the only one (NULL).
sn_status app_find_layout_skin(const sn_model *model, const char *name, const char *source,
                               const char *option, const sn_surface **skin, sn_error *error);

// How many surfaces of a layer are shown; features are not counted among tissues.
uint32_t app_count_shown(const sn_model *model, sn_layer layer);

// What is written of a model: bones and tissues, and muscles, where they are asked for; of one
// without a skin that is shown all there is, unless something is.
void app_choose_layers(const sn_model *model, bool bones, bool muscles, sn_bake_desc *desc);

// How a .glb holds the motion, by its name: auto, skinned, morph. False for another.
bool app_glb_mode(const char *name, sn_glb_mode *mode);

#endif
