// SPDX-License-Identifier: Apache-2.0
//
// Hands and feet that pages drag: what the joints above them would have to be held at.
#include "player/player_internal.h"

#include <stdio.h>
#include <stdlib.h>

static sn_status take_point(const sn_value *value, const char *place, sn_vec3 *point,
                            sn_error *error) {
    bool right = value->type == SN_JSON_ARRAY && sn_value_count(value) == 3;
    for (uint32_t i = 0; right && i < 3; ++i) {
        right = sn_value_at(value, i)->type == SN_JSON_NUMBER;
    }
    if (!right) {
        return desk_fail(error, SN_INVALID, place, "`%s` must be three numbers", place);
    }
    *point = sn_vec3_make(sn_value_number(sn_value_at(value, 0), 0),
                          sn_value_number(sn_value_at(value, 1), 0),
                          sn_value_number(sn_value_at(value, 2), 0));
    return SN_OK;
}

static sn_status find_limb(const sn_model *model, const char *segment, sn_limb *limb,
                           sn_error *error) {
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    uint32_t end = sn_model_find_segment(model, segment);
    if (end == SN_NONE) {
        return desk_fail(error, SN_INVALID, "segment", "there is no segment \"%s\"", segment);
    }
    sn_limb *limbs = calloc(skeleton->segment_count, sizeof *limbs);
    if (!limbs) {
        return app_fail_memory(error);
    }
    sn_status status = sn_skeleton_limbs(sn_model_context(model), skeleton, limbs, error);
    *limb = limbs[end];
    free(limbs);
    return status;
}

static sn_status take_reach(const sn_model *model, const sn_value *wish, sn_reach_desc *desc,
                            sn_error *error) {
    const sn_value *target = sn_value_get(wish, "target"), *pole = sn_value_get(wish, "pole");
    static const sn_value missing = {.type = SN_JSON_NULL};
    sn_status status = SN_OK;
    *desc = sn_reach_desc_default();
    desc->has_pole = pole && pole->type != SN_JSON_NULL;
    SN_TRY(
        find_limb(model, sn_value_string(sn_value_get(wish, "segment"), ""), &desc->limb, error));
    SN_TRY(take_point(target ? target : &missing, "target", &desc->target, error));
    if (desc->has_pole) {
        SN_TRY(take_point(pole, "pole", &desc->pole, error));
    }
cleanup:
    return status;
}

// Angles that limits fix cannot be held at another value.
static bool add_joint(sn_json *answer, sn_value *values, const sn_segment *segment,
                      const double angles[3]) {
    bool added = true;
    for (uint32_t i = 0; i < 3; ++i) {
        char name[1024];
        snprintf(name, sizeof name, "%s.r%c_deg", segment->name, "xyz"[i]);
        if (segment->limits[i].low != segment->limits[i].high) {
            added &= sn_json_add_number(answer, values, name, angles[i] * (180 / SN_PI)) != NULL;
        }
    }
    return added;
}

sn_status player_solve_reach(const sn_frame *frame, const sn_value *wish, sn_json *answer,
                             sn_error *error) {
    const sn_model *model = sn_frame_model(frame);
    const sn_segment *segments = sn_model_skeleton(model)->segments;
    sn_reach_desc desc;
    sn_reach reach;
    sn_status status = SN_OK;
    SN_TRY(take_reach(model, wish, &desc, error));
    SN_TRY(sn_frame_reach(frame, &desc, &reach, error));
    sn_json_add_number(answer, sn_json_root(answer), "miss", reach.miss);
    sn_value *values = sn_json_add_object(answer, sn_json_root(answer), "values");
    if (!values || !add_joint(answer, values, &segments[desc.limb.upper], reach.upper) ||
        !add_joint(answer, values, &segments[desc.limb.lower], reach.lower)) {
        status = app_fail_memory(error);
    }
cleanup:
    return status;
}
