// SPDX-License-Identifier: Apache-2.0
//
// The mesh of a muscle as a graph: vertices of equal place joined, triangles without surface
// dropped, pieces linked where they come nearest to each other.
#include "fit/muscle/fit.h"

#include "base/groups.h"
#include "base/rows.h"
#include "geometry/triangle.h"
#include "geometry/weld.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Cotangents are kept within these: needles would make the equations stiff, obtuse pairs negative.
static const double weight_least = 0.05, weight_most = 20;

// Welded triangles with vertices numbered by first use.
static sn_status weld(sni_fit_surface *s, sn_context *context, sni_arena *arena,
                      const sn_mesh *mesh, sn_error *error) {
    sn_triangles *triangles = NULL;
    uint32_t *map = NULL, *numbers = NULL;
    sn_vec3 low, high;
    sn_status status = SN_OK;
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    SNI_NEW(context, map, mesh->vertex_count);
    SNI_NEW(context, numbers, mesh->vertex_count);
    SN_TRY(sni_weld_points(context, mesh->positions, mesh->vertex_count, 0, map, NULL, error));
    SNI_FIT_TAKE(arena, s->triangles, 3 * (size_t)triangles->count);
    s->triangle_count =
        sni_weld_triangles(map, triangles->vertices, triangles->count, s->triangles, NULL);
    SNI_FIT_TAKE(arena, s->points, mesh->vertex_count);
    sn_mesh_bounds(mesh, &low, &high);
    s->middle = sn_vec3_lerp(low, high, 0.5);
    memset(numbers, 0xff, sizeof *numbers * mesh->vertex_count);
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; ++i) {
        uint32_t *number = &numbers[s->triangles[i]];
        if (*number == SN_NONE) {
            *number = s->vertex_count++;
            s->points[*number] =
                sn_vec3_sub(sn_vec3_load(mesh->positions + 3 * (size_t)s->triangles[i]), s->middle);
        }
        s->triangles[i] = *number;
    }
    low = high = s->vertex_count > 0 ? s->points[0] : sn_vec3_make(0, 0, 0);
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        low = sn_vec3_min(low, s->points[i]);
        high = sn_vec3_max(high, s->points[i]);
    }
    s->size = sn_vec3_distance(low, high);
cleanup:
    sn_triangles_destroy(triangles);
    sni_free(context, map);
    sni_free(context, numbers);
    return status;
}

typedef struct side {
    uint32_t low, high; // vertices
    uint32_t corner;    // 3 x triangle + corner
} side;

static int compare_sides(const void *a, const void *b) {
    const side *x = a, *y = b;
    if (x->low != y->low) {
        return x->low < y->low ? -1 : 1;
    }
    if (x->high != y->high) {
        return x->high < y->high ? -1 : 1;
    }
    return x->corner < y->corner ? -1 : x->corner > y->corner;
}

// cot of the angle opposite of a side.
static double cotangent(const sni_fit_surface *s, uint32_t corner) {
    uint32_t first = corner - corner % 3;
    sn_vec3 apex = s->points[s->triangles[first + (corner + 2) % 3]];
    sn_vec3 a = sn_vec3_sub(s->points[s->triangles[corner]], apex);
    sn_vec3 b = sn_vec3_sub(s->points[s->triangles[first + (corner + 1) % 3]], apex);
    double area = sn_vec3_length(sn_vec3_cross(a, b));
    double dot = sn_vec3_dot(a, b);
    return area > 0 ? dot / area : copysign(weight_most, dot);
}

// Loops of the border: groups of vertices that border edges join. Each counts once, at the first
// member that is not its root.
static uint32_t count_loops(uint32_t *border, uint32_t count) {
    uint32_t loops = 0;
    for (uint32_t i = 0; i < count; ++i) {
        border[i] = sni_group_root(border, i);
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t root = border[i];
        if (root != i && border[root] == root) {
            border[root] = SN_NONE; // counted; later members find it so
            ++loops;
        }
    }
    return loops;
}

