// SPDX-License-Identifier: Apache-2.0
//
// Muscles of kind `graph` on two segments, the upper one at (0, 1, 0), the lower one 0.3 m below
// it: a straight one inside of a given cylinder, a spindle with tendons that crosses the joint, one
// with two heads, a sheet of three graphs, and a ring.
#ifndef SNT_MUSCLE_GRAPH_SHAPES_H
#define SNT_MUSCLE_GRAPH_SHAPES_H

#include "geometry/triangle.h"
#include "muscle/graph/neighbours.h"
#include "muscle/graph/volume.h"
#include "sinew/geometry.h"

#include <math.h>
#include <stdlib.h>

typedef enum graph_shape {
    GRAPH_STRAIGHT,
    GRAPH_SPINDLE,
    GRAPH_HEADS,
    GRAPH_SHEET,
    GRAPH_RING,
    GRAPH_SHAPES
} graph_shape;

enum { GRAPH_MOST = 32, GRAPH_SIDES = 24, GRAPH_ROWS = 13 };

static const double graph_radius = 0.03, graph_length = 0.3;

typedef struct graph_test {
    sn_context *context;
    double side; // -1: mirrored at x = 0
    sn_mat4 rest[2];
    sni_graph_point points[GRAPH_MOST];
    sni_graph_circle circles[GRAPH_MOST];
    sni_graph_input input;
    double parameters[SNI_GRAPH_PARAMETER_COUNT];
    sn_mesh *mesh; // given
    sni_muscle_job job;
    void *bound;
    const sni_graph *graph;
    double *relaxed, *contracted;
    float *surface;
    sni_touches_pose numbers; // of neighbours
    void *state;
    double time_step;
} graph_test;

static inline sn_mat4 graph_matrix(sn_quat rotation, sn_vec3 translation) {
    sn_transform parts = {translation, rotation, {1, 1, 1}};
    return sn_mat4_from_transform(&parts);
}

static inline uint32_t graph_add(graph_test *t, uint32_t segment, double x, double y, double z,
                                 uint32_t parent, double radius) {
    uint32_t index = t->input.point_count++;
    assert_true(index < GRAPH_MOST);
    t->points[index] = (sni_graph_point){.segment = segment,
                                         .point = sn_vec3_make(t->side * x, y, z),
                                         .normal = {0, 0, 1},
                                         .parent = parent,
                                         .root = parent == SN_NONE};
    t->circles[index] = (sni_graph_circle){.point = index, .radii = {radius, radius}};
    t->input.circle_count = t->input.point_count;
    return index;
}

// A cylinder from the origin down: rings of vertices, two poles.
static inline sn_mesh *graph_cylinder(sn_context *context, double radius, double length) {
    sn_mesh *mesh = NULL;
    uint32_t rings = GRAPH_ROWS, sides = GRAPH_SIDES, count = 2 * sides * rings, face = 0;
    snt_ok(sn_mesh_create(context, "cylinder", rings * sides + 2, count, 3 * count, &mesh, error));
    for (uint32_t r = 0; r < rings; ++r) {
        for (uint32_t k = 0; k < sides; ++k) {
            double angle = 2 * SN_PI * k / sides;
            sn_vec3 p = {radius * cos(angle), 1 - length * r / (rings - 1), radius * sin(angle)};
            sn_vec3_store(p, mesh->positions + 3 * ((size_t)r * sides + k));
        }
    }
    sn_vec3_store(sn_vec3_make(0, 1, 0), mesh->positions + 3 * (size_t)rings * sides);
    sn_vec3_store(sn_vec3_make(0, 1 - length, 0), mesh->positions + 3 * (size_t)rings * sides + 3);
    for (uint32_t k = 0; k < sides; ++k) {
        uint32_t next = (k + 1) % sides, last = (rings - 1) * sides, pole = rings * sides;
        uint32_t ends[6] = {pole, next, k, pole + 1, last + k, last + next};
        memcpy(mesh->corners + 3 * (size_t)face, ends, sizeof ends);
        face += 2;
        for (uint32_t r = 0; r + 1 < rings; ++r, face += 2) {
            uint32_t a = r * sides + k, b = r * sides + next;
            uint32_t quad[6] = {a, b, b + sides, a, b + sides, a + sides};
            memcpy(mesh->corners + 3 * (size_t)face, quad, sizeof quad);
        }
    }
    for (uint32_t i = 0; i <= face; ++i) {
        mesh->face_offsets[i] = 3 * i;
    }
    assert_int_equal(face, count);
    return mesh;
}

