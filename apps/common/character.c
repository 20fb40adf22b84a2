// SPDX-License-Identifier: Apache-2.0
#include "common/character.h"

#include <string.h>

sn_status app_open_character(sn_context *context, const char *path, const sn_import_desc *how,
                             const char *document_path, sn_character **character, sn_error *error) {
    if (app_has_extension(path, ".json")) {
        return sn_character_load(context, path, character, error);
    }
    if (app_has_extension(path, ".osim")) {
        sn_osim_desc desc = sn_osim_desc_default();
        return sn_character_from_osim(context, path, &desc, document_path, character, NULL, error);
    }
    sn_import *import = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_import_file_with(context, path, how, &import, error));
    SN_TRY(sn_character_from_import(import, path, document_path, character, error));
cleanup:
    sn_import_destroy(import);
    return status;
}

sn_status app_find_skin(const sn_model *model, const char *name, const char *source,
                        const char *option, uint32_t *surface, sn_error *error) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *s = sn_model_surface(model, i);
        bool wanted = name != NULL ? strcmp(s->name, name) == 0 : s->shown;
        if (s->layer == SN_LAYER_SKIN && wanted) {
            *surface = i;
            found++;
        }
    }
    if (found == 1) {
        return SN_OK;
    }
    if (name != NULL) {
        return app_fail(error, SN_INVALID, source, "there is no skin \"%s\"", name);
    }
    return app_fail(error, SN_INVALID, source, "shows %s; name a skin with %s",
                    found == 0 ? "no skin" : "several skins", option);
}

sn_status app_find_layout_skin(const sn_model *model, const char *name, const char *source,
                               const char *option, const sn_surface **skin, sn_error *error) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        bool is_skin = surface->layer == SN_LAYER_SKIN && !surface->in_segment_frame;
        if (is_skin && (name == NULL || strcmp(surface->name, name) == 0)) {
            *skin = surface;
            ++count;
        }
    }
    if (count == 1) {
        return SN_OK;
    }
    return count == 0 ? app_fail(error, SN_INVALID, source, "there is no skin %s",
                                 name != NULL ? name : "to lay muscles out on")
                      : app_fail(error, SN_INVALID, source,
                                 "the document has several skins; name one with %s", option);
}

uint32_t app_count_shown(const sn_model *model, sn_layer layer) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        count += surface->layer == layer && surface->shown && !surface->feature;
    }
    return count;
}

void app_choose_layers(const sn_model *model, bool bones, bool muscles, sn_bake_desc *desc) {
    bool all = !bones && !muscles && app_count_shown(model, SN_LAYER_SKIN) == 0;
    desc->bones = all || bones;
    desc->muscles = all || muscles;
}

bool app_glb_mode(const char *name, sn_glb_mode *mode) {
    static const char *const names[] = {
        [SN_GLB_AUTO] = "auto",
        [SN_GLB_SKINNED] = "skinned",
        [SN_GLB_MORPH] = "morph",
    };
    for (uint32_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (strcmp(name, names[i]) == 0) {
            *mode = (sn_glb_mode)i;
            return true;
        }
    }
    return false;
}
