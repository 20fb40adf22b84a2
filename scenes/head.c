// SPDX-License-Identifier: Apache-2.0
//
// The character `head`: document and model files. As with the rex, head.obj has the skin's quads
// and head.glb its weights.
#include "scenes/head.h"

#include "sinew/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char model_file[] = "head.glb", polygon_file[] = "head.obj";

// What carries each part, and whether it is a bone; others are drawn with the skin.
static const struct {
    uint32_t segment;
    bool bone;
} carried[SCN_HEAD_PARTS] = {
    [SCN_HEAD_CRANIUM] = {SCN_HEAD_HEAD_SEGMENT, true},
    [SCN_HEAD_MANDIBLE] = {SCN_HEAD_JAW_SEGMENT, true},
    [SCN_HEAD_UPPER_TEETH] = {SCN_HEAD_HEAD_SEGMENT, true},
    [SCN_HEAD_LOWER_TEETH] = {SCN_HEAD_JAW_SEGMENT, true},
    [SCN_HEAD_TONGUE] = {SCN_HEAD_JAW_SEGMENT, false},
    [SCN_HEAD_EYEBALL_L] = {SCN_HEAD_EYE_SEGMENT_L, false},
    [SCN_HEAD_EYEBALL_R] = {SCN_HEAD_EYE_SEGMENT_R, false},
};

// The jaw turns about the line through the condyles; eyes about their centres.
static void lay_out(scn_segment segments[SCN_HEAD_SEGMENTS]) {
    const sn_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    sn_vec3 eye = sn_vec3_scale(scn_head_eyeball().center, SCN_MM);
    sn_vec3 other = {-eye.x, eye.y, eye.z};
    segments[SCN_HEAD_HEAD_SEGMENT] =
        (scn_segment){.name = "head",
                      .parent = SN_NONE,
                      .rest = {{0, 0, 0}, x, y, z},
                      .limits_deg = {{-40, 40}, {-70, 70}, {-35, 35}}};
    segments[SCN_HEAD_JAW_SEGMENT] = (scn_segment){.name = "jaw",
                                                   .parent = SCN_HEAD_HEAD_SEGMENT,
                                                   .rest = {scn_head_jaw_joint(), x, y, z},
                                                   .limits_deg = {{0, 30}, {-8, 8}, {-3, 3}}};
    segments[SCN_HEAD_EYE_SEGMENT_L] = (scn_segment){.name = "eye.L",
                                                     .parent = SCN_HEAD_HEAD_SEGMENT,
                                                     .rest = {eye, x, y, z},
                                                     .limits_deg = {{-30, 35}, {-40, 40}, {-5, 5}}};
    segments[SCN_HEAD_EYE_SEGMENT_R] = segments[SCN_HEAD_EYE_SEGMENT_L];
    segments[SCN_HEAD_EYE_SEGMENT_R].name = "eye.R";
    segments[SCN_HEAD_EYE_SEGMENT_R].rest.origin = other;
    segments[SCN_HEAD_HYOID_SEGMENT] = (scn_segment){.name = "hyoid",
                                                     .parent = SCN_HEAD_HEAD_SEGMENT,
                                                     .rest = {scn_head_hyoid(), x, y, z},
                                                     .limits_deg = {{-10, 10}, {-5, 5}, {-5, 5}}};
}

// ---------------------------------------------------------------------------------------------
// Document

static void add_feature(sn_json *json, const char *name, const char *mesh, const char *segment) {
    const sn_value *root = sn_json_root(json), *found = sn_value_get(root, "tissues");
    sn_value *tissues =
        found != NULL ? (sn_value *)found : sn_json_add_object(json, sn_json_root(json), "tissues");
    sn_value *feature = sn_json_add_object(json, tissues, name);
    sn_json_add_string(json, feature, "mesh", mesh);
    sn_json_add_string(json, feature, "segment", segment);
    sn_json_add_bool(json, feature, "feature", true);
}

static void add_parts(sn_json *json, const scn_head *h) {
    scn_add_polygon_mesh(json, "skin", polygon_file, "skin weights");
    scn_add_mesh_of(json, "skin weights", model_file, "skin");
    for (int i = 0; i < SCN_HEAD_PARTS; ++i) {
        scn_add_mesh(json, h->parts[i]->name, model_file);
    }
    for (int i = 0; i < SCN_HEAD_PARTS; ++i) {
        const char *name = h->parts[i]->name, *segment = h->segments[carried[i].segment].name;
        if (carried[i].bone) {
            scn_add_bone(json, name, segment);
        } else {
            add_feature(json, name, name, segment);
        }
    }
    // Teeth are bones that also show in the mouth.
    add_feature(json, "upper crowns", "upper teeth", "head");
    add_feature(json, "lower crowns", "lower teeth", "jaw");
    scn_head_add_hyoid(json);
    scn_head_add_skin(json, h);
}