// Edges from the sides of triangles, sorted; border edges and whether all agree.
static sn_status find_edges(sni_fit_surface *s, sni_arena *arena, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = 3 * s->triangle_count;
    side *sides = NULL;
    uint32_t *border = NULL;
    SNI_FIT_TAKE(arena, sides, count);
    SNI_FIT_TAKE(arena, border, s->vertex_count);
    SNI_FIT_TAKE(arena, s->edges, 2 * ((size_t)count + s->vertex_count));
    SNI_FIT_TAKE(arena, s->weights, (size_t)count + s->vertex_count);
    SNI_FIT_TAKE(arena, s->triangle_edges, count);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t a = s->triangles[i], b = s->triangles[i - i % 3 + (i + 1) % 3];
        sides[i] = (side){a < b ? a : b, a < b ? b : a, i};
    }
    qsort(sides, count, sizeof *sides, compare_sides);
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        border[i] = i;
    }
    s->closed = true;
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        double weight = 0;
        int turns = 0;
        for (end = begin; end < count && sides[end].low == sides[begin].low &&
                          sides[end].high == sides[begin].high;
             ++end) {
            s->triangle_edges[sides[end].corner] = s->edge_count;
            weight += cotangent(s, sides[end].corner) / 2;
            turns += s->triangles[sides[end].corner] == sides[begin].low ? 1 : -1;
        }
        s->closed = s->closed && end - begin == 2 && turns == 0;
        if (end - begin == 1) {
            ++s->border_edges;
            sni_group_join(border, sides[begin].low, sides[begin].high);
        }
        s->edges[2 * s->edge_count] = sides[begin].low;
        s->edges[2 * s->edge_count + 1] = sides[begin].high;
        s->weights[s->edge_count++] = fmin(fmax(weight, weight_least), weight_most);
    }
    s->handles = count_loops(border, s->vertex_count); // completed when pieces are known
cleanup:
    return status;
}

static sn_status find_pieces(sni_fit_surface *s, sni_arena *arena, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t *parents = NULL;
    SNI_FIT_TAKE(arena, parents, s->vertex_count);
    SNI_FIT_TAKE(arena, s->vertex_pieces, s->vertex_count);
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        parents[i] = i;
    }
    for (uint32_t e = 0; e < s->edge_count; ++e) {
        sni_group_join(parents, s->edges[2 * e], s->edges[2 * e + 1]);
    }
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        uint32_t root = sni_group_root(parents, i);
        s->vertex_pieces[i] = root == i ? s->pieces++ : s->vertex_pieces[root];
    }
    // Euler: V - E + F = 2 pieces - 2 handles - loops.
    int64_t euler = (int64_t)s->vertex_count - s->edge_count + s->triangle_count;
    int64_t twice = 2 * (int64_t)s->pieces - s->handles - euler;
    s->handles = twice > 0 ? (uint32_t)(twice / 2) : 0;
cleanup:
    return status;
}

// Joins pieces to one graph as a minimal tree does: again and again the two nearest vertices of the
// linked part and a piece outside.
static sn_status link_pieces(sni_fit_surface *s, sni_arena *arena, sn_error *error) {
    sn_status status = SN_OK;
    double *best = NULL;
    uint32_t *from = NULL;
    if (s->pieces < 2) {
        return SN_OK;
    }
    SNI_FIT_TAKE(arena, best, s->vertex_count);
    SNI_FIT_TAKE(arena, from, s->vertex_count);
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        best[i] = INFINITY;
    }
    for (uint32_t piece = 0, linked = 1; linked < s->pieces; ++linked) {
        uint32_t next = SN_NONE;
        for (uint32_t i = 0; i < s->vertex_count; ++i) {
            if (best[i] < 0 || s->vertex_pieces[i] == piece) {
                best[i] = -1; // is linked
                continue;
            }
            for (uint32_t j = 0; j < s->vertex_count; ++j) {
                if (s->vertex_pieces[j] == piece) {
                    double d = sn_vec3_distance(s->points[i], s->points[j]);
                    if (d < best[i]) {
                        best[i] = d;
                        from[i] = j;
                    }
                }
            }
            next = next == SN_NONE || best[i] < best[next] ? i : next;
        }
        uint32_t link = s->edge_count + s->link_count++;
        s->edges[2 * link] = from[next];
        s->edges[2 * link + 1] = next;
        s->weights[link] = 1;
        piece = s->vertex_pieces[next];
    }
