// SPDX-License-Identifier: Apache-2.0
//
// Simplification by edge collapses (Garland and Heckbert, Surface Simplification Using Quadric
// Error Metrics, 1997) with locked vertices.
//
// Each vertex has a quadric: the planes of its triangles weighted by their areas; at a border edge
// of length L the plane through it at right angles to the triangle, weight 1000 L^2; with
// regularity k the vertex itself as a point, weight k times the area around it; all of that times
// its detail. The cost of an edge is Q_i + Q_j at its best point. A sum of squared distances from
// points grows with the spread of the vertices that were merged: where it decides, vertices end up
// as in a clustering by k-means with density `detail`, whose centres stand as dense as its square
// root in two dimensions (Gersho 1979).
//
// Everything is computed relative to the middle of the surface, so that quadrics lose no digits far
// from the origin.
#include "sinew/geometry.h"

#include "base/context.h"
#include "geometry/collapse_mesh.h"
#include "geometry/collapse_queue.h"
#include "geometry/finite.h"
#include "geometry/quadric.h"
#include "geometry/triangle.h"

#include <string.h>

static const uint32_t desc_check = 0x736e6463;

// Weight of a border's planes per squared length.
static const double border_weight = 1000;

// How far, in edge lengths, the best point may lie from the middle of its edge.
static const double max_move = 2;

// Collapses between two reports of progress.
static const uint32_t report_interval = 4096;

typedef struct decimator {
    const sn_decimate_desc *desc;
    sn_context *context;
    sni_collapse_mesh mesh;
    sni_collapse_queue queue;
    sn_vec3 middle;
    sni_quadric *quadrics; // #V
    uint32_t *origins;     // #V: the old vertex that has exactly this position; SN_NONE when moved
    double error, total_error;
} decimator;

sn_decimate_desc sn_decimate_desc_default(void) {
    return (sn_decimate_desc){.check = desc_check, .min_quality = 0.05, .max_error = INFINITY};
}

// ---------------------------------------------------------------------------------------------
// Input

static sn_status check_numbers(const sn_decimate_desc *desc, sn_error *error) {
    if (!(desc->regularity >= 0 && isfinite(desc->regularity))) {
        return sni_fail(error, SN_INVALID, "the regularity is %g, but must be 0 or more",
                        desc->regularity);
    }
    if (!(desc->min_quality >= 0 && desc->min_quality <= 1)) {
        return sni_fail(error, SN_INVALID, "the quality is %g, but must be within 0 and 1",
                        desc->min_quality);
    }
    if (!(desc->max_error >= 0)) {
        return sni_fail(error, SN_INVALID, "the greatest error is %g, but must be 0 or more",
                        desc->max_error);
    }
    for (uint32_t v = 0; desc->detail != NULL && v < desc->vertex_count; ++v) {
        if (!(desc->detail[v] > 0 && isfinite(desc->detail[v]))) {
            return sni_fail(error, SN_INVALID,
                            "vertex %u has detail %g, but it must be greater than 0", v,
                            (double)desc->detail[v]);
        }
    }
    return SN_OK;
}

static sn_status check_desc(const sn_decimate_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_decimate_desc_default");
    }
    if (desc->triangle_count > (SN_NONE - 1) / 3) {
        return sni_fail(error, SN_LIMIT, "%u triangles are too many", desc->triangle_count);
    }
    size_t number_count = 3 * (size_t)desc->vertex_count;
    size_t bad = sni_find_not_finite(desc->positions, number_count);
    if (bad < number_count) {
        return sni_fail(error, SN_INVALID, "vertex %zu has a position that is not finite", bad / 3);
    }
    for (uint32_t c = 0; c < 3 * desc->triangle_count; ++c) {
        if (desc->vertices[c] >= desc->vertex_count) {
            return sni_fail(error, SN_INVALID, "triangle %u uses vertex %u, but there are %u",
                            c / 3, desc->vertices[c], desc->vertex_count);
        }
    }
    return check_numbers(desc, error);
}

static void load_points(decimator *d) {
    sni_collapse_mesh *mesh = &d->mesh;
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        mesh->points[v] = sn_vec3_load(d->desc->positions + 3 * (size_t)v);
        low = sn_vec3_min(low, mesh->points[v]);
        high = sn_vec3_max(high, mesh->points[v]);
        d->origins[v] = v;
        if (d->desc->locked != NULL && d->desc->locked[v] != 0) {
            mesh->flags[v] |= SNI_COLLAPSE_LOCKED;
        }
    }
    d->middle = sn_vec3_lerp(low, high, 0.5);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        mesh->points[v] = sn_vec3_sub(mesh->points[v], d->middle);
    }
}

