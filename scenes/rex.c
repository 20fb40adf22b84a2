// SPDX-License-Identifier: Apache-2.0
//
// The character `rex`: document and model files. The skin is shipped twice: rex.obj has its
// polygons, which glTF has not, and rex.glb its weights, which OBJ has not; the document takes each
// from where it is.
#include "scenes/rex.h"

#include "scenes/rex_shape.h"
#include "sinew/io.h"

#include <stdio.h>
#include <string.h>

static const char model_file[] = "rex.glb", polygon_file[] = "rex.obj";

static const struct {
    scn_rex_part part;
    scn_rex_segment segment;
} carried[] = {
    {SCN_REX_UPPER_TEETH, SCN_REX_SKULL},
    {SCN_REX_LOWER_TEETH, SCN_REX_MANDIBLE},
    {SCN_REX_LEFT_EYE, SCN_REX_EYE_LEFT},
    {SCN_REX_RIGHT_EYE, SCN_REX_EYE_RIGHT},
};
enum { CARRIED = sizeof carried / sizeof *carried };

static sn_status describe(sn_context *context, sn_character *character, const scn_rex *rex,
                          sn_mesh *const *meshes, sn_error *error) {
    sn_json *json = sn_character_document(character);
    sn_json_add_string(json, sn_json_root(json), "about",
                       "Head and neck of a tyrannosaur: a rough skin of polygons, teeth, eyes, six "
                       "pairs of muscles.");
    scn_add_skeleton(json, rex->segments, SCN_REX_SEGMENTS);
    scn_add_polygon_mesh(json, "skin", polygon_file, "skin weights");
    scn_add_mesh_of(json, "skin weights", model_file, "skin");
    for (uint32_t i = 0; i < CARRIED; ++i) {
        scn_add_mesh(json, meshes[carried[i].part]->name, model_file);
    }
    scn_add_blended_skin(json, "skin", "dual_quaternion");
    for (uint32_t i = 0; i < CARRIED; ++i) {
        scn_add_carried_skin(json, meshes[carried[i].part]->name,
                             rex->segments[carried[i].segment].name);
    }
    sn_status status = scn_rex_add_muscles(context, character, rex, error);
    scn_add_clip(json, scn_rex_clips(), "The mouth opens wide, snaps shut and snarls.");
    return status;
}

static sn_status write_models(sn_context *context, const char *folder, const scn_rex *rex,
                              sn_mesh *const *meshes, sn_error *error) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, polygon_file);
    sn_status status = sn_export_mesh(meshes[SCN_REX_SKIN], path, error);
    snprintf(path, sizeof path, "%s/%s", folder, model_file);
    if (status == SN_OK) {
        status = scn_write_model(context, path, rex->segments, SCN_REX_SEGMENTS,
                                 (const sn_mesh *const *)meshes, SCN_REX_PARTS, error);
    }
    return status;
}

static sn_status write_document(sn_context *context, const char *folder, const scn_rex *rex,
                                sn_mesh *const *meshes, sn_error *error) {
    sn_character *character = NULL;
    sn_status status = sn_character_create(context, "rex", &character, error);
    if (status == SN_OK) {
        status = describe(context, character, rex, meshes, error);
    }
    if (status == SN_OK) {
        status = scn_save(character, folder, error);
    }
    sn_character_destroy(character);
    return status;
}

sn_status scn_rex_build(sn_context *context, const char *folder, sn_error *error) {
    scn_rex rex;
    sn_mesh *meshes[SCN_REX_PARTS] = {0};
    if (!scn_rex_layout(&rex)) {
        return scn_fail_memory(error);
    }
    sn_status status = scn_rex_meshes(context, &rex, meshes, error);
    if (status == SN_OK) {
        status = write_models(context, folder, &rex, meshes, error);
    }
    if (status == SN_OK) {
        status = write_document(context, folder, &rex, meshes, error);
    }
    for (uint32_t i = 0; i < SCN_REX_PARTS; ++i) {
        sn_mesh_destroy(meshes[i]);
    }
    scn_field_destroy(rex.field);
    return status;
}
