// SPDX-License-Identifier: Apache-2.0
//
// The making of a muscle: the graph and its frames at rest, the surface and what ties it to them,
// the keys of its volume.
#include "muscle/graph/make.h"

#include "base/context.h"
#include "geometry/closed.h"
#include "muscle/graph/neighbours.h"
#include "muscle/graph/tube.h"
#include "muscle/graph/volume.h"

#include <math.h>
#include <string.h>

// A surface with less volume than this, of a cube with its area to the 1.5, is flat.
static const double least_volume = 1e-6;

// Points of the belly further outside of the surface than this part of its size are a mistake; so
// are those of tendons that are as far away as the surface is large.
static const double far_outside = 0.15;
static const double far_tendon = 1;

// --- The graph at rest

static void find_leaves(sni_graph *g) {
    for (uint32_t i = 0; i < g->tree.count; ++i) {
        if (sni_graph_child_count(&g->tree, i) == 0) {
            g->leaves[g->leaf_count++] = i;
        }
    }
}

// The way that a point looks before paths are known.
static sn_vec3 look_of(const sni_graph_tree *tree, const sni_graph_point *points, uint32_t i) {
    uint32_t parent = tree->parents[i];
    sn_vec3 to = points[parent != SN_NONE ? parent : i].point, from = points[i].point;
    if (sni_graph_child_count(tree, i) > 0) {
        from = points[tree->children[tree->child_starts[i]]].point;
    }
    return sn_vec3_normalize_or(sn_vec3_sub(to, from), sn_vec3_make(1, 0, 0));
}

// The frames that all others follow from: of roots, with y away from the bone; of a sphincter's
// points, with y away from its centre. Others have none yet, so that nothing twists them.
static void begin_frames(const sni_graph_making *m, const sni_rigid_frame *home,
                         sni_graph_frame *frames) {
    const sni_graph *g = m->graph;
    const sni_graph_point *points = m->input->points;
    sn_quat back = sn_quat_conjugate(home->rotation);
    for (uint32_t i = 0; i < g->tree.count; ++i) {
        frames[i] = (sni_graph_frame){0};
        if (!g->sphincter && g->tree.parents[i] != SN_NONE) {
            continue;
        }
        sn_vec3 outward =
            g->sphincter ? sn_vec3_sub(points[i].point, m->input->center.point) : points[i].normal;
        sn_vec3 x = look_of(&g->tree, points, i);
        sn_vec3 y = sn_vec3_normalize_or(sni_across(outward, x), sn_vec3_perpendicular(x));
        frames[i].x = sn_quat_rotate(back, x);
        frames[i].y = sn_quat_rotate(back, y);
        frames[i].z = sn_vec3_cross(frames[i].x, frames[i].y);
    }
}

static void find_rest_places(sni_graph *g, sni_graph_pose *pose) {
    for (uint32_t i = 0; i < g->tree.count; ++i) {
        pose->knots[i] = pose->carried[i].origin;
    }
    if (!g->sphincter) {
        sni_graph_find_ways(&g->tree, &g->links, pose->knots, pose->carried, pose->ways);
    }
    for (uint32_t i = 0; i < g->tree.count; ++i) {
        uint32_t parent = g->tree.parents[i];
        g->rest_places[i] = !g->sphincter ? sni_graph_path_length(&g->links, pose->ways, i)
                            : parent == SN_NONE
                                ? 0
                                : sn_vec3_distance(pose->knots[i], pose->knots[parent]);
    }
}

static sn_status make_rest(sni_graph_making *m, sni_graph_pose *pose, sn_error *error) {
    sni_graph *g = m->graph;
    const sn_mat4 *worlds = m->job->rest_worlds;
    sn_status status = SN_OK;
    SN_TRY(sni_graph_pose_init(g, m->arena, pose) ? SN_OK : sni_fail_memory(error));
    sni_rigid_frame home = sni_rigid_frame_of(&worlds[g->home]);
    begin_frames(m, &home, pose->frames);
    sni_graph_knots_keep(&g->knots, &g->tree, worlds, &home, pose->frames);
    sni_graph_carry(g, worlds, pose);
    find_rest_places(g, pose);
    sni_graph_place(g, worlds, NULL, 0, pose);
    sni_graph_knots_keep(&g->knots, &g->tree, worlds, &home, pose->frames);
    // Once more with the frames that bones carry from now on: what poses are compared with.
    sni_graph_carry(g, worlds, pose);
    sni_graph_place(g, worlds, NULL, 0, pose);
    g->rest_ratio = pose->ratio;
    g->rest_length = pose->length;
    for (uint32_t i = 0; i < g->tree.count; ++i) {
        const sni_graph_frame *from = &pose->frames[i];
        m->frames[i] = (sni_graph_frame){
            sni_rigid_frame_point(&home, from->origin), sn_quat_rotate(home.rotation, from->x),
            sn_quat_rotate(home.rotation, from->y), sn_quat_rotate(home.rotation, from->z)};
    }
    g->rest_reference = m->frames[g->tree.order[0]].origin;
cleanup:
    return status;
}

