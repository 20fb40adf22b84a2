// SPDX-License-Identifier: Apache-2.0
//
// Virtual anchors in a pose: parameters to points.
#include "skin/anchors_parts.h"

// Points of a block: some hundred microseconds.
enum { POSE_GRAIN = 4096 };

sn_mat4 sni_fit_affine(const sni_bound_component *bound, const float *points) {
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

// Where the parameters of a deep anchor are now, and how its frame has turned.
static sn_vec3 pose_deep(const float *vertices, const sni_deep_anchor *deep, sn_vec3 axes[3]) {
    if (deep->corners[3] != SN_NONE) {
        sni_cell cell = sni_load_cell(vertices, deep->corners);
        sni_cell_frame(&cell, deep->q, axes);
        return sni_cell_point(&cell, deep->q);
    }
    sn_vec3 point = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        point = sn_vec3_add_scaled(point, deep->q[k],
                                   sn_vec3_load(vertices + 3 * (size_t)deep->corners[k]));
    }
    sni_triangle_frame(vertices, deep->corners, axes);
    return point;
}

static void pose_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const pose_run *run = user;
    const sni_anchors *anchors = run->anchors;
    const sni_anchors_pose *pose = run->pose;
    for (size_t i = begin; i < end; ++i) {
        uint32_t owner = anchors->owners[i];
        sn_vec3 rest = sn_vec3_load(anchors->rest + 3 * i), moved = {0, 0, 0}, at;
        if (pose->points_in != NULL) {
            moved = sn_vec3_sub(sn_vec3_load(pose->points_in + 3 * i),
                                sn_vec3_load(anchors->points + 3 * i));
        }
        sn_vec3 to_centre = anchors->spheres != NULL && pose->spheres != NULL
                                ? sn_vec3_load(anchors->spheres + 4 * i)
                                : sn_vec3_make(0, 0, 0);
        double scale = 1;
        if (anchors->deep[i] == SN_NONE) {
            const sn_mat4 *map = &run->maps[owner];
            double length = sn_vec3_length(to_centre);
            at = sn_mat4_point(map, sn_vec3_add(rest, moved));
            to_centre = sn_mat4_direction(map, to_centre);
            scale = length > 0 ? sn_vec3_length(to_centre) / length : 0;
        } else {
            const sni_deep_anchor *deep = &anchors->deep_anchors[anchors->deep[i]];
            sn_vec3 axes[3], offset = sn_vec3_add(deep->residual, moved);
            at = pose_deep(pose->component_points[owner], deep, axes);
            scale = deep->scale;
            at = sn_vec3_add_scaled(at, scale, sni_turn(axes, deep->axes, offset));
            to_centre = sn_vec3_scale(sni_turn(axes, deep->axes, to_centre), scale);
        }
        sn_vec3_store(at, pose->anchors + 3 * i);
        if (anchors->spheres != NULL && pose->spheres != NULL) {
            sn_vec3_store(sn_vec3_add(at, to_centre), pose->spheres + 4 * i);
            pose->spheres[4 * i + 3] = (float)(scale * (double)anchors->spheres[4 * i + 3]);
        }
    }
}

bool sni_anchors_pose_run(const sni_anchors *anchors, sni_arena *arena,
                          const sni_anchors_pose *pose) {
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

uint32_t sni_anchors_count_inverted(const sni_anchors *anchors, const sni_anchors_pose *pose) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < anchors->point_count; ++i) {
        const sni_deep_anchor *deep =
            anchors->deep[i] != SN_NONE ? &anchors->deep_anchors[anchors->deep[i]] : NULL;
        if (deep == NULL || deep->corners[3] == SN_NONE) {
            continue;
        }
        sni_cell cell = sni_load_cell(pose->component_points[anchors->owners[i]], deep->corners);
        count += sni_cell_is_inverted(&cell, deep->q) != deep->inverted;
    }
    return count;
}
