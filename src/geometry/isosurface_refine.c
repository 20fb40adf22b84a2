// SPDX-License-Identifier: Apache-2.0
//
// Better triangles and an exact level: rounds of
//
//     x += 1/2 (1 - n n') (mean of the neighbours - x)
//
// with the surface's own normal n, which move vertices along the surface only, then one step of
// Newton's method, x += (level - f) g / |g|^2, on the field f interpolated between nodes with its
// gradient g. Gradients are central differences at the nodes, interpolated alike. A few needles are
// left in creases as narrow as the spacing: their vertices go half way to the mean of their
// neighbours until they are none.
#include "geometry/isosurface_internal.h"

#include "base/context.h"
#include "base/rows.h"
#include "geometry/triangle.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 1024, ROUND = 1 << 17 };

// The longest step of Newton's method, in the grid's spacing: where the gradient nearly vanishes it
// says little.
static const double longest_step = 0.5;

// Diagonals that differ by less, in the grid's spacing, are of the same length: values are floats.
static const double even_lengths = 1e-5;

// A few rounds do for needles.
enum { NEEDLE_ROUNDS = 12 };

typedef struct refiner {
    sni_isosurface *surface;
    const sni_field *field;
    const sni_isosurface_desc *desc;
    sni_vertex_corners table;
    uint32_t *beyond; // 3 triangle_count: see find_even_diagonals
    sn_vec3 *moved;   // vertex_count
} refiner;

sn_status sni_vertex_corners_init(const sni_isosurface *surface, sni_vertex_corners *table,
                                  sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = surface->context;
    uint32_t corner_count = 3 * surface->triangle_count;
    SNI_NEW(context, table->offsets, (size_t)surface->vertex_count + 1);
    SNI_NEW(context, table->corners, corner_count);
    sni_rows_from_keys(surface->vertices, corner_count, 1, surface->vertex_count, table->offsets,
                       table->corners);
cleanup:
    return status;
}

void sni_vertex_corners_deinit(sn_context *context, sni_vertex_corners *table) {
    sni_free(context, table->offsets);
    sni_free(context, table->corners);
}

// ---------------------------------------------------------------------------------------------
// Evening out

static uint32_t vertex_after(const sni_isosurface *s, uint32_t corner) {
    return s->vertices[sni_next_corner(corner)];
}

static uint32_t vertex_before(const sni_isosurface *s, uint32_t corner) {
    return vertex_after(s, sni_next_corner(corner));
}

// The vertex beyond the edge that a corner's vertex has to the next one.
static uint32_t vertex_beyond(const refiner *r, uint32_t corner) {
    const sni_isosurface *s = r->surface;
    uint32_t v = s->vertices[corner], next = vertex_after(s, corner);
    for (uint32_t i = r->table.offsets[v]; i < r->table.offsets[v + 1]; ++i) {
        if (vertex_before(s, r->table.corners[i]) == next) {
            return vertex_after(s, r->table.corners[i]);
        }
    }
    return SN_NONE;
}

// Over the middle of a surface that is its own mirror image, four points have diagonals of the same
// length, and which one divides them is chance: it must not draw its ends together. `beyond` is,
// for corners whose edge to the next vertex is such a diagonal, the vertex beyond it, else SN_NONE.
static void find_even_diagonals(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const refiner *r = user;
    const sn_vec3 *p = r->surface->points;
    for (uint32_t c = begin; c < end; ++c) {
        uint32_t beyond = vertex_beyond(r, c);
        double other = beyond != SN_NONE
                           ? sn_vec3_distance(p[beyond], p[vertex_before(r->surface, c)])
                           : INFINITY;
        double own = sn_vec3_distance(p[r->surface->vertices[c]], p[vertex_after(r->surface, c)]);
        bool even = fabs(own - other) <= even_lengths * r->field->grid.spacing;
        r->beyond[c] = even ? beyond : SN_NONE;
    }
}

