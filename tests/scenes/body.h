// SPDX-License-Identifier: Apache-2.0
//
// Shipped bodies with an extracted skin, for what all of them have to show.
#ifndef SNT_SCENES_BODY_H
#define SNT_SCENES_BODY_H

#include "../eval/toy.h"

#include "sinew/eval.h"

#define MONKEY "examples/monkey/monkey.sinew.json"
#define HUMAN "examples/human/human.sinew.json"
#define CREATURE "docs/creature.sinew.json"

// Sanitized builds run some ten times slower: they take every so many frames, and the human only
// where it shows another code than the monkey.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BODY_SLOW 1
#else
#define BODY_SLOW 0
#endif

typedef struct body {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    uint32_t skin;       // its surface, SN_NONE where there is none
    const sn_mesh *mesh; // of the skin
    double height;       // of the skin at rest
} body;

static inline sn_character *load_body(sn_context *context, const char *document) {
    sn_character *character = NULL;
    snt_ok(sn_character_load(context, snt_source(document), &character, error));
    return character;
}

// The skin's grid, coarse enough for a test of seconds. A document without a skin gets one.
static inline void coarsen(sn_character *character, double dimension, double filter) {
    sn_json *json = sn_character_document(character);
    sn_value *extract = sn_json_find(json, "/meshes/skin/extract"), *root = sn_json_root(json);
    if (extract == NULL) {
        sn_value *meshes = sn_json_add_object(json, root, "meshes");
        sn_value *skins = sn_json_add_object(json, root, "skins");
        extract = sn_json_add_object(json, sn_json_add_object(json, meshes, "skin"), "extract");
        sn_value *skin = sn_json_add_object(json, skins, "skin");
        sn_json_add_string(json, skin, "mesh", "skin");
        sn_value *deformers = sn_json_add_array(json, skin, "deformers");
        sn_json_add_string(json, sn_json_add_object(json, deformers, NULL), "kind", "membrane");
    }
    sn_json_add_number(json, extract, "dimension", dimension);
    assert_non_null(sn_json_add_number(json, extract, "filter", filter));
}

// The skin's own relaxation without acceleration, which makes more of roundings: where skin is
// compressed, two bodies that differ by one drift apart by some 1e-5 of the height in a few points.
static inline void relax_plainly(sn_character *character) {
    sn_json *json = sn_character_document(character);
    sn_value *deformer = sn_json_find(json, "/skins/skin/deformers/0");
    assert_string_equal(sn_value_string(sn_value_get(deformer, "kind"), ""), "membrane");
    assert_non_null(sn_json_add_string(json, deformer, "accelerate", "no"));
}

// The model of a character, which it owns from now on.
static inline body make_body(sn_character *character) {
    body b = {.character = character, .skin = SN_NONE};
    snt_ok(sn_model_create(character, NULL, &b.model, error));
    snt_ok(sn_frame_create(b.model, &b.frame, error));
    b.context = sn_model_context(b.model);
    for (uint32_t i = 0; i < sn_model_surface_count(b.model) && b.skin == SN_NONE; ++i) {
        const sn_surface *surface = sn_model_surface(b.model, i);
        if (surface->layer == SN_LAYER_SKIN && surface->shown) {
            sn_vec3 low, high;
            sn_mesh_bounds(surface->mesh, &low, &high);
            b.skin = i;
            b.mesh = surface->mesh;
            b.height = high.y - low.y;
        }
    }
    return b;
}

// The same with a coarse skin of some thousand vertices, of which the thinnest parts may be lost.
static inline body make_coarse(sn_context *context, const char *document) {
    sn_character *character = load_body(context, document);
    coarsen(character, 60, 0.8);
    return make_body(character);
}

static inline body make_plain(sn_context *context, const char *document) {
    sn_character *character = load_body(context, document);
    coarsen(character, 60, 0.8);
    relax_plainly(character);
    return make_body(character);
}

