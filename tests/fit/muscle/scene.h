// SPDX-License-Identifier: Apache-2.0
#ifndef SNT_FIT_MUSCLE_SCENE_H
#define SNT_FIT_MUSCLE_SCENE_H

#include "shapes.h"
#include "sinew/fit.h"

// A muscle among bones: small balls on the segments of a chain 0 - 1 - 2.
typedef struct scene {
    sn_context *context;
    sn_mesh *mesh;
    sn_fit_bone bones[4];
    uint32_t parents[3];
    sn_fit_place places[8];
    sn_muscle_fit_desc desc;
    sn_muscle_fit *fit;
} scene;

static const double ball_sizes[3] = {0.01, 0.01, 0.01};

static inline void move_mesh(sn_mesh *mesh, const sn_mat4 *place) {
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        float *p = mesh->positions + 3 * (size_t)i;
        sn_vec3_store(sn_mat4_point(place, sn_vec3_load(p)), p);
    }
}

static inline sn_mat4 moved_to(sn_vec3 place) {
    sn_transform t = {place, {0, 0, 0, 1}, {1, 1, 1}};
    return sn_mat4_from_transform(&t);
}

static inline void add_bone(scene *s, uint32_t segment, sn_vec3 place) {
    sn_mesh *mesh = snt_tube(s->context, 12, 12, snt_spindle, ball_sizes);
    sn_mat4 matrix = moved_to(place);
    move_mesh(mesh, &matrix);
    s->bones[s->desc.bone_count++] = (sn_fit_bone){"ball", mesh, segment};
}

static inline void add_place(scene *s, uint32_t bone, sn_vec3 point) {
    s->places[s->desc.place_count++] = (sn_fit_place){bone, point};
}

static inline void begin(scene *s, uint32_t threads) {
    *s = (scene){.context = snt_context(threads), .parents = {SN_NONE, 0, 1}};
    s->desc = sn_muscle_fit_desc_default();
    s->desc.segment_count = 3;
}

static inline void fit(scene *s) {
    s->desc.mesh = s->mesh;
    s->desc.bones = s->bones;
    s->desc.segment_parents = s->parents;
    s->desc.places = s->places;
    sn_muscle_fit_destroy(s->fit);
    s->fit = NULL;
    snt_ok(sn_fit_muscle(s->context, &s->desc, &s->fit, error));
}

static inline void end(scene *s) {
    for (uint32_t i = 0; i < s->desc.bone_count; ++i) {
        sn_mesh_destroy((sn_mesh *)s->bones[i].mesh);
    }
    sn_mesh_destroy(s->mesh);
    sn_muscle_fit_destroy(s->fit);
    snt_context_end(s->context);
}

// A spindle of 20 cm along y between two balls, on segments 0 (below) and 1.
static inline void begin_spindle(scene *s) {
    static const double sizes[3] = {0.03, 0.1, 0.015};
    begin(s, 2);
    s->mesh = snt_tube(s->context, 24, 24, snt_spindle, sizes);
    add_bone(s, 0, sn_vec3_make(0, -0.115, 0));
    add_bone(s, 1, sn_vec3_make(0, 0.115, 0));
}

#endif
