// SPDX-License-Identifier: Apache-2.0
#include "scenes/thighs.h"

#include "scenes/documents.h"
#include "scenes/modeller.h"

#include "sinew/fit.h"

#include <stdio.h>

static const char model_file[] = "thighs.glb";

enum { PAIR_COUNT = 2, PAIR_SEGMENTS = 5, SEGMENT_COUNT = PAIR_COUNT * PAIR_SEGMENTS };
enum { DRIVER_FACES = 700, LIMB_COUNT = 3 };

// Metres between the pairs, and the size of a quad of the skins.
static const double pair_distance = 0.46, quad_size = 0.009;

typedef struct pair {
    const char *skin, *driver;
    const char *segments[PAIR_SEGMENTS];
    double reach;
    sn_mesh *skin_mesh, *driver_mesh;
} pair;

// Thighs stand 14 mm apart at their narrowest.
static const scn_part parts[] = {
    {"pelvis",
     SCN_ADD,
     0,
     0,
     SCN_ACROSS_Y,
     0,
     0,
     3,
     {{-75, 830, 0, 75, 85}, {0, 850, 0, 85, 90}, {75, 830, 0, 75, 85}}},
    {"left",
     SCN_ADD,
     0,
     1,
     SCN_ACROSS_X,
     0,
     20,
     3,
     {{84, 800, 0, 76, 82}, {79, 640, 0, 72, 76}, {72, 430, 0, 60, 60}}},
    {"right",
     SCN_ADD,
     0,
     2,
     SCN_ACROSS_X,
     0,
     20,
     3,
     {{-84, 800, 0, 76, 82}, {-79, 640, 0, 72, 76}, {-72, 430, 0, 60, 60}}},
};

