// SPDX-License-Identifier: Apache-2.0
#include "character/add_skeleton.h"

#include "base/json_internal.h"

static bool add_vector(sn_json *json, sn_value *object, const char *key, sn_vec3 v) {
    double values[3] = {v.x, v.y, v.z};
    return sn_json_add_numbers(json, object, key, values, 3) != NULL;
}

static bool add_segment(sn_json *json, sn_value *map, const sn_skeleton *skeleton,
                        const sn_segment *segment) {
    static const char *const orders[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};
    sn_value *object = sni_json_add_new_object(json, map, segment->name);
    sn_vec3 t = segment->rest.translation, s = segment->rest.scale;
    sn_quat q = segment->rest.rotation;
    bool done = object != NULL;
    if (done && segment->parent != SN_NONE) {
        done = sn_json_add_string(json, object, "parent",
                                  skeleton->segments[segment->parent].name) != NULL;
    }
    if (done && (t.x != 0 || t.y != 0 || t.z != 0)) {
        done = add_vector(json, object, "translation", t);
    }
    if (done && (q.x != 0 || q.y != 0 || q.z != 0)) {
        double values[4] = {q.x, q.y, q.z, q.w};
        done = sn_json_add_numbers(json, object, "rotation", values, 4) != NULL;
    }
    if (done && (s.x != 1 || s.y != 1 || s.z != 1)) {
        done = add_vector(json, object, "scale", s);
    }
    if (done && segment->order != SN_ROTATION_XYZ) {
        done = sn_json_add_string(json, object, "order", orders[segment->order]) != NULL;
    }
    if (done && segment->role != NULL) {
        done = sn_json_add_string(json, object, "role", segment->role) != NULL;
    }
    return done;
}

bool sni_add_skeleton(sn_json *json, sn_value *root, const sn_skeleton *skeleton) {
    if (skeleton->segment_count == 0) {
        return true;
    }
    sn_value *map = sn_json_add_object(json, root, "skeleton");
    bool done = map != NULL;
    for (uint32_t i = 0; i < skeleton->segment_count && done; ++i) {
        done = add_segment(json, map, skeleton, &skeleton->segments[i]);
    }
    return done;
}