static inline void end_body(body *b) {
    sn_frame_destroy(b->frame);
    sn_model_destroy(b->model);
    sn_character_destroy(b->character);
}

static inline sn_vec3 skin_point(const body *b, uint32_t vertex) {
    return sn_vec3_load(sn_frame_points(b->frame, b->skin) + 3 * (size_t)vertex);
}

// The skin as the frame stands; free it with free().
static inline float *copy_skin(const body *b) {
    size_t size = 3 * sizeof(float) * (size_t)b->mesh->vertex_count;
    float *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, sn_frame_points(b->frame, b->skin), size);
    return copy;
}

static inline sn_motion *open_clip(const body *b, uint32_t clip) {
    sn_motion *motion = NULL;
    snt_ok(sn_motion_open(b->model, sn_model_clip_name(b->model, clip), &motion, error));
    return motion;
}

// The segment that carries the whole body.
static inline uint32_t root_of(const sn_model *model) {
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    uint32_t root = SN_NONE;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (skeleton->segments[i].parent == SN_NONE) {
            assert_int_equal(root, SN_NONE);
            root = i;
        }
    }
    assert_true(root != SN_NONE);
    return root;
}

// How far the joints below the root are turned from rest, all together.
static inline double joint_turns(const body *b) {
    const sn_skeleton *skeleton = sn_model_skeleton(b->model);
    const double *parameters = sn_frame_joint_parameters(b->frame);
    double sum = 0;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        for (int k = SN_JOINT_RX; k <= SN_JOINT_RZ && skeleton->segments[i].parent != SN_NONE;
             ++k) {
            sum += fabs(parameters[9 * (size_t)i + k] - skeleton->segments[i].rest_parameters[k]);
        }
    }
    return sum;
}

// Of some frames of a motion the one whose joints are turned most.
static inline uint32_t strongest_frame(const body *b, const sn_motion *motion) {
    uint32_t count = sn_motion_frame_count(motion), step = count / 8 + 1, best = 0;
    double most = -1;
    for (uint32_t f = 0; f < count; f += step) {
        snt_ok(sn_frame_evaluate(b->frame, motion, f, error));
        double turns = joint_turns(b);
        if (turns > most) {
            most = turns;
            best = f;
        }
    }
    assert_true(most > 0.5); // radians
    return best;
}

// What a closed surface encloses, by the divergence theorem: the sum of the tetrahedra over its
// triangles, from a point of its own so that nothing is lost far away.
static inline double enclosed(const float *points, const sn_triangles *triangles) {
    sn_vec3 from = sn_vec3_load(points + 3 * (size_t)triangles->vertices[0]);
    double sum = 0;
    for (uint32_t t = 0; t < triangles->count; ++t) {
        sn_vec3 corners[3];
        for (int k = 0; k < 3; ++k) {
            const float *p = points + 3 * (size_t)triangles->vertices[3 * (size_t)t + k];
            corners[k] = sn_vec3_sub(sn_vec3_load(p), from);
        }
        sum += sn_vec3_dot(corners[0], sn_vec3_cross(corners[1], corners[2])) / 6;
    }
    return sum;
}

static inline bool is_closed(const sn_mesh *mesh) {
    sn_topology *topology = NULL;
    sn_topology_summary summary;
    snt_ok(sn_topology_create(mesh, &topology, error));
    sn_topology_summarize(mesh, topology, &summary);
    sn_topology_destroy(topology);
    return summary.closed;
}

// What a report says, as a tree of its own.
static inline sn_json *read_report_of(sn_context *context, sn_report *report) {
    const char *path = snt_scratch("report.json");
    snt_ok(sn_report_save(report, path, error));
    size_t size;
    char *text = read_bytes(path, &size);
    sn_json *json = NULL;
    snt_ok(sn_json_parse(context, text, size, &json, error));
    free(text);
    return json;
}

#endif
