// SPDX-License-Identifier: Apache-2.0
//
// Whether a model was probably made in another unit or with another axis up.
#ifndef SINEW_COMMON_UNITS_H
#define SINEW_COMMON_UNITS_H

#include "sinew/eval.h"

// Bodies of people and animals, and most things that they wear, are between these sizes, in metres:
// from a newborn mouse to a blue whale.
extern const double app_smallest_body, app_largest_body;

// Guesses from the size and place of what is shown at rest. Nothing is converted unasked.
typedef struct app_units {
    sn_vec3 low, high;  // of all that is shown, metres
    double size;        // in its longest direction; 0: nothing is shown
    const char *name;   // "centimetres"; NULL: it has the size of a body
    const char *option; // "cm", for --unit
    double metres;      // to such a unit
    bool z_up;
} app_units;

// `frame` is of the model, and at rest.
app_units app_guess_units(const sn_model *model, const sn_frame *frame);

#endif
