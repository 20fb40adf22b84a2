// SPDX-License-Identifier: Apache-2.0
#include "fit/head/eyes.h"
#include "fit/head/transfer_internal.h"

#include "geometry/closed.h"

#include <string.h>

// Muscles keep this far below the skin, metres.
static const double muscle_clearance = 0.0005;

// Points of a muscle without a mesh are brought below it in so many rounds, and take those within
// about this distance along, metres.
enum { POINT_ROUNDS = 4 };
static const double point_reach = 0.01;

// Points of a muscle's path follow vertices of its mesh that are nearer than this, metres.
static const double follow_reach = 0.02;

// ---------------------------------------------------------------------------------------------
// Gathering

static sn_status check_part(const sn_head_part *part, sn_error *error) {
    bool closed = true;
    bool solid = part->role == SN_HEAD_BONE || part->role == SN_HEAD_MUSCLE;
    if (part->mesh == NULL) {
        return SN_OK;
    }
    sn_status status = sn_mesh_validate(part->mesh, error);
    if (status == SN_OK && solid) {
        status = sni_mesh_is_closed(part->mesh, &closed, error);
    }
    return status != SN_OK || closed
               ? status
               : sni_fail(error, SN_INVALID, "the %s \"%s\" is not closed: it has no inside",
                          part->role == SN_HEAD_BONE ? "bone" : "muscle", part->name);
}

static sn_status count_points(sni_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    uint64_t count = 0;
    SNI_NEW_ZERO(t->context, t->ranges, t->desc->part_count);
    // Bones and teeth first, so that they are one range.
    for (int round = 0; round < 2; ++round) {
        for (uint32_t p = 0; p < t->desc->part_count; ++p) {
            const sn_head_part *part = &t->desc->parts[p];
            bool bone = part->role == SN_HEAD_BONE || part->role == SN_HEAD_TEETH;
            if (bone == (round == 0)) {
                SN_TRY(check_part(part, error));
                t->ranges[p].first_vertex = (uint32_t)count;
                t->ranges[p].vertex_count = part->mesh != NULL ? part->mesh->vertex_count : 0;
                count += t->ranges[p].vertex_count;
            }
        }
        t->bone_count = round == 0 ? (uint32_t)count : t->bone_count;
    }
    for (uint32_t p = 0; p < t->desc->part_count; ++p) {
        t->ranges[p].first_point = (uint32_t)count;
        t->ranges[p].point_count = t->desc->parts[p].point_count;
        count += t->ranges[p].point_count;
    }
    t->first_landmark = (uint32_t)count;
    count += t->count;
    if (count >= SN_NONE / 4) {
        SN_TRY(sni_fail(error, SN_LIMIT, "the source has too many points"));
    }
    t->point_count = (uint32_t)count;
cleanup:
    return status;
}

static sn_status gather_part(sni_transfer *t, uint32_t p, sn_error *error) {
    sn_status status = SN_OK;
    const sn_head_part *part = &t->desc->parts[p];
    sni_part_range *range = &t->ranges[p];
    sn_triangles *triangles = NULL;
    for (uint32_t v = 0; v < range->vertex_count; ++v) {
        t->source[range->first_vertex + v] = sn_vec3_load(part->mesh->positions + 3 * (size_t)v);
    }
    for (uint32_t i = 0; i < range->point_count; ++i) {
        t->source[range->first_point + i] = part->points[i];
    }
    if (part->mesh != NULL) {
        SN_TRY(sn_triangles_create(part->mesh, part->mesh->positions, &triangles, error));
        range->triangle_count = triangles->count;
        SNI_NEW(t->context, range->triangles, 3 * (size_t)triangles->count);
        memcpy(range->triangles, triangles->vertices,
               3 * (size_t)triangles->count * sizeof *range->triangles);
    }
cleanup:
    sn_triangles_destroy(triangles);
    return status;
}

static sn_status gather_bones(sni_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    size_t count = 0;
    for (uint32_t p = 0; p < t->desc->part_count; ++p) {
        count += t->ranges[p].first_vertex < t->bone_count ? t->ranges[p].triangle_count : 0;
    }
    SNI_NEW(t->context, t->bone_triangles, 3 * count);
    for (uint32_t p = 0; p < t->desc->part_count; ++p) {
        const sni_part_range *range = &t->ranges[p];
        if (range->first_vertex >= t->bone_count) {
            continue;
        }
        for (size_t c = 0; c < 3 * (size_t)range->triangle_count; ++c) {
            t->bone_triangles[3 * (size_t)t->bone_triangle_count + c] =
                range->first_vertex + range->triangles[c];
        }
        t->bone_triangle_count += range->triangle_count;
    }
    if (t->bone_triangle_count == 0) {
        SN_TRY(sni_fail(error, SN_INVALID, "the source has no bones"));
    }
cleanup:
    return status;
}