// ---------------------------------------------------------------------------------------------
// Quadrics

static void add_triangle(decimator *d, const uint32_t *triangle, double *area_total) {
    const sn_vec3 *points = d->mesh.points;
    sn_vec3 p = points[triangle[0]];
    sn_vec3 normal = sni_triangle_vector(p, points[triangle[1]], points[triangle[2]]);
    double area = sn_vec3_length(normal) / 2;
    normal = sn_vec3_normalize_or(normal, sn_vec3_make(0, 0, 0));
    *area_total += area;
    for (int i = 0; i < 3; ++i) {
        sni_quadric *quadric = &d->quadrics[triangle[i]];
        sni_quadric_add_plane(quadric, normal, -sn_vec3_dot(normal, p), area);
        sni_quadric_add_point(quadric, points[triangle[i]], d->desc->regularity * area);
    }
}

static void add_triangles(decimator *d) {
    double area_total = 0;
    for (uint32_t t = 0; t < d->mesh.triangle_count; ++t) {
        if (d->mesh.corners[3 * t] != SN_NONE) {
            add_triangle(d, d->mesh.corners + 3 * (size_t)t, &area_total);
        }
    }
    d->mesh.mean_area = d->mesh.live_triangles > 0 ? area_total / d->mesh.live_triangles : 0;
}

// The plane through the edge behind `corner`, at right angles to its triangle.
static void add_border_plane(decimator *d, uint32_t corner) {
    const sni_collapse_mesh *mesh = &d->mesh;
    uint32_t a = mesh->corners[corner], b = mesh->corners[sni_corner_after(corner)];
    sn_vec3 p = mesh->points[a], q = mesh->points[b];
    sn_vec3 r = mesh->points[mesh->corners[sni_corner_before(corner)]];
    sn_vec3 along = sn_vec3_sub(q, p);
    sn_vec3 normal = sn_vec3_cross(along, sn_vec3_sub(r, p));
    sn_vec3 side = sn_vec3_normalize_or(sn_vec3_cross(along, normal), sn_vec3_make(0, 0, 0));
    double weight = border_weight * sn_vec3_dot(along, along);
    sni_quadric_add_plane(&d->quadrics[a], side, -sn_vec3_dot(side, p), weight);
    sni_quadric_add_plane(&d->quadrics[b], side, -sn_vec3_dot(side, p), weight);
}

static void scale_by_detail(decimator *d) {
    for (uint32_t v = 0; d->desc->detail != NULL && v < d->mesh.vertex_count; ++v) {
        d->quadrics[v] = sni_quadric_scale(&d->quadrics[v], d->desc->detail[v]);
    }
}

// ---------------------------------------------------------------------------------------------
// Edges

// One neighbour of a vertex, while its edges are counted.
typedef struct edge_scan {
    uint32_t *counts;     // #V: triangles at the edge to this neighbour, all 0 between vertices
    uint32_t *neighbours; // #V: those with a count
    uint32_t *corners;    // #V: for each a corner from which, or to which, the edge runs
    uint32_t neighbour_count;
} edge_scan;

static void scan_edge(edge_scan *scan, uint32_t neighbour, uint32_t corner) {
    if (scan->counts[neighbour]++ == 0) {
        scan->neighbours[scan->neighbour_count++] = neighbour;
        scan->corners[neighbour] = corner;
    }
}

// Finds the edges from `vertex` to vertices of higher number.
static void scan_vertex(sni_collapse_mesh *mesh, edge_scan *scan, uint32_t vertex) {
    uint32_t corner;
    scan->neighbour_count = 0;
    for (uint32_t *link = &mesh->first[vertex];
         (corner = sni_collapse_corner(mesh, link)) != SN_NONE; link = &mesh->next[corner]) {
        uint32_t before = sni_corner_before(corner);
        uint32_t a = mesh->corners[sni_corner_after(corner)], b = mesh->corners[before];
        if (a > vertex) {
            scan_edge(scan, a, corner);
        }
        if (b > vertex) {
            scan_edge(scan, b, before);
        }
    }
}

