// SPDX-License-Identifier: Apache-2.0
//
// A muscle in a pose: its control points, its volume and its surface.
#include "muscle/graph/neighbours.h"
#include "muscle/graph/volume.h"

#include "base/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- Control points

static void put(double *points, size_t index, sn_vec3 v) {
    points[3 * index] = v.x;
    points[3 * index + 1] = v.y;
    points[3 * index + 2] = v.z;
}

// How much wider than the others tension makes a control point.
static double bulge_of(const sni_graph *g, uint32_t point, double tension) {
    return 1 + tension * g->parameters[SNI_GRAPH_BULGE] * g->bulges[point];
}

// A place on the path of a leaf, `part` of the way from the root to its knot.
static sn_vec3 path_particle(const sni_graph *g, const sni_graph_pose *pose, uint32_t leaf,
                             double part) {
    uint32_t link = g->links.starts[leaf];
    double length = part * sni_graph_path_length(&g->links, pose->ways, leaf);
    while (length < pose->ways[link].top && g->links.links[link].above != SN_NONE) {
        link = g->links.links[link].above;
    }
    const sni_graph_way *way = &pose->ways[link];
    double u = way->length > 0 ? 1 - (length - way->top) / way->length : 1;
    return sni_graph_curve_point(&way->curve, fmin(fmax(u, 0), 1));
}

// A place of a sphincter, `part` of the way through its points; a ring ends where it begins.
static sn_vec3 ring_particle(const sni_graph *g, const sni_graph_pose *pose, double part) {
    uint32_t n = g->tree.count, last = g->tree.ring ? n : n - 1;
    double at = part * last;
    uint32_t first = at < last ? (uint32_t)at : last - 1;
    sn_vec3 a = pose->knots[g->tree.order[first]], b = pose->knots[g->tree.order[(first + 1) % n]];
    return sn_vec3_lerp(a, b, at - first);
}

static void write_particles(const sni_graph *g, const sni_graph_pose *pose, double *points) {
    uint32_t paths = g->sphincter ? 1 : g->leaf_count;
    for (uint32_t i = 0; i < paths; ++i) {
        for (uint32_t k = 0; k < SNI_GRAPH_PARTICLES; ++k) {
            double part = (double)k / (SNI_GRAPH_PARTICLES - 1);
            sn_vec3 at = g->sphincter ? ring_particle(g, pose, part)
                                      : path_particle(g, pose, g->leaves[i], part);
            put(points, (size_t)i * SNI_GRAPH_PARTICLES + k,
                sni_rigid_frame_point(&pose->home, at));
        }
    }
}

void sni_graph_write_points(const sni_graph *g, const sni_graph_pose *pose, double factor,
                            double tension, double *points) {
    for (uint32_t i = 0; i < g->tree.count; ++i) {
        const sni_graph_frame *frame = &pose->frames[i];
        sn_vec3 o = frame->origin;
        double wide = factor * bulge_of(g, i, tension);
        const sn_vec3 all[SNI_GRAPH_RING_POINTS] = {
            o, sn_vec3_add_scaled(o, pose->stretches[i], frame->x), sn_vec3_add(o, frame->y),
            sn_vec3_add_scaled(o, wide, frame->z)};
        for (uint32_t k = 0; k < SNI_GRAPH_RING_POINTS; ++k) {
            put(points, SNI_GRAPH_RING_POINTS * (size_t)i + k,
                sni_rigid_frame_point(&pose->home, all[k]));
        }
    }
    size_t rings = SNI_GRAPH_RING_POINTS * (size_t)g->tree.count;
    write_particles(g, pose, points + 3 * rings);
    put(points, g->point_count - 1, sn_vec3_make(g->rest_volume, factor, pose->length));
}

// --- Tables

static void put_row(sn_vec3 v, float *row) {
    sn_vec3_store(v, row);
    row[3] = 0;
}

// Of unit axes, the path's stretch and the share of the factor.
static void put_rows(sn_vec3 origin, const sn_vec3 axes[3], double stretch, double wide,
                     float *rows) {
    put_row(origin, rows);
    for (int k = 0; k < 3; ++k) {
        put_row(sn_vec3_scale(axes[k], stretch), rows + 4 + 4 * k);
    }
    for (int k = 0; k < 2; ++k) {
        put_row(axes[k + 1], rows + 16 + 4 * k);
        put_row(sn_vec3_scale(axes[k + 1], wide), rows + 24 + 4 * k);
    }
}

void sni_graph_fill_table(const sni_graph *g, const sni_graph_pose *pose, double tension,
                          sn_vec3 reference, float *table) {
    sn_quat turn = pose->home.rotation;
    for (uint32_t i = 0; i < g->tree.count; ++i) {
        const sni_graph_frame *frame = &pose->frames[i];
        sn_vec3 origin = sni_rigid_frame_point(&pose->home, frame->origin);
        const sn_vec3 axes[3] = {sn_quat_rotate(turn, frame->x), sn_quat_rotate(turn, frame->y),
                                 sn_quat_rotate(turn, frame->z)};
        put_rows(sn_vec3_sub(origin, reference), axes, pose->stretches[i], bulge_of(g, i, tension),
                 table + SNI_GRAPH_ROW_FLOATS * (size_t)i);
    }
}

// --- Posing

// A muscle while it is posed.
typedef struct member_run {
    sni_graph_part part;
    sni_muscle_member *member;
    float *table, *a, *b;
} member_run;

static double part_of(const sni_graph *g, const sni_muscle_pose_job *job) {
    double bound = g->parameters[SNI_GRAPH_SHORTENING];
    return job->contraction * sni_parameter_now(job->parameters, SNI_GRAPH_SHORTENING, bound);
}