static sn_status make_center(sni_graph_making *m, sn_error *error) {
    const sni_muscle_attachment *from = &m->input->center;
    sni_graph *g = m->graph;
    if (!g->sphincter) {
        return SN_OK;
    }
    if (!sn_vec3_is_finite(from->point)) {
        return sni_fail(error, SN_INVALID, "%s: its center is at (%g, %g, %g)", g->name,
                        from->point.x, from->point.y, from->point.z);
    }
    g->center = (sni_graph_carrier){.segment = from->segment, .share = 1};
    return sni_carry_point(m->job, from->segment, from->point, &g->center.point, error);
}

// What a sphincter slides on, and how far from it each point is.
static sn_status make_obstacles(sni_graph_making *m, sn_error *error) {
    const sni_slides_input *input = m->job->inputs[SNI_GRAPH_INPUT_SLIDES];
    sni_graph *g = m->graph;
    uint32_t count = g->sphincter && input != NULL ? input->count : 0, n = g->tree.count;
    sn_status status = SN_OK;
    SNI_NEW(g->context, g->obstacles, count);
    SNI_NEW(g->context, g->clearances, (size_t)n * count);
    for (uint32_t k = 0; k < count; ++k) {
        g->obstacles[g->obstacle_count++] = input->bones[k];
        sni_made_hold(&input->bones[k].grid->made);
    }
    for (size_t i = 0; i < (size_t)n * count; ++i) {
        g->clearances[i] = sni_graph_clearance(g, m->job->rest_worlds, (uint32_t)(i % count),
                                               m->points[i / count], NULL);
    }
cleanup:
    return status;
}

static void find_lengths(sni_graph_making *m) {
    const sni_graph *g = m->graph;
    for (uint32_t i = 0; i < g->tree.count; ++i) {
        uint32_t parent = g->tree.parents[i];
        m->lengths[i] = parent == SN_NONE ? 0
                        : g->sphincter    ? g->rest_places[i]
                                          : g->rest_places[i] - g->rest_places[parent];
    }
    sni_graph_tree_ways(&g->tree, m->lengths, m->ways);
}

static sn_status make_graph(sni_graph_making *m, sni_graph_pose *pose, sn_error *error) {
    sni_graph *g = m->graph;
    const sni_graph_input *input = m->input;
    sn_context *context = m->job->context;
    uint32_t n = input->point_count;
    sn_status status = SN_OK;
    g->sphincter = input->has_center;
    SN_TRY(sni_graph_tree_init(&g->tree, context, g->name, n, input->points, g->sphincter, error));
    if (!g->sphincter) {
        SN_TRY(sni_graph_links_init(&g->links, &g->tree, error));
    }
    SN_TRY(sni_graph_knots_init(&g->knots, m->job, &g->tree, input->points, error));
    SNI_NEW(context, g->rest_places, n);
    SNI_NEW(context, g->leaves, n);
    find_leaves(g);
    g->home = g->knots.carriers[g->knots.starts[g->tree.order[0]]].segment;
    SN_TRY(make_center(m, error));
    m->points = sni_arena_alloc(m->arena, n, sizeof *m->points);
    m->frames = sni_arena_alloc(m->arena, n, sizeof *m->frames);
    m->lengths = sni_arena_alloc(m->arena, n, sizeof *m->lengths);
    m->ways = sni_arena_alloc(m->arena, (size_t)n * n, sizeof *m->ways);
    m->inside = sni_arena_alloc(m->arena, n, sizeof *m->inside);
    m->rings = sni_arena_alloc(m->arena, n, sizeof *m->rings);
    SN_TRY(m->points != NULL && m->frames != NULL && m->lengths != NULL && m->ways != NULL &&
                   m->inside != NULL && m->rings != NULL
               ? SN_OK
               : sni_fail_memory(error));
    for (uint32_t i = 0; i < n; ++i) {
        m->points[i] = input->points[i].point;
    }
    SN_TRY(make_obstacles(m, error));
    SN_TRY(make_rest(m, pose, error));
    find_lengths(m);
cleanup:
    return status;
}

