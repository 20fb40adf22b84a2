// SPDX-License-Identifier: Apache-2.0
#include "fit/bind/parts.h"

#include "fit/bind/rows.h"

#include <math.h>
#include <string.h>

// A part is small below this fraction of the diagonal of all.
static const double small_part = 0.06;

// Vertices per block.
static const uint32_t grain = 256;

// More limbs than this are not added up for one row.
enum { MOST_MIXED = SNI_ROW_LIMIT };

typedef struct part {
    sn_vec3 low, high;
    uint32_t limb;  // the only one whose line runs in it; SN_NONE: none
    bool several;   // limbs run in it
    uint32_t count; // of its vertices
    uint32_t mixed_count;
    sni_influence mixed[MOST_MIXED]; // sum of its rows
} part;

static uint32_t vertex_count(const sni_parts *p) {
    return p->volume->node_count - p->volume->inner_count;
}

static sni_influence *row_of(const sni_parts *p, uint32_t vertex) {
    return p->rows + (size_t)vertex * p->width;
}

static bool is_reached(const sni_parts *p, uint32_t vertex) {
    return p->routes->lines[p->volume->inner_count + vertex] != SN_NONE;
}

static uint32_t part_of(const sni_parts *p, uint32_t vertex) {
    return p->volume->parts[vertex];
}

// ---------------------------------------------------------------------------------------------
// Sums of rows

