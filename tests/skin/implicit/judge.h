// SPDX-License-Identifier: Apache-2.0
//
// Judges deformers on a body: for poses of joints, how far edges are stretched, how much of the
// space the skin fills twice, how many triangles pass through each other, and how far vertices jump
// between frames. Nothing here knows how a deformer works.
//
// Volumes come from lines along z, one for each cell of a grid in x and y: the signs of the
// triangles that a line passes add up to the winding number of what is behind them, so that the
// lengths with a winding number of at least 1 (the union) and 2 (the overlap) are exact along it.
#ifndef SNT_SKIN_IMPLICIT_JUDGE_H
#define SNT_SKIN_IMPLICIT_JUDGE_H

#include "test.h"

#include "motion/retarget.h"
#include "sinew/eval.h"
#include "sinew/geometry.h"
#include "sinew/io.h"
#include "skin/skin.h"

#include <math.h>
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------
// A body and its poses

typedef struct judged_body {
    sn_context *context;
    sn_import *import;
    sn_character *character;
    sn_model *model;
    const sn_mesh *mesh; // the skin with the most vertices
    const sn_skeleton *skeleton;
    const sn_mat4 *rest_worlds;
    sni_stance stance;
    sni_weights_input weights;
    sn_vec3 left, up, forward;
    sn_triangles *triangles;
    uint32_t edge_count;
    uint32_t *edges; // edge_count x 2
    float *rest;     // in the world
    double height;
    double rest_overlap, rest_union, rest_turned; // cubic metres
} judged_body;

// A turn of a segment about an axis of the world at rest, about its own joint.
typedef struct judged_turn {
    uint32_t segment;
    sn_vec3 axis;
    double angle; // radians
} judged_turn;

enum { JUDGED_TURNS = 40 };
typedef struct judged_pose {
    char name[32];
    uint32_t count;
    judged_turn turns[JUDGED_TURNS];
} judged_pose;

// Where each segment goes from rest: D_i = D_parent * turn about its joint.
static inline void judge_worlds(const judged_body *b, const judged_pose *pose, double share,
                                sn_mat4 *worlds) {
    sn_mat4 *motions = calloc(b->skeleton->segment_count, sizeof *motions);
    for (uint32_t k = 0; k < b->skeleton->segment_count; ++k) {
        uint32_t i = b->skeleton->parents_first[k], parent = b->skeleton->segments[i].parent;
        sn_mat4 motion = parent == SN_NONE ? sn_mat4_identity() : motions[parent];
        for (uint32_t t = 0; t < pose->count; ++t) {
            if (pose->turns[t].segment == i) {
                sn_vec3 joint = sn_mat4_point(&b->rest_worlds[i], sn_vec3_make(0, 0, 0));
                sn_transform turn = sn_transform_identity();
                turn.rotation =
                    sn_quat_from_axis_angle(pose->turns[t].axis, share * pose->turns[t].angle);
                turn.translation = sn_vec3_sub(joint, sn_quat_rotate(turn.rotation, joint));
                sn_mat4 matrix = sn_mat4_from_transform(&turn);
                motion = sn_mat4_multiply(&motion, &matrix);
            }
        }
        motions[i] = motion;
        worlds[i] = sn_mat4_multiply(&motion, &b->rest_worlds[i]);
    }
    free(motions);
}

static inline int judge_compare_pairs(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] != y[1] ? (x[1] < y[1] ? -1 : 1) : 0;
}