// Borders get planes, ends of edges with three or more triangles are locked. Returns the number of
// edges.
static size_t classify_edges(decimator *d, edge_scan *scan) {
    sni_collapse_mesh *mesh = &d->mesh;
    size_t edge_count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        scan_vertex(mesh, scan, v);
        edge_count += scan->neighbour_count;
        for (uint32_t i = 0; i < scan->neighbour_count; ++i) {
            uint32_t neighbour = scan->neighbours[i];
            uint8_t flag = 0;
            if (scan->counts[neighbour] == 1) {
                flag = SNI_COLLAPSE_BORDER;
                add_border_plane(d, scan->corners[neighbour]);
            } else if (scan->counts[neighbour] > 2) {
                flag = SNI_COLLAPSE_LOCKED;
            }
            mesh->flags[v] |= flag;
            mesh->flags[neighbour] |= flag;
            scan->counts[neighbour] = 0;
        }
    }
    return edge_count;
}

// Where the ends of an edge meet, and what it costs.
typedef struct meeting {
    sn_vec3 point;
    uint32_t origin; // see decimator
    double error;
} meeting;

static bool is_locked(const decimator *d, uint32_t vertex) {
    return (d->mesh.flags[vertex] & SNI_COLLAPSE_LOCKED) != 0;
}

static meeting meet_at(const sni_quadric *quadric, sn_vec3 point, uint32_t origin) {
    return (meeting){.point = point, .origin = origin, .error = sni_quadric_error(quadric, point)};
}

// The least error, but no further from the middle than `max_move` edges; where the quadric does not
// tell, the best of both ends and the middle. A locked end decides alone.
static meeting find_meeting(const decimator *d, uint32_t a, uint32_t b) {
    sni_quadric quadric = sni_quadric_sum(&d->quadrics[a], &d->quadrics[b]);
    sn_vec3 p = d->mesh.points[a], q = d->mesh.points[b];
    meeting at_a = meet_at(&quadric, p, d->origins[a]);
    meeting at_b = meet_at(&quadric, q, d->origins[b]);
    if (is_locked(d, a) || is_locked(d, b)) {
        return is_locked(d, a) ? at_a : at_b;
    }
    sn_vec3 middle = sn_vec3_lerp(p, q, 0.5), best;
    if (sni_quadric_minimum(&quadric, &best) &&
        sn_vec3_distance(best, middle) <= max_move * sn_vec3_distance(p, q)) {
        return meet_at(&quadric, best, SN_NONE);
    }
    meeting at_middle = meet_at(&quadric, middle, SN_NONE);
    meeting at_end = at_b.error < at_a.error ? at_b : at_a;
    return at_middle.error < at_end.error ? at_middle : at_end;
}

static bool is_candidate(const decimator *d, uint32_t a, uint32_t b) {
    return !(is_locked(d, a) && is_locked(d, b));
}

// An edge always has its lower vertex first, so that its cost has the same bits each time.
static meeting find_edge_meeting(const decimator *d, uint32_t a, uint32_t b) {
    return a < b ? find_meeting(d, a, b) : find_meeting(d, b, a);
}

// Errors in the unit that the queue keeps them in: float has room for any mesh if its triangles
// have areas around 1.
static float queue_key(const decimator *d, double error) {
    double area = d->mesh.mean_area;
    return (float)(area > 0 ? error / area / area : error);
}

static void queue_all_edges(decimator *d, edge_scan *scan) {
    for (uint32_t v = 0; v < d->mesh.vertex_count; ++v) {
        scan_vertex(&d->mesh, scan, v);
        for (uint32_t i = 0; i < scan->neighbour_count; ++i) {
            uint32_t neighbour = scan->neighbours[i];
            scan->counts[neighbour] = 0;
            if (is_candidate(d, v, neighbour)) {
                sni_collapse_queue_append(&d->queue, v, neighbour,
                                          queue_key(d, find_meeting(d, v, neighbour).error));
            }
        }
    }
    sni_collapse_queue_order(&d->queue);
}