// The mean way to the neighbours, and the normal. Each neighbour of a vertex of a closed surface
// follows it in one triangle; those at the other end of an even diagonal are passed over.
static sn_vec3 mean_way(const refiner *r, uint32_t v, sn_vec3 *normal) {
    const sni_isosurface *s = r->surface;
    sn_vec3 x = s->points[v], sum = {0, 0, 0};
    uint32_t count = 0;
    *normal = sn_vec3_make(0, 0, 0);
    for (uint32_t i = r->table.offsets[v]; i < r->table.offsets[v + 1]; ++i) {
        uint32_t corner = r->table.corners[i], beyond = r->beyond[corner];
        uint32_t to = sni_next_corner(sni_next_corner(corner)); // its edge leads back to v
        uint32_t from = beyond != SN_NONE ? beyond : vertex_after(s, corner);
        sn_vec3 a = sn_vec3_sub(s->points[from], x);
        sn_vec3 b = sn_vec3_sub(s->points[s->vertices[to]], x);
        if (beyond == SN_NONE) {
            sum = sn_vec3_add(sum, a);
            ++count;
        }
        if (r->beyond[to] == SN_NONE) {
            *normal = sn_vec3_add(*normal, sn_vec3_cross(a, b));
        }
    }
    return sn_vec3_scale(sum, count > 0 ? 1.0 / count : 0);
}

static sn_vec3 relax_vertex(const refiner *r, uint32_t v) {
    sn_vec3 normal, way = mean_way(r, v, &normal);
    sn_vec3 n = sn_vec3_normalize_or(normal, (sn_vec3){0, 0, 0});
    way = sn_vec3_add_scaled(way, -sn_vec3_dot(way, n), n);
    return sn_vec3_add_scaled(r->surface->points[v], 0.5, way);
}

static void relax_vertices(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const refiner *r = user;
    for (uint32_t v = begin; v < end; ++v) {
        r->moved[v] = relax_vertex(r, v);
    }
}

static sn_status relax(refiner *r, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    sni_isosurface *s = r->surface;
    SN_TRY(sni_vertex_corners_init(s, &r->table, error));
    SNI_NEW(s->context, r->moved, s->vertex_count);
    SNI_NEW(s->context, r->beyond, 3 * (size_t)s->triangle_count);
    sn_parallel_for(s->context, 3 * s->triangle_count, GRAIN, find_even_diagonals, r);
    for (uint32_t round = 0; round < r->desc->relax; ++round) {
        SN_TRY(sni_parallel_rounds(s->context, s->vertex_count, GRAIN, ROUND, relax_vertices, r,
                                   progress, "evening out", error));
        sn_vec3 *before = s->points;
        s->points = r->moved;
        r->moved = before;
    }
cleanup:
    return status;
}

static bool is_needle(const sni_isosurface *s, uint32_t triangle) {
    const uint32_t *corners = s->vertices + 3 * (size_t)triangle;
    return sni_triangle_is_needle(s->points[corners[0]], s->points[corners[1]],
                                  s->points[corners[2]]);
}

// One round over all needles; whether there were any. Vertices of the same round see each other
// where they were.
static bool blunt(refiner *r) {
    sni_isosurface *s = r->surface;
    bool any = false;
    memcpy(r->moved, s->points, s->vertex_count * sizeof *s->points);
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        for (uint32_t k = 0; k < 3 && is_needle(s, t); ++k) {
            uint32_t v = s->vertices[3 * (size_t)t + k];
            sn_vec3 normal;
            r->moved[v] = sn_vec3_add_scaled(s->points[v], 0.5, mean_way(r, v, &normal));
            any = true;
        }
    }
    sn_vec3 *before = s->points;
    s->points = r->moved;
    r->moved = before;
    return any;
}

// ---------------------------------------------------------------------------------------------
// The field between nodes

enum { NEAR = 4, NEAR_COUNT = NEAR * NEAR * NEAR }; // nodes of a cell, and those around them

// The nodes around the cell that was looked at last: the next point is often in the same.
typedef struct field_cell {
    int32_t place[3];
    double values[NEAR_COUNT];
} field_cell;

static const field_cell no_cell = {.place = {-1, -1, -1}};

typedef struct field_sample {
    double value;
    sn_vec3 gradient; // per unit of length
} field_sample;

