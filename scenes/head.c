// SPDX-License-Identifier: Apache-2.0
//
// The character `head`: document and model files. As with the rex, head.obj has the skin's quads
// and head.glb its weights.
#include "scenes/head.h"

#include "scenes/head_shape.h"
#include "sinew/io.h"

#include <stdio.h>
#include <string.h>

static const char model_file[] = "head.glb", polygon_file[] = "head.obj";

enum { SKIN, LEFT_EYE, RIGHT_EYE, CRANIUM, MANDIBLE, UPPER_TEETH, LOWER_TEETH, TONGUE, PARTS };

enum { HEAD, JAW, EYE_LEFT, EYE_RIGHT, SEGMENTS };

static void lay_out(scn_segment segments[SEGMENTS]) {
    const sn_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    sn_vec3 eye = sn_vec3_scale(scn_head_eyeball().center, SCN_MM);
    sn_vec3 other = {-eye.x, eye.y, eye.z};
    segments[HEAD] = (scn_segment){.name = "head",
                                   .parent = SN_NONE,
                                   .rest = {{0, 0, 0}, x, y, z},
                                   .limits_deg = {{-40, 40}, {-70, 70}, {-35, 35}}};
    segments[JAW] = (scn_segment){.name = "jaw",
                                  .parent = HEAD,
                                  .rest = {{0, 0.012, 0.024}, x, y, z},
                                  .limits_deg = {{0, 32}, {-8, 8}, {-3, 3}}};
    segments[EYE_LEFT] = (scn_segment){.name = "eye.L",
                                       .parent = HEAD,
                                       .rest = {eye, x, y, z},
                                       .limits_deg = {{-30, 35}, {-40, 40}, {-5, 5}}};
    segments[EYE_RIGHT] = segments[EYE_LEFT];
    segments[EYE_RIGHT].name = "eye.R";
    segments[EYE_RIGHT].rest.origin = other;
}

static sn_status describe(sn_character *character, const scn_segment *segments,
                          sn_mesh *const *meshes) {
    sn_json *json = sn_character_document(character);
    sn_json_add_string(json, sn_json_root(json), "about", "A head.");
    scn_add_skeleton(json, segments, SEGMENTS);
    scn_add_polygon_mesh(json, "skin", polygon_file, NULL);
    scn_add_mesh(json, meshes[LEFT_EYE]->name, model_file);
    scn_add_mesh(json, meshes[RIGHT_EYE]->name, model_file);
    scn_add_mesh(json, "cranium", model_file);
    scn_add_mesh(json, "mandible", model_file);
    scn_add_bone(json, "cranium", "head");
    scn_add_bone(json, "mandible", "jaw");
    scn_add_mesh(json, "upper teeth", model_file);
    scn_add_mesh(json, "lower teeth", model_file);
    scn_add_mesh(json, "tongue", model_file);
    scn_add_bone(json, "upper teeth", "head");
    scn_add_bone(json, "lower teeth", "jaw");
    scn_add_bone(json, "tongue", "jaw");
    scn_add_carried_skin(json, "skin", "head");
    scn_add_carried_skin(json, meshes[LEFT_EYE]->name, "eye.L");
    scn_add_carried_skin(json, meshes[RIGHT_EYE]->name, "eye.R");
    return SN_OK;
}

static sn_status write_models(sn_context *context, const char *folder, const scn_segment *segments,
                              sn_mesh *const *meshes, sn_error *error) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, polygon_file);
    sn_status status = sn_export_mesh(meshes[SKIN], path, error);
    snprintf(path, sizeof path, "%s/%s", folder, model_file);
    if (status == SN_OK) {
        status = scn_write_model(context, path, segments, SEGMENTS, (const sn_mesh *const *)meshes,
                                 PARTS, error);
    }
    return status;
}

static sn_status write_document(sn_context *context, const char *folder,
                                const scn_segment *segments, sn_mesh *const *meshes,
                                sn_error *error) {
    sn_character *character = NULL;
    sn_status status = sn_character_create(context, "head", &character, error);
    if (status == SN_OK) {
        status = describe(character, segments, meshes);
    }
    if (status == SN_OK) {
        status = scn_save(character, folder, error);
    }
    sn_character_destroy(character);
    return status;
}

sn_status scn_head_build(sn_context *context, const char *folder, sn_error *error) {
    scn_segment segments[SEGMENTS];
    sn_mesh *meshes[PARTS] = {0};
    sn_status status = SN_OK;
    lay_out(segments);
    SN_TRY(scn_head_skin(context, &meshes[SKIN], error));
    SN_TRY(scn_head_eye_mesh(context, true, &meshes[LEFT_EYE], error));
    SN_TRY(scn_head_eye_mesh(context, false, &meshes[RIGHT_EYE], error));
    scn_head_landmark landmarks[SCN_HEAD_LANDMARKS];
    SN_TRY(scn_head_find_landmarks(context, meshes[SKIN], landmarks, error));
    SN_TRY(scn_head_bone(context, meshes[SKIN], landmarks, false, &meshes[CRANIUM], error));
    SN_TRY(scn_head_bone(context, meshes[SKIN], landmarks, true, &meshes[MANDIBLE], error));
    SN_TRY(scn_head_teeth(context, true, &meshes[UPPER_TEETH], error));
    SN_TRY(scn_head_teeth(context, false, &meshes[LOWER_TEETH], error));
    SN_TRY(scn_head_tongue(context, &meshes[TONGUE], error));
    SN_TRY(write_models(context, folder, segments, meshes, error));
    SN_TRY(write_document(context, folder, segments, meshes, error));
cleanup:
    for (uint32_t i = 0; i < PARTS; ++i) {
        sn_mesh_destroy(meshes[i]);
    }
    return status;
}
