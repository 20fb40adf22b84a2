// SPDX-License-Identifier: Apache-2.0
//
// Solids into a grid, one *strip* (a row of bricks along x, 64 rows of nodes) at a time:
//
//     solids, weakest first ──► spans of nodes in each row ──► painted over each other ──► bricks
//
// Meshes. Seen along x, a row is a point q = (y, z) and a triangle covers it by the winding number
// of its outline about q: the sum over its sides a -> b of
//
//     c(a, b) = +-1 where the side passes from y <= q.y to y > q.y or back, and does so above q,
//               else 0
//
// "Above" is decided from the lower to the higher vertex number, so that c(a, b) = -c(b, a) bit for
// bit. The sides of a closed mesh come in pairs, and the sum over all triangles that a row meets is
// therefore 0 however the numbers are rounded: no row is left open, through whatever edge or vertex
// it passes. Rounding can only move the place of a crossing along the row, by some 1e-16 of the
// grid.
#include "geometry/density.h"

#include "base/context.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { STRIP_ROWS = SNI_BRICK * SNI_BRICK };

// ---------------------------------------------------------------------------------------------
// Layout

static void include_point(sn_vec3 box[2], sn_vec3 point) {
    box[0] = sn_vec3_min(box[0], point);
    box[1] = sn_vec3_max(box[1], point);
}

// Adds a solid to a box (lowest and highest corner).
static void include_solid(sn_vec3 box[2], const sni_solid *solid) {
    if (solid->positions == NULL) {
        const double *m = solid->ellipsoid.m;
        // The support of an image of the unit ball along an axis is the length of the matrix' row.
        sn_vec3 reach = {sqrt(m[0] * m[0] + m[4] * m[4] + m[8] * m[8]),
                         sqrt(m[1] * m[1] + m[5] * m[5] + m[9] * m[9]),
                         sqrt(m[2] * m[2] + m[6] * m[6] + m[10] * m[10])};
        sn_vec3 middle = {m[12], m[13], m[14]};
        include_point(box, sn_vec3_sub(middle, reach));
        include_point(box, sn_vec3_add(middle, reach));
    }
    for (uint32_t v = 0; solid->positions != NULL && v < solid->vertex_count; ++v) {
        include_point(box, sn_vec3_load(solid->positions + 3 * (size_t)v));
    }
}

// The nodes of an axis, counted from 0 in the world.
typedef struct axis_nodes {
    double first;
    uint32_t count;
} axis_nodes;

// The nodes between two ends, with a margin. The first is even: isosurfaces tell even from odd by
// the place in the grid, which is then that in the world, and its mirror image's.
static axis_nodes lay_axis(double low, double high, double spacing, uint32_t margin) {
    double first = 2 * floor((ceil(low / spacing) - margin) / 2);
    double last = floor(high / spacing) + margin;
    return (axis_nodes){first, (uint32_t)(last - first) + 1};
}

sn_status sni_density_layout(const sni_solid *solids, uint32_t count, uint32_t dimension,
                             uint32_t margin, sni_grid *grid, sn_error *error) {
    SN_ASSERT(count == 0 || solids != NULL);
    sn_vec3 box[2] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < count; ++i) {
        if (solids[i].value > 0) {
            include_solid(box, &solids[i]);
        }
    }
    sn_vec3 size = sn_vec3_sub(box[1], box[0]);
    double longest = fmax(size.x, fmax(size.y, size.z));
    if (!sn_vec3_is_finite(size) || !(longest > 0)) {
        return sni_fail(error, SN_INVALID, "there is no solid with a positive value and a size");
    }
    if (dimension < 2 || (dimension - 1) / 2 <= margin) {
        return sni_fail(error, SN_INVALID,
                        "a largest dimension of %u leaves no room beside margins of %u", dimension,
                        margin);
    }
    grid->spacing = longest / (dimension - 1 - 2 * margin);
    const double low[3] = {box[0].x, box[0].y, box[0].z};
    const double high[3] = {box[1].x, box[1].y, box[1].z};
    double first[3];
    for (int axis = 0; axis < 3; ++axis) {
        axis_nodes nodes = lay_axis(low[axis], high[axis], grid->spacing, margin);
        // The longest side gives exactly `dimension`, wherever it begins, and none more.
        bool is_longest = high[axis] - low[axis] == longest || nodes.count > dimension;
        grid->dimensions[axis] = is_longest ? dimension : nodes.count;
        first[axis] = nodes.first;
    }
    grid->origin = sn_vec3_scale(sn_vec3_make(first[0], first[1], first[2]), grid->spacing);
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// What is painted

