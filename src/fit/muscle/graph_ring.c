// SPDX-License-Identifier: Apache-2.0
//
// Sphincters: the middle line of a ring-shaped mesh. Half planes from an axis through the centre
// cut the ring; the centroids of the cuts are its points. The area and the moments of a cut are
// sums over the lines in which it meets triangles (Green's theorem), whatever loops they form.
#include "fit/muscle/graph.h"

#include <math.h>

// Half planes that are tried to find out whether a mesh is a ring, and how many of them may miss
// it.
enum { TRIED = 48, MISSED = 2, POINTS = 16 };

// A cut with less than this part of the mean area is a gap.
static const double gap_part = 0.02;

typedef struct ring {
    sni_graph_fitting *fitting;
    sn_vec3 center, axis, x, y; // unit vectors; x and y in the plane of the ring
} ring;

typedef struct cut {
    double area;
    sn_vec3 middle;
} cut;

// The axis of the ring: across which its vertices spread least.
static void find_axis(ring *r) {
    const sn_mesh *mesh = r->fitting->desc->muscle.mesh;
    double m[6] = {0}, values[3];
    sn_vec3 vectors[3];
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_sub(sn_vec3_load(mesh->positions + 3 * i), r->center);
        const double products[6] = {p.x * p.x, p.y * p.y, p.z * p.z,
                                    p.x * p.y, p.x * p.z, p.y * p.z};
        for (int k = 0; k < 6; ++k) {
            m[k] += products[k];
        }
    }
    sni_fit_eigen(m, values, vectors);
    r->x = vectors[0];
    r->y = vectors[1];
    r->axis = vectors[2];
}

// Where a side of a triangle crosses the plane.
static sn_vec3 crossing(sn_vec3 a, sn_vec3 b, double da, double db) {
    return sn_vec3_lerp(a, b, da / (da - db));
}

// The line in which a triangle meets a plane, with the inside on its left as seen against the
// plane's normal.
static bool meet(const sn_vec3 corners[3], const double sides[3], sn_vec3 line[2]) {
    for (int i = 0; i < 3; ++i) {
        double a = sides[i], b = sides[(i + 1) % 3], c = sides[(i + 2) % 3];
        // One corner on one side, two on the other.
        if ((a > 0) != (b > 0) && (a > 0) != (c > 0)) {
            sn_vec3 ab = crossing(corners[i], corners[(i + 1) % 3], a, b);
            sn_vec3 ac = crossing(corners[i], corners[(i + 2) % 3], a, c);
            line[0] = a > 0 ? ab : ac;
            line[1] = a > 0 ? ac : ab;
            return true;
        }
    }
    return false;
}

// Adds a line to the sums of a cut; only what lies on the side of `outward` counts.
static void add_line(const ring *r, sn_vec3 outward, const sn_vec3 line[2], double sums[3]) {
    double u[2], v[2];
    for (int k = 0; k < 2; ++k) {
        sn_vec3 way = sn_vec3_sub(line[k], r->center);
        u[k] = sn_vec3_dot(way, outward);
        v[k] = sn_vec3_dot(way, r->axis);
    }
    if (u[0] + u[1] > 0) {
        double product = u[0] * v[1] - u[1] * v[0];
        sums[0] += product / 2;
        sums[1] += product * (u[0] + u[1]) / 6;
        sums[2] += product * (v[0] + v[1]) / 6;
    }
}

static cut cut_at(const ring *r, double angle) {
    const sni_interior *interior = &r->fitting->interior;
    sn_vec3 outward = sn_vec3_add_scaled(sn_vec3_scale(r->x, cos(angle)), sin(angle), r->y);
    sn_vec3 normal = sn_vec3_cross(outward, r->axis);
    double sums[3] = {0, 0, 0};
    for (size_t t = 0; t < interior->triangles->count; ++t) {
        sn_vec3 corners[3], line[2];
        double sides[3];
        for (int k = 0; k < 3; ++k) {
            uint32_t v = interior->triangles->vertices[3 * t + (size_t)k];
            corners[k] = sn_vec3_load(interior->positions + 3 * (size_t)v);
            sides[k] = sn_vec3_dot(sn_vec3_sub(corners[k], r->center), normal);
        }
        if (meet(corners, sides, line)) {
            add_line(r, outward, line, sums);
        }
    }
    cut found = {.area = fabs(sums[0]), .middle = r->center};
    if (found.area > 0) {
        found.middle = sn_vec3_add_scaled(found.middle, sums[1] / sums[0], outward);
        found.middle = sn_vec3_add_scaled(found.middle, sums[2] / sums[0], r->axis);
    }
    return found;
}