// --- The surface

static sn_status check_surface(const sni_graph_making *m, sn_mass *mass, sn_error *error) {
    const sni_graph *g = m->graph;
    sn_topology_summary summary = {0};
    sn_topology *topology = NULL;
    sn_status status = sn_topology_create(m->mesh, &topology, error);
    if (status != SN_OK) {
        return status;
    }
    sn_topology_summarize(m->mesh, topology, &summary);
    sn_topology_destroy(topology);
    if (!summary.closed) {
        return sni_fail(error, SN_INVALID,
                        "%s: its mesh \"%s\" is not closed: %u edges have one face, %u more than "
                        "two, and %u two of opposite orientation",
                        g->name, m->mesh->name, summary.border_edges, summary.non_manifold_edges,
                        summary.flipped_edges);
    }
    status = sn_mass_compute(m->job->context, m->mesh->positions, m->interior.triangles->vertices,
                             m->interior.triangles->count, mass, error);
    if (status == SN_OK && !(fabs(mass->volume) > least_volume * pow(mass->area, 1.5))) {
        status = sni_fail(error, SN_INVALID, "%s: its mesh \"%s\" has no volume", g->name,
                          m->mesh->name);
    }
    return status;
}

// Ends may stand out, as bones do; what else does is told.
static sn_status check_points(sni_graph_making *m, sn_error *error) {
    const sni_graph *g = m->graph;
    for (uint32_t i = 0; i < g->tree.count; ++i) {
        sn_closest closest;
        m->inside[i] = sni_interior_contains(&m->interior, m->points[i]);
        if (m->inside[i]) {
            continue;
        }
        sn_accel_find_closest(m->interior.accel, m->points[i], INFINITY, &closest);
        bool tendon = m->input->points[i].tendon;
        if (closest.distance > (tendon ? far_tendon : far_outside) * m->size) {
            return sni_fail(error, SN_INVALID,
                            "%s: point %u at (%g, %g, %g) is %.3g m outside of its mesh \"%s\"",
                            g->name, i, m->points[i].x, m->points[i].y, m->points[i].z,
                            closest.distance, m->mesh->name);
        }
        bool end = g->tree.parents[i] == SN_NONE || sni_graph_child_count(&g->tree, i) == 0;
        if (!tendon && !end) {
            sni_log(m->job->context, SN_LOG_WARNING, "muscle",
                    "%s: point %u is %.3g m outside of its mesh, and expands as the nearest point "
                    "inside does",
                    g->name, i, closest.distance);
        }
    }
    return SN_OK;
}

static sn_status take_mesh(sni_graph_making *m, sn_error *error) {
    sni_graph *g = m->graph;
    sn_status status = SN_OK;
    char *name = NULL;
    if (m->input->mesh == NULL) {
        SN_TRY(sni_graph_tube_mesh(m, &g->mesh, error));
    } else {
        SN_TRY(sn_mesh_copy(m->input->mesh, &g->mesh, error));
    }
    m->mesh = g->mesh;
    sn_vec3 low, high;
    sn_mesh_bounds(m->mesh, &low, &high);
    m->size = sn_vec3_distance(low, high);
    SN_TRY(sni_interior_init(&m->interior, m->mesh, m->mesh->positions, error));
    (void)name;
cleanup:
    return status;
}

static sn_status keep_triangles(sni_graph_making *m, sn_error *error) {
    sni_graph *g = m->graph;
    sn_status status = SN_OK;
    g->triangle_count = m->interior.triangles->count;
    SNI_NEW(g->context, g->triangles, 3 * (size_t)g->triangle_count);
    memcpy(g->triangles, m->interior.triangles->vertices,
           3 * (size_t)g->triangle_count * sizeof *g->triangles);
cleanup:
    return status;
}

