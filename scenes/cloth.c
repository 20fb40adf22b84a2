// SPDX-License-Identifier: Apache-2.0
//
// The character `cloth`: document and model file.
#include "scenes/cloth.h"

#include "scenes/documents.h"
#include "sinew/io.h"

#include <stdio.h>

// The sheet is in a file of its own, since glTF would cut its quads into triangles.
static const char model_file[] = "cloth.glb", sheet_file[] = "sheet.obj";

static const scn_segment table = {.name = "table",
                                  .parent = SN_NONE,
                                  .rest = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                  .length = SCN_CLOTH_TABLE_HEIGHT,
                                  .limits_deg = {{-180, 180}, {-180, 180}, {-180, 180}}};

static const scn_clip drape = {.name = "drape", .rate = 30, .frame_count = 91};

static sn_value *add_skin(sn_json *json, const char *name, const char *kind) {
    const sn_value *skins = sn_value_get(sn_json_root(json), "skins");
    sn_value *skin = sn_json_add_object(json, (sn_value *)skins, name);
    sn_json_add_string(json, skin, "mesh", name);
    sn_value *deformer = sn_json_add_object(json, sn_json_add_array(json, skin, "deformers"), NULL);
    sn_json_add_string(json, deformer, "kind", kind);
    return skin;
}

static sn_value *deformer_of(sn_value *skin) {
    return (sn_value *)sn_value_at(sn_value_get(skin, "deformers"), 0);
}

static void add_skins(sn_json *json) {
    static const char *const fine[2][2] = {{"blue", "cloth"}, {"white", "plain"}};
    sn_json_add_object(json, sn_json_root(json), "skins");
    sn_value *sheet = add_skin(json, "sheet", "cloth");
    sn_json_add_string(json, sn_json_add_array(json, deformer_of(sheet), "colliders"), NULL,
                       "table");
    sn_json_add_number(json, deformer_of(sheet), "thickness", 0.012);
    sn_json_add_number(json, deformer_of(sheet), "bend", 1e-4);
    sn_json_add_number(json, deformer_of(sheet), "apart", 0.04);
    sn_json_add_bool(json, sheet, "show", false);
    for (int i = 0; i < 2; ++i) {
        sn_value *skin = add_skin(json, fine[i][0], "wrap");
        sn_json_add_string(json, deformer_of(skin), "driver_mesh", "sheet");
        sn_json_add_number(json, deformer_of(skin), "local", 4);
        sn_json_add_string(json, skin, "look", fine[i][1]);
    }
}

static void describe(sn_json *json) {
    sn_json_add_string(json, sn_json_root(json), "about",
                       "A tablecloth: a coarse sheet falls on a table and drives a fine surface.");
    scn_add_skeleton(json, &table, 1);
    scn_add_mesh(json, "table", model_file);
    scn_add_mesh(json, "sheet", sheet_file);
    scn_add_mesh(json, "blue", model_file);
    scn_add_mesh(json, "white", model_file);
    scn_add_bone(json, "table", "table");
    add_skins(json);
    scn_add_clip(json, &drape, "The sheet falls, lands and drapes.");
}

static sn_status write_document(sn_context *context, const char *folder, sn_error *error) {
    sn_character *character = NULL;
    sn_status status = sn_character_create(context, "cloth", &character, error);
    if (status == SN_OK) {
        describe(sn_character_document(character));
        status = scn_save(character, folder, error);
    }
    sn_character_destroy(character);
    return status;
}

enum { MODEL_MESHES = 3 };

static sn_status make_meshes(sn_context *context, sn_mesh *meshes[MODEL_MESHES], sn_error *error) {
    static const struct {
        sn_status (*make)(sn_context *, sn_mesh **, sn_error *);
        const char *material;
        float color[3];
    } parts[MODEL_MESHES] = {{scn_cloth_table, "wood", {0.36f, 0.20f, 0.10f}},
                             {scn_cloth_blue, "blue", {0.10f, 0.16f, 0.32f}},
                             {scn_cloth_white, "white", {0.80f, 0.80f, 0.76f}}};
    sn_status status = SN_OK;
    for (int i = 0; i < MODEL_MESHES && status == SN_OK; ++i) {
        const float *color = parts[i].color;
        status = parts[i].make(context, &meshes[i], error);
        if (status == SN_OK) {
            status =
                scn_paint(meshes[i], parts[i].material, color[0], color[1], color[2], 0.8f, error);
        }
    }
    return status;
}

static sn_status write_model(sn_context *context, const char *folder, sn_error *error) {
    sn_mesh *meshes[MODEL_MESHES] = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, model_file);
    sn_status status = make_meshes(context, meshes, error);
    if (status == SN_OK) {
        status = scn_write_model(context, path, &table, 1, (const sn_mesh *const *)meshes,
                                 MODEL_MESHES, error);
    }
    for (int i = 0; i < MODEL_MESHES; ++i) {
        sn_mesh_destroy(meshes[i]);
    }
    return status;
}

static sn_status write_sheet(sn_context *context, const char *folder, sn_error *error) {
    sn_mesh *sheet = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, sheet_file);
    sn_status status = scn_cloth_sheet(context, &sheet, error);
    if (status == SN_OK) {
        status = sn_export_mesh(sheet, path, error);
    }
    sn_mesh_destroy(sheet);
    return status;
}

sn_status scn_cloth_build(sn_context *context, const char *folder, sn_error *error) {
    sn_status status = write_model(context, folder, error);
    if (status == SN_OK) {
        status = write_sheet(context, folder, error);
    }
    return status == SN_OK ? write_document(context, folder, error) : status;
}
