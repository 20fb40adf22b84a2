// SPDX-License-Identifier: Apache-2.0
//
// A made-up character with a bit of everything: a tube on three segments that bends through a
// synergy, smiles and bulges through morph targets (one of them driven by the bend), a coat that
// the tube drives, and two bones. Its meshes come from memory.
#ifndef SNT_EVAL_TOY_H
#define SNT_EVAL_TOY_H

#include "../character/documents.h"

#include "sinew/eval.h"

#include <math.h>

enum { TOY_RINGS = 150, TOY_SIDES = 20, TOY_VERTICES = TOY_RINGS * TOY_SIDES };

static const char toy_head[] =
    "{'sinew': 1, 'name': 'toy',\n"
    "'skeleton': {'root': {}, 'upper': {'parent': 'root', 'translation': [0, 1, 0],\n"
    "'limits_deg': {'rx': [-100, 100]}}, 'lower': {'parent': 'upper', 'translation': [0, 1, 0]}},\n"
    "'meshes': {'body': {}, 'coat': {}, 'bone': {}},\n"
    "'bones': {'stick': {'mesh': 'bone', 'segment': 'upper'},\n"
    "'tip': {'mesh': 'bone', 'segment': 'lower', 'frame': 'segment'}},\n";
static const char toy_tail[] =
    "'controls': {'smile': {'high': 2}, 'bulge': {}, 'curl': {}, 'cling': {'value': 1}},\n"
    "'synergies': [{'control': 'curl', 'spread': {'upper.rx_deg': 60, 'lower.rx_deg': 90,\n"
    "'lower.ry': 0.3}}],\n"
    "'drivers': [{'control': 'bulge', 'parameter': 'lower.rx_deg', 'curve': [[0, 0], [90, 1]],\n"
    "'interpolation': 'smooth'}],\n"
    "'clips': {'move': {'rate': 24, 'frames': 240, 'tracks': {\n"
    "'curl': {'interpolation': 'smooth', 'keys': [[0, 0], [2, 1], [5, 0.25], [9, 1]]},\n"
    "'smile': {'keys': [[0, 0], [3, 2], [6, 0.5]]},\n"
    "'root.ry_deg': {'keys': [[0, 0], [10, 720]]}, 'root.tx': {'keys': [[1, 0], [4, 3]]}}}}}\n";
#define TOY_COAT                                                                                   \
    "'coat': {'mesh': 'coat', 'deformers': [{'kind': 'morph', 'driver_mesh': 'body',\n"            \
    "'driver_control': 'cling'}]}"
#define TOY_BODY "'body': {'mesh': 'body', 'deformers': [{'kind': 'morph'}, {'kind': 'blend'}]}"
#define TOY_TWIST                                                                                  \
    "'twist': {'mesh': 'body', 'deformers': [{'kind': 'blend', 'method': 'dual_quaternion'}]}"

// A tube along y from 0 to 3, or the same a little wider.
static inline sn_mesh *toy_tube(sn_context *context, const char *name, double radius) {
    uint32_t faces = (TOY_RINGS - 1) * TOY_SIDES;
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, name, TOY_VERTICES, faces, 4 * faces, &mesh, error));
    for (uint32_t v = 0; v < TOY_VERTICES; ++v) {
        double angle = 2 * SN_PI * (v % TOY_SIDES) / TOY_SIDES;
        double y = 3.0 * (v / TOY_SIDES) / (TOY_RINGS - 1);
        sn_vec3_store(sn_vec3_make(radius * cos(angle), y, radius * sin(angle)),
                      mesh->positions + 3 * (size_t)v);
    }
    for (uint32_t f = 0; f < faces; ++f) {
        uint32_t ring = f / TOY_SIDES, side = f % TOY_SIDES, next = (side + 1) % TOY_SIDES;
        mesh->face_offsets[f] = 4 * f;
        mesh->corners[4 * f] = ring * TOY_SIDES + side;
        mesh->corners[4 * f + 1] = (ring + 1) * TOY_SIDES + side;
        mesh->corners[4 * f + 2] = (ring + 1) * TOY_SIDES + next;
        mesh->corners[4 * f + 3] = ring * TOY_SIDES + next;
    }
    return mesh;
}

