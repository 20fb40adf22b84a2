// SPDX-License-Identifier: Apache-2.0
//
// What a report tells about the flesh of skins.
#include "eval/report_flesh.h"

#include "eval/frame.h"

#include <math.h>

static bool add(sn_json *json, sn_value *object, const char *key, double value) {
    return sn_json_add_number(json, object, key, value) != NULL;
}

// The flesh of the last deformer of a skin that has any; false: there is none.
static bool measure(const sn_frame *frame, uint32_t surface, sni_flesh_measure *measured) {
    const sni_bound_surface *bound = &sn_frame_model(frame)->bound[surface];
    for (uint32_t i = bound->deformer_count; i-- > 0;) {
        const sni_bound_deformer *deformer = &bound->deformers[i];
        const void *kept = frame->kept[frame->first_kept[surface] + i];
        if (deformer->ops->flesh != NULL && kept != NULL) {
            deformer->ops->flesh(deformer->binding->bound, kept, measured);
            return true;
        }
    }
    return false;
}

static double change_of(const sni_flesh_measure *m) {
    return m->rest_volume > 0 ? fabs(m->volume / m->rest_volume - 1) : 0;
}

static bool add_measure(sn_json *json, sn_value *object, const sni_flesh_measure *m) {
    const double thickness[2] = {m->shortest, m->longest};
    return add(json, object, "flipped", m->flipped) && add(json, object, "volume", m->volume) &&
           add(json, object, "rest_volume", m->rest_volume) &&
           sn_json_add_numbers(json, object, "thickness", thickness, 2) != NULL;
}

bool sni_report_flesh_add(sni_report_flesh *flesh, sn_json *json, sn_value *object,
                          const sn_frame *frame, uint32_t number) {
    const sn_model *model = sn_frame_model(frame);
    sn_value *map = NULL;
    uint32_t flipped = 0;
    bool done = true;
    for (uint32_t i = 0; i < model->blueprint->surface_count && done; ++i) {
        sni_flesh_measure measured;
        if (!measure(frame, i, &measured)) {
            continue;
        }
        if (map == NULL) {
            map = sn_json_add_object(json, object, "flesh");
            bool first = flesh->frame_count++ == 0;
            flesh->shortest = first ? INFINITY : flesh->shortest;
        }
        sn_value *skin =
            map != NULL ? sn_json_add_object(json, map, model->surfaces[i].name) : NULL;
        done = skin != NULL && add_measure(json, skin, &measured);
        flipped += measured.flipped;
        flesh->shortest = fmin(flesh->shortest, measured.shortest);
        flesh->longest = fmax(flesh->longest, measured.longest);
        if (change_of(&measured) > flesh->volume_change) {
            flesh->volume_change = change_of(&measured);
            flesh->volume_frame = number;
        }
    }
    if (flipped > flesh->flipped) {
        flesh->flipped = flipped;
        flesh->flipped_frame = number;
    }
    return done;
}

bool sni_report_flesh_sum_up(const sni_report_flesh *flesh, sn_json *json, sn_value *summary) {
    if (flesh->frame_count == 0) {
        return true;
    }
    const double thickness[2] = {flesh->shortest, flesh->longest};
    sn_value *object = sn_json_add_object(json, summary, "flesh");
    return object != NULL && add(json, object, "flipped", flesh->flipped) &&
           add(json, object, "flipped_frame", flesh->flipped_frame) &&
           add(json, object, "volume_change", flesh->volume_change) &&
           add(json, object, "volume_frame", flesh->volume_frame) &&
           sn_json_add_numbers(json, object, "thickness", thickness, 2) != NULL;
}
