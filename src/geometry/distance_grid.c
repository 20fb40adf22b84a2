// SPDX-License-Identifier: Apache-2.0
#include "geometry/distance_grid.h"

#include "base/context.h"
#include "base/memory.h"
#include "geometry/accel.h"
#include "geometry/closed.h"
#include "geometry/winding.h"

// Rows of nodes in a block, and fewest nodes along an axis.
enum { GRAIN = 8, LEAST_ALONG = 5 };

sni_distance_grid_desc sni_distance_grid_desc_default(void) {
    return (sni_distance_grid_desc){.margin = 1.0 / 12, .most_nodes = 1u << 19};
}

// ---------------------------------------------------------------------------------------------
// Making

typedef struct making {
    sni_distance_grid *grid;
    const sn_accel *accel;
    const sni_winding *winding;
    bool closed;
    float *turns;   // winding numbers of nodes, where the mesh is open; NULL: it is closed
    double *excess; // of each row of cells
} making;

static sn_vec3 place_of(const sni_distance_grid *grid, double i, double j, double k) {
    sn_vec3 p = sn_vec3_add_scaled(grid->low, grid->spacing, sn_vec3_make(i, j, k));
    sn_vec3 place = sn_vec3_scale(grid->axes[0], p.x);
    return sn_vec3_add_scaled(sn_vec3_add_scaled(place, p.y, grid->axes[1]), p.z, grid->axes[2]);
}

static sn_vec3 along_axes(const sni_distance_grid *grid, sn_vec3 at) {
    return sn_vec3_make(sn_vec3_dot(at, grid->axes[0]), sn_vec3_dot(at, grid->axes[1]),
                        sn_vec3_dot(at, grid->axes[2]));
}

// The side of a surface is told by its winding number, 1 inside and 0 outside. Around the holes of
// an open one it goes over from one to the other; where all around a node are clearly on one side,
// farther from a half than this, so is the node.
static const double clear_turn = 0.2;

// Distances are computed on every fourth node first, then on every second, then on all. A node that
// is far from the surface, measured in the spacing of the nodes before, is interpolated between
// them: a distance d away, a distance field is curved by 1/d at most, so that this is off by no
// more than a sixth of the final spacing, as it is near the surface.
typedef struct pass {
    uint32_t stride;
    double far; // in final spacings: interpolated from there on
} pass;
enum { COARSEST = 4, PASS_COUNT = 3 };
static const pass passes[PASS_COUNT] = {{4, INFINITY}, {2, 24}, {1, 6}};

typedef struct filling {
    const making *m;
    pass pass;
} filling;

static size_t node_at(const sni_distance_grid *grid, uint32_t i, uint32_t j, uint32_t k) {
    return ((size_t)k * grid->counts[1] + j) * grid->counts[0] + i;
}

// What the nodes of the pass before, twice as far apart, say about a node between them.
typedef struct guess {
    double value;   // their mean
    double nearest; // smallest distance of them
    double clear;   // by how much one of them reaches beyond this node without meeting the surface
    bool inside;    // that one is inside
    double turn;    // their mean winding number, where the mesh is open
    double sure;    // how far all of them are from a half, on the same side; 0: they are not
} guess;

static guess guess_at(const making *m, uint32_t stride, uint32_t i, uint32_t j, uint32_t k) {
    const sni_distance_grid *grid = m->grid;
    const uint32_t at[3] = {i, j, k};
    uint32_t low[3], high[3];
    double off = 0;
    for (int axis = 0; axis < 3; ++axis) {
        bool odd = at[axis] / stride % 2 == 1;
        low[axis] = at[axis] - (odd ? stride : 0);
        high[axis] = at[axis] + (odd ? stride : 0);
        off += odd ? 1 : 0;
    }
    guess g = {.nearest = INFINITY, .clear = -INFINITY};
    double reach = sqrt(off) * stride * grid->spacing, least = INFINITY, most = -INFINITY;
    for (int corner = 0; corner < 8; ++corner) {
        size_t node = node_at(grid, corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1],
                              corner & 4 ? high[2] : low[2]);
        double value = grid->values[node], turn = m->turns != NULL ? m->turns[node] : 0;
        g.turn += turn / 8;
        least = fmin(least, turn);
        most = fmax(most, turn);
        g.value += value / 8;
        g.nearest = fmin(g.nearest, fabs(value));
        if (fabs(value) - reach > g.clear) {
            g.clear = fabs(value) - reach;
            g.inside = value < 0;
        }
    }
    g.sure = fmax(fmax(least - 0.5, 0.5 - most), 0);
    return g;
}