static void read_cell(const sni_field *field, const int32_t place[3], field_cell *cell) {
    if (memcmp(cell->place, place, sizeof cell->place) == 0) {
        return;
    }
    const int32_t begin[3] = {place[0] - 1, place[1] - 1, place[2] - 1};
    field->read(field->user, begin, (const int32_t[3]){NEAR, NEAR, NEAR}, cell->values);
    memcpy(cell->place, place, sizeof cell->place);
}

static field_sample sample_field(const sni_field *field, sn_vec3 point, field_cell *cell) {
    const sni_grid *grid = &field->grid;
    sn_vec3 at = sn_vec3_scale(sn_vec3_sub(point, grid->origin), 1 / grid->spacing);
    const double numbers[3] = {at.x, at.y, at.z};
    int32_t place[3];
    double weights[3][2];
    for (int axis = 0; axis < 3; ++axis) {
        double last = grid->dimensions[axis], low = floor(numbers[axis]);
        low = low < 0 ? 0 : low > last ? last : low;
        place[axis] = (int32_t)low;
        weights[axis][1] = numbers[axis] - low;
        weights[axis][0] = 1 - weights[axis][1];
    }
    read_cell(field, place, cell);
    field_sample sample = {0};
    for (int corner = 0; corner < 8; ++corner) {
        int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
        const double *v = cell->values + ((z + 1) * NEAR + y + 1) * NEAR + x + 1;
        double weight = weights[0][x] * weights[1][y] * weights[2][z];
        sample.value += weight * v[0];
        sample.gradient.x += weight * (v[1] - v[-1]);
        sample.gradient.y += weight * (v[NEAR] - v[-NEAR]);
        sample.gradient.z += weight * (v[NEAR * NEAR] - v[-NEAR * NEAR]);
    }
    sample.gradient = sn_vec3_scale(sample.gradient, 0.5 / grid->spacing);
    return sample;
}

static sn_vec3 newton_step(const refiner *r, const field_sample *f) {
    double square = sn_vec3_dot(f->gradient, f->gradient);
    double factor = (r->desc->level - f->value) / square;
    double length = fabs(factor) * sqrt(square), most = longest_step * r->field->grid.spacing;
    if (!(square > 0) || !isfinite(factor)) {
        return (sn_vec3){0, 0, 0};
    }
    return sn_vec3_scale(f->gradient, length > most ? factor * most / length : factor);
}

static void finish_vertices(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const refiner *r = user;
    field_cell cell = no_cell;
    for (uint32_t v = begin; v < end; ++v) {
        sn_vec3 *point = &r->surface->points[v];
        field_sample f = sample_field(r->field, *point, &cell);
        if (r->desc->project) {
            *point = sn_vec3_add(*point, newton_step(r, &f));
            f = r->desc->normals ? sample_field(r->field, *point, &cell) : f;
        }
        if (r->desc->normals) {
            // Out of the inside: against the gradient where the inside is greater.
            sn_vec3 out = sn_vec3_scale(f.gradient, r->desc->inside_is_less ? 1 : -1);
            sn_vec3_store(sn_vec3_normalize_or(out, (sn_vec3){0, 1, 0}),
                          r->surface->normals + 3 * (size_t)v);
        }
    }
}

sn_status sni_isosurface_refine(sni_isosurface *surface, const sni_field *field,
                                const sni_isosurface_desc *desc, const sn_progress *progress,
                                sn_error *error) {
    SN_ASSERT(field->read != NULL);
    sn_status status = SN_OK;
    refiner r = {.surface = surface, .field = field, .desc = desc};
    if (desc->relax > 0) {
        SN_TRY(relax(&r, progress, error));
    }
    if (desc->normals) {
        SNI_NEW(surface->context, surface->normals, 3 * (size_t)surface->vertex_count);
    }
    if (desc->project || desc->normals) {
        SN_TRY(sni_parallel_rounds(surface->context, surface->vertex_count, GRAIN, ROUND,
                                   finish_vertices, &r, progress, "finding the level", error));
    }
    for (int i = 0; i < NEEDLE_ROUNDS && desc->relax > 0 && blunt(&r);) {
        ++i;
    }
    SN_TRY(sni_progress(progress, "finding the level", 1, error));
cleanup:
    sni_vertex_corners_deinit(surface->context, &r.table);
    sni_free(surface->context, r.beyond);
    sni_free(surface->context, r.moved);
    return status;
}
