// SPDX-License-Identifier: Apache-2.0
//
// The `graph` muscle: a closed surface of any shape that moves with control points inside of it,
// which contract along paths between bones and keep its volume (docs/graph.md), after the facial
// animation thesis, sections 4.1 to 4.4.
#include "muscle/graph/neighbours.h"
#include "muscle/graph/surface.h"

#include "base/context.h"

#include <string.h>

static const char *const motion_choices[] = {"static", "simulated", NULL};

static const sn_parameter parameters[SNI_GRAPH_PARAMETER_COUNT] = {
    [SNI_GRAPH_SHORTENING] = {.name = "shortening",
                              .help = "Part of the length of its flesh that it loses when it is "
                                      "fully contracted",
                              .unit = "",
                              .low = 0,
                              .standard = 0.3,
                              .high = 0.6,
                              .live = true},
    [SNI_GRAPH_BULGE] = {.name = "bulge",
                         .help = "How much wider than its ends full tension makes the middle of "
                                 "the belly, as a part of its width",
                         .unit = "",
                         .low = 0,
                         .standard = 0.3,
                         .high = 2,
                         .usual = 1},
    [SNI_GRAPH_FALLOFF] = {.name = "falloff",
                           .help = "Exponent with which the influence of a control point falls "
                                   "with the distance along the graph",
                           .unit = "",
                           .low = 1,
                           .standard = 2,
                           .high = 16,
                           .usual = 6},
    [SNI_GRAPH_INFLUENCES] = {.name = "influences",
                              .help = "Largest number of control points that a vertex follows; "
                                      "with 0 it follows all",
                              .unit = "",
                              .low = 0,
                              .standard = 8,
                              .high = 256,
                              .whole = true,
                              .usual = 12},
    [SNI_GRAPH_EXPANSION] = {.name = "expansion",
                             .title = "Expansion points",
                             .help = "Number of expansion points around each control point of the "
                                     "belly; with 0 sections are scaled as they are",
                             .unit = "",
                             .low = 0,
                             .standard = 12,
                             .high = 256,
                             .whole = true,
                             .usual = 36},
    [SNI_GRAPH_TOLERANCE] = {.name = "tolerance",
                             .help = "How far the volume may be from that at rest between the keys "
                                     "that are found for it, as a part of it; poses keep it "
                                     "exactly",
                             .unit = "",
                             .low = 0.0001,
                             .standard = 0.01,
                             .high = 0.2,
                             .usual = 0.05},
    [SNI_GRAPH_CONNECT_END] = {.name = "connect_end",
                               .title = "Connected end",
                               .help = "Knots up to this distance from an end of its paths, along "
                                       "them, can be pulled by neighbours; with 0 none can",
                               .unit = "m",
                               .low = 0,
                               .standard = 0,
                               .high = 1000,
                               .usual = 0.1},
    [SNI_GRAPH_CONNECT_REACH] = {.name = "connect_reach",
                                 .help = "Control points of other muscles up to this distance pull "
                                         "a knot that can be pulled",
                                 .unit = "m",
                                 .low = 0,
                                 .standard = 0,
                                 .high = 1000,
                                 .usual = 0.1},
    [SNI_GRAPH_ANCHOR] = {.name = "anchor",
                          .help = "Stiffness of the spring that holds a knot to its bone, relative "
                                  "to one that pulls it",
                          .unit = "",
                          .low = 0.1,
                          .standard = 2,
                          .high = 1000,
                          .usual = 20},
    [SNI_GRAPH_MOTION] = {.name = "motion",
                          .help = "Whether what neighbours do to it follows from the pose alone, "
                                  "or swings there",
                          .low = 0,
                          .standard = 0,
                          .high = 1,
                          .choices = motion_choices},
    [SNI_GRAPH_FREQUENCY] = {.name = "frequency",
                             .help = "How fast it swings, where it does",
                             .unit = "1/s",
                             .low = 0.1,
                             .standard = 5,
                             .high = 100,
                             .usual = 20},
    [SNI_GRAPH_DAMPING] = {.name = "damping",
                           .help = "How fast swings die away: with 1 it does not swing beyond "
                                   "where it comes to rest",
                           .unit = "",
                           .low = 0,
                           .standard = 0.5,
                           .high = 10,
                           .usual = 2},
    [SNI_GRAPH_SIDES] = {.name = "sides",
                         .help = "Number of points around the circles that its surface is made of",
                         .unit = "",
                         .low = 3,
                         .standard = 8,
                         .high = 256,
                         .whole = true,
                         .usual = 24},
    [SNI_GRAPH_SUBDIVISIONS] = {.name = "subdivisions",
                                .help = "How often a surface that is made of circles is "
                                        "subdivided",
                                .unit = "",
                                .low = 0,
                                .standard = 1,
                                .high = 5,
                                .whole = true,
                                .usual = 3},
};