// Tension widens the middle of the belly and leaves its ends.
static void find_bulges(sni_graph_making *m) {
    sni_graph *g = m->graph;
    for (uint32_t i = 0; i < g->tree.count; ++i) {
        double up = INFINITY, down = INFINITY;
        for (uint32_t k = 0; k < g->tree.count; ++k) {
            double way = m->ways[(size_t)i * g->tree.count + k];
            bool root = g->tree.parents[k] == SN_NONE;
            bool leaf = sni_graph_child_count(&g->tree, k) == 0;
            up = root ? fmin(up, way) : up;
            down = leaf ? fmin(down, way) : down;
        }
        double sum = up + down;
        double s = isfinite(sum) && sum > 0 ? sin(SN_PI * up / sum) : 0;
        g->bulges[i] = m->input->points[i].tendon ? 0 : g->sphincter ? 1 : s * s;
    }
}

static void find_thickness(sni_graph_making *m) {
    for (uint32_t i = 0; i < m->graph->tree.count; ++i) {
        m->graph->thickness = fmax(m->graph->thickness, 2 * m->rings[i].radius);
    }
}

// --- Volume

typedef struct volume_run {
    const sn_mat4 *worlds;
    sni_graph_pose *pose;
    float *table, *a, *b;
} volume_run;

static void find_cubic(const sni_graph *g, const volume_run *run, sni_graph_cubic *volume) {
    sn_vec3 reference =
        sni_rigid_frame_point(&run->pose->home, run->pose->frames[g->tree.order[0]].origin);
    sni_graph_fill_table(g, run->pose, 0, reference, run->table);
    sni_graph_find_surface(g, run->table, run->a, run->b);
    sni_graph_find_volume(g, run->a, run->b, volume);
}

static void volume_at(const sni_graph *g, double ratio, sni_graph_cubic *volume, void *user) {
    const volume_run *run = user;
    sni_graph_place(g, run->worlds, NULL, 1 - ratio, run->pose);
    find_cubic(g, run, volume);
}

static sn_status make_volume(sni_graph_making *m, sni_graph_pose *pose, const sn_mass *mass,
                             sn_error *error) {
    sni_graph *g = m->graph;
    sn_status status = SN_OK;
    size_t numbers = 3 * (size_t)m->mesh->vertex_count;
    sni_graph_cubic volume;
    volume_run run = {.worlds = m->job->rest_worlds, .pose = pose};
    run.table =
        sni_arena_alloc(m->arena, SNI_GRAPH_ROW_FLOATS * (size_t)g->tree.count, sizeof *run.table);
    run.a = sni_arena_alloc(m->arena, numbers, sizeof *run.a);
    run.b = sni_arena_alloc(m->arena, numbers, sizeof *run.b);
    SN_TRY(run.table != NULL && run.a != NULL && run.b != NULL ? SN_OK : sni_fail_memory(error));
    SNI_NEW(g->context, g->base, numbers);
    find_cubic(g, &run, &volume);
    for (size_t i = 0; i < numbers; ++i) {
        g->base[i] = run.a[i] + 1.0F * run.b[i];
    }
    g->base_volume = sni_graph_cubic_at(&volume, 1);
    g->rest_volume = fabs(mass->volume);
    g->rest_area = mass->area;
    SN_TRY(sni_graph_make_keys(g, volume_at, &run, m->job->parameters[SNI_GRAPH_TOLERANCE], error));
    // The pose at rest again, which the search has left.
    sni_graph_place(g, run.worlds, NULL, 0, pose);
cleanup:
    return status;
}

static sn_status make_points(sni_graph_making *m, const sni_graph_pose *pose, sn_error *error) {
    sni_graph *g = m->graph;
    sn_status status = SN_OK;
    uint32_t paths = g->sphincter ? 1 : g->leaf_count;
    g->point_count = SNI_GRAPH_RING_POINTS * g->tree.count + SNI_GRAPH_PARTICLES * paths + 1;
    SNI_NEW_ZERO(g->context, g->points, 3 * (size_t)g->point_count);
    sni_graph_write_points(g, pose, 1, 0, g->points);
    g->points[3 * (size_t)g->point_count - 3] = g->rest_volume;
cleanup:
    return status;
}

// --- All of it

static void report(const sni_graph_making *m) {
    const sni_graph *g = m->graph;
    uint32_t missed = 0;
    for (uint32_t i = 0; i < g->tree.count; ++i) {
        missed += m->inside[i] ? m->rings[i].missed : 0;
    }
    if (missed > 0) {
        sni_log(m->job->context, SN_LOG_WARNING, "muscle",
                "%s: %u of its expansion points found no surface and stay at their control point",
                g->name, missed);
    }
    if (!g->expands) {
        sni_log(m->job->context, SN_LOG_WARNING, "muscle",
                "%s: nothing of it expands, so that its volume is not kept", g->name);
    }
}

