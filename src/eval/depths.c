// SPDX-License-Identifier: Apache-2.0
//
// Signed distances of a skin's points from what lies below: the least over all closed bones,
// tissues and muscles, each below 0 inside. So a point within any of them is below 0, and as deep
// as in the one that it is deepest in.
//
// Four things keep the search short. Points are taken in an order in which neighbours follow each
// other (along a Z curve at rest). A block of them looks only at the bodies that can be nearest to
// one of its points, by boxes. A point begins with the body that was nearest to the one before. And
// no test for the inside is made within a ball in which the point before, which was outside of
// everything, saw no surface. What a segment carries needs no new tree; the rest is refitted.
//
// Where a segment is scaled unevenly, distances from what it carries are at most too large.
#include "eval/solids.h"
#include "eval/values.h"

#include <math.h>
#include <stdlib.h>

// Points of a block: some milliseconds.
enum { GRAIN = 256 };

typedef struct body {
    uint32_t surface;
    sni_solid solid;
    sn_vec3 low, high; // its box in the world
    double reach;      // lengths in its frame are at most this times those of the world
} body;

// A vertex and its place on the Z curve.
typedef struct curve_place {
    uint32_t code, vertex;
} curve_place;

struct sni_depths {
    const sn_model *model;
    sn_context *context;
    uint32_t count;
    body *bodies;      // those with an inside
    uint32_t **orders; // of each skin's vertices; NULL: not made yet
    bool placed;
    uint64_t evaluation; // of the frame that they are placed for
};

bool sni_depths_takes(const sn_surface *surface) {
    return surface->layer != SN_LAYER_SKIN && !surface->feature && surface->density > 0;
}

sn_status sni_depths_create(const sn_model *model, sni_depths **depths, sn_error *error) {
    sn_context *context = model->context;
    sn_status status = SN_OK;
    sni_depths *made = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->model = model;
    made->context = context;
    SNI_NEW_ZERO(context, made->bodies, model->surface_count);
    SNI_NEW_ZERO(context, made->orders, model->surface_count);
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        if (sni_depths_takes(&model->surfaces[i])) {
            body *b = &made->bodies[made->count++];
            b->surface = i;
            SN_TRY(sni_solid_init(&b->solid, model, i, error));
        }
    }
    *depths = made;
    return SN_OK;
cleanup:
    sni_depths_destroy(made);
    return status;
}

void sni_depths_destroy(sni_depths *depths) {
    if (depths == NULL) {
        return;
    }
    for (uint32_t i = 0; i < depths->count; ++i) {
        sni_solid_deinit(&depths->bodies[i].solid);
    }
    for (uint32_t i = 0; depths->orders != NULL && i < depths->model->surface_count; ++i) {
        sni_free(depths->context, depths->orders[i]);
    }
    sni_free(depths->context, depths->orders);
    sni_free(depths->context, depths->bodies);
    sni_free(depths->context, depths);
}

// --- The order of points

// Every third bit of the result is one of the lowest ten of x.
static uint32_t spread_bits(uint32_t x) {
    x = (x | x << 16) & 0x030000ff;
    x = (x | x << 8) & 0x0300f00f;
    x = (x | x << 4) & 0x030c30c3;
    return (x | x << 2) & 0x09249249;
}

static uint32_t cell_of(double x, double low, double size) {
    double cell = size > 0 ? 1023 * (x - low) / size : 0;
    return cell > 0 ? (uint32_t)fmin(cell, 1023) : 0;
}

static int compare_places(const void *a, const void *b) {
    const curve_place *x = a, *y = b;
    return x->code != y->code ? (x->code < y->code ? -1 : 1) : (x->vertex < y->vertex ? -1 : 1);
}

static sn_status make_order(sni_depths *d, uint32_t surface, sn_error *error) {
    const sn_mesh *mesh = d->model->surfaces[surface].mesh;
    sn_status status = SN_OK;
    curve_place *places = NULL;
    uint32_t *order = NULL;
    sn_vec3 low = {0}, high = {0};
    SNI_NEW(d->context, places, mesh->vertex_count);
    SNI_NEW(d->context, order, mesh->vertex_count);
    sn_mesh_bounds(mesh, &low, &high);
    double size = fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(mesh->positions + 3 * (size_t)v);
        uint32_t code = spread_bits(cell_of(p.x, low.x, size)) |
                        spread_bits(cell_of(p.y, low.y, size)) << 1 |
                        spread_bits(cell_of(p.z, low.z, size)) << 2;
        places[v] = (curve_place){code, v};
    }
    qsort(places, mesh->vertex_count, sizeof *places, compare_places);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        order[v] = places[v].vertex;
    }
    d->orders[surface] = order;
    order = NULL;
