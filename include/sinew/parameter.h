// SPDX-License-Identifier: Apache-2.0
//
// Parameters: numbers and choices that can be set, described so that programs can show them.
#ifndef SINEW_PARAMETER_H
#define SINEW_PARAMETER_H

#include "sinew/base.h"

// One parameter of a kind: a number within a range, or a choice between words.
typedef struct sn_parameter {
    const char *name; // the key in a document
    const char *help; // one sentence without a full stop
    const char *unit; // of a number: "m", "rad", "" for a plain one; NULL for a choice
    // The range and the default value. A choice is the index into `choices`. A default that is not
    // a number (NAN) follows from other things, as `help` says.
    double low, standard, high;
    const char *const *choices; // ended by NULL; NULL for a number
    bool whole;                 // a number without fraction
    double usual;               // where a slider may end: few values are higher; 0: at `high`
    const char *title;          // in a property panel; NULL: derived from the name
    bool live;                  // can change from frame to frame: a control may drive it
} sn_parameter;

// A table of them.
typedef struct sn_parameters {
    const sn_parameter *items;
    uint32_t count;
} sn_parameters;

#endif
