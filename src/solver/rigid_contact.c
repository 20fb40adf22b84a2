// SPDX-License-Identifier: Apache-2.0
//
// Surfaces that meet: points of each are kept out of the other by springs, each along the normal
// where the surface comes closest. Points that lie within the other surface at rest may stay as
// deep as they are there.
#include "solver/rigid_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Points between vertices stand this far apart at most, as a part of the surface's extent.
static const double point_spacing = 0.015;

// How far the other surface is looked for, as a part of its extent: points that have entered it
// further than that are not seen. Teeth are some millimetres thick.
static const double reach_part = 0.1;

// What is this much nearer than free, in metres, is asked again, so that rounding never decides.
static const double guard = 1e-9;

// How far beyond what is needed the surface is looked for, as a part of the reach; and where
// counting begins anew, in metres, so that marks keep their digits.
static const double near_part = 0.1, longest_count = 1000;

// Points of a cluster at most.
enum { CLUSTER_MOST = 32 };

// --- Points

typedef struct point_list {
    sn_context *context;
    uint32_t count, capacity;
    sn_vec3 *points;
} point_list;

static sn_status add_point(point_list *list, sn_vec3 point, sn_error *error) {
    if (!sni_grow(list->context, &list->points, &list->capacity, list->count + 1,
                  sizeof *list->points)) {
        return sni_fail_memory(error);
    }
    list->points[list->count++] = point;
    return SN_OK;
}

static double longest_side(const sn_vec3 corners[3]) {
    double longest = 0;
    for (int k = 0; k < 3; ++k) {
        longest = fmax(longest, sn_vec3_distance(corners[k], corners[(k + 1) % 3]));
    }
    return longest;
}

// Points within a triangle, in rows, so that none of it is further than the spacing from one.
static sn_status add_inner(point_list *list, const sn_vec3 c[3], double spacing, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t parts = (uint32_t)fmin(ceil(longest_side(c) / spacing), 1000);
    for (uint32_t i = 1; i + 1 < parts; ++i) {
        for (uint32_t k = 1; i + k < parts; ++k) {
            double a = (double)i / parts, b = (double)k / parts;
            sn_vec3 p = sn_vec3_scale(c[0], 1 - a - b);
            p = sn_vec3_add_scaled(sn_vec3_add_scaled(p, a, c[1]), b, c[2]);
            SN_TRY(add_point(list, p, error));
        }
    }
cleanup:
    return status;
}

static sn_status list_points(const sn_mesh *mesh, const sn_triangles *triangles,
                             const uint8_t *tested, double extent, point_list *list,
                             sn_error *error) {
    uint8_t *used = NULL;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(list->context, used, mesh->vertex_count);
    for (uint32_t i = 0; i < triangles->count; ++i) {
        const uint32_t *v = triangles->vertices + 3 * (size_t)i;
        sn_vec3 corners[3];
        bool all = true;
        for (int k = 0; k < 3; ++k) {
            bool counts = tested == NULL || tested[v[k]] != 0;
            corners[k] = sn_vec3_load(mesh->positions + 3 * (size_t)v[k]);
            if (!used[v[k]] && counts) {
                SN_TRY(add_point(list, corners[k], error));
            }
            used[v[k]] = 1;
            all = all && counts;
        }
        if (all) {
            SN_TRY(add_inner(list, corners, point_spacing * extent, error));
        }
    }
cleanup:
    sni_free(list->context, used);
    return status;
}

// --- Clusters

