// SPDX-License-Identifier: Apache-2.0
#include "eval/report_moments.h"

#include <math.h>

struct sni_report_moments {
    sn_context *context;
    uint32_t first_muscle; // surface of the blueprint's first muscle
    sn_moment_arms *arms;
    uint32_t pair_count;
    const sn_moment_pair *pairs;
    const sn_coordinate *coordinates;
    sn_moment_arm *values; // pair_count, of the last frame
    sn_limit *ranges;      // pair_count, over all frames
};

sn_status sni_report_moments_create(const sn_model *model, sni_report_moments **moments,
                                    sn_error *error) {
    sni_report_moments *made = NULL;
    uint32_t count;
    sn_status status = SN_OK;
    *moments = NULL;
    SNI_NEW_ZERO(model->context, made, 1);
    made->context = model->context;
    made->first_muscle = model->blueprint->surface_count;
    SN_TRY(sn_moment_arms_create(model, NULL, 0, &made->arms, error));
    made->pairs = sn_moment_arms_pairs(made->arms, &made->pair_count);
    made->coordinates = sn_moment_arms_coordinates(made->arms, &count);
    SNI_NEW(made->context, made->values, made->pair_count);
    SNI_NEW(made->context, made->ranges, made->pair_count);
    for (uint32_t i = 0; i < made->pair_count; ++i) {
        made->ranges[i] = (sn_limit){INFINITY, -INFINITY};
    }
    *moments = made;
    return SN_OK;
cleanup:
    sni_report_moments_destroy(made);
    return status;
}

void sni_report_moments_destroy(sni_report_moments *moments) {
    if (moments == NULL) {
        return;
    }
    sn_moment_arms_destroy(moments->arms);
    sni_free(moments->context, moments->values);
    sni_free(moments->context, moments->ranges);
    sni_free(moments->context, moments);
}

sn_status sni_report_moments_measure(sni_report_moments *moments, const sn_frame *frame,
                                     sn_error *error) {
    sn_status status = sn_moment_arms_measure(moments->arms, frame, moments->values, error);
    for (uint32_t i = 0; i < moments->pair_count && status == SN_OK; ++i) {
        sn_limit *range = &moments->ranges[i];
        *range = (sn_limit){fmin(range->low, moments->values[i].arm),
                            fmax(range->high, moments->values[i].arm)};
    }
    return status;
}

// A map from coordinates to one number each (`whole` false), or to the least and the most.
static bool add_map(const sni_report_moments *moments, sn_json *json, sn_value *object,
                    uint32_t muscle, bool whole) {
    sn_value *map = NULL;
    bool done = true;
    for (uint32_t i = 0; i < moments->pair_count && done; ++i) {
        if (moments->pairs[i].muscle != moments->first_muscle + muscle) {
            continue;
        }
        const char *name = moments->coordinates[moments->pairs[i].coordinate].name;
        const double range[2] = {moments->ranges[i].low, moments->ranges[i].high};
        map = map != NULL ? map : sn_json_add_object(json, object, "moment_arms");
        done =
            map != NULL &&
            (whole ? range[0] > range[1] || sn_json_add_numbers(json, map, name, range, 2) != NULL
                   : sn_json_add_number(json, map, name, moments->values[i].arm) != NULL);
    }
    return done;
}

bool sni_report_moments_add(const sni_report_moments *moments, sn_json *json, sn_value *object,
                            uint32_t muscle) {
    return add_map(moments, json, object, muscle, false);
}

bool sni_report_moments_sum_up(const sni_report_moments *moments, sn_json *json, sn_value *object,
                               uint32_t muscle) {
    return add_map(moments, json, object, muscle, true);
}
