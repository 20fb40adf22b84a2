// SPDX-License-Identifier: Apache-2.0
//
// Refinement: every grid point is moved along its normal to its depth below the skin above it. The
// depth is the thickness of the skin and half that of the muscle (3.2), or that of an inner
// surface: a mesh, met along the inward normal, or the limbs of a skeleton, up to the share of the
// way that is bone.
#include "muscle/patch/patch.h"

#include "geometry/edge.h"
#include "geometry/triangle.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------
// The skin above

typedef struct probe {
    const sni_muscle_job *job;
    sn_vec3 point, normal;
    double depth;
} probe;

static bool faces_along(const probe *p, uint32_t triangle) {
    const uint32_t *v = sni_patch_skin(p->job)->triangles->vertices + 3 * (size_t)triangle;
    sn_vec3 corners[3];
    sni_triangle_corners(sni_patch_skin(p->job)->mesh->positions, v, corners);
    return sn_vec3_dot(sni_triangle_vector(corners[0], corners[1], corners[2]), p->normal) > 0;
}

// The first place above the point where the normal leaves the body.
static bool find_exit_above(const probe *p, sn_hit *hit) {
    double near = 0;
    for (int tries = 0; tries < 16; ++tries) {
        sn_accel_cast(sni_patch_skin(p->job)->accel, p->point, p->normal, near, INFINITY, hit);
        if (hit->triangle == SN_NONE || faces_along(p, hit->triangle)) {
            return hit->triangle != SN_NONE;
        }
        near = hit->distance + 1e-6 * p->depth;
    }
    return false;
}

// The skin above a grid point. Within the body it is the first hit, whichever way it faces: where
// two lips lie on each other the hit may be told to belong to the wrong one.
static bool find_skin(const probe *p, sn_hit *hit) {
    sn_hit below;
    sn_accel_cast(sni_patch_skin(p->job)->accel, p->point, p->normal, 0, INFINITY, hit);
    if (hit->triangle != SN_NONE && faces_along(p, hit->triangle)) {
        return true;
    }
    sn_accel_cast(sni_patch_skin(p->job)->accel, p->point, sn_vec3_scale(p->normal, -1), 0,
                  INFINITY, &below);
    bool outside = below.triangle != SN_NONE && faces_along(p, below.triangle);
    bool inside = below.triangle != SN_NONE && !outside;
    if (inside && hit->triangle != SN_NONE) {
        return true;
    }
    sn_hit exit;
    bool above = find_exit_above(p, &exit);
    if (outside && (!above || below.distance + p->depth < fabs(exit.distance - p->depth))) {
        *hit = below;
    } else if (above) {
        *hit = exit;
    }
    return hit->triangle != SN_NONE;
}

// How far the body extends below the skin along the normal; infinity for an open sheet.
static double local_thickness(const probe *p, const sn_hit *hit) {
    sn_hit bottom;
    sn_accel_cast(sni_patch_skin(p->job)->accel, hit->point, sn_vec3_scale(p->normal, -1),
                  1e-4 * p->depth, INFINITY, &bottom);
    return bottom.triangle != SN_NONE ? bottom.distance : INFINITY;
}

// ---------------------------------------------------------------------------------------------
// Depth from what lies below

static bool inner_faces_along(const sni_muscle_inner *inner, uint32_t triangle, sn_vec3 normal) {
    const uint32_t *v = inner->vertices + 3 * (size_t)triangle;
    sn_vec3 corners[3];
    sni_triangle_corners(inner->positions, v, corners);
    return sn_vec3_dot(sni_triangle_vector(corners[0], corners[1], corners[2]), normal) > 0;
}

// How far below the skin the way along -n comes closest to the limb that is closest to the skin.
static double depth_of_limb(const sni_muscle_inner *inner, sn_vec3 skin, sn_vec3 normal) {
    const sn_vec3 *nearest = inner->lines;
    double least = INFINITY, along = 0;
    for (uint32_t i = 0; i < inner->line_count; ++i) {
        double weight;
        const sn_vec3 *line = inner->lines + 2 * (size_t)i;
        double distance2 = sni_edge_closest(line[0], line[1], skin, &weight);
        if (distance2 < least) {
            least = distance2;
            nearest = line;
            along = weight;
        }
    }
    // Seen along n the way is a point, and the limb a line.
    sn_vec3 edge = sn_vec3_sub(nearest[1], nearest[0]), from = sn_vec3_sub(skin, nearest[0]);
    edge = sn_vec3_add_scaled(edge, -sn_vec3_dot(edge, normal), normal);
    from = sn_vec3_add_scaled(from, -sn_vec3_dot(from, normal), normal);
    double length2 = sn_vec3_dot(edge, edge);
    if (length2 > 1e-12 * sn_vec3_dot(from, from)) {
        along = fmin(fmax(sn_vec3_dot(from, edge) / length2, 0), 1);
    }
    sn_vec3 on_limb = sn_vec3_lerp(nearest[0], nearest[1], along);
    return sn_vec3_dot(sn_vec3_sub(skin, on_limb), normal);
}

