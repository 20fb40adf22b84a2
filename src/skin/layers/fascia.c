// SPDX-License-Identifier: Apache-2.0
#include "skin/layers/fascia.h"

#include "base/context.h"
#include "geometry/triangle.h"
#include "sinew/geometry.h"

#include <math.h>
#include <string.h>

// Rounds of averaging of directions and depths; in the first half depths only fall.
enum { AVERAGE_ROUNDS = 30 };
// Of the ball's radius, where nothing is known of what is below.
static const double ball_share = 0.5;
// Of the ball's radius, how far directions are averaged.
static const double spread_share = 0.5;
// No more than this part of the ball's radius is flesh.
static const double most_share = 0.9;
// Fascia whose triangles have less of their skin's area than this, seen along the normal, comes up
// towards the skin, in steps.
static const double least_area = 0.2;
static const double rise = 0.8;
enum { UNTANGLE_ROUNDS = 24 };
enum { MEND_ROUNDS = 4 };
// Steps in which a ball shrinks until it fits. A point that it meets within so many edges of its
// own tells more of the triangles there than of the body.
enum { SHRINK_STEPS = 24 };
static const double beside_edges = 2;
static const double shrinks = 1e-3;
enum { BALL_GRAIN = 128 };

// ---------------------------------------------------------------------------------------------
// Directions

// What a column takes of the mean of its neighbours in a round. n rounds of share s spread over
// about sqrt(n s) edges; around a finger that must be less than its radius, or directions of all
// sides mix.
static double averaging_share(const sni_layers_mesh *m, const sni_layers_fascia *f, uint32_t i) {
    double edge = sni_layers_edge(m, i), reach = spread_share * (double)f->radii[i];
    return edge > 0 ? fmin(0.5, reach * reach / (AVERAGE_ROUNDS * edge * edge)) : 0;
}

static sn_status smooth_directions(const sni_layers_mesh *m, sni_layers_fascia *f,
                                   sn_error *error) {
    sn_status status = SN_OK;
    float *next = NULL;
    SNI_NEW(m->context, next, 3 * (size_t)m->column_count);
    for (int round = 0; round < AVERAGE_ROUNDS; ++round) {
        sni_surface_graph_average(&m->graph, 3, 1, f->outwards, next);
        for (uint32_t i = 0; i < m->column_count; ++i) {
            float *d = f->outwards + 3 * (size_t)i;
            sn_vec3 own = sn_vec3_load(d), mean = sn_vec3_load(next + 3 * (size_t)i);
            sn_vec3 to = sn_vec3_lerp(own, mean, averaging_share(m, f, i));
            sn_vec3_store(sn_vec3_normalize_or(to, own), d);
        }
    }
cleanup:
    sni_free(m->context, next);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Balls

typedef struct ball_run {
    const sni_layers_mesh *mesh;
    const float *normals;
    const sn_accel *accel;
    double largest;
    float *radii;
} ball_run;

// The largest ball that touches the skin at x from inside (the shrinking ball of Ma, Bae and Choi,
// "3D medial axis point approximation using nearest neighbors and the normal field", 2012).
static double shrink_ball(const ball_run *run, sn_vec3 x, sn_vec3 n, double edge) {
    double r = run->largest;
    for (int step = 0; step < SHRINK_STEPS; ++step) {
        sn_vec3 centre = sn_vec3_add_scaled(x, -r, n);
        sn_closest closest;
        sn_accel_find_closest(run->accel, centre, (1 - shrinks) * r, &closest);
        if (closest.triangle == SN_NONE) {
            return r;
        }
        sn_vec3 way = sn_vec3_sub(x, closest.point);
        double along = sn_vec3_dot(way, n), next = sn_vec3_dot(way, way) / (2 * along);
        if (!(along > 0) || !(next < r) || sn_vec3_length(way) < beside_edges * edge) {
            return r;
        }
        r = next;
    }
    return r;
}

static void ball_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const ball_run *run = user;
    for (uint32_t i = begin; i < end; ++i) {
        run->radii[i] = (float)shrink_ball(run, sn_vec3_load(run->mesh->points + 3 * (size_t)i),
                                           sn_vec3_load(run->normals + 3 * (size_t)i),
                                           sni_layers_edge(run->mesh, i));
    }
}

static double largest_ball(const sni_layers_mesh *m) {
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < m->column_count; ++i) {
        low = sn_vec3_min(low, sn_vec3_load(m->points + 3 * (size_t)i));
        high = sn_vec3_max(high, sn_vec3_load(m->points + 3 * (size_t)i));
    }
    return m->column_count > 0 ? sn_vec3_distance(low, high) / 2 : 0;
}

static sn_status find_radii(const sni_layers_mesh *m, const float *normals, sni_layers_fascia *f,
                            sn_error *error) {
    sn_accel *accel = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_accel_create(m->context, m->points, m->column_count, m->column_triangles,
                           m->column_triangle_count, &accel, error));
    ball_run run = {.mesh = m,
                    .normals = normals,
                    .accel = accel,
                    .largest = largest_ball(m),
                    .radii = f->radii};
    sn_parallel_for(m->context, m->column_count, BALL_GRAIN, ball_block, &run);
cleanup:
    sn_accel_destroy(accel);
    return status;
}

