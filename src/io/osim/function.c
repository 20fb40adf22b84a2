// SPDX-License-Identifier: Apache-2.0
//
// Functions of coordinates. SimmSpline is the spline of motion/curve.h; outside it goes on
// straight.
#include "io/osim/osim_internal.h"
#include "motion/curve.h"

#include <math.h>
#include <string.h>

typedef struct function_name {
    const char *name;
    sni_osim_function_kind kind;
} function_name;

static const function_name names[] = {
    {"Constant", SNI_OSIM_LINEAR},
    {"LinearFunction", SNI_OSIM_LINEAR},
    {"PolynomialFunction", SNI_OSIM_POLYNOMIAL},
    {"SimmSpline", SNI_OSIM_SPLINE},
    {"NaturalCubicSpline", SNI_OSIM_SPLINE}, // its name before version 3
    {"natCubicSpline", SNI_OSIM_SPLINE},
    {"PiecewiseLinearFunction", SNI_OSIM_PIECEWISE},
    {"PiecewiseConstantFunction", SNI_OSIM_STEPPED},
    {"StepFunction", SNI_OSIM_STEPPED},
};

// How deep multipliers may stand in multipliers.
#define MULTIPLIER_DEPTH_MAX 8

static bool is_function(const sni_xml_element *element) {
    size_t length = strlen(element->name);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (strcmp(names[i].name, element->name) == 0) {
            return true;
        }
    }
    return (length > 8 && strcmp(element->name + length - 8, "Function") == 0) ||
           (length > 6 && strcmp(element->name + length - 6, "Spline") == 0) ||
           strcmp(element->name, "Sine") == 0;
}

const sni_xml_element *sni_osim_find_function(const sni_xml_element *element) {
    const sni_xml_element *wrapped = sni_xml_child(element, "function");
    if (wrapped != NULL) {
        return sni_xml_child(wrapped, NULL);
    }
    for (const sni_xml_element *e = sni_xml_child(element, NULL); e != NULL;
         e = sni_xml_next(e, NULL)) {
        if (is_function(e)) {
            return e;
        }
    }
    return NULL;
}

static sn_status read_keys(sni_osim_parser *p, const sni_xml_element *element,
                           sni_osim_function *function, sn_error *error) {
    uint32_t outputs = 0;
    sn_status status = SN_OK;
    SN_TRY(sni_osim_list(p, element, "x", &function->count, &function->keys, error));
    SN_TRY(sni_osim_list(p, element, "y", &outputs, &function->values, error));
    if (function->count != outputs || outputs == 0) {
        return sni_xml_fail(element, error, SN_INVALID,
                            "<x> has %u number%s and <y> %u; a curve needs as many of both, and at "
                            "least one",
                            function->count, function->count == 1 ? "" : "s", outputs);
    }
    for (uint32_t i = 1; i < function->count; ++i) {
        if (!(function->keys[i] > function->keys[i - 1])) {
            return sni_xml_fail(element, error, SN_INVALID,
                                "<x> must rise, but %.9g comes after %.9g", function->keys[i],
                                function->keys[i - 1]);
        }
    }
    if (function->kind == SNI_OSIM_SPLINE) {
        SNI_OSIM_NEW(p, function->slopes, function->count);
        SN_TRY(sni_spline_slopes(p->model->context, function->count, function->keys,
                                 function->values, function->slopes, error));
    }
cleanup:
    return status;
}

void sni_osim_function_scale(sni_osim_function *function, double scale) {
    for (uint32_t i = 0; i < function->count; ++i) {
        function->values[i] *= scale;
        if (function->slopes != NULL) {
            function->slopes[i] *= scale;
        }
    }
}