// No surface is between a node and what is nearer than the surface, so that a closed one has both
// on the same side; through the holes of an open one a path may lead to the other.
static bool is_inside(const making *m, size_t node, const guess *g, sn_vec3 at) {
    if (m->closed && g->clear > 0) {
        return g->inside;
    }
    bool known = m->turns != NULL && g->clear > 0 && g->sure > clear_turn;
    double turn = known ? g->turn : fabs(sni_winding_at(m->winding, at));
    if (m->turns != NULL) {
        m->turns[node] = (float)turn;
    }
    return turn > 0.5;
}

static void fill_row(const filling *f, uint32_t j, uint32_t k) {
    const making *m = f->m;
    const sni_distance_grid *grid = m->grid;
    uint32_t stride = f->pass.stride, coarse = 2 * stride, near = SN_NONE;
    bool first = stride == COARSEST;
    for (uint32_t i = 0; i < grid->counts[0]; i += stride) {
        if (!first && i % coarse == 0 && j % coarse == 0 && k % coarse == 0) {
            continue;
        }
        size_t node = node_at(grid, i, j, k);
        guess g = first ? (guess){.clear = -1} : guess_at(m, stride, i, j, k);
        if (!first && g.nearest > f->pass.far * grid->spacing) {
            grid->values[node] = (float)g.value;
            if (m->turns != NULL) {
                m->turns[node] = (float)g.turn;
            }
            continue;
        }
        sn_vec3 at = place_of(grid, i, j, k);
        double distance = sni_accel_distance(m->accel, at, &near);
        grid->values[node] = (float)(is_inside(m, node, &g, at) ? -distance : distance);
    }
}

static void fill_rows(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const filling *f = user;
    uint32_t stride = f->pass.stride;
    uint32_t columns = (f->m->grid->counts[1] - 1) / stride + 1;
    (void)worker;
    for (uint32_t row = begin; row < end; ++row) {
        fill_row(f, row % columns * stride, row / columns * stride);
    }
}

static void fill(const making *m) {
    const uint32_t *counts = m->grid->counts;
    for (int i = 0; i < PASS_COUNT; ++i) {
        filling f = {m, passes[i]};
        uint32_t columns = (counts[1] - 1) / f.pass.stride + 1;
        uint32_t rows = columns * ((counts[2] - 1) / f.pass.stride + 1);
        sn_parallel_for(m->grid->context, rows, GRAIN, fill_rows, &f);
    }
}

// Every fourth cell along each axis is tried.
enum { STRIDE = 4 };

static void try_rows(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const making *m = user;
    const sni_distance_grid *grid = m->grid;
    uint32_t columns = (grid->counts[1] - 1 + STRIDE - 1) / STRIDE;
    (void)worker;
    for (uint32_t row = begin; row < end; ++row) {
        uint32_t j = row % columns * STRIDE, k = row / columns * STRIDE, near = SN_NONE;
        m->excess[row] = 0;
        for (uint32_t i = 0; i + 1 < grid->counts[0]; i += STRIDE) {
            sn_vec3 at = place_of(grid, i + 0.5, j + 0.5, k + 0.5), slope;
            double value = sni_distance_grid_at(grid, at, &slope);
            if (value >= 2 * grid->spacing) {
                double exact = sni_accel_distance(m->accel, at, &near);
                m->excess[row] = fmax(m->excess[row], value - exact);
            }
        }
    }
}

