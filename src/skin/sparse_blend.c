// SPDX-License-Identifier: Apache-2.0
//
// Packing rows of weights into slices, and editing packed ones. sparse_blend_run.c applies them.
#include "skin/sparse_blend.h"

#include "base/rows.h"
#include "base/simd.h"

#include <math.h>
#include <string.h>

_Static_assert(SNI_BLEND_GRAIN % SNI_WIDTH == 0, "blocks are whole slices");

// Rows that sum to 1 up to this were meant to: files round weights to 8 or 16 bits.
static const double sum_tolerance = 1e-4;

static uint32_t slice_count_of(uint32_t row_count) {
    return row_count / SNI_WIDTH + (row_count % SNI_WIDTH != 0);
}

// Rows come one behind the other (`offsets`) or each from its own place (`rows`).
typedef struct packing {
    const uint32_t *offsets;
    const uint32_t *elements;
    const float *values;
    const sni_blend_row *rows;
    sni_sparse_blend *blend;
} packing;

static sni_blend_row row_of(const packing *p, uint32_t row) {
    if (p->rows != NULL) {
        return p->rows[row];
    }
    uint32_t first = p->offsets[row];
    return (sni_blend_row){p->offsets[row + 1] - first, p->elements + first, p->values + first};
}

// Entries above 0.
static uint32_t row_width(const sni_blend_row *r) {
    uint32_t width = 0;
    for (uint32_t i = 0; i < r->count; ++i) {
        width += r->values[i] > 0;
    }
    return width;
}

static double row_sum(const sni_blend_row *r) {
    double sum = 0;
    for (uint32_t i = 0; i < r->count; ++i) {
        sum += r->values[i];
    }
    return sum;
}

static uint32_t slice_end(uint32_t begin, uint32_t row_count) {
    return row_count - begin < SNI_WIDTH ? row_count : begin + SNI_WIDTH;
}

// Writes the widths of slices [begin, end) one place further on.
static void measure_slices(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const packing *p = user;
    for (uint32_t slice = begin; slice < end; ++slice) {
        uint32_t widest = 0, first = slice * SNI_WIDTH;
        for (uint32_t row = first; row < slice_end(first, p->blend->row_count); ++row) {
            sni_blend_row r = row_of(p, row);
            uint32_t width = p->rows != NULL ? r.count : row_width(&r);
            widest = width > widest ? width : widest;
        }
        p->blend->slice_offsets[slice + 1] = widest;
    }
}

// Turns widths into offsets; false when there are too many entries to number.
static bool sum_widths(sni_sparse_blend *blend) {
    uint64_t offset = 0;
    blend->slice_offsets[0] = 0;
    for (uint32_t slice = 0; slice < slice_count_of(blend->row_count); ++slice) {
        offset += blend->slice_offsets[slice + 1];
        if (offset > UINT32_MAX) {
            return false;
        }
        blend->slice_offsets[slice + 1] = (uint32_t)offset;
    }
    blend->entry_count = (size_t)offset * SNI_WIDTH;
    return true;
}

static sni_sparse_blend_report report_rows(const packing *p) {
    sni_sparse_blend_report report = {0};
    for (uint32_t row = 0; row < p->blend->row_count; ++row) {
        sni_blend_row r = row_of(p, row);
        uint32_t width = row_width(&r);
        report.unweighted += width == 0;
        report.rescaled += width > 0 && fabs(row_sum(&r) - 1) > sum_tolerance;
        report.widest = width > report.widest ? width : report.widest;
    }
    return report;
}

static void swap_entries(sni_sparse_blend *blend, size_t a, size_t b) {
    float weight = blend->weights[a];
    uint32_t element = sni_sparse_blend_element(blend, a);
    blend->weights[a] = blend->weights[b];
    sni_sparse_blend_set_element(blend, a, sni_sparse_blend_element(blend, b));
    blend->weights[b] = weight;
    sni_sparse_blend_set_element(blend, b, element);
}