static inline void judge_find_edges(judged_body *b) {
    uint32_t most = 3 * b->triangles->count, kept = 0;
    b->edges = calloc(most, 2 * sizeof *b->edges);
    for (uint32_t i = 0; i < most; ++i) {
        const uint32_t *t = b->triangles->vertices + 3 * (size_t)(i / 3);
        uint32_t u = t[i % 3], v = t[(i + 1) % 3];
        b->edges[2 * (size_t)i] = u < v ? u : v;
        b->edges[2 * (size_t)i + 1] = u < v ? v : u;
    }
    qsort(b->edges, most, 2 * sizeof *b->edges, judge_compare_pairs);
    for (uint32_t i = 0; i < most; ++i) {
        const uint32_t *e = b->edges + 2 * (size_t)i;
        if (kept == 0 || judge_compare_pairs(e, b->edges + 2 * (size_t)(kept - 1)) != 0) {
            b->edges[2 * (size_t)kept] = e[0];
            b->edges[2 * (size_t)kept + 1] = e[1];
            ++kept;
        }
    }
    b->edge_count = kept;
}

// ---------------------------------------------------------------------------------------------
// Volumes

typedef struct judge_hit {
    uint32_t column;
    float z;
    int sign;
} judge_hit;

static inline int judge_compare_hits(const void *a, const void *b) {
    const judge_hit *x = a, *y = b;
    if (x->column != y->column) {
        return x->column < y->column ? -1 : 1;
    }
    return x->z != y->z ? (x->z < y->z ? -1 : 1) : x->sign - y->sign;
}

// Volumes with winding numbers of at least 1, of at least 2, and below 0.
static inline void judge_volumes(const judged_body *b, const float *points, double *filled,
                                 double *twice, double *turned) {
    double h = b->height / 700, low[2] = {1e30, 1e30}, high[2] = {-1e30, -1e30};
    for (uint32_t v = 0; v < b->mesh->vertex_count; ++v) {
        for (int k = 0; k < 2; ++k) {
            low[k] = fmin(low[k], points[3 * (size_t)v + k]);
            high[k] = fmax(high[k], points[3 * (size_t)v + k]);
        }
    }
    // Lines stand a little beside round numbers, where they would meet edges.
    low[0] -= 0.3137 * h;
    low[1] -= 0.2713 * h;
    uint32_t columns = (uint32_t)((high[0] - low[0]) / h) + 2;
    size_t count = 0, room = 1 << 16;
    judge_hit *hits = malloc(room * sizeof *hits);
    for (uint32_t t = 0; t < b->triangles->count; ++t) {
        const float *p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = points + 3 * (size_t)b->triangles->vertices[3 * (size_t)t + k];
        }
        double area = ((double)p[1][0] - p[0][0]) * ((double)p[2][1] - p[0][1]) -
                      ((double)p[2][0] - p[0][0]) * ((double)p[1][1] - p[0][1]);
        if (area == 0) {
            continue;
        }
        int begin[2], end[2];
        for (int k = 0; k < 2; ++k) {
            begin[k] = (int)ceil((fmin(p[0][k], fmin(p[1][k], p[2][k])) - low[k]) / h);
            end[k] = (int)floor((fmax(p[0][k], fmax(p[1][k], p[2][k])) - low[k]) / h);
        }
        for (int j = begin[1]; j <= end[1]; ++j) {
            for (int i = begin[0]; i <= end[0]; ++i) {
                double x = low[0] + i * h, y = low[1] + j * h, z = 0, share[3];
                bool inside = true;
                for (int k = 0; k < 3 && inside; ++k) {
                    const float *u = p[(k + 1) % 3], *v = p[(k + 2) % 3];
                    share[k] = ((u[0] - x) * (v[1] - y) - (v[0] - x) * (u[1] - y)) / area;
                    inside = share[k] >= 0;
                    z += share[k] * p[k][2];
                }
                if (inside) {
                    if (count == room) {
                        room *= 2;
                        hits = realloc(hits, room * sizeof *hits);
                    }
                    hits[count++] = (judge_hit){(uint32_t)j * columns + (uint32_t)i, (float)z,
                                                area > 0 ? -1 : 1};
                }
            }
        }
    }
    qsort(hits, count, sizeof *hits, judge_compare_hits);
    *filled = *twice = *turned = 0;
    int winding = 0;
    for (size_t i = 0; i < count; ++i) {
        winding = i == 0 || hits[i].column != hits[i - 1].column ? 0 : winding;
        if (winding != 0 && i > 0) {
            double length = (double)hits[i].z - hits[i - 1].z;
            *filled += winding >= 1 ? length : 0;
            *twice += winding >= 2 ? length : 0;
            *turned += winding < 0 ? length : 0;
        }
        winding += hits[i].sign;
    }
    *filled *= h * h;
    *twice *= h * h;
    *turned *= h * h;
    free(hits);
}