// Where a skin meets itself at rest, balls are nearly nothing or look through to the other side:
// none is much larger than its neighbours, or much smaller than the edges around it.
static sn_status mend_radii(const sni_layers_mesh *m, float *radii, sn_error *error) {
    static const double most_ratio = 1.5, least_edge = 0.3;
    sn_status status = SN_OK;
    float *means = NULL;
    SNI_NEW(m->context, means, m->column_count);
    for (int round = 0; round < MEND_ROUNDS; ++round) {
        sni_surface_graph_average(&m->graph, 1, 1, radii, means);
        for (uint32_t i = 0; i < m->column_count; ++i) {
            double radius = fmin((double)radii[i], most_ratio * (double)means[i]);
            radii[i] = (float)fmax(radius, least_edge * sni_layers_edge(m, i));
        }
    }
cleanup:
    sni_free(m->context, means);
    return status;
}

sn_status sni_layers_fascia_init(const sni_layers_mesh *m, sni_layers_fascia *f, sn_error *error) {
    sn_status status = SN_OK;
    *f = (sni_layers_fascia){0};
    SNI_NEW(m->context, f->outwards, 3 * (size_t)m->column_count);
    SNI_NEW(m->context, f->radii, m->column_count);
    SNI_NEW(m->context, f->depths, m->column_count);
    SNI_NEW(m->context, f->points, 3 * (size_t)m->column_count);
    sni_layers_normals(m, m->points, 3, f->outwards);
    SN_TRY(find_radii(m, f->outwards, f, error));
    SN_TRY(mend_radii(m, f->radii, error));
    SN_TRY(smooth_directions(m, f, error));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Depths

static sn_status smooth_depths(const sni_layers_mesh *m, float *depths, sn_error *error) {
    sn_status status = SN_OK;
    float *next = NULL;
    SNI_NEW(m->context, next, m->column_count);
    for (int i = 0; i < AVERAGE_ROUNDS; ++i) {
        sni_surface_graph_average(&m->graph, 1, 0.5, depths, next);
        for (uint32_t k = 0; k < m->column_count; ++k) {
            bool falls = i < AVERAGE_ROUNDS / 2;
            depths[k] = falls && next[k] > depths[k] ? depths[k] : next[k];
        }
    }
cleanup:
    sni_free(m->context, next);
    return status;
}

static void place_points(const sni_layers_mesh *m, sni_layers_fascia *f) {
    for (uint32_t i = 0; i < m->column_count; ++i) {
        sn_vec3 x = sn_vec3_load(m->points + 3 * (size_t)i);
        sn_vec3 d = sn_vec3_load(f->outwards + 3 * (size_t)i);
        sn_vec3_store(sn_vec3_add_scaled(x, -(double)f->depths[i], d), f->points + 3 * (size_t)i);
    }
}

// Marks the columns of triangles whose fascia is turned over or nearly gone; returns how many.
static uint32_t mark_tangles(const sni_layers_mesh *m, const sni_layers_fascia *f, uint8_t *marks) {
    uint32_t count = 0;
    memset(marks, 0, m->column_count);
    for (uint32_t t = 0; t < m->column_triangle_count; ++t) {
        const uint32_t *v = m->column_triangles + 3 * (size_t)t;
        sn_vec3 x[3], y[3];
        sni_triangle_corners(m->points, v, x);
        sni_triangle_corners(f->points, v, y);
        sn_vec3 above = sni_triangle_vector(x[0], x[1], x[2]);
        double along = sn_vec3_dot(above, sni_triangle_vector(y[0], y[1], y[2]));
        if (along < least_area * sn_vec3_dot(above, above)) {
            marks[v[0]] = marks[v[1]] = marks[v[2]] = 1;
            ++count;
        }
    }
    return count;
}

static sn_status untangle(const sni_layers_mesh *m, sni_layers_fascia *f, sn_error *error) {
    sn_status status = SN_OK;
    uint8_t *marks = NULL;
    SNI_NEW(m->context, marks, m->column_count);
    for (int round = 0; round < UNTANGLE_ROUNDS && mark_tangles(m, f, marks) > 0; ++round) {
        for (uint32_t i = 0; i < m->column_count; ++i) {
            f->depths[i] *= marks[i] ? (float)rise : 1;
        }
        place_points(m, f);
    }
cleanup:
    sni_free(m->context, marks);
    return status;
}

sn_status sni_layers_fascia_lay(const sni_layers_mesh *m, const sni_layers_fascia_desc *desc,
                                sni_layers_fascia *f, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < m->column_count; ++i) {
        double below = desc->distances != NULL ? (double)desc->distances[i] : INFINITY;
        double inside = ball_share * (double)f->radii[i];
        double depth = isfinite(below) ? fmin(desc->share * below, inside) : inside;
        double most = fmin(desc->thickest, most_share * (double)f->radii[i]);
        f->depths[i] = (float)fmin(fmax(depth, desc->thinnest), most);
    }
    SN_TRY(smooth_depths(m, f->depths, error));
    place_points(m, f);
    SN_TRY(untangle(m, f, error));
cleanup:
    return status;
}

void sni_layers_fascia_deinit(sn_context *context, sni_layers_fascia *f) {
    sni_free(context, f->outwards);
    sni_free(context, f->depths);
    sni_free(context, f->radii);
    sni_free(context, f->points);
    *f = (sni_layers_fascia){0};
}
