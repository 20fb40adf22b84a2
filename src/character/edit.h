// SPDX-License-Identifier: Apache-2.0
//
// Edits of a document that can be taken back: what is added to containers that stay is written
// down, and removed again when something later fails. Values that stood in the tree before are not
// replaced.
#ifndef SINEW_CHARACTER_EDIT_H
#define SINEW_CHARACTER_EDIT_H

#include "base/error.h"
#include "sinew/json.h"

// Most values that one edit may add.
enum { SNI_EDIT_MOST = 256 };

typedef struct sni_edit {
    sn_json *json;
    sn_value *root;
    uint32_t count;
    sn_value *added[SNI_EDIT_MOST];
} sni_edit;

// Writes a new value down; false when it is NULL, for want of memory, or when there are too many.
static inline bool sni_edit_note(sni_edit *edit, sn_value *value) {
    if (value != NULL && edit->count == SNI_EDIT_MOST) {
        sn_json_remove(value);
        return false;
    }
    if (value != NULL) {
        edit->added[edit->count++] = value;
    }
    return value != NULL;
}

static inline void sni_edit_undo(sni_edit *edit) {
    while (edit->count > 0) {
        sn_json_remove(edit->added[--edit->count]);
    }
}

// The object of the root, or the array of an object, of that key; made where there is none. NULL
// for want of memory.
static inline sn_value *sni_edit_map(sni_edit *edit, const char *key) {
    sn_value *found = (sn_value *)sn_value_get(edit->root, key);
    if (found == NULL) {
        found = sn_json_add_object(edit->json, edit->root, key);
        return sni_edit_note(edit, found) ? found : NULL;
    }
    return found;
}

static inline sn_value *sni_edit_list(sni_edit *edit, sn_value *object, const char *key) {
    sn_value *found = (sn_value *)sn_value_get(object, key);
    if (found == NULL) {
        found = sn_json_add_array(edit->json, object, key);
        return sni_edit_note(edit, found) ? found : NULL;
    }
    return found;
}

// A new object in a map (by name) or in a list (name NULL).
static inline sn_value *sni_edit_object(sni_edit *edit, sn_value *container, const char *name) {
    sn_value *made = sn_json_add_object(edit->json, container, name);
    return sni_edit_note(edit, made) ? made : NULL;
}

#endif