static sn_status measure_error(making *m, sn_error *error) {
    sni_distance_grid *grid = m->grid;
    uint32_t columns = (grid->counts[1] - 1 + STRIDE - 1) / STRIDE;
    uint32_t rows = columns * ((grid->counts[2] - 1 + STRIDE - 1) / STRIDE);
    sn_status status = SN_OK;
    SNI_NEW(grid->context, m->excess, rows);
    sn_parallel_for(grid->context, rows, GRAIN, try_rows, m);
    for (uint32_t i = 0; i < rows; ++i) {
        grid->error = fmax(grid->error, m->excess[i]);
    }
cleanup:
    sni_free(grid->context, m->excess);
    return status;
}

// How vertices are spread: a symmetric matrix, in columns.
typedef struct spread {
    sn_vec3 columns[3];
} spread;

static spread spread_of(const sn_mesh *mesh) {
    sn_vec3 mean = {0, 0, 0};
    spread s = {0};
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        mean = sn_vec3_add(mean, sn_vec3_load(mesh->positions + 3 * i));
    }
    mean = sn_vec3_scale(mean, 1.0 / fmax(1, mesh->vertex_count));
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_sub(sn_vec3_load(mesh->positions + 3 * i), mean);
        s.columns[0] = sn_vec3_add_scaled(s.columns[0], p.x, p);
        s.columns[1] = sn_vec3_add_scaled(s.columns[1], p.y, p);
        s.columns[2] = sn_vec3_add_scaled(s.columns[2], p.z, p);
    }
    return s;
}

// The matrix times itself keeps its axes, and makes the first one stand out more and more; its
// longest column is then along it. Any axes will do, good ones make the box small.
static sn_vec3 main_axis(spread s) {
    enum { SQUARINGS = 12 };
    sn_vec3 longest = {0, 0, 0};
    for (int n = 0; n <= SQUARINGS; ++n) {
        double size = 0;
        for (int i = 0; i < 3; ++i) {
            double length = sn_vec3_length(s.columns[i]);
            if (length > size) {
                size = length;
                longest = s.columns[i];
            }
        }
        if (!(size > 0) || !isfinite(size)) {
            break;
        }
        spread scaled = s, squared;
        for (int i = 0; i < 3; ++i) {
            scaled.columns[i] = sn_vec3_scale(s.columns[i], 1 / size);
        }
        for (int i = 0; i < 3; ++i) {
            sn_vec3 c = scaled.columns[i], sum = sn_vec3_scale(scaled.columns[0], c.x);
            sum = sn_vec3_add_scaled(sum, c.y, scaled.columns[1]);
            squared.columns[i] = sn_vec3_add_scaled(sum, c.z, scaled.columns[2]);
        }
        s = squared;
    }
    return sn_vec3_normalize_or(longest, sn_vec3_make(1, 0, 0));
}

// What is left of the spread across a unit axis.
static spread across(const spread *s, sn_vec3 axis) {
    spread rest;
    const double axes[3] = {axis.x, axis.y, axis.z};
    sn_vec3 image = sn_vec3_scale(s->columns[0], axis.x);
    image = sn_vec3_add_scaled(image, axis.y, s->columns[1]);
    image = sn_vec3_add_scaled(image, axis.z, s->columns[2]);
    double value = sn_vec3_dot(image, axis);
    for (int i = 0; i < 3; ++i) {
        rest.columns[i] = sn_vec3_add_scaled(s->columns[i], -value * axes[i], axis);
    }
    return rest;
}

static void find_axes(const sn_mesh *mesh, sn_vec3 axes[3]) {
    spread s = spread_of(mesh);
    axes[0] = main_axis(s);
    sn_vec3 second = main_axis(across(&s, axes[0]));
    second = sn_vec3_add_scaled(second, -sn_vec3_dot(second, axes[0]), axes[0]);
    axes[1] = sn_vec3_normalize_or(sn_vec3_length(second) > 0.1 ? second : sn_vec3_make(0, 0, 0),
                                   sn_vec3_perpendicular(axes[0]));
    axes[2] = sn_vec3_cross(axes[0], axes[1]);
}

static void find_box(const sni_distance_grid *grid, const sn_mesh *mesh, sn_vec3 *low,
                     sn_vec3 *high) {
    *low = sn_vec3_make(INFINITY, INFINITY, INFINITY);
    *high = sn_vec3_make(-INFINITY, -INFINITY, -INFINITY);
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        sn_vec3 p = along_axes(grid, sn_vec3_load(mesh->positions + 3 * i));
        *low = sn_vec3_min(*low, p);
        *high = sn_vec3_max(*high, p);
    }
}

