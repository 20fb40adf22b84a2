// SPDX-License-Identifier: Apache-2.0
//
// Tables of parameters: finding one, the standard values, and whether values are within them.
//
// A kind keeps an enum of the indices beside its table and reads its values by them:
//
//     enum { PARAMETER_WIDTH, PARAMETER_COUNT };
//     static const sn_parameter parameters[PARAMETER_COUNT] = {
//         [PARAMETER_WIDTH] = {.name = "width", ...},
//     };
//     double width = job->parameters[PARAMETER_WIDTH];
#ifndef SINEW_BASE_PARAMETER_H
#define SINEW_BASE_PARAMETER_H

#include "base/error.h"
#include "sinew/parameter.h"

// The table that an array of parameters is.
#define SNI_PARAMETERS(array)                                                                      \
    { .items = (array), .count = (uint32_t)(sizeof(array) / sizeof *(array)) }

// The index of a parameter of that name, SN_NONE when there is none.
uint32_t sni_parameters_find(const sn_parameters *table, const char *name);

// Writes the standard value of every parameter: table->count numbers.
void sni_parameters_defaults(const sn_parameters *table, double *values);

// Whether any of them can change from frame to frame.
bool sni_parameters_any_live(const sn_parameters *table);

// The value of a parameter in a frame. `now` are the parameters of the frame; NULL: none is driven,
// and the value is the one that was bound.
static inline double sni_parameter_now(const double *now, uint32_t index, double bound) {
    return now != NULL ? now[index] : bound;
}

// Whether table->count values are in their ranges, and whole where they must be. Fails with
// SN_INVALID, the name of their owner ("biceps", "wrap") and of the parameter, and the value.
// `values` may be NULL for an empty table alone.
sn_status sni_parameters_validate(const sn_parameters *table, const char *owner,
                                  const double *values, sn_error *error);

#endif
