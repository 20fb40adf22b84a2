// SPDX-License-Identifier: Apache-2.0
//
// Virtual anchors in a pose: parameters to points.
#include "skin/anchors_internal.h"

#include "geometry/triangle.h"

// Points of a block: some hundred microseconds.
enum { POSE_GRAIN = 512 };

sn_mat4 sni_fit_affine(const sni_bound_component *bound, const float *points) {
    SN_ASSERT(bound->factors != NULL && points != NULL);
    sn_mat4 map = sn_mat4_identity();
    sn_vec3 mean = {0, 0, 0};
    for (size_t i = 0; i < bound->vertex_count; ++i) {
        mean = sn_vec3_add_scaled(mean, 1.0 / bound->vertex_count, sn_vec3_load(points + 3 * i));
    }
    for (int k = 0; k < 3; ++k) {
        map.m[5 * k] = 0;
    }
    for (size_t i = 0; i < bound->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_sub(sn_vec3_load(points + 3 * i), mean);
        const double v[3] = {p.x, p.y, p.z};
        for (size_t a = 0; a < 9; ++a) {
            map.m[4 * (a / 3) + a % 3] += v[a % 3] * (double)bound->factors[3 * i + a / 3];
        }
    }
    sn_vec3 offset = sn_vec3_sub(mean, sn_mat4_direction(&map, bound->mean));
    map.m[12] = offset.x;
    map.m[13] = offset.y;
    map.m[14] = offset.z;
    return map;
}

static void find_maps(const sni_anchors *anchors, const sni_anchors_pose *pose, sn_mat4 *maps) {
    for (uint32_t i = 0; i < anchors->component_count; ++i) {
        const sni_bound_component *bound = &anchors->components[i];
        if (bound->kind == SNI_ANCHOR_RIGID) {
            maps[i] = sn_mat4_multiply(&pose->worlds[bound->segment], &bound->to_segment);
            maps[i] = pose->to_frame != NULL ? sn_mat4_multiply(pose->to_frame, &maps[i]) : maps[i];
        } else if (bound->kind == SNI_ANCHOR_AFFINE) {
            maps[i] = sni_fit_affine(bound, pose->component_points[i]);
        }
    }
}

typedef struct pose_run {
    const sni_anchors *anchors;
    const sni_anchors_pose *pose;
    const sn_mat4 *maps; // component_count; of those that are rigid or affine
} pose_run;

// Where the parameters of a deep anchor are now, and, where `turns`, how its frame has turned.
static sn_vec3 pose_deep(const float *vertices, const sni_deep_anchor *deep, bool turns,
                         sn_vec3 axes[3]) {
    if (deep->corners[3] != SN_NONE) {
        sni_cell cell = sni_load_cell(vertices, deep->corners);
        if (turns) {
            sni_cell_frame(&cell, deep->q, axes);
        }
        return sni_cell_point(&cell, deep->q);
    }
    sn_vec3 point = {0, 0, 0}, corners[3];
    sni_triangle_corners(vertices, deep->corners, corners);
    for (int k = 0; k < 3; ++k) {
        point = sn_vec3_add_scaled(point, deep->q[k], corners[k]);
    }
    sni_triangle_frame(corners, axes);
    return point;
}

// A virtual anchor as one of its ties has it, and a vector from it.
typedef struct posed_tie {
    sn_vec3 at, vector;
    double scale; // of lengths
} posed_tie;