static void lay_out(const pair *pairs, scn_segment *segments, scn_frame *frames) {
    // Pelvis, hips, knees. Thighs point down.
    static const double sides[PAIR_SEGMENTS] = {0, 0.084, -0.084, 0.072, -0.072};
    static const double heights[PAIR_SEGMENTS] = {0.83, 0.81, 0.81, 0.40, 0.40};
    static const uint32_t parents[PAIR_SEGMENTS] = {SN_NONE, 0, 0, 1, 2};
    for (uint32_t i = 0; i < SEGMENT_COUNT; ++i) {
        uint32_t p = i / PAIR_SEGMENTS, k = i % PAIR_SEGMENTS;
        double middle = ((double)p - 0.5) * pair_distance, up = k > 0 ? -1 : 1;
        frames[p] = (scn_frame){{middle, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        segments[i] = (scn_segment){
            .name = pairs[p].segments[k],
            .parent = k > 0 ? p * PAIR_SEGMENTS + parents[k] : SN_NONE,
            .rest = {{middle + sides[k], heights[k], 0}, {up, 0, 0}, {0, up, 0}, {0, 0, 1}},
            .order = SN_ROTATION_XYZ,
            .limits_deg = {{-90, 120}, {-60, 60}, {-60, 60}},
        };
    }
}

static sn_status make_skin(sn_context *context, const scn_frame *frame, pair *p, sn_error *error) {
    scn_builder builder;
    scn_field *field = scn_field_create(parts, sizeof parts / sizeof parts[0], frame, 15, 0.5);
    scn_builder_init(&builder);
    bool is_made = field != NULL && scn_field_mesh(field, quad_size, &builder);
    sn_status status = is_made
                           ? scn_builder_finish(&builder, context, p->skin, &p->skin_mesh, error)
                           : scn_fail_memory(error);
    scn_builder_deinit(&builder);
    scn_field_destroy(field);
    return status;
}

// Each side hangs on its own thigh below the hip, whatever is nearest to it.
static sn_status weigh(pair *p, double middle, sn_error *error) {
    sn_mesh *mesh = p->driver_mesh;
    sn_status status = sn_mesh_set_weights(mesh, LIMB_COUNT, 2 * mesh->vertex_count, false, error);
    for (uint32_t i = 0; i < LIMB_COUNT && status == SN_OK; ++i) {
        status = sn_mesh_name_bone(mesh, i, p->segments[i], error);
    }
    for (uint32_t i = 0; i < mesh->vertex_count && status == SN_OK; ++i) {
        const float *position = mesh->positions + 3 * (size_t)i;
        sn_weights *weights = mesh->weights;
        double pelvis = scn_smooth_step(0.74, 0.84, position[1]);
        weights->offsets[i] = 2 * i;
        weights->offsets[i + 1] = 2 * i + 2;
        weights->bones[2 * i] = 0;
        weights->bones[2 * i + 1] = position[0] > middle ? 1 : 2;
        weights->values[2 * i] = (float)pelvis;
        weights->values[2 * i + 1] = (float)(1 - pelvis);
    }
    return status;
}

static sn_status make_driver(sn_context *context, const sn_skeleton *skeleton, double middle,
                             pair *p, sn_error *error) {
    sn_driver_mesh_desc desc = sn_driver_mesh_desc_default();
    desc.name = p->driver;
    desc.mesh_count = 1;
    desc.meshes = (const sn_mesh *const *)&p->skin_mesh;
    desc.skeleton = skeleton;
    desc.segments = p->segments;
    desc.segment_count = LIMB_COUNT;
    desc.face_count = DRIVER_FACES;
    desc.joint_detail = 1;
    sn_status status = sn_driver_mesh_create(context, &desc, NULL, &p->driver_mesh, NULL, error);
    return status == SN_OK ? weigh(p, middle, error) : status;
}

static void describe(sn_json *json, const pair *pairs, const scn_segment *segments) {
    static const scn_key spread[] = {{0, 0}, {1, -22}};
    static const scn_track tracks[] = {{"right_apart.rz", 2, spread},
                                       {"right_together.rz", 2, spread}};
    static const scn_clip clip = {"spread", 30, 31, 2, tracks, NULL};
    sn_json_add_string(json, sn_json_root(json), "about",
                       "Thighs that drivers move, with and without separation.");
    scn_add_skeleton(json, segments, SEGMENT_COUNT);
    for (int i = 0; i < PAIR_COUNT; ++i) {
        scn_add_mesh(json, pairs[i].skin, model_file);
        scn_add_mesh(json, pairs[i].driver, model_file);
    }
    for (int i = 0; i < PAIR_COUNT; ++i) {
        scn_add_blended_skin(json, pairs[i].driver, "linear");
        scn_add_wrapped_skin(json, pairs[i].skin, pairs[i].driver, pairs[i].reach);
    }
    scn_add_clip(json, &clip, "The right thighs move aside.");
}

static sn_status write_document(sn_context *context, const char *folder, const pair *pairs,
                                const scn_segment *segments, sn_error *error) {
    sn_character *character = NULL;
    sn_status status = sn_character_create(context, "thighs", &character, error);
    if (status == SN_OK) {
        describe(sn_character_document(character), pairs, segments);
        status = scn_save(character, folder, error);
    }
    sn_character_destroy(character);
    return status;
}

static sn_status write_model(sn_context *context, const char *folder, const pair *pairs,
                             const scn_segment *segments, sn_error *error) {
    const sn_mesh *meshes[2 * PAIR_COUNT];
    char path[4096];
    sn_status status = SN_OK;
    snprintf(path, sizeof path, "%s/%s", folder, model_file);
    for (int i = 0; i < PAIR_COUNT && status == SN_OK; ++i) {
        status = scn_paint(pairs[i].skin_mesh, "skin", 0.62f, 0.36f, 0.26f, 0.55f, error);
        meshes[2 * i] = pairs[i].skin_mesh;
        meshes[2 * i + 1] = pairs[i].driver_mesh;
    }
    return status == SN_OK ? scn_write_model(context, path, segments, SEGMENT_COUNT, meshes,
                                             2 * PAIR_COUNT, error)
                           : status;
}

sn_status scn_thighs_build(sn_context *context, const char *folder, sn_error *error) {
    pair pairs[PAIR_COUNT] = {
        {.skin = "apart",
         .driver = "apart_driver",
         .segments = {"pelvis_apart", "left_apart", "right_apart", "left_knee_apart",
                      "right_knee_apart"},
         .reach = 3},
        {.skin = "together",
         .driver = "together_driver",
         .segments = {"pelvis_together", "left_together", "right_together", "left_knee_together",
                      "right_knee_together"},
         .reach = 0},
    };
    scn_segment segments[SEGMENT_COUNT];
    scn_frame frames[PAIR_COUNT];
    sn_segment made[SEGMENT_COUNT];
    uint32_t order[SEGMENT_COUNT];
    sn_status status = SN_OK;
    lay_out(pairs, segments, frames);
    sn_skeleton skeleton = scn_skeleton(segments, SEGMENT_COUNT, made, order);
    for (int i = 0; i < PAIR_COUNT && status == SN_OK; ++i) {
        status = make_skin(context, &frames[i], &pairs[i], error);
        status = status == SN_OK
                     ? make_driver(context, &skeleton, frames[i].origin.x, &pairs[i], error)
                     : status;
    }
    status = status == SN_OK ? write_model(context, folder, pairs, segments, error) : status;
    status = status == SN_OK ? write_document(context, folder, pairs, segments, error) : status;
    for (int i = 0; i < PAIR_COUNT; ++i) {
        sn_mesh_destroy(pairs[i].skin_mesh);
        sn_mesh_destroy(pairs[i].driver_mesh);
    }
    return status;
}