// ---------------------------------------------------------------------------------------------
// Triangles that pass through each other

typedef struct judge_box {
    float low[3], high[3];
    uint32_t triangle;
} judge_box;

static inline int judge_compare_boxes(const void *a, const void *b) {
    const judge_box *x = a, *y = b;
    return x->low[0] != y->low[0] ? (x->low[0] < y->low[0] ? -1 : 1)
                                  : (x->triangle < y->triangle ? -1 : 1);
}

static inline bool judge_edge_crosses(sn_vec3 p, sn_vec3 q, const sn_vec3 t[3]) {
    sn_vec3 way = sn_vec3_sub(q, p), e1 = sn_vec3_sub(t[1], t[0]), e2 = sn_vec3_sub(t[2], t[0]);
    sn_vec3 h = sn_vec3_cross(way, e2);
    double a = sn_vec3_dot(e1, h);
    if (fabs(a) < 1e-18) {
        return false;
    }
    sn_vec3 s = sn_vec3_sub(p, t[0]);
    double u = sn_vec3_dot(s, h) / a;
    sn_vec3 c = sn_vec3_cross(s, e1);
    double v = sn_vec3_dot(way, c) / a, d = sn_vec3_dot(e2, c) / a;
    return u > 0 && v > 0 && u + v < 1 && d > 0 && d < 1;
}

// Pairs of triangles without a corner in one place that cross.
static inline uint32_t judge_crossings(const judged_body *b, const float *points) {
    uint32_t count = b->triangles->count, pairs = 0;
    judge_box *boxes = malloc(count * sizeof *boxes);
    for (uint32_t t = 0; t < count; ++t) {
        boxes[t].triangle = t;
        for (int k = 0; k < 3; ++k) {
            boxes[t].low[k] = 1e30f;
            boxes[t].high[k] = -1e30f;
            for (int c = 0; c < 3; ++c) {
                float x = points[3 * (size_t)b->triangles->vertices[3 * (size_t)t + c] + k];
                boxes[t].low[k] = fminf(boxes[t].low[k], x);
                boxes[t].high[k] = fmaxf(boxes[t].high[k], x);
            }
        }
    }
    qsort(boxes, count, sizeof *boxes, judge_compare_boxes);
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t j = i + 1; j < count && boxes[j].low[0] <= boxes[i].high[0]; ++j) {
            if (boxes[j].low[1] > boxes[i].high[1] || boxes[j].high[1] < boxes[i].low[1] ||
                boxes[j].low[2] > boxes[i].high[2] || boxes[j].high[2] < boxes[i].low[2]) {
                continue;
            }
            sn_vec3 p[2][3];
            bool touch = false, crosses = false;
            for (int c = 0; c < 3; ++c) {
                p[0][c] = sn_vec3_load(
                    points + 3 * (size_t)b->triangles->vertices[3 * (size_t)boxes[i].triangle + c]);
                p[1][c] = sn_vec3_load(
                    points + 3 * (size_t)b->triangles->vertices[3 * (size_t)boxes[j].triangle + c]);
            }
            for (int c = 0; c < 9; ++c) {
                touch = touch || sn_vec3_distance(p[0][c / 3], p[1][c % 3]) == 0;
            }
            for (int c = 0; c < 6 && !touch && !crosses; ++c) {
                crosses = judge_edge_crosses(p[c / 3][c % 3], p[c / 3][(c + 1) % 3], p[1 - c / 3]);
            }
            pairs += crosses;
        }
    }
    free(boxes);
    return pairs;
}