static sn_status graph_bind(const sni_muscle_job *job, void **bound, sn_error *error) {
    sni_graph *g = NULL;
    sn_status status = sni_graph_create(job, &g, error);
    *bound = g;
    return status;
}

static void graph_unbind(sn_context *context, void *bound) {
    (void)context;
    sni_graph_destroy(bound);
}

static void graph_surface(const void *bound, sni_muscle_surface *surface) {
    const sni_graph *g = bound;
    *surface = (sni_muscle_surface){.name = g->name, .point_count = g->point_count};
}

static sn_status graph_pose(const void *bound, const sni_muscle_pose_job *job, sn_error *error) {
    sni_muscle_member member = {.number = SN_NONE, .bound = bound, .job = *job};
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    sn_status status = sni_graph_pose_together(1, &member, error);
    sni_arena_release(job->arena, mark);
    if (status == SN_OK && member.trouble[0] != 0 && job->news == NULL) {
        sni_log(job->context, SN_LOG_WARNING, "muscle", "%s", member.trouble);
    } else if (status == SN_OK && member.trouble[0] != 0) {
        *job->news = true;
    }
    return status;
}

static sn_status graph_emit_surface(const void *bound, sn_context *context, uint32_t steps,
                                    sn_mesh **mesh, sn_error *error) {
    const sni_graph *g = bound;
    (void)context, (void)steps; // it is as fine as it is
    return sni_mesh_copy_named(g->mesh, g->name, mesh, error);
}

// A tie in double precision: A + f B of surface.h.
static sn_vec3 tie_point(const float *f, const double *points, uint32_t ring) {
    const double *p = points + 3 * SNI_GRAPH_RING_POINTS * (size_t)ring;
    sn_vec3 o = {p[0], p[1], p[2]}, axes[3];
    for (int k = 0; k < 3; ++k) {
        axes[k] = sn_vec3_sub(sn_vec3_make(p[3 * k + 3], p[3 * k + 4], p[3 * k + 5]), o);
    }
    double stretch = sn_vec3_length(axes[0]), wide = sn_vec3_length(axes[2]);
    axes[2] = sn_vec3_normalize_or(axes[2], axes[2]);
    double y = stretch * (double)f[2] + (double)f[4] + wide * (double)f[6];
    double z = stretch * (double)f[3] + (double)f[5] + wide * (double)f[7];
    sn_vec3 sum = sn_vec3_scale(o, (double)f[0]);
    sum = sn_vec3_add_scaled(sum, (double)f[1], axes[0]);
    return sn_vec3_add_scaled(sn_vec3_add_scaled(sum, y, axes[1]), z, axes[2]);
}

