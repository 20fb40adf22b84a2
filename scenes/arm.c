// SPDX-License-Identifier: Apache-2.0
//
// The character `arm`: document and model file.
#include "scenes/arm.h"

#include "scenes/arm_shape.h"
#include "scenes/documents.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

static const char model_file[] = "arm.glb";

// Half of the pronation each, so that the forearm twists evenly.
static const scn_spread pronation[] = {{"forearm_mid.ry", 40}, {"forearm_end.ry", 40}};

static const scn_spread fist[] = {
    {"index_1.rx", 62},  {"index_2.rx", 80},  {"index_3.rx", 48},  {"middle_1.rx", 62},
    {"middle_2.rx", 80}, {"middle_3.rx", 48}, {"ring_1.rx", 60},   {"ring_2.rx", 78},
    {"ring_3.rx", 48},   {"little_1.rx", 58}, {"little_2.rx", 76}, {"little_3.rx", 48},
    {"thumb_1.rx", 16},  {"thumb_2.rx", 30},  {"thumb_3.rx", 45},
};

// Both curves of the biceps, from the shoulder down.
enum { BICEPS_POINTS = 6 };
static const sn_vec3 biceps[2][BICEPS_POINTS] = {
    {{0.2628, 1.3907, 0.0402},
     {0.2952, 1.3648, 0.0335},
     {0.3238, 1.3379, 0.0311},
     {0.3465, 1.3130, 0.0386},
     {0.3708, 1.2818, 0.0373},
     {0.3840, 1.2561, 0.0366}},
    {{0.2351, 1.3630, 0.0446},
     {0.2548, 1.3251, 0.0416},
     {0.2805, 1.2946, 0.0395},
     {0.3079, 1.2738, 0.0454},
     {0.3423, 1.2522, 0.0408},
     {0.3695, 1.2411, 0.0376}},
};

static sn_status add_biceps(sn_context *context, sn_character *character, sn_error *error) {
    // The belly goes up, the skin over the insertion hardly. The elbow's angle is in degrees.
    static const char keys[] =
        "{\"segment\": \"upper_arm\", \"skin_thickness\": 0.003, \"muscle_thickness\": 0.016, "
        "\"bulge\": 0.8, \"slide\": 0.08, \"d_full\": 0.02, \"d_none\": 0.055, "
        "\"driver\": {\"parameter\": \"forearm.rx_deg\", \"curve\": [[0, 0], [140, 1]]}}";
    const sn_vec3 *const curves[2] = {biceps[0], biceps[1]};
    return scn_add_muscle(context, character, "biceps", keys, curves, BICEPS_POINTS, error);
}

static sn_status describe(sn_context *context, sn_character *character, const scn_arm *arm,
                          const scn_arm_bone *bones, sn_error *error) {
    sn_json *json = sn_character_document(character);
    sn_json_add_string(json, sn_json_root(json), "about",
                       "A left arm, shoulder to hand: 21 segments, 32 bones, a biceps, one skin.");
    scn_add_skeleton(json, arm->segments, SCN_ARM_SEGMENTS);
    scn_add_mesh(json, "skin", model_file);
    for (uint32_t i = 0; i < SCN_ARM_BONES; ++i) {
        scn_add_mesh(json, bones[i].mesh->name, model_file);
    }
    for (uint32_t i = 0; i < SCN_ARM_BONES; ++i) {
        scn_add_bone(json, bones[i].mesh->name, arm->segments[bones[i].segment].name);
    }
    scn_add_blended_skin(json, "skin", "dual_quaternion");
    scn_add_synergy(json, "pronation", -1, 1, "Turns the palm down (1) or up (-1).", pronation,
                    COUNT(pronation));
    scn_add_synergy(json, "fist", 0, 1, "Closes the hand.", fist, COUNT(fist));
    scn_add_control(json, "biceps", "Contracts the biceps; the elbow drives it.", NULL);
    sn_status status = add_biceps(context, character, error);
    for (uint32_t i = 0; scn_arm_clips()[i].name != NULL; ++i) {
        scn_add_clip(json, &scn_arm_clips()[i], scn_arm_clips()[i].about);
    }
    return status;
}

static sn_status write_model(sn_context *context, const char *folder, const scn_arm *arm,
                             sn_mesh *skin, const scn_arm_bone *bones, sn_error *error) {
    const sn_mesh *meshes[1 + SCN_ARM_BONES] = {skin};
    sn_status status = scn_paint(skin, "skin", 0.62f, 0.36f, 0.26f, 0.55f, error);
    for (uint32_t i = 0; i < SCN_ARM_BONES && status == SN_OK; ++i) {
        status = scn_paint(bones[i].mesh, "bone", 0.80f, 0.74f, 0.60f, 0.7f, error);
        meshes[1 + i] = bones[i].mesh;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, model_file);
    if (status == SN_OK) {
        status = scn_write_model(context, path, arm->segments, SCN_ARM_SEGMENTS, meshes,
                                 1 + SCN_ARM_BONES, error);
    }
    return status;
}

static sn_status write_document(sn_context *context, const char *folder, const scn_arm *arm,
                                const scn_arm_bone *bones, sn_error *error) {
    sn_character *character = NULL;
    sn_status status = sn_character_create(context, "arm", &character, error);
    if (status == SN_OK) {
        status = describe(context, character, arm, bones, error);
    }
    if (status == SN_OK) {
        status = scn_save(character, folder, error);
    }
    sn_character_destroy(character);
    return status;
}

sn_status scn_arm_build(sn_context *context, const char *folder, sn_error *error) {
    scn_arm arm;
    sn_mesh *skin = NULL;
    scn_arm_bone bones[SCN_ARM_BONES] = {{0}};
    scn_arm_layout(&arm);
    sn_status status = scn_arm_skin(context, &arm, &skin, error);
    if (status == SN_OK) {
        status = scn_arm_bones(context, &arm, bones, error);
    }
    if (status == SN_OK) {
        status = write_model(context, folder, &arm, skin, bones, error);
    }
    if (status == SN_OK) {
        status = write_document(context, folder, &arm, bones, error);
    }
    sn_mesh_destroy(skin);
    for (uint32_t i = 0; i < SCN_ARM_BONES; ++i) {
        sn_mesh_destroy(bones[i].mesh);
    }
    return status;
}
