// SPDX-License-Identifier: Apache-2.0
//
// Skins in motion, to compare weights: the points of a mesh in each frame of a clip, and how much
// its edges are stretched and its volume is changed there.
#ifndef SNT_FIT_BIND_POSED_H
#define SNT_FIT_BIND_POSED_H

#include "test.h"

#include "motion/skeleton.h"
#include "sinew/geometry.h"
#include "sinew/io.h"

#include <math.h>

// What a motion does to a skin.
typedef struct snt_wear {
    double stretch; // root of the mean square of ln(length / rest length) over all edges and
                    // frames, each weighted by its rest length
    double torn;    // share of the edges that are longer or shorter than twice or half
    double volume;  // mean of |volume / rest volume - 1| over all frames
} snt_wear;

typedef struct snt_posed {
    const sn_mesh *mesh;
    const sn_skeleton *skeleton;
    sn_mat4 *rest;        // segment_count: inverse rest worlds
    sn_transform *locals; // segment_count
    sn_mat4 *worlds;
    float *points; // #V x 3
    sn_topology *topology;
    sn_triangles *triangles;
    uint32_t *bone_segments;
} snt_posed;

static void snt_posed_init(snt_posed *p, const sn_mesh *mesh, const sn_skeleton *skeleton) {
    sn_context *context = mesh->context;
    *p = (snt_posed){.mesh = mesh, .skeleton = skeleton};
    snt_ok(sni_skeleton_rest_worlds(context, skeleton, &p->rest, error));
    for (uint32_t s = 0; s < skeleton->segment_count; ++s) {
        sn_mat4 world = p->rest[s];
        assert_true(sn_mat4_invert(&world, &p->rest[s]));
    }
    p->locals = sni_alloc(context, skeleton->segment_count, sizeof *p->locals);
    p->worlds = sni_alloc(context, skeleton->segment_count, sizeof *p->worlds);
    p->points = sni_alloc(context, 3 * (size_t)mesh->vertex_count, sizeof *p->points);
    p->bone_segments = sni_alloc(context, mesh->weights->bone_count, sizeof *p->bone_segments);
    for (uint32_t i = 0; i < mesh->weights->bone_count; ++i) {
        p->bone_segments[i] = sni_skeleton_find(skeleton, mesh->weights->bone_names[i]);
        assert_true(p->bone_segments[i] != SN_NONE);
    }
    snt_ok(sn_topology_create(mesh, &p->topology, error));
    snt_ok(sn_triangles_create(mesh, mesh->positions, &p->triangles, error));
}

static void snt_posed_end(snt_posed *p) {
    sn_context *context = p->mesh->context;
    sni_free(context, p->rest);
    sni_free(context, p->locals);
    sni_free(context, p->worlds);
    sni_free(context, p->points);
    sni_free(context, p->bone_segments);
    sn_topology_destroy(p->topology);
    sn_triangles_destroy(p->triangles);
}

// Puts a mesh where its weights have it in the rest pose, in the world.
static void snt_settle_rest(sn_mesh *mesh, const sn_skeleton *skeleton) {
    sn_weights *w = mesh->weights;
    sn_mat4 *rest = NULL;
    if (w->inverse_bind == NULL) {
        return;
    }
    snt_ok(sni_skeleton_rest_worlds(mesh->context, skeleton, &rest, error));
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        sn_vec3 point = sn_vec3_load(mesh->positions + 3 * (size_t)v), sum = {0};
        double total = 0;
        for (uint32_t i = w->offsets[v]; i < w->offsets[v + 1]; ++i) {
            uint32_t segment = sni_skeleton_find(skeleton, w->bone_names[w->bones[i]]);
            sn_vec3 in_bone = sn_mat4_point(&w->inverse_bind[w->bones[i]], point);
            sum = sn_vec3_add_scaled(sum, w->values[i], sn_mat4_point(&rest[segment], in_bone));
            total += w->values[i];
        }
        sn_vec3_store(sn_vec3_scale(sum, 1 / total), mesh->positions + 3 * (size_t)v);
    }
    sni_free(mesh->context, rest);
    sni_free(mesh->context, w->inverse_bind);
    w->inverse_bind = NULL;
}

// Whether its triangles, seams welded, leave no edge open: the sum of their areas as vectors, seen
// from any side, is 0.
static bool snt_is_closed(const sn_mesh *mesh) {
    sn_triangles *triangles = NULL;
    sn_vec3 sum = {0, 0, 0};
    double area = 0;
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    for (uint32_t t = 0; t < triangles->count; ++t) {
        const uint32_t *v = triangles->vertices + 3 * (size_t)t;
        sn_vec3 a = sn_vec3_load(mesh->positions + 3 * (size_t)v[0]);
        sn_vec3 b = sn_vec3_sub(sn_vec3_load(mesh->positions + 3 * (size_t)v[1]), a);
        sn_vec3 c = sn_vec3_sub(sn_vec3_load(mesh->positions + 3 * (size_t)v[2]), a);
        sum = sn_vec3_add(sum, sn_vec3_cross(b, c));
        area += sn_vec3_length(sn_vec3_cross(b, c));
    }
    sn_triangles_destroy(triangles);
    return sn_vec3_length(sum) < 1e-4 * area;
}

