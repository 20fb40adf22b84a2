// SPDX-License-Identifier: Apache-2.0
//
// A clip from another document: motions are written once and played by every character whose
// segments have the same names.
#include "eval/document_clip.h"

#include "base/file.h"
#include "character/blueprint/blueprint.h"
#include "character/expand/expand.h"
#include "character/schema/schema.h"
#include "motion/skeleton.h"
#include "sinew/character.h"

#include <string.h>

bool sni_is_document(const char *path) {
    return sni_path_has_extension(path, ".json");
}

static sn_status choose_plan(const sni_blueprint *blueprint, const char *name,
                             const sni_clip_plan **plan, sn_error *error) {
    if (blueprint->clip_count == 0) {
        return sni_fail(error, SN_INVALID, "the document has no clips");
    }
    *plan = NULL;
    for (uint32_t i = 0; i < blueprint->clip_count && *plan == NULL; ++i) {
        if (name == NULL || strcmp(blueprint->clips[i].name, name) == 0) {
            *plan = &blueprint->clips[i];
        }
    }
    if (*plan == NULL) {
        return sni_fail(error, SN_INVALID, "the document has no clip \"%s\"; its first is \"%s\"",
                        name, blueprint->clips[0].name);
    }
    // Following it could go in a circle, and which skeleton it was fitted to would be a riddle.
    if ((*plan)->file != NULL) {
        return sni_fail_value(error, (*plan)->value, SN_INVALID,
                              "the clip comes from the file \"%s\" itself; name that file instead",
                              (*plan)->file);
    }
    return SN_OK;
}

static sn_status make_clip(sn_character *character, const char *name, sn_clip **clip,
                           sn_error *error) {
    sn_json *document = sn_character_document(character);
    sni_expanded expanded = {0};
    sni_blueprint *blueprint = NULL;
    const sni_clip_plan *plan;
    sn_clip *made = NULL;
    sn_status status = SN_OK;
    SN_TRY(sni_expanded_open(document, &expanded, error));
    SN_TRY(sni_blueprint_create(document->context, expanded.json, &blueprint, error));
    SN_TRY(choose_plan(blueprint, name, &plan, error));
    SN_TRY(sni_blueprint_clip(blueprint, plan, &made, error));
    SN_TRY(sni_skeleton_copy(document->context, sni_rig_skeleton(blueprint->rig), &made->skeleton,
                             error));
    *clip = made;
    made = NULL;
cleanup:
    sn_clip_destroy(made);
    sni_blueprint_destroy(blueprint);
    sni_expanded_close(&expanded);
    return status;
}

sn_status sni_document_clip(sn_context *context, const char *path, const char *name, sn_clip **clip,
                            sn_error *error) {
    sn_character *character = NULL;
    *clip = NULL;
    sn_status status = sn_character_load(context, path, &character, error);
    if (status == SN_OK) {
        status = make_clip(character, name, clip, error);
    }
    if (status != SN_OK) {
        sni_error_source(error, path);
    }
    sn_character_destroy(character);
    return status;
}
