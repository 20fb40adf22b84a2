// SPDX-License-Identifier: Apache-2.0
#include "base/parameter.h"

#include <math.h>
#include <string.h>

uint32_t sni_parameters_find(const sn_parameters *table, const char *name) {
    for (uint32_t i = 0; i < table->count; ++i) {
        if (strcmp(table->items[i].name, name) == 0) {
            return i;
        }
    }
    return SN_NONE;
}

void sni_parameters_defaults(const sn_parameters *table, double *values) {
    for (uint32_t i = 0; i < table->count; ++i) {
        values[i] = table->items[i].standard;
    }
}

bool sni_parameters_any_live(const sn_parameters *table) {
    for (uint32_t i = 0; i < table->count; ++i) {
        if (table->items[i].live) {
            return true;
        }
    }
    return false;
}

static sn_status validate(const sn_parameter *parameter, const char *owner, double value,
                          sn_error *error) {
    // Written so that a value that is not a number fails, unless it says that it is not given.
    if (isnan(value) && isnan(parameter->standard)) {
        return SN_OK;
    }
    if (!(value >= parameter->low && value <= parameter->high)) {
        return sni_fail(error, SN_INVALID, "%s: %s is %g, but must be from %g to %g", owner,
                        parameter->name, value, parameter->low, parameter->high);
    }
    bool whole = parameter->whole || parameter->choices != NULL;
    if (whole && value != floor(value)) {
        return sni_fail(error, SN_INVALID, "%s: %s is %g, but must be a whole number", owner,
                        parameter->name, value);
    }
    return SN_OK;
}

sn_status sni_parameters_validate(const sn_parameters *table, const char *owner,
                                  const double *values, sn_error *error) {
    if (table->count > 0 && values == NULL) {
        return sni_fail(error, SN_INVALID, "%s: no parameters", owner);
    }
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < table->count && status == SN_OK; ++i) {
        status = validate(&table->items[i], owner, values[i], error);
    }
    return status;
}
