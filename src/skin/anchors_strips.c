// SPDX-License-Identifier: Apache-2.0
//
// Anchors on components with strips below their surface. A point there has a virtual anchor in
// every strip that it follows (skin/slices.h), as the surface itself has: between two strips skin
// and muscle go together. Each is a tie of its own, and the weight of the component is shared out.
#include "skin/anchors_internal.h"

#include "base/rows.h"

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

// Points of a block: some hundred microseconds.
enum { SPLIT_GRAIN = 256 };

typedef struct splitting {
    const sni_anchors *anchors;
    sni_slice_field *const *fields;
    uint32_t *starts;     // point_count + 1
    sni_tie *ties;        // NULL: they are counted
    sni_slice_tie *cells; // of each tie
} splitting;

// The ties of a point, with those to strips in place of those to components that have them.
static uint32_t split_point(const splitting *s, uint32_t point) {
    const sni_anchors *anchors = s->anchors;
    uint32_t count = 0;
    for (uint32_t k = anchors->tie_starts[point]; k < anchors->tie_starts[point + 1]; ++k) {
        const sni_tie *tie = &anchors->ties[k];
        const sni_slice_field *field = s->fields[tie->component];
        sni_slice_tie found[SNI_MOST_SLICE_TIES] = {{.weight = 1}};
        uint32_t strips = 1; // of a single row nothing need be found to know that
        if (field != NULL && (s->ties != NULL || sni_slice_field_row_count(field) > 1)) {
            strips = sni_slice_field_find(field, rest_of(anchors, point), found, NULL);
        }
        for (uint32_t n = 0; n < strips && s->ties != NULL; ++n) {
            size_t at = (size_t)s->starts[point] + count + n;
            s->ties[at] = *tie;
            s->ties[at].weight = (float)((double)tie->weight * found[n].weight);
            s->cells[at] = found[n];
        }
        count += strips;
    }
    return count;
}

static void split_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const splitting *s = user;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t count = split_point(s, i);
        if (s->ties == NULL) {
            s->starts[i + 1] = count;
        }
    }
}

static bool has_field(sni_slice_field *const *fields, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (fields[i] != NULL) {
            return true;
        }
    }
    return false;
}

sn_status sni_anchors_split(sni_anchors *anchors, sni_slice_field *const *fields,
                            sni_slice_tie **cells, sn_error *error) {
    SN_ASSERT(fields != NULL && cells != NULL);
    splitting s = {.anchors = anchors, .fields = fields};
    sn_status status = SN_OK;
    if (!has_field(fields, anchors->component_count)) {
        return SN_OK;
    }
    SNI_NEW(anchors->context, s.starts, (size_t)anchors->point_count + 1);
    s.starts[0] = 0;
    sn_parallel_for(anchors->context, anchors->point_count, SPLIT_GRAIN, split_block, &s);
    uint32_t tie_count = sni_rows_begin(s.starts, anchors->point_count);
    SNI_NEW(anchors->context, *cells, tie_count);
    s.cells = *cells;
    SNI_NEW(anchors->context, s.ties, tie_count);
    sn_parallel_for(anchors->context, anchors->point_count, SPLIT_GRAIN, split_block, &s);
    sni_free(anchors->context, anchors->tie_starts);
    sni_free(anchors->context, anchors->ties);
    anchors->tie_starts = s.starts;
    anchors->ties = s.ties;
    s.starts = NULL;
cleanup:
    sni_free(anchors->context, s.starts);
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
                            const sni_slice_tie *tie, uint32_t point, sni_deep_anchor *deep) {
    SN_ASSERT(point < anchors->point_count);
    sn_vec3 at = rest_of(anchors, point);
    cell_corners(component, tie, deep->corners);
    deep->q[0] = (1 - tie->thick + tie->wide) / 2;
    deep->q[1] = (1 - tie->thick - tie->wide) / 2;
    deep->q[2] = tie->along;
    sni_cell cell = sni_load_cell(component->strip_points, deep->corners);
    deep->residual =
        tie->off != 0 ? sn_vec3_sub(at, sni_cell_point(&cell, deep->q)) : sn_vec3_make(0, 0, 0);
    deep->found = tie->off == 0 ? SNI_INVERSE_NEWTON : SNI_INVERSE_CLOSEST;
    sni_cell_frame(&cell, deep->q, deep->axes);
}