// ---------------------------------------------------------------------------------------------
// One deformer in one pose

typedef struct judgement {
    double least, most;   // edges over their length at rest
    uint32_t beyond;      // edges outside 0.33 to 3
    double overlap, fill; // cubic metres, overlap without that at rest
    double turned;        // cubic metres that the skin goes around with its inside out
    uint32_t crossings;   // pairs of triangles
    double step;          // largest step of a vertex over that of the moving bones there
} judgement;

static inline void judge_edges(const judged_body *b, const float *points, judgement *j) {
    j->least = 1e30;
    j->most = 0;
    j->beyond = 0;
    for (uint32_t e = 0; e < b->edge_count; ++e) {
        size_t u = 3 * (size_t)b->edges[2 * (size_t)e], v = 3 * (size_t)b->edges[2 * (size_t)e + 1];
        double rest = sn_vec3_distance(sn_vec3_load(b->rest + u), sn_vec3_load(b->rest + v));
        if (rest < 1e-4 * b->height) {
            continue; // seams and points drawn twice
        }
        double ratio = sn_vec3_distance(sn_vec3_load(points + u), sn_vec3_load(points + v)) / rest;
        j->least = fmin(j->least, ratio);
        j->most = fmax(j->most, ratio);
        j->beyond += ratio < 0.33 || ratio > 3;
    }
}

// The largest step from `before` to `points`, over what the fastest bone of the pose moves by
// there; places that these bones move by less than a tenth of their fastest are compared with that.
static inline double judge_step(const judged_body *b, const judged_pose *pose, const float *before,
                                const float *points, const sn_mat4 *worlds_before,
                                const sn_mat4 *worlds) {
    uint32_t count = b->mesh->vertex_count;
    double *moves = calloc(count, sizeof *moves), fastest = 0, worst = 0;
    for (uint32_t v = 0; v < count; ++v) {
        sn_vec3 p = sn_vec3_load(before + 3 * (size_t)v);
        for (uint32_t t = 0; t < pose->count; ++t) {
            uint32_t s = pose->turns[t].segment;
            sn_mat4 back;
            sn_mat4_invert(&worlds_before[s], &back);
            sn_vec3 moved = sn_mat4_point(&worlds[s], sn_mat4_point(&back, p));
            moves[v] = fmax(moves[v], sn_vec3_distance(moved, p));
        }
        double step = sn_vec3_distance(sn_vec3_load(points + 3 * (size_t)v), p);
        fastest = fmax(fastest, step);
    }
    for (uint32_t v = 0; v < count; ++v) {
        double step = sn_vec3_distance(sn_vec3_load(points + 3 * (size_t)v),
                                       sn_vec3_load(before + 3 * (size_t)v));
        worst = fmax(worst, step / fmax(moves[v], 0.1 * fastest));
    }
    free(moves);
    return worst;
}

typedef struct judged_deformer {
    const char *name;
    const sni_deformer_ops *ops;
    double parameters[16];
    void *bound, *state;
    sni_arena arena;
    float *points, *before;
    sn_mat4 *worlds, *worlds_before;
} judged_deformer;

static inline void judge_bind(const judged_body *b, const char *name, const sni_deformer_ops *ops,
                              judged_deformer *d) {
    sni_bind_job job = {.context = b->context,
                        .mesh = b->mesh,
                        .parameters = d->parameters,
                        .skeleton = b->skeleton,
                        .rest_worlds = b->rest_worlds,
                        .inputs = {&b->weights}};
    d->name = name;
    d->ops = ops;
    snt_ok(ops->bind(&job, &d->bound, error));
    size_t bytes = ops->state_bytes != NULL ? ops->state_bytes(d->bound) : 0;
    d->state = bytes > 0 ? calloc(1, bytes) : NULL;
    d->points = calloc(3 * (size_t)b->mesh->vertex_count, sizeof(float));
    d->before = calloc(3 * (size_t)b->mesh->vertex_count, sizeof(float));
    d->worlds = calloc(b->skeleton->segment_count, sizeof *d->worlds);
    d->worlds_before = calloc(b->skeleton->segment_count, sizeof *d->worlds);
    sni_arena_init(&d->arena, b->context);
}

