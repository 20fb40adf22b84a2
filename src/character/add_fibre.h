// SPDX-License-Identifier: Apache-2.0
//
// The keys of a muscle of kind `fibre`, for all that makes such muscles.
#ifndef SINEW_CHARACTER_ADD_FIBRE_H
#define SINEW_CHARACTER_ADD_FIBRE_H

#include "sinew/fit.h"
#include "sinew/json.h"

// Adds them to an object. False for want of memory.
bool sni_add_fibre(sn_json *json, sn_value *object, const sn_layout_fibre *fibre);

#endif