static inline void graph_straight(graph_test *t) {
    for (uint32_t i = 0; i < 4; ++i) {
        graph_add(t, 0, 0, 1 - graph_length * i / 3, 0, i == 0 ? SN_NONE : i - 1, graph_radius);
    }
    t->mesh = graph_cylinder(t->context, graph_radius, graph_length);
    t->input.mesh = t->mesh;
}

// Tendons at both ends; the insertion is on the lower segment.
static inline void graph_spindle(graph_test *t) {
    static const double ys[] = {0.98, 0.93, 0.87, 0.81, 0.75, 0.69, 0.64};
    static const double radii[] = {0.005, 0.007, 0.018, 0.022, 0.018, 0.007, 0.005};
    for (uint32_t i = 0; i < 7; ++i) {
        graph_add(t, i < 6 ? 0 : 1, 0.01 * sin(i), ys[i], 0.04, i == 0 ? SN_NONE : i - 1, radii[i]);
        t->points[i].tendon = i < 2 || i > 4;
    }
    t->points[4].segment = SN_NONE; // in space
}

static inline void graph_heads(graph_test *t) {
    uint32_t trunk = SN_NONE;
    for (uint32_t i = 0; i < 3; ++i) {
        trunk = graph_add(t, 0, 0.01, 0.98 - 0.06 * i, 0.03, trunk, i == 0 ? 0.01 : 0.024);
    }
    for (int head = -1; head < 2; head += 2) {
        uint32_t below = trunk;
        for (uint32_t i = 0; i < 3; ++i) {
            below = graph_add(t, i < 2 ? 0 : 1, 0.01 + head * (0.03 + 0.006 * i), 0.8 - 0.06 * i,
                              0.03 + 0.003 * head, below, i == 2 ? 0.007 : 0.014);
        }
    }
}

// The surface of a sheet around its middle graph, long enough to hold those beside it.
static inline void graph_sheet(graph_test *t) {
    for (int strip = -1; strip < 2; ++strip) {
        uint32_t above = SN_NONE;
        for (uint32_t i = 0; i < 5; ++i) {
            above = graph_add(t, i < 4 ? 0 : 1, 0.04 * strip + 0.005 * strip * i, 0.95 - 0.06 * i,
                              0.03, above, 0.01);
        }
    }
    sni_graph_point middle[5];
    memcpy(middle, t->points + 5, sizeof middle);
    graph_test wide = *t;
    wide.input.point_count = 0;
    for (uint32_t i = 0; i < 5; ++i) {
        sn_vec3 p = middle[i].point;
        graph_add(&wide, 0, 0, p.y, p.z, i == 0 ? SN_NONE : i - 1, 0.01);
        wide.circles[i].radii[0] = 0.07 + 0.004 * i;
    }
    wide.input.points = wide.points;
    wide.input.circles = wide.circles;
    wide.job.inputs[0] = &wide.input;
    wide.job.parameters = wide.parameters;
    sni_graph *made = NULL;
    snt_ok(sni_graph_create(&wide.job, &made, error));
    snt_ok(sn_mesh_copy(made->mesh, &t->mesh, error));
    sni_graph_destroy(made);
    t->input.mesh = t->mesh;
}

static inline void graph_ring(graph_test *t) {
    enum { COUNT = 12 };
    for (uint32_t i = 0; i < COUNT; ++i) {
        double angle = 2 * SN_PI * i / COUNT;
        graph_add(t, i % 3 == 0 ? 0 : SN_NONE, 0.06 * cos(angle) + 0.005, 0.85 + 0.04 * sin(angle),
                  0.03 + 0.01 * cos(2 * angle), (i + COUNT - 1) % COUNT, 0.011);
        t->points[i].root = false;
    }
    t->input.has_center = true;
    t->input.center = (sni_muscle_attachment){.segment = 0, .point = {t->side * 0.005, 0.85, 0.03}};
}

