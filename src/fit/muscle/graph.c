// SPDX-License-Identifier: Apache-2.0
//
// Paths for the mesh of a muscle (section 4.1 of the thesis, where people draw them). sn_fit_muscle
// finds strips of sections from origins to insertions, what they are attached to and what carries
// them. The middles of the sections of each strip are a path:
//
//     ends      go with the bones that the strip is attached to
//     pivots    go with their segments
//     others    are in space, carried as those on both sides of them are
//     tendons   where the strip is far thinner than its belly
#include "fit/muscle/graph.h"

#include "base/context.h"
#include "geometry/closed.h"

#include <math.h>

static const uint32_t desc_check = 0x67726664;

// Sections of a strip that are looked at where the desc does not say how many points it has.
enum { SECTIONS = 16, POINTS_LEAST = 4, POINTS_MOST = 8, RAYS = 24 };

// Control points are about this part of the mean thickness apart.
static const double spacing = 1.2;

// A section with less than this part of the largest area is tendon; a tendon has two points at
// least.
static const double tendon_part = 0.12;

sn_graph_fit_desc sn_graph_fit_desc_default(void) {
    return (sn_graph_fit_desc){.check = desc_check, .muscle = sn_muscle_fit_desc_default()};
}

// --- Places

// The middle of what a line through the nearest place of the surface and on crosses.
sn_vec3 sni_graph_move_inside(sni_graph_fitting *f, sn_vec3 point) {
    sn_closest closest;
    sn_hit hit;
    if (sni_interior_contains(&f->interior, point)) {
        return point;
    }
    sn_accel_find_closest(f->interior.accel, point, INFINITY, &closest);
    sn_vec3 way = sn_vec3_sub(closest.point, point);
    if (closest.triangle == SN_NONE || !(sn_vec3_length(way) > 0)) {
        return point;
    }
    double skin = 1e-5 * f->size;
    sn_accel_cast(f->interior.accel, closest.point, way, skin, INFINITY, &hit);
    sn_vec3 middle = hit.triangle != SN_NONE ? sn_vec3_lerp(closest.point, hit.point, 0.5) : point;
    bool inside = sni_interior_contains(&f->interior, middle);
    f->result->outside_count += inside;
    return inside ? middle : point;
}

sn_status sni_graph_put_on_bone(sni_graph_fitting *f, sn_fit_graph_point *point, sn_error *error) {
    sn_status status =
        sni_fit_bones_nearest(&f->bones, point->point, SN_NONE, &point->bone, NULL, NULL, error);
    point->segment = status == SN_OK && point->bone != SN_NONE
                         ? f->desc->muscle.bones[point->bone].segment
                         : SN_NONE;
    return status;
}

// --- Strips

typedef struct path {
    uint32_t count;
    sn_vec3 points[SNI_FIT_SLICES_MOST];
    double areas[SNI_FIT_SLICES_MOST];
    uint32_t segments[SNI_FIT_SLICES_MOST]; // of pivots; SN_NONE for others
    uint32_t bones[2];                      // of the ends
} path;

static double area_of(const sn_fit_section *section) {
    return SN_PI * sn_vec3_length(section->wide) * sn_vec3_length(section->thick);
}

static void take_strip(const sn_fit_strip *strip, bool reversed, path *p) {
    *p = (path){.count = strip->slice_count};
    p->bones[reversed] = strip->origins[0].bone;
    p->bones[!reversed] = strip->insertions[0].bone;
    for (uint32_t i = 0; i < p->count; ++i) {
        uint32_t at = reversed ? p->count - 1 - i : i;
        p->points[at] = strip->sections[i].center;
        p->areas[at] = area_of(&strip->sections[i]);
        p->segments[at] = SN_NONE;
    }
    for (uint32_t i = 0; i < strip->pivot_count; ++i) {
        const sn_fit_pivot *pivot = &strip->pivots[i];
        uint32_t at = reversed ? p->count - 1 - pivot->slice : pivot->slice;
        // What turns by half is between two segments, as points in space are.
        p->segments[at] = pivot->half == SN_NONE ? pivot->segment : SN_NONE;
    }
}