static sn_status check_job(const sni_graph *g, const sni_muscle_pose_job *job, sn_error *error) {
    sn_status status = sni_carried_check_pose(g->name, g->segment_count, job, error);
    bool within =
        job->contraction >= 0 && job->contraction <= 1 && job->tension >= 0 && job->tension <= 1;
    return status != SN_OK || within
               ? status
               : sni_fail(error, SN_INVALID,
                          "%s: contraction %g and tension %g must be from 0 to 1", g->name,
                          job->contraction, job->tension);
}

static bool is_finite(const sni_graph *g, const sni_graph_pose *pose) {
    bool finite = isfinite(pose->length) && isfinite(pose->ratio);
    for (uint32_t i = 0; i < g->tree.count && finite; ++i) {
        const sni_graph_frame *frame = &pose->frames[i];
        finite = sn_vec3_is_finite(frame->origin) && sn_vec3_is_finite(frame->x) &&
                 sn_vec3_is_finite(frame->y) && isfinite(pose->stretches[i]);
    }
    return finite;
}

// Where it would be without neighbours.
static sn_status begin(sni_muscle_member *member, member_run *run, sn_error *error) {
    const sni_graph *g = member->bound;
    const sni_muscle_pose_job *job = &member->job;
    sni_arena *arena = job->arena;
    size_t numbers = 3 * (size_t)g->mesh->vertex_count;
    sn_status status = SN_OK;
    *run =
        (member_run){.part = {.graph = g, .job = job, .number = member->number}, .member = member};
    member->trouble[0] = 0;
    SN_TRY(check_job(g, job, error));
    run->part.part = part_of(g, job);
    run->table =
        sni_arena_alloc(arena, SNI_GRAPH_ROW_FLOATS * (size_t)g->tree.count, sizeof *run->table);
    run->a = sni_arena_alloc(arena, numbers, sizeof *run->a);
    run->b = sni_arena_alloc(arena, numbers, sizeof *run->b);
    SN_TRY(run->table != NULL && run->a != NULL && run->b != NULL &&
                   sni_graph_pose_init(g, arena, &run->part.pose)
               ? SN_OK
               : sni_fail_memory(error));
    sni_graph_carry(g, job->worlds, &run->part.pose);
    sni_graph_place(g, job->worlds, NULL, run->part.part, &run->part.pose);
    if (!is_finite(g, &run->part.pose)) {
        status = sni_fail(error, SN_INVALID, "%s: its points are not finite in this pose", g->name);
    }
cleanup:
    return status;
}

static void tell_volume(const member_run *run, double volume) {
    const sni_graph *g = run->part.graph;
    snprintf(run->member->trouble, sizeof run->member->trouble,
             "%s: no expansion keeps its volume: %.4g of %.4g m3, at %.3g of its rest length",
             g->name, volume, g->rest_volume, run->part.pose.length / g->rest_length);
}

// Volume, points and surface, once the control points are known. No skin follows the relaxed
// muscle, so that it is the same.
static void finish(member_run *run) {
    const sni_graph *g = run->part.graph;
    const sni_muscle_pose_job *job = run->part.job;
    const sni_graph_pose *pose = &run->part.pose;
    double factor = sni_graph_key_factor(g, pose->ratio / g->rest_ratio);
    sni_graph_cubic volume;
    bool kept = true;
    sn_vec3 reference = sni_rigid_frame_point(&pose->home, pose->frames[g->tree.order[0]].origin);
    sni_graph_fill_table(g, pose, job->tension, reference, run->table);
    sni_graph_find_surface(g, run->table, run->a, run->b);
    sni_graph_find_volume(g, run->a, run->b, &volume);
    if (g->expands) {
        factor = sni_graph_keep_factor(g, &volume, factor, &kept);
    }
    double *state = job->contracted + 3 * (size_t)g->point_count - 3;
    sni_graph_write_points(g, pose, factor, job->tension, job->contracted);
    state[0] = g->rest_volume * (sni_graph_cubic_at(&volume, factor) / g->base_volume);
    if (!kept) {
        tell_volume(run, state[0]);
    }
    if (job->surface != NULL) {
        sni_graph_place_surface(g, run->a, run->b, factor,
                                sn_vec3_sub(reference, g->rest_reference), job->surface);
    }
    memcpy(job->relaxed, job->contracted, 3 * (size_t)g->point_count * sizeof *job->relaxed);
}

static void finish_block(uint32_t begin_at, uint32_t end, uint32_t worker, void *user) {
    member_run *runs = user;
    (void)worker;
    for (uint32_t i = begin_at; i < end; ++i) {
        sni_graph_part *part = &runs[i].part;
        if (part->moves != NULL) {
            sni_graph_place(part->graph, part->job->worlds, part->moves, part->part, &part->pose);
        }
        finish(&runs[i]);
    }
}

// Neighbours are looked at one after the other; the rest of each muscle is its own.
sn_status sni_graph_pose_together(uint32_t count, sni_muscle_member *members, sn_error *error) {
    sni_arena *arena = members[0].job.arena;
    sn_context *context = members[0].job.context;
    sn_status status = SN_OK;
    member_run *runs = sni_arena_alloc(arena, count, sizeof *runs);
    sni_graph_part *parts = sni_arena_alloc(arena, count, sizeof *parts);
    SN_TRY(runs != NULL && parts != NULL ? SN_OK : sni_fail_memory(error));
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(begin(&members[i], &runs[i], error));
        parts[i] = runs[i].part;
    }
    SN_TRY(sni_graph_find_moves(count, parts, arena, error));
    for (uint32_t i = 0; i < count; ++i) {
        runs[i].part.moves = parts[i].moves;
    }
    sn_parallel_for(context, count, 1, finish_block, runs);
cleanup:
    return status;
}