cleanup:
    sni_free(d->context, places);
    sni_free(d->context, order);
    return status;
}

// --- Where they are

// What a matrix makes lengths larger by at most: just that where it scales evenly, else the
// Frobenius norm, which no singular value is above.
static double largest_factor(const sn_mat4 *matrix) {
    static const double even = 1e-9; // of squared lengths: rounding
    sn_vec3 x = sn_mat4_direction(matrix, sn_vec3_make(1, 0, 0));
    sn_vec3 y = sn_mat4_direction(matrix, sn_vec3_make(0, 1, 0));
    sn_vec3 z = sn_mat4_direction(matrix, sn_vec3_make(0, 0, 1));
    double xx = sn_vec3_dot(x, x), yy = sn_vec3_dot(y, y), zz = sn_vec3_dot(z, z);
    double most = fmax(xx, fmax(yy, zz)), least = fmin(xx, fmin(yy, zz));
    double skew =
        fmax(fabs(sn_vec3_dot(x, y)), fmax(fabs(sn_vec3_dot(y, z)), fabs(sn_vec3_dot(x, z))));
    bool is_even = most - least <= even * most && skew <= even * most;
    return sqrt(is_even ? most : xx + yy + zz);
}

// The box in the world of a box in the frame of a body.
static void place_box(body *b) {
    const sni_interior *interior = &b->solid.interior;
    b->low = interior->low;
    b->high = interior->high;
    b->reach = 1;
    if (!b->solid.carried) {
        return;
    }
    for (int k = 0; k < 8; ++k) {
        sn_vec3 corner = sn_vec3_make(k & 1 ? interior->high.x : interior->low.x,
                                      k & 2 ? interior->high.y : interior->low.y,
                                      k & 4 ? interior->high.z : interior->low.z);
        sn_vec3 p = sn_mat4_point(&b->solid.to_world, corner);
        b->low = k > 0 ? sn_vec3_min(b->low, p) : p;
        b->high = k > 0 ? sn_vec3_max(b->high, p) : p;
    }
    b->reach = largest_factor(&b->solid.from_world);
}

static sn_status place(sni_depths *d, const sn_frame *frame, sn_error *error) {
    sn_status status = SN_OK;
    uint64_t evaluation = sni_frame_evaluation(frame);
    if (d->placed && d->evaluation == evaluation) {
        return SN_OK;
    }
    d->placed = false;
    for (uint32_t i = 0; i < d->count; ++i) {
        SN_TRY(sni_solid_place(&d->bodies[i].solid, d->model, d->bodies[i].surface, frame, error));
        if (d->bodies[i].solid.usable) {
            place_box(&d->bodies[i]);
        }
    }
    d->placed = true;
    d->evaluation = evaluation;
cleanup:
    return status;
}

// --- Points

typedef struct depth_run {
    const sni_depths *depths;
    const float *points;
    const uint32_t *order;
    float *values;
    uint32_t *candidates; // depths->count for each block
} depth_run;

// What a point found, for the next one.
typedef struct trail {
    uint32_t nearest;   // body
    bool outside;       // of all bodies within the ball
    sn_vec3 center;     //
    double clear_until; // radius of the ball
} trail;

static double away(double x, double low, double high) {
    return x < low ? low - x : x > high ? x - high : 0;
}

static double box_distance_squared(const body *b, sn_vec3 p) {
    double x = away(p.x, b->low.x, b->high.x);
    double y = away(p.y, b->low.y, b->high.y);
    double z = away(p.z, b->low.z, b->high.z);
    return x * x + y * y + z * z;
}

static sn_vec3 point_of(const depth_run *run, uint32_t index) {
    return sn_vec3_load(run->points + 3 * (size_t)run->order[index]);
}

// The distance of a body's surface in the world where it is below `best`, else `best`. No point of
// it is nearer than `clear`, which becomes smaller.
static double surface_distance(const body *b, sn_vec3 p, double best, double *clear) {
    sn_closest found;
    const sni_solid *solid = &b->solid;
    sn_vec3 local = solid->carried ? sn_mat4_point(&solid->from_world, p) : p;
    sn_accel_find_closest(solid->interior.accel, local, b->reach * best, &found);
    if (found.triangle == SN_NONE) {
        return best;
    }
    *clear = fmin(*clear, found.distance / b->reach);
    double distance = solid->carried
                          ? sn_vec3_distance(p, sn_mat4_point(&solid->to_world, found.point))
                          : found.distance;
    return fmin(distance, best);
}

