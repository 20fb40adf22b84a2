// SPDX-License-Identifier: Apache-2.0
#include "character/write_graph.h"

#include <math.h>

// Hundredths of a millimetre.
static const double inverse_step = 1e5;

static bool write_vector(sn_json *json, sn_value *object, const char *key, sn_vec3 v) {
    double values[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; ++i) {
        double rounded = round(values[i] * inverse_step) / inverse_step;
        values[i] = rounded == 0 ? 0 : rounded; // no -0
    }
    return sn_json_add_numbers(json, object, key, values, 3) != NULL;
}

// On a bone, in the frame of a segment, or in space.
static bool write_place(sn_json *json, sn_value *object, const sn_fit_graph_point *point,
                        const sni_graph_names *names) {
    if (point->bone != SN_NONE) {
        return sn_json_add_string(json, object, "bone", names->bones[point->bone].name) != NULL &&
               write_vector(json, object, "point", point->point);
    }
    sn_mat4 back;
    if (point->segment == SN_NONE || !sn_mat4_invert(&names->worlds[point->segment], &back)) {
        return write_vector(json, object, "point", point->point);
    }
    const char *segment = names->skeleton->segments[point->segment].name;
    return sn_json_add_string(json, object, "segment", segment) != NULL &&
           write_vector(json, object, "at", sn_mat4_point(&back, point->point));
}

static bool write_point(sn_json *json, sn_value *list, const sn_graph_fit *fit, uint32_t index,
                        const sni_graph_names *names) {
    const sn_fit_graph_point *point = &fit->points[index];
    sn_value *object = sn_json_add_object(json, list, NULL);
    bool done = object != NULL && write_place(json, object, point, names);
    if (done && point->parent != SN_NONE) {
        done = sn_json_add_number(json, object, "parent", point->parent) != NULL;
    } else if (done && fit->path_count > 1) {
        done = sn_json_add_bool(json, object, "root", true) != NULL;
    }
    return done && (!point->tendon || sn_json_add_bool(json, object, "tendon", true) != NULL);
}

bool sni_write_graph(sn_json *json, sn_value *object, const sn_graph_fit *fit,
                     const sni_graph_names *names) {
    sn_value *list = sn_json_add_array(json, object, "points");
    bool done = list != NULL;
    for (uint32_t i = 0; i < fit->point_count && done; ++i) {
        done = write_point(json, list, fit, i, names);
    }
    if (done && fit->sphincter) {
        done = write_place(json, sn_json_add_object(json, object, "center"), &fit->center, names);
    }
    return done;
}