static double length_of(const path *p) {
    double sum = 0;
    for (uint32_t i = 1; i < p->count; ++i) {
        sum += sn_vec3_distance(p->points[i - 1], p->points[i]);
    }
    return sum;
}

// Half of the mean diameter of its sections.
static double radius_of(const path *p) {
    double sum = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        sum += sqrt(p->areas[i] / SN_PI) / p->count;
    }
    return sum;
}

static uint32_t point_count(const sn_graph_fit_desc *desc, const path *p) {
    if (desc->points > 0) {
        return desc->points;
    }
    double count = 1 + length_of(p) / (spacing * 2 * fmax(radius_of(p), 1e-9));
    return (uint32_t)fmin(fmax(round(count), POINTS_LEAST), POINTS_MOST);
}

// The place of a path that is `at` from its beginning.
static void place_on(const path *from, double at, path *to) {
    double passed = 0, step = 0;
    uint32_t k = 0;
    for (; k + 2 < from->count; ++k) {
        step = sn_vec3_distance(from->points[k], from->points[k + 1]);
        if (passed + step >= at) {
            break;
        }
        passed += step;
    }
    step = sn_vec3_distance(from->points[k], from->points[k + 1]);
    double u = step > 0 ? fmin(fmax((at - passed) / step, 0), 1) : 0;
    to->points[to->count] = sn_vec3_lerp(from->points[k], from->points[k + 1], u);
    to->areas[to->count] = from->areas[k] + u * (from->areas[k + 1] - from->areas[k]);
    to->segments[to->count] = SN_NONE;
    ++to->count;
}

// A path through the ends and pivots of another, with points between them where they are farther
// apart than even steps of `count` points.
static void resample(const path *from, uint32_t count, path *to) {
    double step = length_of(from) / (count - 1), passed = 0, last = 0;
    *to = (path){.bones = {from->bones[0], from->bones[1]}};
    for (uint32_t i = 0; i < from->count; ++i) {
        passed += i > 0 ? sn_vec3_distance(from->points[i - 1], from->points[i]) : 0;
        bool end = i == 0 || i + 1 == from->count;
        if (!end && from->segments[i] == SN_NONE) {
            continue;
        }
        // Room is left for what must come.
        uint32_t room = SNI_FIT_SLICES_MOST - to->count - (from->count - i);
        uint32_t between = (uint32_t)fmin(fmax(round((passed - last) / step) - 1, 0), room);
        for (uint32_t k = 1; k <= between; ++k) {
            place_on(from, last + (passed - last) * k / (between + 1), to);
        }
        to->points[to->count] = from->points[i];
        to->areas[to->count] = from->areas[i];
        to->segments[to->count++] = from->segments[i];
        last = passed;
    }
}

// How many points from an end on are tendon; the belly keeps three.
static uint32_t tendon_count(const path *p, bool at_end) {
    double most = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        most = fmax(most, p->areas[i]);
    }
    while (count < p->count &&
           p->areas[at_end ? p->count - 1 - count : count] < tendon_part * most) {
        ++count;
    }
    return count >= 2 && count + 3 <= p->count ? count : 0;
}

// The middle of what a plane across the path cuts, as rays from a point in it see it; the point
// itself where they see nothing. Sections at the ends of a bent muscle lie askew.
static sn_vec3 center_point(const sni_graph_fitting *f, sn_vec3 point, sn_vec3 along) {
    sn_vec3 y = sn_vec3_perpendicular(along), z = sn_vec3_cross(along, y);
    double area = 0, moments[2] = {0, 0}, hits[RAYS][2];
    for (int k = 0; k < RAYS; ++k) {
        double angle = 2 * SN_PI * k / RAYS;
        sn_vec3 way = sn_vec3_add_scaled(sn_vec3_scale(y, cos(angle)), sin(angle), z);
        sn_hit hit;
        sn_accel_cast(f->interior.accel, point, way, 0, INFINITY, &hit);
        double distance = hit.triangle != SN_NONE ? hit.distance : 0;
        hits[k][0] = distance * cos(angle);
        hits[k][1] = distance * sin(angle);
    }
    for (int k = 0; k < RAYS; ++k) {
        const double *a = hits[k], *b = hits[(k + 1) % RAYS];
        double product = a[0] * b[1] - a[1] * b[0];
        area += product / 2;
        moments[0] += product * (a[0] + b[0]) / 6;
        moments[1] += product * (a[1] + b[1]) / 6;
    }
    if (!(area > 0)) {
        return point;
    }
    sn_vec3 moved = sn_vec3_add_scaled(point, moments[0] / area, y);
    moved = sn_vec3_add_scaled(moved, moments[1] / area, z);
    return sni_interior_contains(&f->interior, moved) ? moved : point;
}

