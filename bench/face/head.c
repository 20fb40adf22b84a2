// SPDX-License-Identifier: Apache-2.0
//
// The shipped head's document, changed for what is measured.
#include "bench/face/face.h"

#include <string.h>

// Softer than the default, as docs/layers.md recommends for faces.
static const double membrane = 0.05;

// The lower teeth of the scanned jawOpen, jawForward and jawLeft move so, about the condyles.
static const char jaw[] =
    "[{\"control\": \"jaw open\", \"spread\": {\"jaw.rx\": 0.4416, \"jaw.ty\": -0.0043, "
    "\"jaw.tz\": 0.0073}},"
    " {\"control\": \"jaw forward\", \"spread\": {\"jaw.tz\": 0.009}},"
    " {\"control\": \"jaw left\", \"spread\": {\"jaw.ry\": 0.0332, \"jaw.tx\": 0.0046}}]";

bool snb_face_moves_skin(const sn_value *muscle) {
    return sn_value_get(muscle, "contraction") != NULL;
}

// A muscle and, where it has one, its mirror image.
static bool add_muscle(sn_json *json, sn_value *list, const sn_value *muscle) {
    char name[SNB_TEXT];
    snprintf(name, sizeof name, "%s", muscle->key);
    bool done = sn_json_add_string(json, list, NULL, name) != NULL;
    size_t length = strlen(name);
    if (sn_value_bool(sn_value_get(muscle, "mirror"), false) && length > 0) {
        name[length - 1] = 'R';
        done = done && sn_json_add_string(json, list, NULL, name) != NULL;
    }
    return done;
}

// A copy of the deformer that closes the lids, beside the others; NULL where there is none.
static sn_value *keep_lids(sn_json *json, sn_value *skin) {
    const sn_value *deformers = sn_value_get(skin, "deformers");
    for (uint32_t i = 0; i < sn_value_count(deformers); ++i) {
        const sn_value *deformer = sn_value_at(deformers, i);
        if (strcmp(sn_value_string(sn_value_get(deformer, "kind"), ""), "lids") == 0) {
            return sn_json_add_copy(json, skin, "lids", deformer);
        }
    }
    return NULL;
}

bool snb_face_tie(sn_json *json, uint32_t columns) {
    sn_value *root = sn_json_root(json);
    const sn_value *muscles = sn_value_get(root, "muscles");
    sn_value *skin = (sn_value *)sn_value_at(sn_value_get(root, "skins"), 0);
    sn_value *lids = keep_lids(json, skin);
    sn_value *deformers = sn_json_add_array(json, skin, "deformers");
    sn_value *deformer = sn_json_add_object(json, deformers, NULL);
    sn_json_add_string(json, deformer, "kind", "layers");
    sn_value *list = sn_json_add_array(json, deformer, "muscles");
    bool done = sn_json_add_number(json, deformer, "membrane", membrane) != NULL;
    if (lids != NULL) {
        done = done && sn_json_add_copy(json, deformers, NULL, lids) != NULL;
        sn_json_remove(lids);
    }
    if (columns > 0) {
        done = done && sn_json_add_number(json, deformer, "columns", columns) != NULL;
    }
    for (uint32_t i = 0; i < sn_value_count(muscles) && done; ++i) {
        const sn_value *muscle = sn_value_at(muscles, i);
        done = !snb_face_moves_skin(muscle) || add_muscle(json, list, muscle);
    }
    return done;
}

static void forget(sn_json *json, const char *path) {
    sn_value *value = sn_json_find(json, path);
    if (value != NULL) {
        sn_json_remove(value);
    }
}

bool snb_face_hold_jaw(sn_context *context, sn_json *json) {
    static const char *const gone[] = {"/bodies", "/drivers", "/clips", "/controls/gape",
                                       "/controls/jaw close"};
    sn_json *made = NULL;
    sn_error error = {0};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; ++i) {
        forget(json, gone[i]);
    }
    if (sn_json_parse(context, jaw, sizeof jaw - 1, &made, &error) != SN_OK) {
        return false;
    }
    bool done = sn_json_add_copy(json, sn_json_root(json), "synergies", sn_json_root(made)) != NULL;
    sn_json_destroy(made);
    return done;
}
