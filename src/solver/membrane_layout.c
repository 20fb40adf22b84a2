// SPDX-License-Identifier: Apache-2.0
//
// From springs and the order of vertices to what rounds read.
#include "solver/membrane_internal.h"

// 1 / r of an edge without rest length: far above any in use, and its product with a length is
// finite.
static const float no_length = 1e18f;

// Places of a block, whole slices: some hundred microseconds.
enum { FILL_GRAIN = 512 * SNI_WIDTH };

// The first row of each slice.
static sn_status count_rows(sni_membrane *m, const sni_membrane_springs *springs, sn_error *error) {
    uint64_t row = 0;
    for (uint32_t s = 0; s < m->slice_count; ++s) {
        uint32_t most = 0;
        for (uint32_t i = 0; i < SNI_WIDTH; ++i) {
            uint32_t v = m->order[SNI_WIDTH * s + i];
            uint32_t degree = v != SN_NONE ? sni_membrane_degree(springs, v) : 0;
            most = degree > most ? degree : most;
        }
        m->starts[s] = (uint32_t)row;
        row += most;
        if (row > UINT32_MAX / SNI_WIDTH) {
            return sni_fail(error, SN_LIMIT, "membrane: too many edges");
        }
    }
    m->starts[m->slice_count] = (uint32_t)row;
    return SN_OK;
}

// The springs of the vertex at a place; returns the sum of their stiffnesses, as floats have them.
static double fill_springs(sni_membrane *m, const sni_membrane_springs *springs,
                           const uint32_t *places, uint32_t place) {
    uint32_t slice = place / SNI_WIDTH, lane = place % SNI_WIDTH, v = m->order[place];
    uint32_t first = v != SN_NONE ? springs->offsets[v] : 0;
    uint32_t degree = v != SN_NONE ? sni_membrane_degree(springs, v) : 0;
    double sum = 0;
    for (uint32_t row = m->starts[slice]; row < m->starts[slice + 1]; ++row) {
        size_t at = SNI_WIDTH * (size_t)row + lane;
        uint32_t spring = first + row - m->starts[slice];
        bool used = row - m->starts[slice] < degree;
        double length = used ? springs->rests[spring] : 0;
        m->neighbours[at] = 4 * (used ? places[springs->neighbours[spring]] : place);
        m->stiffness[at] = used ? (float)springs->stiffness[spring] : 0;
        m->inverse_rest[at] = length * no_length > 1 ? (float)(1 / length) : no_length;
        sum += (double)m->stiffness[at];
    }
    return sum;
}

typedef struct filling {
    sni_membrane *membrane;
    const sni_membrane_springs *springs;
    const uint32_t *places; // vertex_count
    double scale;           // k_a over the vertex' area
    double *totals;         // of each place: D
} filling;

// Equation 2, and the sums D.
static void fill_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const filling *f = user;
    sni_membrane *m = f->membrane;
    for (uint32_t place = begin; place < end; ++place) {
        uint32_t v = m->order[place];
        double total = fill_springs(m, f->springs, f->places, place);
        m->anchor[place] = v != SN_NONE ? (float)(f->scale * f->springs->areas[v]) : 0;
        total += (double)m->anchor[place];
        m->inverse_total[place] = total > 0 ? (float)(1 / total) : 0;
        f->totals[place] = total;
    }
}

static sn_status fill_totals(sni_membrane *m, const sni_membrane_desc *desc,
                             const sni_membrane_springs *springs, const uint32_t *places,
                             sn_error *error) {
    double unit = desc->unit > 0 ? desc->unit : springs->mean_edge;
    uint32_t count = SNI_WIDTH * m->slice_count;
    filling f = {.membrane = m,
                 .springs = springs,
                 .places = places,
                 .scale = unit > 0 ? desc->anchor / (3 * unit * unit) : 0};
    double anchors = 0;
    sn_status status = SN_OK;
    SNI_NEW(m->context, f.totals, count);
    sn_parallel_for(m->context, count, FILL_GRAIN, fill_block, &f);
    m->total = 0;
    for (uint32_t place = 0; place < count; ++place) {
        anchors += (double)m->anchor[place];
        m->total += f.totals[place];
    }
    m->anchor_share = m->total > 0 ? anchors / m->total : 0;
cleanup:
    sni_free(m->context, f.totals);
    return status;
}

sn_status sni_membrane_lay_out(sni_membrane *m, const sni_membrane_desc *desc,
                               const sni_membrane_springs *springs, sn_error *error) {
    SN_ASSERT(m->vertex_count == desc->vertex_count);
    sn_status status = SN_OK;
    uint32_t *places = NULL, *ranks = NULL;
    SN_TRY(sni_membrane_order_make(m, desc, springs, &ranks, error));
    size_t place_count = SNI_WIDTH * (size_t)m->slice_count;
    SNI_NEW(m->context, places, desc->vertex_count);
    SNI_NEW(m->context, m->starts, (size_t)m->slice_count + 1);
    SNI_NEW(m->context, m->anchor, place_count);
    SNI_NEW(m->context, m->inverse_total, place_count);
    for (uint32_t i = 0; i < place_count; ++i) {
        if (m->order[i] != SN_NONE) {
            places[m->order[i]] = i;
        }
    }
    SN_TRY(count_rows(m, springs, error));
    size_t spring_count = SNI_WIDTH * (size_t)m->starts[m->slice_count];
    SNI_NEW(m->context, m->neighbours, spring_count);
    SNI_NEW(m->context, m->stiffness, spring_count);
    SNI_NEW(m->context, m->inverse_rest, spring_count);
    SN_TRY(fill_totals(m, desc, springs, places, error));
    SN_TRY(sni_membrane_schedule_make(m, ranks, error));
cleanup:
    sni_free(m->context, places);
    sni_free(m->context, ranks);
    return status;
}