static sn_status read_one(sni_osim_parser *p, const sni_xml_element *element, uint32_t depth,
                          sni_osim_function *function, sn_error *error) {
    sn_status status = SN_OK;
    if (sni_xml_is(element, "MultiplierFunction") && depth < MULTIPLIER_DEPTH_MAX) {
        double scale = 1;
        const sni_xml_element *inner = sni_osim_find_function(element);
        if (inner == NULL) {
            return sni_xml_fail(element, error, SN_INVALID, "there is no function to multiply");
        }
        SN_TRY(sni_osim_numbers(element, "scale", 1, &scale, true, error));
        SN_TRY(read_one(p, inner, depth + 1, function, error));
        sni_osim_function_scale(function, scale);
        return SN_OK;
    }
    uint32_t found = 0;
    while (found < sizeof names / sizeof *names && !sni_xml_is(element, names[found].name)) {
        ++found;
    }
    if (found == sizeof names / sizeof *names || sni_xml_is(element, "StepFunction")) {
        return sni_xml_fail(element, error, SN_UNSUPPORTED,
                            "the function <%s> is not supported; supported are Constant, "
                            "LinearFunction, PolynomialFunction, SimmSpline, "
                            "PiecewiseLinearFunction, PiecewiseConstantFunction, "
                            "MultiplierFunction",
                            element->name);
    }
    function->kind = names[found].kind;
    if (sni_xml_is(element, "Constant")) {
        function->count = 1;
        SNI_OSIM_NEW(p, function->values, 1);
        SN_TRY(sni_osim_numbers(element, "value", 1, function->values, true, error));
    } else if (function->kind <= SNI_OSIM_POLYNOMIAL) {
        SN_TRY(
            sni_osim_list(p, element, "coefficients", &function->count, &function->values, error));
        if (function->count == 0) {
            return sni_xml_fail(element, error, SN_INVALID, "<coefficients> is empty");
        }
    } else {
        SN_TRY(read_keys(p, element, function, error));
    }
cleanup:
    return status;
}

sn_status sni_osim_function_read(sni_osim_parser *p, const sni_xml_element *element,
                                 sni_osim_function *function, sn_error *error) {
    *function = (sni_osim_function){0};
    return read_one(p, element, 0, function, error);
}

// --- Values

static uint32_t span_of(const sni_osim_function *f, double x) {
    uint32_t i = 0;
    while (i + 2 < f->count && x >= f->keys[i + 1]) {
        ++i;
    }
    return i;
}

static double slope(const sni_osim_function *f, uint32_t i) {
    return (f->values[i + 1] - f->values[i]) / (f->keys[i + 1] - f->keys[i]);
}

static double piecewise(const sni_osim_function *f, double x) {
    if (f->count == 1) {
        return f->values[0];
    }
    uint32_t i = span_of(f, x);
    return f->values[i] + slope(f, i) * (x - f->keys[i]);
}

static double stepped(const sni_osim_function *f, double x) {
    uint32_t i = 0;
    while (i + 1 < f->count && x >= f->keys[i + 1]) {
        ++i;
    }
    return f->values[i];
}

// A cubic between two knots with their values and slopes; straight on beyond the ends.
static double spline(const sni_osim_function *f, double x) {
    uint32_t last = f->count - 1, i = last > 0 ? span_of(f, x) : 0;
    if (x <= f->keys[0] || x >= f->keys[last]) {
        uint32_t end = x <= f->keys[0] ? 0 : last;
        return f->values[end] + f->slopes[end] * (x - f->keys[end]);
    }
    double h = f->keys[i + 1] - f->keys[i], t = (x - f->keys[i]) / h;
    double rise = f->values[i + 1] - f->values[i];
    double a = h * f->slopes[i], b = h * f->slopes[i + 1];
    return f->values[i] + t * (a + t * (3 * rise - 2 * a - b + t * (a + b - 2 * rise)));
}

double sni_osim_evaluate(const sni_osim_function *f, const double *inputs) {
    SN_ASSERT(f != NULL);
    double sum = 0;
    switch (f->kind) {
    case SNI_OSIM_LINEAR:
        for (uint32_t i = 0; i + 1 < f->count; ++i) {
            sum += f->values[i] * inputs[i];
        }
        return f->count > 0 ? sum + f->values[f->count - 1] : 0;
    case SNI_OSIM_POLYNOMIAL:
        for (uint32_t i = 0; i < f->count; ++i) {
            sum = sum * inputs[0] + f->values[i];
        }
        return sum;
    case SNI_OSIM_SPLINE: return spline(f, inputs[0]);
    case SNI_OSIM_PIECEWISE: return piecewise(f, inputs[0]);
    default: return stepped(f, inputs[0]);
    }
}