// A job that is complete; it points into `t`, which must stay where it is.
static inline void graph_init(graph_test *t, sn_context *context, graph_shape shape, double side) {
    *t = (graph_test){.context = context, .side = side};
    t->rest[0] = graph_matrix(sn_quat_identity(), sn_vec3_make(0, 1, 0));
    t->rest[1] = graph_matrix(sn_quat_identity(), sn_vec3_make(0, 0.7, 0));
    sni_parameters_defaults(&sni_muscle_graph.parameters, t->parameters);
    t->parameters[SNI_GRAPH_SHORTENING] = 0.6;
    t->input = (sni_graph_input){.points = t->points, .circles = t->circles};
    t->job = (sni_muscle_job){.context = context,
                              .name = "biceps",
                              .parameters = t->parameters,
                              .segment_count = 2,
                              .rest_worlds = t->rest,
                              .inputs = {&t->input}};
    switch (shape) {
    case GRAPH_STRAIGHT: graph_straight(t); break;
    case GRAPH_SPINDLE: graph_spindle(t); break;
    case GRAPH_HEADS: graph_heads(t); break;
    case GRAPH_SHEET: graph_sheet(t); break;
    default: graph_ring(t); break;
    }
}

static inline void graph_bind(graph_test *t) {
    snt_ok(sni_muscle_graph.bind(&t->job, &t->bound, error));
    t->graph = t->bound;
    t->relaxed = calloc(3 * (size_t)t->graph->point_count, sizeof *t->relaxed);
    t->contracted = calloc(3 * (size_t)t->graph->point_count, sizeof *t->contracted);
    t->surface = calloc(3 * (size_t)t->graph->mesh->vertex_count, sizeof *t->surface);
    size_t bytes = sni_muscle_graph.state_bytes(t->bound);
    t->state = bytes > 0 ? calloc(1, bytes) : NULL;
}

static inline void graph_free(graph_test *t) {
    sni_muscle_graph.unbind(t->context, t->bound);
    sn_mesh_destroy(t->mesh);
    free(t->relaxed);
    free(t->contracted);
    free(t->surface);
    free(t->state);
    *t = (graph_test){0};
}

static inline sni_muscle_pose_job graph_job(graph_test *t, sni_arena *arena, const sn_mat4 *worlds,
                                            double contraction, double tension) {
    return (sni_muscle_pose_job){.context = t->context,
                                 .arena = arena,
                                 .segment_count = 2,
                                 .worlds = worlds,
                                 .contraction = contraction,
                                 .tension = tension,
                                 .relaxed = t->relaxed,
                                 .contracted = t->contracted,
                                 .surface = t->surface,
                                 .inputs = {NULL, NULL, &t->numbers},
                                 .time_step = t->time_step,
                                 .state = t->state};
}

// `kept` (or NULL) is whether the volume was.
static inline sn_status graph_try_pose(graph_test *t, const sn_mat4 *worlds, double contraction,
                                       double tension, bool *kept, sn_error *error) {
    sni_arena arena;
    bool news = false;
    sni_arena_init(&arena, t->context);
    sni_muscle_pose_job job = graph_job(t, &arena, worlds, contraction, tension);
    job.news = &news;
    sn_status status = sni_muscle_graph.pose(t->bound, &job, error);
    sni_arena_deinit(&arena);
    if (kept != NULL) {
        *kept = !news;
    }
    return status;
}

static inline void graph_pose(graph_test *t, const sn_mat4 *worlds, double contraction,
                              double tension) {
    bool kept = false;
    snt_ok(graph_try_pose(t, worlds, contraction, tension, &kept, error));
    assert_true(kept);
}

// Within a surface, from the origin of its coordinates.
static inline double graph_volume(const graph_test *t, const float *surface) {
    double sum = 0;
    for (size_t i = 0; i < t->graph->triangle_count; ++i) {
        sn_vec3 p[3];
        sni_triangle_corners(surface, t->graph->triangles + 3 * i, p);
        sum += sn_vec3_dot(p[0], sn_vec3_cross(p[1], p[2])) / 6;
    }
    return sum;
}

// Where a control point is.
static inline sn_vec3 graph_point(const graph_test *t, uint32_t point) {
    const double *p = t->contracted + 3 * SNI_GRAPH_RING_POINTS * (size_t)point;
    return sn_vec3_make(p[0], p[1], p[2]);
}

// The lower segment turned about the joint and moved.
static inline void graph_bend(const graph_test *t, sn_vec3 angles, sn_vec3 move, sn_mat4 *worlds) {
    sn_mat4 turn = graph_matrix(sn_quat_from_euler(angles, SN_ROTATION_XYZ), move);
    worlds[0] = t->rest[0];
    worlds[1] = sn_mat4_multiply(&t->rest[1], &turn);
}

#endif
