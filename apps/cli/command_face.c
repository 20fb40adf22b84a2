// SPDX-License-Identifier: Apache-2.0
#include "layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"-o", "NEW", "the document to write (default: DOC itself)", false},
    {"--features", "F.json", "feature points: {\"features\": {\"nose_tip\": [x, y, z], ...}}",
     false},
    {"--skin", "SKIN", "the skin of the head (default: the only one)", false},
    {0},
};

// A place is [x, y, z], or the number of a vertex.
static bool read_place(const sn_mesh *mesh, const sn_value *value, sn_vec3 *place) {
    double vertex = sn_value_number(value, -1);
    if (vertex >= 0 && vertex < mesh->vertex_count && vertex == floor(vertex)) {
        *place = sn_vec3_load(mesh->positions + 3 * (size_t)vertex);
        return true;
    }
    double p[3];
    for (uint32_t k = 0; k < 3; ++k) {
        p[k] = sn_value_number(sn_value_at(value, k), NAN);
    }
    *place = sn_vec3_make(p[0], p[1], p[2]);
    return sn_value_count(value) == 3 && sn_vec3_is_finite(*place);
}

static sn_status read_feature(const char *path, const sn_mesh *mesh, const char *name,
                              const sn_value *value, sn_face_layout_desc *desc,
                              sn_face_feature *features, sn_error *error) {
    sn_face_feature *feature = &features[desc->feature_count];
    feature->name = name;
    if (!read_place(mesh, value, &feature->position)) {
        return cli_layout_fail(error, path, "%s: expected [x, y, z] or the number of a vertex",
                               name);
    }
    ++desc->feature_count;
    return SN_OK;
}

// Whether a feature, or its other side, is among the named ones: both sides come from one source.
static bool is_named(const sn_value *named, const char *name) {
    char other[64];
    size_t length = strlen(name);
    snprintf(other, sizeof other, "%s", name);
    if (length > 2 && name[length - 2] == '_') {
        other[length - 1] = name[length - 1] == 'L' ? 'R' : 'L';
    }
    return sn_value_get(named, name) != NULL || sn_value_get(named, other) != NULL;
}

// {"features": {NAME: place, ...}} and, or, {"ibug68": [68 places]}.
static sn_status read_features(const char *path, const sn_json *file, const sn_mesh *mesh,
                               sn_face_layout_desc *desc, sn_face_feature *features,
                               sn_error *error) {
    const sn_value *named = sn_value_get(sn_json_root(file), "features");
    const sn_value *points = sn_value_get(sn_json_root(file), "ibug68");
    sn_status status = SN_OK;
    if (named == NULL && points == NULL) {
        return cli_layout_fail(error, path, "the key \"%s\" is missing", "features");
    }
    if (points != NULL && sn_value_count(points) != 68) {
        return cli_layout_fail(error, path, "%s", "ibug68: expected 68 places");
    }
    for (uint32_t i = 0; i < sn_value_count(named) && status == SN_OK; ++i) {
        const sn_value *value = sn_value_at(named, i);
        status = read_feature(path, mesh, value->key, value, desc, features, error);
    }
    for (uint32_t i = 0; i < sn_value_count(points) && status == SN_OK; ++i) {
        const char *name = sn_face_feature_of_ibug(i);
        if (name != NULL && !is_named(named, name)) {
            status = read_feature(path, mesh, name, sn_value_at(points, i), desc, features, error);
        }
    }
    desc->features = features;
    return status;
}

static sn_status lay_out(const cli_call *call, cli_session *session, const sn_mesh *mesh,
                         sn_muscle_layout **layout, sn_error *error) {
    const char *path = cli_value(call, "--features", "");
    sn_face_layout_desc desc = sn_face_layout_desc_default();
    sn_json *file = NULL;
    sn_face_feature *features = NULL;
    desc.mesh = mesh;
    sn_status status = cli_read_json(session->context, path, &file, error);
    if (status == SN_OK) {
        uint32_t count = sn_value_count(sn_value_get(sn_json_root(file), "features"));
        features = calloc((size_t)count + 68, sizeof *features);
        status = features == NULL ? cli_fail_memory(error)
                                  : read_features(path, file, mesh, &desc, features, error);
    }
    if (status == SN_OK) {
        status = sn_face_layout_create(session->context, &desc, &session->progress.progress, layout,
                                       error);
        if (status == SN_INVALID && error->source[0] == 0) {
            snprintf(error->source, sizeof error->source, "%s", path);
        }
    }
    free(features);
    sn_json_destroy(file);
    return status;
}

static int run(const cli_call *call) {
    return cli_value(call, "--features", NULL) != NULL
               ? cli_layout_run(call, lay_out)
               : cli_wrong_usage(call, "needs --features F.json");
}

const cli_command cli_face = {
    .name = "face",
    .arguments = "DOC|MODEL --features F.json",
    .summary = "lays facial muscles and expressions out from feature points",
    .details =
        "A feature is [x, y, z] or the number of a vertex. These must be given: eye_inner_L,\n"
        "eye_outer_L, brow_inner_L, brow_outer_L, nose_wing_L, mouth_corner_L, nose_tip, "
        "lip_upper,\n"
        "lip_lower, chin; these may be: cheekbone_L, jaw_angle_L, ear_L. What is given on one "
        "side\n"
        "alone is mirrored. \"ibug68\": [68 places] gives all but the cheekbones.\n\n"
        "example: sinew face head.obj --features head.features.json -o head.sinew.json\n"
        "         sinew render head.sinew.json --set smile=0.8 -o smile.png\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
