// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_BASE_PARAMETER_H
#define SINEW_BASE_PARAMETER_H

#include <stdbool.h>

// One parameter of a kind (a deformer, a muscle), as the document names it. The same table serves
// the checker, the schema, the studio's sliders and the Blender panel.
typedef struct sni_parameter {
    const char *name;
    const char *help;
    const char *unit;           // "m", "rad", "" for a plain number; NULL for a choice
    double low, standard, high; // for a choice: the index into `choices`
    const char *const *choices; // ended by NULL; NULL for a number
    bool whole;                 // a number without fraction
    double usual;               // where a slider may end: few values are higher; 0: at `high`
    const char *title;          // in a property panel; NULL: made of the name
} sni_parameter;

#endif