// Entry k of a row stands SNI_WIDTH * k behind its first. Returns where the largest weight is, of
// equals the first. Places go to one of two arrays, the other one is NULL.
SNI_INLINE size_t pack_entries(const sni_blend_row *row, float *weights, uint16_t *places16,
                               uint32_t *places32) {
    const sni_blend_row r = *row;
    const double sum = row_sum(row);
    size_t end = 0, largest = 0;
    float most = 0;
    for (uint32_t i = 0; i < r.count; ++i) {
        if (r.values[i] > 0) {
            float weight = (float)(r.values[i] / sum);
            weights[end] = weight;
            if (places16 != NULL) {
                places16[end] = (uint16_t)(r.elements[i] * SNI_BLEND_PLACE);
            } else {
                places32[end] = r.elements[i] * SNI_BLEND_PLACE;
            }
            largest = weight > most ? end : largest;
            most = weight > most ? weight : most;
            end += SNI_WIDTH;
        }
    }
    return largest;
}

// The largest weight of a row comes first.
static void pack_row(sni_sparse_blend *blend, const sni_blend_row *r, size_t first) {
    float *weights = blend->weights + first;
    size_t largest = first;
    if (blend->places16 != NULL) {
        largest += pack_entries(r, weights, blend->places16 + first, NULL);
    } else {
        largest += pack_entries(r, weights, NULL, blend->places32 + first);
    }
    if (largest != first) {
        swap_entries(blend, first, largest);
    }
}

// Rows [begin, end) are whole slices.
static void clear_entries(sni_sparse_blend *blend, uint32_t begin, uint32_t end) {
    uint32_t end_slice = slice_count_of(end);
    size_t first = (size_t)blend->slice_offsets[begin / SNI_WIDTH] * SNI_WIDTH;
    size_t count = (size_t)blend->slice_offsets[end_slice] * SNI_WIDTH - first;
    memset(blend->weights + first, 0, count * sizeof *blend->weights);
    if (blend->places16 != NULL) {
        memset(blend->places16 + first, 0, count * sizeof *blend->places16);
    } else {
        memset(blend->places32 + first, 0, count * sizeof *blend->places32);
    }
}

static void pack_rows(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const packing *p = user;
    for (uint32_t row = begin; row < end; ++row) {
        size_t first = (size_t)p->blend->slice_offsets[row / SNI_WIDTH] * SNI_WIDTH;
        sni_blend_row r = row_of(p, row);
        // Just before it is written, so that new memory is fetched once.
        if (row % SNI_WIDTH == 0) {
            clear_entries(p->blend, row, slice_end(row, end));
        }
        pack_row(p->blend, &r, first + row % SNI_WIDTH);
    }
}

sn_status sni_sparse_blend_allocate(sn_context *context, sni_sparse_blend *blend, sn_error *error) {
    sn_status status = SN_OK;
    if (blend->element_count > UINT32_MAX / SNI_BLEND_PLACE) {
        return sni_fail(error, SN_LIMIT, "%u elements, but weights can tell %u apart",
                        blend->element_count, UINT32_MAX / SNI_BLEND_PLACE);
    }
    SNI_NEW(context, blend->weights, blend->entry_count);
    if (blend->element_count <= SNI_BLEND_NARROW) {
        SNI_NEW(context, blend->places16, blend->entry_count);
    } else {
        SNI_NEW(context, blend->places32, blend->entry_count);
    }
cleanup:
    return status;
}

static sn_status pack(sn_context *context, const packing *source, uint32_t row_count,
                      uint32_t element_count, sni_sparse_blend_report *report, sn_error *error) {
    sn_status status = SN_OK;
    packing p = *source;
    *p.blend = (sni_sparse_blend){.row_count = row_count, .element_count = element_count};
    SNI_NEW(context, p.blend->slice_offsets, (size_t)slice_count_of(row_count) + 1);
    sn_parallel_for(context, slice_count_of(row_count), SNI_BLEND_GRAIN / SNI_WIDTH, measure_slices,
                    &p);
    if (!sum_widths(p.blend)) {
        status = sni_fail(error, SN_LIMIT, "more than %zu weights", (size_t)UINT32_MAX * SNI_WIDTH);
        goto cleanup;
    }
    SN_TRY(sni_sparse_blend_allocate(context, p.blend, error));
    sn_parallel_for(context, row_count, SNI_BLEND_GRAIN, pack_rows, &p);
    if (report != NULL) {
        *report = report_rows(&p);
    }
    SN_VALIDATE(sni_sparse_blend_is_valid(p.blend));
    return SN_OK;
cleanup:
    sni_sparse_blend_deinit(context, p.blend);
    return status;
}