// Of one path that has all of the muscle to itself.
static void center_path(const sni_graph_fitting *f, path *p) {
    for (int round = 0; round < 2; ++round) {
        for (uint32_t i = 0; i < p->count; ++i) {
            sn_vec3 from = p->points[i > 0 ? i - 1 : i];
            sn_vec3 to = p->points[i + 1 < p->count ? i + 1 : i];
            sn_vec3 along = sn_vec3_normalize_or(sn_vec3_sub(to, from), sn_vec3_make(1, 0, 0));
            bool inside = sni_interior_contains(&f->interior, p->points[i]);
            p->points[i] = inside ? center_point(f, p->points[i], along) : p->points[i];
        }
    }
}

static void add_path(sni_graph_fitting *f, const path *p) {
    sn_graph_fit *fit = f->result;
    uint32_t first = fit->point_count, last = p->count - 1;
    uint32_t before = tendon_count(p, false), behind = tendon_count(p, true);
    for (uint32_t i = 0; i < p->count; ++i) {
        uint32_t bone = i == 0 ? p->bones[0] : i == last ? p->bones[1] : SN_NONE;
        fit->points[fit->point_count++] = (sn_fit_graph_point){
            .point = sni_graph_move_inside(f, p->points[i]),
            .bone = bone,
            .segment = bone != SN_NONE ? f->desc->muscle.bones[bone].segment : p->segments[i],
            .parent = i == 0 ? SN_NONE : first + i - 1,
            .tendon = i < before || i + behind >= p->count};
    }
}

// Whether strips begin at the places that they should end at.
static bool are_reversed(const sni_graph_fitting *f) {
    const sn_muscle_fit_desc *muscle = &f->desc->muscle;
    double sums[2] = {0, 0};
    if (f->desc->origin_count == 0 || f->desc->origin_count >= muscle->place_count) {
        return false;
    }
    for (uint32_t i = 0; i < muscle->place_count; ++i) {
        bool origin = i < f->desc->origin_count;
        double nearest[2] = {INFINITY, INFINITY};
        for (uint32_t k = 0; k < f->result->strips->strip_count; ++k) {
            const sn_fit_strip *strip = &f->result->strips->strips[k];
            for (int end = 0; end < 2; ++end) {
                sn_vec3 at = strip->sections[end == 0 ? 0 : strip->slice_count - 1].center;
                nearest[end] = fmin(nearest[end], sn_vec3_distance(at, muscle->places[i].point));
            }
        }
        double share =
            1.0 / (origin ? f->desc->origin_count : muscle->place_count - f->desc->origin_count);
        sums[0] += share * nearest[!origin]; // as they are
        sums[1] += share * nearest[origin];
    }
    return sums[1] < sums[0];
}

static sn_status fit_paths(sni_graph_fitting *f, sn_error *error) {
    sn_graph_fit *fit = f->result;
    sn_muscle_fit_desc desc = f->desc->muscle;
    sn_status status = SN_OK;
    path *paths = NULL;
    uint32_t total = 0;
    desc.slices = desc.slices == 0 ? SECTIONS : desc.slices;
    SN_TRY(sni_fit_muscle(f->context, &desc, f->trees, &fit->strips, error));
    bool reversed = are_reversed(f);
    SNI_NEW(f->context, paths, (size_t)fit->strips->strip_count + 1);
    for (uint32_t i = 0; i < fit->strips->strip_count; ++i) {
        path *given = &paths[fit->strips->strip_count];
        take_strip(&fit->strips->strips[i], reversed, given);
        resample(given, point_count(f->desc, given), &paths[i]);
        if (fit->strips->strip_count == 1) {
            center_path(f, &paths[i]);
        }
        total += paths[i].count;
    }
    SNI_NEW(f->context, fit->points, total);
    for (uint32_t i = 0; i < fit->strips->strip_count; ++i) {
        add_path(f, &paths[i]);
    }
    fit->path_count = fit->strips->strip_count;
cleanup:
    sni_free(f->context, paths);
    return status;
}