static inline void judge_unbind(const judged_body *b, judged_deformer *d) {
    sni_arena_deinit(&d->arena);
    d->ops->unbind(b->context, d->bound);
    free(d->state);
    free(d->points);
    free(d->before);
    free(d->worlds);
    free(d->worlds_before);
}

// Poses the skin. `first` begins anew.
static inline void judge_deform(const judged_body *b, judged_deformer *d, bool first) {
    sni_deform_job job = {.context = b->context,
                          .arena = &d->arena,
                          .vertex_count = b->mesh->vertex_count,
                          .points_in = b->mesh->positions,
                          .points_out = d->points,
                          .segment_count = b->skeleton->segment_count,
                          .worlds = d->worlds,
                          .inputs = {&b->weights},
                          .state = d->state};
    if (first && d->ops->state_reset != NULL) {
        d->ops->state_reset(d->bound, &job);
    }
    snt_ok(d->ops->deform(d->bound, &job, error));
}

// Plays a pose from rest in `frames`; what is judged is the last frame, and the steps of all.
static inline judgement judge_pose(const judged_body *b, judged_deformer *d,
                                   const judged_pose *pose, uint32_t frames) {
    judgement j = {0};
    size_t bytes = 3 * (size_t)b->mesh->vertex_count * sizeof(float);
    size_t world_bytes = b->skeleton->segment_count * sizeof *d->worlds;
    for (uint32_t k = 0; k <= frames; ++k) {
        memcpy(d->before, d->points, bytes);
        memcpy(d->worlds_before, d->worlds, world_bytes);
        judge_worlds(b, pose, (double)k / frames, d->worlds);
        judge_deform(b, d, k == 0);
        if (k > 0) {
            j.step = fmax(j.step,
                          judge_step(b, pose, d->before, d->points, d->worlds_before, d->worlds));
        }
    }
    judge_edges(b, d->points, &j);
    judge_volumes(b, d->points, &j.fill, &j.overlap, &j.turned);
    j.turned = fmax(0, j.turned - b->rest_turned);
    j.overlap = fmax(0, j.overlap - b->rest_overlap);
    j.crossings = judge_crossings(b, d->points);
    return j;
}

// ---------------------------------------------------------------------------------------------
// Bodies of files, and what is done with them

static inline void judge_take_rest(judged_body *b) {
    judged_deformer d = {.parameters = {SNI_BLEND_LINEAR}};
    judge_bind(b, "linear", &sni_deformer_blend, &d);
    memcpy(d.worlds, b->rest_worlds, b->skeleton->segment_count * sizeof *d.worlds);
    judge_deform(b, &d, true);
    size_t count = 3 * (size_t)b->mesh->vertex_count;
    b->rest = malloc(count * sizeof *b->rest);
    memcpy(b->rest, d.points, count * sizeof *b->rest);
    judge_unbind(b, &d);
    double low = 1e30, high = -1e30;
    for (uint32_t v = 0; v < b->mesh->vertex_count; ++v) {
        low = fmin(low, b->rest[3 * (size_t)v + 1]);
        high = fmax(high, b->rest[3 * (size_t)v + 1]);
    }
    b->height = high - low;
}