sn_status sni_sparse_blend_init(sn_context *context, uint32_t row_count, uint32_t element_count,
                                const uint32_t *offsets, const uint32_t *elements,
                                const float *values, sni_sparse_blend *blend,
                                sni_sparse_blend_report *report, sn_error *error) {
    SN_ASSERT(row_count == 0 || offsets != NULL);
    SN_ASSERT(row_count == 0 || offsets[0] <= offsets[row_count]);
    packing p = {.offsets = offsets, .elements = elements, .values = values, .blend = blend};
    return pack(context, &p, row_count, element_count, report, error);
}

sn_status sni_sparse_blend_init_rows(sn_context *context, uint32_t row_count,
                                     uint32_t element_count, const sni_blend_row *rows,
                                     sni_sparse_blend *blend, sni_sparse_blend_report *report,
                                     sn_error *error) {
    SN_ASSERT(row_count == 0 || rows != NULL);
    packing p = {.rows = rows, .blend = blend};
    return pack(context, &p, row_count, element_count, report, error);
}

bool sni_sparse_blend_entry(const sni_sparse_blend *blend, uint32_t row, uint32_t k,
                            uint32_t *element, float *weight) {
    const uint32_t *offset = blend->slice_offsets + row / SNI_WIDTH;
    size_t entry = ((size_t)offset[0] + k) * SNI_WIDTH + row % SNI_WIDTH;
    if (k >= offset[1] - offset[0] || !(blend->weights[entry] > 0)) {
        return false;
    }
    *element = sni_sparse_blend_element(blend, entry);
    *weight = blend->weights[entry];
    return true;
}

static uint32_t packed_width(const sni_sparse_blend *blend, uint32_t row) {
    uint32_t width = 0, element;
    float weight;
    while (sni_sparse_blend_entry(blend, row, width, &element, &weight)) {
        ++width;
    }
    return width;
}

// Slice widths when row i becomes rows[places[i] - 1], or stays where places[i] is 0.
static void measure_replaced(const sni_sparse_blend *old, const uint32_t *places,
                             const sni_blend_row *rows, sni_sparse_blend *blend) {
    for (uint32_t slice = 0; slice < slice_count_of(old->row_count); ++slice) {
        uint32_t widest = 0, first = slice * SNI_WIDTH;
        for (uint32_t row = first; row < slice_end(first, old->row_count); ++row) {
            uint32_t width =
                places[row] > 0 ? row_width(&rows[places[row] - 1]) : packed_width(old, row);
            widest = width > widest ? width : widest;
        }
        blend->slice_offsets[slice + 1] = widest;
    }
}

static void copy_row(const sni_sparse_blend *old, uint32_t row, sni_sparse_blend *blend,
                     size_t first) {
    uint32_t element;
    float weight;
    for (uint32_t k = 0; sni_sparse_blend_entry(old, row, k, &element, &weight); ++k) {
        blend->weights[first + (size_t)k * SNI_WIDTH] = weight;
        sni_sparse_blend_set_element(blend, first + (size_t)k * SNI_WIDTH, element);
    }
}