static double along(sn_vec3 p, int axis) {
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

// By one coordinate, then by the next two, so that the order is the same everywhere.
static int compare_from(const sn_vec3 *a, const sn_vec3 *b, int axis) {
    for (int i = 0; i < 3; ++i) {
        double x = along(*a, (axis + i) % 3), y = along(*b, (axis + i) % 3);
        if (x != y) {
            return x < y ? -1 : 1;
        }
    }
    return 0;
}

static int compare_x(const void *a, const void *b) {
    return compare_from(a, b, 0);
}

static int compare_y(const void *a, const void *b) {
    return compare_from(a, b, 1);
}

static int compare_z(const void *a, const void *b) {
    return compare_from(a, b, 2);
}

static void find_box(const sn_vec3 *points, uint32_t count, sn_vec3 *low, sn_vec3 *high) {
    *low = sn_vec3_make(INFINITY, INFINITY, INFINITY);
    *high = sn_vec3_scale(*low, -1);
    for (uint32_t i = 0; i < count; ++i) {
        *low = sn_vec3_min(*low, points[i]);
        *high = sn_vec3_max(*high, points[i]);
    }
}

static sn_status add_cluster(sn_context *context, sni_contact_side *side, uint32_t first,
                             uint32_t end, sn_error *error) {
    sn_vec3 low, high;
    if (!sni_grow_by_one(context, &side->clusters, side->cluster_count, sizeof *side->clusters)) {
        return sni_fail_memory(error);
    }
    find_box(side->points + first, end - first, &low, &high);
    sni_contact_cluster *cluster = &side->clusters[side->cluster_count++];
    *cluster =
        (sni_contact_cluster){.center = sn_vec3_lerp(low, high, 0.5), .first = first, .end = end};
    for (uint32_t i = first; i < end; ++i) {
        cluster->radius = fmax(cluster->radius, sn_vec3_distance(cluster->center, side->points[i]));
    }
    return SN_OK;
}

// Halves the points across the longest side of their box until few are left.
static sn_status split(sn_context *context, sni_contact_side *side, uint32_t first, uint32_t end,
                       sn_error *error) {
    static int (*const compare[3])(const void *, const void *) = {compare_x, compare_y, compare_z};
    if (end - first <= CLUSTER_MOST) {
        return first < end ? add_cluster(context, side, first, end, error) : SN_OK;
    }
    sn_vec3 low, high;
    find_box(side->points + first, end - first, &low, &high);
    sn_vec3 size = sn_vec3_sub(high, low);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    qsort(side->points + first, end - first, sizeof *side->points, compare[axis]);
    uint32_t middle = first + (end - first) / 2;
    sn_status status = split(context, side, first, middle, error);
    return status == SN_OK ? split(context, side, middle, end, error) : status;
}

// --- Making

static double extent_of(const sn_mesh *mesh) {
    sn_vec3 low, high;
    sn_mesh_bounds(mesh, &low, &high);
    return mesh->vertex_count > 0 ? sn_vec3_distance(low, high) : 0;
}

static sn_status init_side(sn_context *context, const sni_rigid_contact *contact, int number,
                           const sn_triangles *triangles, const sni_signed_surface *other,
                           sni_contact_side *side, sn_error *error) {
    const sn_mesh *mesh = contact->meshes[number];
    point_list list = {.context = context};
    sn_status status = SN_OK;
    *side = (sni_contact_side){.thing = contact->things[number],
                               .other = contact->things[1 - number],
                               .surface = other,
                               .reach = reach_part * extent_of(contact->meshes[1 - number])};
    SN_TRY(list_points(mesh, triangles, contact->tested[number], extent_of(mesh), &list, error));
    side->points = list.points;
    side->point_count = list.count;
    list.points = NULL;
    SN_TRY(split(context, side, 0, side->point_count, error));
    SNI_NEW_ZERO(context, side->allowed, side->point_count);
    for (uint32_t i = 0; i < side->point_count; ++i) {
        double distance;
        sn_vec3 gradient;
        if (sni_signed_surface_at(other, side->points[i], side->reach, &distance, &gradient)) {
            side->allowed[i] = fmax(-distance, 0);
        }
    }
    find_box(side->points, side->point_count, &side->low, &side->high);
cleanup:
    sni_free(context, list.points);
    return status;
}

sn_status sni_contact_pair_init(sn_context *context, const sni_rigid_contact *contact,
                                sni_contact_pair *pair, sn_error *error) {
    sn_triangles *triangles[2] = {NULL, NULL};
    sn_status status = SN_OK;
    *pair = (sni_contact_pair){.stiffness = contact->stiffness};
    for (int k = 0; k < 2; ++k) {
        const sn_mesh *mesh = contact->meshes[k];
        SN_TRY(sn_triangles_create(mesh, mesh->positions, &triangles[k], error));
        SN_TRY(sni_signed_surface_create(context, mesh->positions, mesh->vertex_count,
                                         triangles[k]->vertices, triangles[k]->count,
                                         &pair->surfaces[k], error));
    }
    for (int k = 0; k < (contact->one_way ? 1 : 2); ++k) {
        pair->side_count = (uint32_t)k + 1;
        SN_TRY(init_side(context, contact, k, triangles[k], pair->surfaces[1 - k], &pair->sides[k],
                         error));
    }
cleanup:
    sn_triangles_destroy(triangles[0]);
    sn_triangles_destroy(triangles[1]);
    return status;
}

void sni_contact_pair_deinit(sn_context *context, sni_contact_pair *pair) {
    for (uint32_t k = 0; k < 2; ++k) {
        sni_free(context, pair->sides[k].points);
        sni_free(context, pair->sides[k].allowed);
        sni_free(context, pair->sides[k].clusters);
        sni_signed_surface_destroy(pair->surfaces[k]);
    }
}

sn_status sni_rigid_watch_create(const sni_rigid *rigid, sni_rigid_watch **watch, sn_error *error) {
    sni_rigid_watch *made = NULL;
    sn_status status = SN_OK;
    size_t count = 0;
    *watch = NULL;
    for (uint32_t i = 0; i < rigid->contact_count; ++i) {
        for (uint32_t k = 0; k < rigid->contacts[i].side_count; ++k) {
            const sni_contact_side *side = &rigid->contacts[i].sides[k];
            count += (size_t)side->cluster_count + side->point_count;
        }
    }
    SNI_NEW_ZERO(rigid->context, made, 1);
    made->context = rigid->context;
    SNI_NEW_ZERO(rigid->context, made->pairs, rigid->contact_count);
    SNI_NEW_ZERO(rigid->context, made->answers, count);
    sni_contact_answer *answers = made->answers;
    for (uint32_t i = 0; i < rigid->contact_count; ++i) {
        for (uint32_t k = 0; k < rigid->contacts[i].side_count; ++k) {
            const sni_contact_side *side = &rigid->contacts[i].sides[k];
            made->pairs[i][k].clusters = answers;
            made->pairs[i][k].points = answers + side->cluster_count;
            answers += (size_t)side->cluster_count + side->point_count;
        }
    }
    *watch = made;
    made = NULL;
cleanup:
    sni_rigid_watch_destroy(made);
    return status;
}

void sni_rigid_watch_destroy(sni_rigid_watch *watch) {
    if (watch != NULL) {
        sn_context *context = watch->context;
        sni_free(context, watch->pairs);
        sni_free(context, watch->answers);
        sni_free(context, watch);
    }
}

// --- In a pose

// A point at rest of one thing, in the coordinates at rest of another.
static sn_vec3 seen_from(const sni_rigid_place *other, sn_vec3 point) {
    sn_vec3 back = sn_quat_rotate(sn_quat_conjugate(other->turn), sn_vec3_sub(point, other->to));
    return sn_vec3_add(back, other->from);
}

// The furthest that any point of a side has moved against the other surface: a corner of the box,
// since the motion between two places is an affine map.
static double moved_since(const sni_contact_side *side, const sni_contact_watch *watch,
                          const sni_rigid_place *thing, const sni_rigid_place *other) {
    double furthest = 0;
    for (int i = 0; i < 8; ++i) {
        sn_vec3 corner = sn_vec3_make((i & 1) != 0 ? side->high.x : side->low.x,
                                      (i & 2) != 0 ? side->high.y : side->low.y,
                                      (i & 4) != 0 ? side->high.z : side->low.z);
        sn_vec3 now = seen_from(other, sni_rigid_place_point(thing, corner));
        sn_vec3 then = seen_from(&watch->other, sni_rigid_place_point(&watch->thing, corner));
        furthest = fmax(furthest, sn_vec3_distance(now, then));
    }
    return furthest;
}

typedef struct contact_run {
    sni_rigid_trial *trial;
    const sni_contact_side *side;
    sni_contact_watch *watch;
    double stiffness;
    sni_rigid_place thing, other;
    sni_rigid_contact_result *result; // NULL: nobody asks
} contact_run;

// Pushes a point out that has entered the surface further than at rest.
static void push_out(const contact_run *run, sn_vec3 at, double depth, sn_vec3 gradient) {
    sni_rigid_trial *trial = run->trial;
    sn_vec3 normal = sn_quat_rotate(run->other.turn, gradient);
    sn_vec3 force = sn_vec3_scale(normal, run->stiffness * depth);
    sni_trial_push(trial, run->side->thing, at, force);
    sni_trial_push(trial, run->side->other, at, sn_vec3_scale(force, -1));
    sni_row_begin(&trial->row);
    sni_row_add(trial, run->side->thing, at, normal);
    sni_row_add(trial, run->side->other, at, sn_vec3_scale(normal, -1));
    sni_row_stiffen(trial, run->stiffness);
    trial->depth = fmax(trial->depth, depth);
    if (run->result != NULL) {
        run->result->depth = fmax(run->result->depth, depth);
        run->result->force += run->stiffness * depth;
        run->result->point_count++;
    }
}

// Whether the last answer still says that there is nothing to touch. Otherwise `deepest` is how far
// the place can have come to lie beyond that.
static bool is_clear(const contact_run *run, sni_contact_answer *answer, sn_vec3 rest,
                     sn_vec3 *place, double *deepest) {
    if (run->watch->travelled < answer->mark) {
        return true;
    }
    *place = seen_from(&run->other, sni_rigid_place_point(&run->thing, rest));
    double left = answer->clearance - sn_vec3_distance(*place, answer->place) - guard;
    answer->mark = run->watch->travelled + left;
    *deepest = -left;
    return left > 0;
}

static void keep_answer(const contact_run *run, sni_contact_answer *answer, sn_vec3 place,
                        double clearance) {
    *answer = (sni_contact_answer){
        .place = place, .clearance = clearance, .mark = run->watch->travelled + clearance - guard};
}

// The surface is looked for as far as the point can have entered it, and a little beyond.
static void test_point(const contact_run *run, uint32_t number) {
    const sni_contact_side *side = run->side;
    sni_contact_answer *answer = &run->watch->points[number];
    double distance, deepest;
    sn_vec3 gradient, place;
    if (is_clear(run, answer, side->points[number], &place, &deepest)) {
        return;
    }
    double radius = fmin(deepest + near_part * side->reach, side->reach);
    bool found = sni_signed_surface_at(side->surface, place, radius + side->allowed[number],
                                       &distance, &gradient);
    double gap = found ? distance + side->allowed[number] : radius;
    keep_answer(run, answer, place, gap);
    if (gap < 0) {
        push_out(run, sni_rigid_place_point(&run->thing, side->points[number]), -gap, gradient);
    }
}

// A cluster that the surface does not reach is free; where its middle is within, its points are
// asked one by one.
static void test_cluster(const contact_run *run, uint32_t number) {
    const sni_contact_cluster *cluster = &run->side->clusters[number];
    sni_contact_answer *answer = &run->watch->clusters[number];
    double distance, deepest, reach = run->side->reach;
    sn_vec3 gradient, place;
    if (is_clear(run, answer, cluster->center, &place, &deepest)) {
        return;
    }
    double radius = fmin(deepest + near_part * reach, reach);
    bool found = sni_signed_surface_at(run->side->surface, place, cluster->radius + radius,
                                       &distance, &gradient);
    double clearance = found ? distance - cluster->radius : radius;
    keep_answer(run, answer, place, clearance);
    if (clearance > 0) {
        return;
    }
    for (uint32_t i = cluster->first; i < cluster->end; ++i) {
        test_point(run, i);
    }
}

// Nothing is known: all may be as deep as they are looked for.
static void begin_watch(const sni_contact_side *side, sni_contact_watch *watch) {
    watch->begun = true;
    watch->travelled = 0;
    for (uint32_t i = 0; i < side->cluster_count; ++i) {
        watch->clusters[i] = (sni_contact_answer){.clearance = -side->reach};
    }
    for (uint32_t i = 0; i < side->point_count; ++i) {
        watch->points[i] = (sni_contact_answer){.clearance = -side->reach};
    }
}

static void test_side(sni_rigid_trial *trial, const sni_contact_pair *pair, uint32_t number,
                      sni_contact_watch *watch, sni_rigid_contact_result *result) {
    const sni_contact_side *side = &pair->sides[number];
    contact_run run = {.trial = trial,
                       .side = side,
                       .watch = watch,
                       .stiffness = pair->stiffness,
                       .thing = sni_trial_place(trial, side->thing),
                       .other = sni_trial_place(trial, side->other),
                       .result = result};
    if (!watch->begun || !(watch->travelled < longest_count)) {
        begin_watch(side, watch);
    } else {
        watch->travelled += moved_since(side, watch, &run.thing, &run.other);
    }
    watch->thing = run.thing;
    watch->other = run.other;
    for (uint32_t i = 0; i < side->cluster_count; ++i) {
        test_cluster(&run, i);
    }
}

void sni_trial_add_contacts(sni_rigid_trial *trial) {
    const sni_rigid *rigid = trial->rigid;
    trial->depth = 0;
    for (uint32_t i = 0; i < rigid->contact_count; ++i) {
        sni_rigid_contact_result *result = NULL;
        if (trial->results != NULL && trial->results->contacts != NULL) {
            result = &trial->results->contacts[i];
            *result = (sni_rigid_contact_result){0};
        }
        for (uint32_t k = 0; k < rigid->contacts[i].side_count; ++k) {
            test_side(trial, &rigid->contacts[i], k, &trial->watch->pairs[i][k], result);
        }
    }
}
