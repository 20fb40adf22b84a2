// SPDX-License-Identifier: Apache-2.0
#include "character/blueprint/blueprint.h"
#include "character/character.h"
#include "character/expand/expand.h"

#include <stdio.h>

sn_status sn_character_match_segment(sn_character *character, const char *name, char *found,
                                     size_t found_size, sn_name_match *match, sn_error *error) {
    sn_json *document = sn_character_document(character);
    sni_expanded expanded = {0};
    sni_blueprint *blueprint = NULL;
    uint32_t segment;
    sn_status status = SN_OK;
    SN_TRY(sni_expanded_open(document, &expanded, error));
    SN_TRY(sni_blueprint_create(document->context, expanded.json, &blueprint, error));
    SN_TRY(
        sn_skeleton_match(document->context, &blueprint->skeleton, name, &segment, match, error));
    snprintf(found, found_size, "%s", blueprint->skeleton.segments[segment].name);
cleanup:
    if (status != SN_OK && sn_character_path(character) != NULL) {
        sni_error_source(error, sn_character_path(character));
    }
    sni_blueprint_destroy(blueprint);
    sni_expanded_close(&expanded);
    return status;
}