sn_status sni_sparse_blend_replace(sn_context *context, sni_sparse_blend *blend, uint32_t count,
                                   const uint32_t *numbers, const sni_blend_row *rows,
                                   sn_error *error) {
    SN_ASSERT(count == 0 || (numbers != NULL && rows != NULL));
    sn_status status = SN_OK;
    uint32_t *places = NULL;
    sni_sparse_blend made = {.row_count = blend->row_count, .element_count = blend->element_count};
    SNI_NEW_ZERO(context, places, blend->row_count);
    for (uint32_t i = 0; i < count; ++i) {
        places[numbers[i]] = i + 1;
    }
    SNI_NEW(context, made.slice_offsets, (size_t)slice_count_of(blend->row_count) + 1);
    measure_replaced(blend, places, rows, &made);
    if (!sum_widths(&made)) {
        status = sni_fail(error, SN_LIMIT, "more than %zu weights", (size_t)UINT32_MAX * SNI_WIDTH);
        goto cleanup;
    }
    SN_TRY(sni_sparse_blend_allocate(context, &made, error));
    clear_entries(&made, 0, made.row_count);
    for (uint32_t row = 0; row < blend->row_count; ++row) {
        size_t first = (size_t)made.slice_offsets[row / SNI_WIDTH] * SNI_WIDTH + row % SNI_WIDTH;
        if (places[row] > 0) {
            pack_row(&made, &rows[places[row] - 1], first);
        } else {
            copy_row(blend, row, &made, first);
        }
    }
    SN_VALIDATE(sni_sparse_blend_is_valid(&made));
    sni_sparse_blend_deinit(context, blend);
    *blend = made;
    made = (sni_sparse_blend){0};
cleanup:
    sni_sparse_blend_deinit(context, &made);
    sni_free(context, places);
    return status;
}

sn_status sni_sparse_blend_renumber(sn_context *context, const sni_sparse_blend *blend,
                                    uint32_t element_count, const uint32_t *numbers,
                                    sni_sparse_blend *renumbered, sn_error *error) {
    sn_status status = SN_OK;
    size_t offset_count = (size_t)slice_count_of(blend->row_count) + 1;
    sni_sparse_blend made = {.row_count = blend->row_count,
                             .element_count = element_count,
                             .entry_count = blend->entry_count};
    SNI_NEW(context, made.slice_offsets, offset_count);
    SN_TRY(sni_sparse_blend_allocate(context, &made, error));
    memcpy(made.slice_offsets, blend->slice_offsets, offset_count * sizeof *made.slice_offsets);
    memcpy(made.weights, blend->weights, blend->entry_count * sizeof *made.weights);
    for (size_t i = 0; i < blend->entry_count; ++i) {
        uint32_t element = sni_sparse_blend_element(blend, i);
        element = numbers != NULL ? numbers[element] : element;
        sni_sparse_blend_set_element(&made, i, element != SN_NONE ? element : 0);
    }
    SN_VALIDATE(sni_sparse_blend_is_valid(&made));
    *renumbered = made;
    return SN_OK;
cleanup:
    sni_sparse_blend_deinit(context, &made);
    return status;
}

bool sni_sparse_blend_is_valid(const sni_sparse_blend *blend) {
    if (!sni_rows_are_valid(blend->slice_offsets, slice_count_of(blend->row_count),
                            blend->entry_count / SNI_WIDTH)) {
        return false;
    }
    for (uint32_t row = 0; row < blend->row_count; ++row) {
        const uint32_t *offset = blend->slice_offsets + row / SNI_WIDTH;
        size_t first = (size_t)offset[0] * SNI_WIDTH + row % SNI_WIDTH;
        double sum = 0;
        bool ended = false;
        for (uint32_t k = 0; k < offset[1] - offset[0]; ++k) {
            size_t entry = first + (size_t)k * SNI_WIDTH;
            float weight = blend->weights[entry];
            if (!(weight >= 0 && weight <= blend->weights[first]) || (ended && weight > 0) ||
                (blend->element_count > 0 &&
                 sni_sparse_blend_element(blend, entry) >= blend->element_count)) {
                return false;
            }
            ended = !(weight > 0);
            sum += weight;
        }
        if (sum != 0 && !(fabs(sum - 1) <= sum_tolerance)) {
            return false;
        }
    }
    return true;
}

void sni_sparse_blend_deinit(sn_context *context, sni_sparse_blend *blend) {
    sni_free(context, blend->slice_offsets);
    sni_free(context, blend->weights);
    sni_free(context, blend->places16);
    sni_free(context, blend->places32);
    *blend = (sni_sparse_blend){0};
}

size_t sni_sparse_blend_bytes(const sni_sparse_blend *blend) {
    size_t place_bytes = blend->places16 != NULL ? sizeof(uint16_t) : sizeof(uint32_t);
    return ((size_t)slice_count_of(blend->row_count) + 1) * sizeof *blend->slice_offsets +
           blend->entry_count * (sizeof *blend->weights + place_bytes);
}
