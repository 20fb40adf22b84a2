// SPDX-License-Identifier: Apache-2.0
//
// Anchors on components with strips below their surface. A point there has a virtual anchor in
// every strip that it follows (skin/slices.h), as the surface itself has: between two strips skin
// and muscle go together. Each is a tie of its own, and the weight of the component is shared out.
#include "skin/anchors_parts.h"

enum { RING = 4 };

sn_status sni_anchors_make_field(sn_context *context, const sni_component *component,
                                 sni_slice_field **field, sn_error *error) {
    sn_status status = SN_OK;
    sni_slice_row *rows = NULL;
    sni_slice *slices = NULL;
    uint32_t count = 0;
    SNI_NEW(context, rows, component->strip_count);
    for (uint32_t i = 0; i < component->strip_count; ++i) {
        rows[i] = (sni_slice_row){count, component->strips[i].slice_count};
        count += component->strips[i].slice_count;
    }
    SNI_NEW(context, slices, count);
    for (uint32_t i = 0; i < component->strip_count; ++i) {
        for (uint32_t k = 0; k < rows[i].count; ++k) {
            size_t first = (size_t)component->strips[i].first + RING * (size_t)k;
            sn_vec3 ring[RING];
            for (size_t n = 0; n < RING; ++n) {
                ring[n] = sn_vec3_load(component->strip_points + 3 * (first + n));
            }
            slices[rows[i].first + k] = sni_slice_of_ring(ring);
        }
    }
    SN_TRY(sni_slice_field_create(context, component->strip_count, rows, slices, field, error));
cleanup:
    sni_free(context, rows);
    sni_free(context, slices);
    return status;
}

static sn_vec3 rest_of(const sni_anchors *anchors, uint32_t point) {
    return sn_vec3_load(anchors->rest + 3 * (size_t)point);
}

// The ties of a point, with those to strips in place of those to components that have them.
static uint32_t split_point(const sni_anchors *anchors, sni_slice_field *const *fields,
                            uint32_t point, sni_tie *ties) {
    uint32_t count = 0;
    for (uint32_t k = anchors->tie_starts[point]; k < anchors->tie_starts[point + 1]; ++k) {
        const sni_tie *tie = &anchors->ties[k];
        if (fields[tie->component] == NULL) {
            ties[count++] = *tie;
            continue;
        }
        sni_slice_tie found[SNI_MOST_SLICE_TIES];
        uint32_t strips =
            sni_slice_field_find(fields[tie->component], rest_of(anchors, point), found, NULL);
        for (uint32_t n = 0; n < strips; ++n) {
            ties[count] = *tie;
            ties[count++].weight = (float)((double)tie->weight * found[n].weight);
        }
    }
    return count;
}

sn_status sni_anchors_split(sni_anchors *anchors, sni_slice_field *const *fields, sn_error *error) {
    sni_tie ties[SNI_MOST_TIES * SNI_MOST_SLICE_TIES];
    uint32_t *starts = NULL;
    sni_tie *split = NULL;
    sn_status status = SN_OK;
    SNI_NEW(anchors->context, starts, (size_t)anchors->point_count + 1);
    starts[0] = 0;
    for (uint32_t i = 0; i < anchors->point_count; ++i) {
        starts[i + 1] = starts[i] + split_point(anchors, fields, i, ties);
    }
    SNI_NEW(anchors->context, split, starts[anchors->point_count]);
    for (uint32_t i = 0; i < anchors->point_count; ++i) {
        split_point(anchors, fields, i, split + starts[i]);
    }
    sni_free(anchors->context, anchors->tie_starts);
    sni_free(anchors->context, anchors->ties);
    anchors->tie_starts = starts;
    anchors->ties = split;
    starts = NULL;
cleanup:
    sni_free(anchors->context, starts);
    return status;
}

// The corners of the cell of a tie: (s, t) = 00, 10, 01, 11 of both slices.
static void cell_corners(const sni_component *component, const sni_slice_tie *tie,
                         uint32_t corners[8]) {
    static const uint32_t ring[RING] = {0, 1, 3, 2};
    uint32_t slice = tie->slice;
    for (uint32_t i = 0; i < tie->row; ++i) {
        slice -= component->strips[i].slice_count;
    }
    for (uint32_t k = 0; k < 8; ++k) {
        corners[k] = component->strips[tie->row].first + (slice + k / 4) * RING + ring[k % 4];
    }
}

// W goes with s - t and T with 1 - s - t.
void sni_anchors_find_strip(const sni_anchors *anchors, const sni_component *component,
                            const sni_slice_field *field, uint32_t point, uint32_t number,
                            sni_deep_anchor *deep) {
    sni_slice_tie ties[SNI_MOST_SLICE_TIES];
    sn_vec3 at = rest_of(anchors, point);
    sni_slice_field_find(field, at, ties, NULL);
    const sni_slice_tie *tie = &ties[number];
    cell_corners(component, tie, deep->corners);
    deep->q[0] = (1 - tie->thick + tie->wide) / 2;
    deep->q[1] = (1 - tie->thick - tie->wide) / 2;
    deep->q[2] = tie->along;
    sni_cell cell = sni_load_cell(component->strip_points, deep->corners);
    deep->residual =
        tie->off != 0 ? sn_vec3_sub(at, sni_cell_point(&cell, deep->q)) : sn_vec3_make(0, 0, 0);
    deep->found = tie->off == 0 ? SNI_INVERSE_NEWTON : SNI_INVERSE_CLOSEST;
    sni_cell_frame(&cell, deep->q, deep->axes);
    deep->inverted = sni_cell_is_inverted(&cell, deep->q);
}