cleanup:
    return status;
}

static sn_status find_neighbors(sni_fit_surface *s, sni_arena *arena, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = s->edge_count + s->link_count;
    SNI_FIT_TAKE(arena, s->offsets, (size_t)s->vertex_count + 1);
    SNI_FIT_TAKE(arena, s->neighbors, 2 * (size_t)count);
    SNI_FIT_TAKE(arena, s->ends, 2 * (size_t)count);
    SNI_FIT_TAKE(arena, s->end_weights, 2 * (size_t)count);
    memset(s->offsets, 0, sizeof *s->offsets * ((size_t)s->vertex_count + 1));
    for (uint32_t i = 0; i < 2 * count; ++i) {
        sni_rows_count(s->offsets, s->edges[i], 1);
    }
    sni_rows_begin(s->offsets, s->vertex_count);
    for (uint32_t i = 0; i < 2 * count; ++i) {
        uint32_t place = sni_rows_take(s->offsets, s->edges[i]);
        s->neighbors[place] = i / 2;
        s->ends[place] = s->edges[i ^ 1];
        s->end_weights[place] = s->weights[i / 2];
    }
    sni_rows_end(s->offsets, s->vertex_count);
cleanup:
    return status;
}

static sn_status measure(sni_fit_surface *s, sn_context *context, sni_arena *arena,
                         sn_error *error) {
    sn_status status = SN_OK;
    float *positions = NULL;
    SNI_FIT_TAKE(arena, s->masses, s->vertex_count);
    memset(s->masses, 0, sizeof *s->masses * s->vertex_count);
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *v = s->triangles + 3 * (size_t)t;
        sn_vec3 a = s->points[v[0]], b = s->points[v[1]], c = s->points[v[2]];
        double area = sni_triangle_area(a, b, c);
        s->area += area;
        s->volume += sn_vec3_dot(a, sn_vec3_cross(b, c)) / 6;
        for (int i = 0; i < 3; ++i) {
            s->masses[v[i]] += area / 3;
        }
    }
    SNI_FIT_TAKE(arena, positions, 3 * (size_t)s->vertex_count);
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        sn_vec3_store(s->points[i], positions + 3 * (size_t)i);
    }
    SN_TRY(sn_accel_create(context, positions, s->vertex_count, s->triangles, s->triangle_count,
                           &s->accel, error));
cleanup:
    return status;
}

sn_status sni_fit_surface_init(sni_fit_surface *surface, sn_context *context, sni_arena *arena,
                               const sn_mesh *mesh, sn_error *error) {
    sn_status status = SN_OK;
    *surface = (sni_fit_surface){0};
    SN_TRY(weld(surface, context, arena, mesh, error));
    if (surface->triangle_count == 0) {
        return sni_fail(error, SN_INVALID, "the mesh has no triangles");
    }
    SN_TRY(find_edges(surface, arena, error));
    SN_TRY(find_pieces(surface, arena, error));
    SN_TRY(link_pieces(surface, arena, error));
    SN_TRY(find_neighbors(surface, arena, error));
    SN_TRY(measure(surface, context, arena, error));
    if (!(surface->area > 1e-12 * surface->size * surface->size)) {
        status = sni_fail(error, SN_INVALID, "the mesh has no surface: its triangles are flat");
    }
cleanup:
    return status;
}

void sni_fit_surface_deinit(sni_fit_surface *surface) {
    sn_accel_destroy(surface->accel);
}

uint32_t sni_fit_nearest_vertex(const sni_fit_surface *surface, sn_vec3 point) {
    SN_ASSERT(surface->vertex_count > 0);
    sn_closest closest;
    sn_accel_find_closest(surface->accel, point, INFINITY, &closest);
    uint32_t nearest = 0;
    double best = INFINITY;
    for (uint32_t i = 0; i < 3; ++i) {
        uint32_t v = surface->triangles[3 * (size_t)closest.triangle + i];
        double d = sn_vec3_distance(surface->points[v], point);
        if (d < best || (d == best && v < nearest)) {
            best = d;
            nearest = v;
        }
    }
    return nearest;
}