static inline void judge_open(const char *path, uint32_t threads, judged_body *b) {
    *b = (judged_body){.context = snt_context(threads)};
    snt_ok(sn_import_file(b->context, path, &b->import, error));
    snt_ok(sn_character_from_import(b->import, path, "judged.sinew.json", &b->character, error));
    snt_ok(sn_model_create(b->character, NULL, &b->model, error));
    for (uint32_t i = 0; i < sn_model_surface_count(b->model); ++i) {
        const sn_surface *surface = sn_model_surface(b->model, i);
        if (surface->layer == SN_LAYER_SKIN && surface->mesh->weights != NULL &&
            surface->bone_segments != NULL &&
            (b->mesh == NULL || surface->mesh->vertex_count > b->mesh->vertex_count)) {
            b->mesh = surface->mesh;
            b->weights.bone_segments = surface->bone_segments;
        }
    }
    assert_non_null(b->mesh);
    b->skeleton = sn_model_skeleton(b->model);
    b->rest_worlds = sn_model_rest_worlds(b->model);
    snt_ok(sni_stance_init(b->context, b->skeleton, &b->stance, error));
    assert_true(sni_stance_axes(&b->stance, &b->left, &b->up));
    b->forward = sn_vec3_cross(b->left, b->up);
    judge_take_rest(b);
    snt_ok(sn_triangles_create(b->mesh, b->rest, &b->triangles, error));
    judge_find_edges(b);
    judge_volumes(b, b->rest, &b->rest_union, &b->rest_overlap, &b->rest_turned);
}

static inline void judge_close(judged_body *b) {
    free(b->edges);
    free(b->rest);
    sn_triangles_destroy(b->triangles);
    sni_stance_deinit(b->context, &b->stance);
    sn_model_destroy(b->model);
    sn_character_destroy(b->character);
    sn_import_destroy(b->import);
    snt_context_end(b->context);
}

// Adds a turn of a part's first segment that takes it, or the way to `next`, towards `to`.
static inline bool judge_bend(const judged_body *b, judged_pose *pose, sni_body_part part,
                              sni_body_part next, sni_body_side side, sn_vec3 to, double degrees) {
    uint32_t segment = sni_stance_first(&b->stance, part, side);
    sn_vec3 way;
    if (segment == SN_NONE || !sni_stance_direction(&b->stance, part, next, side, &way)) {
        return false;
    }
    sn_vec3 axis = sn_vec3_normalize_or(sn_vec3_cross(way, to), b->left);
    pose->turns[pose->count++] = (judged_turn){segment, axis, degrees * SN_PI / 180};
    return true;
}

// The angle between the left arm at rest and a direction, in degrees.
static inline double judge_arm_angle(const judged_body *b, sn_vec3 to) {
    sn_vec3 way = {0, 0, 0};
    sni_stance_direction(&b->stance, SNI_BODY_UPPER_ARM, SNI_BODY_FOREARM, SNI_SIDE_LEFT, &way);
    return acos(fmin(1, fmax(-1, sn_vec3_dot(way, to)))) * 180 / SN_PI;
}

// Bends a hinge until both bones have this angle between them, on from how they are bent at rest.
static inline bool judge_fold(const judged_body *b, judged_pose *pose, sni_body_part upper,
                              sni_body_part lower, sni_body_part end, sni_body_side side,
                              sn_vec3 to, double degrees) {
    sn_vec3 above, below;
    uint32_t segment = sni_stance_first(&b->stance, lower, side);
    if (segment == SN_NONE || !sni_stance_direction(&b->stance, upper, lower, side, &above) ||
        !sni_stance_direction(&b->stance, lower, end, side, &below)) {
        return false;
    }
    double bent = acos(fmin(1, fmax(-1, sn_vec3_dot(above, below))));
    sn_vec3 axis = sn_vec3_cross(below, to);
    if (bent > 5 * SN_PI / 180) {
        axis = sn_vec3_cross(above, below);
    }
    axis = sn_vec3_normalize_or(axis, b->left);
    pose->turns[pose->count++] = (judged_turn){segment, axis, degrees * SN_PI / 180 - bent};
    return true;
}