// The depth of the inner surface below the skin along -n, within a body of that thickness. A bone
// that sticks out of the skin is met from behind, which does not count.
static bool find_inner(const sni_muscle_job *job, sn_vec3 skin, sn_vec3 normal, double body,
                       double *depth) {
    const sni_muscle_inner *inner = sni_patch_inner(job);
    if (inner->accel == NULL) {
        double reached = depth_of_limb(inner, skin, normal);
        *depth = reached * (1 - job->parameters[SNI_PATCH_BONE_SHARE]);
        return reached > 0 && reached < body;
    }
    sn_hit hit;
    sn_accel_cast(inner->accel, skin, sn_vec3_scale(normal, -1), 0, body, &hit);
    *depth = hit.distance;
    return hit.triangle != SN_NONE && inner_faces_along(inner, hit.triangle, normal);
}

bool sni_patch_inner_depth(const sni_muscle_job *job, sn_vec3 skin, sn_vec3 normal, double *depth) {
    return find_inner(job, skin, normal, INFINITY, depth);
}

// ---------------------------------------------------------------------------------------------
// Traces

// What was found at a grid point.
typedef struct finding {
    bool has_skin, has_depth;
    bool traced;
    sn_vec3 skin;
    double body; // its thickness there
} finding;

static void add_trace(const sni_muscle_job *job, uint32_t triangle, sn_vec3 point,
                      sni_patch_grid *grid) {
    const uint32_t *v = sni_patch_skin(job)->triangles->vertices + 3 * (size_t)triangle;
    grid->traces[grid->trace_count++] =
        (sni_muscle_trace){.vertices = {v[0], v[1], v[2]}, .point = point};
}

static void add_curve_traces(const sni_muscle_job *job, sni_patch_grid *grid) {
    for (uint32_t c = 0; c < sni_patch_skin(job)->curve_count; ++c) {
        for (uint32_t i = 0; i < sni_patch_skin(job)->curves[c].count; ++i) {
            const sni_skin_place *place = &sni_patch_skin(job)->curves[c].places[i];
            add_trace(job, place->triangle,
                      sni_skin_place_point(sni_patch_skin(job)->mesh,
                                           sni_patch_skin(job)->triangles, place),
                      grid);
        }
    }
}

// Half the longest diagonal of the grid's cells: how far places within a cell are from its corners.
static double cell_radius(const sni_patch_grid *grid) {
    double largest = 0;
    for (uint32_t i = 0; i + 1 < grid->count_u; ++i) {
        for (uint32_t j = 0; j < grid->count_v - !grid->closed; ++j) {
            const sn_vec3 *a = grid->points + (size_t)i * grid->count_v;
            const sn_vec3 *b = a + grid->count_v;
            uint32_t next = (j + 1) % grid->count_v;
            largest = fmax(largest, sn_vec3_distance(a[j], b[next]));
            largest = fmax(largest, sn_vec3_distance(a[next], b[j]));
        }
    }
    return largest / 2;
}

// How far the grid points without a trace are from those with one, at most, looking along rows and
// columns; the whole grid's size where there is none.
static double largest_gap(const sni_patch_grid *grid, const finding *findings) {
    double largest = 0;
    for (size_t k = 0; k < sni_patch_count(grid); ++k) {
        size_t row = k / grid->count_v * grid->count_v, column = k % grid->count_v;
        double nearest = INFINITY, furthest = 0;
        for (uint32_t n = 0; !findings[k].traced && n < grid->count_u + grid->count_v; ++n) {
            size_t other =
                n < grid->count_v ? row + n : (size_t)(n - grid->count_v) * grid->count_v + column;
            double distance = sn_vec3_distance(grid->points[k], grid->points[other]);
            nearest = findings[other].traced ? fmin(nearest, distance) : nearest;
            furthest = fmax(furthest, distance);
        }
        largest = fmax(largest, findings[k].traced ? 0 : fmin(nearest, furthest));
    }
    return largest;
}

// ---------------------------------------------------------------------------------------------
// Refinement

static void look_up(const sni_muscle_job *job, sni_patch_grid *grid, size_t k, double *depth,
                    finding *f) {
    probe p = {job, grid->points[k], grid->normals[k], *depth};
    sn_hit hit;
    *f = (finding){.has_depth = sni_patch_inner(job) == NULL};
    f->has_skin = find_skin(&p, &hit);
    if (!f->has_skin) {
        return;
    }
    f->skin = hit.point;
    f->body = local_thickness(&p, &hit);
    f->traced = faces_along(&p, hit.triangle);
    if (f->traced) {
        add_trace(job, hit.triangle, hit.point, grid);
    }
    f->has_depth = f->has_depth || find_inner(job, f->skin, p.normal, f->body, depth);
}