sn_status sni_transfer_gather(sni_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(count_points(t, error));
    SNI_NEW(t->context, t->source, t->point_count);
    SNI_NEW(t->context, t->points, t->point_count);
    for (uint32_t p = 0; p < t->desc->part_count; ++p) {
        SN_TRY(gather_part(t, p, error));
    }
    SN_TRY(gather_bones(t, error));
    memcpy(t->source + t->first_landmark, t->bones, t->count * sizeof *t->bones);
    memcpy(t->points, t->source, t->point_count * sizeof *t->points);
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Muscles

// Bones of the source, or of the head, as an obstacle. Free with obstacle_deinit.
static sn_status obstacle_init(const sni_transfer *t, const sn_vec3 *points, sn_accel **accel,
                               sni_winding **winding, sn_error *error) {
    sn_status status = SN_OK;
    float *positions = NULL;
    SNI_NEW(t->context, positions, 3 * (size_t)t->bone_count);
    for (uint32_t v = 0; v < t->bone_count; ++v) {
        sn_vec3_store(points[v], positions + 3 * (size_t)v);
    }
    SN_TRY(sn_accel_create(t->context, positions, t->bone_count, t->bone_triangles,
                           t->bone_triangle_count, accel, error));
    SN_TRY(sni_winding_create(t->context, positions, t->bone_triangles, t->bone_triangle_count,
                              winding, error));
cleanup:
    sni_free(t->context, positions);
    return status;
}

typedef struct allow_job {
    const sni_obstacle *bones;
    const sn_vec3 *points;
    double scale;
    double *allowed;
} allow_job;

static void allow(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const allow_job *job = user;
    for (uint32_t i = begin; i < end; ++i) {
        sn_vec3 out;
        job->allowed[i] = job->scale * sni_obstacle_depth(job->bones, job->points[i], &out);
    }
}

// Points of a muscle's path move as the vertices near them were pushed.
static void follow(const sni_transfer *t, const sni_part_range *range, const sn_vec3 *before) {
    for (uint32_t i = 0; i < range->point_count; ++i) {
        sn_vec3 *point = &t->points[range->first_point + i], sum = {0, 0, 0};
        double weights = 0;
        for (uint32_t v = 0; v < range->vertex_count; ++v) {
            double distance = sn_vec3_distance(*point, before[v]);
            if (distance < follow_reach) {
                double near = 1 - distance / follow_reach;
                sn_vec3 move = sn_vec3_sub(t->points[range->first_vertex + v], before[v]);
                sum = sn_vec3_add_scaled(sum, near * near * near, move);
                weights += near * near * near;
            }
        }
        *point = weights > 0 ? sn_vec3_add_scaled(*point, 1 / weights, sum) : *point;
    }
}

static sn_status push_muscle(sni_transfer *t, uint32_t p, const sni_obstacle *source,
                             const sni_obstacle *bones, sn_error *error) {
    sn_status status = SN_OK;
    const sni_part_range *range = &t->ranges[p];
    sn_head_moved *moved = &t->result->parts[p];
    sn_vec3 *points = t->points + range->first_vertex, *before = NULL;
    double *allowed = NULL;
    sni_pushed pushed;
    SNI_NEW(t->context, allowed, range->vertex_count);
    SNI_NEW(t->context, before, range->vertex_count);
    memcpy(before, points, range->vertex_count * sizeof *before);
    allow_job job = {source, t->source + range->first_vertex, t->similarity.scale, allowed};
    sn_parallel_for(t->context, range->vertex_count, 256, allow, &job);
    sni_push_desc desc = {.skin = t->skin,
                          .bones = *bones,
                          .count = range->vertex_count,
                          .points = points,
                          .allowed = allowed,
                          .triangle_count = range->triangle_count,
                          .vertices = range->triangles,
                          .clearance = muscle_clearance};
    SN_TRY(sni_push(t->context, &desc, &pushed, error));
    follow(t, range, before);
    moved->outside = pushed.outside;
    moved->in_bone = pushed.in_bone;
    moved->pushed = pushed.pushed;
    moved->largest = pushed.largest;
    t->result->report.muscle_outside += pushed.outside;
cleanup:
    sni_free(t->context, allowed);
    sni_free(t->context, before);
    return status;
}

// How far a point has to go to lie below the skin; zero where it does.
static sn_vec3 way_below(const sni_transfer *t, sn_vec3 point) {
    sni_skin_place place;
    double depth = sni_head_surface_depth(t->skin, point, &place);
    if (depth >= muscle_clearance || place.triangle == SN_NONE) {
        return sn_vec3_make(0, 0, 0);
    }
    sn_vec3 to = sn_vec3_add_scaled(place.point, -muscle_clearance, place.normal);
    return sn_vec3_sub(to, point);
}

// What points that have to go take along, so that sections keep their shape:
// u_i = max_j w_ij  sum_j w_ij d_j / sum_j w_ij  over the points j that have to go by d_j, with
// w_ij = exp(-|p_i - p_j|^2 / r^2).
static sn_vec3 step_of(const sn_vec3 *points, const sn_vec3 *ways, uint32_t count, uint32_t i) {
    sn_vec3 sum = {0, 0, 0};
    double weights = 0, largest = 0;
    for (uint32_t j = 0; j < count; ++j) {
        double far = sn_vec3_distance(points[i], points[j]) / point_reach;
        double weight = sn_vec3_length(ways[j]) > 0 ? exp(-far * far) : 0;
        sum = sn_vec3_add_scaled(sum, weight, ways[j]);
        weights += weight;
        largest = fmax(largest, weight);
    }
    return weights > 0 ? sn_vec3_scale(sum, largest / weights) : sum;
}

// A muscle of points alone: what lies outside of the skin goes below it.
static sn_status push_points(sni_transfer *t, uint32_t p, sn_error *error) {
    sn_status status = SN_OK;
    const sni_part_range *range = &t->ranges[p];
    sn_head_moved *moved = &t->result->parts[p];
    sn_vec3 *points = t->points + range->first_point, *ways = NULL, *steps = NULL;
    uint32_t count = range->point_count;
    SNI_NEW(t->context, ways, count);
    SNI_NEW(t->context, steps, count);
    for (int round = 0; round < POINT_ROUNDS; ++round) {
        for (uint32_t i = 0; i < count; ++i) {
            ways[i] = way_below(t, points[i]);
            moved->pushed += round == 0 && sn_vec3_length(ways[i]) > 0;
        }
        for (uint32_t i = 0; i < count; ++i) {
            steps[i] = step_of(points, ways, count, i);
            moved->largest = fmax(moved->largest, sn_vec3_length(steps[i]));
        }
        for (uint32_t i = 0; i < count; ++i) {
            points[i] = sn_vec3_add(points[i], steps[i]);
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        // A way longer than the clearance leads in from outside.
        moved->outside += sn_vec3_length(way_below(t, points[i])) > muscle_clearance;
    }
    t->result->report.muscle_outside += moved->outside;
cleanup:
    sni_free(t->context, ways);
    sni_free(t->context, steps);
    return status;
}

static sn_status push_muscles(sni_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    sn_accel *accels[2] = {NULL, NULL};
    sni_winding *windings[2] = {NULL, NULL};
    SN_TRY(obstacle_init(t, t->source, &accels[0], &windings[0], error));
    SN_TRY(obstacle_init(t, t->points, &accels[1], &windings[1], error));
    sni_obstacle source = {accels[0], windings[0]}, bones = {accels[1], windings[1]};
    for (uint32_t p = 0; p < t->desc->part_count; ++p) {
        if (t->desc->parts[p].role == SN_HEAD_MUSCLE && t->ranges[p].vertex_count > 0) {
            SN_TRY(push_muscle(t, p, &source, &bones, error));
        } else if (t->desc->parts[p].role == SN_HEAD_MUSCLE) {
            SN_TRY(push_points(t, p, error));
        }
    }
cleanup:
    for (int i = 0; i < 2; ++i) {
        sn_accel_destroy(accels[i]);
        sni_winding_destroy(windings[i]);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Eyes

static sni_ball ball_around(const sn_vec3 *points, uint32_t count) {
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < count; ++i) {
        low = sn_vec3_min(low, points[i]);
        high = sn_vec3_max(high, points[i]);
    }
    sn_vec3 size = sn_vec3_sub(high, low);
    return (sni_ball){sn_vec3_scale(sn_vec3_add(low, high), 0.5), (size.x + size.y) / 4};
}

// An eye keeps its shape: it is turned as the head is, and scaled and put where the space around it
// went, or where the head has an eye of its own.
static sn_status place_eye(sni_transfer *t, uint32_t p, sn_error *error) {
    const sni_part_range *range = &t->ranges[p];
    sn_vec3 *points = t->points + range->first_vertex;
    sni_ball source = ball_around(t->source + range->first_vertex, range->vertex_count);
    sni_ball ball = ball_around(points, range->vertex_count);
    bool found = false;
    ball.radius = source.radius * t->similarity.scale;
    sn_status status = sni_find_eye(t->skin, &ball, &found, error);
    if (status != SN_OK) {
        return status;
    }
    if (!found) {
        sn_vec3 back = sn_quat_rotate(t->similarity.rotation, sn_vec3_make(0, 0, -1));
        sni_hide_eye(t->skin, back, &ball);
    }
    double scale = source.radius > 0 ? ball.radius / source.radius : 1;
    sni_similarity place = {t->similarity.rotation, scale, {0, 0, 0}};
    place.translation = sn_vec3_sub(ball.center, sni_similarity_point(&place, source.center));
    for (uint32_t v = 0; v < range->vertex_count; ++v) {
        points[v] = sni_similarity_point(&place, t->source[range->first_vertex + v]);
    }
    for (uint32_t i = 0; i < range->point_count; ++i) {
        uint32_t n = range->first_point + i;
        t->points[n] = sni_similarity_point(&place, t->source[n]);
    }
    t->result->parts[p].scale = scale;
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Results

// Counts triangles that are turned over, after needles among them were mended.
static sn_status mend_part(sni_transfer *t, uint32_t p, sn_error *error) {
    sn_status status = SN_OK;
    const sni_part_range *range = &t->ranges[p];
    sn_vec3 *rest = NULL;
    SNI_NEW(t->context, rest, range->vertex_count);
    for (uint32_t v = 0; v < range->vertex_count; ++v) {
        rest[v] = sni_similarity_point(&t->similarity, t->source[range->first_vertex + v]);
    }
    t->result->parts[p].flipped = sni_mend_flips(range->triangle_count, range->triangles, rest,
                                                 NULL, t->points + range->first_vertex);
    if (range->first_vertex < t->bone_count) {
        t->result->report.flipped += t->result->parts[p].flipped;
    }
cleanup:
    sni_free(t->context, rest);
    return status;
}

static sn_status store_part(sni_transfer *t, uint32_t p, sn_error *error) {
    sn_status status = SN_OK;
    const sni_part_range *range = &t->ranges[p];
    sn_head_moved *moved = &t->result->parts[p];
    SNI_NEW(t->context, moved->points, range->point_count);
    memcpy(moved->points, t->points + range->first_point,
           range->point_count * sizeof *moved->points);
    if (t->desc->parts[p].mesh != NULL) {
        SNI_NEW(t->context, moved->positions, 3 * (size_t)range->vertex_count);
        for (uint32_t v = 0; v < range->vertex_count; ++v) {
            sn_vec3_store(t->points[range->first_vertex + v], moved->positions + 3 * (size_t)v);
        }
    }
cleanup:
    return status;
}

// Inside and outside once more, after everything: mending moves single vertices.
static void report_bones(sni_transfer *t, const sni_settled *settled) {
    sn_transfer_report *r = &t->result->report;
    r->bone_count = t->bone_count;
    r->outside_first = settled->outside[0];
    r->wrong_first = settled->wrong[0];
    r->covered = settled->covered_count;
    for (uint32_t v = 0; v < t->bone_count; ++v) {
        sni_skin_place place;
        double depth = sni_head_surface_depth(t->skin, t->points[v], &place);
        double expected = settled->expected[v];
        r->outside += depth <= 0;
        r->farthest = fmax(r->farthest, -depth);
        if (expected > 0) {
            double off = fabs(depth / expected - 1);
            r->wrong += off > t->desc->tolerance;
            r->depth_error += off / settled->covered_count;
        }
    }
}

sn_status sni_transfer_finish(sni_transfer *t, const sni_settled *settled, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t p = 0; p < t->desc->part_count; ++p) {
        if (t->ranges[p].first_vertex < t->bone_count && t->ranges[p].vertex_count > 0) {
            SN_TRY(mend_part(t, p, error));
        }
    }
    report_bones(t, settled);
    SN_TRY(push_muscles(t, error));
    for (uint32_t p = 0; p < t->desc->part_count; ++p) {
        sn_head_role role = t->desc->parts[p].role;
        if (role == SN_HEAD_EYE && t->ranges[p].vertex_count > 0) {
            SN_TRY(place_eye(t, p, error));
        }
        if (role == SN_HEAD_MUSCLE && t->ranges[p].vertex_count > 0) {
            SN_TRY(mend_part(t, p, error));
        }
        SN_TRY(store_part(t, p, error));
    }
cleanup:
    return status;
}