static sn_status prepare(decimator *d, sn_error *error) {
    sn_status status = SN_OK;
    const sn_decimate_desc *desc = d->desc;
    edge_scan scan = {0};
    SN_TRY(sni_collapse_mesh_init(d->context, desc->vertex_count, desc->vertices,
                                  desc->triangle_count, &d->mesh, error));
    d->mesh.min_quality = desc->min_quality;
    SNI_NEW_ZERO(d->context, d->quadrics, desc->vertex_count);
    SNI_NEW(d->context, d->origins, desc->vertex_count);
    SNI_NEW_ZERO(d->context, scan.counts, desc->vertex_count);
    SNI_NEW(d->context, scan.neighbours, desc->vertex_count);
    SNI_NEW(d->context, scan.corners, desc->vertex_count);
    load_points(d);
    add_triangles(d);
    size_t edge_count = classify_edges(d, &scan);
    scale_by_detail(d);
    SN_TRY(sni_collapse_queue_init(d->context, &d->queue, desc->vertex_count, edge_count, error));
    queue_all_edges(d, &scan);
cleanup:
    sni_free(d->context, scan.counts);
    sni_free(d->context, scan.neighbours);
    sni_free(d->context, scan.corners);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Collapses

// Looks at all edges of a vertex anew.
static void requeue(decimator *d, uint32_t vertex, sni_collapse_ring *ring) {
    sni_collapse_queue_forget(&d->queue, vertex);
    d->mesh.flags[vertex] &= (uint8_t)~SNI_COLLAPSE_REFUSED;
    sni_collapse_mesh_ring(&d->mesh, vertex, ring);
    for (uint32_t i = 0; i < ring->count; ++i) {
        uint32_t other = ring->vertices[i];
        if (is_candidate(d, vertex, other)) {
            sni_collapse_queue_push(&d->queue, vertex, other,
                                    queue_key(d, find_edge_meeting(d, vertex, other).error));
        }
    }
}

// After a collapse all edges of the vertex cost something else, and edges of its neighbours that
// were refused may be allowed now. Those that were not refused wait in the queue unchanged.
static void requeue_around(decimator *d, uint32_t vertex) {
    sni_collapse_ring ring, outer;
    requeue(d, vertex, &ring);
    for (uint32_t i = 0; i < ring.count; ++i) {
        uint32_t other = ring.vertices[i];
        if ((d->mesh.flags[other] & SNI_COLLAPSE_REFUSED) != 0 &&
            d->mesh.valences[other] <= SNI_COLLAPSE_VALENCE_LIMIT) {
            requeue(d, other, &outer);
        }
    }
}

// False when the edge costs more than is allowed.
static bool try_collapse(decimator *d, const sni_collapse *edge) {
    meeting met = find_meeting(d, edge->low, edge->high);
    if (met.error > d->desc->max_error) {
        return false;
    }
    bool keeps_high = is_locked(d, edge->high);
    uint32_t kept = keeps_high ? edge->high : edge->low;
    uint32_t gone = keeps_high ? edge->low : edge->high;
    if (!sni_collapse_is_legal(&d->mesh, kept, gone, met.point)) {
        d->mesh.flags[kept] |= SNI_COLLAPSE_REFUSED;
        d->mesh.flags[gone] |= SNI_COLLAPSE_REFUSED;
        return true;
    }
    sni_collapse_edge(&d->mesh, kept, gone, met.point);
    sni_collapse_queue_forget(&d->queue, gone);
    d->quadrics[kept] = sni_quadric_sum(&d->quadrics[kept], &d->quadrics[gone]);
    d->origins[kept] = met.origin;
    d->error = fmax(d->error, met.error);
    d->total_error += met.error;
    requeue_around(d, kept);
    return true;
}

static bool is_done(const decimator *d) {
    return d->mesh.live_triangles <= d->desc->target_triangles ||
           d->mesh.live_vertices <= d->desc->target_vertices;
}

static double fraction_done(const decimator *d, uint32_t start) {
    uint32_t target = d->desc->target_triangles < start ? d->desc->target_triangles : start;
    return start > target ? (double)(start - d->mesh.live_triangles) / (start - target) : 1;
}

static sn_status collapse_edges(decimator *d, const sn_progress *progress, sn_error *error) {
    uint32_t start = d->mesh.live_triangles;
    sni_collapse edge;
    for (uint32_t step = 0; !is_done(d) && sni_collapse_queue_pop(&d->queue, &edge); ++step) {
        if (!try_collapse(d, &edge)) {
            break;
        }
        if (step % report_interval == 0) {
            sn_status status =
                sni_progress(progress, "simplifying", fraction_done(d, start), error);
            if (status != SN_OK) {
                return status;
            }
        }
    }
    return sni_progress(progress, "simplifying", 1, error);
}

// ---------------------------------------------------------------------------------------------
// Result

static bool stays(const decimator *d, uint32_t vertex) {
    bool wanted = d->desc->locked != NULL && d->desc->locked[vertex] != 0;
    return d->mesh.parents[vertex] == vertex && (d->mesh.valences[vertex] > 0 || wanted);
}

static void write_vertices(const decimator *d, sn_decimated *result) {
    for (uint32_t v = 0; v < d->mesh.vertex_count; ++v) {
        result->vertex_map[v] = SN_NONE;
        if (!stays(d, v)) {
            continue;
        }
        uint32_t number = result->vertex_count++;
        float *position = result->positions + 3 * (size_t)number;
        sn_vec3_store(sn_vec3_add(d->mesh.points[v], d->middle), position);
        if (d->origins[v] != SN_NONE) {
            memcpy(position, d->desc->positions + 3 * (size_t)d->origins[v], 3 * sizeof *position);
        }
        result->vertex_map[v] = number;
        result->vertex_origins[number] = v;
    }
}

// Follows the chain of merges to its end and shortens it, so that the whole map is linear.
static uint32_t find_survivor(uint32_t *parents, uint32_t vertex) {
    while (parents[vertex] != vertex) {
        parents[vertex] = parents[parents[vertex]];
        vertex = parents[vertex];
    }
    return vertex;
}

static void write_map(decimator *d, sn_decimated *result) {
    for (uint32_t v = 0; v < d->mesh.vertex_count; ++v) {
        uint32_t survivor = find_survivor(d->mesh.parents, v);
        if (survivor != v) {
            result->vertex_map[v] = result->vertex_map[survivor];
        }
    }
}

static void write_triangles(const decimator *d, sn_decimated *result) {
    for (uint32_t t = 0; t < d->mesh.triangle_count; ++t) {
        const uint32_t *corners = d->mesh.corners + 3 * (size_t)t;
        if (corners[0] == SN_NONE) {
            continue;
        }
        uint32_t number = result->triangle_count++;
        for (int i = 0; i < 3; ++i) {
            result->vertices[3 * (size_t)number + i] = result->vertex_map[corners[i]];
        }
        result->triangle_origins[number] = t;
    }
}

static sn_status write_result(decimator *d, sn_decimated **decimated, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = d->context;
    sn_decimated *result = NULL;
    uint32_t kept = 0;
    for (uint32_t v = 0; v < d->mesh.vertex_count; ++v) {
        kept += stays(d, v);
    }
    SNI_NEW_ZERO(context, result, 1);
    result->context = context;
    result->error = d->error;
    result->total_error = d->total_error;
    SNI_NEW(context, result->positions, 3 * (size_t)kept);
    SNI_NEW(context, result->vertex_origins, kept);
    SNI_NEW(context, result->vertex_map, d->mesh.vertex_count);
    SNI_NEW(context, result->vertices, 3 * (size_t)d->mesh.live_triangles);
    SNI_NEW(context, result->triangle_origins, d->mesh.live_triangles);
    write_vertices(d, result);
    write_map(d, result);
    write_triangles(d, result);
    *decimated = result;
    return SN_OK;
cleanup:
    sn_decimated_destroy(result);
    return status;
}

sn_status sn_decimate(sn_context *context, const sn_decimate_desc *desc,
                      const sn_progress *progress, sn_decimated **decimated, sn_error *error) {
    sn_status status = SN_OK;
    decimator d = {.desc = desc, .context = context};
    *decimated = NULL;
    SN_TRY(check_desc(desc, error));
    SN_TRY(prepare(&d, error));
    SN_TRY(collapse_edges(&d, progress, error));
    SN_TRY(write_result(&d, decimated, error));
cleanup:
    sni_collapse_mesh_deinit(&d.mesh);
    sni_collapse_queue_deinit(context, &d.queue);
    sni_free(context, d.quadrics);
    sni_free(context, d.origins);
    return status;
}

void sn_decimated_destroy(sn_decimated *decimated) {
    if (decimated == NULL) {
        return;
    }
    sn_context *context = decimated->context;
    sni_free(context, decimated->positions);
    sni_free(context, decimated->vertices);
    sni_free(context, decimated->vertex_map);
    sni_free(context, decimated->vertex_origins);
    sni_free(context, decimated->triangle_origins);
    sni_free(context, decimated);
}