static posed_tie pose_tie(const pose_run *run, const sni_tie *tie, sn_vec3 rest, sn_vec3 moved,
                          sn_vec3 vector) {
    const sni_anchors *anchors = run->anchors;
    if (tie->deep == SN_NONE) {
        const sn_mat4 *map = &run->maps[tie->component];
        double length = sn_vec3_length(vector);
        sn_vec3 turned = sn_mat4_direction(map, vector);
        return (posed_tie){.at = sn_mat4_point(map, sn_vec3_add(rest, moved)),
                           .vector = turned,
                           .scale = length > 0 ? sn_vec3_length(turned) / length : 0};
    }
    const sni_deep_anchor *deep = &anchors->deep_anchors[tie->deep];
    sn_vec3 axes[3], offset = sn_vec3_add(deep->residual, moved);
    bool turns = sn_vec3_dot(offset, offset) > 0 || sn_vec3_dot(vector, vector) > 0;
    sn_vec3 at = pose_deep(run->pose->component_points[tie->component], deep, turns, axes);
    if (!turns) { // most points lie in their cells
        return (posed_tie){.at = at, .vector = vector, .scale = deep->scale};
    }
    return (posed_tie){.at =
                           sn_vec3_add_scaled(at, deep->scale, sni_turn(axes, deep->axes, offset)),
                       .vector = sn_vec3_scale(sni_turn(axes, deep->axes, vector), deep->scale),
                       .scale = deep->scale};
}

// The sphere of a point's own component. Where the other ties draw the virtual anchor inwards it
// gives way, but not below the component's surface.
static void pose_sphere(const float *sphere, const posed_tie *own, sn_vec3 at, float *posed) {
    sn_vec3 centre = sn_vec3_add(own->at, own->vector);
    double radius = own->scale * (double)sphere[3], surface = own->scale * (double)sphere[4];
    double distance = sn_vec3_distance(at, centre);
    if (distance < radius) {
        radius = distance > surface ? distance : surface;
    }
    sn_vec3_store(centre, posed);
    posed[3] = (float)radius;
}

static void pose_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const pose_run *run = user;
    const sni_anchors *anchors = run->anchors;
    const sni_anchors_pose *pose = run->pose;
    bool spheres = anchors->spheres != NULL && pose->spheres != NULL;
    for (size_t i = begin; i < end; ++i) {
        const sni_tie *ties = anchors->ties + anchors->tie_starts[i];
        uint32_t count = anchors->tie_starts[i + 1] - anchors->tie_starts[i];
        sn_vec3 rest = sn_vec3_load(anchors->rest + 3 * i), moved = {0, 0, 0};
        if (pose->points_in != NULL) {
            moved = sn_vec3_sub(sn_vec3_load(pose->points_in + 3 * i),
                                sn_vec3_load(anchors->points + 3 * i));
        }
        sn_vec3 to_centre =
            spheres ? sn_vec3_load(anchors->spheres + 5 * i) : sn_vec3_make(0, 0, 0);
        posed_tie own = pose_tie(run, &ties[0], rest, moved, to_centre);
        sn_vec3 at = own.at;
        for (uint32_t k = 1; k < count; ++k) {
            posed_tie other = pose_tie(run, &ties[k], rest, moved, sn_vec3_make(0, 0, 0));
            at = sn_vec3_add_scaled(at, (double)ties[k].weight, sn_vec3_sub(other.at, own.at));
        }
        sn_vec3_store(at, pose->anchors + 3 * i);
        if (spheres) {
            pose_sphere(anchors->spheres + 5 * i, &own, at, pose->spheres + 4 * i);
        }
    }
}

bool sni_anchors_pose_run(const sni_anchors *anchors, sni_arena *arena,
                          const sni_anchors_pose *pose) {
    SN_ASSERT(anchors->point_count == 0 || pose->anchors != NULL);
    SN_ASSERT(anchors->segment_count == 0 || pose->worlds != NULL);
    sni_arena_mark mark = sni_arena_mark_now(arena);
    sn_mat4 *maps = sni_arena_alloc(arena, anchors->component_count, sizeof *maps);
    if (maps == NULL) {
        return false;
    }
    find_maps(anchors, pose, maps);
    pose_run run = {.anchors = anchors, .pose = pose, .maps = maps};
    sn_parallel_for(anchors->context, anchors->point_count, POSE_GRAIN, pose_block, &run);
    sni_arena_release(arena, mark);
    return true;
}