static void mix(part *to, const sni_influence *row, uint32_t width) {
    for (uint32_t i = 0; i < width && row[i].limb != SN_NONE; ++i) {
        uint32_t k = 0;
        while (k < to->mixed_count && to->mixed[k].limb != row[i].limb) {
            ++k;
        }
        if (k == to->mixed_count && k < MOST_MIXED) {
            to->mixed[to->mixed_count++] = (sni_influence){row[i].limb, 0};
        }
        if (k < to->mixed_count) {
            to->mixed[k].weight += row[i].weight;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Loose parts

typedef struct loose {
    const sni_parts *parts;
    sn_accel *accel;    // of the triangles that limbs reach
    uint32_t *vertices; // their vertices
} loose;

static sn_status find_reached(loose *l, sn_error *error) {
    sn_status status = SN_OK;
    const sni_volume *v = l->parts->volume;
    uint32_t count = 0;
    SNI_NEW(v->context, l->vertices, 3 * (size_t)v->skin->triangle_count);
    for (uint32_t t = 0; t < v->skin->triangle_count; ++t) {
        const uint32_t *triangle = v->vertices + 3 * (size_t)t;
        if (is_reached(l->parts, v->vertex_nodes[triangle[0]] - v->inner_count)) {
            memcpy(l->vertices + 3 * (size_t)count++, triangle, 3 * sizeof *triangle);
        }
    }
    if (count == 0) { // a bone in a pocket of the grid that no vertex sees
        SN_TRY(sni_fail(error, SN_INVALID, "no bone of the skeleton reaches the mesh's surface"));
    }
    SN_TRY(sn_accel_create(v->context, v->skin->positions, v->skin->vertex_count, l->vertices,
                           count, &l->accel, error));
cleanup:
    return status;
}

// The weights of the point of the surface that is nearest to a vertex.
static void take_nearest(const loose *l, sn_vec3 point, sni_influence *row) {
    const sni_parts *p = l->parts;
    const sni_volume *v = p->volume;
    sn_closest closest;
    part mixed = {0};
    sn_accel_find_closest(l->accel, point, INFINITY, &closest);
    for (uint32_t k = 0; k < 3; ++k) {
        uint32_t vertex = l->vertices[3 * (size_t)closest.triangle + k];
        sni_influence corner[MOST_MIXED];
        memcpy(corner, row_of(p, v->vertex_nodes[vertex] - v->inner_count),
               p->width * sizeof *corner);
        for (uint32_t i = 0; i < p->width; ++i) {
            corner[i].weight *= closest.barycentric[k];
        }
        mix(&mixed, corner, p->width);
    }
    sni_influences_clear(row, p->width);
    for (uint32_t i = 0; i < mixed.mixed_count; ++i) {
        sni_insert_influence(row, p->width, mixed.mixed[i].limb, mixed.mixed[i].weight);
    }
    sni_row_tidy(p, row);
}

static void settle_loose_rows(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const loose *l = user;
    for (uint32_t v = begin; v < end; ++v) {
        if (!is_reached(l->parts, v)) {
            take_nearest(l, l->parts->volume->points[l->parts->volume->inner_count + v],
                         row_of(l->parts, v));
        }
    }
}

static sn_status count_loose(sni_parts *p, sn_error *error) {
    sn_status status = SN_OK;
    uint8_t *seen = NULL;
    SNI_NEW_ZERO(p->volume->context, seen, p->volume->part_count);
    for (uint32_t v = 0; v < vertex_count(p); ++v) {
        if (!is_reached(p, v) && !seen[part_of(p, v)]) {
            seen[part_of(p, v)] = 1;
            p->loose_count++;
        }
    }
cleanup:
    sni_free(p->volume->context, seen);
    return status;
}

static sn_status settle_loose_parts(const sni_parts *p, sn_error *error) {
    sn_status status = SN_OK;
    loose l = {.parts = p};
    SN_TRY(find_reached(&l, error));
    sn_parallel_for(p->volume->context, vertex_count(p), grain, settle_loose_rows, &l);
cleanup:
    sn_accel_destroy(l.accel);
    sni_free(p->volume->context, l.vertices);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Small parts

// Which parts limbs run in: that of the surface nearest to each of their points.
static void find_limbs(const sni_parts *p, part *parts) {
    const sni_volume *v = p->volume;
    for (uint32_t line = 0; line < p->limbs->line_count; ++line) {
        const sni_limb_line *l = &p->limbs->lines[line];
        uint32_t count = p->inside->used[l->segment] ? sni_line_point_count(l, v->spacing) : 0;
        for (uint32_t i = 0; i < count; ++i) {
            sn_closest closest;
            uint32_t near[SNI_VOLUME_NEAR];
            sn_vec3 point = sni_line_point(l, count, i);
            if (sni_volume_near(v, point, 0, near) == 0) {
                continue;
            }
            sn_accel_find_closest(v->accel, point, INFINITY, &closest);
            uint32_t vertex = v->vertices[3 * (size_t)closest.triangle];
            part *in = &parts[part_of(p, v->vertex_nodes[vertex] - v->inner_count)];
            in->several = in->several || (in->limb != SN_NONE && in->limb != l->segment);
            in->limb = l->segment;
        }
    }
}

static void gather_parts(const sni_parts *p, part *parts) {
    for (uint32_t i = 0; i < p->volume->part_count; ++i) {
        parts[i] = (part){.low = {INFINITY, INFINITY, INFINITY},
                          .high = {-INFINITY, -INFINITY, -INFINITY},
                          .limb = SN_NONE};
    }
    for (uint32_t v = 0; v < vertex_count(p); ++v) {
        part *in = &parts[part_of(p, v)];
        sn_vec3 point = p->volume->points[p->volume->inner_count + v];
        in->low = sn_vec3_min(in->low, point);
        in->high = sn_vec3_max(in->high, point);
        in->count += 1;
        mix(in, row_of(p, v), p->width);
    }
    find_limbs(p, parts);
}

static bool moves_as_one(const sni_parts *p, const part *in) {
    double size = sn_vec3_distance(in->low, in->high);
    return !in->several && size < small_part * p->volume->skin->diagonal;
}

// The row of a small part: on the limb that runs in it, else the mean of its vertices'.
static void write_as_one(const sni_parts *p, const part *in, sni_influence *row) {
    sni_influences_clear(row, p->width);
    if (in->limb != SN_NONE) {
        row[0] = (sni_influence){in->limb, 1};
        return;
    }
    for (uint32_t i = 0; i < in->mixed_count; ++i) {
        sni_insert_influence(row, p->width, in->mixed[i].limb, in->mixed[i].weight);
    }
    sni_row_part_sides(p, sn_vec3_lerp(in->low, in->high, 0.5), row);
    sni_row_tidy(p, row);
}

static sn_status settle_small_parts(const sni_parts *p, sn_error *error) {
    sn_status status = SN_OK;
    part *parts = NULL;
    SNI_NEW(p->volume->context, parts, p->volume->part_count);
    gather_parts(p, parts);
    for (uint32_t v = 0; v < vertex_count(p); ++v) {
        const part *in = &parts[part_of(p, v)];
        if (moves_as_one(p, in)) {
            write_as_one(p, in, row_of(p, v));
        }
    }
cleanup:
    sni_free(p->volume->context, parts);
    return status;
}

sn_status sni_parts_settle(sni_parts *p, const sn_progress *progress, sn_error *error) {
    SN_ASSERT(p->width <= MOST_MIXED && p->influences <= p->width);
    sn_status status = SN_OK;
    SN_TRY(sni_rows_settle(p, progress, error));
    SN_TRY(count_loose(p, error));
    if (p->loose_count > 0) {
        SN_TRY(settle_loose_parts(p, error));
    }
    SN_TRY(settle_small_parts(p, error));
cleanup:
    return status;
}