static void add_landmark(sn_json *json, sn_value *landmarks, const char *name, const char *mesh,
                         uint32_t vertex) {
    sn_value *made = sn_json_add_object(json, landmarks, name);
    sn_json_add_string(json, made, "mesh", mesh);
    sn_json_add_number(json, made, "vertex", vertex);
}

// NAME on the skin and `NAME bone` below it, both with their side at the end.
static void add_landmarks(sn_json *json, const scn_head_landmark *list) {
    sn_value *landmarks = sn_json_add_object(json, sn_json_root(json), "landmarks");
    for (int i = 0; i < SCN_HEAD_LANDMARKS; ++i) {
        const char *dot = strrchr(list[i].name, '.');
        int length = (int)(dot != NULL ? (size_t)(dot - list[i].name) : strlen(list[i].name));
        char name[64];
        snprintf(name, sizeof name, "%.*s bone%s", length, list[i].name, dot != NULL ? dot : "");
        add_landmark(json, landmarks, list[i].name, "skin", list[i].skin_vertex);
        add_landmark(json, landmarks, name, list[i].mandible ? "mandible" : "cranium",
                     list[i].bone_vertex);
    }
}

static void add_controls(sn_json *json) {
    static const scn_spread up[] = {{"eye.L.rx", -25}, {"eye.R.rx", -25}};
    static const scn_spread left[] = {{"eye.L.ry", 35}, {"eye.R.ry", 35}};
    static const scn_spread cross[] = {{"eye.L.ry", -20}, {"eye.R.ry", 20}};
    scn_add_synergy(json, "look up", -1, 1, "Turns both eyes up.", up, 2);
    scn_add_synergy(json, "look left", -1, 1, "Turns both eyes to their left.", left, 2);
    scn_add_synergy(json, "look near", 0, 1, "Turns both eyes inwards.", cross, 2);
}

static void add_clips(sn_json *json) {
    static const scn_key open[] = {{0, 0}, {0.7, 0.6}, {1.2, 0.6}, {1.8, 0}, {4, 0}};
    static const scn_key aside[] = {{0, 0}, {1.8, 0}, {2.2, 1}, {2.8, -1}, {3.2, 0}, {4, 0}};
    static const scn_key left[] = {{0, 0},    {1.6, 0},    {2, 0.8}, {2.5, 0.8},
                                   {3, -0.8}, {3.5, -0.8}, {4, 0}};
    static const scn_key up[] = {{0, 0}, {0.8, 0.5}, {1.6, 0}, {2.4, 0}, {2.9, -0.5}, {4, 0}};
    static const scn_track tracks[] = {
        {"jaw open", 5, open}, {"jaw left", 6, aside}, {"look left", 7, left}, {"look up", 6, up}};
    const scn_clip clip = {"look", 30, 121, 4, tracks, NULL};
    scn_add_clip(json, &clip,
                 "The mouth opens and closes, the jaw goes aside, the eyes look around.");
}

static void add_muscles(sn_json *json, const scn_head *h) {
    sn_value *root = sn_json_root(json), *meshes = (sn_value *)sn_value_get(root, "meshes");
    sn_value *muscles = sn_json_add_object(json, root, "muscles");
    sn_value *controls = sn_json_add_object(json, root, "controls");
    for (uint32_t i = 0; i < scn_head_muscle_count(); ++i) {
        const char *name = h->muscle_meshes[i]->name;
        scn_add_mesh(json, name, model_file);
        sn_json_add_bool(json, (sn_value *)sn_value_get(meshes, name), "mirror", true);
        scn_head_add_muscle(json, muscles, controls, &h->muscles[i]);
    }
}

static void describe(sn_character *character, const scn_head *h) {
    sn_json *json = sn_character_document(character);
    sn_json_add_string(
        json, sn_json_root(json), "about",
        "An adult's head and neck: skin of quads in layers over the muscles of the face, "
        "lips that part, skull, jaw, teeth, eyes, tongue, craniofacial landmarks.");
    scn_add_skeleton(json, h->segments, SCN_HEAD_SEGMENTS);
    add_parts(json, h);
    add_landmarks(json, h->landmarks);
    add_muscles(json, h);
    scn_head_add_jaw(json);
    add_controls(json);
    scn_head_add_face(json);
    add_clips(json);
    scn_head_add_jaw_clips(json);
    scn_head_add_face_clips(json);
}

// ---------------------------------------------------------------------------------------------
// Files

