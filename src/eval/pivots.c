// SPDX-License-Identifier: Apache-2.0
#include "eval/pivots.h"

#include "base/context.h"
#include "character/schema.h"

#include <math.h>
#include <string.h>

// The ends of a range belong to it, whatever rounding does to a parameter: relative to the ends.
static const double end_slack = 1e-9;

static sn_status make_curve(sn_context *context, const sn_value *move, sni_curve *curve,
                            sn_error *error) {
    const sn_value *pairs = sn_value_get(move, "curve");
    uint32_t count = sn_value_count(pairs);
    double *inputs = NULL, *outputs = NULL;
    sn_status status = SN_OK;
    SNI_NEW(context, inputs, count);
    SNI_NEW(context, outputs, count);
    for (uint32_t i = 0; i < count; ++i) {
        inputs[i] = sn_value_at(sn_value_at(pairs, i), 0)->as.number;
        outputs[i] = sn_value_at(sn_value_at(pairs, i), 1)->as.number;
    }
    SN_TRY(sni_curve_init(context, count, inputs, outputs, sni_decode_interpolation(move), curve,
                          error));
cleanup:
    sni_free(context, inputs);
    sni_free(context, outputs);
    return status;
}

static sn_status find_parameter(const sni_blueprint *blueprint, const sn_value *name,
                                sni_parameter_ref *ref, sn_error *error) {
    return sni_at_value(sni_rig_find(blueprint->rig, name->as.string, ref, error), name, error);
}

static sn_status fill(sn_context *context, const sni_blueprint *blueprint, const sn_value *value,
                      sni_posed_pivot *pivot, sn_error *error) {
    static const char *const axes[] = {"x", "y", "z"};
    const sn_value *range = sn_value_get(value, "range"), *at = sn_value_get(value, "at");
    const sn_value *moves = sn_value_get(value, "moves");
    bool in_sizes = strcmp(sn_value_string(sn_value_get(value, "frame"), ""), "size") == 0;
    uint32_t segment;
    sn_status status = SN_OK;
    SN_TRY(sni_find_name(blueprint, SNI_SECTION_SKELETON, sn_value_get(value, "segment"), &segment,
                         error));
    pivot->unit = in_sizes ? blueprint->segment_sizes[segment] : 1;
    pivot->at = sn_vec3_scale(sni_decode_vector(at, sn_vec3_make(0, 0, 0)), pivot->unit);
    if (range != NULL) {
        pivot->ranged = true;
        pivot->low = sn_value_at(range, 0)->as.number;
        pivot->high = sn_value_at(range, 1)->as.number;
        SN_TRY(
            find_parameter(blueprint, sn_value_get(value, "parameter"), &pivot->parameter, error));
    }
    for (int i = 0; i < 3; ++i) {
        const sn_value *move = sn_value_get(moves, axes[i]);
        if (move != NULL) {
            SN_TRY(find_parameter(blueprint, sn_value_get(move, "parameter"),
                                  &pivot->moves[i].parameter, error));
            SN_TRY(make_curve(context, move, &pivot->moves[i].curve, error));
        }
    }
cleanup:
    return status;
}

sn_status sni_posed_pivots_add(sn_context *context, const sni_blueprint *blueprint,
                               const sn_value *value, sni_posed_pivots *pivots, sn_error *error) {
    sni_posed_pivot *items = NULL;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(context, items, (size_t)pivots->count + 1);
    if (pivots->count > 0) {
        memcpy(items, pivots->items, pivots->count * sizeof *items);
    }
    sni_free(context, pivots->items);
    pivots->items = items;
    pivots->any = pivots->any || sn_value_get(value, "range") != NULL ||
                  sn_value_count(sn_value_get(value, "moves")) > 0;
    SN_TRY(fill(context, blueprint, value, &items[pivots->count++], error));
cleanup:
    return status;
}

void sni_posed_pivots_deinit(sn_context *context, sni_posed_pivots *pivots) {
    for (uint32_t i = 0; i < pivots->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            sni_curve_deinit(context, &pivots->items[i].moves[k].curve);
        }
    }
    sni_free(context, pivots->items);
    *pivots = (sni_posed_pivots){0};
}

static double moved(const sni_posed_pivot *pivot, int axis, double otherwise,
                    const sni_pose *pose) {
    const sni_curve *curve = &pivot->moves[axis].curve;
    if (curve->track.key_count == 0) {
        return otherwise;
    }
    double input = sni_pose_value(pose, &pivot->moves[axis].parameter);
    return pivot->unit * sni_curve_sample(curve, input);
}

sni_muscle_pivot_place sni_posed_pivot_find(const sni_posed_pivot *pivot, const sni_pose *pose) {
    sni_muscle_pivot_place place = {.at = sn_vec3_make(moved(pivot, 0, pivot->at.x, pose),
                                                       moved(pivot, 1, pivot->at.y, pose),
                                                       moved(pivot, 2, pivot->at.z, pose))};
    if (pivot->ranged) {
        double value = sni_pose_value(pose, &pivot->parameter);
        double slack = end_slack * fmax(1, fmax(fabs(pivot->low), fabs(pivot->high)));
        place.off = !(value >= pivot->low - slack && value <= pivot->high + slack);
    }
    return place;
}

bool sni_posed_pivots_find(const sni_posed_pivots *pivots, const sni_pose *pose, sni_arena *arena,
                           const sni_muscle_pivot_place **places) {
    *places = NULL;
    if (!pivots->any) {
        return true;
    }
    sni_muscle_pivot_place *found = sni_arena_alloc(arena, pivots->count, sizeof *found);
    for (uint32_t i = 0; found != NULL && i < pivots->count; ++i) {
        found[i] = sni_posed_pivot_find(&pivots->items[i], pose);
    }
    *places = found;
    return found != NULL;
}
