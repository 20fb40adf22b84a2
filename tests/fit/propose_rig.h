// SPDX-License-Identifier: Apache-2.0
//
// A real body with its proposed muscles, and the same body without them: what the tests of
// proposals share. Include test.h first.
#ifndef SNT_FIT_PROPOSE_RIG_H
#define SNT_FIT_PROPOSE_RIG_H

#include "layout_checks.h"
#include "sinew/io.h"

enum { SNT_SKINS = 32, SNT_CURVE = 16 };

// A place of a skin: corners of a triangle and how much of each.
typedef struct snt_place {
    uint32_t vertices[3];
    double parts[3];
} snt_place;

typedef struct snt_curves {
    uint32_t skin, counts[2];
    snt_place places[2][SNT_CURVE];
} snt_curves;

typedef struct snt_rig {
    sn_context *context;
    sn_import *import;
    sn_character *character;
    sn_model *plain, *muscled;
    sn_frame *plain_frame, *muscled_frame;
    sn_muscle_layout *layout;
    uint32_t skin_count, skins[SNT_SKINS], muscled_skins[SNT_SKINS]; // surfaces
    snt_curves *curves;                                              // of each muscle
} snt_rig;

static inline void snt_rig_find_skins(snt_rig *rig, const sn_mesh **meshes, const char **names) {
    for (uint32_t i = 0; i < sn_model_surface_count(rig->plain); ++i) {
        const sn_surface *s = sn_model_surface(rig->plain, i);
        if (s->layer == SN_LAYER_SKIN && !s->in_segment_frame && s->shown) {
            assert_true(rig->skin_count < SNT_SKINS);
            meshes[rig->skin_count] = s->mesh;
            names[rig->skin_count] = s->name;
            rig->skins[rig->skin_count++] = i;
        }
    }
}

static inline void snt_rig_find_curves(snt_rig *rig, uint32_t muscle) {
    const sn_layout_muscle *m = &rig->layout->muscles[muscle];
    snt_curves *curves = &rig->curves[muscle];
    while (m->skin != NULL &&
           strcmp(m->skin, sn_model_surface(rig->plain, rig->skins[curves->skin])->name) != 0) {
        ++curves->skin;
    }
    snt_skin skin =
        snt_skin_open(rig->context, sn_model_surface(rig->plain, rig->skins[curves->skin])->mesh);
    for (int k = 0; k < 2; ++k) {
        curves->counts[k] = m->curve_counts[k];
        for (uint32_t i = 0; i < m->curve_counts[k]; ++i) {
            sn_closest closest;
            sn_accel_find_closest(skin.accel, m->curves[k][i], INFINITY, &closest);
            snt_place *place = &curves->places[k][i];
            memcpy(place->vertices, skin.triangles->vertices + 3 * (size_t)closest.triangle,
                   sizeof place->vertices);
            memcpy(place->parts, closest.barycentric, sizeof place->parts);
        }
    }
    snt_skin_close(&skin);
}

static inline snt_rig snt_rig_open(const char *file) {
    snt_rig rig = {0};
    const sn_mesh *meshes[SNT_SKINS];
    const char *names[SNT_SKINS], *path = snt_data(file);
    rig.context = snt_context(0);
    snt_ok(sn_import_file(rig.context, path, &rig.import, error));
    snt_ok(sn_character_from_import(rig.import, path, path, &rig.character, error));
    snt_ok(sn_model_create(rig.character, NULL, &rig.plain, error));
    snt_rig_find_skins(&rig, meshes, names);
    sn_propose_desc desc = sn_propose_desc_default();
    desc.skeleton = sn_model_skeleton(rig.plain);
    desc.meshes = meshes;
    desc.names = names;
    desc.mesh_count = rig.skin_count;
    snt_ok(sn_muscles_propose(rig.context, &desc, NULL, &rig.layout, error));
    snt_ok(sn_character_add_layout(rig.character, NULL, rig.layout, NULL, error));
    snt_ok(sn_model_create(rig.character, NULL, &rig.muscled, error));
    snt_ok(sn_frame_create(rig.plain, &rig.plain_frame, error));
    snt_ok(sn_frame_create(rig.muscled, &rig.muscled_frame, error));
    for (uint32_t i = 0; i < rig.skin_count; ++i) {
        rig.muscled_skins[i] = sn_model_find_surface(rig.muscled, names[i]);
    }
    rig.curves = calloc(rig.layout->muscle_count, sizeof *rig.curves);
    for (uint32_t i = 0; i < rig.layout->muscle_count; ++i) {
        snt_rig_find_curves(&rig, i);
    }
    return rig;
}

static inline void snt_rig_close(snt_rig *rig) {
    free(rig->curves);
    sn_muscle_layout_destroy(rig->layout);
    sn_frame_destroy(rig->plain_frame);
    sn_frame_destroy(rig->muscled_frame);
    sn_model_destroy(rig->plain);
    sn_model_destroy(rig->muscled);
    sn_character_destroy(rig->character);
    sn_import_destroy(rig->import);
    snt_context_end(rig->context);
}

static inline uint32_t snt_rig_find(const snt_rig *rig, const char *muscle) {
    for (uint32_t i = 0; i < rig->layout->muscle_count; ++i) {
        if (strcmp(rig->layout->muscles[i].name, muscle) == 0) {
            return i;
        }
    }
    return SN_NONE;
}

// A point of a muscle's curve on the body without muscles, as the frame has posed it.
static inline sn_vec3 snt_rig_point(const snt_rig *rig, uint32_t muscle, int curve, uint32_t i) {
    const snt_curves *curves = &rig->curves[muscle];
    const snt_place *place = &curves->places[curve][i];
    const float *points = sn_frame_points(rig->plain_frame, rig->skins[curves->skin]);
    sn_vec3 p = {0, 0, 0};
    for (int c = 0; c < 3; ++c) {
        p = sn_vec3_add_scaled(p, place->parts[c],
                               sn_vec3_load(points + 3 * (size_t)place->vertices[c]));
    }
    return p;
}

// The length of both curves.
static inline double snt_rig_length(const snt_rig *rig, uint32_t muscle) {
    double length = 0;
    for (int k = 0; k < 2; ++k) {
        for (uint32_t i = 1; i < rig->curves[muscle].counts[k]; ++i) {
            length += sn_vec3_distance(snt_rig_point(rig, muscle, k, i - 1),
                                       snt_rig_point(rig, muscle, k, i));
        }
    }
    return length;
}

static inline sn_vec3 snt_rig_middle(const snt_rig *rig, uint32_t muscle) {
    sn_vec3 sum = {0, 0, 0};
    const uint32_t *counts = rig->curves[muscle].counts;
    for (int k = 0; k < 2; ++k) {
        for (uint32_t i = 0; i < counts[k]; ++i) {
            sum = sn_vec3_add_scaled(sum, 1.0 / (counts[0] + counts[1]),
                                     snt_rig_point(rig, muscle, k, i));
        }
    }
    return sum;
}

static inline double snt_rig_control(const snt_rig *rig, const char *name) {
    uint32_t control = sn_model_find_control(rig->muscled, name);
    assert_true(control != SN_NONE);
    return sn_frame_controls(rig->muscled_frame)[control];
}

#endif
