// SPDX-License-Identifier: Apache-2.0
//
// Skins that bones move by weights, with edges evened out behind that, or without.
#include "character/character.h"

#include "skin/skin.h"

#include <string.h>

static const char *kind_of(const sn_value *deformer) {
    return sn_value_string(sn_value_get(deformer, "kind"), "");
}

// Whether weights move the skin, and nothing else sees to its edges.
static bool wants_relax(const sn_value *deformers) {
    bool is_blended = false;
    for (uint32_t i = 0; i < sn_value_count(deformers); ++i) {
        const char *kind = kind_of(sn_value_at(deformers, i));
        if (strcmp(kind, sni_deformer_relax.name) == 0 ||
            strcmp(kind, sni_deformer_implicit.name) == 0) {
            return false;
        }
        is_blended = is_blended || strcmp(kind, sni_deformer_blend.name) == 0;
    }
    return is_blended;
}

static uint32_t remove_from(const sn_value *deformers) {
    uint32_t removed = 0;
    for (uint32_t i = sn_value_count(deformers); i-- > 0;) {
        sn_value *deformer = (sn_value *)sn_value_at(deformers, i);
        if (strcmp(kind_of(deformer), sni_deformer_relax.name) == 0) {
            sn_json_remove(deformer);
            ++removed;
        }
    }
    return removed;
}

sn_status sn_character_relax(sn_character *character, bool relaxed, uint32_t *changed,
                             sn_error *error) {
    sn_json *json = sn_character_document(character);
    const sn_value *skins = sn_value_get(sn_json_root(json), "skins");
    uint32_t count = 0;
    for (uint32_t i = 0; i < sn_value_count(skins); ++i) {
        sn_value *deformers = (sn_value *)sn_value_get(sn_value_at(skins, i), "deformers");
        if (!relaxed) {
            count += remove_from(deformers) > 0;
        } else if (wants_relax(deformers)) {
            sn_value *made = sn_json_add_object(json, deformers, NULL);
            if (made == NULL ||
                sn_json_add_string(json, made, "kind", sni_deformer_relax.name) == NULL) {
                return sni_fail_memory(error);
            }
            ++count;
        }
    }
    if (changed != NULL) {
        *changed = count;
    }
    return SN_OK;
}