// The local transforms of a frame of a clip that was made for the skeleton.
static void snt_pose_locals(snt_posed *p, const sn_clip *clip, double time) {
    for (uint32_t s = 0; s < p->skeleton->segment_count; ++s) {
        p->locals[s] = sni_segment_rest_local(&p->skeleton->segments[s]);
    }
    for (uint32_t t = 0; t < clip->track_count; ++t) {
        const sn_track *track = &clip->tracks[t];
        uint32_t s = sni_skeleton_find(p->skeleton, track->target);
        double v[4];
        if (s == SN_NONE || track->kind == SN_TRACK_PARAMETER) {
            continue;
        }
        sn_track_sample(track, time, v);
        if (track->kind == SN_TRACK_TRANSLATION) {
            p->locals[s].translation = sn_vec3_make(v[0], v[1], v[2]);
        } else if (track->kind == SN_TRACK_ROTATION) {
            p->locals[s].rotation = (sn_quat){v[0], v[1], v[2], v[3]};
        } else {
            p->locals[s].scale = sn_vec3_make(v[0], v[1], v[2]);
        }
    }
}

// Linear blend skinning with the mesh's weights.
static void snt_pose_points(snt_posed *p) {
    const sn_weights *w = p->mesh->weights;
    sni_skeleton_world(p->skeleton, p->locals, p->worlds);
    for (uint32_t s = 0; s < p->skeleton->segment_count; ++s) {
        p->worlds[s] = sn_mat4_multiply(&p->worlds[s], &p->rest[s]);
    }
    for (uint32_t v = 0; v < p->mesh->vertex_count; ++v) {
        sn_vec3 rest = sn_vec3_load(p->mesh->positions + 3 * (size_t)v), sum = {0};
        double total = 0;
        for (uint32_t i = w->offsets[v]; i < w->offsets[v + 1]; ++i) {
            sn_vec3 moved = sn_mat4_point(&p->worlds[p->bone_segments[w->bones[i]]], rest);
            sum = sn_vec3_add_scaled(sum, w->values[i], moved);
            total += w->values[i];
        }
        sn_vec3_store(sn_vec3_scale(sum, 1 / total), p->points + 3 * (size_t)v);
    }
}

static double snt_volume(const snt_posed *p, const float *points) {
    double volume = 0;
    for (uint32_t t = 0; t < p->triangles->count; ++t) {
        const uint32_t *v = p->triangles->vertices + 3 * (size_t)t;
        sn_vec3 a = sn_vec3_load(points + 3 * (size_t)v[0]);
        sn_vec3 b = sn_vec3_load(points + 3 * (size_t)v[1]);
        sn_vec3 c = sn_vec3_load(points + 3 * (size_t)v[2]);
        volume += sn_vec3_dot(a, sn_vec3_cross(b, c)) / 6;
    }
    return volume;
}

// Adds what the present points do to `wear`; `weights` adds up what edges count.
static void snt_wear_add(const snt_posed *p, snt_wear *wear, double *weights) {
    for (uint32_t e = 0; e < p->topology->edge_count; ++e) {
        const uint32_t *v = p->topology->edges + 2 * (size_t)e;
        double rest = sn_vec3_distance(sn_vec3_load(p->mesh->positions + 3 * (size_t)v[0]),
                                       sn_vec3_load(p->mesh->positions + 3 * (size_t)v[1]));
        double now = sn_vec3_distance(sn_vec3_load(p->points + 3 * (size_t)v[0]),
                                      sn_vec3_load(p->points + 3 * (size_t)v[1]));
        if (rest > 0) {
            double ratio = log(fmax(now / rest, 1e-3));
            wear->stretch += rest * ratio * ratio;
            wear->torn += rest * (fabs(ratio) > log(2));
            *weights += rest;
        }
    }
    double rest = snt_volume(p, p->mesh->positions);
    wear->volume += fabs(snt_volume(p, p->points) / rest - 1);
}

// The wear of a clip, every `step`th frame of which counts.
static snt_wear snt_wear_of(const sn_mesh *mesh, const sn_skeleton *skeleton, const sn_clip *clip,
                            uint32_t step) {
    snt_posed p;
    snt_wear wear = {0};
    double weights = 0;
    uint32_t frames = 0;
    snt_posed_init(&p, mesh, skeleton);
    for (uint32_t f = 0; f < clip->frame_count; f += step, ++frames) {
        snt_pose_locals(&p, clip, f / clip->rate);
        snt_pose_points(&p);
        snt_wear_add(&p, &wear, &weights);
    }
    snt_posed_end(&p);
    wear.stretch = sqrt(wear.stretch / weights);
    wear.torn /= weights;
    wear.volume /= frames;
    return wear;
}

#endif