// The smallest spacing with at most so many nodes in the box, which then reaches a little further:
// along each axis it has one node more than a multiple of COARSEST.
static sn_status lay_out(sni_distance_grid *grid, const sn_mesh *mesh,
                         const sni_distance_grid_desc *desc, sn_error *error) {
    sn_vec3 low, high;
    find_axes(mesh, grid->axes);
    find_box(grid, mesh, &low, &high);
    double diagonal = sn_vec3_distance(low, high);
    if (!(diagonal > 0) || !isfinite(diagonal)) {
        return sni_fail(error, SN_INVALID, "\"%s\" has no extent, and no distance field therefore",
                        mesh->name);
    }
    // Small, compact things have a wide margin, as what touches them is often larger than they are.
    sn_vec3 size = sn_vec3_sub(high, low);
    double middle = fmax(fmin(size.x, size.y), fmin(fmax(size.x, size.y), size.z));
    double margin = fmax(fmax(desc->margin, 0.01) * diagonal, 0.35 * middle);
    grid->margin = margin;
    double sizes[3] = {high.x - low.x + 2 * margin, high.y - low.y + 2 * margin,
                       high.z - low.z + 2 * margin};
    double spacing = cbrt(sizes[0] * sizes[1] * sizes[2] / desc->most_nodes), count = INFINITY;
    while (count > desc->most_nodes) {
        count = 1;
        for (int axis = 0; axis < 3; ++axis) {
            double along = fmax(COARSEST * ceil(sizes[axis] / spacing / COARSEST) + 1, LEAST_ALONG);
            grid->counts[axis] = (uint32_t)along;
            count *= along;
        }
        grid->spacing = spacing;
        spacing *= 1.02;
    }
    double *lows[3] = {&low.x, &low.y, &low.z};
    for (int axis = 0; axis < 3; ++axis) { // what it reaches further by is on both sides
        *lows[axis] -= margin + ((grid->counts[axis] - 1) * grid->spacing - sizes[axis]) / 2;
    }
    grid->low = low;
    return SN_OK;
}

sn_status sni_distance_grid_create(const sn_mesh *mesh, const sni_distance_grid_desc *desc,
                                   sni_distance_grid **grid, sn_error *error) {
    sn_context *context = mesh->context;
    sn_triangles *triangles = NULL;
    sn_accel *accel = NULL;
    sni_winding *winding = NULL;
    sn_status status = SN_OK;
    making m = {0};
    SN_ASSERT(desc->most_nodes >= LEAST_ALONG * LEAST_ALONG * LEAST_ALONG);
    *grid = NULL;
    SNI_NEW_ZERO(context, m.grid, 1);
    m.grid->context = context;
    SN_TRY(lay_out(m.grid, mesh, desc, error));
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    if (triangles->count == 0) {
        SN_TRY(sni_fail(error, SN_INVALID, "\"%s\" has no faces, and no distance field therefore",
                        mesh->name));
    }
    SN_TRY(sn_accel_create(context, mesh->positions, mesh->vertex_count, triangles->vertices,
                           triangles->count, &accel, error));
    SN_TRY(sni_winding_create(context, mesh->positions, triangles->vertices, triangles->count,
                              &winding, error));
    SN_TRY(sni_mesh_is_closed(mesh, &m.closed, error));
    size_t node_count = (size_t)m.grid->counts[0] * m.grid->counts[1] * m.grid->counts[2];
    SNI_NEW(context, m.grid->values, node_count);
    if (!m.closed) {
        SNI_NEW(context, m.turns, node_count);
    }
    m.accel = accel;
    m.winding = winding;
    fill(&m);
    SN_TRY(measure_error(&m, error));
    *grid = m.grid;
    m.grid = NULL;
cleanup:
    sni_free(context, m.turns);
    sni_winding_destroy(winding);
    sn_accel_destroy(accel);
    sn_triangles_destroy(triangles);
    sni_distance_grid_destroy(m.grid);
    return status;
}