// --- All of it

static sn_status check_desc(const sn_graph_fit_desc *desc, sn_error *error) {
    bool closed = false;
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the description is not made by its default");
    }
    if (desc->muscle.mesh == NULL || desc->muscle.bone_count == 0) {
        return sni_fail(error, SN_INVALID, "it needs a mesh, and one bone at least");
    }
    if (desc->points != 0 && (desc->points < 3 || desc->points > (desc->sphincter ? 64 : 32))) {
        return sni_fail(error, SN_INVALID, "%u points are out of range", desc->points);
    }
    if (desc->has_center && !sn_vec3_is_finite(desc->center)) {
        return sni_fail(error, SN_INVALID, "its center is not finite");
    }
    sn_status status = sni_mesh_is_closed(desc->muscle.mesh, &closed, error);
    return status != SN_OK || closed ? status
                                     : sni_fail(error, SN_INVALID, "its mesh is not closed");
}

static sn_status begin(sni_graph_fitting *f, sn_error *error) {
    const sn_mesh *mesh = f->desc->muscle.mesh;
    sn_status status = SN_OK;
    sn_vec3 low, high;
    sn_mesh_bounds(mesh, &low, &high);
    f->size = sn_vec3_distance(low, high);
    SN_TRY(sni_interior_init(&f->interior, mesh, mesh->positions, error));
    SN_TRY(sni_fit_bones_init(&f->bones, f->context, &f->arena, &f->desc->muscle, f->trees,
                              sn_vec3_make(0, 0, 0), error));
    SNI_NEW_ZERO(f->context, f->result, 1);
    f->result->context = f->context;
cleanup:
    return status;
}

static sn_status fit_all(sni_graph_fitting *f, sn_error *error) {
    sn_vec3 center = f->desc->center;
    bool ring = f->desc->sphincter;
    sn_status status = SN_OK;
    SN_TRY(begin(f, error));
    if (!(ring && f->desc->has_center) && (ring || f->desc->finds_rings)) {
        bool found = false;
        SN_TRY(sni_graph_find_ring(f, &center, &found, error));
        if (ring && !found) {
            SN_TRY(sni_fail(error, SN_INVALID, "it is no ring around its middle"));
        }
        ring = found;
    }
    SN_TRY(ring ? sni_graph_fit_ring(f, center, error) : fit_paths(f, error));
cleanup:
    return status;
}

sn_status sn_fit_graph(sn_context *context, const sn_graph_fit_desc *desc, sn_graph_fit **fit,
                       sn_error *error) {
    return sni_fit_graph(context, desc, NULL, fit, error);
}

sn_status sni_fit_graph(sn_context *context, const sn_graph_fit_desc *desc,
                        const sni_bone_trees *trees, sn_graph_fit **fit, sn_error *error) {
    sni_graph_fitting f = {.context = context, .desc = desc, .trees = trees};
    sn_status status = SN_OK;
    *fit = NULL;
    sni_arena_init(&f.arena, context);
    SN_TRY(check_desc(desc, error));
    SN_TRY(fit_all(&f, error));
    *fit = f.result;
    f.result = NULL;
cleanup:
    if (status != SN_OK && desc->check == desc_check && desc->muscle.mesh != NULL) {
        sni_error_place(error, 0, "muscle '%s'",
                        desc->muscle.name != NULL ? desc->muscle.name : desc->muscle.mesh->name);
    }
    sn_graph_fit_destroy(f.result);
    sni_fit_bones_deinit(&f.bones);
    sni_interior_deinit(&f.interior);
    sni_arena_deinit(&f.arena);
    return status;
}

void sn_graph_fit_destroy(sn_graph_fit *fit) {
    if (fit == NULL) {
        return;
    }
    sn_context *context = fit->context;
    sn_muscle_fit_destroy(fit->strips);
    sni_free(context, fit->points);
    sni_free(context, fit);
}