// Bends all joints of all fingers but the thumb towards the palm, which looks down.
static inline bool judge_curl(const judged_body *b, judged_pose *pose, sni_body_side side,
                              double degrees) {
    sn_vec3 way;
    if (!sni_stance_direction(&b->stance, SNI_BODY_FOREARM, SNI_BODY_HAND, side, &way)) {
        return false;
    }
    sn_vec3 axis = sn_vec3_normalize_or(sn_vec3_cross(way, b->forward), b->left);
    // The palm looks away from the back of the hand: down for arms that stand out to the side.
    sn_vec3 palm = sn_vec3_scale(axis, sn_vec3_dot(axis, b->up) > 0 ? -1 : 1);
    sn_vec3 hinge = sn_vec3_normalize_or(sn_vec3_cross(way, palm), b->left);
    for (uint32_t i = 0; i < b->skeleton->segment_count && pose->count < JUDGED_TURNS; ++i) {
        sni_body_role role = b->stance.body.roles[i];
        if (role.side == side && role.part >= SNI_BODY_INDEX && role.part <= SNI_BODY_LITTLE) {
            uint32_t parent = b->skeleton->segments[i].parent;
            // Bones of the palm do not bend.
            bool of_palm = parent == SN_NONE || b->stance.body.roles[parent].part != role.part;
            bool is_long = sni_body_first(&b->stance.body, role.part, side) == i &&
                           b->stance.body.count[role.part][side] > 3;
            if (!(of_palm && is_long)) {
                pose->turns[pose->count++] = (judged_turn){i, hinge, degrees * SN_PI / 180};
            }
        }
    }
    return pose->count > 0;
}

// A number from `low` to `high`, from a sequence that `state` holds (D. Knuth's MMIX generator).
static inline double judge_draw(uint64_t *state, double low, double high) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(*state >> 33) / 2147483648.0);
}

// Arms and legs anywhere within about their ranges, whatever they go through there.
static inline bool judge_random(const judged_body *b, uint32_t seed, judged_pose *pose) {
    uint64_t state = (uint64_t)seed * 977 + 3;
    sn_vec3 back = sn_vec3_scale(b->forward, -1), down = sn_vec3_scale(b->up, -1);
    *pose = (judged_pose){0};
    snprintf(pose->name, sizeof pose->name, "random %u", seed);
    for (int i = 0; i < 5; ++i) {
        judge_draw(&state, 0, 1);
    }
    for (int k = SNI_SIDE_LEFT; k <= SNI_SIDE_RIGHT; ++k) {
        sni_body_side side = (sni_body_side)k;
        sn_vec3 out = sn_vec3_scale(b->left, side == SNI_SIDE_LEFT ? 1 : -1), way;
        sn_vec3 to = sn_vec3_scale(out, judge_draw(&state, -0.3, 1));
        to = sn_vec3_add_scaled(to, judge_draw(&state, -1, 1), b->up);
        to = sn_vec3_add_scaled(to, judge_draw(&state, -0.3, 1), b->forward);
        to = sn_vec3_normalize_or(to, down);
        if (!sni_stance_direction(&b->stance, SNI_BODY_UPPER_ARM, SNI_BODY_FOREARM, side, &way)) {
            return false;
        }
        double angle = acos(fmin(1, fmax(-1, sn_vec3_dot(way, to)))) * 180 / SN_PI;
        judge_bend(b, pose, SNI_BODY_UPPER_ARM, SNI_BODY_FOREARM, side, to, fmin(angle, 110));
        judge_fold(b, pose, SNI_BODY_UPPER_ARM, SNI_BODY_FOREARM, SNI_BODY_HAND, side, b->forward,
                   judge_draw(&state, 10, 145));
        judge_bend(b, pose, SNI_BODY_THIGH, SNI_BODY_SHIN, side, out, judge_draw(&state, -8, 35));
        judge_bend(b, pose, SNI_BODY_THIGH, SNI_BODY_SHIN, side, b->forward,
                   judge_draw(&state, -15, 110));
        judge_fold(b, pose, SNI_BODY_THIGH, SNI_BODY_SHIN, SNI_BODY_FOOT, side, back,
                   judge_draw(&state, 5, 140));
    }
    return true;
}

