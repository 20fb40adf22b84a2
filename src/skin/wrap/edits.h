// SPDX-License-Identifier: Apache-2.0
//
// Element sets edited by hand: which elements a point may follow besides or instead of those that
// it would by itself (Singh and Kokkevis 2000, section 5: "the set is under user control").
//
// Points for which the same sets speak have one edit in common; points without any have edit 0.
#ifndef SINEW_SKIN_WRAP_EDITS_H
#define SINEW_SKIN_WRAP_EDITS_H

#include "base/memory.h"
#include "sinew/geometry.h"
#include "sinew/skin.h"

enum { SNI_WRAP_EDITS = 256 };

typedef enum sni_wrap_edit {
    SNI_EDIT_USUAL = 0,   // counts where it is near along the surface
    SNI_EDIT_REMOVED = 1, // does not count
    SNI_EDIT_ADDED = 2,   // counts wherever it is
} sni_wrap_edit;

typedef struct sni_wrap_edits {
    uint32_t count;         // edits, with edit 0; 0: nothing was edited
    uint32_t element_count; // triangles of the driver
    uint8_t *points;        // the edit of each point
    uint8_t *elements;      // count x element_count: sni_wrap_edit
} sni_wrap_edits;

// Sets are applied in their order, later ones on top. Fails with SN_INVALID for numbers that are
// out of range and for points that no element is left for.
sn_status sni_wrap_edits_init(sn_context *context, const sn_wrap_set *sets, uint32_t set_count,
                              uint32_t point_count, uint32_t face_count,
                              const sn_triangles *triangles, sni_wrap_edits *edits,
                              sn_error *error);
void sni_wrap_edits_deinit(sn_context *context, sni_wrap_edits *edits);

static inline const uint8_t *sni_wrap_edits_of(const sni_wrap_edits *edits, uint32_t edit) {
    return edits->elements + (size_t)edit * edits->element_count;
}

#endif