static double mean_area(const cut *cuts, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sum += cuts[i].area / count;
    }
    return sum;
}

// A ring goes around its middle: the middle is outside of the mesh, and nearly every half plane
// meets it.
sn_status sni_graph_find_ring(sni_graph_fitting *f, sn_vec3 *center, bool *found, sn_error *error) {
    sn_mass mass;
    cut cuts[TRIED];
    uint32_t missed = 0;
    sn_status status =
        sn_mass_compute(f->context, f->interior.positions, f->interior.triangles->vertices,
                        f->interior.triangles->count, &mass, error);
    ring r = {.fitting = f, .center = status == SN_OK ? mass.centroid : (sn_vec3){0, 0, 0}};
    *found = false;
    if (status != SN_OK || sni_interior_contains(&f->interior, r.center)) {
        return status;
    }
    find_axis(&r);
    for (uint32_t i = 0; i < TRIED; ++i) {
        cuts[i] = cut_at(&r, 2 * SN_PI * i / TRIED);
    }
    for (uint32_t i = 0; i < TRIED; ++i) {
        missed += cuts[i].area < gap_part * mean_area(cuts, TRIED);
    }
    *center = r.center;
    *found = missed <= MISSED;
    return SN_OK;
}

// Points from a gap on, so that they form a row; a ring without a gap is a circle.
static sn_status keep_points(sni_graph_fitting *f, const cut *cuts, uint32_t count,
                             sn_error *error) {
    sn_graph_fit *fit = f->result;
    double least = gap_part * mean_area(cuts, count);
    uint32_t first = 0, gaps = 0;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < count; ++i) {
        bool gap = cuts[i].area < least;
        first = gap && cuts[(i + 1) % count].area >= least ? (i + 1) % count : first;
        gaps += gap;
    }
    if (gaps + 3 > count) {
        return sni_fail(error, SN_INVALID, "it is no ring around its center");
    }
    SNI_NEW(f->context, fit->points, count);
    for (uint32_t i = 0; i < count; ++i) {
        const cut *c = &cuts[(first + i) % count];
        if (c->area < least) {
            continue;
        }
        sn_fit_graph_point *point = &fit->points[fit->point_count];
        *point =
            (sn_fit_graph_point){.point = sni_graph_move_inside(f, c->middle),
                                 .parent = fit->point_count > 0 ? fit->point_count - 1 : SN_NONE};
        SN_TRY(sni_graph_put_on_bone(f, point, error));
        ++fit->point_count;
    }
    fit->points[0].parent = gaps == 0 ? fit->point_count - 1 : SN_NONE;
cleanup:
    return status;
}

sn_status sni_graph_fit_ring(sni_graph_fitting *f, sn_vec3 center, sn_error *error) {
    uint32_t count = f->desc->points > 0 ? f->desc->points : POINTS;
    ring r = {.fitting = f, .center = center};
    sn_status status = SN_OK;
    cut *cuts = sni_arena_alloc(&f->arena, count, sizeof *cuts);
    SN_TRY(cuts != NULL ? SN_OK : sni_fail_memory(error));
    find_axis(&r);
    for (uint32_t i = 0; i < count; ++i) {
        cuts[i] = cut_at(&r, 2 * SN_PI * i / count);
    }
    SN_TRY(keep_points(f, cuts, count, error));
    f->result->sphincter = true;
    f->result->path_count = 1;
    f->result->center = (sn_fit_graph_point){.point = center, .parent = SN_NONE};
    SN_TRY(sni_graph_put_on_bone(f, &f->result->center, error));
cleanup:
    return status;
}