void sni_distance_grid_destroy(sni_distance_grid *grid) {
    if (grid != NULL) {
        sni_free(grid->context, grid->values);
        sni_free(grid->context, grid);
    }
}

size_t sni_distance_grid_bytes(const sni_distance_grid *grid) {
    return sizeof *grid +
           (size_t)grid->counts[0] * grid->counts[1] * grid->counts[2] * sizeof *grid->values;
}

// ---------------------------------------------------------------------------------------------
// Asking

// Value and gradient within the box.
static double within(const sni_distance_grid *grid, const double place[3], sn_vec3 *gradient) {
    uint32_t cell[3];
    double part[3];
    for (int axis = 0; axis < 3; ++axis) {
        cell[axis] = (uint32_t)fmin(place[axis], grid->counts[axis] - 2);
        part[axis] = place[axis] - cell[axis];
    }
    size_t up = grid->counts[0], deep = up * grid->counts[1];
    const float *v = grid->values + cell[2] * deep + cell[1] * up + cell[0];
    // Along x first: four edges, each with its value and its slope.
    const double edges[4] = {v[0], v[up], v[deep], v[deep + up]};
    const double slopes[4] = {v[1] - edges[0], v[up + 1] - edges[1], v[deep + 1] - edges[2],
                              v[deep + up + 1] - edges[3]};
    double x = part[0], y = part[1], z = part[2], value[4];
    for (int i = 0; i < 4; ++i) {
        value[i] = edges[i] + x * slopes[i];
    }
    double front = value[0] + y * (value[1] - value[0]);
    double back = value[2] + y * (value[3] - value[2]);
    double slope_front = slopes[0] + y * (slopes[1] - slopes[0]);
    double slope_back = slopes[2] + y * (slopes[3] - slopes[2]);
    double slope_y = (value[1] - value[0]) * (1 - z) + (value[3] - value[2]) * z;
    *gradient = sn_vec3_scale(
        sn_vec3_make(slope_front + z * (slope_back - slope_front), slope_y, back - front),
        1 / grid->spacing);
    return front + z * (back - front);
}

// From the value at the nearest place of the box to that beyond it: see the header.
static double go_beyond(const sni_distance_grid *grid, const double beyond[3], double value,
                        sn_vec3 *slope) {
    sn_vec3 out = {beyond[0], beyond[1], beyond[2]};
    double e = sn_vec3_length(out), along = fmax(value, 0);
    // Along the faces the slope is that of the value; out of the box it is that of e and the
    // margin.
    sn_vec3 way = sn_vec3_scale(out, (e + grid->margin) / e);
    way.x += beyond[0] == 0 ? along * slope->x : 0;
    way.y += beyond[1] == 0 ? along * slope->y : 0;
    way.z += beyond[2] == 0 ? along * slope->z : 0;
    *slope = sn_vec3_normalize_or(way, *slope);
    return sqrt(e * e + 2 * e * grid->margin + along * along);
}

double sni_distance_grid_at(const sni_distance_grid *grid, sn_vec3 at, sn_vec3 *gradient) {
    sn_vec3 local = along_axes(grid, at);
    const double coordinates[3] = {local.x, local.y, local.z};
    const double lows[3] = {grid->low.x, grid->low.y, grid->low.z};
    double place[3], beyond[3];
    bool out = false;
    for (int axis = 0; axis < 3; ++axis) {
        double p = (coordinates[axis] - lows[axis]) / grid->spacing;
        double most = grid->counts[axis] - 1;
        place[axis] = p >= 0 ? fmin(p, most) : 0; // also for what is not a number
        beyond[axis] = (p - place[axis]) * grid->spacing;
        out = out || beyond[axis] != 0;
    }
    sn_vec3 slope;
    double value = within(grid, place, &slope);
    if (out) {
        value = go_beyond(grid, beyond, value, &slope);
    }
    *gradient = sn_vec3_scale(grid->axes[0], slope.x);
    *gradient = sn_vec3_add_scaled(*gradient, slope.y, grid->axes[1]);
    *gradient = sn_vec3_add_scaled(*gradient, slope.z, grid->axes[2]);
    return value;
}