// Each vertex hangs on the two nearest of three bones.
static inline void toy_weigh(sn_mesh *mesh) {
    static const char *const names[] = {"root", "upper", "lower"};
    snt_ok(sn_mesh_set_weights(mesh, 3, 2 * mesh->vertex_count, false, error));
    for (uint32_t i = 0; i < 3; ++i) {
        snt_ok(sn_mesh_name_bone(mesh, i, names[i], error));
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        float y = mesh->positions[3 * (size_t)v + 1];
        uint32_t bone = y < 1.5f ? 0 : 1;
        float share = fminf(fmaxf(y - 0.5f - (float)bone, 0), 1);
        mesh->weights->offsets[v] = 2 * v;
        mesh->weights->bones[2 * v] = bone;
        mesh->weights->bones[2 * v + 1] = bone + 1;
        mesh->weights->values[2 * v] = 1 - share;
        mesh->weights->values[2 * v + 1] = share;
    }
    mesh->weights->offsets[mesh->vertex_count] = 2 * mesh->vertex_count;
}

static inline void toy_add_targets(sn_mesh *mesh) {
    sn_target *smile = NULL, *bulge = NULL;
    snt_ok(sn_mesh_add_target(mesh, "smile", mesh->vertex_count, false, &smile, error));
    smile->weight = 0;
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; ++i) {
        smile->offsets[i] = 0.05f * sinf(0.37f * (float)i);
    }
    snt_ok(sn_mesh_add_target(mesh, "bulge", mesh->vertex_count / 3, true, &bulge, error));
    bulge->weight = 0;
    for (uint32_t i = 0; i < bulge->count; ++i) {
        bulge->vertices[i] = 3 * i + 1;
        for (int k = 0; k < 3; ++k) {
            bulge->offsets[3 * (size_t)i + k] =
                0.5f * mesh->positions[3 * (size_t)bulge->vertices[i] + k];
        }
    }
}

static inline void toy_give(sn_context *context, sn_character *character) {
    sn_mesh *body = toy_tube(context, "body", 0.2);
    toy_weigh(body);
    toy_add_targets(body);
    snt_ok(sn_character_give_mesh(character, "body", body, error));
    snt_ok(sn_character_give_mesh(character, "coat", toy_tube(context, "coat", 0.25), error));
    snt_ok(sn_character_give_mesh(character, "bone", toy_tube(context, "bone", 0.05), error));
}

// The character with its skins in the order that is given.
static inline sn_character *toy_with(sn_context *context, const char *skins) {
    char text[4096];
    snprintf(text, sizeof text, "%s'skins': {%s},\n%s", toy_head, skins, toy_tail);
    sn_character *character = NULL;
    snt_ok(parse_quoted(context, "toy.sinew.json", text, &character, error));
    toy_give(context, character);
    return character;
}

// Character, model, motion and frame that belong together.
typedef struct toy {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
} toy;

static inline toy toy_make(uint32_t threads, const char *skins) {
    toy t = {.context = snt_context(threads)};
    t.character = toy_with(t.context, skins);
    snt_ok(sn_model_create(t.character, NULL, &t.model, error));
    snt_ok(sn_motion_open(t.model, "move", &t.motion, error));
    snt_ok(sn_frame_create(t.model, &t.frame, error));
    return t;
}

static inline void toy_end(toy *t) {
    sn_frame_destroy(t->frame);
    sn_motion_destroy(t->motion);
    sn_model_destroy(t->model);
    sn_character_destroy(t->character);
    snt_context_end(t->context);
}

#define TOY_ALL TOY_COAT ",\n" TOY_BODY ",\n" TOY_TWIST

// The surface of that name.
static inline uint32_t surface_of(const sn_model *model, const char *name) {
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        if (strcmp(sn_model_surface(model, i)->name, name) == 0) {
            return i;
        }
    }
    fail_msg("there is no surface %s", name);
    return 0;
}

static inline const float *points_of(const sn_frame *frame, const char *name) {
    return sn_frame_points(frame, surface_of(sn_frame_model(frame), name));
}

// FNV-1a over all that an evaluation gives.
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const uint8_t *b = bytes;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ b[i]) * 1099511628211u;
    }
    return hash;
}

static inline uint64_t hash_frame(const sn_frame *frame) {
    const sn_model *model = sn_frame_model(frame);
    uint32_t segments = sn_model_skeleton(model)->segment_count;
    uint64_t hash = 14695981039346656037u;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        uint32_t count = sn_model_surface(model, i)->mesh->vertex_count;
        hash = hash_bytes(hash, sn_frame_points(frame, i), 3 * sizeof(float) * (size_t)count);
    }
    hash = hash_bytes(hash, sn_frame_worlds(frame), segments * sizeof(sn_mat4));
    hash = hash_bytes(hash, sn_frame_locals(frame), segments * sizeof(sn_transform));
    hash = hash_bytes(hash, sn_frame_joint_parameters(frame), 9 * segments * sizeof(double));
    hash =
        hash_bytes(hash, sn_frame_controls(frame), sn_model_control_count(model) * sizeof(double));
    double time = sn_frame_time(frame);
    return hash_bytes(hash, &time, sizeof time);
}

#endif
