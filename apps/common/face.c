// SPDX-License-Identifier: Apache-2.0
#include "common/face.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        return app_fail(error, SN_INVALID, path, "%s: expected [x, y, z] or the number of a vertex",
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

static sn_status read_places(const char *path, const sn_value *named, const sn_value *points,
                             const sn_mesh *mesh, sn_face_layout_desc *desc,
                             sn_face_feature *features, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_value_count(named); ++i) {
        const sn_value *value = sn_value_at(named, i);
        SN_TRY(read_feature(path, mesh, value->key, value, desc, features, error));
    }
    for (uint32_t i = 0; i < sn_value_count(points); ++i) {
        const char *name = sn_face_feature_of_ibug(i);
        if (name != NULL && !is_named(named, name)) {
            SN_TRY(read_feature(path, mesh, name, sn_value_at(points, i), desc, features, error));
        }
    }
cleanup:
    return status;
}

sn_status app_read_face(const char *path, const sn_value *object, const sn_mesh *mesh,
                        sn_face_layout_desc *desc, sn_face_feature **features, sn_error *error) {
    const sn_value *named = sn_value_get(object, "features");
    const sn_value *points = sn_value_get(object, "ibug68");
    *features = NULL;
    if (named == NULL && points == NULL) {
        return app_fail(error, SN_INVALID, path, "the key \"features\" is missing");
    }
    if (points != NULL && sn_value_count(points) != 68) {
        return app_fail(error, SN_INVALID, path, "ibug68: expected 68 points");
    }
    *features = calloc((size_t)sn_value_count(named) + 68, sizeof **features);
    desc->features = *features;
    return *features != NULL ? read_places(path, named, points, mesh, desc, *features, error)
                             : app_fail_memory(error);
}
