// SPDX-License-Identifier: Apache-2.0
#include "skin/wrap/edits.h"

#include "base/error.h"

#include <string.h>

enum { SET_COUNT = 64 };

typedef struct build {
    sn_context *context;
    const sn_wrap_set *sets;
    uint32_t set_count;
    uint32_t point_count, face_count;
    uint64_t *masks; // the sets that speak for each point
    uint64_t combinations[SNI_WRAP_EDITS];
    uint8_t *marks; // scratch
} build;

static sn_status mark(const build *b, uint32_t set, const char *what, const char *text,
                      uint32_t count, sn_error *error) {
    sn_error cause = {0};
    if (text == NULL || sn_ranges_mark(text, count, b->marks, &cause) != SN_OK) {
        return sni_fail(error, SN_INVALID, "wrap: set %u: %s: %s", set, what,
                        text == NULL ? "there are none" : cause.message);
    }
    return SN_OK;
}

static sn_status mark_points(build *b, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t set = 0; set < b->set_count; ++set) {
        memset(b->marks, 0, b->point_count);
        SN_TRY(mark(b, set, "points", b->sets[set].points, b->point_count, error));
        for (uint32_t i = 0; i < b->point_count; ++i) {
            b->masks[i] |= (uint64_t)b->marks[i] << set;
        }
    }
cleanup:
    return status;
}

// Numbers the combinations of sets in the order of the points.
static sn_status number_edits(build *b, sni_wrap_edits *edits, sn_error *error) {
    edits->count = 1;
    for (uint32_t i = 0; i < b->point_count; ++i) {
        uint32_t edit = 0;
        while (edit < edits->count && b->combinations[edit] != b->masks[i]) {
            ++edit;
        }
        if (edit == SNI_WRAP_EDITS) {
            return sni_fail(error, SN_LIMIT, "wrap: sets overlap in more than %d ways",
                            SNI_WRAP_EDITS - 1);
        }
        b->combinations[edit] = b->masks[i];
        edits->count = edit == edits->count ? edit + 1 : edits->count;
        edits->points[i] = (uint8_t)edit;
    }
    return SN_OK;
}

static void apply_set(const uint8_t *faces, const sn_triangles *triangles, sn_wrap_set_mode mode,
                      uint8_t *elements) {
    for (uint32_t t = 0; t < triangles->count; ++t) {
        bool is_named = faces[triangles->faces[t]] != 0;
        if (mode == SN_WRAP_SET_ONLY) {
            elements[t] = is_named ? SNI_EDIT_ADDED : SNI_EDIT_REMOVED;
        } else if (is_named) {
            elements[t] = mode == SN_WRAP_SET_ADD ? SNI_EDIT_ADDED : SNI_EDIT_REMOVED;
        }
    }
}

static sn_status mark_elements(build *b, const sn_triangles *triangles, sni_wrap_edits *edits,
                               sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t set = 0; set < b->set_count; ++set) {
        memset(b->marks, 0, b->face_count);
        SN_TRY(mark(b, set, "faces", b->sets[set].faces, b->face_count, error));
        for (uint32_t edit = 1; edit < edits->count; ++edit) {
            if (b->combinations[edit] >> set & 1) {
                apply_set(b->marks, triangles, b->sets[set].mode,
                          edits->elements + (size_t)edit * edits->element_count);
            }
        }
    }
cleanup:
    return status;
}

static sn_status check_left(const build *b, const sni_wrap_edits *edits, sn_error *error) {
    for (uint32_t edit = 1; edit < edits->count; ++edit) {
        const uint8_t *elements = sni_wrap_edits_of(edits, edit);
        uint32_t left = 0, point = 0;
        for (uint32_t t = 0; t < edits->element_count; ++t) {
            left += elements[t] != SNI_EDIT_REMOVED;
        }
        while (left == 0 && point < b->point_count && edits->points[point] != edit) {
            ++point;
        }
        if (left == 0) {
            return sni_fail(error, SN_INVALID, "wrap: the sets leave no face for point %u", point);
        }
    }
    return SN_OK;
}

static sn_status check_sets(const sn_wrap_set *sets, uint32_t count, sn_error *error) {
    if (count > SET_COUNT) {
        return sni_fail(error, SN_LIMIT, "wrap: %u sets, but at most %d are possible", count,
                        SET_COUNT);
    }
    for (uint32_t i = 0; i < count; ++i) {
        if ((uint32_t)sets[i].mode > SN_WRAP_SET_REMOVE) {
            return sni_fail(error, SN_INVALID, "wrap: set %u: there is no mode %u", i,
                            (uint32_t)sets[i].mode);
        }
    }
    return SN_OK;
}

sn_status sni_wrap_edits_init(sn_context *context, const sn_wrap_set *sets, uint32_t set_count,
                              uint32_t point_count, uint32_t face_count,
                              const sn_triangles *triangles, sni_wrap_edits *edits,
                              sn_error *error) {
    SN_ASSERT(set_count == 0 || sets != NULL);
    sn_status status = SN_OK;
    build b = {.context = context,
               .sets = sets,
               .set_count = set_count,
               .point_count = point_count,
               .face_count = face_count};
    *edits = (sni_wrap_edits){.element_count = triangles->count};
    if (set_count == 0) {
        return SN_OK;
    }
    SN_TRY(check_sets(sets, set_count, error));
    SNI_NEW_ZERO(context, b.masks, point_count);
    SNI_NEW(context, b.marks, (size_t)(point_count > face_count ? point_count : face_count) + 1);
    SNI_NEW(context, edits->points, point_count);
    SN_TRY(mark_points(&b, error));
    SN_TRY(number_edits(&b, edits, error));
    SNI_NEW_ZERO(context, edits->elements, (size_t)edits->count * edits->element_count);
    SN_TRY(mark_elements(&b, triangles, edits, error));
    SN_TRY(check_left(&b, edits, error));
cleanup:
    sni_free(context, b.masks);
    sni_free(context, b.marks);
    if (status != SN_OK) {
        sni_wrap_edits_deinit(context, edits);
    }
    return status;
}

void sni_wrap_edits_deinit(sn_context *context, sni_wrap_edits *edits) {
    sni_free(context, edits->points);
    sni_free(context, edits->elements);
    *edits = (sni_wrap_edits){0};
}
