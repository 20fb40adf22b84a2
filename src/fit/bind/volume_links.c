// SPDX-License-Identifier: Apache-2.0
//
// Links between the nodes of a volume. Conductances are those of a body of equal stuff, in units of
// the grid: 1 between neighbours in the grid, since a cube's face over its length is one spacing.
// The surface counts as a sheet of half a spacing, which keeps parts together that are thinner than
// the grid can see: ears, lips, coats.
#include "fit/bind/volume.h"

#include "base/rows.h"

#include <math.h>

// Vertices per block.
static const uint32_t grain = 64;

enum { VERTEX_LINKS = 8 };

// Of the sheet, between two vertices: its thickness in spacings.
static const float sheet = 0.5F;

// A vertex stands for no less surface than this, so that none hangs on nothing.
static const double least_area = 0.01;

typedef struct links {
    sni_volume *volume;
    int axis;
    uint8_t *open;          // inner_count: bit for each axis: linked with the next along it
    uint32_t *vertex_links; // vertices x VERTEX_LINKS: nodes of the grid, SN_NONE
} links;

// ---------------------------------------------------------------------------------------------
// In the grid

// Opens the links of a row between nodes where the way between them does not leave the body.
static void open_row(const links *l, const sni_volume_row *row) {
    const sni_volume *v = l->volume;
    double from = 0;
    for (uint32_t i = 0; i + 1 < row->count; ++i) {
        uint32_t node = v->nodes[row->first + i * row->stride];
        uint32_t next = v->nodes[row->first + (i + 1) * row->stride];
        if (node == SN_NONE || next == SN_NONE) {
            continue;
        }
        int left = 0, worst = 0;
        from = i * v->spacing;
        for (int sign = 1; sign != 0;) {
            sign = sni_volume_cross(v, row->origin, row->direction, &from, (i + 1) * v->spacing);
            left += sign;
            worst = left > worst ? left : worst;
        }
        l->open[node] |= (uint8_t)((worst < v->windings[node]) << l->axis);
    }
}

static void open_rows(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const links *l = user;
    for (uint32_t i = begin; i < end; ++i) {
        sni_volume_row row = sni_volume_row_at(l->volume, l->axis, i);
        open_row(l, &row);
    }
}

// ---------------------------------------------------------------------------------------------
// From the surface into the grid

// The nodes around a vertex that it can be seen from; further ones only where the cell has none.
static void link_vertex(const links *l, uint32_t number) {
    const sni_volume *v = l->volume;
    uint32_t near[SNI_VOLUME_NEAR], count = 0;
    uint32_t *found = l->vertex_links + (size_t)number * VERTEX_LINKS;
    sn_vec3 point = v->points[v->inner_count + number];
    for (uint32_t margin = 0; margin < 2 && count == 0; ++margin) {
        uint32_t near_count = sni_volume_near(v, point, margin, near);
        for (uint32_t i = 0; i < near_count && count < VERTEX_LINKS; ++i) {
            if (sni_volume_sees(v, near[i], point, 1e-3 * v->spacing)) {
                found[count++] = near[i];
            }
        }
    }
    for (; count < VERTEX_LINKS; ++count) {
        found[count] = SN_NONE;
    }
}

static void link_vertices(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        link_vertex(user, i);
    }
}

// ---------------------------------------------------------------------------------------------
// As rows

// Counts links (others NULL) or writes them, both ways.
static void put(sni_volume *v, uint32_t a, uint32_t b, double conductance) {
    if (v->others == NULL) {
        sni_rows_count(v->offsets, a, 1);
        sni_rows_count(v->offsets, b, 1);
        return;
    }
    uint32_t forth = sni_rows_take(v->offsets, a), back = sni_rows_take(v->offsets, b);
    v->others[forth] = b;
    v->others[back] = a;
    v->conductances[forth] = v->conductances[back] = (float)conductance;
}

static void put_grid(const links *l) {
    sni_volume *v = l->volume;
    const uint32_t strides[3] = {1, v->counts[0], v->counts[0] * v->counts[1]};
    for (uint32_t place = 0; place < v->place_count; ++place) {
        uint32_t node = v->nodes[place];
        for (int axis = 0; node != SN_NONE && axis < 3; ++axis) {
            if (l->open[node] >> axis & 1) {
                put(v, node, v->nodes[place + strides[axis]], 1);
            }
        }
    }
}

static void put_vertices(const links *l) {
    sni_volume *v = l->volume;
    for (uint32_t i = 0; i < v->node_count - v->inner_count; ++i) {
        uint32_t node = v->inner_count + i, count = 0;
        const uint32_t *found = l->vertex_links + (size_t)i * VERTEX_LINKS;
        while (count < VERTEX_LINKS && found[count] != SN_NONE) {
            ++count;
        }
        double area = fmin(fmax(v->areas[node], least_area), 1);
        for (uint32_t k = 0; k < count; ++k) {
            double way = sn_vec3_distance(v->points[node], v->points[found[k]]) / v->spacing;
            put(v, node, found[k], area / count / fmax(way, 0.25));
        }
    }
}

static void put_edges(const links *l) {
    sni_volume *v = l->volume;
    const sn_topology *topology = v->topology;
    for (uint32_t e = 0; e < topology->edge_count; ++e) {
        const uint32_t *edge = topology->edges + 2 * (size_t)e;
        put(v, v->vertex_nodes[edge[0]], v->vertex_nodes[edge[1]], sheet);
    }
}

static sn_status make_rows(const links *l, sn_error *error) {
    sn_status status = SN_OK;
    sni_volume *v = l->volume;
    SNI_NEW_ZERO(v->context, v->offsets, (size_t)v->node_count + 1);
    put_grid(l);
    put_vertices(l);
    put_edges(l);
    uint32_t count = sni_rows_begin(v->offsets, v->node_count);
    SNI_NEW(v->context, v->conductances, count);
    SNI_NEW(v->context, v->others, count);
    put_grid(l);
    put_vertices(l);
    put_edges(l);
    sni_rows_end(v->offsets, v->node_count);
cleanup:
    return status;
}

sn_status sni_volume_link(sni_volume *v, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    links l = {.volume = v};
    uint32_t vertex_count = v->node_count - v->inner_count;
    SNI_NEW_ZERO(v->context, l.open, v->inner_count);
    SNI_NEW(v->context, l.vertex_links, (size_t)vertex_count * VERTEX_LINKS);
    for (l.axis = 0; l.axis < 3; ++l.axis) {
        sn_parallel_for(v->context, sni_volume_row_count(v, l.axis), grain, open_rows, &l);
    }
    SN_TRY(sni_parallel_rounds(v->context, vertex_count, grain, 64 * grain, link_vertices, &l,
                               progress, "linking the surface", error));
    SN_TRY(make_rows(&l, error));
cleanup:
    sni_free(v->context, l.open);
    sni_free(v->context, l.vertex_links);
    return status;
}
