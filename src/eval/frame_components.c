// SPDX-License-Identifier: Apache-2.0
//
// The components of a skin in the frame of the body. A body that stands far away or is turned has
// the same numbers there, up to the last bits of doubles; in the world, floats would lose what skin
// and muscles are apart.
#include "eval/model.h"

sn_mat4 sni_frame_body(const sn_frame *frame) {
    const sn_skeleton *skeleton = sn_model_skeleton(sn_frame_model(frame));
    if (skeleton->segment_count == 0) {
        return sn_mat4_identity();
    }
    // Any segment would do; a root moves least against the others.
    const sn_mat4 *world = &sn_frame_worlds(frame)[skeleton->parents_first[0]];
    sn_transform place = {.translation = {world->m[12], world->m[13], world->m[14]},
                          .rotation = sn_mat4_rotation(world),
                          .scale = {1, 1, 1}};
    return sn_mat4_from_transform(&place);
}

static sn_vec3 body_point(const double *world, const sn_mat4 *to_body) {
    return sn_mat4_point(to_body, sn_vec3_make(world[0], world[1], world[2]));
}

// Skin on a muscle with strips follows their control points.
static const float *pose_strips(const double *world, uint32_t count, const sn_mat4 *to_body,
                                sni_arena *arena) {
    float *posed = sni_arena_alloc(arena, 3 * (size_t)count, sizeof *posed);
    for (size_t i = 0; posed != NULL && i < 3 * (size_t)count; i += 3) {
        sn_vec3_store(body_point(world + i, to_body), posed + i);
    }
    return posed;
}

// The surface of a muscle follows its control points: moving these rigidly moves it rigidly.
const float *sni_frame_component(const sn_frame *frame, uint32_t number, const sn_mat4 *to_body,
                                 sni_arena *arena) {
    const sn_model *model = sn_frame_model(frame);
    const sni_bound_muscle *muscle = model->muscles[number];
    const sn_mesh *mesh = model->surfaces[model->blueprint->surface_count + number].mesh;
    const double *world = sni_frame_muscle_points(frame, number);
    if (muscle->surface.strip_count > 0) {
        return pose_strips(world, muscle->point_count, to_body, arena);
    }
    double *points = sni_arena_alloc(arena, 3 * (size_t)muscle->point_count, sizeof *points);
    float *posed = sni_arena_alloc(arena, 3 * (size_t)mesh->vertex_count, sizeof *posed);
    if (points == NULL || posed == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < 3 * (size_t)muscle->point_count; i += 3) {
        sn_vec3 point = body_point(world + i, to_body);
        points[i] = point.x;
        points[i + 1] = point.y;
        points[i + 2] = point.z;
    }
    muscle->ops->emit_points(muscle->bound, SNI_MUSCLE_STEPS, points, posed);
    return posed;
}
