// SPDX-License-Identifier: Apache-2.0
//
// Key poses of a document: what they follow, and where their keys stand.
#include "character/blueprint/blueprint.h"

#include "character/schema/schema.h"

#include <float.h>
#include <math.h>
#include <string.h>

uint32_t sni_vertex_of_key(const char *key) {
    uint64_t vertex = 0;
    if (key[0] == 0 || (key[0] == '0' && key[1] != 0)) {
        return SN_NONE;
    }
    for (const char *c = key; *c != 0; ++c) {
        if (*c < '0' || *c > '9') {
            return SN_NONE;
        }
        vertex = 10 * vertex + (uint64_t)(*c - '0');
        if (vertex >= SN_NONE) {
            return SN_NONE;
        }
    }
    return (uint32_t)vertex;
}

// The muscle of "MUSCLE.length", SN_NONE when the name is of another form.
static uint32_t find_muscle_length(const sni_blueprint *blueprint, const char *name) {
    static const char suffix[] = ".length";
    size_t length = strlen(name), tail = sizeof suffix - 1;
    if (length <= tail || strcmp(name + length - tail, suffix) != 0) {
        return SN_NONE;
    }
    return sni_name_index_find_n(&blueprint->names[SNI_SECTION_MUSCLES], name, length - tail);
}

static sn_status find_followed(const sni_blueprint *blueprint, const sn_value *name,
                               sni_pose_plan *pose, sn_error *error) {
    pose->muscle = SN_NONE;
    if (sni_rig_find_control(blueprint->rig, name->as.string) == SN_NONE) {
        pose->muscle = find_muscle_length(blueprint, name->as.string);
    }
    if (pose->muscle != SN_NONE) {
        return SN_OK;
    }
    return sni_at_value(sni_rig_find(blueprint->rig, name->as.string, &pose->parameter, error),
                        name, error);
}

// Numbers must be as sni_pose_set_validate wants them.
static sn_status check_size(const sn_value *number, sn_error *error) {
    return fabs(number->as.number) <= FLT_MAX / 8
               ? SN_OK
               : sni_fail_value(error, number, SN_INVALID, "%g is too large", number->as.number);
}

static sn_status decode_points(sni_blueprint *blueprint, const sn_value *points, sni_pose_key *key,
                               sn_error *error) {
    key->point_count = sn_value_count(points);
    SNI_PLAN_NEW(blueprint, key->points, key->point_count);
    for (uint32_t i = 0; i < key->point_count; ++i) {
        const sn_value *value = sn_value_at(points, i);
        sni_moved_point *point = &key->points[i];
        *point = (sni_moved_point){.value = value, .vertex = sni_vertex_of_key(value->key)};
        if (point->vertex == SN_NONE) {
            return sni_fail_value(error, value, SN_INVALID,
                                  "expected the number of a vertex, found \"%s\"", value->key);
        }
        for (uint32_t k = 0; k < 3; ++k) {
            point->offset[k] = sn_value_at(value, k)->as.number;
            sn_status status = check_size(sn_value_at(value, k), error);
            if (status != SN_OK) {
                return status;
            }
        }
    }
    return SN_OK;
}

static sn_status decode_key(sni_blueprint *blueprint, const sn_value *value, const double *before,
                            double *input, sni_pose_key *key, sn_error *error) {
    const sn_value *at = sn_value_get(value, "at");
    const sn_value *points = sn_value_get(value, "points");
    const sn_value *mesh = sn_value_get(value, "mesh");
    uint32_t number;
    *key = (sni_pose_key){.mesh = mesh};
    *input = at->as.number;
    sn_status status = check_size(at, error);
    if (status != SN_OK) {
        return status;
    }
    if (before != NULL && *input <= *before) {
        return sni_fail_value(error, at, SN_INVALID,
                              "%.9g does not come after %.9g; keys must rise", *input, *before);
    }
    if ((points == NULL) == (mesh == NULL)) {
        return sni_fail_value(error, value, SN_INVALID, "a key has either \"points\" or \"mesh\"");
    }
    return points != NULL ? decode_points(blueprint, points, key, error)
                          : sni_find_name(blueprint, SNI_SECTION_MESHES, mesh, &number, error);
}

static sn_status decode_pose(sni_blueprint *blueprint, const sn_value *value, sni_pose_plan *pose,
                             sn_error *error) {
    const sn_value *keys = sn_value_get(value, "keys");
    *pose = (sni_pose_plan){.value = value,
                            .interpolation = sni_decode_interpolation(value),
                            .key_count = sn_value_count(keys)};
    SNI_PLAN_NEW(blueprint, pose->inputs, pose->key_count);
    SNI_PLAN_NEW(blueprint, pose->keys, pose->key_count);
    sn_status status = find_followed(blueprint, sn_value_get(value, "follows"), pose, error);
    for (uint32_t i = 0; i < pose->key_count && status == SN_OK; ++i) {
        status = decode_key(blueprint, sn_value_at(keys, i), i > 0 ? &pose->inputs[i - 1] : NULL,
                            &pose->inputs[i], &pose->keys[i], error);
    }
    return status;
}

sn_status sni_decode_poses(sni_blueprint *blueprint, const sn_value *list, sni_poses_plan *plan,
                           sn_error *error) {
    plan->count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, plan->sets, plan->count);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < plan->count && status == SN_OK; ++i) {
        status = decode_pose(blueprint, sn_value_at(list, i), &plan->sets[i], error);
    }
    return status;
}
