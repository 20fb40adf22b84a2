// SPDX-License-Identifier: Apache-2.0
//
// The character `athlete`: the shipped person with proposed fibre muscles in an implicit skin. It
// runs and jumps, as the full body of V. Roussellet et al., "Dynamic implicit muscles for character
// skinning" (2018), table 1: 19,296 vertices and 50 muscles of 30 particles there.
#include "scenes/athlete.h"

#include "scenes/documents.h"

#include "sinew/eval.h"
#include "sinew/fit.h"
#include "sinew/io.h"

#include <stdio.h>

static const char model_file[] = SCN_EXAMPLES "/person/person.glb";

enum { PARTICLES = 30 };

// The muscles of the body that a model has so far.
static sn_status propose(sn_context *context, const sn_model *model, sn_muscle_layout **layout,
                         sn_error *error) {
    uint32_t body = sn_model_find_surface(model, "body");
    const sn_mesh *mesh = sn_model_surface(model, body)->mesh;
    const char *name = "body";
    sn_propose_desc desc = sn_propose_desc_default();
    desc.kind = SN_PROPOSE_FIBRE;
    desc.skeleton = sn_model_skeleton(model);
    desc.meshes = &mesh;
    desc.names = &name;
    desc.mesh_count = 1;
    return sn_muscles_propose(context, &desc, NULL, layout, error);
}

static sn_status add_muscles(sn_context *context, sn_character *character, sn_error *error) {
    sn_model *model = NULL;
    sn_muscle_layout *layout = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_model_create(character, NULL, &model, error));
    SN_TRY(propose(context, model, &layout, error));
    SN_TRY(sn_character_add_layout(character, "body", layout, NULL, error));
cleanup:
    sn_muscle_layout_destroy(layout);
    sn_model_destroy(model);
    return status;
}

// The body follows fields in which all muscles are.
static void make_implicit(sn_json *json) {
    const sn_value *muscles = sn_value_get(sn_json_root(json), "muscles");
    sn_value *skin = sn_json_find(json, "/skins/body");
    sn_value *deformers = sn_json_add_array(json, skin, "deformers");
    sn_value *implicit = sn_json_add_object(json, deformers, NULL);
    sn_json_add_string(json, implicit, "kind", "implicit");
    sn_value *used = sn_json_add_array(json, implicit, "muscles");
    for (uint32_t i = 0; i < sn_value_count(muscles); ++i) {
        sn_value *muscle = (sn_value *)sn_value_at(muscles, i);
        sn_json_add_number(json, muscle, "particles", PARTICLES);
        sn_json_add_string(json, used, NULL, muscle->key);
    }
}

static sn_status make_document(sn_context *context, const char *path, sn_character **character,
                               sn_error *error) {
    sn_import *import = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_import_file(context, model_file, &import, error));
    SN_TRY(sn_character_from_import(import, model_file, path, character, error));
    sn_json *json = sn_character_document(*character);
    sn_json_add_string(json, sn_json_root(json), "name", "athlete");
    sn_json_add_string(json, sn_json_root(json), "about",
                       "The person with fibre muscles that swing, in an implicit skin.");
    SN_TRY(add_muscles(context, *character, error));
    make_implicit(json);
    scn_add_motion(json, "run", "Three strides at 3 m/s.");
    scn_add_motion(json, "jump", "A jump from standing, arms up, a little ahead.");
    scn_add_motion(json, "squat", "Down and up again, with the arms ahead.");
cleanup:
    sn_import_destroy(import);
    return status;
}

sn_status scn_athlete_build(sn_context *context, const char *folder, sn_error *error) {
    sn_character *character = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/athlete.sinew.json", folder);
    sn_status status = make_document(context, path, &character, error);
    if (status == SN_OK) {
        status = scn_save(character, folder, error);
    }
    sn_character_destroy(character);
    return status;
}
