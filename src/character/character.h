// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_CHARACTER_CHARACTER_H
#define SINEW_CHARACTER_CHARACTER_H

#include "base/memory.h"
#include "sinew/character.h"

sn_context *sni_character_context(const sn_character *character);

// The contents of a file that the document refers to, read once and kept. `value` is the document's
// string, for the place of an error.
sn_status sni_character_import(sn_character *character, const sn_value *file,
                               const sn_import **import, sn_error *error);

#endif
