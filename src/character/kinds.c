// SPDX-License-Identifier: Apache-2.0
//
// Kinds and their parameters, for the schema and for programs.
#include "character/schema/schema.h"

#include "muscle/muscle.h"
#include "sinew/kinds.h"
#include "skin/skin.h"

#include <math.h>
#include <string.h>

const sn_parameter *sni_kind_parameter(const sni_kind *kind, uint32_t index) {
    for (uint32_t i = 0; i < SNI_KIND_TABLES; ++i) {
        const sn_parameters *table = &kind->tables[i];
        if (index < table->count) {
            return &table->items[index];
        }
        index -= table->count;
    }
    return NULL;
}

const sn_parameter *sni_kind_find_parameter(const sni_kind *kind, const char *name) {
    for (uint32_t i = 0; i < SNI_KIND_TABLES; ++i) {
        uint32_t index = sni_parameters_find(&kind->tables[i], name);
        if (index != SN_NONE) {
            return &kind->tables[i].items[index];
        }
    }
    return NULL;
}

const sni_schema_field *sni_kind_input_field(const sni_kind *kind, uint32_t index, bool *needed) {
    for (uint32_t i = 0; kind->inputs != NULL && i < SNI_INPUTS_MOST; ++i) {
        const sni_input *input = kind->inputs[i].input;
        if (input == NULL) {
            break;
        }
        if (index < input->field_count) {
            const sni_schema_field *field = &input->fields[index];
            *needed = kind->inputs[i].needed && field->required;
            return field;
        }
        index -= input->field_count;
    }
    return NULL;
}

static double value_of(const sn_parameter *parameter, const sn_value *value) {
    if (parameter->choices == NULL) {
        return sn_value_number(value, parameter->standard);
    }
    for (uint32_t i = 0; value != NULL && parameter->choices[i] != NULL; ++i) {
        if (strcmp(parameter->choices[i], value->as.string) == 0) {
            return i;
        }
    }
    return parameter->standard;
}

void sni_parameter_values(const sn_parameters *table, const sn_value *object, double *values) {
    for (uint32_t i = 0; i < table->count; ++i) {
        const sn_parameter *parameter = &table->items[i];
        values[i] = value_of(parameter, sn_value_get(object, parameter->name));
    }
}

uint32_t sn_kind_count(sn_kind_family family) {
    switch (family) {
    case SN_KIND_MUSCLE: return sni_muscle_kind_count();
    case SN_KIND_DEFORMER: return sni_deformer_kind_count();
    }
    return 0;
}

sn_kind sn_kind_at(sn_kind_family family, uint32_t index) {
    SN_ASSERT(index < sn_kind_count(family));
    if (family == SN_KIND_MUSCLE) {
        const sni_muscle_ops *ops = sni_muscle_ops_of(index);
        return (sn_kind){ops->name, ops->help, ops->parameters};
    }
    const sni_deformer_ops *ops = sni_deformer_ops_of(index);
    return (sn_kind){ops->name, ops->help, ops->parameters};
}

bool sn_drawn_parameter(uint32_t index, sn_parameter *parameter) {
    sni_kind kind = sni_drawn_muscle_schema.kinds->at(0);
    const sn_parameter *found = sni_kind_parameter(&kind, index);
    if (found == NULL) {
        return false;
    }
    *parameter = *found;
    uint32_t before = kind.tables[SNI_DRAWN_MUSCLE].count;
    const double *standard = sni_drawn_standard_of(index);
    if (standard != NULL) {
        parameter->standard = *standard;
    }
    // The distances of the falloff come from the muscle's depth and width.
    if (index >= before && index < before + kind.tables[SNI_DRAWN_FALLOFF].count) {
        parameter->standard = NAN;
    }
    return true;
}
