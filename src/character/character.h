// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_CHARACTER_CHARACTER_H
#define SINEW_CHARACTER_CHARACTER_H

#include "base/memory.h"
#include "character/blueprint/blueprint.h"
#include "sinew/character.h"

sn_context *sni_character_context(const sn_character *character);

// The file beside which the document's relative paths begin, "" for the present folder. It is the
// document's path, or for one that has not been saved yet the path that it was made for.
const char *sni_character_base(const sn_character *character);
sn_status sni_character_set_base(sn_character *character, const char *base, sn_error *error);

// Checks a document of this character that repeats nothing (sn_character_expand) and decodes it.
// The blueprint points into the document.
sn_status sni_character_decode(const sn_character *character, const sn_json *document,
                               sni_blueprint **blueprint, sn_error *error);

// The mesh that a document calls `name`; `value` is any value of it, expanded (expand.h).
sn_status sni_character_mesh(sn_character *character, const sn_value *value, const char *name,
                             const sn_mesh **mesh, sn_error *error);

// The contents of a file that the document refers to, read once and kept. `file` is the document's
// string, relative to the folder of `base`.
sn_status sni_character_import(sn_character *character, const char *base, const sn_value *file,
                               const sn_import **import, sn_error *error);

#endif