sn_status scn_head_make(sn_context *context, scn_head *h, sn_error *error) {
    sn_mesh **parts = h->parts, *skin;
    sn_status status = SN_OK;
    *h = (scn_head){0};
    lay_out(h->segments);
    SN_TRY(scn_head_make_skin(context, &h->skin, error));
    skin = h->skin.mesh;
    SN_TRY(scn_head_find_landmarks(context, skin, h->landmarks, error));
    SN_TRY(scn_head_bone(context, skin, h->landmarks, false, &parts[SCN_HEAD_CRANIUM], error));
    SN_TRY(scn_head_bone(context, skin, h->landmarks, true, &parts[SCN_HEAD_MANDIBLE], error));
    SN_TRY(scn_head_teeth(context, true, &parts[SCN_HEAD_UPPER_TEETH], error));
    SN_TRY(scn_head_teeth(context, false, &parts[SCN_HEAD_LOWER_TEETH], error));
    SN_TRY(scn_head_tongue(context, &parts[SCN_HEAD_TONGUE], error));
    SN_TRY(scn_head_eye_mesh(context, true, &parts[SCN_HEAD_EYEBALL_L], error));
    SN_TRY(scn_head_eye_mesh(context, false, &parts[SCN_HEAD_EYEBALL_R], error));
    SN_TRY(scn_head_weigh(context, &h->skin, parts[SCN_HEAD_CRANIUM], parts[SCN_HEAD_MANDIBLE],
                          error));
    h->muscles = calloc(scn_head_muscle_count(), sizeof *h->muscles);
    SN_TRY(h->muscles != NULL ? SN_OK : scn_fail_memory(error));
    SN_TRY(scn_head_lay_muscles(context, skin, parts[SCN_HEAD_CRANIUM], parts[SCN_HEAD_MANDIBLE],
                                h->muscles, error));
    h->muscle_meshes = calloc(scn_head_muscle_count(), sizeof *h->muscle_meshes);
    SN_TRY(h->muscle_meshes != NULL ? SN_OK : scn_fail_memory(error));
    SN_TRY(scn_head_muscle_meshes(context, skin, h->muscles, h->muscle_meshes, error));
cleanup:
    return status;
}

void scn_head_deinit(scn_head *h) {
    scn_head_skin_deinit(&h->skin);
    for (uint32_t i = 0; h->muscle_meshes != NULL && i < scn_head_muscle_count(); ++i) {
        sn_mesh_destroy(h->muscle_meshes[i]);
    }
    free(h->muscle_meshes);
    free(h->muscles);
    for (int i = 0; i < SCN_HEAD_PARTS; ++i) {
        sn_mesh_destroy(h->parts[i]);
    }
    *h = (scn_head){0};
}

static sn_status write_models(sn_context *context, const char *folder, const scn_head *h,
                              sn_error *error) {
    char path[4096];
    uint32_t count = 0;
    const sn_mesh **meshes =
        calloc(1 + SCN_HEAD_PARTS + (size_t)scn_head_muscle_count(), sizeof *meshes);
    sn_status status = meshes != NULL ? SN_OK : scn_fail_memory(error);
    SN_TRY(status);
    meshes[count++] = h->skin.mesh;
    for (int i = 0; i < SCN_HEAD_PARTS; ++i) {
        meshes[count++] = h->parts[i];
    }
    for (uint32_t i = 0; i < scn_head_muscle_count(); ++i) {
        meshes[count++] = h->muscle_meshes[i];
    }
    snprintf(path, sizeof path, "%s/%s", folder, polygon_file);
    SN_TRY(sn_export_mesh(h->skin.mesh, path, error));
    snprintf(path, sizeof path, "%s/%s", folder, model_file);
    SN_TRY(scn_write_compact_model(context, path, h->segments, SCN_HEAD_SEGMENTS, meshes, count,
                                   error));
cleanup:
    free(meshes);
    return status;
}

static sn_status write_document(sn_context *context, const char *folder, const scn_head *h,
                                sn_error *error) {
    sn_character *character = NULL;
    sn_status status = sn_character_create(context, "head", &character, error);
    if (status == SN_OK) {
        describe(character, h);
        status = scn_save(character, folder, error);
    }
    sn_character_destroy(character);
    return status;
}

sn_status scn_head_build(sn_context *context, const char *folder, sn_error *error) {
    scn_head h;
    sn_status status = scn_head_make(context, &h, error);
    if (status == SN_OK) {
        status = write_models(context, folder, &h, error);
    }
    if (status == SN_OK) {
        status = write_document(context, folder, &h, error);
    }
    scn_head_deinit(&h);
    return status;
}