// The plain form of what `pose` does with floats and a table.
static void graph_emit_points(const void *bound, uint32_t steps, const double *points,
                              float *positions) {
    const sni_graph *g = bound;
    (void)steps;
    for (size_t v = 0; v < g->mesh->vertex_count; ++v) {
        sn_vec3 way = {0, 0, 0};
        for (size_t i = g->tie_starts[v]; i < g->tie_starts[v + 1]; ++i) {
            const float *f = g->tie_factors + SNI_GRAPH_TIE_FLOATS * i;
            sn_vec3 now = tie_point(f, points, g->tie_rings[i]);
            way = sn_vec3_add(way, sn_vec3_sub(now, tie_point(f, g->points, g->tie_rings[i])));
        }
        sn_vec3_store(sn_vec3_add(sn_vec3_load(g->mesh->positions + 3 * v), way),
                      positions + 3 * v);
    }
}

static void graph_measure(const void *bound, const double *points, sni_muscle_measure *measure) {
    const sni_graph *g = bound;
    const double *state = (points != NULL ? points : g->points) + 3 * (size_t)g->point_count - 3;
    *measure = (sni_muscle_measure){.length = state[2],
                                    .rest_length = g->rest_length,
                                    .area = points == NULL ? g->rest_area : 0,
                                    .thickness = g->thickness,
                                    .volume = state[0],
                                    .rest_volume = g->rest_volume,
                                    .volume_keys = g->key_count,
                                    .search_steps = g->most_steps};
}

static size_t graph_bytes(const void *bound) {
    return sni_graph_bytes(bound);
}

static size_t graph_state_bytes(const void *bound) {
    return sni_graph_state_bytes(bound);
}

static void graph_state_reset(const void *bound, const sni_muscle_pose_job *job) {
    sni_graph_state_reset(bound, job->state);
}

static sn_status graph_length(const void *bound, const sni_muscle_pose_job *job, double *length,
                              sn_error *error) {
    const sni_graph *g = bound;
    sni_graph_pose pose;
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    sn_status status = sni_carried_check_pose(g->name, g->segment_count, job, error);
    if (status == SN_OK && !sni_graph_pose_init(g, job->arena, &pose)) {
        status = sni_fail_memory(error);
    }
    if (status == SN_OK) {
        sni_graph_carry(g, job->worlds, &pose);
        sni_graph_place(g, job->worlds, NULL, 0, &pose);
        *length = pose.length;
    }
    sni_arena_release(job->arena, mark);
    return status;
}

// Its paths, which contraction does not move.
static const sn_vec3 *graph_axis(const void *bound, const double *points, uint32_t fibre,
                                 sni_muscle_axes *axes) {
    const sni_graph *g = bound;
    size_t rings = SNI_GRAPH_RING_POINTS * (size_t)g->tree.count;
    if (axes != NULL) {
        *axes = (sni_muscle_axes){.fibre_count = g->sphincter ? 1 : g->leaf_count,
                                  .particle_count = SNI_GRAPH_PARTICLES,
                                  .swings = sni_graph_state_bytes(g) > 0};
    }
    return (const sn_vec3 *)(points + 3 * (rings + (size_t)fibre * SNI_GRAPH_PARTICLES));
}

const sni_muscle_ops sni_muscle_graph = {
    .name = "graph",
    .help = "A closed surface of any shape around control points, which contract along paths "
            "between bones and keep its volume",
    .parameters = SNI_PARAMETERS(parameters),
    .contracts = true,
    .poses_surface = true,
    .inputs = {[SNI_GRAPH_INPUT_POINTS] = {&sni_input_graph, true},
               [SNI_GRAPH_INPUT_SLIDES] = {&sni_input_slides, false},
               [SNI_GRAPH_INPUT_NEIGHBOURS] = {&sni_input_neighbours, false}},
    .bind = graph_bind,
    .unbind = graph_unbind,
    .surface = graph_surface,
    .pose = graph_pose,
    .emit_surface = graph_emit_surface,
    .emit_points = graph_emit_points,
    .measure = graph_measure,
    .bytes = graph_bytes,
    .state_bytes = graph_state_bytes,
    .state_reset = graph_state_reset,
    .length = graph_length,
    .pose_together = sni_graph_pose_together,
    .axis = graph_axis,
};