// A solid in the coordinates of the grid, where node (i, j, k) stands at (i, j, k).
typedef struct shape {
    const sni_solid *solid;
    uint32_t number; // of the solid
    float value;
    sn_vec3 box[2];
    sn_mat4 to_ball;       // ellipsoids: from the grid to the unit ball
    size_t first_point;    // meshes: where its points begin
    size_t first_triangle; // and its triangles, counted over all meshes
} shape;

// The buffers of one strip. All numbers are 0 between strips and solids.
typedef struct strip {
    float *paint;      // 64 x width
    int32_t *windings; // 64 x width: changes of the winding number
    int32_t low, high; // nodes of `paint` in use, high excluded
} strip;

typedef struct voxelizer {
    sni_bricks *bricks;
    int32_t width; // nodes along x
    uint32_t shape_count;
    shape *shapes; // weakest first
    sn_vec3 *points;
    size_t *strip_offsets;   // #strips + 1
    size_t *strip_triangles; // triangles that pass through each strip, in the shapes' order
    strip *strips;           // one per worker
    atomic_bool out_of_memory;
} voxelizer;

// Positive values by size, then negative ones: painted in this order the last one wins.
static int compare_shapes(const void *a, const void *b) {
    const shape *left = a, *right = b;
    if ((left->value < 0) != (right->value < 0)) {
        return left->value < 0 ? 1 : -1;
    }
    float x = fabsf(left->value), y = fabsf(right->value);
    return x != y ? (x > y) - (x < y)
                  : (left->number > right->number) - (left->number < right->number);
}

static sn_vec3 to_grid(const sni_grid *grid, sn_vec3 point) {
    return sn_vec3_scale(sn_vec3_sub(point, grid->origin), 1 / grid->spacing);
}

static sn_mat4 ellipsoid_in_grid(const sni_grid *grid, const sn_mat4 *ellipsoid) {
    sn_mat4 m = *ellipsoid;
    sn_vec3 middle = to_grid(grid, sn_vec3_make(m.m[12], m.m[13], m.m[14]));
    for (int i = 0; i < 12; ++i) {
        m.m[i] /= grid->spacing;
    }
    m.m[3] = m.m[7] = m.m[11] = 0;
    m.m[12] = middle.x;
    m.m[13] = middle.y;
    m.m[14] = middle.z;
    m.m[15] = 1;
    return m;
}

static void place_shape(voxelizer *v, shape *s) {
    const sni_grid *grid = &v->bricks->grid;
    sn_vec3 box[2] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    include_solid(box, s->solid);
    s->box[0] = to_grid(grid, box[0]);
    s->box[1] = to_grid(grid, box[1]);
    if (s->solid->positions == NULL) {
        sn_mat4 from_ball = ellipsoid_in_grid(grid, &s->solid->ellipsoid);
        if (!sn_mat4_invert(&from_ball, &s->to_ball)) {
            s->box[0].y = INFINITY; // too small for numbers, let alone for a node: it takes no row
        }
        return;
    }
    for (uint32_t i = 0; i < s->solid->vertex_count; ++i) {
        sn_vec3 point = sn_vec3_load(s->solid->positions + 3 * (size_t)i);
        v->points[s->first_point + i] = to_grid(grid, point);
    }
}