// Points below which nothing lies take the mean depth of their neighbours, from the known ones
// outwards, layer by layer.
static bool spread_depths(const sni_patch_grid *grid, finding *findings, double *depths,
                          bool *fresh) {
    bool any = false;
    for (uint32_t i = 0; i < grid->count_u; ++i) {
        for (uint32_t j = 0; j < grid->count_v; ++j) {
            size_t k = (size_t)i * grid->count_v + j, row = (size_t)i * grid->count_v;
            uint32_t last = grid->count_v - 1;
            bool before = j > 0 || grid->closed, behind = j < last || grid->closed;
            const size_t around[4] = {i > 0 ? k - grid->count_v : k,
                                      i + 1 < grid->count_u ? k + grid->count_v : k,
                                      before ? row + (j > 0 ? j - 1 : last) : k,
                                      behind ? row + (j < last ? j + 1 : 0) : k};
            double sum = 0, known = 0;
            for (int n = 0; n < 4 && !findings[k].has_depth; ++n) {
                sum += findings[around[n]].has_depth ? depths[around[n]] : 0;
                known += findings[around[n]].has_depth;
            }
            fresh[k] = known > 0;
            depths[k] = fresh[k] ? sum / known : depths[k];
            any = any || fresh[k];
        }
    }
    for (size_t k = 0; k < sni_patch_count(grid); ++k) {
        findings[k].has_depth = findings[k].has_depth || fresh[k];
    }
    return any;
}

static sn_status fill_depths(const sni_muscle_job *job, sni_patch_grid *grid, finding *findings,
                             double *depths, sn_error *error) {
    size_t count = sni_patch_count(grid);
    const double skin = job->parameters[SNI_PATCH_SKIN_THICKNESS];
    for (size_t k = 0; k < count; ++k) {
        grid->without_inner += findings[k].has_skin && !findings[k].has_depth;
    }
    if (grid->without_inner + grid->without_hit == count) {
        return sni_fail(error, SN_INVALID, "%s: nothing of %s lies below it", sni_patch_name(job),
                        sni_patch_inner(job)->name);
    }
    bool *fresh = sni_alloc(job->context, count, sizeof *fresh);
    if (fresh == NULL) {
        return sni_fail_memory(error);
    }
    while (spread_depths(grid, findings, depths, fresh)) {
    }
    sni_free(job->context, fresh);
    for (size_t k = 0; k < count; ++k) {
        depths[k] = fmax(depths[k], skin);
    }
    return SN_OK;
}

static sn_status place_points(const sni_muscle_job *job, sni_patch_grid *grid,
                              const finding *findings, const double *depths, sn_error *error) {
    size_t count = sni_patch_count(grid), through = 0;
    double thickest = 0, deepest = 0;
    for (size_t k = 0; k < count; ++k) {
        const finding *f = &findings[k];
        if (f->has_skin) {
            grid->points[k] = sn_vec3_add_scaled(f->skin, -depths[k], grid->normals[k]);
            grid->too_deep += depths[k] > f->body / 2;
            through += depths[k] >= f->body;
            thickest = fmax(thickest, f->body);
            deepest = fmax(deepest, depths[k]);
        }
    }
    if (through == count - grid->without_hit) {
        return sni_fail(error, SN_INVALID,
                        "%s: its depth of %g (%s + %s) is greater than the body is thick, %g at "
                        "most",
                        sni_patch_name(job), deepest, sni_patch_key(SNI_PATCH_SKIN_THICKNESS),
                        sni_patch_key(SNI_PATCH_MUSCLE_THICKNESS), thickest);
    }
    return SN_OK;
}

sn_status sni_patch_refine(const sni_muscle_job *job, sni_patch_grid *grid, double *depths,
                           sn_error *error) {
    sn_status status = SN_OK;
    size_t count = sni_patch_count(grid);
    finding *findings = NULL;
    SNI_NEW(job->context, findings, count);
    add_curve_traces(job, grid);
    for (size_t k = 0; k < count; ++k) {
        look_up(job, grid, k, &depths[k], &findings[k]);
        grid->without_hit += !findings[k].has_skin;
    }
    if (grid->without_hit == count) {
        SN_TRY(sni_fail(error, SN_INVALID, "%s: there is no skin between its curves",
                        sni_patch_name(job)));
    }
    if (sni_patch_inner(job) != NULL) {
        SN_TRY(fill_depths(job, grid, findings, depths, error));
    }
    SN_TRY(place_points(job, grid, findings, depths, error));
    grid->trace_spacing = cell_radius(grid) + largest_gap(grid, findings);
cleanup:
    sni_free(job->context, findings);
    return status;
}

void sni_patch_lift(const sni_muscle_job *job, sn_vec3 normal, double depth, double furthest,
                    sn_vec3 *point) {
    probe p = {job, *point, normal, depth};
    sn_hit hit;
    if (find_skin(&p, &hit) && faces_along(&p, hit.triangle)) {
        sn_vec3 lifted = sn_vec3_add_scaled(hit.point, -depth, normal);
        *point = sn_vec3_distance(lifted, *point) <= furthest ? lifted : *point;
    }
}