enum {
    JUDGE_ELBOW,
    JUDGE_KNEE,
    JUDGE_FINGERS,
    JUDGE_ARM_UP,
    JUDGE_ARM_DOWN,
    JUDGE_ARM_FORWARD,
    JUDGE_ARM_BACK,
    JUDGE_THIGH_FORWARD,
    JUDGE_THIGH_OUT,
    JUDGE_THIGH_IN,
    JUDGE_THIGH_BACK,
    JUDGE_SQUAT,
    JUDGE_COUNT,
};

// One of the poses; false where the body lacks the joints for it.
static inline bool judge_pose_of(const judged_body *b, int which, judged_pose *pose) {
    const sni_body_side left = SNI_SIDE_LEFT;
    const sn_vec3 back = sn_vec3_scale(b->forward, -1), down = sn_vec3_scale(b->up, -1);
    static const char *const names[JUDGE_COUNT] = {
        "elbow 145",    "knee 145",        "fingers 70",    "arm up",
        "arm down",     "arm forward 100", "arm back 30",   "thigh forward 110",
        "thigh out 45", "thigh in 25",     "thigh back 20", "squat"};
    *pose = (judged_pose){0};
    snprintf(pose->name, sizeof pose->name, "%s", names[which]);
    switch (which) {
    case JUDGE_ELBOW:
        return judge_fold(b, pose, SNI_BODY_UPPER_ARM, SNI_BODY_FOREARM, SNI_BODY_HAND, left,
                          b->forward, 145);
    case JUDGE_KNEE:
        return judge_fold(b, pose, SNI_BODY_THIGH, SNI_BODY_SHIN, SNI_BODY_FOOT, left, back, 145);
    case JUDGE_FINGERS: return judge_curl(b, pose, left, 70);
    case JUDGE_ARM_UP:
        return judge_bend(b, pose, SNI_BODY_UPPER_ARM, SNI_BODY_FOREARM, left, b->up,
                          judge_arm_angle(b, b->up) - 30);
    case JUDGE_ARM_DOWN: // until it hangs at the side
        return judge_bend(b, pose, SNI_BODY_UPPER_ARM, SNI_BODY_FOREARM, left, down,
                          judge_arm_angle(b, down) - 8);
    case JUDGE_ARM_FORWARD:
        return judge_bend(b, pose, SNI_BODY_UPPER_ARM, SNI_BODY_FOREARM, left, b->forward, 100);
    case JUDGE_ARM_BACK:
        return judge_bend(b, pose, SNI_BODY_UPPER_ARM, SNI_BODY_FOREARM, left, back, 30);
    case JUDGE_THIGH_FORWARD:
        return judge_bend(b, pose, SNI_BODY_THIGH, SNI_BODY_SHIN, left, b->forward, 110);
    case JUDGE_THIGH_OUT:
        return judge_bend(b, pose, SNI_BODY_THIGH, SNI_BODY_SHIN, left, b->left, 45);
    case JUDGE_THIGH_IN:
        return judge_bend(b, pose, SNI_BODY_THIGH, SNI_BODY_SHIN, left, sn_vec3_scale(b->left, -1),
                          25);
    case JUDGE_THIGH_BACK:
        return judge_bend(b, pose, SNI_BODY_THIGH, SNI_BODY_SHIN, left, back, 20);
    default:
        return judge_bend(b, pose, SNI_BODY_THIGH, SNI_BODY_SHIN, left, b->forward, 110) &&
               judge_bend(b, pose, SNI_BODY_SHIN, SNI_BODY_FOOT, left, back, 140);
    }
}

#endif