static sn_status make_shapes(voxelizer *v, const sni_solid *solids, uint32_t count,
                             sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = v->bricks->context;
    size_t points = 0, triangles = 0;
    SNI_NEW(context, v->shapes, count);
    for (uint32_t i = 0; i < count; ++i) {
        v->shapes[i] = (shape){.solid = &solids[i], .number = i, .value = (float)solids[i].value};
    }
    v->shape_count = count;
    qsort(v->shapes, count, sizeof *v->shapes, compare_shapes);
    for (uint32_t i = 0; i < count; ++i) {
        shape *s = &v->shapes[i];
        bool is_mesh = s->solid->positions != NULL;
        s->first_point = points;
        s->first_triangle = triangles;
        points += is_mesh ? s->solid->vertex_count : 0;
        triangles += is_mesh ? s->solid->triangle_count : 0;
    }
    SNI_NEW(context, v->points, points);
    for (uint32_t i = 0; i < count; ++i) {
        place_shape(v, &v->shapes[i]);
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Which triangles pass through which strip

// The nodes of an axis between two places, cut to the grid: first > last when there are none.
typedef struct node_range {
    int32_t first, last;
} node_range;

static double smaller(double a, double b) {
    return a < b ? a : b;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

static node_range nodes_between(double low, double high, uint32_t brick_count) {
    double count = (double)brick_count * SNI_BRICK;
    return (node_range){(int32_t)smaller(larger(ceil(low), 0), count),
                        (int32_t)larger(smaller(floor(high), count - 1), -1)};
}

typedef struct triangle {
    uint32_t numbers[3]; // of its vertices, for the order of "above"
    sn_vec3 p[3];
} triangle;

static triangle get_triangle(const voxelizer *v, const shape *s, size_t number) {
    const uint32_t *vertices = s->solid->vertices + 3 * (number - s->first_triangle);
    triangle t;
    for (int i = 0; i < 3; ++i) {
        t.numbers[i] = vertices[i];
        t.p[i] = v->points[s->first_point + vertices[i]];
    }
    return t;
}

static node_range triangle_range(const triangle *t, int axis, uint32_t brick_count) {
    double a = axis == 1 ? t->p[0].y : t->p[0].z, b = axis == 1 ? t->p[1].y : t->p[1].z;
    double c = axis == 1 ? t->p[2].y : t->p[2].z;
    return nodes_between(smaller(a, smaller(b, c)), larger(a, larger(b, c)), brick_count);
}

// Counts (strip_triangles NULL) or writes the triangles of each strip.
static void sort_triangles(voxelizer *v) {
    const uint32_t *counts = v->bricks->counts;
    for (uint32_t i = 0; i < v->shape_count; ++i) {
        const shape *s = &v->shapes[i];
        uint32_t triangle_count = s->solid->positions != NULL ? s->solid->triangle_count : 0;
        for (size_t number = s->first_triangle; number < s->first_triangle + triangle_count;
             ++number) {
            triangle t = get_triangle(v, s, number);
            node_range y = triangle_range(&t, 1, counts[1]), z = triangle_range(&t, 2, counts[2]);
            if (y.first > y.last || z.first > z.last) {
                continue;
            }
            for (int32_t bz = z.first / SNI_BRICK; bz <= z.last / SNI_BRICK; ++bz) {
                for (int32_t by = y.first / SNI_BRICK; by <= y.last / SNI_BRICK; ++by) {
                    size_t index = (size_t)bz * counts[1] + (size_t)by;
                    if (v->strip_triangles == NULL) {
                        v->strip_offsets[index + 1]++;
                    } else {
                        v->strip_triangles[v->strip_offsets[index]++] = number;
                    }
                }
            }
        }
    }
}

static sn_status make_strip_lists(voxelizer *v, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = v->bricks->context;
    size_t strip_count = (size_t)v->bricks->counts[1] * v->bricks->counts[2];
    SNI_NEW_ZERO(context, v->strip_offsets, strip_count + 1);
    sort_triangles(v);
    for (size_t i = 0; i < strip_count; ++i) {
        v->strip_offsets[i + 1] += v->strip_offsets[i];
    }
    SNI_NEW(context, v->strip_triangles, v->strip_offsets[strip_count]);
    sort_triangles(v);
    // Writing has moved every offset to the end of its strip.
    memmove(v->strip_offsets + 1, v->strip_offsets, strip_count * sizeof *v->strip_offsets);
    v->strip_offsets[0] = 0;
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Painting a strip

static void paint_span(strip *to, int32_t width, uint32_t row, int32_t first, int32_t end,
                       float value) {
    float *nodes = to->paint + (size_t)row * (size_t)width;
    for (int32_t x = first; x < end; ++x) {
        nodes[x] = value;
    }
    if (first < end) {
        to->low = first < to->low ? first : to->low;
        to->high = end > to->high ? end : to->high;
    }
}

// Along a row q = base + x d in the ball's space: |q|^2 <= 1 between the roots of
// a x^2 + 2 b x + c with a = d.d, b = base.d, c = base.base - 1.
static void paint_ellipsoid(const voxelizer *v, const shape *s, const node_range rows[2],
                            strip *to) {
    sn_vec3 d = sn_mat4_direction(&s->to_ball, sn_vec3_make(1, 0, 0));
    double a = sn_vec3_dot(d, d);
    for (int32_t z = rows[1].first; z <= rows[1].last; ++z) {
        for (int32_t y = rows[0].first; y <= rows[0].last; ++y) {
            sn_vec3 base = sn_mat4_point(&s->to_ball, sn_vec3_make(0, y, z));
            double b = sn_vec3_dot(base, d), c = sn_vec3_dot(base, base) - 1;
            double discriminant = b * b - a * c;
            if (!(discriminant >= 0)) {
                continue;
            }
            double root = sqrt(discriminant);
            node_range x = nodes_between((-b - root) / a, (-b + root) / a, v->bricks->counts[0]);
            uint32_t row = (uint32_t)(z % SNI_BRICK * SNI_BRICK + y % SNI_BRICK);
            paint_span(to, v->width, row, x.first, x.last + 1, s->value);
        }
    }
}

// c(a, b) as above, for corners i and j of the triangle.
static int side_sign(const triangle *t, int i, int j, double y, double z) {
    bool below_i = t->p[i].y <= y, below_j = t->p[j].y <= y;
    if (below_i == below_j) {
        return 0;
    }
    const sn_vec3 *low = &t->p[i], *high = &t->p[j];
    if (t->numbers[i] > t->numbers[j]) {
        low = &t->p[j];
        high = &t->p[i];
    }
    // The side's z at y, exact at its lower end; the point itself counts as below the side.
    double at = low->z + (y - low->y) * ((high->z - low->z) / (high->y - low->y));
    if (!(at > z)) {
        return 0;
    }
    return below_i ? -1 : 1;
}

// Where the row (y, z) meets the triangle's plane, within the triangle's own reach.
static double crossing_x(const triangle *t, double y, double z) {
    sn_vec3 u = sn_vec3_sub(t->p[1], t->p[0]), w = sn_vec3_sub(t->p[2], t->p[0]);
    sn_vec3 n = sn_vec3_cross(u, w);
    double x = t->p[0].x - (n.y * (y - t->p[0].y) + n.z * (z - t->p[0].z)) / n.x;
    double low = fmin(t->p[0].x, fmin(t->p[1].x, t->p[2].x));
    double high = fmax(t->p[0].x, fmax(t->p[1].x, t->p[2].x));
    return fmin(fmax(x, low), high); // a triangle seen edge-on gives NaN: its lowest x
}

// Nodes of the strip that an outline may cover, cut to the strip.
static node_range in_strip(node_range range, uint32_t brick) {
    int32_t first = (int32_t)brick * SNI_BRICK, last = first + SNI_BRICK - 1;
    return (node_range){range.first > first ? range.first : first,
                        range.last < last ? range.last : last};
}

// Adds the changes of the winding number where rows of the strip pass through a triangle.
static void cross_triangle(const voxelizer *v, const triangle *t, uint32_t by, uint32_t bz,
                           strip *to) {
    node_range ys = in_strip(triangle_range(t, 1, v->bricks->counts[1]), by);
    node_range zs = in_strip(triangle_range(t, 2, v->bricks->counts[2]), bz);
    for (int32_t z = zs.first; z <= zs.last; ++z) {
        for (int32_t y = ys.first; y <= ys.last; ++y) {
            int sign =
                side_sign(t, 0, 1, y, z) + side_sign(t, 1, 2, y, z) + side_sign(t, 2, 0, y, z);
            if (sign == 0) {
                continue;
            }
            // Beyond the low end of the grid the change counts from its first node.
            double x = ceil(fmax(crossing_x(t, y, z), 0));
            uint32_t row = (uint32_t)(z % SNI_BRICK * SNI_BRICK + y % SNI_BRICK);
            if (x < v->width) {
                to->windings[(size_t)row * (size_t)v->width + (size_t)x] += sign;
            }
        }
    }
}

// Paints where the winding number is not 0, and leaves the changes at 0.
static void paint_windings(const voxelizer *v, const shape *s, const node_range rows[2],
                           strip *to) {
    node_range x = nodes_between(s->box[0].x, s->box[1].x + 1, v->bricks->counts[0]);
    for (int32_t z = rows[1].first; z <= rows[1].last; ++z) {
        for (int32_t y = rows[0].first; y <= rows[0].last; ++y) {
            uint32_t row = (uint32_t)(z % SNI_BRICK * SNI_BRICK + y % SNI_BRICK);
            int32_t *changes = to->windings + (size_t)row * (size_t)v->width;
            int32_t winding = 0, first = x.first;
            for (int32_t i = x.first; i <= x.last; ++i) {
                if (changes[i] == 0) {
                    continue;
                }
                paint_span(to, v->width, row, first, winding != 0 ? i : first, s->value);
                winding += changes[i];
                changes[i] = 0;
                first = i;
            }
            paint_span(to, v->width, row, first, winding != 0 ? x.last + 1 : first, s->value);
        }
    }
}

static void paint_strip(const voxelizer *v, uint32_t by, uint32_t bz, strip *to) {
    size_t index = (size_t)bz * v->bricks->counts[1] + by;
    size_t next = v->strip_offsets[index], end = v->strip_offsets[index + 1];
    for (uint32_t i = 0; i < v->shape_count; ++i) {
        const shape *s = &v->shapes[i];
        const node_range rows[2] = {
            in_strip(nodes_between(s->box[0].y, s->box[1].y, v->bricks->counts[1]), by),
            in_strip(nodes_between(s->box[0].z, s->box[1].z, v->bricks->counts[2]), bz)};
        if (rows[0].first > rows[0].last || rows[1].first > rows[1].last) {
            continue;
        }
        if (s->solid->positions == NULL) {
            paint_ellipsoid(v, s, rows, to);
            continue;
        }
        size_t last_triangle = s->first_triangle + s->solid->triangle_count;
        for (; next < end && v->strip_triangles[next] < last_triangle; ++next) {
            triangle t = get_triangle(v, s, v->strip_triangles[next]);
            cross_triangle(v, &t, by, bz, to);
        }
        paint_windings(v, s, rows, to);
    }
}

// ---------------------------------------------------------------------------------------------
// From strips to bricks

static bool is_uniform(const float *paint, int32_t width) {
    for (int row = 0; row < STRIP_ROWS; ++row) {
        const float *nodes = paint + (size_t)row * (size_t)width;
        bool same = true;
        for (int x = 0; x < SNI_BRICK; ++x) {
            same &= nodes[x] == paint[0];
        }
        if (!same) {
            return false;
        }
    }
    return true;
}

static void copy_brick(const float *paint, int32_t width, float *values) {
    for (int row = 0; row < STRIP_ROWS; ++row) {
        memcpy(values + row * SNI_BRICK, paint + (size_t)row * (size_t)width,
               SNI_BRICK * sizeof *values);
    }
}

// Takes the painted bricks over into the grid; false when memory runs out.
static bool store_strip(const voxelizer *v, uint32_t by, uint32_t bz, const strip *from) {
    sni_bricks *bricks = v->bricks;
    uint32_t first_brick = sni_bricks_index(bricks, 0, by, bz), dense_count = 0;
    int32_t begin = from->low / SNI_BRICK, end = (from->high + SNI_BRICK - 1) / SNI_BRICK;
    for (int32_t bx = begin; bx < end; ++bx) {
        const float *paint = from->paint + bx * SNI_BRICK;
        bool uniform = is_uniform(paint, v->width);
        // NaN marks, until the values are copied, a brick that is not uniform.
        bricks->uniform[first_brick + (uint32_t)bx] = uniform ? paint[0] : NAN;
        dense_count += !uniform;
    }
    if (dense_count == 0) {
        return true;
    }
    float *values = sni_alloc(bricks->context, dense_count, SNI_BRICK_NODES * sizeof *values);
    bricks->chunks[bz * bricks->counts[1] + by] = values;
    for (int32_t bx = begin; values != NULL && bx < end; ++bx) {
        uint32_t brick = first_brick + (uint32_t)bx;
        if (isnan(bricks->uniform[brick])) {
            bricks->uniform[brick] = 0;
            bricks->dense[brick] = values;
            copy_brick(from->paint + bx * SNI_BRICK, v->width, values);
            values += SNI_BRICK_NODES;
        }
    }
    return values != NULL;
}

static void clear_strip(int32_t width, strip *used) {
    for (int row = 0; used->low < used->high && row < STRIP_ROWS; ++row) {
        memset(used->paint + (size_t)row * (size_t)width + used->low, 0,
               (size_t)(used->high - used->low) * sizeof *used->paint);
    }
    used->low = width;
    used->high = 0;
}

static void voxelize_strips(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    voxelizer *v = user;
    strip *scratch = &v->strips[worker];
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t by = i % v->bricks->counts[1], bz = i / v->bricks->counts[1];
        paint_strip(v, by, bz, scratch);
        if (scratch->low < scratch->high && !store_strip(v, by, bz, scratch)) {
            atomic_store(&v->out_of_memory, true);
        }
        clear_strip(v->width, scratch);
    }
}

static sn_status make_strips(voxelizer *v, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = v->bricks->context;
    uint32_t workers = sn_context_thread_count(context);
    SNI_NEW_ZERO(context, v->strips, workers);
    for (uint32_t i = 0; i < workers; ++i) {
        strip *s = &v->strips[i];
        SNI_NEW_ZERO(context, s->paint, STRIP_ROWS * (size_t)v->width);
        SNI_NEW_ZERO(context, s->windings, STRIP_ROWS * (size_t)v->width);
        s->low = v->width;
    }
cleanup:
    return status;
}

static void free_strips(voxelizer *v, sn_context *context) {
    for (uint32_t i = 0; v->strips != NULL && i < sn_context_thread_count(context); ++i) {
        sni_free(context, v->strips[i].paint);
        sni_free(context, v->strips[i].windings);
    }
    sni_free(context, v->strips);
}

static uint32_t strip_count_of(const sni_grid *grid) {
    return ((grid->dimensions[1] - 1) / SNI_BRICK + 1) *
           ((grid->dimensions[2] - 1) / SNI_BRICK + 1);
}

sn_status sni_density_voxelize(sn_context *context, const sni_solid *solids, uint32_t count,
                               const sni_grid *grid, const sn_progress *progress,
                               sni_bricks **bricks, sn_error *error) {
    SN_ASSERT(count == 0 || solids != NULL);
    enum { ROUND = 256 };
    sn_status status = SN_OK;
    voxelizer v = {0};
    *bricks = NULL;
    SN_TRY(sni_solids_check(context, solids, count, error));
    SN_TRY(sni_bricks_create(context, grid, strip_count_of(grid), &v.bricks, error));
    v.width = (int32_t)(v.bricks->counts[0] * SNI_BRICK);
    SN_TRY(make_shapes(&v, solids, count, error));
    SN_TRY(make_strip_lists(&v, error));
    SN_TRY(make_strips(&v, error));
    SN_TRY(sni_parallel_rounds(context, strip_count_of(grid), 1, ROUND, voxelize_strips, &v,
                               progress, "voxelizing", error));
    if (atomic_load(&v.out_of_memory)) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    *bricks = v.bricks;
    v.bricks = NULL;
cleanup:
    sni_bricks_destroy(v.bricks);
    sni_free(context, v.shapes);
    sni_free(context, v.points);
    sni_free(context, v.strip_offsets);
    sni_free(context, v.strip_triangles);
    free_strips(&v, context);
    return status;
}