static bool contains(const body *b, sn_vec3 p) {
    const sni_solid *solid = &b->solid;
    return box_distance_squared(b, p) == 0 &&
           sni_interior_contains(&solid->interior,
                                 solid->carried ? sn_mat4_point(&solid->from_world, p) : p);
}

// The nearest surface to a point, among those listed.
static double nearest_surface(const depth_run *run, const uint32_t *list, uint32_t count, sn_vec3 p,
                              trail *t, double *clear) {
    const body *bodies = run->depths->bodies;
    double best = t->nearest != SN_NONE ? surface_distance(&bodies[t->nearest], p, INFINITY, clear)
                                        : INFINITY;
    for (uint32_t i = 0; i < count; ++i) {
        if (list[i] == t->nearest || box_distance_squared(&bodies[list[i]], p) >= best * best) {
            continue;
        }
        double distance = surface_distance(&bodies[list[i]], p, best, clear);
        if (distance < best) {
            best = distance;
            t->nearest = list[i];
        }
    }
    return best;
}

static double find_depth(const depth_run *run, const uint32_t *list, uint32_t count, sn_vec3 p,
                         trail *t) {
    const body *bodies = run->depths->bodies;
    double clear = INFINITY, depth = -1;
    double distance = nearest_surface(run, list, count, p, t, &clear);
    if (!isfinite(distance)) { // the pose has left the range of float
        return NAN;
    }
    if (!(t->outside && sn_vec3_distance(p, t->center) < t->clear_until)) {
        for (uint32_t i = 0; i < count; ++i) {
            if (contains(&bodies[list[i]], p)) {
                depth = fmax(depth, surface_distance(&bodies[list[i]], p, INFINITY, &clear));
            }
        }
    }
    t->outside = depth < 0;
    t->center = p;
    t->clear_until = clear;
    return depth < 0 ? distance : -depth;
}

// Lists the bodies that can be nearest to a point of a block, or contain one: with c the middle of
// its points, all within r of it, and u the distance from c to some surface, no point is further
// than u + r from that, and a body whose box is beyond u + 2 r from c is out.
static uint32_t list_candidates(const depth_run *run, uint32_t begin, uint32_t end,
                                uint32_t *list) {
    const sni_depths *d = run->depths;
    sn_vec3 low = point_of(run, begin), high = low;
    for (uint32_t i = begin; i < end; ++i) {
        sn_vec3 p = point_of(run, i);
        low = sn_vec3_min(low, p);
        high = sn_vec3_max(high, p);
    }
    sn_vec3 center = sn_vec3_lerp(low, high, 0.5);
    double radius = sn_vec3_distance(low, high) / 2, upper = INFINITY, clear = INFINITY;
    for (uint32_t i = 0; i < d->count; ++i) {
        const body *b = &d->bodies[i];
        if (b->solid.usable && box_distance_squared(b, center) < upper * upper) {
            upper = surface_distance(b, center, upper, &clear);
        }
    }
    double reach = upper + 2 * radius;
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->count; ++i) {
        const body *b = &d->bodies[i];
        if (b->solid.usable && !(box_distance_squared(b, center) > reach * reach)) {
            list[count++] = i;
        }
    }
    return count;
}

static void find_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const depth_run *run = user;
    uint32_t *list = run->candidates + (size_t)(begin / GRAIN) * run->depths->count;
    uint32_t count = list_candidates(run, begin, end, list);
    trail t = {.nearest = SN_NONE};
    for (uint32_t i = begin; i < end; ++i) {
        run->values[run->order[i]] =
            count > 0 ? (float)find_depth(run, list, count, point_of(run, i), &t) : NAN;
    }
}

bool sni_depths_any(const sni_depths *depths) {
    for (uint32_t i = 0; i < depths->count; ++i) {
        if (depths->bodies[i].solid.interior.triangles != NULL) {
            return true;
        }
    }
    return false;
}

sn_status sni_depths_find(sni_depths *depths, const sn_frame *frame, uint32_t surface,
                          float *values, sn_error *error) {
    uint32_t count = depths->model->surfaces[surface].mesh->vertex_count;
    depth_run run = {.depths = depths, .points = sn_frame_points(frame, surface), .values = values};
    sn_status status = SN_OK;
    SN_TRY(place(depths, frame, error));
    if (depths->orders[surface] == NULL) {
        SN_TRY(make_order(depths, surface, error));
    }
    run.order = depths->orders[surface];
    SNI_NEW(depths->context, run.candidates, ((size_t)count / GRAIN + 1) * depths->count);
    sn_parallel_for(depths->context, count, GRAIN, find_block, &run);
cleanup:
    sni_free(depths->context, run.candidates);
    return status;
}