static sn_status make_all(sni_graph_making *m, sn_error *error) {
    sni_graph *g = m->graph;
    uint32_t rays = (uint32_t)m->job->parameters[SNI_GRAPH_EXPANSION];
    sni_graph_pose pose;
    sn_mass mass = {0};
    sn_status status = SN_OK;
    SN_TRY(make_graph(m, &pose, error));
    SN_TRY(take_mesh(m, error));
    SN_TRY(check_surface(m, &mass, error));
    SN_TRY(check_points(m, error));
    m->scaled = rays == 0;
    SN_TRY(sni_graph_find_rings(m, rays, error));
    find_thickness(m);
    SNI_NEW(g->context, g->bulges, g->tree.count);
    find_bulges(m);
    SN_TRY(keep_triangles(m, error));
    SN_TRY(sni_graph_find_ties(m, error));
    SN_TRY(make_volume(m, &pose, &mass, error));
    SN_TRY(make_points(m, &pose, error));
    SN_TRY(sni_graph_take_springs(g, m->job, m->job->inputs[SNI_GRAPH_INPUT_NEIGHBOURS], error));
    report(m);
cleanup:
    return status;
}

sn_status sni_graph_create(const sni_muscle_job *job, sni_graph **graph, sn_error *error) {
    sn_status status = SN_OK;
    sni_graph_making m = {0};
    sni_muscle_job named = *job;
    sni_arena arena;
    *graph = NULL;
    sni_arena_init(&arena, job->context);
    SN_TRY(sni_muscle_job_validate(&sni_muscle_graph, job, error));
    named.name = job->name != NULL ? job->name : "muscle";
    m.job = &named;
    m.input = job->inputs[0];
    m.arena = &arena;
    SNI_NEW_ZERO(job->context, m.graph, 1);
    m.graph->context = job->context;
    m.graph->segment_count = job->segment_count;
    memcpy(m.graph->parameters, job->parameters, sizeof m.graph->parameters);
    m.graph->name = sni_string_copy(job->context, named.name);
    SN_TRY(m.graph->name != NULL ? SN_OK : sni_fail_memory(error));
    SN_TRY(make_all(&m, error));
    *graph = m.graph;
    m.graph = NULL;
cleanup:
    sni_graph_destroy(m.graph);
    sni_interior_deinit(&m.interior);
    sni_arena_deinit(&arena);
    return status;
}

void sni_graph_destroy(sni_graph *g) {
    if (g == NULL) {
        return;
    }
    sn_context *context = g->context;
    for (uint32_t i = 0; i < g->obstacle_count; ++i) {
        sni_made_release(context, &g->obstacles[i].grid->made);
    }
    sni_graph_tree_deinit(&g->tree);
    sni_graph_links_deinit(&g->links, context);
    sni_graph_knots_deinit(&g->knots, context);
    sn_mesh_destroy(g->mesh);
    void *parts[] = {g->name,   g->obstacles, g->clearances, g->rest_places, g->bulges,
                     g->leaves, g->triangles, g->tie_starts, g->tie_rings,   g->tie_factors,
                     g->base,   g->keys,      g->springs,    g->points};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        sni_free(context, parts[i]);
    }
    sni_free(context, g);
}

size_t sni_graph_bytes(const sni_graph *g) {
    size_t n = g->tree.count, ties = g->tie_starts[g->mesh->vertex_count];
    return sizeof *g + n * (6 * sizeof(uint32_t) + sizeof(bool) + 2 * sizeof(double)) +
           g->links.count * sizeof *g->links.links +
           g->knots.starts[n] * sizeof *g->knots.carriers + n * g->obstacle_count * sizeof(double) +
           (size_t)g->mesh->vertex_count * (6 * sizeof(float) + sizeof(uint32_t)) +
           ties * (SNI_GRAPH_TIE_FLOATS * sizeof(float) + sizeof(uint32_t)) +
           3 * (size_t)g->triangle_count * sizeof(uint32_t) + g->key_count * sizeof *g->keys +
           g->spring_count * sizeof *g->springs + 3 * (size_t)g->point_count * sizeof(double);
}
