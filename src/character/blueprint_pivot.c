// SPDX-License-Identifier: Apache-2.0
//
// Pivots of muscles between bones and bodies that they go around: whether what they name is there,
// and whether it makes sense.
#include "character/blueprint.h"

#include "character/schema.h"

#include <string.h>

static sn_status check_parameter(const sni_blueprint *blueprint, const sn_value *name,
                                 sn_error *error) {
    sni_parameter_ref ref;
    return sni_at_value(sni_rig_find(blueprint->rig, name->as.string, &ref, error), name, error);
}

// A pivot that is used in a range has a parameter and its range; others have neither.
static sn_status check_range(const sni_blueprint *blueprint, const sn_value *pivot,
                             sn_error *error) {
    const sn_value *parameter = sn_value_get(pivot, "parameter");
    const sn_value *range = sn_value_get(pivot, "range");
    bool ranged = strcmp(sn_value_string(sn_value_get(pivot, "use"), ""), "range") == 0;
    if (ranged && (parameter == NULL || range == NULL)) {
        return sni_fail_value(error, pivot, SN_INVALID,
                              "a pivot that is used in a range needs \"parameter\" and \"range\"");
    }
    if (!ranged && (parameter != NULL || range != NULL)) {
        return sni_fail_value(error, parameter != NULL ? parameter : range, SN_INVALID,
                              "only a pivot with \"use\": \"range\" has a parameter and its range");
    }
    if (!ranged) {
        return SN_OK;
    }
    double low = sn_value_at(range, 0)->as.number, high = sn_value_at(range, 1)->as.number;
    if (!(low <= high)) {
        return sni_fail_value(error, range, SN_INVALID,
                              "the lower end %.9g is above the upper end %.9g", low, high);
    }
    return check_parameter(blueprint, parameter, error);
}

static sn_status check_curve(const sn_value *curve, sn_error *error) {
    for (uint32_t i = 1; i < sn_value_count(curve); ++i) {
        double before = sn_value_at(sn_value_at(curve, i - 1), 0)->as.number;
        double input = sn_value_at(sn_value_at(curve, i), 0)->as.number;
        if (!(input > before)) {
            return sni_fail_value(error, sn_value_at(curve, i), SN_INVALID,
                                  "%.9g does not come after %.9g; the first numbers must rise",
                                  input, before);
        }
    }
    return SN_OK;
}

sn_status sni_check_pivot(const sni_blueprint *blueprint, const sn_value *pivot, sn_error *error) {
    const sn_value *moves = sn_value_get(pivot, "moves"), *half = sn_value_get(pivot, "half");
    uint32_t segment;
    sn_status status = SN_OK;
    SN_TRY(sni_find_name(blueprint, SNI_SECTION_SKELETON, sn_value_get(pivot, "segment"), &segment,
                         error));
    if (half != NULL) {
        SN_TRY(sni_find_name(blueprint, SNI_SECTION_SKELETON, half, &segment, error));
    }
    SN_TRY(check_range(blueprint, pivot, error));
    for (uint32_t i = 0; i < sn_value_count(moves); ++i) {
        const sn_value *move = sn_value_at(moves, i);
        SN_TRY(check_parameter(blueprint, sn_value_get(move, "parameter"), error));
        SN_TRY(check_curve(sn_value_get(move, "curve"), error));
    }
cleanup:
    return status;
}

sn_status sni_check_wrap(const sni_blueprint *blueprint, const sn_value *wrap, sn_error *error) {
    static const char *const shapes[] = {"cylinder", "sphere", "ellipsoid"};
    uint32_t segment, count = 0;
    for (int i = 0; i < 3; ++i) {
        count += sn_value_get(wrap, shapes[i]) != NULL;
    }
    if (count != 1) {
        return sni_fail_value(error, wrap, SN_INVALID,
                              "a body to go around is a \"cylinder\", a \"sphere\" or an "
                              "\"ellipsoid\"");
    }
    return sni_find_name(blueprint, SNI_SECTION_SKELETON, sn_value_get(wrap, "segment"), &segment,
                         error);
}
