// SPDX-License-Identifier: Apache-2.0
//
// A muscle to add, as an object of JSON with the keys of the document says it.
#ifndef SINEW_APPS_MUSCLE_KEYS_H
#define SINEW_APPS_MUSCLE_KEYS_H

#include "common/common.h"

// What a muscle's keys hold besides numbers and strings; free() the pairs.
typedef struct app_muscle_values {
    sn_vec3 center;
    double *pairs;
} app_muscle_values;

// The way of a ring by its name: auto, skin, straight. False for another.
bool app_ring_way(const char *text, sn_ring_way *way);

// Takes one key over into `desc`, which then points into it and into `values`. Fails for one that
// has no meaning.
sn_status app_muscle_take_key(const char *path, const sn_value *value, sn_muscle_desc *desc,
                              app_muscle_values *values, sn_error *error);

// The same for all keys of an object. A NULL object says nothing.
sn_status app_muscle_take_keys(const char *path, const sn_value *object, sn_muscle_desc *desc,
                               app_muscle_values *values, sn_error *error);

// Reads two lists of points [x, y, z]; free() both, also after a failure.
sn_status app_read_curves(const char *path, const sn_value *curves, sn_vec3 *points[2],
                          uint32_t counts[2], sn_error *error);

sn_status app_read_point(const char *path, const sn_value *value, sn_vec3 *point, sn_error *error);

// Fails at a value of a file.
sn_status app_fail_at(sn_error *error, const char *path, const sn_value *value,
                      const char *message);

// Adds a muscle as `keys` and `desc` say, and its mirror image across `mirror_axis` (SN_NONE: none)
// at `mirror_at`. `normals_given`: desc->curve_normals is what the user wants; else a muscle that
// lies on something takes the curves' normals, as on the way down to a bone the skin's own meet.
typedef struct app_muscle {
    sn_muscle_desc desc; // whose curves and name are set
    const char *path;    // of the file that `keys` are from
    const sn_value *keys;
    bool normals_given;
    uint32_t mirror_axis;
    double mirror_at;
} app_muscle;
sn_status app_add_muscle(sn_character *character, const app_muscle *muscle, sn_error *error);

#endif
